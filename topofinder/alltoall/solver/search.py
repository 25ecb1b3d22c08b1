"""What a search for a throughput knows: the best bounds, and what its methods share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter

from generators.errors import Unsupported
from generators.memory import require_memory
from generators.topology import FloatArray, Int64Array
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.result import Flow, ThroughputBounds, ThroughputProgress
from topofinder.alltoall.solver.bounds import (
    flow_lower_bound,
    hop_bound,
    length_upper_bound,
    moore_bound,
)
from topofinder.alltoall.solver.equilibrium import Equilibrium
from topofinder.alltoall.solver.flow_kernels import ecmp_flows
from topofinder.alltoall.solver.reduction import Reduction, identity_reduction, reduce_problem
from topofinder.alltoall.solver.rounding import best_flow, best_lengths

MOST_FLOW_ENTRIES = 1 << 26
"""How many (source, arc) pairs are held at most: some GiB."""
ENTRY_BYTES = 40
"""Memory that each of them takes in all; measured at 10^7 of them."""
MARGIN = 0.98
"""The part of the gap to aim at with rounded numbers."""
TINY = 1e-12


@dataclass(slots=True)
class ThroughputSearch:
    """The best bounds that methods have found so far, and how much time is left.

    A method hands in what proves a bound: a flow and lengths of the topology (`keep_flow`,
    `keep_lengths`), or rounded ones of the reduction (`keep_rounded`). `method` is the name that
    was asked for. `reduction` and `equilibrium` are made when they are first read, and shared.
    """

    problem: FlowProblem
    gap: Fraction
    time: float
    method: str
    tell: Callable[[ThroughputProgress], None] | None = None
    largest: int = MOST_FLOW_ENTRIES
    interrupted: bool = False
    began: float = field(default_factory=perf_counter, init=False)
    lower: tuple[Fraction, Flow, str] | None = field(default=None, init=False)
    upper: tuple[Fraction, Int64Array] | None = field(default=None, init=False)
    _reduction: Reduction | None = field(default=None, init=False)
    _equilibrium: Equilibrium | None = field(default=None, init=False)

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return perf_counter() - self.began

    @property
    def seconds_left(self) -> float:
        """Seconds that are left."""
        return max(self.time - self.seconds, 0.0)

    @property
    def inner_gap(self) -> float:
        """The gap to aim at with rounded numbers."""
        return float(self.gap) * MARGIN

    @property
    def has_bounds(self) -> bool:
        """Whether an answer could be given."""
        proved = self.lower is not None and self.upper is not None
        return proved or self._equilibrium is not None

    @property
    def reduction(self) -> Reduction:
        """The problem up to symmetry; as it is, where an interrupt ends the search for symmetry.

        Raises Unsupported where sources times arcs exceed `largest`.
        """
        if self._reduction is None:
            self._require_size()
            try:
                self._reduction = reduce_problem(self.problem)
            except KeyboardInterrupt:
                self.interrupted = True
                self._reduction = identity_reduction(self.problem)
        return self._reduction

    @property
    def equilibrium(self) -> Equilibrium:
        """Flows and prices of the reduction, at first those of ECMP routing."""
        if self._equilibrium is None:
            self._equilibrium = Equilibrium(self.reduction, ecmp_flows(self.reduction))
        return self._equilibrium

    def is_close(self, state: Equilibrium) -> bool:
        """Whether the bounds of an equilibrium are as near as the gap asks for."""
        return state.lower >= (1 - self.inner_gap - TINY) * state.upper

    def report(self) -> None:
        """Tell whoever waits what the equilibrium has reached."""
        if self.tell is not None:
            state = self.equilibrium
            lower, upper = Fraction(state.lower), Fraction(state.upper)
            now, method = self.seconds, _method_of(state)
            self.tell(ThroughputProgress(lower=lower, upper=upper, seconds=now, method=method))

    def keep_flow(self, flow: Flow, method: str) -> None:
        """Keep the lower bound that a flow proves, if it is the best."""
        self._keep_lower(flow_lower_bound(self.problem, flow), flow, method)

    def keep_lengths(self, lengths: Int64Array) -> None:
        """Keep the upper bound that lengths prove, if it is the best."""
        self._keep_upper(length_upper_bound(self.problem, lengths), lengths)

    def keep_rounded(self, flows: FloatArray, lengths: FloatArray, method: str) -> None:
        """Prove and keep what flows (k, m) and lengths (classes,) of the reduction give."""
        lower = best_flow(self.problem, self.reduction, flows)
        upper = best_lengths(self.problem, self.reduction, lengths)
        self._keep_lower(*lower, method)
        self._keep_upper(*upper)

    def bounds(self) -> ThroughputBounds:
        """The best bounds; Unsupported where no method has given any."""
        state = self._equilibrium
        if state is not None and (self.lower is None or state.sweeps):
            method = _method_of(state)
            self.keep_rounded(state.take_flows(), state.lengths, method)
        if self.lower is None or self.upper is None:
            raise Unsupported(f"throughput: method {self.method} gives no bounds here")
        lower, flow, method = self.lower
        upper, lengths = self.upper
        return ThroughputBounds(
            lower=lower,
            upper=upper,
            method=method,
            lengths=lengths,
            flow=flow,
            hop_bound=hop_bound(self.problem),
            moore_bound=moore_bound(self.problem),
            interrupted=self.interrupted,
            seconds=self.seconds,
        )

    def _keep_lower(self, bound: Fraction, flow: Flow, method: str) -> None:
        if self.lower is None or bound > self.lower[0]:
            self.lower = (bound, flow, method)

    def _keep_upper(self, bound: Fraction, lengths: Int64Array) -> None:
        if self.upper is None or bound < self.upper[0]:
            self.upper = (bound, lengths)

    def _require_size(self) -> None:
        sources, arcs = len(self.problem.sources), self.problem.topology.arcs
        if sources * arcs > self.largest:
            raise Unsupported(
                f"throughput: {sources} sources times {arcs} arcs exceed {self.largest}"
            )
        need = ENTRY_BYTES * sources * arcs
        require_memory(f"throughput: {sources} sources times {arcs} arcs", need)


def _method_of(state: Equilibrium) -> str:
    """The method that an equilibrium's flows come from."""
    return "equilibrium" if state.sweeps else "hops"
