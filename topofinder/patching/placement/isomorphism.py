"""Exact isomorphism of wiring and target: if the one is the other already, nothing moves.

Individualisation and refinement: where refined words leave nodes alike, one node of the target
is singled out and every host with the same word is tried in its place. Hosts that fail are mostly
refuted within a few rounds, because the multisets of words soon differ.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generators.topology import Int64Array
from topofinder.patching.placement.problem import PlacementProblem
from topofinder.patching.placement.refinement_kernels import refine_words

ColourWords = NDArray[np.uint64]
VISITS = 100_000_000
"""Nodes that refinement visits before the search gives up: some seconds."""


class IsomorphismAnswer(NamedTuple):
    """A placement under which target and wiring are the same, or None; is None proved?"""

    host: Int64Array | None
    proved: bool


def find_isomorphism(
    problem: PlacementProblem, first: Int64Array, visits: int = VISITS
) -> IsomorphismAnswer:
    """Whether some placement makes the target exactly the wiring.

    Nodes that the rules fix stay where they are in `first`. What hosts have room for need not be
    asked: the wiring is in place, so it has room.
    """
    if not _same_profile(problem):
        return IsomorphismAnswer(None, True)
    search = _Search(problem, first, visits)
    host = next(search.extensions(*search.start()), None)
    return IsomorphismAnswer(host, search.left > 0)


def draw_symmetries(
    problem: PlacementProblem, count: int, seed: int, visits: int = VISITS
) -> list[Int64Array]:
    """So many symmetries of the wiring, drawn by chance: `image[h]` is where host h goes.

    Fewer where the search for them gives up.
    """
    rules, own = problem.rules, np.arange(problem.n)
    free = rules._replace(fixed=np.zeros_like(rules.fixed))
    same = replace(problem, target=problem.wiring, rules=free)
    same = replace(same, circuits=same.count_kept(own))
    random, found = np.random.default_rng(seed), list[Int64Array]()
    for _ in range(count):
        search = _Search(same, own, visits // count, random)
        if (image := next(search.extensions(*search.start()), None)) is not None:
            found.append(image)
    return found


def _same_profile(problem: PlacementProblem) -> bool:
    """Whether as many circuits have each colour and number: the quick refusal."""
    wiring, target = (
        np.sort(rows.mult * rows.colours + rows.colour) for rows in (problem.wiring, problem.target)
    )
    return np.array_equal(wiring, target)


class _Search:
    """Depth first; `left` counts down the visits."""

    def __init__(
        self,
        problem: PlacementProblem,
        first: Int64Array,
        visits: int,
        random: np.random.Generator | None = None,
    ) -> None:
        self.problem, self.first, self.left, self.random = problem, first, visits, random

    def start(self) -> tuple[ColourWords, ColourWords]:
        """One word for all nodes, and one for each fixed node."""
        fixed = np.flatnonzero(self.problem.rules.fixed)
        ours = np.zeros(self.problem.n, dtype=np.uint64)
        theirs = ours.copy()
        ours[fixed] = theirs[self.first[fixed]] = np.arange(1, len(fixed) + 1)
        return ours, theirs

    def extensions(self, ours: ColourWords, theirs: ColourWords) -> Iterator[Int64Array]:
        """The isomorphisms that keep the words, found by refining and singling out."""
        waiting = iter([(ours, theirs)])
        stack = [waiting]
        while stack and self.left > 0:
            one = next(stack[-1], None)
            if one is None:
                stack.pop()
                continue
            ours, theirs = one
            alike, visited = refine_words(self.problem.target, self.problem.wiring, ours, theirs)
            self.left -= visited
            if not alike:
                continue
            words, counts = np.unique(ours, return_counts=True)
            if len(words) == self.problem.n:
                host = np.empty(self.problem.n, dtype=np.int64)
                host[np.argsort(ours)] = np.argsort(theirs)
                if self.problem.count_kept(host) == self.problem.circuits:
                    yield host
                continue
            repeated = np.flatnonzero(counts > 1)
            word = words[repeated[np.argmin(counts[repeated])]]
            hosts = np.flatnonzero(theirs == word)
            if self.random is not None:
                hosts = self.random.permutation(hosts)
            stack.append(_individualise(ours, theirs, word, hosts))


def _individualise(
    ours: ColourWords, theirs: ColourWords, word: np.uint64, hosts: Int64Array
) -> Iterator[tuple[ColourWords, ColourWords]]:
    """One node of a word given a word of its own, with each of the hosts of that word in turn."""
    node = int(np.flatnonzero(ours == word)[0])
    for host in hosts.tolist():
        one, two = ours.copy(), theirs.copy()
        one[node] = two[host] = ~word
        yield one, two
