"""Datasette on the loopback interface, which no other machine can reach, by local names."""

import json
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from tempfile import TemporaryDirectory
from typing import Any

from db.store import Store
from generators.errors import InvalidInput, Unsupported
from topofinder.api.local_hosts import Application, require_local_host
from topofinder.api.serve_metadata import metadata

LOOPBACK = "127.0.0.1"
GUARD = "topofinder-local-hosts"
QUICK = ("--setting", "suggest_facets", "off")
"""Trying every column of a view as a facet takes seconds a page."""


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
