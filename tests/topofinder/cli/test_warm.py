"""`topofinder warm`: all kernels that have signatures, compiled or found, and told."""

from collections.abc import Iterator

import pytest

import topofinder
from generators.errors import InvalidInput
from tests.command import ran_alone
from topofinder.api import warm as use_case
from topofinder.dispatch.kernel import kernel_named
from topofinder.dispatch.samples import sample_arguments, signature_text
from topofinder.dispatch.stored_signatures import (
    compile_group,
    signatures_by_module,
    stored_signatures,
)

FEW = [[("topofinder.kernels:hop_table", '["<i8:1C", "<i4:1C"]')]]


def test_every_signature_is_one_of_a_kernel_that_python_calls() -> None:
    for name, texts in stored_signatures().items():
        kernel = kernel_named(name)
        assert "no_cpython_wrapper" not in vars(kernel)["_options"]
        for text in texts:
            arguments = sample_arguments(text)
            assert signature_text(arguments) == text
            assert len(arguments) == kernel.py_func.__code__.co_argcount


@pytest.mark.parametrize(
    "name",
    [
        "topofinder.discovery.lifts.annealing_kernels:anneal_lift",
        "topofinder.discovery.grafts.anneal_kernels:anneal_graph",
        "topofinder.discovery.grafts.state_kernels:evaluate_graph",
    ],
)
def test_searches_for_lifts_and_grafts_are_among_them(name: str) -> None:
    assert stored_signatures()[name]


def test_all_are_in_the_groups_the_largest_first() -> None:
    groups = signatures_by_module()
    assert sum(map(len, groups)) == sum(map(len, stored_signatures().values()))
    assert [len(group) for group in groups] == sorted(map(len, groups), reverse=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_compiled_is_counted(monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setattr(use_case, "signatures_by_module", lambda: FEW)
    compile_group(FEW[0])
    seen = []
    found = topofinder.warm(jobs=jobs, progress=lambda done, total: seen.append((done, total)))
    assert (found.compiled, found.found) == (0, 1)
    assert seen == [(1, 1)]
    assert str(found).startswith("0 kernels compiled, 1 were there already, in ")
    assert found.to_dict() | {"seconds": 0} == {
        "compiled": 0, "found": 1, "folder": found.folder, "seconds": 0,
    }  # fmt: skip


def test_an_interrupt_leaves_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(groups: list, jobs: int) -> Iterator[tuple[int, int]]:
        yield 1, 0
        raise KeyboardInterrupt

    monkeypatch.setattr(use_case, "_compile_groups", interrupted)
    with pytest.raises(KeyboardInterrupt):
        topofinder.warm()


@pytest.mark.parametrize("jobs", [0, 2000])
def test_impossible_jobs_are_refused(jobs: int) -> None:
    with pytest.raises(InvalidInput, match="jobs"):
        topofinder.warm(jobs=jobs)


def test_the_command_refuses_where_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    ended = ran_alone("warm", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("topofinder: warm: numba compiles nothing here")
