"""What hosts add, on the command line: `--epsilon`, `--reduce-rate` and `--injection`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import topofinder as tf
from topofinder.cli.app import app, main

TIMES = ["--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps"]
HOSTS = ["--epsilon", "21.6us", "--reduce-rate", "80GB/s", "--injection", "10GB/s"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hosts") / "a.npz"
    tf.schedule("K(4)", path, collective="allreduce")
    return path


def run(*line: str) -> str:
    return CliRunner().invoke(app, [*line], catch_exceptions=False).output


def test_verify_plays_what_hosts_add(file: Path) -> None:
    assert run("verify", str(file), *TIMES).endswith(
        "simulated: 145.8 us in steps, 145.8 us without barriers\n"
    )
    # 2 steps of 10 us, 3/4 MiB twice at 10 GB/s and once at 80 GB/s, 21.6 us once.
    assert run("verify", str(file), *TIMES, *HOSTS).endswith(
        "simulated: 208.7 us in steps, with what hosts add\n"
    )
    found = json.loads(run("verify", str(file), *TIMES, *HOSTS, "--json"))
    assert found["simulated"]["unsynchronised"] is None


def test_search_prices_what_hosts_add(tmp_path: Path) -> None:
    line = ["search", "--n", "4", "--d", "3", *TIMES, *HOSTS, "--db", str(tmp_path / "a.db")]
    assert run(*line).endswith(
        "epsilon 21.6 us, reduce rate 640 Gbps, injection 80 Gbps: K(4), at most 208.7 us\n"
    )
    found = json.loads(run(*line, "--json"))
    assert found["workload"]["epsilon"] == 21.6e-6
    assert found["best"]["seconds"] == pytest.approx(208.7e-6, rel=1e-3)
    assert "best_method" not in found["best"]


@pytest.mark.parametrize("terms", [["--epsilon", "0us"], ["--injection", "100Gbps"]])
def test_what_adds_nothing_changes_no_answer(terms: list[str], tmp_path: Path) -> None:
    """Links of a host carry 100 Gbps together: at or above that an injection limit is none."""
    search = ["search", "--n", "8", "--d", "4", *TIMES, "--db", str(tmp_path / "a.db")]
    assert run(*search, *terms) == run(*search)
    for method in ("timed", "forest", "bfb", "auto"):
        line = ["schedule", "C(8,{2,3})", "--method", method, *TIMES, "-o", str(tmp_path / "a.npz")]
        assert run(*line, *terms) == run(*line)


def test_epsilon_is_added_to_the_ratings_of_all_methods(tmp_path: Path) -> None:
    search = ["search", "--n", "8", "--d", "4", *TIMES, "--db", str(tmp_path / "a.db"), "--json"]
    plain, late = json.loads(run(*search)), json.loads(run(*search, "--epsilon", "20us"))
    assert late["best"]["best_method"] == plain["best"]["best_method"]
    for name in ("best_seconds", "bound_seconds"):
        assert late["best"][name] == pytest.approx(plain["best"][name] + 20e-6)


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["--epsilon", "1us"], "--epsilon, --reduce-rate and --injection need --alpha"),
        ([*TIMES, "--epsilon", "-1us"], "--epsilon: '-1us' is not a quantity"),
        ([*TIMES, "--epsilon", "0"], "--epsilon: '0' has no unit"),
        ([*TIMES, "--reduce-rate", "0GB/s"], "--reduce-rate: '0GB/s' is not above zero"),
        ([*TIMES, "--injection", "10us"], "--injection: unknown unit 'us'"),
    ],
)
def test_bad_values_get_one_line(
    file: Path, extra: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(file), *extra])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1


def test_forests_need_a_size_and_timed_ones_know_theirs(tmp_path: Path) -> None:
    tf.schedule("Q(3)", tmp_path / "f.npz", method="forest")
    with pytest.raises(tf.InvalidInput, match="for the time that a --size takes"):
        tf.verify(tmp_path / "f.npz", epsilon="1us")
    timed = {"alpha": "1us", "size": "1kB", "bandwidth": "1Gbps"}
    tf.schedule("Q(3)", tmp_path / "t.npz", method="timed", **timed)
    assert tf.verify(tmp_path / "t.npz", epsilon="1us").valid
    tf.throughput("Q(3)", certificate=tmp_path / "c.npz")
    with pytest.raises(tf.InvalidInput, match="for schedules of rows, forests and timetables"):
        tf.verify(tmp_path / "c.npz", epsilon="1us")
