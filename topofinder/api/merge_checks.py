"""What a row from another database must be to be believed: bounds, hashes, and its own arithmetic.

Nothing is evaluated here; `topofinder.api.merge_proofs` costs every recipe anew. A row is refused
that this program would not write, letter by letter, from the costs and facts that it claims.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm

import numpy as np

from db.discovery_rows import FindRow
from db.named_graphs import GRAPHS
from db.offered import Checks
from db.rows import EFFORT, CandidateRow, FrontierRow, SizeRow
from db.throughput_rows import ThroughputRow
from expansions.build import build
from expansions.cost import Cost
from expansions.isomorphism import is_isomorphism
from expansions.parser import parse
from expansions.recipe import Application, Base, Graft, Line, Recipe
from expansions.schedule_files.digest import topology_digest
from expansions.size import size
from generators.cayley.notation import parse_group
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import Topology
from topofinder.alltoall.demand.patterns import canonical_pattern, pattern_demand
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solver.bounds import hop_bound, moore_bound
from topofinder.api.shared.candidate_rows import ENGINE, candidate_fields, candidate_of
from topofinder.api.shared.default_effort import MOST_EFFORT
from topofinder.api.throughput import MATRIX, UNIFORM
from topofinder.finder.base_candidates import evaluate_recipe
from topofinder.finder.base_scope import EVERYTHING, base_properties
from topofinder.finder.prediction import EVALUABLE
from topofinder.model.candidate import Candidate, LinkMode, Method, cost_lower_bound
from topofinder.model.frontier import frontier

WALKED = 1 << 24
"""Largest n * arcs whose distances are looked at for the bound of a throughput."""

MOST_BITS = 1 << 13
"""Of a common denominator of loads, at most."""

FOUND_FAMILIES, SPLIT_OFF = ("Cay", "Lift"), "SplitOff"
"""What discoveries find beside grafts: families, and the expansion that leaves a port free."""

METHODS = frozenset(Method)
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_MATRIX = re.compile(rf"{MATRIX} [0-9a-f]{{64}}", re.ASCII)
_WORD = re.compile(r"[ -~]{1,100}")


def checks() -> Checks:
    """The checks of all kinds of rows that are merged."""
    return Checks(
        size=check_size, throughput=check_throughput, find=check_find, reversal=check_reversal
    )


def check_size(row: SizeRow) -> None:
    """Refuse a size that this program cannot have written."""
    head = row.frontier
    _check_stamp(head)
    if head.engine > ENGINE:
        raise InvalidInput(f"engine {head.engine} is newer than this one, {ENGINE}")
    check_parameters(head)
    least = cost_lower_bound(head.n, head.d, LinkMode(head.links))
    if (head.bound_steps, head.bound_bandwidth) != (least.steps, least.bandwidth):
        raise InvalidInput(
            f"bound: {least.steps}, {least.bandwidth} it is, not {head.bound_steps}, "
            f"{head.bound_bandwidth!s:.40}"
        )
    if row.pool is None:
        raise InvalidInput("pool: none is kept")
    kept = [check_candidate(each) for each in row.pool]
    if kept != sorted(kept, key=Candidate.preference):
        raise InvalidInput("pool: its members are not in order of preference")
    rows, links = (
        {id(one): each for one, each in zip(kept, row.pool, strict=True)},
        LinkMode(head.links),
    )
    best = tuple(rows[id(each)] for each in frontier(kept))
    if best != head.members:
        raise InvalidInput("frontier: its members are not the best of those that are kept")
    if not best and EVERYTHING.members(head.n, head.d, links):
        raise InvalidInput("frontier: is empty, where there are graphs")


def check_parameters(row: FrontierRow) -> None:
    """Refuse other parameters than an effort and graphs by name, which are costed anew."""
    offered = {key: value for key, value in row.parameters.items() if key != GRAPHS}
    if offered and (offered != {EFFORT: row.effort} or not 1 <= row.effort <= MOST_EFFORT):
        known = f"an {EFFORT} of 1 to {MOST_EFFORT} is known"
        raise InvalidInput(f"parameters: {known}, not {excerpt(offered)}")
    members = {each.recipe: each for each in row.members}
    if set(members).issuperset(row.names) and len(row.names) == len(row.graphs) <= len(members):
        for recipe in row.names:
            _require_cost(members[recipe])
        return
    raise InvalidInput(f"{GRAPHS}: each is a member of the frontier, by one name")


def _require_cost(row: CandidateRow) -> None:
    """Refuse a graph by name whose cost is another than evaluation gives."""
    if row.n * row.n * row.d > EVALUABLE:
        raise InvalidInput(f"{excerpt(row.recipe)}: {row.n} nodes are too many to evaluate")
    found = evaluate_recipe(_parse_canonical(row.recipe, row.n, row.d))
    if (found.allgather, found.reduce_scatter) != (row.allgather, row.reduce_scatter):
        cost = found.allgather
        raise InvalidInput(f"{excerpt(row.recipe)}: it costs {cost.steps}, {cost.bandwidth}")


def check_candidate(row: CandidateRow) -> Candidate:
    """Refuse a candidate whose cost or facts contradict one another, or that beats a bound."""
    _check_stamp(row)
    recipe = _parse_canonical(row.recipe, row.n, row.d)
    if row.method not in METHODS:
        raise InvalidInput(f"method: {excerpt(row.method)} is not known")
    candidate, links = candidate_of(row, recipe), LinkMode(row.links)
    _check_cost(row.recipe, row.n, row.d, links, candidate.allgather)
    _check_cost(row.recipe, row.n, row.d, links, candidate.reduce_scatter)
    for name, wanted in candidate_fields(candidate, links).items():
        if getattr(row, name) != wanted:
            raise InvalidInput(_wrong(row, name, getattr(row, name), wanted))
    _check_diameter(row, candidate, cost_lower_bound(row.n, row.d, links).steps)
    _check_facts(row, candidate, links)
    return candidate


def check_throughput(row: ThroughputRow) -> None:
    """Refuse an interval of another graph than its recipe's, or beyond what distances allow."""
    _check_stamp(row)
    if not _WORD.fullmatch(row.method):
        raise InvalidInput(f"method: a word is needed, not {excerpt(row.method)}")
    named = row.demand == UNIFORM or _MATRIX.fullmatch(row.demand)
    if not named and canonical_pattern(row.demand) != row.demand:
        raise InvalidInput(f"demand: {excerpt(row.demand)} is no pattern")
    if row.recipe is None:
        return
    graph = _graph(_parse_canonical(row.recipe, row.n, row.d))
    _check_digest(row.topology, graph)
    if _MATRIX.fullmatch(row.demand):
        return
    demand = None if row.demand == UNIFORM else pattern_demand(row.demand, graph)
    problem = FlowProblem(topology=graph, demand=demand)
    most = hop_bound(problem) if graph.n * graph.arcs <= WALKED else moore_bound(problem)
    if most is not None and row.lower > most:
        raise InvalidInput(f"lower: {_decimal(row.lower)} is above {_decimal(most)}, by hops")
    if most is not None and row.upper > most:
        raise InvalidInput(f"upper: {_decimal(row.upper)} is above {_decimal(most)}, by hops")
    total = Fraction(graph.n * (graph.n - 1))
    if demand is not None:
        total = int(demand.high.sum()) * demand.unit
    if row.lower * total < 1:
        raise InvalidInput(f"lower: {_decimal(row.lower)} is below 1/{total}: one arc for all")


