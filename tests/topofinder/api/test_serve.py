"""Canned queries against the rows; Datasette itself where it is installed."""

import asyncio
import json
import re
import signal
import sqlite3
import urllib.error
import urllib.request
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from socket import socket
from typing import Any

import pytest

from db.store import Store
from db.throughput_rows import ThroughputRow
from db.training_rows import StoredTraining, TrainingQuestion, TrainingRow
from generators.errors import InvalidInput
from tests.command import ran, started
from tests.db.sizes import size
from topofinder.api.serve import metadata, require_free, require_local_host

INSTALLED = find_spec("datasette") is not None
PARAMETERS = {
    "n": "8",
    "d": "2",
    "links": "duplex",
    "alpha_us": "10",
    "size_bytes": "1048576",
    "gbps": "100",
    "model": "net",
}

RATE = ThroughputRow(
    topology="0" * 64, recipe="Pi(2,8)*1", demand="uniform", n=8, d=2,
    lower=Fraction(1, 4), upper=Fraction(1, 3), method="test", seconds=0.1,
)  # fmt: skip


SECONDS = Fraction(1, 2), Fraction(1, 2)
FOUND = StoredTraining(
    question=TrainingQuestion(
        model="net", layers="", n=8, d=2, links="duplex", alpha=Fraction(1), bandwidth=Fraction(1),
        options="{}",
    ),
    engine=1, inputs="", unit="token", units=Fraction(1), parameters=1, estimate=None,
    considered=1, excluded=0,
    rows=(
        TrainingRow(
            kind="baseline", recipe="BiRing(2,8)", schedule="ring", seconds=SECONDS,
            compute=Fraction(), exchange=SECONDS, exposed=(Fraction(), Fraction()), bucket=1,
        ),
    ),
)  # fmt: skip


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "some fabrics.db"
    with Store(path) as store:
        store.save_or_keep(size(n, d) for n in (8, 9) for d in (2, 4))
        store.save_throughput(RATE)
        store.save_training(FOUND)
    return path


def told(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = metadata(path)["databases"]["some fabrics"]
    return found


def test_every_canned_query_runs(database: Path) -> None:
    with Store(database) as store:
        store.connection.row_factory = sqlite3.Row
        for name, query in told(database)["queries"].items():
            asked = set(re.findall(r":(\w+)", query["sql"]))
            assert asked == set(query.get("params", []))
            rows = store.connection.execute(query["sql"], PARAMETERS).fetchall()
            assert rows or name == "both_bounds"


def test_fields_that_are_left_empty_have_usual_values(database: Path) -> None:
    usual = PARAMETERS | {"alpha_us": "", "size_bytes": "", "gbps": ""}
    with Store(database) as store:
        sql = told(database)["queries"]["fastest_allreduce"]["sql"]
        full, empty = (
            store.connection.execute(sql, some).fetchall() for some in (PARAMETERS, usual)
        )
        assert [tuple(row) for row in full] == [tuple(row) for row in empty]
        sql = told(database)["queries"]["frontier_of_a_size"]["sql"]
        found = store.connection.execute(sql, PARAMETERS | {"links": ""}).fetchall()
    assert found == []  # simplex, which is not stored


def test_a_port_that_is_taken_is_told_in_a_line() -> None:
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInput, match=f"--port: {port} cannot be used"):
            require_free(port)
    require_free(port)


def test_the_fastest_allreduce_is_that_of_the_query(
    capsys: pytest.CaptureFixture[str], database: Path
) -> None:
    words = ("--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps", "--sort", "time")
    wanted = ("query", "--all", "--db", database, "--n", 8, "--d", 2, *words, "--json")
    found = json.loads(ran(capsys, *wanted).out)
    with Store(database) as store:
        sql = told(database)["queries"]["fastest_allreduce"]["sql"]
        rows = store.connection.execute(sql, PARAMETERS).fetchall()
    assert [row[0] for row in rows] == [row["recipe"] for row in found]
    for row, other in zip(rows, found, strict=True):
        assert row[2] == pytest.approx(other["seconds"]["allreduce"] * 1e6)


