"""What argparse itself says to people who type a command line wrong, or ask for help; Python 3.10 to 3.14.

What it says to programmers alone is not here, nor what judge/cli/parser.py says in its place.
"""

MESSAGES = (
    "%(heading)s:",
    "ambiguous option: %(option)s could match %(matches)s",
    "argument %(argument_name)s: %(message)s",
    "expected at least one argument",
    "expected at most one argument",
    "expected one argument",
    ("expected %s argument", "expected %s arguments"),
    "ignored explicit argument %r",
    "invalid %(type)s value: %(value)r",
    "invalid choice: %(value)r (choose from %(choices)s)",
    "invalid choice: %(value)r, maybe you meant %(closest)r? (choose from %(choices)s)",
    "not allowed with argument %s",
    "one of the arguments %s is required",
    "options",
    "positional arguments",
    "show this help message and exit",
    "the following arguments are required: %s",
    "unrecognized arguments: %s",
    "usage: ",
)
