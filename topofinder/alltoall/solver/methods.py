"""The methods, each with its certificate: symmetry first, then hops, a program, an equilibrium."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter

from generators.topology import FloatArray, Int64Array
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.result import Flow, ThroughputBounds, ThroughputProgress
from topofinder.alltoall.solver.bounds import hop_bound, lower_bound, moore_bound, upper_bound
from topofinder.alltoall.solver.equilibrium import Equilibrium
from topofinder.alltoall.solver.flow_kernels import ecmp_flows
from topofinder.alltoall.solver.linear_program import FlowProgram
from topofinder.alltoall.solver.reduction import Reduction, identity_reduction, reduce_problem
from topofinder.alltoall.solver.rounding import best_flow, best_lengths
from topofinder.alltoall.solver.transitive import solve_by_translations

SMALL = 40_000
"""A program of at most so many variables is solved right away: it takes about two seconds."""
MARGIN = 0.98
"""The part of the gap to aim at with rounded numbers."""
TINY = 1e-12


@dataclass(slots=True)
class Ladder:
    """The best of what the methods found so far, and how much time is left."""

    problem: FlowProblem
    gap: Fraction
    began: float
    time: float
    tell: Callable[[ThroughputProgress], None] | None
    interrupted: bool = False
    lower: tuple[Fraction, Flow, str] | None = field(default=None, init=False)
    upper: tuple[Fraction, Int64Array] | None = field(default=None, init=False)

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return perf_counter() - self.began

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(self.time - self.seconds, 0.0)

    def translations(self) -> ThroughputBounds | None:
        """f exactly, where a group of translations keeps slots."""
        if (found := solve_by_translations(self.problem)) is None:
            return None
        lengths, flow = found
        self._note_upper(upper_bound(self.problem, lengths), lengths)
        self._note_lower(lower_bound(self.problem, flow), flow, "translations")
        return self._answer()

    def climb(self, method: str) -> ThroughputBounds:
        """The other methods, up to the one that is asked for."""
        small = identity_reduction(self.problem)
        try:
            small = reduce_problem(self.problem)
        except KeyboardInterrupt:
            self.interrupted = True
        state = Equilibrium(small, ecmp_flows(small))
        try:
            if not self.interrupted and not self._enough(state) and method != "hops":
                self._improve(small, state, method)
        except KeyboardInterrupt:
            self.interrupted = True
        if self.lower is None or state.sweeps:
            self._note(small, state.take_flows(), state.lengths, _name(state))
        return self._answer()

    def _improve(self, small: Reduction, state: Equilibrium, method: str) -> None:
        """A program if it is small or asked for, and an equilibrium if that was not enough."""
        if method in ("auto", "lp"):
            program = FlowProgram.of(small)
            wanted = method == "lp" or program.variables <= SMALL
            if wanted and (found := program.solve(self.left)) is not None:
                self._note(small, *found, "lp")
                return
        state.run(float(self.gap) * MARGIN, self.left, lambda: self._tell(state))

    def _enough(self, state: Equilibrium) -> bool:
        return state.lower >= (1 - float(self.gap) * MARGIN - TINY) * state.upper

    def _tell(self, state: Equilibrium) -> None:
        if self.tell is not None:
            lower, upper = Fraction(state.lower), Fraction(state.upper)
            now = self.seconds
            self.tell(
                ThroughputProgress(lower=lower, upper=upper, seconds=now, method=_name(state))
            )

    def _note(self, small: Reduction, flows: FloatArray, lengths: FloatArray, method: str) -> None:
        """Prove both bounds, and keep them where they are the best."""
        self._note_lower(*best_flow(self.problem, small, flows), method)
        self._note_upper(*best_lengths(self.problem, small, lengths))

    def _note_lower(self, bound: Fraction, flow: Flow, method: str) -> None:
        if self.lower is None or bound > self.lower[0]:
            self.lower = (bound, flow, method)

    def _note_upper(self, bound: Fraction, lengths: Int64Array) -> None:
        if self.upper is None or bound < self.upper[0]:
            self.upper = (bound, lengths)

    def _answer(self) -> ThroughputBounds:
        if self.lower is None or self.upper is None:
            raise RuntimeError("throughput: no bound was noted")
        lower, flow, method = self.lower
        upper, lengths = self.upper
        hops = hop_bound(self.problem)
        return ThroughputBounds(
            lower=lower,
            upper=upper,
            method=method,
            seconds=self.seconds,
            lengths=lengths,
            flow=flow,
            hop_bound=hops,
            moore_bound=moore_bound(self.problem),
            interrupted=self.interrupted,
        )


def _name(state: Equilibrium) -> str:
    return "equilibrium" if state.sweeps else "hops"
