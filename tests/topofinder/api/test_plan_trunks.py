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
from topofinder.api.search import search


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


def test_jobs_have_wirings_of_trunks(site) -> None:
    """As with a port for each trunk, under names with all links."""
    inventory("K(3,3)", "alone.json", "one.csv")
    job = {"n": 6, "alpha": "1us", "bandwidth": "1Gbps", "sizes": [["1KiB", 1]], "rounds": 10**6}
    jobs = [job | {"name": "a"}, job | {"name": "b", "sizes": [["1MiB", 1]]}]
    (site / "jobs.json").write_text(json.dumps({"jobs": jobs}))
    trunks = plan_jobs("jobs.json", "fabric.json", "now.csv", d=3, time=1.0)
    alone = plan_jobs("jobs.json", "alone.json", "one.csv", d=3, time=1.0)
    assert [one.total for one in trunks.courses] == [one.total for one in alone.courses]
    named = [leg.topology for one in trunks.courses for leg in one.legs]
    single = [leg.topology for one in alone.courses for leg in one.legs]
    assert any(name.endswith("||3") for name in named)
    assert [name.removesuffix("||3") for name in named] == single


def test_what_is_left_of_trunks_is_judged_as_with_a_port_for_each(site) -> None:
    """All choices, those of the frontiers that are stored among them, with their throughputs."""
    for n, d in ((5, 3), (6, 2)):
        search(n, d, links="duplex", db="known.db", effort=0)
    inventory("K(3,3)", "alone.json", "one.csv")
    options = {"degraded": True, "db": "known.db", "time": 1.0}
    for ports, port, hosts in ((["h2:3"], ["h2:1"], []), ([], [], ["h5"])):
        trunks = make_plan(to="C(6,{2,3})||3", fail_ports=ports, fail_hosts=hosts, **options)
        left = options | {"fail_ports": port, "fail_hosts": hosts}
        alone = plan("alone.json", "one.csv", "C(6,{2,3})", **left)
        found, single = (one.to_dict()["choices"] for one in (trunks, alone))
        names = [row.pop("graph") for row in found]
        assert any(name.endswith("||3") for name in names[1:])
        assert [row.pop("graph") for row in single] == [name.replace("||3", "") for name in names]
        assert found == single


def test_trunks_have_rates_by_their_fibres(site) -> None:
    for text in ("3@1Gbps,6@2Gbps", "P0=2Gbps,h0:t0=1Gbps,h1:0=1Gbps,h1:1=1Gbps,h1:2=1Gbps"):
        if text.startswith("P0"):
            text += "".join(f",h{h}:t0=1Gbps" for h in range(2, 6))
        found = make_plan(to="C(6,{2,3})||3", link_rates=text)
        rates = found.plan.fabric.forbidden.rates
        assert set(rates) == {3 * 10**9 // 8, 6 * 10**9 // 8}
        assert found.record.missing == 0
        assert all(rates[c.a] == rates[c.b] for s in found.plan.stages for c in s.connects)
    best = plan("fabric.json", "now.csv", max_moves=9, link_rates="3@1Gbps,6@2Gbps", time=1.0)
    assert any(row.name.endswith("||3") for row in best.record.targets)
    with pytest.raises(InvalidInput, match="h0:t0: rate: the ports of a trunk need one rate"):
        make_plan(link_rates="1@1Gbps,8@2Gbps")


def test_trunks_of_switches_keep_the_order_of_their_fibres(tmp_path, monkeypatch) -> None:
    """With circulators too: a trunk that was crossed is taken out as it was, and put back so."""
    monkeypatch.chdir(tmp_path)
    for sided in (False, True):
        inventory(
            "K(3,3)||3", "f.json", "n.csv", trunk=3, kind="ocs", circulators=sided, force=True
        )
        lines = (tmp_path / "n.csv").read_text().splitlines()
        ends = [line.split(",") for line in lines]
        for k in range(1, len(ends), 3):
            ends[k][2], ends[k + 1][2] = ends[k + 1][2], ends[k][2]
        (tmp_path / "n.csv").write_text("\n".join(map(",".join, ends)) + "\n")
        found = plan("f.json", "n.csv", "C(6,{2,3})||3", "p.csv", form="sonic-ocs", time=1.0)
        assert found.moves == 2
        there, back = (tmp_path / name for name in ("p.P0.ocs.txt", "p.P0.rollback.ocs.txt"))
        out = _connects(there.read_text(), "delete")
        assert out == _connects(back.read_text(), "add")
        assert len(out) == (6 if sided else 12)
        assert replay("p.json", "f.json", "n.csv", output="then.csv").valid
        assert (tmp_path / "then.csv").read_text() == (tmp_path / "p.wiring.csv").read_text()
        kept = set(lines_of(tmp_path / "n.csv")) & set(lines_of(tmp_path / "p.wiring.csv"))
        assert len(kept) == 7 * 3


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()[1:]


def _connects(script: str, verb: str) -> set[str]:
    """The cross-connects that a script deletes or adds."""
    words = [line.split() for line in script.splitlines() if f" {verb} " in line]
    return {name for line in words for name in line[5].split(",")}


def test_what_trunks_cannot_take_is_told(site) -> None:
    reason = r"1 link from 0 to 2, where trunks have 3: try C\(6,"
    with pytest.raises(InvalidInput, match=reason):
        make_plan(to="C(6,{2,3})")
    with pytest.raises(InvalidInput, match="--trunk: hosts with 9 ports are not in trunks of 4"):
        inventory("K(3,3)||3", trunk=4)