def check_find(row: FindRow) -> None:
    """Refuse a find that no discovery writes, or that beats a bound.

    It is a Cayley digraph, a lift or a graft, the transpose of one, or a line graph of these.
    """
    _check_stamp(row)
    group = row.base.removeprefix("Cay(").rpartition(";")[0]
    order = parse_group(group).order if row.base.startswith("Cay(") else 0
    if order > row.n:  # before anything is asked of a group that no limit has counted
        raise InvalidInput(f"base: has {order} nodes, more than {row.n}")
    recipe = _parse_canonical(row.recipe, row.n, row.d)
    base = parse(row.base) if row.base in row.recipe else recipe
    if str(base) != row.base or recipe not in (base, *_line_graphs(base, row.n)):
        raise InvalidInput(
            f"base: {excerpt(row.base)} is not what {excerpt(row.recipe)} is made of"
        )
    if not _is_found(base):
        raise InvalidInput(f"base: {excerpt(row.base)} is no Cayley digraph, lift or graft")
    links = LinkMode(row.links)
    if links is LinkMode.DUPLEX and (recipe != base or not _is_two_way(base)):
        raise InvalidInput("links: the graph is not two-way")
    for cost in (row.allgather, row.reduce_scatter):
        _check_cost(row.recipe, row.n, row.d, links, cost)
    if row.steps > row.n - 1:
        raise InvalidInput(f"steps: {row.steps} is more than {row.n - 1}")


