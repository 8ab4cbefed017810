"""`scripts/translate`: brings the catalogs of judge/locale in step with the sources and compiles them.

A message that is new is added without a translation, one that no source has any more is dropped. What is left to
translate, or was translated with other fields, is listed, and the exit status is 1 then.
"""

import argparse
import sys

from checkout import CHECKOUT
from translation.catalogs import brought_up, compiled, faults, mo_bytes, po_bytes, sources_of_catalogs, template
from whole_file import written_whole


def main(words):
    """Run the command; returns the exit status."""
    argparse.ArgumentParser(prog="scripts/translate", description=__doc__.partition(": ")[2]).parse_args(words)
    messages, status = template(), 0
    for path in sources_of_catalogs():
        catalog = brought_up(path, messages)
        for file, content in ((path, po_bytes(catalog)), (compiled(path), mo_bytes(catalog))):
            with written_whole(file) as unfinished:
                unfinished.write_bytes(content)
        found = faults(catalog)
        print(f"{path.relative_to(CHECKOUT)}: {len(catalog)} messages, {len(found)} to be looked at")
        for fault in found:
            print(f"  {fault}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
