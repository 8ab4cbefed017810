"""`scripts/read_match_record FILE`."""

import sys

from match_record.command_line import main

if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # names may hold what the terminal's encoding does not
    sys.exit(main(sys.argv[1:]))
