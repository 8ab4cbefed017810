"""The gate in front of the application. It refuses requests of other sites and adds security headers to every answer.

A page of any other site may send requests to this machine, but it cannot choose certain headers, which the browser
writes. Host has the host name in the address of the request; a foreign name that resolves to this machine is refused.
Origin names the site that sends the request; a request that could change something must have this header.
Sec-Fetch-Site says whether another site sends the request; this protects requests that only read. No answer has headers
that let another site read the answer (CORS).
"""

import contextlib
import html
import re
from collections.abc import Callable

from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from judge.language import marked
from judge.web.answers import CONFLICT, FAILED, FOREIGN, NO_STORE, Json, Refused, refusal

# Names of this machine that no foreign name server answers for. A tunnel (ssh -L) may give the server another port.
OWN_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
READING = ("GET", "HEAD")
OWN_SITE, NAVIGATION = ("same-origin", "none"), "navigate"  # W3C, "Fetch Metadata Request Headers"
MOST_SOCKETS = 150  # half of all connections, so that pages can still be loaded
GOING_AWAY = 1011  # RFC 6455: an unexpected condition
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws://{host}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


def failure() -> Refused:
    """Return the error that a browser gets if the server fails. The error has no details."""
    return refusal(FAILED, marked("the server has failed at this; its terminal says more"))


class Gate:
    """An ASGI application that checks requests before it passes them on to another ASGI application.

    `port` is that of the server. If the other application fails, report(line) is called, and the browser gets an error
    without details.
    """

    def __init__(self, application: ASGIApp, port: int, report: Callable[[str], None]) -> None:
        self._sockets = 0
        self._application, self._port, self._report = application, port, report

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        host, answer = self._judged(scope)
        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            has_begun = has_begun or message["type"] in ("http.response.start", "websocket.accept")
            if message["type"] == "http.response.start":
                policy = (b"content-security-policy", POLICY.format(host=host).encode("ascii"))
                message["headers"] = [*message.get("headers", []), *HEADERS, policy]
            await send(message)

        if answer is None and scope["type"] == "websocket" and self._sockets >= MOST_SOCKETS:
            answer = Json.of(
                refusal(
                    CONFLICT,
                    marked("{number} pages are connected already: close one, and try again"),
                    number=MOST_SOCKETS,
                )
            )
        if answer is not None:
            await self._refuse(answer, scope, receive, send_with_headers)
            return
        self._sockets += scope["type"] == "websocket"
        try:
            await self._application(scope, receive, send_with_headers)
        except (WebSocketDisconnect, ClientDisconnect):
            pass  # the page has gone
        except Exception as error:
            self._report(f"{scope.get('path')}: {type(error).__name__}: {error}")
            if scope["type"] == "websocket":
                with contextlib.suppress(Exception):  # the socket may be closed already
                    await send({"type": "websocket.close", "code": GOING_AWAY})
            elif not has_begun:
                await Json.of(failure())(scope, receive, send_with_headers)
        finally:
            self._sockets -= scope["type"] == "websocket"

    def _judged(self, scope: Scope) -> tuple[str, Response | None]:
        """Return (host, None) if the request is accepted, and (host, answer) if it is refused with that answer.

        The host is that in the request's Host header, or the server's own if that one is refused.
        """
        own = f"127.0.0.1:{self._port}"
        asked = _values(scope, b"host")
        if len(asked) != 1 or not OWN_HOST.fullmatch(asked[0]):
            message = marked("requests are heard for the addresses of this machine alone, such as {example}")
            return own, _answer(refusal(FOREIGN, message, example=own), scope)
        host = asked[0].lower()
        origins = _values(scope, b"origin")
        needs_origin = scope["type"] == "websocket" or scope["method"] not in READING
        is_own = all(origin.lower() == f"http://{host}" for origin in origins) and len(origins) <= 1
        if not is_own or (needs_origin and not origins) or _is_for_another_site(scope):
            message = marked("another site asks: requests are heard from pages of this server alone")
            return host, _answer(refusal(FOREIGN, message), scope)
        return host, None

    @staticmethod
    async def _refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()  # the request to connect
            await send({"type": "websocket.close"})  # closing the socket before it is accepted gives status 403
        else:
            await answer(scope, receive, send)


def _answer(refused: Refused, scope: Scope) -> Response:
    """Return the answer for a refusal: a page where a browser asks for a page, else JSON."""
    if not any("text/html" in value for value in _values(scope, b"accept")):
        return Json.of(refused)
    lines = "".join(f'<p lang="{language}">{html.escape(text)}</p>' for language, text in refused.texts.items())
    title = f"{refused.status} - dropfour"
    return HTMLResponse(f'<!doctype html><meta charset="utf-8"><title>{title}</title>{lines}', refused.status, NO_STORE)


def _is_for_another_site(scope: Scope) -> bool:
    """Return whether the browser says that another site sends the request.

    Returns False if the user follows a link on the other site, which is allowed.
    """
    is_other = any(value not in OWN_SITE for value in _values(scope, b"sec-fetch-site"))
    return is_other and _values(scope, b"sec-fetch-mode") != [NAVIGATION]


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