def _line_graphs(base: Recipe, n: int) -> list[Recipe]:
    """The line graphs of a find that have at most n nodes."""
    have = size(base)
    found: list[Recipe] = []
    nodes = have.n * have.d
    while have.d > 1 and nodes <= n:
        found.append(Line(base, len(found) + 1))
        nodes *= have.d
    return found


def _is_found(base: Recipe) -> bool:
    """Whether a discovery may come upon it."""
    if isinstance(base, Base):
        return base.name in FOUND_FAMILIES
    inner = base.parts[0] if isinstance(base, Application) and base.symbol == "T" else base
    if isinstance(inner, Base):
        return inner.name in FOUND_FAMILIES
    return isinstance(inner, Graft) or inner.symbol == SPLIT_OFF


def _is_two_way(base: Recipe) -> bool:
    if isinstance(base, Base):
        return bool(base_properties(base).bidirectional)
    return _graph(base).is_bidirectional


def check_reversal(topology: str, recipe: str, image: Sequence[int]) -> None:
    """Refuse what is no isomorphism from the recipe's graph to its transpose."""
    graph = _graph(parse(recipe))
    _check_digest(topology, graph)
    if len(image) != graph.n:
        raise InvalidInput(f"image: {len(image)} nodes are not the {graph.n} of the graph")
    if not is_isomorphism(graph, graph.transpose(), np.array(image, dtype=np.int32)):
        raise InvalidInput("image: is no isomorphism to the transpose")


def _check_stamp(row: CandidateRow | FrontierRow | ThroughputRow | FindRow) -> None:
    if not _STAMP.fullmatch(row.created or ""):
        raise InvalidInput(f"created: no time in UTC: {excerpt(row.created)}")
    if not _WORD.fullmatch(row.version):
        raise InvalidInput(f"version: a version is needed, not {excerpt(row.version)}")


def _check_cost(recipe: str, n: int, d: int, links: LinkMode, cost: Cost) -> None:
    """Refuse a cost below the Moore or the bandwidth bound, or more than all shards on each arc."""
    least = cost_lower_bound(n, d, links)
    if cost.steps < least.steps:
        raise InvalidInput(f"{excerpt(recipe)}: T_L {cost.steps} is below {least.steps}, the least")
    if cost.bandwidth < least.bandwidth:
        told = f"T_B {cost.bandwidth!s:.40} is below {least.bandwidth}, the least"
        raise InvalidInput(f"{excerpt(recipe)}: {told}")
    most = d * cost.steps * Fraction(n - 1, n)
    if cost.bandwidth > most:
        told = f"T_B {cost.bandwidth!s:.40} is above {most}, all shards over an arc a step"
        raise InvalidInput(f"{excerpt(recipe)}: {told}")


