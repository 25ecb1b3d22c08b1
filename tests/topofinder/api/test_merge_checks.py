"""Merges as a forger tries them: no column of a stranger's file is believed without a check."""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction
from itertools import cycle, islice
from pathlib import Path

import pytest

from db.discovery_rows import FindRow
from db.identity import candidate_id
from db.merging import MergeCounts
from db.store import Store
from expansions.build import build
from expansions.isomorphism import reverse_isomorphism
from expansions.parser import parse
from expansions.schedule_files.digest import topology_digest
from generators.errors import InvalidInput
from tests.command import ran
from topofinder.api.merge import merge_checked
from topofinder.api.merge_checks import check_find
from topofinder.api.shared.candidate_rows import ENGINE
from topofinder.api.sweep import fill_sizes
from topofinder.api.throughput import throughput

Capture = pytest.CaptureFixture[str]
Change = Callable[[sqlite3.Connection], object]

CARRIED = ("candidates", "frontiers", "frontier_members", "pool_members", "throughputs", "finds",
           "reversals")  # fmt: skip
NOT_CARRIED = {
    "schedules": "files of one machine",
    "forests": "files of one machine",
    "timetables": "files of one machine",
    "plans": "files of one machine",
    "plan_moves": "files of one machine",
    "discovery_legs": "progress of a search",
    "ratings": "a search makes them anew",
    "trainings": "nobody can check them without the table of layers",
    "iterations": "the same",
    "_sqlite_migrations": "the target has its own",
}
NO_CLAIM = {
    ("candidates", "version"): "who wrote the row",
    ("candidates", "created"): "when",
    ("candidates", "exact"): "0 claims less; whether 1 is true only a proof tells",
    ("candidates", "engine"): "an older engine's row is redone, a newer one's refused",
    ("frontiers", "engine"): "the same",
    ("frontiers", "version"): "who wrote the row",
    ("frontiers", "created"): "when",
    ("throughputs", "lower_num"): "a smaller lower bound is as true, a greater one refused",
    ("throughputs", "lower_den"): "the same",
    ("throughputs", "method"): "a word for people",
    ("throughputs", "seconds"): "how long it took once",
    ("throughputs", "version"): "who wrote the row",
    ("throughputs", "created"): "when",
    **{
        ("finds", name): "within the bounds only a proof tells, see CLAIMS"
        for name in (
            "steps",
            "bandwidth_num",
            "bandwidth_den",
            "rs_bandwidth_num",
            "rs_bandwidth_den",
        )
    },
    ("finds", "seed"): "how it was come upon",
    ("finds", "trials"): "how it was come upon",
    ("finds", "version"): "who wrote the row",
    ("finds", "created"): "when",
    ("reversals", "version"): "the target writes its own",
    ("reversals", "created"): "the target writes its own",
}
"""Columns of which another fit value says nothing that could be wrong."""

