"""What went wrong with a record file, in a line that says where, what was expected and what helps."""

import errno
import shlex

from judge.language import _, marked
from judge.terminal import printable, sentence
from protocol.records.record import RecordError

HINTS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), marked("make room on that disk")),
    errno.EFBIG: marked("files may not grow so large here (ulimit -f)"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), marked("you may not do that there: name another file")),
    errno.ENAMETOOLONG: marked("name another file"),
}


def in_words(error: OSError | RecordError) -> str:
    """The error with its place and a hint, on one line."""
    if isinstance(error, OSError):
        place = f"{printable(str(error.filename))}: " if error.filename else ""
        found = HINTS.get(error.errno or 0)
        told, hint = f"{place}{error.strerror or error}", _(found) if found else ""
    else:
        told, hint = str(error), _hint_on_line(error)
    told = sentence(told)
    return _("{error}; {hint}").format(error=told, hint=hint) if hint else told


def _hint_on_line(error: RecordError) -> str:
    if error.path is None:
        return ""
    path = printable(shlex.quote(str(error.path)))
    if error.line is None:
        return _("name another file")
    command = f"sed -i.damaged {error.line}d {path}"
    return _("{command} takes that line out and keeps the file as it is in {copy}").format(
        command=command, copy=f"{path}.damaged"
    )
