"""The gate in front of the application. It refuses requests of other sites and adds security headers to every answer.

A page of any other site may send requests to this machine, but it cannot choose certain headers, which the browser
writes. Host has the host name in the address of the request; a foreign name that resolves to this machine is refused.
Origin names the site that sends the request; a request that could change something must have this header.
Sec-Fetch-Site says whether another site sends the request; this protects requests that only read. No answer has headers
that let another site read the answer (CORS).
"""

import html
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from judge.language import marked
from judge.web.answers import FOREIGN, NO_STORE, Json, Refused, refusal

# Names of this machine that no foreign name server answers for. A tunnel (ssh -L) may give the server another port.
OWN_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws://{host}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Gate:
    """An ASGI application that checks requests before it passes them on to another ASGI application.

    `port` is that of the server.
    """

    def __init__(self, application: ASGIApp, port: int) -> None:
        self._application, self._own_host = application, f"127.0.0.1:{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        is_own_host = len(hosts) == 1 and OWN_HOST.fullmatch(hosts[0]) is not None
        host = hosts[0].lower() if is_own_host else self._own_host

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer_headers = MutableHeaders(scope=message)
                answer_headers.setdefault("cache-control", "no-cache")  # so that a new version's pages are shown
                answer_headers["content-security-policy"] = POLICY.format(host=host)
                answer_headers["x-content-type-options"] = "nosniff"
                answer_headers["referrer-policy"] = "no-referrer"
                answer_headers["cross-origin-resource-policy"] = "same-origin"
                answer_headers["cross-origin-opener-policy"] = "same-origin"
            await send(message)

        application: ASGIApp = self._application
        if not is_own_host:
            message = marked("the server only answers at addresses of this machine: open http://{example}/ instead")
            application = _refusing(refusal(FOREIGN, message, example=self._own_host), scope)
        elif _is_foreign(scope, headers, host):
            message = marked("the request comes from another site: the server only answers its own pages")
            application = _refusing(refusal(FOREIGN, message), scope)
        await application(scope, receive, send_with_headers)


def _is_foreign(scope: Scope, headers: Headers, host: str) -> bool:
    """Return whether a page of another site sends the request, or whether the request lacks a necessary Origin header.

    `host` is the server's own host name and port. A link on another site that the user follows is not foreign; it is a
    navigation: W3C, "Fetch Metadata Request Headers".
    """
    origins = headers.getlist("origin")
    needs_origin = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
    is_of_other_site = any(site not in ("same-origin", "none") for site in headers.getlist("sec-fetch-site"))
    return (
        len(origins) > 1
        or any(origin.lower() != f"http://{host}" for origin in origins)
        or (needs_origin and not origins)
        or (is_of_other_site and headers.getlist("sec-fetch-mode") != ["navigate"])
    )


def _refusing(refused: Refused, scope: Scope) -> ASGIApp:
    """Return an ASGI application that refuses the request of this scope.

    A socket is closed before it is accepted, which gives status 403. A browser that asks for a page gets a page.
    """
    if scope["type"] == "websocket":
        return WebSocketClose()
    if "text/html" not in Headers(scope=scope).get("accept", ""):
        return Json.of(refused)
    lines = "".join(f'<p lang="{language}">{html.escape(text)}</p>' for language, text in refused.texts.items())
    title = f"{refused.status} - dropfour"
    page: Response = HTMLResponse(
        f'<!doctype html><meta charset="utf-8"><title>{title}</title>{lines}', refused.status, NO_STORE
    )
    return page