HOSTILE = (
    None,
    -1,
    0,
    1,
    7,
    2**62,
    1.5,
    float("inf"),
    "",
    "x",
    "1/0",
    "\x1b[2J",
    "K(3)",
    b"\0",
    b"",
)
AT = "WHERE n = 9 AND d = 4"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a row in every table that is merged."""
    path = tmp_path_factory.mktemp("source") / "source.db"
    fill_sizes([(8, 2), (9, 4), (12, 2), (12, 4)], "simplex", path, jobs=1)
    fill_sizes([(9, 4)], "duplex", path, jobs=1)
    with Store(path) as store:
        for subject, demand in (("K(5)", "uniform"), ("Diamond", "ring:1")):
            store.save_throughput(throughput(subject, pattern=demand, time=5).row())
        found = FindRow(
            recipe="Cay(Z3;1,1)", base="Cay(Z3;1,1)", links="simplex", n=3, d=2, steps=2, seed=0,
            bandwidth=Fraction(2, 3), rs_bandwidth=Fraction(2, 3), trials=1,
        )  # fmt: skip
        store.save_finds([found])
        recipe = next(
            row.recipe
            for row in store.frontier(9, 4, "simplex").members  # type: ignore[union-attr]
        )
        graph = build(parse(recipe))
        image = reverse_isomorphism(graph)
        assert image is not None
        store.save_reversal(topology_digest(graph), recipe, image.tolist())
        store.connection.execute("PRAGMA journal_mode = DELETE")
    return path


def forged(source: Path, folder: Path, change: Change) -> Path:
    copy = folder / "forged.db"
    shutil.copy(source, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        change(connection)
    return copy


def merged(path: Path, into: Path, *, prove: bool = False) -> MergeCounts | None:
    """What a merge did; None where the file was refused as a whole."""
    into.unlink(missing_ok=True)
    try:
        return merge_checked(path, into, prove=prove)
    except InvalidInput:
        return None


def contents(path: Path) -> set[tuple[object, ...]]:
    """All rows that are stored, but for what is written anew in each file."""
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path)) as connection:
        found: set[tuple[object, ...]] = set()
        for table in CARRIED:
            names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
            kept = [n for n in names if table != "reversals" or n not in ("version", "created")]
            rows = connection.execute(f"SELECT {', '.join(kept)} FROM {table}")
            found |= {(table, *row) for row in rows}
        return found


def columns(source: Path) -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(source)) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
            assert table in CARRIED or table in NOT_CARRIED, f"{table} is merged unchecked"
            for _, column, *_ in connection.execute(f"PRAGMA table_info({table})"):
                yield table, column


@pytest.mark.parametrize(
    "most", [2, pytest.param(len(HOSTILE), marks=pytest.mark.slow)], ids=["a sample", "all"]
)
def test_every_column_of_every_table_is_checked(source: Path, tmp_path: Path, most: int) -> None:
    """Each column is offered `most` hostile values, the next one other values than the last."""
    into = tmp_path / "into.db"
    assert merged(source, into) == MergeCounts(added=18, throughputs=2, finds=1, reversals=1)
    whole = contents(into)
    assert whole == contents(source)
    values = cycle(HOSTILE)
    for table, column in columns(source):
        if table in CARRIED:
            for value in islice(values, most):
                _check_column(source, tmp_path, table, column, value, whole)
    known = set(columns(source))
    assert set(NO_CLAIM) <= known
    assert set(NOT_CARRIED) == {table for table, _ in known} - set(CARRIED)


def _check_column(
    source: Path, folder: Path, table: str, column: str, value: object,
    whole: set[tuple[object, ...]],
) -> None:  # fmt: skip
    """One value of one column of all rows: what is stored of it is what was there before."""
    place = "WHERE n = 9 AND d = 4" if table not in ("throughputs", "finds", "reversals") else ""

    def change(connection: sqlite3.Connection) -> None:
        connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ? {place}", [value])

    path = forged(source, folder, change)
    if contents(path) == whole:
        return
    told = merged(path, folder / "into.db")
    if (table, column) in NO_CLAIM:
        return
    case = f"{table}.{column} = {value!r}"
    assert contents(folder / "into.db") <= whole, case
    gone = (table == "reversals" and column == "recipe") or column == "candidate"
    assert told is None or told.refused or gone or contents(path) < whole, case


FORGERIES: dict[str, Change] = {
    "T_B 0 is below": lambda c: c.execute(f"UPDATE candidates SET bandwidth_num = 0 {AT}"),
    "T_B 7/8 is below": lambda c: c.execute(
        f"UPDATE candidates SET bandwidth_num = 7, bandwidth_den = 8, bandwidth_optimal = 0 {AT}"
    ),
    "T_B 1/2 is below": lambda c: c.execute(
        f"UPDATE candidates SET rs_bandwidth_num = 1, rs_bandwidth_den = 2 {AT}"
    ),
    "T_B 10000 is above": lambda c: c.execute(
        f"""UPDATE candidates SET bandwidth_num = 10000, bandwidth_den = 1,
        bandwidth_optimal = 0 {AT}"""
    ),
    "T_L 1 is below 2": lambda c: c.execute(
        f"UPDATE candidates SET steps = 1, moore_optimal = 0 {AT}"
    ),
    "T_L 0 is below 2": lambda c: c.execute(f"UPDATE candidates SET rs_steps = 0 {AT}"),
    "is not the hash of": lambda c: (
        c.execute("PRAGMA foreign_keys = OFF"),
        c.execute(f"UPDATE candidates SET id = 'f' || id {AT}"),
        c.execute(f"UPDATE frontier_members SET candidate = 'f' || candidate {AT}"),
        c.execute(f"UPDATE pool_members SET candidate = 'f' || candidate {AT}"),
    ),
    "Graft": lambda c: renamed(c, "Graft(K(4))"),
    "recipe: has 10 nodes of 4 ports, not 9 of 4": lambda c: renamed(c, "Pi(4,10)"),
    "recipe: has 9 nodes of 3 ports, not 9 of 4": lambda c: renamed(c, "Pi(3,9)"),
    "method: 'magic' is not known": lambda c: renamed(c, "Pi(4,9)", "magic"),
    "recipe: 'Pi(4,9)' is written 'Pi( 4,9)'": lambda c: renamed(c, "Pi( 4,9)"),
    f"engine 99 is newer than this one, {ENGINE}": lambda c: (
        c.execute(f"UPDATE candidates SET engine = 99 {AT}"),
        c.execute(f"UPDATE frontiers SET engine = 99 {AT}"),
    ),
    "bound: 2, 8/9 it is, not 1": lambda c: c.execute(f"UPDATE frontiers SET bound_steps = 1 {AT}"),
    "frontier: is empty": lambda c: (
        c.execute(f"DELETE FROM frontier_members {AT}"),
        c.execute(f"DELETE FROM pool_members {AT}"),
        c.execute(f"UPDATE frontiers SET frontier_size = 0, pool_size = 0 {AT}"),
    ),
    "members": lambda c: c.execute(f"DELETE FROM pool_members {AT} AND rank = 0"),
    "diameter is 7": lambda c: c.execute(f"UPDATE candidates SET diameter = 7 {AT}"),
    "family is 'Kautz'": lambda c: c.execute(f"UPDATE candidates SET family = 'Kautz' {AT}"),
    "bandwidth_optimal": lambda c: c.execute(
        f"UPDATE candidates SET bandwidth_optimal = 1 - bandwidth_optimal {AT}"
    ),
    "moore_optimal": lambda c: c.execute(
        f"UPDATE candidates SET moore_optimal = 1 - moore_optimal {AT}"
    ),
    "facts is": lambda c: c.execute(
        f"UPDATE candidates SET facts = json_set(facts, '$.x', 1) {AT}"
    ),
    "two-way": lambda c: c.execute(
        f"UPDATE candidates SET facts = json_set(facts, '$.two_way', json('false')) {AT}"
        " AND links = 'duplex'"
    ),
    "parameters: an effort of 1 to 3600 is known": lambda c: c.execute(
        f"""UPDATE frontiers SET parameters = '{{"depth":1}}' {AT}"""
    ),
    "created: no time": lambda c: c.execute(f"UPDATE frontiers SET created = 'now' {AT}"),
    "lower: 1.5 is above 1, by hops": lambda c: c.execute(
        "UPDATE throughputs SET lower_num = '3', lower_den = '2', upper_num = '2', upper_den = '1'"
    ),
    "lower: 0.01 is below 1/20": lambda c: c.execute(
        """UPDATE throughputs SET lower_num = '1', lower_den = '100', upper_num = '1',
        upper_den = '100'"""
    ),
    "upper: ": lambda c: c.execute(f"UPDATE throughputs SET upper_num = '{'9' * 3000}'"),
    "3/2 to 1 is no interval": lambda c: c.execute(
        "UPDATE throughputs SET lower_num = '3', lower_den = '2'"
    ),
    "topology: the hash is": lambda c: c.execute(f"UPDATE throughputs SET topology = '{'0' * 64}'"),
    "is no pattern": lambda c: c.execute(
        "UPDATE throughputs SET demand = 'ring:01' WHERE demand = 'ring:1'"
    ),
    "its subject is stored as": lambda c: c.execute(
        "UPDATE throughputs SET subject = 'K(6)' WHERE subject = 'K(5)'"
    ),
    "is no Cayley digraph, lift or graft": lambda c: c.execute(
        "UPDATE finds SET recipe = 'Pi(2,3)', base = 'Pi(2,3)'"
    ),
    "is not what": lambda c: c.execute("UPDATE finds SET base = 'Cay(Z3;1,2)'"),
    "find Cay(Z3;1,1): 'Cay(Z3;1,1)': T_B 1/3 is below 2/3": lambda c: c.execute(
        "UPDATE finds SET rs_bandwidth_num = 1"
    ),
    "links: the graph is not two-way": lambda c: c.execute("UPDATE finds SET links = 'duplex'"),
    "image: is no isomorphism": lambda c: c.execute("UPDATE reversals SET image = zeroblob(36)"),
}


def renamed(connection: sqlite3.Connection, recipe: str, method: str = "bfb") -> None:
    """Give the first candidate another recipe and method, and the id that goes with them."""
    query = f"SELECT id FROM candidates {AT} AND links = 'simplex' ORDER BY id"
    (old,) = connection.execute(query).fetchone()
    new = candidate_id(recipe, "simplex", method)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(
        "UPDATE candidates SET id = ?, recipe = ?, method = ? WHERE id = ?",
        [new, recipe, method, old],
    )
    for table in ("frontier_members", "pool_members"):
        connection.execute(f"UPDATE {table} SET candidate = ? WHERE candidate = ?", [new, old])


@pytest.mark.parametrize("reason", FORGERIES)
def test_forgeries_are_refused_with_the_reason(source: Path, tmp_path: Path, reason: str) -> None:
    into = tmp_path / "into.db"
    told = merged(forged(source, tmp_path, FORGERIES[reason]), into)
    assert told is not None
    assert any(reason in line for line in told.refused), told.refused
    assert not told.conflicts
    assert contents(into) < contents(source)
    assert told.added >= 12


FACTS = ("balanced", "simple", "loop_free", "two_way", "symmetric", "even_return", "cycle",
         "line_exact")  # fmt: skip


@pytest.mark.parametrize("name", FACTS)
def test_facts_of_another_kind_are_refused(source: Path, tmp_path: Path, name: str) -> None:
    """Facts steer what larger sizes are made of."""
    for value in ("-1", "1e9", "1.5", '"x"', "[]", "9" * 5000, "1", "null", "NaN", '{"a":1}'):
        if (name, value) in {("cycle", "null"), ("line_exact", "1")}:
            continue

        def change(connection: sqlite3.Connection, text: str = value) -> None:
            query = f"SELECT id, facts FROM candidates {AT} AND links = 'simplex'"
            for key, facts in connection.execute(query).fetchall():
                wrong = re.sub(rf'"{name}":[^,}}]*', f'"{name}":{text}', facts)
                assert wrong != facts
                connection.execute("UPDATE candidates SET facts = ? WHERE id = ?", [wrong, key])

        told = merged(forged(source, tmp_path, change), tmp_path / "into.db")
        assert told is not None
        assert len(told.refused) == 1, value
        assert len(told.refused[0]) < 400


CLAIMS: dict[str, Change] = {
    "another T_B": lambda c: c.execute(
        f"""UPDATE candidates SET bandwidth_num = 9, bandwidth_den = 10, bandwidth_optimal = 0,
        rs_bandwidth_num = 9, rs_bandwidth_den = 10, facts = json_set(facts,
        '$.balanced', json('false')) {AT} AND bandwidth_optimal"""
    ),
    "another diameter and T_L": lambda c: c.execute(
        f"""UPDATE candidates SET steps = steps + 1, rs_steps = rs_steps + 1, moore_optimal = 0,
        diameter = diameter + 1 {AT}"""
    ),
    "swapped costs": lambda c: swapped(c),
    **{
        f"{name} made true": lambda c, name=name: c.execute(  # type: ignore[misc]
            f"""UPDATE candidates SET facts = json_set(facts, '$.{name}', json('true'))
            WHERE n = 12"""
        )
        for name in ("simple", "two_way", "even_return")
    },
    "line_exact": lambda c: c.execute(
        """UPDATE candidates SET facts = json_set(facts, '$.line_exact', 2) WHERE n = 12"""
    ),
    "cycle": lambda c: c.execute(
        """UPDATE candidates SET facts = json_set(facts, '$.cycle', 2) WHERE n = 12"""
    ),
    "throughput": lambda c: c.execute(
        """UPDATE throughputs SET lower_num = '9', lower_den = '10', upper_num = '9',
        upper_den = '10' WHERE recipe = 'K(5)'"""
    ),
    "T_B of a find": lambda c: c.execute("UPDATE finds SET bandwidth_num = 1, bandwidth_den = 1"),
    "T_B of a find back": lambda c: c.execute(
        "UPDATE finds SET rs_bandwidth_num = 1, rs_bandwidth_den = 1"
    ),
    "T_L of a find": lambda c: c.execute("UPDATE finds SET steps = 1"),
}
"""What no bound forbids: only working it out anew tells."""


def swapped(connection: sqlite3.Connection) -> None:
    """Two recipes of one size take each other's names."""
    first, second = connection.execute(
        "SELECT recipe FROM candidates WHERE n = 12 AND d = 2 AND links = 'simplex' ORDER BY id"
    ).fetchmany(2) or [None, None]
    connection.execute("PRAGMA foreign_keys = OFF")
    query = "SELECT id, recipe, method FROM candidates WHERE n = 12 AND d = 2"
    pairs = connection.execute(query).fetchall()
    names = {first[0]: second[0], second[0]: first[0]}
    for old, recipe, method in pairs:
        other = names.get(recipe, recipe)
        connection.execute(
            "UPDATE candidates SET id = ?, recipe = ? WHERE id = ?", ["#" + old, other, old]
        )
        for table in ("frontier_members", "pool_members"):
            connection.execute(
                f"UPDATE {table} SET candidate = ? WHERE candidate = ?",
                [candidate_id(other, "simplex", method), old],
            )
    for old, recipe, method in pairs:
        other = names.get(recipe, recipe)
        connection.execute(
            "UPDATE candidates SET id = ? WHERE id = ?",
            [candidate_id(other, "simplex", method), "#" + old],
        )


