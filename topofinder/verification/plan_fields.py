"""What a plan says of itself beside what follows from its moves, and what is only claimed.

Each field of a plan is in one of three tables: `recompute_fields` gives what follows from
inventory, wiring and stages; `CARRIED_OUT` are those that the replay itself reads, move by move;
what remains is in `unchecked_claims`, and the answer of a replay names it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from generators.limits import LARGEST_BUILT
from topofinder.model.inventory.document import State
from topofinder.model.inventory.losses import decibel_text
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Wiring
from topofinder.model.inventory.working import WorkingHosts
from topofinder.verification.plan_drain import claimed_rates, false_drain
from topofinder.verification.plan_reader import SavedPlan
from topofinder.verification.plan_wirings import false_value

CARRIED_OUT = frozenset(
    {"format", "version", "n", "mode", "arcs", "hosts", "missing", "before", "after"}
    | {"stages", "rollback", "wiring", "recipe", "arc_rates", "trunk"}
)
"""Fields without which there is nothing to replay, and that it compares step by step."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanFacts:
    """What a plan is laid over: `fabric` is that of the inventory, without the plan's own dead
    ports; `before` is the wiring that the plan starts from.
    """

    plan: SavedPlan
    fabric: PortMap
    before: Wiring

    @property
    def working(self) -> WorkingHosts:
        """Who works before the plan."""
        return WorkingHosts(self.plan.fabric, self.plan.claim.host, self.before.to)

    @property
    def moves(self) -> int:
        """Circuits that are made."""
        return sum(len(stage.connects) for stage in self.plan.stages)

    @property
    def counted_bound(self) -> int:
        """Moves that any placement takes: circuits of the target beyond those in place.

        At most as many circuits of the target can stay as there are circuits in place between
        two hosts over good ports, whoever plays which node.
        """
        return max(0, self.plan.claim.circuits - len(self.in_place))

    @property
    def in_place(self) -> list[Circuit]:
        """Circuits in place between two hosts over good ports, in the mode of the plan."""
        fabric, duplex = self.plan.fabric, self.plan.claim.duplex
        good = (State.LIVE, State.PINNED)
        return [
            circuit
            for circuit in self.before.circuits(split=not duplex)
            if circuit.duplex == duplex
            and fabric.host[circuit.a] != fabric.host[circuit.b]
            and all(fabric.states[port] in good for port in circuit[:2])
        ]

    @property
    def counted_here(self) -> int:
        """Moves that the placement of the plan takes, whatever the panels, with as many missing.

        Of two hosts no more circuits of the target can stay than join them over good ports.
        """
        claim, fabric = self.plan.claim, self.plan.fabric
        ends = np.stack([claim.topology.tail, claim.topology.head])
        ends = ends[:, ends[0] < ends[1] if claim.duplex else ends[0] != ends[1]]
        hosts = np.array(claim.host)[ends].T.tolist()
        there = [fabric.host[[circuit.a, circuit.b]].tolist() for circuit in self.in_place]
        wanted, found = (Counter(map(self._pair, pairs)) for pairs in (hosts, there))
        return max(0, (wanted - found).total() - len(claim.missing))

    def _pair(self, ends: list[int]) -> tuple[int, ...]:
        return tuple(sorted(ends) if self.plan.claim.duplex else ends)


def recompute_fields(facts: PlanFacts) -> dict[str, Any]:
    """The true values of fields of a plan, by name."""
    plan, working = facts.plan, facts.working
    hosts, missing = plan.fabric.hosts, len(plan.claim.missing)
    dead = plan.fabric.of_state(State.DEAD).tolist()
    true = {
        "d": plan.claim.topology.degree,
        "joining": [hosts[host] for host in working.joining.tolist()],
        "leaving": [hosts[host] for host in working.leaving.tolist()],
        "dead": [plan.fabric.names[port] for port in dead],
        "forbidden": [tuple(pair) for pair in plan.fabric.forbidden_names],
        "moves": facts.moves,
        "kept": plan.claim.circuits - missing - facts.moves,
        "disconnects": sum(len(stage.frees) for stage in plan.stages),
        "seconds_estimated": float(sum(stage.seconds for stage in plan.stages)),
        "dark_stages": [i for i, stage in enumerate(plan.stages, 1) if stage.parts > 1],
    }
    if not missing:
        true["missing_proved"] = True
    return true if plan.fields.recipe is None else true | {"target": plan.fields.recipe}


def false_field(facts: PlanFacts) -> str | None:
    """A line on the first field of a plan that is false; None if there is none."""
    fields = facts.plan.fields
    for name, true in recompute_fields(facts).items():
        told = getattr(fields, name)
        if told != true:
            return false_value(name, *_difference(told, true))
    most = facts.plan.claim.circuits if facts.plan.claim.missing else facts.moves
    if fields.lower_bound > most:
        what = "circuits the target has" if facts.plan.claim.missing else "moves the plan makes"
        return f"lower_bound: the plan says {fields.lower_bound}, more than the {most} {what}"
    return (
        _above_placement(facts)
        or _false_losses(facts.plan)
        or false_drain(facts.plan, facts.before)
    )


