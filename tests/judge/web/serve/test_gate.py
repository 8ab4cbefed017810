"""Who is heard: the names of this machine and pages of this server alone; what every answer tells the browser."""

import json

import pytest
from starlette.websockets import WebSocketDisconnect

from judge.games import GAMES
from judge.players import own_bot
from judge.web.application import SHELL
from judge.web.opponents import Opponents
from tests.judge.helpers.chinese import HAN
from tests.judge.web.serve.helpers.application import HOST, ORIGIN, PORT, SMALL, Application

FOREIGN_HOSTS = (
    "evil.example",
    f"evil.example:{PORT}",
    f"127.0.0.1:{PORT}.evil.example",
    f"192.168.0.1:{PORT}",
    f"0.0.0.0:{PORT}",
    "",
)
FOREIGN_ORIGINS = (
    "https://evil.example",
    f"http://evil.example:{PORT}",
    "http://127.0.0.1",
    f"http://127.0.0.1:{PORT + 1}",
    f"https://{HOST}",
    f"http://localhost:{PORT}",  # another site, where the request is for 127.0.0.1
    f"{ORIGIN}.evil.example",
    "null",
    "",
)
TABLE = {"game": "connect_four", "board": SMALL, "player": "first", "first": "human", "limit_s": 1}
ADDRESSES = ("/", "/api/start", "/api/tables", "/api/records", "/assets/serve/app.js", "/nothing")
SOCKETS = ("/ws/tables/x", "/ws/follow/a.jsonl", "/ws/position")


def texts_of(answer):
    """The texts of a refusal, in each language."""
    texts = answer.json()["error"]
    assert set(texts) == {"en", "zh"}
    return texts


def test_a_foreign_host_is_refused_wherever_it_asks(application):
    told = f"the server only answers at addresses of this machine: open http://{HOST}/ instead"
    for host in FOREIGN_HOSTS:
        for address in ADDRESSES if host == FOREIGN_HOSTS[0] else ADDRESSES[:2]:
            answer = application.get(address, host=host)
            assert (answer.status_code, texts_of(answer)["en"]) == (403, told), (host, address)
        for address in SOCKETS:
            with pytest.raises(WebSocketDisconnect), application.socket(address, host=host, origin=f"http://{host}"):
                pass


def test_the_names_of_this_machine_are_heard(application):
    """At any port, as a tunnel may have another one."""
    for host in (f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}", HOST, "localhost", "127.0.0.1:9000"):
        assert application.get("/api/tables", host=host).json() == {"tables": []}
        assert application.get("/api/tables", host=host, origin=f"HTTP://{host}").status_code == 200
        policy = application.get("/", host=host).headers["content-security-policy"]
        assert f"connect-src 'self' ws://{host.lower()};" in policy


def test_two_hosts_are_none(application):
    headers = [("host", HOST), ("host", "evil.example")]
    assert application.client.get("/api/tables", headers=headers).status_code == 403
    headers = [("host", HOST), ("origin", ORIGIN), ("origin", ORIGIN)]
    assert application.client.get("/api/tables", headers=headers).status_code == 403


def test_a_browser_that_asks_for_a_page_gets_the_refusal_as_a_page(application):
    answer = application.get("/", host="<b>evil</b>", accept="text/html,*/*;q=0.8")
    assert (answer.status_code, answer.headers["content-type"]) == (403, "text/html; charset=utf-8")
    assert f"open http://{HOST}/ instead</p>" in answer.text and 'lang="zh"' in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_a_foreign_origin_may_neither_post_nor_read_nor_open_a_socket(application):
    told = "the request comes from another site: the server only answers its own pages"
    for origin in FOREIGN_ORIGINS:
        for answer in (
            application.post("/api/tables", TABLE, origin=origin),
            application.get("/api/records", origin=origin),
        ):
            assert (answer.status_code, texts_of(answer)["en"]) == (403, told), origin
        for address in SOCKETS:
            with pytest.raises(WebSocketDisconnect), application.socket(address, origin=origin):
                pass
    assert application.get("/api/tables").json() == {"tables": []}


def test_what_a_browser_asks_for_another_site_is_refused_but_for_its_readers_own_steps(application):
    for site in ("cross-site", "same-site"):
        of_page = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}
        assert application.get("/api/records", **of_page).status_code == 403
        assert application.get("/assets/view/board.js", **of_page).status_code == 403
        assert application.get("/position", **{**of_page, "sec-fetch-mode": "navigate"}).status_code == 200
        for own in ("same-origin", "none"):
            assert application.get("/api/records", **{**of_page, "sec-fetch-site": own}).status_code == 200


def test_a_post_and_a_socket_need_an_origin(application):
    assert application.post("/api/tables", TABLE, origin=None).status_code == 403
    with pytest.raises(WebSocketDisconnect), application.socket("/ws/position", origin=None):
        pass