@pytest.mark.parametrize("claim", CLAIMS)
def test_proofs_refuse_what_no_bound_forbids(source: Path, tmp_path: Path, claim: str) -> None:
    into = tmp_path / "into.db"
    path = forged(source, tmp_path, CLAIMS[claim])
    assert contents(path) != contents(source)
    told = merged(path, into, prove=True)
    assert told is not None
    assert told.refused
    assert contents(into) < contents(source)


def test_proofs_accept_what_is_true(source: Path, tmp_path: Path) -> None:
    told = merged(source, tmp_path / "into.db", prove=True)
    assert told == MergeCounts(added=18, throughputs=2, finds=1, reversals=1)


HOSTILE_FILES: dict[str, str] = {
    "trigger": "CREATE TRIGGER t AFTER INSERT ON finds BEGIN DELETE FROM candidates; END",
    "view": """DROP TABLE finds; CREATE VIEW finds AS
        WITH RECURSIVE a(recipe) AS (SELECT 1 UNION ALL SELECT recipe FROM a) SELECT * FROM a""",
    "generated column": """ALTER TABLE throughputs ADD COLUMN
        more AS (hex(zeroblob(1000000000)))""",
    "missing table": "DROP TABLE reversals",
    "another table": "DROP TABLE finds; CREATE TABLE finds (recipe, links)",
    "newer schema": "PRAGMA user_version = 99",
    "another program": "PRAGMA application_id = 7",
    "lying index": """PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master
        WHERE name = 'finds_size') WHERE name = 'candidates_size'""",
}


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_hostile_files_are_refused_in_a_line(
    capsys: Capture, source: Path, tmp_path: Path, name: str
) -> None:
    path = forged(source, tmp_path, lambda c: c.executescript(HOSTILE_FILES[name]))
    ended = ran(capsys, "merge", path, "--into", tmp_path / "into.db")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"topofinder: database {str(path)!r}: ")
    assert ended.err.count("\n") == 1
    assert contents(tmp_path / "into.db") == set()


