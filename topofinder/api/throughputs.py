"""`topofinder throughput R1 R2 ...`: the intervals of many recipes, side by side and in order.

Each graph is a task of its own, the largest first, so that no worker is left with a long one at the
end. This process reads the files and is the only one that writes the database, an interval as soon
as it is there: whoever is lost, what was finished is stored.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

from db.store import Store
from db.throughput_rows import ThroughputRow
from expansions.parser import parse
from expansions.recipe import Recipe
from expansions.size import size as recipe_size
from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import read_bounded, text_of
from generators.formats.by_suffix import read_topology
from generators.formats.document import require_small
from generators.topology import Topology
from reports.throughput import ThroughputRecord, throughput_fields, throughput_text
from topofinder.alltoall.demand.files import read_demand
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.solve import DEFAULT_GAP, DEFAULT_SECONDS
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.clusters import cluster_workers
from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.places import check_places, store_after_all
from topofinder.api.shared.stored_recipes import whole_recipe
from topofinder.api.shared.stored_throughputs import keep_rate
from topofinder.api.shared.subjects import (
    Subject,
    is_named_fabric,
    is_topology_file,
    named_fabric,
    subject_name,
    subject_of,
)
from topofinder.api.shared.workloads import read_seconds
from topofinder.api.throughput import UNIFORM, throughput
from topofinder.finder.parallel import close_quietly, worker_settings
from topofinder.interrupts import sigint_ignored
from topofinder.model.file_register import TOPOLOGY

MAX_RECIPES = 1 << 16
"""Graphs that are taken at once."""
MAX_JSON = 1 << 28
"""Bytes of memory that the JSON of a list of recipes may take."""

Done = tuple[ThroughputRecord, ThroughputRow]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Throughputs(Answer):
    """The intervals of many graphs, in the order that they were asked for.

    After Ctrl-C they are those that were finished of `asked`.
    """

    records: tuple[ThroughputRecord, ...]
    asked: int

    @property
    def interrupted(self) -> bool:
        """Whether some are left out, or wider than was asked for, as Ctrl-C came."""
        return len(self.records) < self.asked or any(one.interrupted for one in self.records)

    def summary(self) -> dict[str, Any]:
        """How many graphs there are."""
        return {"finished": len(self.records), "asked": self.asked}

    def to_dict(self) -> list[dict[str, Any]]:
        """What `throughput R1 R2 ... --json` prints: a list, of each what it prints alone."""
        return [throughput_fields(one) for one in self.records]

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each graph."""
        return self.to_dict()

    def __str__(self) -> str:
        texts = [throughput_text(one) for one in self.records]
        if len(self.records) < self.asked:
            texts.append(f"interrupted: {len(self.records)} of {self.asked} finished")
        return "\n".join(texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """What any process can work out by itself: files are read, names of candidates looked up."""

    place: int
    name: str
    subject: Recipe | Topology | str
    weight: int
    options: dict[str, Any] = field(repr=False)

    def bound(self) -> Done:
        """The interval; errors name the graph."""
        try:
            found = throughput(self.subject, **self.options)
        except InvalidInput as error:
            raise InvalidInput(f"{excerpt(self.name)}: {error}") from None
        return replace(found.record, subject=self.name), found.row()


def throughputs(
    subjects: Sequence[Subject],
    *,
    pattern: str = UNIFORM,
    demand: str | os.PathLike[str] | Demand | None = None,
    gap: Fraction | float = DEFAULT_GAP,
    time: float | str = DEFAULT_SECONDS,
    method: str = "auto",
    size: str | None = None,
    bandwidth: str | None = None,
    injection: str | None = None,
    db: str | os.PathLike[str] | None = None,
    jobs: int = -1,
    backend: str | None = None,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Throughputs:
    """The throughputs of many graphs, each as `throughput` finds it, by `jobs` workers at once.

    `time` is that of each. With a `backend` its workers do the work: processes of this machine
    ("loky"), or those of a "dask" or "ray" cluster, by the address of its `scheduler`. `progress`
    is called with the graphs that are finished and all. Ctrl-C ends it with those that are
    finished. `db` keeps every interval as soon as it is found.

    Raises InvalidInput as `throughput`, for an empty list and for more than MAX_RECIPES graphs.

    >>> [str(one.lower) for one in throughputs(["UniRing(1,4)", "K(4)"], jobs=1).records]
    ['1/6', '1']
    """
    if not subjects:
        raise InvalidInput("recipes: none is given")
    if len(subjects) > MAX_RECIPES:
        raise InvalidInput(f"recipes: at most {MAX_RECIPES} at once, not {len(subjects)}")
    _check_options(size, bandwidth, injection, jobs)
    check_places(db)
    options = {
        "pattern": pattern, "gap": quantities.part(gap, "gap"), "time": read_seconds(time),
        "method": method, "size": size, "bandwidth": bandwidth, "injection": injection,
    }  # fmt: skip
    tasks = [
        _read_task(place, whole_recipe(subject, db), demand, options)
        for place, subject in enumerate(subjects)
    ]
    found: dict[int, ThroughputRecord] = {}
    progress(0, len(tasks))
    with cluster_workers(backend, scheduler, jobs), _results(tasks, jobs, backend) as results:
        try:
            for place, (record, row) in results:
                found[place] = record
                store_after_all(db, partial(_keep, row))
                progress(len(found), len(tasks))
                if record.interrupted:
                    break
        except KeyboardInterrupt:
            if not found:
                raise
    ordered = tuple(found[place] for place in sorted(found))
    return Throughputs(records=ordered, asked=len(tasks))


def read_recipes(file: str | os.PathLike[str]) -> list[str]:
    """The recipes in a file: one a line, or the JSON that `query --json` and `search` print.

    Raises InvalidInput with one line that names the file, and what is wrong in it.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "recipes.json"
    ...     _ = path.write_text('[{"recipe": "K(4)", "n": 4}, "Q(3)"]')
    ...     read_recipes(path)
    ['K(4)', 'Q(3)']
    """
    content = read_bounded(file)
    try:
        text = text_of(content)
        if text.lstrip()[:1] not in ("[", "{"):
            return [line.strip() for line in text.splitlines() if line.strip()]
        return _recipes_in_json(content, text)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from None


def _recipes_in_json(content: bytes, text: str) -> list[str]:
    import json

    require_small(content, MAX_JSON)
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("neither recipes, one a line, nor JSON") from None
    if isinstance(rows, dict):
        rows = rows.get("frontier")
    if not isinstance(rows, list):
        raise InvalidInput("a list of recipes, or of rows with a 'recipe', is needed")
    recipes = list[str]()
    for place, row in enumerate(rows):
        recipe = row.get("recipe") if isinstance(row, dict) else row
        if not isinstance(recipe, str):
            raise InvalidInput(f"[{place}]: a recipe is needed, not {excerpt(str(recipe))}")
        recipes.append(recipe)
    return recipes


def _check_options(
    size: str | None, bandwidth: str | None, injection: str | None, jobs: int
) -> None:
    """Refuse what could not be read before any work."""
    from topofinder.api.sweep import MAX_JOBS

    if size is None and injection is None and bandwidth is not None:
        raise InvalidInput("--bandwidth is for the time that a --size takes")
    if size is not None:
        quantities.size(size, "--size")
    for name, rate in (("--bandwidth", bandwidth), ("--injection", injection)):
        if rate is not None:
            quantities.rate(rate, name)
    if jobs == 0 or abs(jobs) > MAX_JOBS:
        told = f"1 to {MAX_JOBS} workers, or -1 for all cores"
        raise InvalidInput(f"jobs: {told}, not {excerpt(jobs)}")


def _read_task(
    place: int,
    subject: Subject,
    demand: str | os.PathLike[str] | Demand | None,
    options: dict[str, Any],
) -> _Task:
    """Read a subject and, where there is one, the matrix of its demand."""
    with explain_wrong_file("throughput", subject, TOPOLOGY):
        read: Recipe | Topology | str = subject
        if isinstance(subject, str):
            read = _read_subject(subject)
        weight = _weight(read)
        if isinstance(demand, str | os.PathLike):
            demand = read_demand(demand, subject_of(read)[1])
    # A recipe's name is the canonical one, as in the answer to it alone.
    name = str(read) if isinstance(read, Recipe) else subject_name(subject)
    return _Task(
        place=place, name=name, subject=read, weight=weight, options={**options, "demand": demand}
    )


def _read_subject(text: str) -> Recipe | Topology | str:
    if is_topology_file(text):
        return read_topology(text)
    return text if is_named_fabric(text) else parse(text)


def _weight(read: Recipe | Topology | str) -> int:
    """About how much work a graph is: its nodes times its arcs."""
    if isinstance(read, Topology):
        return read.n * read.arcs
    if isinstance(read, str):
        topology = named_fabric(read)[1]
        return topology.n * topology.arcs
    found = recipe_size(read)
    return found.n * found.n * found.d


@contextmanager
def _results(
    tasks: Sequence[_Task], jobs: int, backend: str | None
) -> Iterator[Iterator[tuple[int, Done]]]:
    """The results, each with its task's place, the largest graphs first."""
    ordered = sorted(tasks, key=lambda task: (-task.weight, task.place))
    if backend is None and (jobs == 1 or len(tasks) == 1):
        yield ((task.place, task.bound()) for task in ordered)
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, batch_size=1, return_as="generator", **worker_settings())
    with sigint_ignored():
        found = parallel(delayed(_bound_task)(task) for task in ordered)
    places = [task.place for task in ordered]
    try:
        yield zip(places, found, strict=True)
    finally:
        close_quietly(found)


def _bound_task(task: _Task) -> Done:
    return task.bound()


def _keep(row: ThroughputRow, store: Store) -> None:
    keep_rate(store, row)