def test_other_methods_are_for_no_address_and_need_an_origin_too(application):
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert application.client.request(method, "/api/tables").status_code == 403
        answer = application.client.request(method, "/api/tables", headers={"origin": ORIGIN})
        assert (answer.status_code, texts_of(answer)["en"]) == (405, f"this address does not take {method} requests")
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert application.client.head("/api/tables").status_code == 200


def test_every_answer_has_the_headers_that_keep_others_out(application):
    for address in (*ADDRESSES, "/api/records/no.jsonl"):
        headers = application.get(address).headers
        assert headers["content-security-policy"] == (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            f"connect-src 'self' ws://{HOST}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == headers["cross-origin-opener-policy"] == "same-origin"
        assert not [name for name in headers if name.startswith("access-control")]
        if address.startswith("/api/"):
            assert headers["cache-control"] == "no-store" and headers["content-type"] == "application/json"


def test_every_page_is_the_same_shell(application):
    for address in ("/", "/play/abc", "/watch/a/b.jsonl", "/records/a.jsonl", "/position"):
        answer = application.get(address)
        assert answer.text == SHELL.read_text("utf-8")
        assert '<script type="module" src="/assets/serve/app.js"></script>' in answer.text
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
    answer = application.get("/nothing")
    assert (answer.status_code, texts_of(answer)["en"]) == (
        404,
        "there is nothing at this address: go to the start page",
    )
    assert application.get("/position/").status_code == 404


def test_what_a_page_has_to_know_before_it_shows_anything(application):
    found = application.get("/api/start").json()
    words = found.pop("words")
    assert list(words) == ["zh"] and words["zh"]["Resign"] == "认输" and words["zh"]["plies"] != "plies"
    rows, _, forbidden = found["games"]["connect_four"]["options"]
    title = {"en": "rows", "zh": "行数"}
    number = {"name": "rows", "title": title, "bounds": [9, 12], "choices": [], "example": "", "default": None}
    assert rows == number and (forbidden["bounds"], forbidden["example"]) == (None, "4,5")
    assert list(found["games"]) == ["connect_four", "reversi", "dots"]
    for game, content in found["games"].items():
        told = [[option["name"], option["choices"]] for option in content["options"]]
        expected = [[option.name, option.choices] for option in GAMES[game].board_options]
        assert told == json.loads(json.dumps(expected))
    del found["games"]
    assert found == {
        "language": "en",
        "players": ["first", "bot"],
        "players_error": None,
        "bots": [],
        "takes_paths": False,
        "levels": Opponents(None).as_json()["levels"],
        "presets": {game: [f"bot:{name}" for name in own_bot.presets(game)[1:]] for game in GAMES},
        "limits": {"least_s": 0.05, "most_s": 600.0, "upload_bytes": 8 * 2**20},
        "records_folder": str(application.folder / "records"),
    }
    (application.folder / "players.toml").write_text("[x\n")
    found = application.get("/api/start").json()
    assert found["players"] == ["bot"] and "players.toml" in found["players_error"]["en"]
    assert HAN.search(found["players_error"]["zh"])
    answer = application.post("/api/tables", TABLE)
    assert answer.status_code == 422 and "players.toml" in answer.json()["error"]["en"]


def test_assets_are_there_and_nothing_else_is(application):
    board = application.get("/assets/view/board.js")
    assert board.headers["content-type"] == "text/javascript; charset=utf-8" and "export" in board.text
    assert board.headers["cache-control"] == "no-cache"
    assert application.get("/assets/view/styles/base.css").headers["content-type"] == "text/css; charset=utf-8"
    for address in (
        "/assets/view/none.js",
        "/assets/other/board.js",
        "/assets/view/../../texts.py",
        "/assets/view/%2e%2e/%2e%2e/texts.py",
        "/assets/view/..%2f..%2f..%2f..%2fetc/passwd",
        "/assets/serve/%00.js",
        "/assets/view/",
        "/assets/view",
    ):
        answer = application.get(address)
        assert answer.status_code == 404, address
        assert (
            texts_of(answer)["zh"]
            and texts_of(answer)["en"] == "there is nothing at this address: go to the start page"
        )


def test_a_failure_of_ours_tells_the_browser_nothing_and_the_terminal_its_reason(tmp_path, monkeypatch):
    with Application(tmp_path) as application:

        def fail():
            raise RuntimeError("secret /place")

        monkeypatch.setattr(application.server.folder, "as_json", fail)
        answer = application.get("/api/records")
        assert answer.status_code == 500
        assert (
            texts_of(answer)["en"]
            == "the server failed to answer this request: the terminal of `dropfour serve` shows the reason"
        )
        assert application.get("/api/records").json() == answer.json()
        assert application.get("/api/tables").status_code == 200
