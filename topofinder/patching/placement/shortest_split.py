"""The panels of one placement for the least length of its circuits, by integer programs in turn.

First as few circuits as can be are longer than a reach, then the sum of their lengths is the least,
then as many as can be stay; what one program finds the next one keeps.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix, csr_matrix, vstack

from generators.topology import Int64Array, IntArray
from topofinder.patching.circuits import Circuits

INFEASIBLE = 2
"""What `milp` calls a program that nothing satisfies."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShortestSplit:
    """A panel for each circuit (circuits,), and whether no other split is better.

    None where no split is known; `whole` says then that there is none.
    """

    panel: IntArray | None
    whole: bool


def shortest_split(
    there: Circuits, placed: Circuits, room: Int64Array, costs: list[Int64Array], seconds: float
) -> ShortestSplit:
    """The panels of a target on its hosts, those that are there as circuits `there`.

    `costs` are of each circuit on each panel, (circuits, panels), the foremost first; those of
    circuits between the same hosts are alike. `room` (2, hosts, panels) are ports that send
    and hear.
    """
    keys = [_pair_keys(circuits) for circuits in (there, placed)]
    kinds, first, pair = np.unique(keys[1], return_index=True, return_inverse=True)
    wanted, panels = np.bincount(pair), room.shape[2]
    stays = np.zeros((len(kinds), panels), dtype=np.int64)
    at = np.searchsorted(kinds, keys[0]).clip(max=len(kinds) - 1)
    same = kinds[at] == keys[0]
    if there.panel is not None:
        np.add.at(stays, (at[same], there.panel[same]), 1)
    ends = np.stack([placed.tail, placed.head], axis=1)[first].astype(np.int64)
    rows, low, high = _limits(ends, wanted, room, duplex=placed.duplex)
    upper = np.concatenate([np.minimum(stays, wanted[:, None]).ravel(), np.repeat(wanted, panels)])
    turns = [np.tile(cost[first].ravel(), 2) for cost in costs]
    turns.append(np.repeat([0, 1], stays.size))
    whole, chosen = True, np.zeros(2 * stays.size, dtype=np.int64)
    for cost in turns:
        scale = max(1, int(np.gcd.reduce(cost)))
        answer = milp(
            (cost // scale).astype(float),
            constraints=LinearConstraint(rows, low, high),
            integrality=np.ones(len(cost), dtype=np.int8),
            bounds=Bounds(0, upper),
            options={"time_limit": seconds / len(turns), "mip_rel_gap": 0.0},
        )
        if answer.x is None:
            return ShortestSplit(panel=None, whole=answer.status == INFEASIBLE)
        chosen, whole = np.rint(answer.x).astype(np.int64), whole and answer.status == 0
        line = _int32_rows(csr_matrix((cost // scale).astype(float)[None]))
        rows = _int32_rows(csr_matrix(vstack([rows, line])))
        low, high = np.append(low, 0), np.append(high, float((cost // scale) @ chosen))
    on = chosen.reshape(2, *stays.shape).sum(axis=0)
    panel = np.empty(placed.count, dtype=np.int32)
    panel[np.argsort(pair, kind="stable")] = np.repeat(
        np.tile(np.arange(panels), len(kinds)), on.ravel()
    )
    return ShortestSplit(panel=panel, whole=whole)


def _limits(
    ends: Int64Array, wanted: Int64Array, room: Int64Array, *, duplex: bool
) -> tuple[csr_matrix, Int64Array, Int64Array]:
    """All circuits have a panel, and no more are on it at a host than it has ports there."""
    pairs, hosts, panels = len(ends), room.shape[1], room.shape[2]
    place = np.arange(pairs * panels)
    pair, panel = place // panels, place % panels
    sides = [ends[pair, 0] * panels + panel, ends[pair, 1] * panels + panel]
    shift = 0 if duplex else hosts * panels
    row = np.concatenate([pair, pairs + sides[0], pairs + shift + sides[1]])
    size = pairs + hosts * panels * (1 if duplex else 2)
    one = coo_matrix((np.ones(len(row)), (row, np.tile(place, 3))), (size, len(place)))
    ports = room[0].ravel() if duplex else room.ravel()
    both = _int32_rows(csr_matrix(_beside(one)))
    return both, np.append(wanted, np.zeros(len(ports))), np.append(wanted, ports)


def _beside(one: coo_matrix) -> coo_matrix:
    """The same columns twice: for what stays and for what is made."""
    column = np.concatenate([one.col, one.col + one.shape[1]])
    return coo_matrix(
        (np.tile(one.data, 2), (np.tile(one.row, 2), column)), (one.shape[0], 2 * one.shape[1])
    )


def _int32_rows(table: csr_matrix) -> csr_matrix:
    table.indices, table.indptr = table.indices.astype(np.int32), table.indptr.astype(np.int32)
    return table


def _pair_keys(circuits: Circuits) -> Int64Array:
    """One number for each pair of ends, whichever way round in duplex."""
    tail, head = circuits.tail.astype(np.int64), circuits.head.astype(np.int64)
    if circuits.duplex:
        tail, head = np.minimum(tail, head), np.maximum(tail, head)
    return np.asarray(tail * circuits.n + head)
