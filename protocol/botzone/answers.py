"""The judge's decoder of a Botzone bot's output: bytes -> Answers. protocol/botzone/__init__.py describes the forms."""

from __future__ import annotations

from protocol.botzone.messages import KEEP_RUNNING_LINE, MAX_MESSAGE_BYTES, too_long
from protocol.decoding import StreamDecoder
from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protocol.botzone.json_form import JsonForm
    from protocol.botzone.simple_form import SimpleForm


class Answer(ValueType):
    """A bot's output in one turn.

    `move` is in the game's format, as its Moves read it; `keep_running` says whether the bot asked to keep
    running. `debug`, `data` and `globaldata` are None if absent, else text in the simple form, any value in JSON.
    """

    move: Any
    debug: Any
    data: Any
    globaldata: Any
    keep_running: bool


class AnswerDecoder(StreamDecoder):
    """The judge's decoder: bytes from one process of a bot -> Answers."""

    THINGS = "answers"

    def __init__(self, form: JsonForm | SimpleForm) -> None:
        """`form`: a JsonForm or a SimpleForm."""
        super().__init__()
        self._form = form
        self._pending = bytearray()
        self._looked_at = 0

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned answer are not all blank."""
        return bool(self._pending.strip())

    def next_answer(self) -> Answer | None:
        """Return the next Answer that asks to keep running, or None until its last line is complete.

        Raises RemoteProtocolError for an answer that is too long or malformed.
        """
        return self._latched(self._read)

    def end(self) -> Answer | None:  # type: ignore[override]
        """Handle the end of the process; return the Answer that it completes, None if no byte is left.

        Raises RemoteProtocolError as `next_answer`.
        Precondition (LocalProtocolError otherwise): `next_answer` has returned every complete answer.
        """
        super().end()
        return self._latched(self._take_rest)

    def _accept(self, data: bytes) -> None:
        self._pending += data

    def _read(self) -> Answer | None:
        line_end = self._pending.find(b"\n", self._looked_at)
        while line_end >= 0:
            line_start = self._pending.rfind(b"\n", 0, line_end) + 1
            if self._pending[line_start:line_end].strip() == KEEP_RUNNING_LINE:
                return self._take(line_start, line_end + 1, keep_running=True)
            self._looked_at = line_end + 1
            line_end = self._pending.find(b"\n", self._looked_at)
        if len(self._pending) > MAX_MESSAGE_BYTES:
            raise too_long(len(self._pending))
        return None

    def _take_rest(self) -> Answer | None:
        if not self.partial:
            return None
        return self._take(len(self._pending), len(self._pending), keep_running=False)

    def _take(self, text_end: int, end: int, keep_running: bool) -> Answer:
        text = bytes(self._pending[:text_end])
        del self._pending[:end]
        self._looked_at = 0
        if len(text) > MAX_MESSAGE_BYTES:
            raise too_long(len(text))
        return Answer(*self._form.decode_answer(text), keep_running)
