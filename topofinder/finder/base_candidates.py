"""Candidates from base graphs: by their theorem where it fixes the cost, else by evaluation."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from expansions.build import build
from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.properties import properties
from expansions.recipe import Base, Recipe
from expansions.searched_graphs import evaluated_profile, searched_profile
from generators.cayley.catalogue import ShippedDigraph, look_up
from generators.cayley.notation import parse_group
from generators.cost_profile import CostProfile
from generators.errors import InvalidInput
from generators.families.chords import LARGEST as LARGEST_CHORDS
from generators.families.circulant import LARGEST_SPREAD
from generators.lifts.profiles import lift_profile
from generators.limits import LARGEST_BUILT
from generators.registry import BaseProperties
from generators.topology import Topology
from topofinder.finder.base_scope import EVERYTHING, Scope, base_properties, cost_is_proved
from topofinder.model.candidate import Candidate, LinkMode, Method
from topofinder.schedules.bfb.cayley import evaluate_cayley, evaluate_circulants
from topofinder.schedules.bfb.evaluation import Evaluation, GraphEvaluations, Pair
from topofinder.schedules.bfb.evaluation_numpy import is_quick_in_numpy
from topofinder.schedules.bfb.kautz import (
    evaluate_kautz,
    is_costed_without_graph,
    kautz_bound,
    kautz_work,
)
from topofinder.schedules.synthesis.chunk_schedules import SYNTHESISED_BASES, shipped_synthesis
from topofinder.schedules.synthesis.complete_multigraphs import relayed_cost

SYNTHESISED = {base.name for base in SYNTHESISED_BASES.values()}
"""Families with members whose schedules ship with topofinder."""

SHIPPED = ("Cay", "Lift")
"""Families with members that ship with topofinder, costs and all."""

MOST_OF_CIRCULANTS = 10**7
"""Nodes of the largest circulant whose BFB schedule is evaluated: 3 s and 0.8 GiB."""

FEW_RECEIVERS = 8
"""Receivers that may tell that a graph betters nothing."""

SMALL = 64
"""Up to this size a graph of proved cost is built when its line graphs are in question."""


def too_large(base: Base, scope: Scope = EVERYTHING) -> bool:
    """Whether a large search leaves a base graph out: no theorem costs it, and it is heavy.

    Of generalized Kautz graphs there are closed forms, and a bound at any size; circulants take one
    receiver. Rings with chords take three seconds at the most at the sizes that are searched.

    >>> from expansions.parser import parse
    >>> too_large(parse("DBJ(2,17)")), too_large(parse("Pi(4,70000)"))
    (True, False)
    """
    properties = base_properties(base)
    if _is_closed_kautz(base) or (base.name == "C" and properties.n <= LARGEST_SPREAD):
        return False
    if base.name == "Chords" and properties.n <= LARGEST_CHORDS:
        return False
    light = scope.is_light(properties.n, properties.d)
    return not (light or cost_is_proved(properties) or shipped_pair(base))


def _is_closed_kautz(base: Base) -> bool:
    return base.name == "Pi" and is_costed_without_graph(*_any_arguments(base))


def _any_arguments(base: Base) -> Any:
    """The arguments, of the types that the family has."""
    return base.arguments


def evaluate_both(recipe: Recipe, symmetric: bool = False) -> Pair:
    """Build a graph and evaluate BFB both ways; once, if the graph is its own transpose."""
    return both_ways(build(recipe), symmetric)


def both_ways(topology: Topology, symmetric: bool = False) -> Pair:
    """Evaluate BFB on a topology and on its transpose."""
    return GraphEvaluations(topology, symmetric).pair()


def evaluate_one_receiver(base: Base) -> Pair:
    """Evaluate BFB both ways on a base graph that is too large to evaluate at every node.

    Circulants of up to MOST_OF_CIRCULANTS nodes and Cayley digraphs need no graph: translations
    carry one receiver to all. Raises InvalidInput for other graphs.

    >>> from expansions.parser import parse
    >>> evaluate_one_receiver(parse("C(100000,{1,300})"))[0].cost.steps
    267
    """
    known = base_properties(base)
    if base.name == "C" and known.n <= MOST_OF_CIRCULANTS:
        [found] = evaluate_circulants([_any_arguments(base)])
        return found, found
    if base.name != "Cay":
        raise InvalidInput(f"{base} has {known.n} nodes; at most {LARGEST_BUILT} are evaluated")
    text, *generators = _any_arguments(base)
    group = parse_group(text)
    forth = evaluate_cayley(group, generators)
    if known.reverse_symmetric:
        return forth, forth
    return forth, evaluate_cayley(group, group.inverses[generators].tolist())


class Bases:
    """Base candidates with every evaluation kept, so that each graph is evaluated once."""

    def __init__(self, scope: Scope = EVERYTHING) -> None:
        self.scope = scope
        self._pairs: dict[Base, Pair] = {}
        self._candidates: dict[Base, list[Candidate]] = {}
        self._graphs: dict[Recipe, Candidate] = {}
        self._members: dict[tuple[int, int, LinkMode, bool], tuple[Base, ...]] = {}

    def members(self, n: int, d: int, links: LinkMode, large: bool = False) -> tuple[Base, ...]:
        """The base graphs of that size and degree in the scope, listed once.

        For a `large` search without those that are too large (`finder.left_out` tells which).
        """
        key = (n, d, links, large)
        if key not in self._members:
            found = self.scope.members(n, d, links)
            self._members[key] = tuple(
                base for base in found if not (large and too_large(base, self.scope))
            )
        return self._members[key]

    def remember(self, found: Iterable[tuple[Base, Pair]]) -> None:
        """Take in evaluations made elsewhere, for instance by parallel workers."""
        self._pairs.update(found)

    def is_evaluated(self, base: Base) -> bool:
        """Whether the evaluation of a base graph is known."""
        return base in self._pairs

    def share_evaluations(self, other: "Bases") -> None:
        """Take what another search has evaluated, now and later, and give it what is found here."""
        self._pairs = other._pairs

    def pair(self, base: Base) -> Pair:
        """The evaluation of a base graph and of its transpose."""
        if base not in self._pairs:
            self._pairs[base] = shipped_pair(base) or self._evaluate(base)
        return self._pairs[base]

    def is_hopeless(self, base: Base, known: Iterable[Candidate]) -> bool:
        """Whether a graph is settled, or costs more than one that is known, in every use.

        Of generalized Kautz graphs FEW_RECEIVERS tell, where to evaluate one takes long.
        """
        properties = base_properties(base)
        n, d = properties.n, properties.d
        if self.scope.is_base_settled(base):
            return True
        if base in self._pairs or not _is_closed_kautz(base) or is_quick_in_numpy(n, d):
            return False
        if self._is_bounded(base):
            return False
        [pair] = evaluate_kautz([_any_arguments(base)], FEW_RECEIVERS)
        least = replace(_candidate_of_pair(base, pair), line_exact=0)
        costs = least.allgather, least.reduce_scatter
        return any(
            one.beats(least) and (one.allgather, one.reduce_scatter) != costs for one in known
        )

    def _evaluate(self, base: Base) -> Pair:
        known = base_properties(base)
        if _is_closed_kautz(base) and not is_quick_in_numpy(known.n, known.d):
            return evaluate_kautz([_any_arguments(base)])[0]
        if known.n > LARGEST_BUILT:
            return evaluate_one_receiver(base)
        return evaluate_both(base, bool(known.reverse_symmetric))

    def candidates(self, base: Base) -> list[Candidate]:
        """Each kind of schedule that is known for a base graph."""
        if base not in self._candidates:
            self._candidates[base] = self._find_candidates(base)
        return self._candidates[base]

    def graph(self, recipe: Recipe) -> Candidate:
        """The candidate of an expanded graph's own best BFB schedule, whatever the theorems say."""
        if recipe not in self._graphs:
            self._graphs[recipe] = evaluate_recipe(recipe)
        return self._graphs[recipe]

    def _find_candidates(self, base: Base) -> list[Candidate]:
        properties = base_properties(base)
        if cost_is_proved(properties) and shipped_pair(base) is None:
            found = [self._proved_candidate(base, properties)]
        elif self._is_bounded(base):
            found = [_bounded_kautz(base, properties)]
        else:
            found = [self._evaluated_candidate(base)]
        costs = _synthesised_costs(base)
        if costs is not None:
            found.append(_synthesis_candidate(found[0], *costs))
        return found

    def _is_bounded(self, base: Base) -> bool:
        """Whether a bound must do: of generalized Kautz graphs that take long to evaluate."""
        known = base_properties(base)
        light = base in self._pairs or self.scope.is_light(known.n, known.d)
        if light or not _is_closed_kautz(base):
            return False
        work = kautz_work(*_any_arguments(base))
        return work is None or work > self.scope.kautz_work

    def _proved_candidate(self, base: Base, properties: BaseProperties) -> Candidate:
        cost = Cost(properties.diameter or 0, least_bandwidth(properties.n))
        two_way, line_exact = bool(properties.bidirectional), 0
        cycle = 2 if two_way else None
        even = two_way
        if two_way and properties.n > 2:
            line_exact = 2
        elif base.name == "UniRing":  # of no size is theorem 10 an equality: none need be built
            cycle, even = properties.n, True
        elif properties.n <= SMALL:
            forth, back = self.pair(base)
            line_exact, cycle = min(forth.line_exact, back.line_exact), forth.cycle
        return Candidate(
            recipe=base,
            n=properties.n,
            d=properties.d,
            method=Method.BFB,
            allgather=cost,
            reduce_scatter=cost,
            balanced=True,
            simple=bool(properties.simple),
            loop_free=bool(properties.loop_free),
            two_way=two_way,
            symmetric=bool(properties.reverse_symmetric),
            even_return=even,
            cycle=cycle,
            line_exact=line_exact,
            diameter=properties.diameter,
        )

    def _evaluated_candidate(self, base: Base) -> Candidate:
        return _candidate_of_pair(base, self.pair(base))


