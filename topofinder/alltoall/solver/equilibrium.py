"""Good flows and lengths at once for any graph: prices follow loads, and flows follow prices.

The exponential method of multipliers (Bertsekas, 1982, section 5.1) for the least largest load:
arcs have prices base * exp(steep * (load / target - 1)), flows come near the equilibrium in which
they take only shortest routes under these prices (`solver.equilibrium_kernels`), and then the
prices become the new bases. Many gentle steps are best: one sweep a price change. `steep` grows
while the loads are less even than the routes, and falls while it is the other way round. Lengths
are the prices themselves. Flows of different sweeps are averaged by exact line search, which
halves the work.
"""

from collections.abc import Callable
from math import inf
from time import perf_counter

import numpy as np

from generators.topology import FloatArray
from topofinder.alltoall.solver.equilibrium_kernels import (
    ArcPrices,
    add_loads,
    mix_flows,
    set_prices,
    sweep_sources,
)
from topofinder.alltoall.solver.reduction import Reduction
from topofinder.alltoall.solver.shortest_path_kernels import total_distance

FIRST_STEEP = 3.0
GROWTH, DECAY = 1.3, 0.95
FAVOUR = 3.0
"""`steep` grows when loads are this many times less even than routes."""
LEAST_STEEP, STEEPEST = 1.0, 1e4
EVEN_ROUTES = 0.03
"""Routes this part of the gap apart are even enough."""
TURN = 64
"""Sources of a sweep between two looks at the clock."""
LEAST_BASE = 1e-9
"""Bases stay above this part of their mean, so that arcs can come back."""


class Equilibrium:
    """The state of the method: `lower` and `upper` bounds so far, and what gives them.

    `flows` (k, m) and `lengths` (classes,) are the best so far, in the scale of the reduction:
    what nodes want is divided by its largest amount, `scale`. Bounds are rounded numbers.
    """

    def __init__(self, small: Reduction, first: FloatArray) -> None:
        """Begin with flows (k, m) in the units of the reduction; the array is taken over."""
        self.small, self.scale = small, float(small.wanted.max())
        self.weight = small.weight.astype(np.float64)
        self.wanted = small.wanted / self.scale
        first /= self.scale
        self._now = first
        self.flows = self._now.copy()
        load = np.zeros(small.classes)
        add_loads(self.weight, small.kind, self._now, load)
        self._load = load.copy()
        ones, zeros = np.ones(small.classes), np.zeros(small.classes)
        settings = np.array([FIRST_STEEP, 1.0, 1e-9])
        self._prices = ArcPrices(small.kind, small.capacity, ones, load, zeros, settings)
        self.lengths, self._upper = ones.copy(), np.inf
        self._bound_rate(ones)
        self.sweeps = 0

    @property
    def lower(self) -> float:
        """The rate that `flows` reach."""
        return self._reached_rate(self._load) / self.scale

    @property
    def upper(self) -> float:
        """The rate that `lengths` allow."""
        return self._upper / self.scale

    def take_flows(self) -> FloatArray:
        """The best flows in the units of the reduction; the state is of no use afterwards."""
        self._now = np.empty((0, 0))
        self.flows *= self.scale
        return self.flows

    def run(self, gap: float, seconds: float, tell: Callable[[], None]) -> None:
        """Sweep until the bounds are near enough or time is up."""
        deadline = perf_counter() + seconds
        self._prices.settings[2] = EVEN_ROUTES * gap
        while self.lower < (1 - gap) * self.upper and perf_counter() < deadline:
            self.step(deadline)
            tell()

    def step(self, until: float = inf) -> None:
        """One sweep, or as much of it as can begin `until` then, and a new base."""
        prices, small = self._prices, self.small
        prices.settings[1] = 1 / self._upper
        set_prices(prices)
        for first in range(0, len(small.sources), TURN):
            turn = slice(first, first + TURN)
            own = small.sources[turn], self.weight[turn]
            sweep_sources(*own, small.net, prices, self._now[turn])
            if perf_counter() >= until:
                break
        self._recount_loads()
        set_prices(prices)
        self.sweeps += 1
        self._average_flows()
        self._adjust_steepness(self._bound_rate(prices.price))
        room = float((prices.price * prices.capacity).sum())
        prices.base[:] = np.maximum(prices.price * (prices.capacity.sum() / room), LEAST_BASE)

    def _adjust_steepness(self, bound: float) -> None:
        """Make prices steeper or gentler; `bound` is what they prove now."""
        prices = self._prices
        average = float(prices.price @ prices.capacity) / float(prices.price @ prices.load)
        uneven_loads = 1 - self._reached_rate(self._load) / average
        uneven_routes = 1 - average / bound
        factor = GROWTH if uneven_loads > FAVOUR * uneven_routes else DECAY
        prices.settings[0] = min(max(prices.settings[0] * factor, LEAST_STEEP), STEEPEST)

    def _recount_loads(self) -> None:
        """Loads anew, without what rounding added up."""
        self._prices.load[:] = 0
        add_loads(self.weight, self.small.kind, self._now, self._prices.load)

    def _bound_rate(self, lengths: FloatArray) -> float:
        """The rate that lengths allow; they are remembered if they are the best so far."""
        small = self.small
        own = lengths[small.kind]
        spent = float(total_distance(small.sources, self.weight, self.wanted, small.net, own))
        bound = float((lengths * small.capacity).sum()) / spent
        if bound < self._upper:
            self._upper, self.lengths = bound, lengths.copy()
        return bound

    def _reached_rate(self, load: FloatArray) -> float:
        return 1 / float((load / self.small.capacity).max())

    def _average_flows(self) -> None:
        """Move the best flows towards the present ones as far as that helps."""
        load = self._prices.load

        def mixed_load(part: float) -> FloatArray:
            return (1 - part) * self._load + part * load

        def rate_at(part: float) -> float:
            return self._reached_rate(mixed_load(part))

        low, high = 0.0, 1.0
        for _ in range(40):
            third = (high - low) / 3
            if rate_at(low + third) >= rate_at(high - third):
                high -= third
            else:
                low += third
        part = max((low + high) / 2, 1.0, key=rate_at)
        if rate_at(part) > self._reached_rate(self._load):
            mix_flows(self.flows, self._now, part)
            self._load = mixed_load(part)
