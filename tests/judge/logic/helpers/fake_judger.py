"""A judger for a game logic in this process: what it says when, on a clock that only it moves, and what it is told."""

import json

from judge.logic.program import Program
from protocol.framing import FrameDecoder, TargetedFrameDecoder, encode_frame
from tests.protocol.helpers.streams import taken

LONGEST_FRAME = 1 << 20


def frame(content):
    """A message of the judger's."""
    return encode_frame(json.dumps(content).encode())


def start(config=None, replay=None, players=(1, 1), **others):
    """The first message of the local judger."""
    return frame(
        {"player_list": list(players), "player_num": len(players), "config": config or {}, "replay": replay, **others}
    )


def spoke(player, content, time_ms=1.5):
    """What a player has sent; without a time where that is None."""
    return frame({"player": player, "content": content, **({} if time_ms is None else {"time": time_ms})})


def failed(player, state, error, words="error"):
    """What the judger says of a player's failure; without a state where that is None."""
    told = {"player": player, "state": state, "error": error, "error_log": words}
    return frame(
        {"player": -1, "content": json.dumps({key: value for key, value in told.items() if value is not None})}
    )


class FakeJudger:
    """A judge.logic.program.Channel. `steps` are bytes to be read, or numbers: seconds in which nothing comes.

    Behind the last step the judger closes its pipe, or says nothing any more if it `stays`. `heard` are the bytes that
    it was told, `now` is the time, `said` what was said to people. on_write(data) is called before each is told.
    """

    def __init__(self, *steps, stays=False, on_write=None):
        self.steps = list(steps)
        self.stays = stays
        self.now = 1000.0
        self.heard = b""
        self.said = []
        self._on_write = on_write

    def clock(self):
        return self.now

    def read(self, patience_s):
        while self.steps:
            step = self.steps.pop(0)
            if isinstance(step, bytes):
                return step
            if patience_s is not None and step > patience_s:
                self.steps.insert(0, step - patience_s)
                self.now += patience_s
                return None
            self.now += step
            if patience_s is not None:
                patience_s -= step
        if not self.stays:
            return b""
        assert patience_s is not None, "the logic would wait for ever"
        self.now += patience_s
        return None

    def write(self, data):
        if self._on_write is not None:
            self._on_write(data)
        self.heard += data

    def referee(self):
        """Let a game logic referee the match; returns its exit status."""
        return Program(self, self.clock, self.said.append).run()

    def frames(self, has_targets=True):
        """What it was told: (target, value of the JSON, or bytes for a player)."""
        decoder = TargetedFrameDecoder(LONGEST_FRAME) if has_targets else FrameDecoder(LONGEST_FRAME)
        decoder.feed(self.heard)
        frames = taken(decoder.next_frame)
        decoder.end()
        return [
            (target, json.loads(body) if target == -1 else body)
            for target, body in (frames if has_targets else [(-1, body) for body in frames])
        ]

    def rounds(self, has_targets=True):
        """The rounds among them."""
        return [content for target, content in self.frames(has_targets) if target == -1 and "listen" in content]

    def end(self, has_targets=True):
        """(scores, end states or None) of the last message, which has to be the end."""
        target, content = self.frames(has_targets)[-1]
        assert (target, content["state"]) == (-1, -1)
        states = content.get("end_state")
        return list(json.loads(content["end_info"]).values()), None if states is None else json.loads(states)


def refereed(*steps, **others):
    """(exit status, FakeJudger) of a match with these steps."""
    judger = FakeJudger(*steps, **others)
    return judger.referee(), judger
