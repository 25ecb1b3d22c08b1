"""What `topofinder plan` is asked to keep up in the middle of stages, from names and shares."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import IntArray, Topology
from topofinder.alltoall.demand.matrix import Demand
from topofinder.api.shared.middle_rates import MiddleRates
from topofinder.api.throughput import UNIFORM, read_asked
from topofinder.model.inventory.hosts import named_hosts
from topofinder.model.inventory.ports import PortMap
from topofinder.patching.drained_order import DrainRules, RateBounds

SUFFIXES = (".csv", ".npz")
"""What a matrix of demands is read from."""
Share = str | float | Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainRequest:
    """Shares as texts or numbers, cuts as names and patterns of the hosts on one side."""

    take_out: Share | None = None
    cuts: Sequence[str] = ()
    keep_throughput: Share | None = None
    demand: str | os.PathLike[str] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for."""
        return self.take_out is None and self.keep_throughput is None


def drain_rules(asked: DrainRequest, fabric: PortMap, target: Topology) -> DrainRules | None:
    """The rules for an order; None where nothing is asked for.

    Beside the cuts that are named, each rack of the inventory is one side of a cut. Raises
    InvalidInput for shares that are none, unknown hosts, cuts without a take-out, and demands that
    do not fit the target.
    """
    if asked.take_out is None and asked.cuts:
        raise InvalidInput("--cut: --take-out is needed, the share that may be out")
    if asked.keep_throughput is None and asked.demand is not None:
        raise InvalidInput("--demand: --keep-throughput is needed, the share that is kept")
    if asked.is_empty:
        return None
    label, _ = _demand(asked, target)
    take_out = asked.take_out
    return DrainRules(
        take_out=None if take_out is None else _share(take_out, "--take-out", below_one=True),
        cuts=() if take_out is None else _cuts(asked.cuts, fabric),
        keep=None
        if asked.keep_throughput is None
        else _share(asked.keep_throughput, "--keep-throughput"),
        demand=label,
        rates=lambda of, host, before: _bounds(asked, of, host, before),
    )


def _bounds(
    asked: DrainRequest, fabric: PortMap, host: tuple[int, ...], before: IntArray
) -> RateBounds:
    n = len(host)
    ring = Topology.from_arcs(n, [(node, (node + 1) % n) for node in range(n)])
    return MiddleRates(fabric, host, before, _demand(asked, ring)[1]).bounds


def _demand(asked: DrainRequest, topology: Topology) -> tuple[str, Demand | None]:
    """The label of the demand between nodes, and its amounts; None where all send 1 to all."""
    if asked.demand is None:
        return UNIFORM, None
    text = os.fspath(asked.demand)
    if Path(text).suffix.lower() in SUFFIXES:
        return read_asked(topology, UNIFORM, text)
    return read_asked(topology, text, None)


def _share(value: Share, option: str, *, below_one: bool = False) -> Fraction:
    """A part of a whole, from above 0 to 1, such as 0.25, 1/4 or 25%."""
    text = str(value).strip()
    percent = text.endswith("%")
    try:  # an exponent may make a number that takes all the memory there is
        if len(text) > 40 or "e" in text.lower():
            raise ValueError
        share = Fraction(text.removesuffix("%").strip()) / (100 if percent else 1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 < share <= 1 or (below_one and share == 1):
        most = " and below 1" if below_one else ", at most 1"
        raise InvalidInput(f"{option}: a share above 0{most}, not {excerpt(text)}")
    return share


def _cuts(texts: Sequence[str], fabric: PortMap) -> tuple[tuple[int, ...], ...]:
    cuts = [named_hosts(fabric, text, "--cut") for text in texts]
    for text, cut in zip(texts, cuts, strict=True):
        if len(cut) == len(fabric.hosts):
            raise InvalidInput(f"--cut: {excerpt(text)} leaves no host on the other side")
    racks = np.array(fabric.racks)
    for rack in dict.fromkeys(fabric.racks):
        side = tuple(np.flatnonzero(racks == rack).tolist())
        if rack and len(side) < len(fabric.hosts):
            cuts.append(side)
    return tuple(dict.fromkeys(cuts))