def test_sources_that_are_no_files_or_the_target(
    capsys: Capture, source: Path, tmp_path: Path
) -> None:
    into = shutil.copy(source, tmp_path / "into.db")
    before = contents(into)
    for name, link in (("hard.db", os.link), ("soft.db", os.symlink)):
        link(into, tmp_path / name)
        ended = ran(capsys, "merge", tmp_path / name, "--into", into)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
    torn = tmp_path / "torn.db"
    torn.write_bytes(source.read_bytes()[:30_000])
    (tmp_path / "notes.txt").write_text("Remember the milk. " * 100)
    for path in (torn, tmp_path / "notes.txt", tmp_path, Path(os.devnull), tmp_path / "none"):
        ended = ran(capsys, "merge", path, "--into", into)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert contents(into) == before


def test_a_source_that_is_being_written_gives_what_is_finished(
    source: Path, tmp_path: Path
) -> None:
    path = tmp_path / "busy.db"
    shutil.copy(source, path)
    with Store(path) as busy:
        busy.connection.execute("BEGIN IMMEDIATE")
        busy.connection.execute("DELETE FROM frontiers")
        told = merged(path, tmp_path / "into.db")
        busy.connection.execute("ROLLBACK")
    assert told == MergeCounts(added=18, throughputs=2, finds=1, reversals=1)


