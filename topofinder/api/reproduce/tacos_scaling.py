"""Figure 19 of TACOS (Won et al., MICRO 2024): how long synthesis takes on meshes, by their size.

The paper times its synthesis of allreduces on meshes of two and three dimensions with 64 threads.
Here the rounds of an allgather are synthesized on one processor, without being kept; backwards they
are the reduce-scatter, since a mesh is its own transpose.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic, process_time

from generators.errors import InvalidInput, Unsupported
from generators.families.mesh import mesh
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.api.reproduce.sources import Sources
from topofinder.api.reproduce.tacos_baselines import item_figures
from topofinder.forests.clock import Clock
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.problem import gather_problem
from topofinder.timetables.rounds import count_rounds

USUAL_SIDES = {2: (5, 10, 16, 24, 32, 48, 64, 100, 140, 200), 3: (3, 5, 8, 11, 16, 20, 25, 35)}
"""Sides of meshes by dimension; the largest are those of the paper."""
SECONDS = 3600
"""Of an hour, in which the paper prints its times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshSize:
    """A mesh of equal sides."""

    side: int
    dimensions: int

    @property
    def hosts(self) -> int:
        """Its nodes."""
        return int(self.side**self.dimensions)

    @property
    def recipe(self) -> str:
        """Its name.

        >>> MeshSize(side=3, dimensions=2).recipe
        'Mesh(3,3)'
        """
        return f"Mesh({','.join([str(self.side)] * self.dimensions)})"

    @property
    def least_rounds(self) -> int:
        """What no allgather of whole shards beats: its diameter, and a corner's links.

        >>> MeshSize(side=10, dimensions=2).least_rounds
        50
        """
        longest = self.dimensions * (self.side - 1)
        return max(longest, -(-(self.hosts - 1) // self.dimensions))


def tacos_figure19(sources: Sources) -> ReproductionRecord:
    """Figure 19: meshes of growing size for as long as the time lasts, or those of the given sizes.

    A mesh that would take more than what is left, as n^2 grows, is not begun.
    """
    meshes = _chosen_meshes(sources.sizes)
    count_mesh_rounds(MeshSize(side=3, dimensions=2))  # loads what is compiled
    end = monotonic() + sources.seconds
    known: dict[int, tuple[int, float]] = {}
    rows: list[ComparisonRow] = []
    for each in sources.each(meshes):
        left = end - monotonic()
        hosts, spent = known.get(each.dimensions, (1, 0.0))
        if spent * (each.hosts / hosts) ** 2 > left:
            rows += _unfinished_rows(each, is_asked=sources.sizes is not None)
            continue
        begun = process_time()
        try:
            rounds = count_mesh_rounds(each, Clock.of(max(left, 0.0)))
        except Unsupported:
            known[each.dimensions] = (each.hosts, sources.seconds)
            rows += _unfinished_rows(each, is_asked=sources.sizes is not None)
            continue
        spent = process_time() - begun
        known[each.dimensions] = (each.hosts, spent)
        rows += _mesh_rows(each, rounds, spent)
    title = "Figure 19 of TACOS: synthesis on meshes, seconds of one processor as measured now"
    return ReproductionRecord(name="tacos-figure19", title=title, rows=tuple(rows))


def count_mesh_rounds(size: MeshSize, clock: Clock | None = None) -> int:
    """Rounds of an allgather of whole shards on a mesh; Unsupported when the time is over.

    >>> count_mesh_rounds(MeshSize(side=4, dimensions=2))
    8
    """
    units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    graph = mesh(*[size.side] * size.dimensions)
    problem = gather_problem(graph, size=Fraction(size.hosts), units=units, chunks=1)
    return count_rounds(problem, seed=0, clock=clock or Clock()).rounds


def _chosen_meshes(sizes: Sequence[int] | None) -> list[MeshSize]:
    """Those of the given numbers of hosts, or the usual ones; few hosts first."""
    usual = [MeshSize(side=s, dimensions=d) for d, sides in USUAL_SIDES.items() for s in sides]
    if sizes is None:
        return sorted(usual, key=lambda each: each.hosts)
    found = []
    for hosts in sizes:
        for dimensions in USUAL_SIDES:
            side = round(hosts ** (1 / dimensions))
            if side >= 2 and side**dimensions == hosts:
                found.append(MeshSize(side=side, dimensions=dimensions))
    if not found:
        raise InvalidInput("--n: tacos-figure19 takes squares and cubes of at least 2")
    return found


def _printed_seconds(size: MeshSize) -> float | None:
    """What the paper prints of a mesh, if anything."""
    hours = [one.value for one in item_figures("figure19") if one.subject == size.recipe]
    return round(SECONDS * hours[0], 1) if hours else None


def _mesh_rows(size: MeshSize, rounds: int, spent: float) -> Iterator[ComparisonRow]:
    bound = "which is the bound" if rounds == size.least_rounds else f"bound {size.least_rounds}"
    yield ComparisonRow(
        subject=size.recipe,
        quantity="rounds of an allgather",
        unit="rounds",
        ours=exactly(rounds),
        published=None,
        note=f"{size.hosts} hosts; {bound}",
    )
    printed = _printed_seconds(size)
    yield ComparisonRow(
        subject=size.recipe,
        quantity="synthesis",
        unit="s",
        ours=exactly(Fraction(round(1000 * spent), 1000)),
        published=printed,
        note="" if printed is None else "printed: of an allreduce with 64 threads",
    )


def _unfinished_rows(size: MeshSize, *, is_asked: bool) -> Iterator[ComparisonRow]:
    """A mesh that the time was too short for, where it was asked for or is in the paper."""
    printed = _printed_seconds(size)
    if is_asked or printed is not None:
        yield ComparisonRow(
            subject=size.recipe,
            quantity="synthesis",
            unit="s",
            ours="not in --time",
            published=printed,
            note="" if printed is None else "printed: of an allreduce with 64 threads",
        )
