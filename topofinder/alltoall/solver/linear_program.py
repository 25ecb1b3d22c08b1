"""The linear program of a reduction, solved by HiGHS: for problems of moderate size.

Variables are the flows of each source of the reduction over each class of pairs (source, arc),
and the largest load; rows say that each class of nodes gets what it wants, and that no class of
arcs is loaded more. Basic solutions are rational, so that their exact values can often be read
off (`topofinder.alltoall.solver.rounding`).
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from generators.topology import FloatArray, Int64Array
from topofinder.alltoall.solver.reduction import Reduction


@dataclass(frozen=True, slots=True, eq=False)
class FlowProgram:
    """Which variable each (source, arc) is, and how many there are; `variable` is (k, m)."""

    small: Reduction
    variable: Int64Array
    variables: int

    @classmethod
    def of(cls, small: Reduction) -> "FlowProgram":
        """The program of a reduction."""
        variable = np.empty((len(small.sources), small.net.arcs), dtype=np.int64)
        count = 0
        for k, row in enumerate(small.representative_rows().tolist()):
            names, place = np.unique(small.pair_classes(row), return_inverse=True)
            variable[k] = count + place
            count += len(names)
        return cls(small, variable, count)

    def solve(self, seconds: float) -> tuple[FloatArray, FloatArray] | None:
        """Flows (k, m) in the units of the reduction and lengths (classes,); None without time."""
        small = self.small
        scale = float(small.wanted.max())
        deliver, wanted = self._delivery_rows()
        loads = self._load_rows()
        busy = float(self._hop_load()) / scale
        top = sparse.csr_matrix(-busy * small.capacity[:, None])
        objective = np.zeros(self.variables + 1)
        objective[-1] = 1
        result = linprog(  # type: ignore[call-overload]
            objective,
            A_ub=sparse.hstack([loads, top]).tocsr(),
            b_ub=np.zeros(small.classes),
            A_eq=sparse.hstack([deliver, sparse.csr_matrix((deliver.shape[0], 1))]).tocsr(),
            b_eq=wanted / scale,
            method="highs-ipm",
            options={
                "time_limit": max(seconds, 0.01),
                "primal_feasibility_tolerance": 1e-9,
                "dual_feasibility_tolerance": 1e-9,
            },
        )
        if result.status != 0:
            return None
        flows = np.maximum(result.x[:-1], 0.0)[self.variable] * scale
        lengths = np.maximum(-result.ineqlin.marginals, 0.0)
        return flows, lengths

    def _hop_load(self) -> float:
        """About the load of the busiest class, to bring the variables near 1."""
        small = self.small
        return float((small.wanted.sum(axis=1) @ small.weight) / small.capacity.sum())

    def _load_rows(self) -> sparse.csr_matrix:
        small = self.small
        rows = np.tile(small.kind, len(small.sources))
        counts = np.repeat(small.weight.astype(np.float64), small.net.arcs)
        shape = (small.classes, self.variables)
        return sparse.csr_matrix((counts, (rows, self.variable.ravel())), shape)

    def _delivery_rows(self) -> tuple[sparse.csr_matrix, FloatArray]:
        """What comes in less what goes out at one node of each class, and what it wants."""
        small, net = self.small, self.small.net
        blocks: list[sparse.csr_matrix] = []
        wanted: list[FloatArray] = []
        for k, source in enumerate(small.sources.tolist()):
            node = np.setdiff1d(self._class_representatives(k), [source])
            place = np.full(net.n, -1)
            place[node] = np.arange(len(node))
            parts = []
            for end, sign in ((net.head, 1.0), (net.tail, -1.0)):
                arc = np.flatnonzero(place[end] >= 0)
                parts.append((np.full(len(arc), sign), place[end[arc]], self.variable[k, arc]))
            values, rows, columns = (np.concatenate(part) for part in zip(*parts, strict=True))
            shape = (len(node), self.variables)
            blocks.append(sparse.csr_matrix((values, (rows, columns)), shape))
            wanted.append(small.wanted[k, node].astype(np.float64))
        return sparse.vstack(blocks).tocsr(), np.concatenate(wanted)

    def _class_representatives(self, k: int) -> Int64Array:
        row = self.small.node_classes(int(self.small.representative_rows()[k]))
        first: Int64Array = np.unique(row, return_index=True)[1]
        return first
