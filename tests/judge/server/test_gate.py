"""Who is heard: the names of this machine and pages of this server alone; what every answer tells the browser."""

import pytest
from starlette.websockets import WebSocketDisconnect

from judge.server import static
from judge.server.gate import hosts
from tests.judge.server.helpers.application import HOST, ORIGIN, PORT, SMALL, Application

FOREIGN_HOSTS = (
    "evil.example",
    f"evil.example:{PORT}",
    "127.0.0.1",
    "localhost",
    f"127.0.0.1:{PORT + 1}",
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


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_foreign_host_is_refused_wherever_it_asks(application, host, address):
    answer = application.get(address, host=host)
    assert answer.status_code == 403
    assert "127.0.0.1" in texts_of(answer)["en"]


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}", HOST])
def test_the_names_of_this_machine_are_heard(application, host):
    assert application.get("/api/tables", host=host).json() == {"tables": []}


def test_two_hosts_are_none(application):
    headers = [("host", HOST), ("host", "evil.example")]
    assert application.client.get("/api/tables", headers=headers).status_code == 403


def test_the_usual_port_may_be_left_out():
    assert "localhost" in hosts(80) and "localhost:80" in hosts(80)
    assert "localhost" not in hosts(PORT)


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_a_foreign_origin_may_neither_post_nor_read_nor_open_a_socket(application, origin):
    assert application.post("/api/tables", TABLE, origin=origin).status_code == 403
    assert application.get("/api/records", origin=origin).status_code == 403
    for address in SOCKETS:
        with pytest.raises(WebSocketDisconnect), application.socket(address, origin=origin):
            pass
    assert application.get("/api/tables").json() == {"tables": []}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_asks_for_another_site_is_refused_but_for_its_readers_own_steps(application, site):
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


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_foreign_host_opens_no_socket(application, host):
    for address in SOCKETS:
        with pytest.raises(WebSocketDisconnect), application.socket(address, host=host, origin=f"http://{host}"):
            pass


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_for_no_address_and_need_an_origin_too(application, method):
    assert application.client.request(method, "/api/tables").status_code == 403
    answer = application.client.request(method, "/api/tables", headers={"origin": ORIGIN})
    assert answer.status_code == 405 and method in texts_of(answer)["en"]
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("address", [*ADDRESSES, "/api/records/no.jsonl"])
def test_every_answer_has_the_headers_that_keep_others_out(application, address):
    headers = application.get(address).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and f"connect-src 'self' ws://{HOST};" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in headers if name.startswith("access-control")]
    if address.startswith("/api/"):
        assert headers["cache-control"] == "no-store" and headers["content-type"] == "application/json"


@pytest.mark.parametrize("address", ["/", "/play/abc", "/watch/a/b.jsonl", "/records/a.jsonl", "/position"])
def test_every_page_is_the_same_shell(application, address):
    answer = application.get(address)
    assert answer.text == static.SHELL.read_text("utf-8")
    assert '<script type="module" src="/assets/serve/app.js"></script>' in answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_assets_of_both_rooms_are_there_and_nothing_else_is(application):
    board = application.get("/assets/view/board.js")
    assert board.headers["content-type"] == "text/javascript; charset=utf-8" and "export" in board.text
    assert application.get("/assets/view/styles/base.css").headers["content-type"] == "text/css; charset=utf-8"
    for address in (
        "/assets/view/none.js",
        "/assets/other/board.js",
        "/assets/view/page.html",
        "/assets/view/../words.py",
        "/assets/view/%2e%2e/words.py",
        "/assets/view/..%2f..%2f..%2f..%2fetc/passwd",
        "/assets/serve/%00.js",
        "/assets/view/",
        "/assets/view",
    ):
        answer = application.get(address)
        assert answer.status_code == 404, address
        assert texts_of(answer)["zh"]


def test_a_failure_of_ours_tells_the_browser_nothing_and_the_terminal_its_reason(tmp_path, monkeypatch):
    with Application(tmp_path) as application:

        def fail():
            raise RuntimeError("secret /place")

        monkeypatch.setattr(application.server.folder, "as_json", fail)
        answer = application.get("/api/records")
        assert answer.status_code == 500
        assert "secret" not in answer.text and texts_of(answer)
        assert application.told == ["/api/records: RuntimeError: secret /place"]
        assert application.get("/api/tables").status_code == 200