def _candidate_of_pair(base: Base, pair: Pair) -> Candidate:
    properties = base_properties(base)
    return candidate_of_evaluation(
        base,
        pair,
        simple=bool(properties.simple),
        loop_free=bool(properties.loop_free),
        two_way=bool(properties.bidirectional),
        symmetric=bool(properties.reverse_symmetric),
    )


def _bounded_kautz(base: Base, properties: BaseProperties) -> Candidate:
    """A generalized Kautz graph with a bound on its cost, which holds both ways."""
    bound = kautz_bound(*_any_arguments(base))
    return Candidate(
        recipe=base,
        n=properties.n,
        d=properties.d,
        method=Method.BFB,
        allgather=bound,
        reduce_scatter=bound,
        exact=False,
        simple=bool(properties.simple),
        loop_free=bool(properties.loop_free),
        diameter=properties.diameter,
    )


def evaluate_recipe(recipe: Recipe) -> Candidate:
    """The candidate of the graph's own best BFB schedule; those that ship need not be built.

    Self-loops are known of where there are any; of graphs that were searched for, parallel links.
    """
    searched = searched_profile(recipe)
    shipped = searched or evaluated_profile(recipe)
    if shipped is not None:
        known = properties(recipe)
        return candidate_of_evaluation(
            recipe,
            _profile_pair(shipped),
            simple=known.simple or (searched is not None and known.simple is None),
            loop_free=known.loop_free is not False,
            two_way=shipped.two_way,
            symmetric=shipped.two_way,
        )
    topology = build(recipe)
    two_way = topology.is_bidirectional
    return candidate_of_evaluation(
        recipe,
        both_ways(topology, two_way),
        simple=topology.is_simple,
        loop_free=not topology.has_loops,
        two_way=two_way,
        symmetric=two_way,
    )


