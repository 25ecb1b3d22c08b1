"""`topofinder search`: the frontier of a size, with times, throughputs and baselines beside it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import inf
from os import PathLike
from typing import TYPE_CHECKING, Any

from db.rows import CandidateRow, SizeRow
from db.store import Store
from db.throughput_rows import ThroughputRow
from expansions.cost import Cost
from generators import quantities
from generators.divisors import divisors
from generators.errors import InvalidInput
from generators.limits import LARGE_WORK, LARGEST_BUILT
from generators.plugins import are_plugins_named
from reports.baselines import BaselineRow
from reports.frontier import NOTHING, LeftOut, Times, frontier_fields, frontier_text
from reports.origins import Origin, origin_of
from reports.resilience import ResilienceRow
from reports.workload_rating import WorkloadRating
from topofinder.api.search_ratings import RatingRequest, read_methods
from topofinder.api.search_records import frontier_columns, frontier_times
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.clusters import cluster_workers
from topofinder.api.shared.default_effort import effort_or_default, is_effort_named
from topofinder.api.shared.frames import data_frame
from topofinder.api.shared.frontiers import all_candidates, search_size
from topofinder.api.shared.stored_finds import StoredFinds, stored_finds, with_finds
from topofinder.api.throughput_rates import Rates
from topofinder.api.workload_ratings import choose_winner, is_rated, rate_workload
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import frontier_on, read_axes
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import RATING_METHODS, Workload

if TYPE_CHECKING:
    from pandas import DataFrame

    from topofinder.api.failure_costs import FailureCostsByRecipe

PLAIN = ("latency", "bandwidth")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Frontier(Answer):
    """The Pareto frontier of a size, with what was asked for beside it.

    `found` is the row of the database: the frontier and the pool that it was chosen from. `rates`
    are all-to-all throughputs by recipe, `times` those of a workload by BFB, `ratings` those of its
    best schedule method by recipe, `baselines` the customary wirings of the size, `resilience` what
    an allreduce takes after failures by recipe; each is None where it was not asked for. `left_out`
    tells the base graphs that are too large to evaluate, `discovered` those that `discover` has
    found in the database. `effort_left_out` is that of a search that named none, where its kernels
    are still to be compiled: nothing was looked for; or what was asked for, where time was over.
    """

    found: SizeRow
    rates: Mapping[str, ThroughputRow] | None = None
    times: Times | None = None
    baselines: tuple[BaselineRow, ...] | None = None
    left_out: LeftOut = NOTHING
    ratings: Mapping[str, WorkloadRating] | None = None
    discovered: frozenset[str] = frozenset()
    resilience: Mapping[str, ResilienceRow] | None = None
    effort_left_out: int = 0

    @property
    def n(self) -> int:
        """Hosts."""
        return self.found.frontier.n

    @property
    def d(self) -> int:
        """Ports of a host."""
        return self.found.frontier.d

    @property
    def links(self) -> str:
        """`simplex` or `duplex`."""
        return self.found.frontier.links

    @property
    def bound(self) -> Cost:
        """The lower bounds of the size."""
        return Cost(self.found.frontier.bound_steps, self.found.frontier.bound_bandwidth)

    @property
    def members(self) -> tuple[CandidateRow, ...]:
        """The frontier, fewest steps first."""
        return self.found.frontier.members

    @property
    def pool(self) -> tuple[CandidateRow, ...]:
        """All candidates that were kept at the size."""
        return tuple(self.found.pool or ())

    @property
    def best(self) -> CandidateRow | None:
        """What is the quickest for the workload; None without one."""
        return None if self.times is None else self.times.best

    @property
    def origins(self) -> dict[str, Origin]:
        """Where the members, and what is the best, come from, by recipe."""
        rows = (*self.members, *([self.best] if self.best else ()))
        names = self.found.frontier.names
        return {row.recipe: origin_of(row.recipe, self.discovered, names) for row in rows}

    def summary(self) -> dict[str, Any]:
        """The size, and how many members its frontier has."""
        return {"n": self.n, "d": self.d, "links": self.links, "members": len(self.members)}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `search --json` prints."""
        return frontier_fields(
            self.found.frontier,
            self.times,
            self.baselines,
            self.rates,
            self.left_out,
            self.ratings,
            self.origins,
            self.resilience,
            self.effort_left_out,
        )

    def _drawn_noun(self) -> object:
        return self.found

    def __str__(self) -> str:
        return frontier_text(
            self.found.frontier,
            self.times,
            self.baselines,
            self.rates,
            self.left_out,
            self.ratings,
            self.origins,
            self.resilience,
            self.effort_left_out,
        )

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each member."""
        columns = frontier_columns(self.to_dict()["frontier"])
        return [
            dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)
        ]

    def to_frame(self) -> "DataFrame":
        """The members as a data frame; Unsupported where pandas is not installed."""
        return data_frame(frontier_columns(self.to_dict()["frontier"]))


def search(
    n: int,
    d: int,
    links: LinkMode | str = LinkMode.SIMPLEX,
    db: str | PathLike[str] | None = None,
    *,
    workload: Workload | None = None,
    pareto: str | Sequence[str] = PLAIN,
    with_throughput: bool = False,
    with_baselines: bool = False,
    gap: Fraction | float = Fraction(1, 1000),
    time: float = 60.0,
    model: TimeModel | str = TimeModel.PIPELINED,
    methods: str | Sequence[str] = RATING_METHODS,
    effort: int | None = None,
    failed_pairs: int = 0,
    backend: str | None = None,
    scheduler: str | None = None,
    effort_time: float = inf,
) -> Frontier:
    """The Pareto frontier at (n, d), which is stored and looked up where there is a `db`.

    `pareto` names its axes, of latency, bandwidth, alltoall and resilience. With the axis
    "alltoall", and for workloads with all-to-alls, candidates take part that cost more than others
    and would be dropped for it, and throughputs are worked out to a relative `gap`, or for `time`
    seconds each; `with_throughput` shows them in any case.

    A workload is rated by the best of some schedule `methods` ("bfb", "timed" and "forest") in a
    time `model`: every member, and every candidate that no bound excludes. Of several sizes those
    that weigh most are, the others by BFB; with all-to-alls all are.

    Lifts by cyclic groups and grafts are looked for first, for about `effort` seconds of one core:
    where it is None, one, or as many as TOPOFINDER_EFFORT says. The same effort finds the same.
    Where neither names one, and what looks for them is not compiled yet, it is left out, and a
    process in the background compiles it: `effort_left_out` tells so. After `effort_time` seconds
    the answer is that of less effort, and tells so too.

    With the axis "resilience" members show what an allreduce takes after any one failure of a link
    or host, at worst and in the mean, by low trees; with `failed_pairs` also after so many failures
    of two links, drawn by chance.

    With a `backend` its workers work out ratings, and the throughputs of the members that are
    shown, side by side: those of a "dask" or "ray" cluster, by the address of its `scheduler`, or
    "loky".

    Raises InvalidInput for impossible sizes and for files that are no topofinder database.

    >>> [row.recipe for row in search(16, 4).members]
    ['Small(4,16)', 'C(16,{3,4})']
    >>> [row.recipe for row in search(8, 2, pareto="latency").members]
    ['Diamond']
    """
    axes = read_axes(pareto if isinstance(pareto, str) else ",".join(pareto))
    gap = quantities.part(gap, "--gap")
    names = read_methods(methods)
    wanted = effort_or_default(effort)
    patient = is_effort_named(effort)
    found = search_size(n, d, links, db, wanted, is_patient=patient, seconds=effort_time)
    left_out = wanted if found.frontier.effort < wanted else 0
    asked = "alltoall" in axes or bool(workload and workload.exchanges)
    with ExitStack() as stack:
        stack.enter_context(cluster_workers(backend, scheduler))
        store = stack.enter_context(Store(db)) if db is not None else None
        finds = stored_finds(store, n, d, LinkMode(links)) if store else StoredFinds()
        found = with_finds(found, store, finds) if store and finds else found
        every = partial(_candidates_of, found, links, db, bool(finds))
        rates = Rates(store, gap, time)
        rows: Sequence[CandidateRow] = [*found.frontier.members, *(found.pool or ())]
        if asked:
            rows = every()
        failures = _failure_costs(axes, links, failed_pairs)
        if axes != PLAIN:
            members = frontier_on(axes, dict.fromkeys(rows), rates, failures)
            found = replace(found, frontier=replace(found.frontier, members=tuple(members)))
        times = frontier_times(found, workload, rates, rows if asked else ()) if workload else None
        ratings = None
        if workload is not None and times is not None and is_rated(workload, names):
            request = RatingRequest(
                n=n, d=d, links=LinkMode(links).value, workload=workload, model=TimeModel(model),
                methods=names,
            )  # fmt: skip
            ratings = rate_workload(
                request, found.frontier.members, every, store, by_workers=backend is not None
            )
            times = choose_winner(times, ratings, _rows_in_turn(found, every))
        resilience = None
        if failures is not None:
            resilience = {row.recipe: failures.row(row.recipe) for row in found.frontier.members}
        shown = None
        if asked or with_throughput:
            if backend is not None:
                rates.work_out(row.recipe for row in found.frontier.members)
            shown = {row.recipe: rates[row.recipe] for row in found.frontier.members}
    return Frontier(
        found=found,
        rates=shown,
        times=times,
        baselines=_baselines(n, d, workload) if with_baselines else None,
        left_out=_left_out(n, d, LinkMode(links)),
        ratings=ratings,
        discovered=finds.discovered,
        resilience=resilience,
        effort_left_out=left_out,
    )


def _failure_costs(
    axes: Sequence[str], links: LinkMode | str, pairs: int
) -> "FailureCostsByRecipe | None":
    """What failures cost, where that is an axis; InvalidInput for pairs without it."""
    if "resilience" not in axes:
        if pairs:
            raise InvalidInput("--failed-pairs: with resilience among the axes of --pareto")
        return None
    from topofinder.api.failure_costs import FailureCostsByRecipe

    return FailureCostsByRecipe(links, pairs)


def _candidates_of(
    found: SizeRow, links: LinkMode | str, db: str | PathLike[str] | None, has_finds: bool
) -> list[CandidateRow]:
    """All candidates of a search, first those of its effort and of finds, which others lack."""
    n, d = found.frontier.n, found.frontier.d
    plain = all_candidates(n, d, links, db)
    more = has_finds or found.frontier.effort
    return [*dict.fromkeys((*(found.pool or ()), *plain))] if more else plain


def _rows_in_turn(
    found: SizeRow, every: Callable[[], Sequence[CandidateRow]]
) -> Iterator[CandidateRow]:
    """The members, the pool, and only then all candidates of a search."""
    yield from found.frontier.members
    yield from found.pool or ()
    yield from every()


def _baselines(n: int, d: int, workload: Workload | None) -> tuple[BaselineRow, ...]:
    from topofinder.api.shared.baseline_rows import baseline_rows

    return baseline_rows(n, d, workload)


def _left_out(n: int, d: int, links: LinkMode) -> LeftOut:
    if n <= LARGEST_BUILT or not may_leave_out(n, d):
        return NOTHING  # without the imports of a search, which a look-up need not wait for
    from topofinder.api.shared.left_out import left_out

    return LeftOut(recipes=tuple(map(str, left_out(n, d, links))))


def may_leave_out(n: int, d: int) -> bool:
    """Whether `left_out` may name some at (n, d); if not, it is empty.

    Of the families that come with topofinder only de Bruijn and Kautz digraphs have members that
    are too large to evaluate: no theorem fixes their cost.

    >>> may_leave_out(10**6, 4), may_leave_out(1 << 20, 4), may_leave_out(3 * 2**18, 2)
    (False, True, True)
    """
    return are_plugins_named() or any(
        is_word_count(nodes, ports)
        for nodes in _heavy_sizes(n, d)
        for ports in range(2, min(d, nodes) + 1)
    )


def is_word_count(nodes: int, ports: int) -> bool:
    """Whether a de Bruijn or Kautz digraph of that degree has so many nodes.

    >>> [nodes for nodes in range(1, 30) if is_word_count(nodes, 3)]
    [1, 3, 4, 9, 12, 27]
    """
    while nodes % ports == 0:
        nodes //= ports
    return nodes in (1, ports + 1)


def _heavy_sizes(n: int, d: int) -> Iterator[int]:
    """The sizes that (n, d) may draw on and whose graphs are not light, itself among them.

    Expansions have divisors of their nodes, two-way graphs of an odd size one node more.
    """
    seen: set[int] = set()
    open_ = [n]
    while open_:
        for nodes in divisors(open_.pop()):
            if nodes not in seen and nodes * nodes * d > LARGE_WORK:
                seen.add(nodes)
                yield nodes
                open_ += [nodes + 1] if nodes % 2 else []
