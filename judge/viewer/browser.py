"""Which ply is looked at, and what keys do about it."""

from judge.language import _, marked
from judge.viewer import keys

FORWARD = (keys.RIGHT, " ", "l", "n", keys.ENTER)
BACK = (keys.LEFT, "h", "p")
FIRST = (keys.HOME, "g")
LAST = (keys.END, "G")
LEAVE = ("q", "Q", keys.ESCAPE)
HELP_KEY = "?"
HELP = marked("on: space right l n   back: left h p   ends: g G   ply: 12 Enter   leave: q")
MOST_DIGITS = 4


class Browser:
    """A place among the plies 0..last of a game.

    `ply` is looked at; `typed` are the digits of a number that Enter goes to; `message` is an answer to the last key,
    `helps` whether the line of keys is shown. It begins at ply 0.
    """

    def __init__(self, last: int) -> None:
        self.last = last
        self.ply = 0
        self.typed = ""
        self.message = ""
        self.helps = False

    def press(self, key: str) -> bool:
        """Do what the key means; False if it is to leave. A key without a meaning changes nothing."""
        self.message = ""
        if key.isascii() and key.isdigit():
            self.typed = (self.typed + key)[:MOST_DIGITS]
            return True
        typed, self.typed = self.typed, ""
        if typed and key == keys.ENTER:
            self._jump(int(typed))
        elif typed and key == keys.BACKSPACE:
            self.typed = typed[:-1]
        elif typed and key == keys.ESCAPE:
            pass  # the number is forgotten
        elif key in LEAVE:
            return False
        elif key in FORWARD:
            self.ply = min(self.last, self.ply + 1)
        elif key in BACK:
            self.ply = max(0, self.ply - 1)
        elif key in FIRST:
            self.ply = 0
        elif key in LAST:
            self.ply = self.last
        elif key == HELP_KEY:
            self.helps = not self.helps
        return True

    def prompt(self) -> str:
        """The line for the reader's answer to come."""
        if self.typed:
            return _("go to ply {ply}: Enter").format(ply=self.typed)
        if self.message:
            return self.message
        if self.helps:
            return _(HELP)
        return _("ply {ply} of {last}   ? tells the keys, q leaves").format(ply=self.ply, last=self.last)

    def _jump(self, ply: int) -> None:
        if ply > self.last:
            self.message = _("there is no ply {ply}, the last one is {last}").format(ply=ply, last=self.last)
        else:
            self.ply = ply