def candidate_of_evaluation(
    recipe: Recipe,
    pair: Pair,
    *,
    simple: bool,
    loop_free: bool,
    two_way: bool,
    symmetric: bool,
) -> Candidate:
    """The candidate of a graph's own BFB schedule, from its evaluation both ways."""
    forth, back = pair
    allgather = forth.cost
    reduce_scatter = allgather if back is forth else back.cost
    least = least_bandwidth(forth.n)
    return Candidate(
        recipe=recipe,
        n=forth.n,
        d=forth.d,
        method=Method.BFB,
        allgather=allgather,
        reduce_scatter=reduce_scatter,
        balanced=allgather.bandwidth == reduce_scatter.bandwidth == least,
        simple=simple,
        loop_free=loop_free,
        two_way=two_way,
        symmetric=symmetric,
        even_return=two_way,
        cycle=forth.cycle,
        line_exact=min(forth.line_exact, back.line_exact),
        diameter=allgather.steps,
        loads=None if symmetric else (forth.loads, back.loads),
    )


def _synthesised_costs(base: Base) -> tuple[Cost, Cost] | None:
    """What a synthesised allgather costs on a base graph and on its transpose; None without one."""
    if base.name == "MultiK":
        cost = relayed_cost(*_any_arguments(base))
        return None if cost is None else (cost, cost)
    schedules = shipped_synthesis(str(base)) if base.name in SYNTHESISED else None
    return None if schedules is None else (schedules[0].cost, schedules[1].cost)


def _synthesis_candidate(bfb: Candidate, forth: Cost, back: Cost) -> Candidate:
    """The candidate of a synthesized schedule on the same graph."""
    return replace(
        bfb,
        method=Method.SYNTHESIS,
        allgather=forth,
        reduce_scatter=back,
        balanced=False,
        line_exact=0,
        loads=None,
    )


def shipped_pair(base: Base) -> Pair | None:
    """What BFB costs on a graph of the catalogue and on its transpose; None for others.

    Those are Cayley digraphs and lifts.

    >>> from expansions.parser import parse
    >>> shipped_pair(parse("K(4)")) is None
    True
    """
    found = _shipped_profile(base)
    return None if found is None else _profile_pair(found)


def _profile_pair(found: ShippedDigraph | CostProfile) -> Pair:
    forth, back = (
        Evaluation(
            n=found.n,
            d=found.d,
            shards=loads,
            links=(found.unit,) * len(loads),
            line_exact=found.line_exact,
            cycle=found.cycle,
        )
        for loads in (found.forth, found.back)
    )
    return forth, back


def _shipped_profile(base: Base) -> ShippedDigraph | CostProfile | None:
    if base.name not in SHIPPED:
        return None
    group, *rest = base.arguments
    if base.name == "Lift":
        return lift_profile(str(group), str(rest[0]))
    return look_up(str(group), rest)
