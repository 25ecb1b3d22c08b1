"""The placement whose panels may be the best, by relaxation, and then these panels.

How good the first panels of a placement are tells little of what the best are: relaxations do. The
placements with the lowest are polished by annealing with overfull slots and, where the relaxation
is nearly whole, by programs in whole numbers near it.
"""

import time as clock
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

import numpy as np

from generators.topology import IntArray
from topofinder.model.plan import Bound
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.panels.overfull import most_steps, split_by_overfull_slots
from topofinder.patching.panels.split import empty_split
from topofinder.patching.placement.assignment import (
    Assignment,
    CarriedPlacement,
    best_offer,
    carry_placement,
    kept_circuits,
)
from topofinder.patching.placement.exact_split import PanelRelaxation, relax_panels
from topofinder.patching.placement.fixed_placement import prove_panels
from topofinder.patching.placement.integer_program import Effort, least_proof_seconds
from topofinder.patching.placement.problem import PlacementProblem
from topofinder.patching.placement.symmetric_placements import symmetric_placements

OVERFULL_CIRCUITS, OVERFULL_STEP = 256, 5e-8
"""Circuits from which panels are sought with overfull slots: few are solved in whole numbers. CPU
seconds of a step."""
RELAXED, RELAXED_SHARE = 2e-4, 0.5
"""CPU seconds of a relaxation, for each circuit and panel, and the share of the time for all."""
NEARLY_WHOLE, IMAGES_SHARE = 1e-4, 1.5
"""The same where it is nearly whole, for placements that symmetries give."""
POLISHED = 2
"""Placements that are polished by programs, at most."""
NEAR_BRANCHES = 1 << 9
"""Branches of each program near a relaxation."""
PROVED_BRANCHES = 4
"""Branches of each program for panels that were annealed, where placements are compared."""
CLOSE = 1.03
"""Panels are not expected to be nearer to the relaxation: a second placement is polished where so
many times its relaxation is below the moves of the first."""


class RelaxedOffer(NamedTuple):
    """A placement `host` (nodes,), how it was found, and the relaxation of its panels."""

    host: IntArray
    found: str
    relaxation: PanelRelaxation


