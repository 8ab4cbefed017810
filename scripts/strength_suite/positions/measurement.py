"""A measurement of this checkout's bot: its answers are kept as they come and exported however it ends."""

import contextlib

from checkout import revision
from strength_suite.json_lines import Answers


@contextlib.contextmanager
def measurement(options, store, name, kind, asked, key, conclude):
    """The Answers (told apart by the fields `key`) of the run of this name; at the end of the block it is exported.

    asked: JSON object for the report. conclude(found) makes of a list of answers (summary, whether the run is
    complete, the summary in words), None where they do not tell anything yet. Raises SuiteError as Answers.
    """
    identity = {**asked, "revision": revision("--tags")}
    answers = Answers(store.record(name), identity, key, options.resume)
    try:
        yield answers
    finally:
        answers.reread()
        conclusion = conclude(list(answers.found.values())) if answers.found else None
        if conclusion is not None:
            summary, complete, in_words = conclusion
            store.export(name, kind, complete, asked, summary, identity["revision"])
            print(in_words)
