"""Bytes from a terminal as keys, whole escape sequences at a time."""

import re

LEFT, RIGHT, HOME, END, ENTER, ESCAPE, BACKSPACE, OTHER = (
    "left",
    "right",
    "home",
    "end",
    "enter",
    "escape",
    "backspace",
    "other",
)
_ESC = "\x1b"
_SEQUENCES = {
    **dict.fromkeys(("[C", "OC"), RIGHT),
    **dict.fromkeys(("[D", "OD"), LEFT),
    **dict.fromkeys(("[H", "OH", "[1~", "[7~"), HOME),
    **dict.fromkeys(("[F", "OF", "[4~", "[8~"), END),
}
_SINGLE = {"\r": ENTER, "\n": ENTER, "\x7f": BACKSPACE, "\b": BACKSPACE}
# A control sequence, whole; one that has begun so. ESC and any other character is a key with Alt.
_WHOLE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|O[@-~]|[^\[O])")
_BEGUN = re.compile(r"\x1b(\[[0-?]*[ -/]*|O)?$")
_LONGEST = 32  # of a sequence: what goes on longer is none


class KeyReader:
    """Fed with bytes as they come; a key is a printable character or one of the names above."""

    def __init__(self) -> None:
        self._text = ""

    @property
    def is_open(self) -> bool:
        """Whether a sequence has begun: more bytes, or end(), tell what it is."""
        return bool(self._text)

    def feed(self, data: bytes) -> list[str]:
        """The keys that are complete now."""
        self._text += data.decode("latin-1")  # keys that mean something are ASCII
        keys: list[str] = []
        while self._text:
            if self._text[0] != _ESC:
                character, self._text = self._text[0], self._text[1:]
                keys.append(_SINGLE.get(character, character if character.isprintable() else OTHER))
            elif whole := _WHOLE.match(self._text):
                keys.append(_SEQUENCES.get(whole.group(1), OTHER))
                self._text = self._text[whole.end() :]
            elif _BEGUN.match(self._text) and len(self._text) <= _LONGEST:
                break
            else:
                keys.append(OTHER)
                self._text = self._text[2:]
        return keys

    def end(self) -> list[str]:
        """The keys of what is left once no more has come for a while: a lone ESC is the key of that name."""
        left, self._text = self._text, ""
        return [ESCAPE if left == _ESC else OTHER] if left else []