class PanelPolishing:
    """The best panels of few placements; `seconds` of CPU time are offered for each way."""

    def __init__(
        self,
        problem: PlacementProblem,
        wiring: Circuits,
        target: Circuits,
        constraints: Constraints,
        seed: int,
        seconds: float,
    ) -> None:
        self.problem, self.wiring, self.target = problem, wiring, target
        self.constraints, self.seed, self.seconds = constraints, seed, seconds
        self.variables = target.count * constraints.panels

    def better_offer(self, offers: Sequence[CarriedPlacement]) -> CarriedPlacement:
        """The best of the offers, or a better one: other panels, or another placement."""
        best = best_offer(offers)
        many = self.target.count >= OVERFULL_CIRCUITS and self.constraints.ports is not None
        relaxed = [] if best.price[0] or not many else self.relaxed_offers(offers)
        if not relaxed:
            alike = self.fewest_new(offers)
            if many and not alike.price[0]:
                alike = self.anneal_panels(alike, None)
            return best_offer([best, self._prove_other(alike, best)])
        for turn, one in enumerate(relaxed[: POLISHED if relaxed[0].relaxation.near_whole else 1]):
            if ceil((CLOSE if turn else 1.0) * one.relaxation.least) < best.price[1]:
                best = best_offer([best, self.polish_offer(one, offers, best)])
        return best

    def relaxed_offers(self, offers: Sequence[CarriedPlacement]) -> list[RelaxedOffer]:
        """Relaxations of the offers and, where they are nearly whole, of others like them.

        The lowest first; none where there is no time for one.
        """
        few = int(RELAXED_SHARE * self.seconds / (RELAXED * self.variables))
        ranked = sorted(offers, key=lambda one: (self.count_new(one.host), one.price))
        found = self._relax_all(((one.host, one.found) for one in ranked), few)
        if found and found[0].relaxation.near_whole:
            more = int(IMAGES_SHARE * self.seconds / (NEARLY_WHOLE * self.variables))
            like = symmetric_placements(
                self.problem, self.wiring, self.target, self.constraints, ranked[0].host, self.seed
            )
            found += self._relax_all(((host, "symmetry") for host in like), more)
        return sorted(found, key=lambda one: one.relaxation.least)

    def _relax_all(self, hosts: Iterable[tuple[IntArray, str]], most: int) -> list[RelaxedOffer]:
        """The first few relaxations, of different placements."""
        found, seen = list[RelaxedOffer](), set[bytes]()
        for host, name in hosts:
            if len(seen) >= most:
                break
            if host.tobytes() not in seen:
                seen.add(host.tobytes())
                placed = self.target.on_hosts(host, self.wiring.n)
                ports, receivers = self.constraints.ports, self.constraints.receivers
                assert ports is not None, "there are several panels"
                state = empty_split(self.wiring, placed, ports, receivers)
                if (relaxation := relax_panels(state, Effort())) is not None:
                    found.append(RelaxedOffer(host, name, relaxation))
        return found

    def polish_offer(
        self, one: RelaxedOffer, offers: Sequence[CarriedPlacement], best: CarriedPlacement
    ) -> CarriedPlacement:
        """The best panels found for a placement."""
        own = [offer for offer in offers if np.array_equal(offer.host, one.host)]
        offer = best_offer(own) if own else self._carry_host(one)
        if offer.price[0]:
            return offer
        offer = self.anneal_panels(offer, one.relaxation)
        if one.relaxation.near_whole:
            return self._prove_offer(offer, NEAR_BRANCHES, self.seconds)
        return self._prove_other(offer, best)

    def _carry_host(self, one: RelaxedOffer) -> CarriedPlacement:
        host = one.host.astype(np.int64)
        return carry_placement(
            self.wiring, self.target, self.constraints, host, one.found, self.seed
        )

    def _prove_other(self, offer: CarriedPlacement, best: CarriedPlacement) -> CarriedPlacement:
        """The offer, polished if it is of another placement: the caller proves that of the best."""
        variables = 2 * RELAXED * self.variables
        if np.array_equal(offer.host, best.host) or variables > RELAXED_SHARE * self.seconds:
            return offer
        seconds = max(self.seconds, least_proof_seconds(self.variables))
        return self._prove_offer(offer, PROVED_BRANCHES, seconds)

    def anneal_panels(
        self, offer: CarriedPlacement, relaxation: PanelRelaxation | None
    ) -> CarriedPlacement:
        """The offer, or one of the same hosts with panels that are found with overfull slots.

        Nothing is sought where only those move that are new anyway.
        """
        ports, receivers = self.constraints.ports, self.constraints.receivers
        if ports is None or offer.price[1] <= self.count_new(offer.host):
            return offer
        steps = int(min(self.seconds / OVERFULL_STEP, most_steps(self.target.count)))
        placed = self.target.on_hosts(offer.host, self.wiring.n)
        tolls = None if relaxation is None else relaxation.tolls
        panel = split_by_overfull_slots(
            self.wiring,
            placed,
            ports,
            steps,
            self.seed,
            receivers=receivers,
            tolls=tolls,
            tolls_suit=relaxation is not None and relaxation.near_whole,
        )
        if panel is None:
            return offer
        kept = kept_circuits(self.wiring, self.target, offer.host, panel)
        return best_offer([offer, replace(offer, panel=panel, kept=kept)])

    def _prove_offer(
        self, offer: CarriedPlacement, branches: int, seconds: float
    ) -> CarriedPlacement:
        """The offer with panels that programs in whole numbers find."""
        found = Assignment(
            host=offer.host,
            panel=offer.panel,
            kept=offer.kept,
            bound=Bound(moves=0, name="count"),
            found=offer.found,
            seed=0,
            seconds=0.0,
        )
        end = clock.process_time() + seconds
        effort = Effort(branches=branches, seconds=lambda: end - clock.process_time())
        proved = prove_panels(self.wiring, self.target, self.constraints, found, effort=effort)
        return replace(offer, panel=proved.panel, kept=proved.kept)

    def fewest_new(self, offers: Sequence[CarriedPlacement]) -> CarriedPlacement:
        """The offer whose placement could do with the fewest moves, if its panels were right.

        It matters more than the panels it has: others are sought.
        """
        return min(offers, key=lambda one: (one.price[0], self.count_new(one.host), one.price))

    def count_new(self, host: IntArray) -> int:
        """Circuits of the target that are nowhere between their hosts, whatever the panel."""
        anywhere = np.zeros(self.target.count, dtype=np.int32)
        kept = kept_circuits(replace(self.wiring, panel=None), self.target, host, anywhere)
        return int(np.count_nonzero(kept < 0))
