"""Files that executors run: verified, lowered, placed once for each count."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import topofinder as tf
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from topofinder.runtimes.executable import RankPlans, read_executable
from topofinder.runtimes.in_process import run_in_process
from topofinder.runtimes.sample_data import SampleData


def allreduce(recipe: str = "Q(3)", method: str = "auto") -> SavedSchedule:
    made = tf.schedule(recipe, collective="allreduce", method=method)
    return made.forest if method == "forest" else made.saved


@pytest.mark.parametrize("method", ["auto", "forest"])
@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_files_are_read_and_run(tmp_path: Path, method: str, suffix: str) -> None:
    found = read_executable(tf.save(allreduce(method=method), tmp_path / f"a{suffix}"))
    data = SampleData(transfers=found.transfers, count=101)
    ends = run_in_process(found.transfers, [data.vector(rank) for rank in range(8)])
    assert sum(data.count_wrong(end, rank) for rank, end in enumerate(ends)) == 0
    assert len(found.transfers.digest) == 64


def test_what_is_not_valid_is_refused_unless_it_is_verified(tmp_path: Path) -> None:
    saved = allreduce()
    rows = saved.schedule
    end = rows.step < rows.steps
    columns = {name: getattr(rows, name)[end] for name in ("source", "arc", "step", "begin", "end")}
    file = tf.save(replace(saved, schedule=replace(rows, **columns)), tmp_path / "a.npz")
    with pytest.raises(InvalidInput, match=r"a\.npz: not valid: .* lacks"):
        read_executable(file)
    assert read_executable(file, verified=True).transfers.rows == np.count_nonzero(end)


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tf.save(allreduce().topology, tmp_path / "a.edges")
    with pytest.raises(InvalidInput, match=r"is a topology file; a schedule, forest or timetable"):
        read_executable(file)
    with pytest.raises(InvalidInput, match=r"b\.npz: cannot be read"):
        read_executable(tmp_path / "b.npz")


def test_plans_are_kept_as_long_as_there_are_few(tmp_path: Path) -> None:
    plans = RankPlans(read_executable(tf.save(allreduce(), tmp_path / "a.npz")), 3, most=2)
    first, second = plans.at(10), plans.at(20)
    assert plans.at(10) is first
    plans.at(30)
    assert plans.at(10) is first
    assert plans.at(20) is not second
    with pytest.raises(InvalidInput, match="count"):
        plans.at(-1)
