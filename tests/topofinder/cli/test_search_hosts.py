"""`topofinder search --gpus`: the frontier over fabrics of hosts, and what is refused."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import topofinder as tf
from tests.command import ran

HEADLINE = ("--gpus", 8, "--d", 1, "--inner", "450GB/s", "--bandwidth", "50GB/s")

TABLE = """\
8 hosts, 16 accelerators: Host(2;mesh@64GB/s;2@25GB/s)
1/x*: time of a shard in 1/(GB/s); f: GB/s for every pair of accelerators

hops  height  latency  1/x*  allgather   of bound  f at least    f at most     of bound  of first  \
graph of hosts
"""


def test_the_headline_is_found_from_an_empty_database(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("search", "--n", 32, *HEADLINE, "--db", tmp_path / "a.db", "--json")
    ended = ran(capsys, *words)
    told = json.loads(ended.out)
    (best, *_) = told["frontier"]
    assert (ended.code, best["recipe"], best["inverse_rate"]) == (0, "C(32,{1,6,9,10})", "31/50")
    assert best["height"] == 5
    assert best["exact"]
    assert Fraction(best["alltoall"]["lower"]) >= Fraction(114, 1000)
    assert best["alltoall"]["hop_bound"] == "25/216"
    assert (told["n"], told["gpus"], told["d"], told["bandwidth"]) == (32, "8", 1, "50000000000")
    rings = next(row for row in told["baselines"] if row["label"].startswith("alike"))
    assert (rings["height"], rings["inverse_rate"]) == (32, "31/50")
    assert ran(capsys, *words).out == ended.out


def test_the_table_has_a_column_of_latencies(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("--gpus", 2, "--d", 2, "--inner", "mesh@64GB/s", "--bandwidth", "50GB/s")
    words += ("--alpha", "1us", "--inner-alpha", "500ns", "--db", tmp_path / "a.db")
    out = ran(capsys, "search", "--n", 8, *words).out
    assert out.startswith(TABLE), out
    assert "two-level Clos, full bisection" in out


def test_templates_and_files_name_hosts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    document = {
        "format": "topofinder-host",
        "version": 1,
        "accelerators": 2,
        "inner": {"kind": "mesh", "rate": "20GB/s"},
        "ports": {"each": 1, "rate": "50GB/s"},
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    db = ("--db", tmp_path / "a.db", "--json")
    told = json.loads(ran(capsys, "search", "--n", 6, "--template", path, *db).out)
    assert told["host"] == "Host(2;mesh@20GB/s;1@50GB/s)"
    assert all(row["inner"] > "0" and row["exact"] for row in told["frontier"])
    named = json.loads(ran(capsys, "search", "--n", 6, "--template", "TrayTPUv4", *db).out)
    assert (named["d"], named["accelerators"]) == (4, 24)
    dump = tmp_path / "dump.xml"
    gpu = '<pci busid="0"><gpu dev="0" sm="90"/><nic><net speed="400000"/></nic></pci>'
    dump.write_text(f"<system><cpu>{gpu}</cpu></system>", encoding="utf-8")
    read = json.loads(ran(capsys, "search", "--n", 6, "--template", dump, *db).out)
    assert read["host"] == "Host(1;none;1@50GB/s)"


def test_unlike_hosts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("--gpus", "2*2.4*3", "--d", 1, "--inner", "450GB/s", "--bandwidth", "50GB/s")
    told = json.loads(
        ran(capsys, "search", "--n", 5, *words, "--json", "--db", tmp_path / "a.db").out
    )
    assert told["accelerators"] == 16
    assert len(told["baselines"]) >= 3
    assert all(row["of_bound"]["alltoall"] > 0 for row in told["baselines"])
    (best, *_) = told["frontier"]
    assert best["fabric"].startswith("Host(2*2.4*3;switch@450GB/s;1@50GB/s)[")
    assert best["inverse_rate"] == told["bound"]["inverse_rate"] == "7/50"


def test_a_port_has_an_exact_part_of_the_bandwidth(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("--n", 8, "--gpus", 2, "--d", 3, "--inner", "450GB/s", "--bandwidth", "50GB/s")
    told = json.loads(ran(capsys, "search", *words, "--json", "--db", tmp_path / "a.db").out)
    best = told["frontier"][0]
    assert best["fabric"] == "Host(2;switch@450GB/s;3@50/3GB/s)[DirC(6)]"
    assert best["inverse_rate"] == told["bound"]["inverse_rate"] == "7/50"
    made = tf.schedule(best["fabric"], method="forest").forest
    assert made.inverse_rate == Fraction(7, 50)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--gpus", 8), "--gpus: needs --d, --inner and --bandwidth, or --template in their place"),
        (("--template", "HostH100", "--d", 1), "--template: says what --gpus, --d, --inner and"),
        (("--template", "HostX"), "host: 'HostX' is neither of HostA100"),
        (("--d", 2, "--inner", "450GB/s"), "--inner: goes with --gpus or --template"),
        ((), "--d: how many ports a host has is needed"),
        ((*HEADLINE[:5], "450", *HEADLINE[6:]), "inner rate: '450' has no unit"),
        (("--gpus", "4*2.8", *HEADLINE[2:]), "--gpus: '4*2.8' are 3 hosts, not 6"),
        (("--gpus", 8, "--d", 99, *HEADLINE[4:]), "--d: an accelerator has 1 to 64 ports, not 99"),
        ((*HEADLINE, "--size", "1MiB"), "--size: does not go with --gpus"),
        (("--template", "HostH100", "--links", "duplex"), "--links: does not go with --template"),
        (("--gpus", "x", *HEADLINE[2:]), "host: accelerators such as 8 or 4*16.8*8, not 'x'"),
    ],
)
def test_what_does_not_go_together_is_refused(
    words: tuple[object, ...], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ended = ran(capsys, "search", "--n", 6, *words, "--db", tmp_path / "a.db")
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert ended.err.count("\n") == 1


def test_fabrics_are_written_as_infragraphs_and_their_hosts_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "fabric.json"
    words = ("--format", "infragraph", "-o", path)
    assert ran(capsys, "build", "HostA100[K(8,8)]", *words).code == 0
    db = ("--db", tmp_path / "a.db", "--json")
    told = json.loads(ran(capsys, "search", "--n", 6, "--template", path, *db).out)
    assert told["host"] == "Host(8;switch@300GB/s;1@25GB/s)"
    refused = ran(capsys, "build", "K(8,8)", *words)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "--format: infragraph is for hosts like HostH100[K(8,8)]" in refused.err
    twice = ran(capsys, "search", "--n", 6, "--template", path, "--inner", "1GB/s", *db)
    assert "--inner: the file tells the rate inside" in twice.err


def test_prices_make_bills_and_axes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(
        "part,price,watts,ports,source\ntransceiver,900,12,,an offer\nfibre,40,0,,an offer\n"
        "panel,80000,60,1008,an offer\nswitch,40000,900,64,an offer\n"
    )
    words = ("search", "--n", 8, "--gpus", 4, *HEADLINE[2:], "--db", tmp_path / "a.db")
    out = ran(capsys, *words, "--prices", path).out
    assert "Parts of K(4,4)\n" in out
    assert "transceiver     32    900   28800     12  an offer" in out
    priced = ("--prices", path, "--pareto", "alltoall,cost,power", "--json")
    told = json.loads(ran(capsys, *words, *priced).out)
    labels = {row.get("label", row.get("recipe")): row for row in told["frontier"]}
    assert "rail-only switches" in labels
    assert labels["rail-only switches"]["cost"] == "98880"
    assert labels["K(4,4)"]["cost"] == "110080"
    refused = ran(capsys, *words, "--pareto", "cost")
    assert "--pareto: cost and power need --prices" in refused.err
    alone = ran(capsys, "search", "--n", 8, "--d", 4, "--prices", path)
    assert "--prices: goes with --gpus or --template" in alone.err


def test_rails_may_be_free(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("search", "--n", 9, "--gpus", 4, *HEADLINE[2:], "--db", tmp_path / "a.db")
    told = json.loads(ran(capsys, *words, "--rails", "any", "--json").out)
    (best, *_) = told["frontier"]
    assert best["fabric"].endswith(";any]")
    assert 0 <= best["inside"]["any"] <= best["inside"]["own"] <= 1
    assert "of what passes hosts goes inside" in ran(capsys, *words, "--rails", "any").out
    assert "--rails: own or any, not 'x'" in ran(capsys, *words, "--rails", "x").err


def test_unlike_hosts_have_bills_and_rails_of_their_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """2 x 4 + 9 x 8 ports: a rail of 11 or of 9 hosts on a panel of 20, permutations of 20."""
    path = tmp_path / "prices.csv"
    path.write_text(
        "part,price,watts,ports,source\ntransceiver,900,12,,an offer\nfibre,40,0,,an offer\n"
        "panel,8000,60,20,an offer\nswitch,4000,900,16,an offer\n"
    )
    sizes = ("--gpus", "4*2.8*9", *HEADLINE[2:], "--db", tmp_path / "a.db")
    out = ran(capsys, "search", "--n", 11, *sizes, "--prices", path, "--json").out
    told = json.loads(out)
    (first, *_), labels = told["frontier"], {row["label"]: row for row in told["baselines"]}
    parts = {row["part"]: row["count"] for row in first["bill"]}
    assert parts == {"transceiver": 80, "fibre": 80, "panel": 4}
    rings = labels["alike rails, one-way rings: 4 of 11 hosts, 4 of 9"]
    assert {row["part"]: row["count"] for row in rings["bill"]}["panel"] == 4
    both = labels["rings both ways: BiRing(4,11) of 11 hosts, BiRing(4,9) of 9"]
    assert Fraction(both["alltoall"]["lower"]) < Fraction(first["alltoall"]["lower"])
    rails = labels["rail-only switches"]
    assert {row["part"]: row["count"] for row in rails["bill"]}["switch"] == 8
    assert (rails["height"], labels["two-level Clos, full bisection"]["height"]) == (3, 2)
    assert any(label.startswith("of no higher cost: ") for label in labels)
    axes = ("--prices", path, "--pareto", "latency,cost", "--alpha", "1us", "--json")
    told = json.loads(ran(capsys, "search", "--n", 11, *sizes, *axes).out)
    assert all("cost" in row for row in told["frontier"])


def test_a_narrow_inside_has_quick_and_low_trees(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    narrow = ("--gpus", 4, "--d", 1, "--inner", "140GB/s", "--bandwidth", "50GB/s")
    words = ("search", "--n", 13, *narrow, "--db", tmp_path / "a.db", "--pareto")
    words = (*words, "latency,bandwidth,alltoall")
    told = json.loads(ran(capsys, *words, "--json").out)
    low, quick = told["frontier"]
    assert low["fabric"] == quick["fabric"]
    assert (low["height"], low["inverse_rate"], low["exact"]) == (5, "39/140", True)
    assert (quick["height"], quick["inverse_rate"], quick["exact"]) == (6, "51/190", True)
    assert Fraction(low["loss"]) == Fraction(39, 140) / Fraction(51, 190) - 1
    assert "loss" not in quick
    lines = ran(capsys, *words).out.splitlines()
    assert lines[-1] == "C(13,{2,3}), height 5: --prefer height --loss 3.8%"
