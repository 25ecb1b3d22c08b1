"""Pruning: which candidates of one size are kept, and which of them form the frontier."""

from collections.abc import Iterable

from topofinder.model.candidate import Candidate


def prune(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Those that no other makes useless, in order of preference (Candidate.beats)."""
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=_fitness):
        if not any(other.beats(candidate) for other in kept):
            kept.append(candidate)
    return sorted(kept, key=Candidate.preference)


def frontier(pool: Iterable[Candidate]) -> list[Candidate]:
    """Those of which none is beaten in both T_L and T_B of the allgather, fewest steps first."""
    chosen: list[Candidate] = []
    for candidate in sorted(pool, key=Candidate.preference):
        if not chosen or candidate.allgather.bandwidth < chosen[-1].allgather.bandwidth:
            chosen.append(candidate)
    return chosen


def _fitness(candidate: Candidate) -> tuple[object, ...]:
    """Cheapest first and, among equals, the one with more uses: so nothing kept is beaten later."""
    return (
        candidate.allgather.steps,
        candidate.allgather.bandwidth,
        candidate.reduce_scatter.steps,
        candidate.reduce_scatter.bandwidth,
        not candidate.product_ready,
        not candidate.loop_free,
        not candidate.turnable,
        not candidate.line_open,
        *candidate.preference()[4:],
    )
