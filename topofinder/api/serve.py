"""Datasette on the loopback interface, which no other machine can reach, by local names.

A page of a stranger can let its own name lead to 127.0.0.1 (DNS rebinding): the browser then takes
our server for the stranger's, and hands over what it answers. The `Host` header still has the
stranger's name, so whoever asks under a name that is not local is refused.
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from tempfile import TemporaryDirectory
from typing import Any

from db.store import Store
from generators.errors import InvalidInput, Unsupported

LOOPBACK = "127.0.0.1"
GUARD = "topofinder-local-hosts"
QUICK = ("--setting", "suggest_facets", "off")
"""Trying every column of a view as a facet takes seconds a page."""
OURS = "topofinder"
"""The name of the database in the metadata that ship."""

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Mapping[str, Any], Receive, Send], Awaitable[None]]
"""As ASGI defines it: https://asgi.readthedocs.io."""

_LOCAL = re.compile(rb"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
_REFUSED = b"This server answers requests to localhost, 127.0.0.1 and [::1] only.\n"


def serve(db: Path, port: int, *, browser: bool = False) -> None:
    """Serve a database until interrupted.

    Raises Unsupported where Datasette is not installed, and InvalidInput for a file that is
    missing or no database of topofinder, or a port that is taken.
    """
    run = _datasette()
    with Store(db, create=False):
        pass  # refuses what is not ours, and brings an older schema up to date
    require_free(port)
    with TemporaryDirectory() as folder:
        told = Path(folder) / "metadata.json"
        told.write_text(json.dumps(metadata(db)), encoding="utf-8")
        run([*arguments(db, port, told), *(["--open"] if browser else [])])


def require_free(port: int) -> None:
    """Refuse a port that another program has, which Datasette would tell in many lines; 0 is free.

    >>> require_free(0)
    """
    with socket(AF_INET, SOCK_STREAM) as tried:
        tried.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        try:
            tried.bind((LOOPBACK, port))
        except OSError as error:
            raise InvalidInput(f"--port: {port} cannot be used: {error.strerror}") from None


def arguments(db: Path, port: int, told: Path) -> list[str]:
    """The command line of Datasette.

    >>> arguments(Path("a.db"), 8001, Path("m.json"))  # doctest: +ELLIPSIS
    ['serve', 'a.db', '--host', '127.0.0.1', '--port', '8001', '--metadata', 'm.json', ...]
    """
    where = ["--host", LOOPBACK, "--port", str(port), "--metadata", str(told)]
    name = str(db) if not str(db).startswith("-") else f"./{db}"
    return ["serve", name, *where, *QUICK]


def metadata(path: Path) -> dict[str, Any]:
    """The metadata for a database file; Datasette knows a database by its name without suffix.

    >>> list(metadata(Path("fabrics/mine.db"))["databases"])
    ['mine']
    """
    text = files(__package__).joinpath("serve_metadata.json").read_text(encoding="utf-8")
    told: dict[str, Any] = json.loads(text)
    told["databases"] = {path.stem: told["databases"][OURS]}
    return told


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


def _datasette() -> Callable[[list[str]], None]:
    """Datasette's command line as a function; its refusals become ours."""
    if find_spec("datasette") is None:
        raise Unsupported("datasette is not installed: pip install 'topofinder[datasette]'")
    _guard()
    cli: Any = import_module("datasette.cli").cli
    refusal: Any = import_module("click").ClickException

    def run(words: list[str]) -> None:
        try:
            cli.main(words, prog_name="datasette", standalone_mode=False)
        except refusal as error:
            raise InvalidInput(f"datasette: {error.format_message()}") from None

    return run


def _guard() -> None:
    """Let Datasette, whose plugin this is, answer requests to local names only."""
    hookimpl: Any = import_module("datasette").hookimpl
    plugins: Any = import_module("datasette.plugins").pm

    class LocalHosts:
        @staticmethod
        @hookimpl  # type: ignore[untyped-decorator]
        def asgi_wrapper() -> Callable[[Application], Application]:
            return require_local_host

    if not plugins.has_plugin(GUARD):
        plugins.register(LocalHosts, name=GUARD)  # not an instance: it has no __name__
