"""`scripts/strength COMMAND ...`."""

import sys

from strength_suite.command_line import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