def _check_diameter(row: CandidateRow, candidate: Candidate, least: int) -> None:
    steps, diameter = min(row.steps, row.rs_steps), row.diameter
    if diameter is not None and not least <= diameter <= steps:
        raise InvalidInput(_wrong(row, "diameter", diameter, f"{least} to {steps}"))
    if candidate.method is Method.BFB and {row.steps, row.rs_steps} != {diameter}:
        raise InvalidInput(_wrong(row, "steps", row.steps, f"{diameter}, the diameter"))


def _check_facts(row: CandidateRow, candidate: Candidate, links: LinkMode) -> None:
    least = cost_lower_bound(row.n, row.d, links).bandwidth
    if candidate.balanced and (row.bandwidth, row.rs_bandwidth) != (least, least):
        raise InvalidInput(_wrong(row, "balanced", True, False))
    if links is LinkMode.DUPLEX and not candidate.two_way:
        raise InvalidInput(f"{excerpt(row.recipe)}: a duplex fabric has only two-way graphs")
    cycle, line_exact = candidate.cycle, candidate.line_exact
    if cycle is not None and not (2 if candidate.loop_free else 1) <= cycle <= row.n:
        raise InvalidInput(_wrong(row, "cycle", cycle, f"1 to {row.n}"))
    if line_exact not in (0, 1, 2):
        raise InvalidInput(_wrong(row, "line_exact", line_exact, "0, 1 or 2"))
    if candidate.two_way and not candidate.symmetric:
        raise InvalidInput(_wrong(row, "symmetric", False, True))
    if candidate.symmetric and (row.steps, row.bandwidth) != (row.rs_steps, row.rs_bandwidth):
        raise InvalidInput(_wrong(row, "symmetric", True, False))
    if candidate.loads is None:
        return
    costs = (candidate.allgather, candidate.reduce_scatter)
    for side, cost in zip(candidate.loads, costs, strict=True):
        steps_differ = len(side) != cost.steps
        if steps_differ or exact_sum(side) * row.d != cost.bandwidth * row.n:
            raise InvalidInput(f"{excerpt(row.recipe)}: its loads do not add up to its cost")


def exact_sum(values: Sequence[Fraction]) -> Fraction:
    """The sum over a common denominator: one by one takes longer. InvalidInput for a long one.

    >>> exact_sum([Fraction(1, 2), Fraction(2, 3), Fraction(1)])
    Fraction(13, 6)
    """
    under = 1
    for value in values:
        under = lcm(under, value.denominator)
        if under.bit_length() > MOST_BITS:
            raise InvalidInput(f"loads: no common denominator of up to {MOST_BITS} bits")
    return Fraction(sum(value.numerator * (under // value.denominator) for value in values), under)


def _parse_canonical(text: str, n: int, d: int) -> Recipe:
    """The recipe, which must be written as topofinder writes it, of that size."""
    recipe = parse(text)
    if str(recipe) != text:
        raise InvalidInput(f"recipe: {excerpt(str(recipe))} is written {excerpt(text)}")
    if size(recipe) != (n, d):
        found = size(recipe)
        raise InvalidInput(f"recipe: has {found.n} nodes of {found.d} ports, not {n} of {d}")
    return recipe


@lru_cache(maxsize=1)
def _graph(recipe: Recipe) -> Topology:
    return build(recipe)


def _check_digest(topology: str, graph: Topology) -> None:
    found = topology_digest(graph)
    if topology != found:
        raise InvalidInput(f"topology: the hash is {found[:12]}..., not {excerpt(topology)}")


def _wrong(row: CandidateRow, name: str, offered: object, wanted: object) -> str:
    return f"{excerpt(row.recipe)}: {name} is {excerpt(offered)} where {excerpt(wanted)} is right"


def _decimal(value: Fraction) -> str:
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return excerpt(str(value))
