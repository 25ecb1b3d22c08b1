"""Figures printed in TACOS: every one with its definition, and those that follow from others."""

import re
from fractions import Fraction

from expansions.parser import parse
from generators.fabrics.names import fabric_of, is_fabric
from tests.fabrics import topology
from topofinder.api.reproduce.tacos_figures import TacosFigure, read_tacos_figures
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.baseline_messages import direct_messages, ring_messages
from topofinder.timetables.message_routes import route_messages, time_messages


def figures(item: str) -> dict[tuple[str, str], TacosFigure]:
    return {(one.subject, one.method): one for one in read_tacos_figures() if one.item == item}


def test_subjects_can_be_built_and_definitions_are_there() -> None:
    for one in read_tacos_figures():
        assert one.definition
        assert one.where
        assert one.value > 0
        for name in re.findall(r"[A-Z]\w*\([\d,]+\)|DGX1", one.subject):
            assert is_fabric(name) or parse(name)
        if one.latency is not None:
            assert one.rates


def test_rates_are_those_of_the_fabrics() -> None:
    for one in read_tacos_figures():
        for name, rates in one.rates.items():
            for known in name.split(", "):
                if is_fabric(known):
                    fabric = fabric_of(known)[1]
                    assert set(rates) == {float(capacity) for capacity in fabric.capacity or ()}
                    assert one.latency is not None
                    assert fabric.unit_latency == Fraction(str(one.latency)) / 10**6


def test_averages_follow_from_the_rows_of_table_5() -> None:
    table = figures("table5")
    ideal = [one.value for (_, method), one in table.items() if method == "ideal"]
    ring = [one.value for (_, method), one in table.items() if method == "ring"]
    (share,), (speedup,) = figures("table5_average").values(), figures("table5_speedup").values()
    assert abs(sum(ideal) / 4 - share.value) < 0.012
    assert abs(sum(ring) / 4 - speedup.value) < 0.1
    (most,) = figures("abstract").values()
    assert table["RFS(2,4,8)", "taccl"].value == most.value


def test_ring_over_direct_is_as_printed() -> None:
    one = figures("figure2a")["BiRing(2,64)", "ring over direct"]
    graph = topology(one.subject)
    (rate,) = one.rates[one.subject]
    assert one.latency is not None
    assert one.size is not None
    units = LinkUnits(latency=Fraction(str(one.latency)) / 10**6, rate=Fraction(int(rate)) * 10**9)
    ring, direct = (
        time_messages(route_messages(messages, graph), Fraction(one.size), units).seconds
        for messages in (ring_messages(64), direct_messages(64))
    )
    assert round(float(direct / ring), 2) == one.value
