"""A schedule of jobs from a JSON file: how many hosts, which collectives, for how long."""

import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from expansions.collective import Collective
from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import read_bounded
from generators.formats.document import parse_object
from generators.formats.json_lines import line_of
from topofinder.model.workload import COSTED, CostedCollectives, Workload

LARGEST = 1 << 20
MOST_JOBS = 1000
_Text = Annotated[str, Field(max_length=100)]
_STRICT = ConfigDict(extra="forbid")


class _Job(BaseModel):
    model_config = _STRICT

    name: Annotated[str, Field(max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")]
    n: int = Field(ge=2, le=1 << 17, strict=True)
    alpha: _Text
    bandwidth: _Text
    sizes: list[tuple[_Text, Annotated[int, Field(ge=1, le=10**12, strict=True)]]] = Field(
        min_length=1, max_length=10_000
    )
    collective: _Text = "allreduce"
    rounds: int | None = Field(default=None, ge=1, le=10**12, strict=True)
    duration: _Text | None = None


class _Jobs(BaseModel):
    model_config = _STRICT

    jobs: list[_Job] = Field(min_length=1, max_length=MOST_JOBS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job on n hosts: `rounds` times its workload; or, where that is None, as many rounds as
    take `duration` seconds on the topology that is best for it.
    """

    name: str
    n: int
    workload: Workload
    rounds: Fraction | None
    duration: Fraction | None = None

    def seconds(self, row: CostedCollectives) -> Fraction:
        """How long its collectives take on a wiring: one round where `rounds` is None."""
        return self.workload.seconds(row) * (1 if self.rounds is None else self.rounds)


def read_jobs(path: str | os.PathLike[str]) -> tuple[Job, ...]:
    """The jobs of a file, in their order.

    Raises InvalidInput with file and line for whatever is wrong with it.
    """
    content = read_bounded(path, LARGEST)
    try:
        document = parse_object(content)
    except InvalidInput as error:
        raise InvalidInput(f"{path}, {error}") from None
    text = content.decode("utf-8-sig")
    try:
        jobs = _Jobs.model_validate(document).jobs
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        field = excerpt(".".join(map(str, first["loc"])))[1:-1]
        offered = "" if first["type"] == "missing" else f", not {excerpt(first['input'])}"
        where = f"{path}, line {line_of(text, first['loc'])}: {field}"
        raise InvalidInput(f"{where}: {first['msg'].lower()}{offered}") from None
    made = []
    for place, job in enumerate(jobs):
        try:
            made.append(_job(job))
        except InvalidInput as error:
            line = line_of(text, ["jobs", place])
            raise InvalidInput(f"{path}, line {line}: job {excerpt(job.name)}: {error}") from None
    return tuple(made)


def _job(job: _Job) -> Job:
    if (job.rounds is None) == (job.duration is None):
        raise InvalidInput("rounds, duration: one of them is needed, and not both")
    if job.collective not in COSTED:
        raise InvalidInput(f"collective: one of {', '.join(COSTED)}, not {excerpt(job.collective)}")
    workload = Workload(
        alpha=quantities.seconds(job.alpha, "alpha"),
        bandwidth=quantities.rate(job.bandwidth, "bandwidth"),
        sizes=tuple((quantities.size(size, "sizes"), count) for size, count in job.sizes),
        collective=Collective(job.collective),
    )
    rounds = None if job.rounds is None else Fraction(job.rounds)
    duration = None if job.duration is None else quantities.seconds(job.duration, "duration")
    return Job(name=job.name, n=job.n, workload=workload, rounds=rounds, duration=duration)
