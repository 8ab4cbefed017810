"""A page that watches, as far as it adds up what it is sent; and records as a judge writes them."""

import json

from judge.web.record_data import Source
from judge.web.record_page import summary_json
from tests.judge.web.view.helpers import samples


def with_id(record, game_id, index=0, **extra):
    """The record with an id, as a judge gives it one."""
    return samples.between(record, "one", "two", pair=index // 2, id=game_id, index=index, **extra)


def record_of(game, game_id="g1", index=0, seed=1):
    return with_id(samples.game_of(game, seed=seed), game_id, index)


class Watching:
    """What a page makes of what it is sent: the rows, the games that run, and all messages."""

    def __init__(self):
        self.list = self.totals = None
        self.live = {}
        self.is_running = None
        self.heard = []

    def hear(self, texts):
        for text in texts:
            message = json.loads(text)
            self.heard.append(message["type"])
            getattr(self, f"_{message['type']}")(message)

    def _summary(self, message):
        self.list, self.totals = message["summary"]["list"], message["summary"]["totals"]
        self.is_running = message["is_running"]
        self.live = {live["id"]: live["game"] for live in message["live"]}

    def _begun(self, message):
        live = message["live"]
        self.live[live["id"]] = live["game"]

    def _moved(self, message):
        game = self.live[message["id"]]
        assert message["from"] == len(game["moves"])
        for name in ("moves", "wall", "changes"):
            game[name] += message[name]
        game["sides"] += message["sides"]
        game["movers"] = game["movers"][:-1] + message["movers"]
        game["line"] = message["line"]
        plies = len(game["moves"])
        for name in {**game["reports"], **message["reports"]}:
            known = game["reports"].get(name, [None] * message["from"])
            game["reports"][name] = known + message["reports"].get(name, [None] * (plies - message["from"]))

    def _ended(self, message):
        assert message["index"] == len(self.list["rows"])
        self.list["rows"].append(message["row"])
        for name in ("players", "boards"):
            self.list[name] += message[name]
        if message["id"] is not None:
            del self.live[message["id"]]

    def _dropped(self, message):
        del self.live[message["id"]]

    def _totals(self, message):
        self.totals = message["totals"]

    def _running(self, message):
        self.is_running = message["is_running"]


def summary_of(records):
    sources = [Source(0, number, record) for number, record in enumerate(records, start=1)]
    return json.loads(json.dumps(summary_json(sources, ["match.jsonl"], 0)))
