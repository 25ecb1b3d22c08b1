"""`topofinder warm`: compile all kernels ahead, for images, CI and those who would wait now."""

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from topofinder.api.shared.answer import Answer
from topofinder.dispatch.stored_signatures import (
    cache_path,
    compile_group,
    signatures_by_module,
)

MAX_JOBS = 1024

Group = list[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CompiledKernels(Answer):
    """How many kernels were `compiled`, how many lay in `folder` already, and how long it took."""

    compiled: int
    found: int
    folder: str
    seconds: float

    def summary(self) -> dict[str, Any]:
        """Both numbers."""
        return {"compiled": self.compiled, "found": self.found}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `warm --json` prints."""
        return self.summary() | {"folder": self.folder, "seconds": round(self.seconds, 3)}

    def __str__(self) -> str:
        told = f"{self.compiled} kernels compiled, {self.found} were there already"
        return f"{told}, in {self.seconds:.1f} s\ncache: {self.folder}"


def warm(*, jobs: int = -1, progress: Callable[[int, int], None] | None = None) -> CompiledKernels:
    """Compile the kernels of all commands that are not compiled yet.

    `jobs` are joblib's: -1 for all cores; `progress` is called with how many are done and all
    there are. What is compiled stays when it is interrupted. Raises InvalidInput for an impossible
    number of jobs, and Unsupported where kernels are not compiled, or cannot be kept.
    """
    if jobs == 0 or abs(jobs) > MAX_JOBS:
        raise InvalidInput(f"jobs: -1 for all cores, or 1 to {MAX_JOBS}, not {excerpt(jobs)}")
    began = time.perf_counter()
    try:
        folder = str(cache_path())
    except (AttributeError, RuntimeError, TypeError):
        raise Unsupported("warm: numba compiles nothing here, or has no folder for it") from None
    groups = signatures_by_module()
    compiled, done, total = 0, 0, sum(map(len, groups))
    with closing(_compile_groups(groups, jobs)) as answers:
        for fresh, found in answers:
            compiled, done = compiled + fresh, done + fresh + found
            if progress is not None:
                progress(done, total)
    return CompiledKernels(
        compiled=compiled,
        found=done - compiled,
        folder=folder,
        seconds=time.perf_counter() - began,
    )


def _compile_groups(groups: list[Group], jobs: int) -> Generator[Any, None, None]:
    """What `compile_group` answers to each, in the order in which they are done."""
    if jobs == 1:
        yield from map(compile_group, groups)
        return
    from joblib import Parallel, delayed

    from topofinder.finder.parallel import FeederThread, worker_settings
    from topofinder.interrupts import sigint_ignored

    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", **worker_settings())
    with sigint_ignored():
        answers = parallel(delayed(compile_group)(group) for group in groups)
    feeder, left = FeederThread(), len(groups)
    try:
        for answer in answers:
            left -= 1
            yield answer
    finally:
        if left:
            answers.close()
            feeder.end()