def _false_losses(plan: SavedPlan) -> str | None:
    """A line on the worst loss of a new circuit that is not what the plan says."""
    told, losses = plan.fields.losses, plan.losses
    if told is None or losses is None:
        return None
    made = (circuit for stage in plan.stages for circuit in stage.connects)
    true = decibel_text(max(map(losses.of_circuit, made), default=0))
    return None if told.worst == true else false_value("losses: worst", told.worst, true)


def _above_placement(facts: PlanFacts) -> str | None:
    """A line on a bound for the placement of the plan that its own plan is below."""
    fields, missing = facts.plan.fields, len(facts.plan.claim.missing)
    for name, told, most, what in (
        ("placement_missing", fields.placement_missing, missing, "circuits that are missing"),
        ("placement_moves", fields.placement_moves, facts.moves, "moves the plan makes"),
    ):
        if told > most:
            return f"{name}: the plan says {told}, more than the {most} {what}"
    return None


def unchecked_claims(facts: PlanFacts) -> dict[str, str]:
    """What is said and was not checked, by field: what there is to know of each."""
    return {name: text for name, tell in _CLAIMS.items() if (text := tell(facts)) is not None}


def _bound(facts: PlanFacts) -> str | None:
    fields = facts.plan.fields
    if fields.lower_bound <= facts.counted_bound:
        return None
    if facts.plan.claim.missing:
        return f"that all circuits would take {fields.lower_bound} moves or more"
    if fields.lower_bound == facts.moves:
        return "that no plan has fewer moves"
    return f"that every plan has {fields.lower_bound} moves or more"


def _target(facts: PlanFacts) -> str | None:
    return "a name" if facts.plan.fields.recipe is None else None


def _recipe(facts: PlanFacts) -> str | None:
    if facts.plan.fields.recipe is None or facts.plan.claim.topology.n <= LARGEST_BUILT:
        return None
    return "that the target is its graph, which is too large to be built"


def _missing_claim(facts: PlanFacts) -> str | None:
    count = len(facts.plan.claim.missing)
    return f"that no panel takes {count} of the circuits" if count else None


def _missing_proved(facts: PlanFacts) -> str | None:
    if not facts.plan.claim.missing:
        return None
    proved = facts.plan.fields.missing_proved
    return "that no plan leaves out fewer" if proved else "that fewer may be left out"


def _placement_missing(facts: PlanFacts) -> str | None:
    told = facts.plan.fields.placement_missing
    if not told:
        return None
    if told == len(facts.plan.claim.missing):
        return "that with this placement no plan leaves out fewer"
    return f"that with this placement {told} or more are left out"


def _placement_moves(facts: PlanFacts) -> str | None:
    fields = facts.plan.fields
    told, missing = fields.placement_moves, facts.plan.claim.missing
    counted = facts.counted_here if missing else max(facts.counted_here, fields.lower_bound)
    if told <= counted:
        return None
    if told == facts.moves:
        return "that with this placement no plan has fewer moves"
    return f"that with this placement every plan has {told} moves or more"


def _rates_claim(facts: PlanFacts) -> str | None:
    """What nobody checks of the rates of ports, unless the inventory has them."""
    told = facts.plan.fields.port_rates and not facts.fabric.forbidden.rates
    return "that ports have them" if told else None


def _losses_claim(facts: PlanFacts) -> str | None:
    """What nobody checks of what light loses."""
    if facts.plan.fields.losses is None:
        return None
    least = facts.plan.fields.losses.proved and ", and that no choice of ports has less"
    return f"that ports lose so much{least or ''}"


def _dead(facts: PlanFacts) -> str | None:
    known = set(facts.fabric.of_state(State.DEAD).tolist())
    own = [port for port in facts.plan.fabric.of_state(State.DEAD).tolist() if port not in known]
    names = ", ".join(facts.fabric.names[port] for port in own[:4])
    more = ", ..." if len(own) > 4 else ""
    return f"that {names}{more} have failed, which the inventory does not say" if own else None


_CLAIMS: dict[str, Callable[[PlanFacts], str | None]] = {
    "target": _target,
    "recipe": _recipe,
    "lower_bound": _bound,
    "bound": lambda facts: "the argument for lower_bound",
    "missing": _missing_claim,
    "missing_proved": _missing_proved,
    "placement_missing": _placement_missing,
    "placement_moves": _placement_moves,
    "dead": _dead,
    "port_rates": _rates_claim,
    "losses": _losses_claim,
    "drain": lambda facts: claimed_rates(facts.plan),
    "keep_connected": lambda facts: "whether such an order was asked for",
    "found": lambda facts: "how the hosts were placed",
    "seed": lambda facts: "of the search",
    "by": lambda facts: "who wrote the file",
}
CLAIMS = tuple(_CLAIMS)
"""Fields all or part of which may be only claimed."""


def _difference(told: object, true: object) -> tuple[object, object]:
    """Two values; of lists what is in one alone, if anything, as a list may be very long."""
    if not isinstance(told, list) or not isinstance(true, list):
        return told, true
    extra, lacking = list(_values_beyond(told, true)), list(_values_beyond(true, told))
    return (told, true) if extra == lacking else (extra, lacking)


def _values_beyond(these: list[Any], those: list[Any]) -> Iterator[Any]:
    others = set(those)
    return (value for value in these if value not in others)
