"""Systems of TACOS: every time is at or above its bound, and the readings of 3D-RFS."""

from dataclasses import replace
from fractions import Fraction

import pytest

from expansions.collective import Collective
from topofinder.api.reproduce.tacos_baselines import GIGABYTE
from topofinder.api.reproduce.tacos_systems import (
    narrow_system,
    schedule_tacos,
    tacos_system,
    time_rows,
    time_system,
)
from topofinder.api.schedule_timetable import TimetableRequest, schedule_timetable
from topofinder.api.shared.forest_times import Transfer
from topofinder.timetables.spreading import random_counts


@pytest.mark.parametrize(
    ("item", "subject"),
    [("figure17a", "Mesh(3,3)"), ("figure2a", "K(5)"), ("figure15", "Dragonfly(2,3)")],
)
def test_no_time_is_below_its_bound(item: str, subject: str) -> None:
    found = time_system(tacos_system(item, subject), ("ring", "halving"), chunks=4)
    assert found.bound <= found.ours <= found.tacos
    assert found.bound <= found.two_phases <= found.tacos
    assert set(found.baselines) == {"ring"}  # 9, 5 and 6 hosts are no power of two
    assert found.bound <= found.baselines["ring"]
    shown = {row.quantity: row.ours for row in time_rows(found)}
    assert shown["ours"] == (1000 * found.ours,) * 2


def test_an_allreduce_on_a_mesh_is_quicker_than_any_two_phases() -> None:
    found = time_system(tacos_system("figure18", "Mesh(4,4)"), chunks=4)
    assert found.ours < found.two_phases
    assert found.remark == ""


def test_two_phases_cannot_reach_the_ideal_of_hierarchical_systems() -> None:
    found = time_system(tacos_system("figure15", "Dragonfly(4,5)"), chunks=1)
    assert found.remark == "two phases reach at most 67.9% of the ideal"
    assert time_rows(found)[4].note == found.remark


def test_more_chunks_help_the_published_algorithm_on_unequal_links() -> None:
    system = tacos_system("table5", "RFS(2,4,2)")
    few, many = (schedule_tacos(system, chunks=chunks) for chunks in (1, 16))
    assert many.seconds < few.seconds


def test_the_published_algorithm_has_the_chunks_that_schedule_gives_it() -> None:
    """One rule: what `schedule --matching random` makes is what is shown beside the paper."""
    system = tacos_system("figure15", "Dragonfly(2,3)")
    request = TimetableRequest(
        subject="Dragonfly(2,3)",
        transfer=Transfer(size=GIGABYTE),
        collective=Collective.ALLREDUCE,
        matching="random",
    )
    found = schedule_timetable(request)
    made = schedule_tacos(system)
    assert found.timetable.seconds == made.seconds
    assert found.timetable.method == made.method
    counts = random_counts(replace(system.task, matching="random"))
    assert counts == [1, 2, 4, 8, 16, 32, 64]
    assert len(found.trials) == len(counts)
    assert made.seconds == min(schedule_tacos(system, chunks=count).seconds for count in counts)


def test_the_other_reading_of_rfs_has_350_gb_a_second_a_host() -> None:
    system = narrow_system(tacos_system("table5", "RFS(2,4,4)"))
    assert not system.topology.switches
    rates = [Fraction(0)] * system.hosts
    capacity = system.topology.capacity or ()
    for host, value in zip(system.topology.tail.tolist(), capacity, strict=True):
        rates[host] += value
    assert set(rates) == {350}
