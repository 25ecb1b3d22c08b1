"""What `topofinder plan` is asked to keep up in the middle of stages, from names and shares."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import IntArray, Topology
from topofinder.alltoall.demand.matrix import Demand
from topofinder.api.shared.middle_rates import MiddleRates
from topofinder.api.throughput import MATRIX, UNIFORM, read_asked
from topofinder.model.inventory.hosts import named_hosts
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.drained_order import DrainRules, RateBounds
from topofinder.verification.plan_reader import SavedPlan

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


def kept_rules(
    asked: DrainRequest, plan: SavedPlan, since: Wiring, parts: Sequence[int]
) -> DrainRules | None:
    """The rules of a plan for another one that goes on with it, or leads back.

    Those that its file states hold but for what is `asked` anew. Shares are of what was up `since`
    the plan began, and demands between its own nodes; `parts` are the hosts whose parts the nodes
    of the other plan are. Raises InvalidInput as `drain_rules` does, and where the file states that
    a matrix of demands is carried, which it does not hold.
    """
    told = plan.fields.drain
    if told is not None:
        demand = asked.demand
        if demand is None and told.demand != UNIFORM and told.keep_throughput is not None:
            demand = told.demand
            if demand == MATRIX:
                raise InvalidInput(
                    f"--demand: {MATRIX} is that of a file, which is to be named again"
                )
        asked = DrainRequest(
            take_out=_or_told(asked.take_out, told.take_out),
            cuts=asked.cuts or tuple(map(",".join, told.cuts)),
            keep_throughput=_or_told(asked.keep_throughput, told.keep_throughput),
            demand=demand,
        )
    rules = drain_rules(asked, plan.fabric, plan.claim.topology)
    if rules is None:
        return None

    def rates(fabric: PortMap, host: tuple[int, ...], before: IntArray) -> RateBounds:
        other = dict(zip(parts, host, strict=True)) if len(parts) == len(host) else {}
        own = tuple(other.get(one, one) for one in plan.claim.host)
        return _bounds(asked, fabric, own, before)

    return replace(rules, rates=rates, since=since.to)


def _or_told(asked: Share | None, told: str | None) -> Share | None:
    return Fraction(told) if asked is None and told is not None else asked


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
    try:
        return read_asked(topology, text, None)
    except InvalidInput as error:
        raise InvalidInput(f"--demand: {str(error).removeprefix('pattern: ')}") from None


def _share(value: Share, option: str, *, below_one: bool = False) -> Fraction:
    """A part of a whole, from above 0 to 1, such as 0.25, 1/4 or 25%."""
    text = str(value).strip()
    percent = text.endswith("%")
    try:  # an exponent may make a number that takes all the memory there is
        if not isinstance(value, Fraction) and (len(text) > 40 or "e" in text.lower()):
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
