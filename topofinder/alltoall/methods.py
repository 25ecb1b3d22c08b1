"""The throughput methods of topofinder: symmetry, hops, a linear program, an equilibrium.

Each function takes the search that it is to better, and tells whether the search is over. Kernels
are imported where they run, so that reading the register stays quick.
"""

from functools import cache
from typing import TYPE_CHECKING

from generators.errors import Unsupported
from topofinder.alltoall.register import ThroughputMethod, register_throughput_method

if TYPE_CHECKING:
    from topofinder.alltoall.solver.search import ThroughputSearch

SMALL_PROGRAM = 40_000
"""A program of at most so many variables is solved right away: it takes about two seconds."""
LONG_GAME = 100_000
"""Trees times rows squared of a game that takes about a second in fractions."""


def bound_by_hops(search: "ThroughputSearch") -> bool:
    """The flow of ECMP routing: where it loads all arcs alike, nothing is better."""
    return search.is_close(search.equilibrium)


def bound_by_translations(search: "ThroughputSearch") -> bool:
    """f exactly, where a group of translations keeps the colours of arcs.

    A long game is left to a small linear program, if there is one.
    """
    from topofinder.alltoall.solver.transitive import solve_by_translations

    def go_on(trees: int, rows: int) -> bool:
        if search.method == "translations" or trees * rows * rows < LONG_GAME:
            return True
        return search.seconds_left > 0 and not small_program()

    @cache
    def small_program() -> bool:
        from topofinder.alltoall.solver.linear_program import FlowProgram

        return FlowProgram.of(search.reduction).variables <= SMALL_PROGRAM

    if (found := solve_by_translations(search.problem, go_on=go_on)) is None:
        if search.method == "translations":
            raise Unsupported(
                "translations: the topology has none that keep the colours of arcs, "
                "or they take too many trees"
            )
        return False
    lengths, flow = found
    search.keep_lengths(lengths)
    search.keep_flow(flow, "translations")
    return True


def bound_by_program(search: "ThroughputSearch") -> bool:
    """The linear program, if it is small or asked for, and time allows."""
    from topofinder.alltoall.solver.linear_program import FlowProgram

    program = FlowProgram.of(search.reduction)
    if search.method != "lp" and program.variables > SMALL_PROGRAM:
        return False
    if (found := program.solve(search.seconds_left)) is None:
        return False
    search.keep_rounded(*found, "lp")
    return True


def bound_by_equilibrium(search: "ThroughputSearch") -> bool:
    """Flows and prices in turn, until the bounds are near enough or time is up."""
    state = search.equilibrium
    state.run(search.inner_gap, search.seconds_left, search.report)
    return search.is_close(state)


register_throughput_method(
    ThroughputMethod(
        name="hops",
        description="even splitting over shortest paths, as ECMP does",
        price=20,
        bound=bound_by_hops,
    )
)
register_throughput_method(
    ThroughputMethod(
        name="translations",
        description="exact, for graphs with a group of translations that keep the colours of arcs",
        price=10,
        bound=bound_by_translations,
    )
)
register_throughput_method(
    ThroughputMethod(
        name="lp",
        description="the linear program of the reduced problem, by HiGHS",
        price=30,
        bound=bound_by_program,
        beside=("hops", "equilibrium"),
    )
)
register_throughput_method(
    ThroughputMethod(
        name="equilibrium",
        description="exponential prices and shortest paths in turn, for any size",
        price=40,
        bound=bound_by_equilibrium,
        beside=("hops",),
    )
)
