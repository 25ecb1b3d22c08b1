"""Plans of trunks from files to moves: replay, journal, work order and check agree on them."""

import json
from pathlib import Path

import pytest

from generators.errors import InvalidInput
from topofinder.api.check import check
from topofinder.api.inventory import inventory
from topofinder.api.plan import plan
from topofinder.api.plan_jobs import plan_jobs
from topofinder.api.replay import replay
from topofinder.api.replay_journal import replay_journal


@pytest.fixture
def site(tmp_path, monkeypatch) -> Path:
    """Six hosts, each with three trunks of three fibres on one panel."""
    monkeypatch.chdir(tmp_path)
    inventory("K(3,3)||3", "fabric.json", "now.csv", trunk=3)
    return tmp_path


def make_plan(**options):
    options = {"time": 1.0, "to": "K(3) x K(2)", **options}
    return plan("fabric.json", "now.csv", options.pop("to"), **options)


def test_a_plan_moves_trunks_and_all_commands_agree(site) -> None:
    found = plan(
        "fabric.json", "now.csv", "C(6,{2,3})||3", "plan.csv", work_order="w.html", time=1.0
    )
    assert (found.moves, found.plan.fabric.links, found.record.trunk) == (2, 3, 3)
    assert json.loads((site / "plan.json").read_text())["trunk"] == 3
    assert "h0:t" in (site / "w.html").read_text()
    assert "each circuit is a trunk of 3 links, moved at once" in str(found)
    assert found.to_dict()["trunk"] == 3
    assert replay("plan.json", "fabric.json", "now.csv", output="then.csv").valid
    assert (site / "then.csv").read_text() == (site / "plan.wiring.csv").read_text()
    assert len((site / "then.csv").read_text().splitlines()) == 1 + 3 * 9
    assert replay("plan.json", "fabric.json", "then.csv", rollback=True).valid
    assert not replay("plan.json", "fabric.json", "then.csv").valid
    other = (site / "plan.json").read_text().replace('"C(6,{2,3})||3"', '"C(6,{2,3})||2"')
    (site / "other.json").write_text(other)
    said = replay("other.json", "fabric.json", "now.csv").record.violation
    assert "3 times the file's graph is not that of" in said


def test_a_journal_counts_trunks(site) -> None:
    found = plan("fabric.json", "now.csv", "C(6,{2,3})||3", "plan.csv", time=1.0)
    lines = [f"{move},done" for move in range(1, found.moves + found.plan.frees + 1)]
    for done in range(len(lines) + 1):
        (site / "journal.csv").write_text("\n".join(["move,outcome", *lines[:done], ""]))
        options = {"output": "there.csv", "onward": "on.json", "back": "back.json"}
        state = replay_journal("plan.json", "fabric.json", "now.csv", "journal.csv", **options)
        assert state.valid
        assert replay("on.json", "fabric.json", "there.csv", output="end.csv").valid
        assert (site / "end.csv").read_text() == (site / "plan.wiring.csv").read_text()
        assert replay("back.json", "fabric.json", "there.csv").valid


def _hosts(row: list[str]) -> set[str]:
    return {row[column].partition(":")[0] for column in (1, 2)}


def test_whole_trunks_are_mended_at_once_and_crossed_fibres_one_by_one(site) -> None:
    now = (site / "now.csv").read_text()
    rows = [line.split(",") for line in now.splitlines()]
    first = rows[1:4]
    apart = (k for k in range(4, len(rows), 3) if _hosts(rows[k]).isdisjoint(_hosts(first[0])))
    other = next(apart)
    for one, two in zip(first, rows[other : other + 3], strict=True):
        one[2], two[2] = two[2], one[2]
    swapped = "\n".join(map(",".join, rows)) + "\n"
    for one, two in zip(first[1:], rows[other + 1 : other + 3], strict=True):
        one[2], two[2] = two[2], one[2]
    crossed = "\n".join(map(",".join, rows)) + "\n"
    (site / "seen.csv").write_text(swapped)
    seen = check("fabric.json", "now.csv", "seen.csv", "mend.csv", costs=False)
    assert (len(seen.record.differences), seen.plan.moves) == (12, 2)
    assert replay("mend.json", "fabric.json", "seen.csv").valid
    (site / "seen.csv").write_text(crossed)
    seen = check("fabric.json", "now.csv", "seen.csv", "mend.csv", costs=False)
    assert (len(seen.record.differences), seen.plan.moves) == (4, 2)
    assert replay("mend.json", "fabric.json", "seen.csv", output="end.csv").valid
    assert (site / "end.csv").read_text() == now
    (site / "seen.csv").write_text(
        now.replace("h0:1,", "h0:9,").replace("h0:0,", "h0:1,").replace("h0:9,", "h0:0,")
    )
    seen = check("fabric.json", "now.csv", "seen.csv", costs=False)
    assert (len(seen.record.differences), seen.plan.moves) == (4, 0)
    (site / "seen.csv").write_text(crossed)
    with pytest.raises(InvalidInput, match=r"in one trunk.*topofinder check mends it"):
        plan("fabric.json", "seen.csv", "C(6,{2,3})||3", time=1.0)


def test_a_dead_fibre_and_a_forbidden_one_stand_for_their_trunks(site) -> None:
    found = make_plan(to="BiRing(2,6)||3", fail_ports=["h2:4"])
    made = [port for stage in found.plan.stages for one in stage.connects for port in one[:2]]
    assert found.record.missing == 0
    assert found.plan.fabric.number["h2:4"] not in made
    found = make_plan(to="C(6,{2,3})||3", forbid=["h0:0=h2:5"])
    made = [circuit[:2] for stage in found.plan.stages for circuit in stage.connects]
    names = found.plan.fabric.names
    assert {"h0:t0", "h2:t1"} not in [{names[a], names[b]} for a, b in made]


def test_targets_found_for_trunks_are_named_with_all_links(site) -> None:
    found = plan("fabric.json", "now.csv", max_moves=6, time=1.0)
    assert all(row.name.endswith("||3") for row in found.record.targets if "(" in row.name)


def test_what_knows_no_trunks_says_so(site) -> None:
    (site / "loss.csv").write_text("port_a,port_b,loss\n")
    for options, reason in (
        ({"to": "C(6,{2,3})"}, r"1 link from 0 to 2, where trunks have 3: try C\(6,"),
        ({"losses": "loss.csv"}, "--losses: for ports alone, and the inventory has trunks"),
        ({"link_rates": "3@1Gbps"}, "--link-rates: for ports alone, and the inventory has trunks"),
    ):
        with pytest.raises(InvalidInput, match=reason):
            make_plan(**options)
    jobs = {"name": "a", "n": 6, "alpha": "1us", "bandwidth": "1Gbps", "sizes": [["1KiB", 1]]}
    (site / "jobs.json").write_text(json.dumps({"jobs": [jobs | {"rounds": 1}]}))
    with pytest.raises(InvalidInput, match="jobs are planned for ports alone"):
        plan_jobs("jobs.json", "fabric.json", "now.csv", d=2)
    with pytest.raises(InvalidInput, match="--trunk: hosts with 9 ports are not in trunks of 4"):
        inventory("K(3,3)||3", trunk=4)
