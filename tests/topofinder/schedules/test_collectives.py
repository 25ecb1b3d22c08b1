"""Reduce-scatters through an isomorphism to the transpose: found, checked, stored, used again."""

from pathlib import Path

import numpy as np
import pytest

from db.store import Store
from expansions.build import build
from expansions.collective import Collective
from expansions.isomorphism import is_isomorphism
from expansions.parser import parse
from expansions.schedule_files.digest import topology_digest
from expansions.schedule_files.files import read_schedule
from tests.command import ran
from topofinder.api.schedule_methods import ScheduleRequest, make_schedule
from topofinder.schedules.collectives import transpose_isomorphism
from topofinder.verification.schedules import verify_schedule

LINE = "reversed through an isomorphism from the graph to its transpose"
TURNED = ["L(K(4,4))", "Pi(4,64)", "Kautz(2,3)", "UniRing(1,4)^2", "Q(4)", "DBJ(2,3)", "K(3)*2"]


@pytest.mark.parametrize("recipe", TURNED)
@pytest.mark.parametrize("collective", ["reduce-scatter", "allreduce", "reduce"])
def test_both_halves_have_the_same_loads(recipe: str, collective: str) -> None:
    kind = Collective(collective)
    root = 1 if kind.is_rooted else None
    found = make_schedule(ScheduleRequest(subject=recipe, collective=kind, root=root))
    topology, schedule = found.saved.topology, found.saved.schedule
    assert found.image is not None
    assert is_isomorphism(topology, topology.transpose(), found.image)
    assert verify_schedule(topology, schedule).valid
    if kind is Collective.REDUCE_SCATTER:
        forth = make_schedule(ScheduleRequest(subject=recipe)).saved.schedule.loads(topology)
        assert schedule.loads(topology) == tuple(reversed(forth))


def test_a_graph_that_is_not_reverse_symmetric_goes_through_its_transpose() -> None:
    found = make_schedule(
        ScheduleRequest(subject="Pi(4,100)", collective=Collective.REDUCE_SCATTER)
    )
    assert found.image is None
    assert found.candidate is not None
    assert found.saved.cost == found.candidate.reduce_scatter
    assert verify_schedule(found.saved.topology, found.saved.schedule).valid


def test_what_is_known_is_checked_and_not_believed() -> None:
    ring = build(parse("UniRing(1,5)"))
    right = [0, 4, 3, 2, 1]
    assert transpose_isomorphism(ring, lambda _: [3, 2, 1, 0, 4]).tolist() == [3, 2, 1, 0, 4]
    for wrong in ([0, 1, 2, 3, 4], [0, 0, 0, 0, 0], [9, 9, 9, 9, 9], [0], None):
        assert transpose_isomorphism(ring, lambda _, kept=wrong: kept).tolist() == right


def test_the_command_stores_it_and_says_so(tmp_path: Path, capsys) -> None:
    db, file = tmp_path / "a.db", tmp_path / "a.npz"
    words = ("schedule", "L(K(4,4))", "-o", file, "--db", db)
    assert LINE not in ran(capsys, *words).out
    digest = topology_digest(build(parse("L(K(4,4))")))
    with Store(db) as store:
        assert store.reversal(digest) is None
    made = ran(capsys, *words, "--collective", "allreduce")
    assert made.out.splitlines()[1] == LINE
    topology = read_schedule(file).topology
    with Store(db) as store:
        kept = store.reversal(digest)
        assert is_isomorphism(topology, topology.transpose(), np.array(kept, dtype=np.int32))
    again = ran(capsys, *words, "--collective", "allreduce")
    assert again.out == made.out


def test_a_refused_request_makes_no_database(tmp_path: Path, capsys) -> None:
    words = ("--collective", "allreduce", "-o", tmp_path / "a.npz", "--db", tmp_path / "a.db")
    assert ran(capsys, "schedule", "K(4", *words).code == 2
    assert not (tmp_path / "a.db").exists()


def test_whole_chunks_come_with_the_bound_of_theorem_20(tmp_path: Path, capsys) -> None:
    words = ("schedule", "K(4,4)", "--chunks", 3, "-o", tmp_path / "a.npz", "--db", tmp_path / "d")
    assert "\nwhole chunks lose at most 5/6 M/B (theorem 20)\n" in ran(capsys, *words).out
    words = (*words, "--collective")
    assert '"rounding_bound": "5/3"' in ran(capsys, *words, "allreduce", "--json").out
    rooted = ran(capsys, *words, "broadcast", "--root", 1, "--json").out
    assert '"rounding_bound": null' in rooted