def test_refused_rows_are_listed(capsys: Capture, tmp_path: Path) -> None:
    path, into = tmp_path / "a.db", tmp_path / "into.db"
    fill_sizes([(n, 2) for n in range(3, 40)], "simplex", path, jobs=1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE candidates SET bandwidth_num = 0 WHERE n > 6")
        connection.commit()
    ended = ran(capsys, "merge", path, "--into", into)
    lines = ended.out.splitlines()
    assert (ended.code, ended.err, len(lines)) == (1, "", 22)
    assert lines[1].startswith("refused: n 7, d 1, simplex: 'UniRing(1,7)': ")
    assert lines[-1] == "refused: 46 more, listed by --json"
    ended = ran(capsys, "merge", path, "--into", into, "--json")
    assert (ended.code, len(json.loads(ended.out)["refused"])) == (1, 66)
    with closing(sqlite3.connect(into)) as connection:
        assert connection.execute("SELECT max(n) FROM candidates").fetchone() == (6,)
    assert len(ran(capsys, "merge", path, "--into", into, "-q").out.splitlines()) == 21


def test_a_group_of_more_elements_than_a_find_says_is_not_looked_into() -> None:
    text = "Cay(Z65530;1,2,65528,65529)"
    half = Fraction(1, 2)
    row = FindRow(recipe=text, base=text, links="duplex", n=3, d=4, steps=2, bandwidth=half,
                  rs_bandwidth=half, seed=0, trials=1, created="2025-01-31T12:00:00Z")  # fmt: skip
    with pytest.raises(InvalidInput, match="base: has 65530 nodes, more than 3"):
        check_find(row)