def test_only_what_exists_is_described(database: Path) -> None:
    with Store(database) as store:
        for table, known in told(database)["tables"].items():
            columns = [row[1] for row in store.connection.execute(f"PRAGMA table_info({table})")]
            assert columns
            assert set(known.get("columns", {})) <= set(columns)


def test_without_datasette_one_line_says_so(
    capsys: pytest.CaptureFixture[str], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module("topofinder.api.serve")  # the package has a function of that name
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    line = "topofinder: datasette is not installed: pip install 'topofinder[datasette]'\n"
    assert ran(capsys, "serve", "--db", database) == (2, "", line)


@pytest.mark.skipif(not INSTALLED, reason="datasette is not installed")
@pytest.mark.filterwarnings("default")
def test_datasette_shows_the_views_and_the_canned_queries(database: Path) -> None:
    from datasette.app import Datasette  # type: ignore[import-not-found]

    shown = Datasette([str(database)], metadata=metadata(database))
    place = "/some~20fabrics"

    async def get(path: str) -> Any:
        answer = await shown.client.get(path)
        assert answer.status_code == 200, path
        return answer.json()

    rows = asyncio.run(get(f"{place}/frontier.json?_shape=array&n=8&d=2"))
    assert [row["recipe"] for row in rows] == [f"Pi(2,8)*{times}" for times in (1, 2, 3)]
    for name in told(database)["queries"]:
        asked = "&".join(f"{key}={value}" for key, value in PARAMETERS.items())
        found = asyncio.run(get(f"{place}/{name}.json?_shape=array&{asked}"))
        assert found or name == "both_bounds"


HOSTS = {
    "localhost": True, "LOCALHOST:8001": True, "127.0.0.1:80": True, "[::1]:8001": True,
    "evil.example": False, "evil.example:8001": False, "localhost.evil.example": False,
    "127.0.0.1.evil.example:8001": False, "localhost:8001@evil": False, "localhost:": False,
    "127.0.0.2": False, "[::2]": False, "::1": False, "": False, "localhost\n": False,
}  # fmt: skip


@pytest.mark.parametrize(("host", "local"), HOSTS.items())
def test_only_local_names_are_answered(host: str, local: bool) -> None:
    assert status_of([(b"Host", host.encode())]) == (200 if local else 403)


def test_a_request_has_one_host() -> None:
    assert status_of([]) == 403
    assert status_of([(b"host", b"localhost"), (b"host", b"evil.example")]) == 403
    assert status_of([(b"host", b"evil.example")], "websocket") == 1008
    assert status_of([], "lifespan") == 200


def status_of(headers: list[tuple[bytes, bytes]], kind: str = "http") -> int:
    """What is answered to a request before an application that answers everything."""
    sent: list[dict[str, Any]] = []

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {}

    scope = {"type": kind, "headers": headers}
    asyncio.run(require_local_host(answer)(scope, receive, send))
    return int(sent[0].get("status", sent[0].get("code")))


def status_from(address: str, host: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers={"Host": host})) as got:
            return int(got.status)
    except urllib.error.HTTPError as refused:
        return refused.code


@pytest.mark.skipif(not INSTALLED, reason="datasette is not installed")
def test_serve_answers_on_loopback_until_it_is_interrupted(database: Path) -> None:
    program = (
        "from topofinder.cli.app import main; import warnings; warnings.resetwarnings(); main()"
    )
    with started("serve", "--db", database, "--port", "0", program=program) as running:
        assert running.stderr is not None
        address = None
        for line in running.stderr:
            address = re.search(r"running on (http://127\.0\.0\.1:\d+)", line)
            if address is not None:
                break
        assert address is not None
        with urllib.request.urlopen(f"{address[1]}/-/databases.json") as answer:
            (shown,) = json.load(answer)
        assert (shown["name"], shown["is_mutable"]) == ("some fabrics", True)
        for host, status in (("localhost:1", 200), ("evil.example", 403)):
            assert status_from(f"{address[1]}/-/databases.json", host) == status
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=30)
    assert running.returncode in (0, 130)
