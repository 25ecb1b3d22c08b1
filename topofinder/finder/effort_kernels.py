"""Whether an effort is left for later: its kernels are not compiled, but will be in the background.

They take a quarter of a minute to compile, for a second of work. Who names no effort need not wait
for that; the answer says that nothing was looked for.
"""

from topofinder.discovery.grafts.anneal_kernels import anneal_graph
from topofinder.discovery.grafts.repair_kernels import fill_balls, repair_loads, repair_pairs
from topofinder.discovery.grafts.root_kernels import thin_digraph
from topofinder.discovery.grafts.state_kernels import evaluate_graph
from topofinder.discovery.lifts.annealing_kernels import anneal_lift
from topofinder.discovery.search_kernels import climb_lists
from topofinder.dispatch.stored_signatures import are_compiled_later
from topofinder.finder.effort_work import least_time, useful_work
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.profile_kernels import profile_by_bits
from topofinder.schedules.deferral.acceptance_kernels import accept_shards, fill_deadlines

KERNELS = (
    evaluate_graph, fill_balls, repair_loads, repair_pairs, anneal_graph, anneal_lift,
    accept_shards, fill_deadlines, profile_by_bits, climb_lists, thin_digraph,
)  # fmt: skip
"""Those that efforts spend their time in, in the order in which they are compiled."""


def is_left_for_later(plain: Pools, n: int, d: int, links: LinkMode, effort: int) -> bool:
    """Whether an effort would look for something here, but its kernels are not there yet.

    They are asked for then. Never where no process compiles in the background.

    >>> is_left_for_later(Pools(), 4, 3, LinkMode.SIMPLEX, 1)
    False
    """
    least = least_time(plain.pool(n, d, links))
    return useful_work((n, d, links), least, effort) > 0 and are_compiled_later(KERNELS)
