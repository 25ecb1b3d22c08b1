"""The commands inventory, plan, replay and plan-jobs, from files to files."""

import csv
import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from db.store import Store
from generators.errors import InvalidInput
from tests.command import Ended, ran


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """A folder with an inventory of 16 hosts that are wired as a torus."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPOFINDER_DB", raising=False)
    assert ran(capsys, "inventory", "Torus(4,4)", "-o", "i.json", "--current", "c.csv").code == 0
    return tmp_path


FILES = ("--inventory", "i.json", "--current", "c.csv")
TO = ("--to", "C(16,{3,4})", "--time", "1s")


def planned(capsys: pytest.CaptureFixture[str], *more: object) -> Ended:
    to = TO[2:] if "--to" in more else TO
    return ran(capsys, "plan", *FILES, *to, *more)


def test_a_plan_is_written_stored_and_replayed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = planned(capsys, "--keep-connected", "-o", "p.csv", "--json")
    told = json.loads(ended.out)
    assert (ended.code, told["moves"], told["disconnects"], told["kept"]) == (0, 4, 4, 28)
    assert told["lower_bound"] <= 4
    assert told["seconds_estimated"] == 480
    rows = list(csv.DictReader((folder / "p.csv").read_text().splitlines()))
    assert [int(row["move"]) for row in rows] == list(range(1, 9))
    assert [row["action"] for row in rows].count("connect") == 4
    assert all(int(a["stage"]) <= int(b["stage"]) for a, b in pairwise(rows))
    with Store(folder / "topofinder.db") as store:
        (stored,) = store.plans(recipe="C(16,{3,4})")
    assert stored.content == told["content"]
    listed = [(move.port_a, move.port_b) for move in stored.listed]
    assert listed == [(row["port_a"], row["port_b"]) for row in rows]
    assert ran(capsys, "replay", "p.json", *FILES).out == (
        f"valid: after {told['stages']} stages 32 circuits are up, among them C(16,{{3,4}}); "
        "the rollback undoes them\n"
        "  the same moves are in p.csv, p.rollback.csv, p.wiring.csv\n"
        "  only claimed: that no plan has fewer moves (lower_bound); "
        "bound, keep_connected, found, seed, by\n"
    )


def test_there_and_back_is_the_same_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planned(capsys, "-o", "p.json")
    end = ("--inventory", "i.json", "--current", "p.wiring.csv")
    assert ran(capsys, "replay", "p.json", *end, "--rollback", "-o", "b.csv").code == 0
    assert (folder / "b.csv").read_bytes() == (folder / "c.csv").read_bytes()
    assert ran(capsys, "replay", "p.json", *FILES, "--after", "1", "-o", "one.csv").code == 0
    wiring = json.loads((folder / "p.json").read_text())["stages"][0]["wiring"]
    rows = list(csv.DictReader((folder / "one.csv").read_text().splitlines()))
    assert [[row["port_a"], row["port_b"], row["mode"]] for row in rows] == wiring


def test_files_of_two_plans_are_never_side_by_side(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(capsys, "-o", "p.csv")

    def full(path: Path, text: str) -> None:
        raise InvalidInput(f"{path}: cannot be written")

    monkeypatch.setattr("topofinder.model.plan_files.write_whole", full)
    assert planned(capsys, "--to", "Q(4)", "-o", "p.csv").code == 2
    assert not list(folder.glob("p.*"))


def test_what_is_read_is_not_written_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planned(capsys, "-o", "p.csv")
    kept = ("p.json", "FILE"), ("p.csv", "FILE"), ("i.json", "--inventory"), ("c.csv", "--current")
    for name, what in kept:
        ended = ran(capsys, "replay", "p.json", *FILES, "-o", name)
        assert (ended.code, f"{name} is the file of {what}" in ended.err) == (2, True)
    ended = ran(capsys, "inventory", "K(3)", "-o", "x", "--current", "x")
    assert (ended.code, (folder / "x").exists()) == (2, False)


def test_an_inventory_is_only_written_over_by_force(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dear = {name: (folder / name).read_bytes() for name in ("i.json", "c.csv")}
    words = ("inventory", "K(3)", "-o")
    for names, option in (
        (("i.json", "new.csv"), "--output"),
        (("new.json", "c.csv"), "--current"),
    ):
        ended = ran(capsys, *words, names[0], "--current", names[1])
        there = next(name for name in names if name in dear)
        line = f"{option}: {there} is there already; --force writes over it\n"
        assert (ended.code, ended.err.endswith(line)) == (2, True)
    assert {name: (folder / name).read_bytes() for name in dear} == dear
    assert not list(folder.glob("new.*"))
    assert ran(capsys, *words, "i.json", "--current", "c.csv", "--force").code == 0
    assert (folder / "i.json").read_bytes() != dear["i.json"]


def test_a_plan_takes_the_place_of_earlier_plans_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "other.json").write_bytes((folder / "i.json").read_bytes())
    ended = planned(capsys, "-o", "other.csv")
    line = "--output: other.json is there already, and not of an earlier plan\n"
    assert (ended.code, ended.err.endswith(line)) == (2, True)
    assert planned(capsys, "-o", "p.csv").code == 0
    assert planned(capsys, "-o", "p.csv").code == 0
    noted = (folder / "p.csv").read_text().replace("host_b", "host_b,done by", 1)
    (folder / "p.csv").write_text(noted)
    assert planned(capsys, "-o", "p.csv").code == 2
    assert (folder / "p.csv").read_text() == noted


def test_planning_twice_gives_the_same_bytes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        planned(capsys, "-o", f"{name}.csv", "--seed", 5)
    for suffix in (".csv", ".json", ".rollback.csv", ".wiring.csv"):
        assert (folder / f"a{suffix}").read_bytes() == (folder / f"b{suffix}").read_bytes()


def test_a_changed_plan_is_not_valid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planned(capsys, "-o", "p.json")
    sound = json.loads((folder / "p.json").read_text())
    stages = sound["stages"]
    loose = [["h0:0", "h0:1", "duplex"]]
    changes = {
        "h0:0 does not send to h0:1": {"stages": [stages[0] | {"disconnect": loose}]},
        "stage 1: parts: the plan says 7; it is 1": {
            "stages": [stages[0] | {"parts": 7}, *stages[1:]]
        },
        "at the end": {"stages": stages[:-2]},
        "stage 1: digest: the plan says '0'; it is '": {
            "stages": [stages[0] | {"digest": "0"}, *stages[1:]]
        },
        "rollback: stage 1: digest: the plan says '0'; it is '": {
            "rollback": [sound["rollback"][0] | {"digest": "0"}, *sound["rollback"][1:]]
        },
        "moves: the plan says 3; it is 4": {"moves": 3},
        "after: the plan says '000": {"after": "0" * 64},
        "names no graph: expected an integer": {"recipe": "Torus("},
        "before: the plan says '000": {"before": "0" * 64},
        "the file's graph is not that of Q(4)": {"recipe": "Q(4)"},
        "rollback: 3 stages, where the plan has 4": {"rollback": sound["rollback"][1:]},
    }
    for line, change in changes.items():
        (folder / "bad.json").write_text(json.dumps(sound | change))
        ended = ran(capsys, "replay", "bad.json", *FILES)
        assert (ended.code, ended.out.startswith("not valid: ")) == (1, True)
        assert ended.out.count("\n") == 1
        assert line in ended.out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--to", "K(17)"], "i.json, line 7: the target has 17 nodes, but only 16 hosts may play"),
        (["--to", "C(16,{3,4,5})"], "i.json, line 8: h0 has 4 usable ports, fewer than 6"),
        (["--to", "Kautz(2,2)", "--mode", "duplex"], "has arcs without an arc back"),
        (["--hosts", "rack*"], "--hosts: no host is called 'rack*'"),
        (["--pin", "h0"], "--pin: HOST=NODE is needed, not 'h0'"),
        (["--pin", "h0=0", "--pin", "h1=0"], "--pin: h0 plays node 0 already, not h1=0"),
        (["--pin", "h5=99"], "--pin: a node from 0 to 15, not h5=99\n"),
        (
            ["--keep-throughput", ".5", "--demand", "foo"],
            "--demand: 'foo' is none of ",
        ),
        (["--pin", "h0=0,h0=1"], "--pin: h0 cannot play two nodes"),
        (
            ["--pin", "h3=0", "--fail-port", "h3:1"],
            "--pin: i.json, line 11: h3 has 3 usable ports, fewer than the 4 of node 0",
        ),
        (["--fail-port", "h0:9"], "--fail-port: no port is called 'h0:9'"),
        (["--fail-link", "h0:0=h2:0"], "--fail-link: no circuit joins h0:0 and h2:0"),
        (["--fail-host", "h77"], "--fail-host: no host is called 'h77'"),
        (["--fail-host", "h3"], "only 15 hosts may play"),
        (["--forbid", "h0"], "--forbid: a pair such as h0=h1 is needed, not 'h0'"),
        (["--forbid", "h0=h99"], "--forbid: no host, port or panel is called 'h99'"),
        (["--forbid", "P0=h0:1"], "two hosts, two ports, or a host and a panel are needed, not P0"),
        (["--forbid", "h1=h1"], "--forbid: two different ones are needed, not h1 and h1"),
        (["--link-rates", "fast"], "--link-rates: 'fast' is not a quantity"),
        (["--link-rates", "A=1Gbps,2Gbps"], "by panel or port, not 'A=1Gbps,2Gbps'"),
        (["--link-rates", "A=1Gbps"], "--link-rates: no panel or port is called 'A'"),
        (["--link-rates", "h0:1=1Gbps"], "--link-rates: h0:0 has none"),
        (["--link-rates", "2@1Gbps"], "--link-rates: h0:2 has none; rates of 2 ports are told"),
        (["--link-rates", "4@1Gbps", "--bandwidth", "1Gbps"], "--bandwidth: --link-rates tells"),
        (
            ["--link-rates", "2@1Gbps,2@2Gbps", "--fewer", "x"],
            "--fewer: one of moves, links, ports",
        ),
        (["--time", "0s"], "--time: '0s' is not above zero"),
        (["-o", "p.txt"], "--output: p.txt ends in none of .csv, .json"),
        (["-o", "i.csv"], "--output: i.json is the file of --inventory"),
        (["-o", "c.json"], "--output: c.csv is the file of --current"),
        (["--seed", "-1"], "--seed: from 0"),
        (["--start", "c.csv"], "c.csv, line 1: a node and a host are needed"),
        (["--inventory", "none.json"], "none.json: cannot be read"),
    ],
)
def test_a_mistake_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], line: str
) -> None:
    ended = planned(capsys, *words)
    assert ended.code == 2
    assert ended.out == ""
    assert line in ended.err
    assert ended.err.count("\n") == 1


def test_a_placement_of_ones_own_is_kept_or_bettered(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{node},h{15 - node}" for node in range(16)]
    (folder / "s.csv").write_text("node,host\n" + "\n".join(rows) + "\n")
    told = json.loads(planned(capsys, "--to", "Torus(4,4)", "--start", "s.csv", "--json").out)
    assert told["moves"] == 0
    assert told["stages"] == 0


def test_pins_are_respected(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planned(capsys, "--pin", "h5=0", "--pin", "h6=1", "-o", "p.csv")
    assert json.loads((folder / "p.json").read_text())["hosts"][:2] == ["h5", "h6"]


def test_links_are_wired_at_their_rates(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = planned(capsys, "--link-rates", "2@100Gbps,2@200Gbps", "-o", "p.csv")
    assert "\n  circuits join ports of one rate: 16 of 100 Gbps, 16 of 200 Gbps\n" in ended.out
    plan = json.loads((folder / "p.json").read_text())
    names = [f"h{h}:{j}" for h in range(16) for j in range(4)]
    rate = dict(zip(names, plan["port_rates"], strict=True))
    slow, fast = str(100 * 10**9 // 8), str(200 * 10**9 // 8)
    assert [rate["h7:1"], rate["h7:2"]] == [slow, fast]
    up = {(rate[a], rate[b]) for a, b, _ in plan["wiring"]}
    assert up == {(slow, slow), (fast, fast)}
    # What is carried in the middle of stages counts circuits at their rates.
    kept = json.loads(planned(capsys, "--link-rates", "2@100Gbps,2@200Gbps", "--keep-throughput",
                              "0.5", "-o", "k.csv", "--json").out)["drain"]  # fmt: skip
    assert min(map(Fraction, kept["throughputs"])) >= Fraction(kept["whole"]) / 2
    assert ran(capsys, "replay", "k.json", *FILES).code == 0
    # At the quickest rates, which `search --link-rates` tells, by the generator of each arc.
    arcs = zip(*plan["arcs"], plan["arc_rates"], strict=True)
    assert len({((v - u) % 16 in (3, 13), told) for u, v, told in arcs}) == 2
    ended = ran(capsys, "replay", "p.json", *FILES)
    assert (ended.code, "that ports have them (port_rates)" in ended.out) == (0, True)
    # Of a file its own, which may be turned round; the replay compares them arc by arc.
    told = planned(capsys, "--link-rates", "2@100Gbps,2@200Gbps", "--json")
    assert json.loads(told.out)["rates"] == [
        {"rate": slow, "circuits": 16},
        {"rate": fast, "circuits": 16},
    ]
    plan["arc_rates"] = [slow if one == fast else fast for one in plan["arc_rates"]]
    (folder / "q.json").write_text(json.dumps(plan))
    ended = ran(capsys, "replay", "q.json", *FILES)
    assert ended.code == 1
    assert "the target has no such circuit" in ended.out
    plan["port_rates"] = plan["port_rates"][1:]
    (folder / "q.json").write_text(json.dumps(plan))
    assert "port_rates: 63 rates, where there are 64" in ran(capsys, "replay", "q.json", *FILES).err


def test_an_inventory_tells_rates_once_for_all(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = json.loads((folder / "i.json").read_text())
    for host in given["hosts"]:
        for place, port in enumerate(host["ports"]):
            port["rate"] = "100Gbps" if place < 2 else "200Gbps"
    (folder / "r.json").write_text(json.dumps(given))
    files = ("--inventory", "r.json", *FILES[2:])
    told = ran(capsys, "plan", *files, *TO, "-o", "p.csv").out
    asked = planned(capsys, "--link-rates", "2@100Gbps,2@200Gbps", "-o", "q.csv").out
    assert told.splitlines()[:-1] == asked.splitlines()[:-1]
    assert (folder / "p.csv").read_text() == (folder / "q.csv").read_text()
    ended = ran(capsys, "replay", "p.json", *files)
    assert (ended.code, "port_rates" in ended.out) == (0, False)
    # A plan that does not know them is refused, and so are rates that are told twice.
    planned(capsys, "-o", "u.csv")
    assert "port_rates: not those of the" in ran(capsys, "replay", "u.json", *files).err
    refused = ran(capsys, "plan", *files, *TO, "--link-rates", "4@1Gbps").err
    assert refused.startswith("topofinder: --link-rates: the inventory tells the rates of ports")
    jobs = [{"name": "a", "n": 16, "sizes": [["1GiB", 1]], "duration": "1min"} | JOB]
    (folder / "j.json").write_text(json.dumps({"jobs": jobs}))
    told = ran(capsys, "plan-jobs", "j.json", *files, "--d", "4", "--time", "1s", "--json")
    courses = json.loads(told.out)["courses"]
    assert (told.code, courses[0]["name"], len(courses[0]["jobs"])) == (0, "cheapest", 1)
    refused = ran(capsys, "plan-jobs", "j.json", *files, "--d", "5", "--time", "1s")
    line = "--link-rates: hosts have 4 ports of rates that all have, fewer than 5"
    assert refused == (2, "", f"topofinder: {line}\n")


def test_what_is_forbidden_is_in_the_plan_and_replayed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = planned(capsys, "--forbid", "h0=h15,h3:0=P0:19", "--forbid", "P0=h8", "-o", "p.csv")
    assert "\n  nothing is made of 3 forbidden pairs\n" in ended.out
    told = json.loads((folder / "p.json").read_text())
    assert told["forbidden"] == [["h0", "h15"], ["h8", "P0"], ["h3:0", "h4:2"]]
    assert ran(capsys, "replay", "p.json", *FILES).code == 0
    # In the inventory they hold for every plan, and a plan that does not know them is refused.
    inventory = json.loads((folder / "i.json").read_text())
    made = next(row for row in csv.DictReader((folder / "p.csv").read_text().splitlines())
                if row["action"] == "connect")  # fmt: skip
    pair = [made["host_a"], made["host_b"]]
    for rules, line in (
        ([pair], "must not be joined\n"),
        ([["h0", "h77"]], "forbidden: no host, port or panel is called 'h77'\n"),
    ):
        (folder / "i.json").write_text(json.dumps(inventory | {"forbidden": rules}))
        ended = ran(capsys, "replay", "p.json", *FILES)
        assert ended.code
        assert (ended.out + ended.err).endswith(line)
    (folder / "i.json").write_text(json.dumps(inventory | {"forbidden": [pair]}))
    assert json.loads(planned(capsys, "--json").out)["forbidden"] == 1


def test_what_is_missing_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("BiRing(2,5)", "--panels", 2, "-o", "i.json", "--current", "c.csv")
    told = ran(capsys, "inventory", *words, "--force").out
    assert told.endswith("c.csv; 1 more found no panel\n")
    (folder / "c.csv").write_text("port_a,port_b\n")
    told = planned(capsys, "--to", "BiRing(2,5)").out.splitlines()
    assert told[1].startswith("  4 moves; with all circuits it would be at least 5 (")
    line = "  no panel takes 1 circuit of the target; no plan leaves out fewer"
    assert told[3] == line + "; see --degraded for what that costs"
    assert told[6] == "  no two of the hosts work together yet, so that nothing is cut"
    ended = planned(capsys, "--to", "BiRing(2,5)", "--degraded", "-o", "p.csv")
    assert line + "\n" in ended.out
    # A path of five hosts, whose ends hear four shards over one link of two.
    rows = [line.split() for line in ended.out.splitlines() if "BiRing" in line and "x " in line]
    costs = [(row[2], row[3], row[4]) for row in rows]
    assert costs == [("10", "4", "1.600"), ("8", "8", "3.200")]
    assert "BiRing(2,5) but for 1" in ran(capsys, "replay", "p.json", *FILES).out


def test_a_fabric_in_two_pieces_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ports = [[{"panel": "AABB"[host], "position": host + 1}] for host in range(4)]
    hosts = [{"name": f"h{host}", "ports": own} for host, own in enumerate(ports)]
    pieces = {"panels": [{"name": "A"}, {"name": "B"}], "hosts": hosts}
    (folder / "i.json").write_text(json.dumps(pieces))
    (folder / "c.csv").write_text("port_a,port_b\n")
    told = planned(capsys, "--to", "UniRing(1,4)").out.splitlines()
    assert any(line.startswith("  no panel takes 2 circuits of the target; ") for line in told)
    assert "  at the end the hosts fall into 4 parts" in told
    ended = planned(capsys, "--to", "UniRing(1,4)", "--degraded")
    assert (ended.code, "UniRing(1,4) cannot be wired with fewer links" in ended.err) == (2, True)


def test_a_damaged_fabric_gets_what_it_can_take(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--fail-link", "h0:0=h1:0", "--degraded", "-o", "p.csv", "--json")
    told = json.loads(planned(capsys, *words).out)
    intact, first = told["choices"][:2]
    assert (intact["kind"], intact["links"], first["kind"], first["links"]) == (
        *("intact", 64, "links", 62),
    )
    assert told["target"] == "C(16,{3,4}) without 1 circuit"
    assert [choice["kind"] for choice in told["choices"]] == ["intact", "links", "moves"]
    assert ran(capsys, "replay", "p.json", *FILES).code == 0
    dead = json.loads((folder / "p.json").read_text())["dead"]
    assert dead == ["h0:0", "h1:0"]


def test_what_is_left_of_the_target_needs_no_moves(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(capsys, "inventory", "C(16,{3,4})", "-o", "i.json", "--current", "c.csv", "--force")
    told = json.loads(planned(capsys, "--fail-link", "h0:0=h3:0", "--degraded", "--json").out)
    assert (told["target"], told["moves"], told["stages"]) == ("the wiring in place", 0, 0)
    intact, left, other = told["choices"]
    assert (left["kind"], left["links"], other["kind"]) == ("moves", 62, "links")
    assert left["steps"] == intact["steps"] == 3
    # A host that hears over three links of four hears its 15 shards in 5/4 of M/B.
    assert (intact["bandwidth"], left["bandwidth"]) == ("15/16", "5/4")
    # Trees enter 15 nodes for each of 16 roots, over 31 circuits of B/4 each way.
    assert left["trees"] == {"bandwidth": "60/31", "bound": "60/31", "height": 3}
    least, most = left["alltoall_times"]
    assert least <= 8 / 7 <= most
    words = ("--fail-link", "h0:0=h3:0", "--fewer")
    told = json.loads(planned(capsys, *words, "links", "--json").out)
    assert (told["target"], told["moves"] > 0) == ("C(16,{3,4}) without 1 circuit", True)
    assert "--fewer: one of moves, links, not 'hosts'" in planned(capsys, *words, "hosts").err
    wrong = planned(capsys, "--to", "BiRing(2,4)", "--fewer", "cables")  # nothing is lacking
    line = "topofinder: --fewer: one of moves, links, ports, hosts, not 'cables'\n"
    assert (wrong.code, wrong.err) == (2, line)


def test_spare_hosts_take_no_part(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran(capsys, "inventory", "C(16,{3,4})", "-o", "i.json", "--current", "c.csv", "--force")
    words = ("--to", "C(14,{3,4})", "--pin", "h15=0")
    told = json.loads(planned(capsys, *words, "--spares", 2, "-o", "p.csv", "--json").out)
    # All hosts have four circuits: the last two that no node is pinned to are kept.
    assert told["spares"] == ["h13", "h14"]
    rows = (folder / "p.wiring.csv").read_text()
    assert "h15:" in rows
    assert "h13:" not in rows.replace("h13:0,h14", "")
    assert "  2 hosts in reserve: h14, h15" in planned(capsys, *words[:2], "--spares", 2).out
    refused = planned(capsys, *words, "--spares", 16)
    line = "topofinder: --spares: 0 to 15 hosts with 4 live ports each, not 16\n"
    assert (refused.code, refused.err) == (2, line)


def test_a_lost_host_takes_a_smaller_stored_topology(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = planned(capsys, "--fail-host", "h3", "--degraded")
    assert ended.code == 2
    assert "run topofinder search --n 15 --d 4" in ended.err
    assert ran(capsys, "search", "--n", 15, "--d", 4, "--links", "duplex").code == 0
    told = json.loads(planned(capsys, "--fail-host", "h3", "--degraded", "--json").out)
    assert told["n"] == 15
    assert {choice["kind"] for choice in told["choices"]} == {"intact", "hosts"}


def test_damaged_fabrics_with_rates_are_wired_by_what_is_left(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rates = ("--link-rates", "2@100Gbps,2@200Gbps", "--time", "500ms")
    dead = ("--fail-port", "h3:3", "--fail-port", "h9:0")
    refused = planned(capsys, *rates, *dead)
    assert (refused.code, "hosts have 2 ports of rates that all have" in refused.err) == (2, True)
    told = json.loads(planned(capsys, *rates, *dead, "--degraded", "-o", "p.csv", "--json").out)
    kinds = {choice["kind"]: choice for choice in told["choices"]}
    assert (told["missing"], kinds["intact"]["links"]) == (0, 64)
    assert {"intact", "links"} <= kinds.keys()
    intact, left = (Fraction(kinds[kind]["bandwidth"]) for kind in ("intact", "links"))
    assert Fraction(15, 16) <= intact < left
    assert ran(capsys, "replay", "p.json", *FILES).code == 0
    line = planned(capsys, *rates, *dead, "--fewer", "links").out.splitlines()[0]
    assert line.startswith("C(16,{3,4}) without 2 circuits on 16 hosts")
    # Where no panel has two ports of a circuit's rate left the circuit goes too, and is counted.
    lacks = [word for port in ("h3:1", "h4:0", "h7:2", "h8:3") for word in ("--fail-port", port)]
    asked = ("--inventory", "f.json", "--current", "n.csv", "--to", "Pi(4,16)", *rates, *lacks)
    ran(
        *(capsys, "inventory", "Pi(4,16)", "--panels", "4", "--kind", "ocs"),
        *("-o", "f.json", "--current", "n.csv"),
    )
    told = json.loads(ran(capsys, "plan", *asked, "--degraded", "-o", "q.csv", "--json").out)
    assert " circuits, " in told["target"]
    assert ran(capsys, "replay", "q.json", "--inventory", "f.json", "--current", "n.csv").code == 0
    lost = planned(capsys, *rates, "--fail-host", "h3", "--degraded")
    assert (lost.code, "topofinder search --n 15 --d 4" in lost.err) == (2, True)
    assert ran(capsys, "search", "--n", 15, "--d", 4, "--links", "duplex").code == 0
    told = json.loads(planned(capsys, *rates, "--fail-host", "h3", "--degraded", "--json").out)
    assert (told["n"], {one["kind"] for one in told["choices"]}) == (15, {"intact", "hosts"})


JOB = {"alpha": "10us", "bandwidth": "100Gbps"}


def test_rewiring_pays_on_a_switch_but_not_on_a_panel(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(capsys, "inventory", "BiRing(2,12)", "-o", "p.json", "--current", "p.csv")
    ran(
        *(capsys, "inventory", "BiRing(2,12)", "--kind", "ocs"),
        *("-o", "o.json", "--current", "o.csv"),
    )
    jobs = [
        {"name": "large", "n": 12, "sizes": [["1GiB", 1]], "duration": "1min"} | JOB,
        {"name": "small", "n": 12, "sizes": [["1KiB", 1]], "duration": "1min"} | JOB,
    ] * 2
    (folder / "j.json").write_text(json.dumps({"jobs": jobs}))
    rewired = {}
    for kind in "po":
        ended = ran(
            *(capsys, "plan-jobs", "j.json", "--d", 2, "--time", "1s", "--mode", "simplex"),
            *("--inventory", f"{kind}.json", "--current", f"{kind}.csv", "--json"),
        )
        courses = json.loads(ended.out)["courses"]
        assert courses[0]["total"] == min(course["total"] for course in courses)
        for course in courses:
            assert course["total"] == pytest.approx(course["moving"] + course["communicating"])
        rewired[kind] = courses[0]["rewired"]
    assert rewired["p"] == 0
    assert rewired["o"] > 0


def test_a_short_job_stays_on_the_wiring_in_place(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A path of 8 hosts is on no frontier; re-wiring it to a ring takes two minutes at least.
    ran(capsys, "inventory", "BiRing(2,8)", "-o", "r.json", "--current", "r.csv")
    lines = (folder / "r.csv").read_text().splitlines(keepends=True)
    (folder / "r.csv").write_text("".join(lines[:-1]))
    for duration, moved in (("1min", False), ("10h", True)):
        job = {"name": "a", "n": 8, "sizes": [["1GiB", 1]], "duration": duration} | JOB
        (folder / "j.json").write_text(json.dumps({"jobs": [job, job]}))
        files = ("--inventory", "r.json", "--current", "r.csv")
        ended = ran(capsys, "plan-jobs", "j.json", *files, "--d", 2, "--time", "1s", "--json")
        cheapest = json.loads(ended.out)["courses"][0]
        assert (cheapest["moving"] > 0) is moved
        names = {leg["topology"] for leg in cheapest["jobs"]}
        assert (names == {"the wiring in place"}) is not moved


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"n": 1}, "j.json, line 1: jobs.0.n: "),
        ({"n": True}, "j.json, line 1: jobs.0.n: input should be a valid integer, not True"),
        ({"n": "16"}, "jobs.0.n: input should be a valid integer, not '16'"),
        ({"name": None}, "jobs.0.name: input should be a valid string, not None"),
        ({"name": "a\x1b[2J"}, "jobs.0.name: "),
        ({"rounds": 3}, "job 'a': rounds, duration: one of them is needed, and not both"),
        ({"duration": None}, "job 'a': rounds, duration: one of them is needed"),
        ({"duration": "1"}, "job 'a': duration: '1' has no unit"),
        ({"bandwidth": "fast"}, "job 'a': bandwidth: 'fast' is not a quantity"),
        ({"sizes": [["1MiB", 0]]}, "jobs.0.sizes.0.1: "),
        ({"sizes": [["1", 1]]}, "job 'a': sizes: '1' has no unit"),
        ({"alpha": "10"}, "job 'a': alpha: '10' has no unit"),
        ({"collective": "scatter"}, "job 'a': collective: one of allgather, "),
        ({"collective": "reduce"}, "job 'a': collective: one of allgather, "),
        ({"sizes": []}, "jobs.0.sizes: "),
        ({"speed": 3}, "jobs.0.speed: extra"),
    ],
)
def test_a_mistake_in_jobs_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], change: dict[str, object], line: str
) -> None:
    job = {"name": "a", "n": 16, "sizes": [["1MiB", 1]], "duration": "1h"} | JOB | change
    (folder / "j.json").write_text(json.dumps({"jobs": [job]}))
    ended = ran(capsys, "plan-jobs", "j.json", *FILES, "--d", 4)
    assert ended.code == 2
    assert line in ended.err


JOB_FIELDS = ("name", "n", "alpha", "bandwidth", "sizes")


@pytest.mark.parametrize("field", [*JOB_FIELDS, "jobs"])
def test_what_a_job_lacks_is_named_with_file_and_line(
    folder: Path, capsys: pytest.CaptureFixture[str], field: str
) -> None:
    job = {"name": "a", "n": 16, "sizes": [["1MiB", 1]], "duration": "1h"} | JOB
    document = {"jobs": [{key: job[key] for key in job if key != field}]}
    document = {key: document[key] for key in document if key != field}
    (folder / "j.json").write_text(json.dumps(document))
    ended = ran(capsys, "plan-jobs", "j.json", *FILES, "--d", 4)
    assert ended.code == 2
    assert ended.err.endswith(f"{field}: field required\n")
    assert "j.json, line 1: " in ended.err


def test_a_key_that_is_given_twice_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = {"name": "a", "n": 16, "sizes": [["1MiB", 1]], "duration": "1h"} | JOB
    text = json.dumps({"jobs": [job]}).replace('"n":', '"n": 4, "n":')
    (folder / "j.json").write_text(text)
    ended = ran(capsys, "plan-jobs", "j.json", *FILES, "--d", 4)
    assert (ended.code, "j.json, the key 'n' is there twice" in ended.err) == (2, True)
    text = (folder / "i.json").read_text().replace('"ports":', '"state": "held", "ports":', 1)
    (folder / "i.json").write_text(text.replace('"name": "P0"', '"name": "P0", "name": "P0"'))
    ended = planned(capsys)
    assert (ended.code, "i.json, the key 'name' is there twice" in ended.err) == (2, True)


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(ran(capsys, "inventory", "--schema").out)["title"] == "topofinder inventory"
