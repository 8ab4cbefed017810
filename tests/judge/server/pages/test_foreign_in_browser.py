"""Pages of other sites, in a real browser: they get nothing but 403."""

import contextlib
import functools
import http.server
import threading
import time

import pytest

from tests.judge.helpers.scripted import PATIENCE_S

POLL_MS = 20
SOCKET = """address => new Promise((resolve) => {
    const socket = new WebSocket(address);
    socket.onopen = () => resolve("open");
    socket.onclose = () => resolve("closed");
})"""


@pytest.fixture
def other_site(tmp_path):
    """The address of a page that another server of this machine has."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<!DOCTYPE html><title>another site</title>", "utf-8")
    handler = functools.partial(Quiet, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing of requests."""

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture
def tab(browser):
    """A page with nothing on it, and `status_of` an address: of its answer, be it allowed to read it or not."""
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        statuses, addresses = {}, {}  # by the browser's numbers of requests, which come in any order
        wire = context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.requestWillBeSent", lambda sent: addresses.update({sent["requestId"]: sent["request"]["url"]}))
        wire.on(
            "Network.responseReceivedExtraInfo",
            lambda came: statuses.update({came["requestId"]: came["statusCode"]}),
        )

        def status_of(address):
            give_up = time.monotonic() + PATIENCE_S
            while time.monotonic() < give_up:
                for number in statuses:
                    if addresses.get(number) == address:
                        return statuses[number]
                page.wait_for_timeout(POLL_MS)
            raise AssertionError(f"no answer from {address}: {statuses} {addresses}")

        page.status_of = status_of
        yield page


def test_a_name_of_somebody_else_that_leads_here_is_refused(served, tab):
    foreign = f"http://somebody.localhost:{served.port}"
    for place in ("/", "/api/tables", "/assets/serve/app.js"):
        assert tab.goto(foreign + place).status == 403
    assert tab.goto(f"{served.address}/").status == 200
    assert tab.goto(f"http://localhost:{served.port}/").status == 200


def test_a_page_of_another_site_is_refused(served, tab, other_site):
    tab.goto(other_site)
    for method, body in (("POST", "'{}'"), ("GET", "undefined")):
        answer = tab.evaluate(
            f"address => fetch(address, {{ method: '{method}', body: {body} }}).then(() => 'read', () => 'refused')",
            f"{served.address}/api/tables?{method}",
        )
        assert answer == "refused"  # by the browser: no header lets another site read it
        assert tab.status_of(f"{served.address}/api/tables?{method}") == 403
    sockets = f"ws://127.0.0.1:{served.port}/ws"
    assert tab.evaluate(SOCKET, f"{sockets}/position") == "closed"
    tab.goto(f"{served.address}/")
    assert tab.evaluate(SOCKET, f"{sockets}/position") == "open"
