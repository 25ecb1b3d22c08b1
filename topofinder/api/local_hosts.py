"""Requests that name this machine as their host, and no others.

A page of a stranger can let its own name lead to 127.0.0.1 (DNS rebinding): the browser then takes
our server for the stranger's, and hands over what it answers. The `Host` header still has the
stranger's name, so whoever asks under a name that is not local is refused.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Mapping[str, Any], Receive, Send], Awaitable[None]]
"""As ASGI defines it: https://asgi.readthedocs.io."""

_LOCAL = re.compile(rb"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
_REFUSED = b"This server answers requests to localhost, 127.0.0.1 and [::1] only.\n"


def require_local_host(answer: Application) -> Application:
    """The application, which now answers 403 to requests whose one `Host` is not local."""

    async def guard_hosts(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or is_local(scope):
            await answer(scope, receive, send)
        elif scope["type"] == "http":
            kind = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 403, "headers": kind})
            await send({"type": "http.response.body", "body": _REFUSED})
        else:
            await send({"type": "websocket.close", "code": 1008})

    return guard_hosts


def is_local(scope: Mapping[str, Any]) -> bool:
    """Whether a request has one `Host` header, and that names this machine.

    >>> [is_local({"headers": [(b"host", host)]}) for host in (b"localhost:8001", b"evil.example")]
    [True, False]
    """
    hosts = [value for name, value in scope["headers"] if name.lower() == b"host"]
    return len(hosts) == 1 and _LOCAL.fullmatch(hosts[0]) is not None
