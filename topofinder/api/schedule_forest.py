"""`topofinder schedule --method forest`: the forest that is asked for, written and remembered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from expansions.collective import Collective
from expansions.host_recognition import recognised_hosts
from expansions.hosts import HostFabric, HostWiring, is_host_fabric, parse_host_fabric
from generators.damage.apply import Damage, apply_damage
from generators.damage.links import Names
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.container import container_suffix
from generators.formats.quantities import exact
from generators.topology import Topology
from reports.forest_choices import ForestChoice
from reports.method_times import MethodTime
from topofinder.api.forest_counts import ForestCountsAnswer, count_forests
from topofinder.api.shared.damage_texts import damage_text
from topofinder.api.shared.forest_choices import weigh_forests
from topofinder.api.shared.forest_seeds import WeighedForest, try_seeds
from topofinder.api.shared.forest_times import Transfer
from topofinder.api.shared.places import check_places, store_after_all
from topofinder.api.shared.subjects import Subject, forest_subject, subject_name
from topofinder.api.shared.tree_aims import read_tree_aim
from topofinder.forests.clock import Clock, TellLine, tell_nobody
from topofinder.forests.collectives.allreduce_bound import allreduce_bound
from topofinder.forests.collectives.host_forest import MOST_PACKED, compose_forest
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.forests.few_trees.pack import Preference
from topofinder.interrupts import end_early
from topofinder.model.forest import Forest
from topofinder.model.forest_files import write_forest
from topofinder.model.routing import read_routing
from topofinder.model.time_model import TimeModel

if TYPE_CHECKING:
    from topofinder.api.forest_records import ForestAnswer


MOST_LOWERED = 128
"""Nodes of fabrics of hosts up to which low trees are looked for beside composed ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRequest:
    """A collective on a recipe, a fabric or a topology file, after some damage.

    `root` is the name or number of a node; `weights` lists NAME=NUMBER, other nodes weigh 1.
    `time` limits the seconds of packing; `tell` is told how far it is, a line at a time. A
    `transfer` must go with the topology. With `weigh` the time of its size decides among forests
    within other losses too, and with `table` few trees are among them. `tries` seeds are tried.
    """

    subject: Subject
    collective: Collective = Collective.ALLGATHER
    root: str | None = None
    damage: Damage = Damage()  # noqa: RUF009 - frozen
    weights: Sequence[str] = ()
    k: int | None = None
    loss: Fraction = Fraction(0)
    above: int = 0
    prefer: Preference | None = None
    weigh: bool = False
    table: bool = False
    seed: int = 0
    tries: int = 1
    able: bool = True
    overlap: bool = False
    routing: str | None = None
    time: float | None = None
    tell: TellLine = tell_nobody
    transfer: Transfer | None = None

    @classmethod
    def from_options(
        cls,
        subject: Subject,
        collective: Collective,
        root: int | str | None,
        options: Mapping[str, Any],
        transfer: Transfer | None,
        tell: TellLine | None,
    ) -> "ForestRequest":
        """The request that options of `schedule` make."""
        aim = read_tree_aim(*(options.get(name) for name in ("k", "loss", "prefer")))
        return cls(
            subject=subject,
            collective=collective,
            root=None if root is None else str(root),
            damage=Damage(
                **{name: options[name] for name in ("fail_links", "fail_nodes", "degrade")},
                seed=options["seed"],
            ),
            weights=options["weights"],
            k=aim.k,
            loss=aim.loss,
            above=aim.above,
            prefer=aim.prefer,
            weigh=transfer is not None and aim.above > 0,
            table=options.get("table", False),
            seed=options["seed"],
            tries=1 if options.get("tries") is None else options["tries"],
            able=options["multicast"],
            overlap=options["overlap"],
            routing=options["routing"],
            time=options["time"],
            tell=tell or tell_nobody,
            transfer=None
            if transfer is None
            else replace(transfer, model=TimeModel(options["model"])),
        )


def answer_forest(
    subject: Subject,
    file: Path | None,
    collective: Collective,
    root: int | str | None,
    options: Mapping[str, Any],
    db: str | PathLike[str] | None,
    transfer: Transfer | None,
    tell: TellLine | None,
) -> "ForestAnswer | ForestCountsAnswer":
    """Make a forest, write it, and remember it; `options` are those of `schedule` by name.

    A table without a file is that of what is known before packing.
    """
    if file is not None:
        container_suffix(file)
    check_places(db, file)
    request = ForestRequest.from_options(subject, collective, root, options, transfer, tell)
    if file is None and request.table:
        _, topology, wish = _read_request(request)
        return count_forests(topology, wish, request.transfer, subject_name(subject))
    begun = perf_counter()
    with end_early():
        made = weigh_forest(request)
    spent = perf_counter() - begun
    return keep_forest(made, request, file, db, spent)


def keep_forest(
    made: WeighedForest,
    request: ForestRequest,
    file: Path | None,
    db: str | PathLike[str] | None,
    seconds: float,
    methods: tuple[MethodTime, ...] = (),
) -> "ForestAnswer":
    """Write a forest that took `seconds`, remember it, and say what there is to say of it."""
    from topofinder.api.forest_records import ForestAnswer, describe_forest, forest_row

    forest = made.forest
    if file is not None:
        write_forest(forest, file)
        store_after_all(db, lambda store: store.save_forest(forest_row(forest, file)))
    told = describe_forest(
        forest,
        subject_name(request.subject),
        bound=allreduce_bound(forest) if forest.collective is Collective.ALLREDUCE else None,
        transfer=request.transfer,
        seconds=seconds,
        file=None if file is None else str(file),
    )
    told = replace(told, methods=methods, choices=made.choices, seeds=made.seeds)
    return ForestAnswer(forest=forest, record=told)


def schedule_forest(request: ForestRequest) -> Forest:
    """The forest that was asked for.

    Raises InvalidInput for subjects that cannot be read and fabrics without trees, Unsupported
    where no method that is implemented finds them, or not in time.

    >>> schedule_forest(ForestRequest(subject="DGXA100(1)")).optimum
    Fraction(7, 300)
    """
    return weigh_forest(request).forest


def weigh_forest(request: ForestRequest) -> WeighedForest:
    """The same, the forests that were weighed against it, and seeds that were tried, if any; raises
    likewise.
    """
    recipe, topology, wish = _read_request(request)
    weighed = (request.weigh and wish.routing is None) or request.table
    weighed = weighed and request.root is None and not request.overlap

    def make(options: ForestOptions) -> tuple[Forest, tuple[ForestChoice, ...]]:
        if not weighed:
            return make_forest(topology, options), ()
        times = request.transfer if request.weigh else None
        return weigh_forests(topology, options, times, few=request.table)

    composed = _host_forest(recipe, topology, request, wish)
    if composed is None or (request.prefer is not None and topology.n <= MOST_LOWERED):
        made = try_seeds(make, wish, request.tries, request.transfer)
        if composed is not None and _height(composed) < _height(made.forest):
            made = WeighedForest(forest=composed)
    else:
        made = WeighedForest(forest=composed)
    forest = replace(made.forest, recipe=recipe, damage=damage_text(request.damage))
    return replace(made, forest=forest)


def _height(forest: Forest) -> int:
    return max(int(phase.trees.heights().max()) for phase in forest.phases)


def _read_request(request: ForestRequest) -> tuple[str | None, Topology, ForestOptions]:
    """The recipe, if it has one, what is left of the topology, and how to pack."""
    routing = read_routing(request.routing)
    if routing is not None and (request.prefer is not None or request.table):
        raise InvalidInput("--routing does not go together with --prefer and --table")
    if request.seed < 0 or request.damage.seed < 0:
        raise InvalidInput(f"--seed: at least 0, not {min(request.seed, request.damage.seed)}")
    recipe, whole = forest_subject(request.subject)
    if request.transfer is not None:
        request.transfer.require_fit(whole)
        whole = request.transfer.limit_hosts(whole)
    topology = apply_damage(whole, request.damage)
    names = Names(topology)
    return (
        recipe,
        topology,
        ForestOptions(
            collective=request.collective,
            root=None if request.root is None else names.node(request.root, "--root"),
            weights=read_weights(topology, names, request.weights),
            k=request.k,
            loss=request.loss,
            above=request.above,
            prefer=request.prefer,
            seed=request.seed,
            able=request.able,
            overlap=request.overlap,
            routing=routing,
            clock=Clock.of(request.time, request.tell),
        ),
    )


def _host_forest(
    name: str | None, topology: Topology, request: ForestRequest, options: ForestOptions
) -> Forest | None:
    """The composed forest of an undamaged fabric of hosts, if nothing else is asked for.

    None where one of all links may be better: behind a narrow inside, unless low trees are asked
    for and it is within their loss; and where hosts have an injection limit.
    """
    if topology.injection is not None:
        return None
    plain = replace(request, tell=tell_nobody, transfer=None, time=None, able=True, tries=1)
    if request.above:  # no loss was asked for
        plain = replace(plain, loss=Fraction(0), above=0, weigh=False)
    if request.prefer is Preference.HEIGHT:
        plain = replace(plain, loss=Fraction(0), prefer=None)
    if plain != ForestRequest(subject=request.subject, collective=request.collective):
        return None
    if request.collective.is_rooted or request.collective is Collective.ALLTOALL:
        return None
    hosts = _named_hosts(name) if name is not None else recognised_hosts(topology)
    if hosts is None:
        return None
    fabric, wiring = hosts
    made = compose_forest(
        fabric, request.collective, wiring, able=options.able, clock=options.clock
    )
    packed = name is None or fabric.accelerators <= MOST_PACKED
    loss = request.loss if request.prefer is Preference.HEIGHT else Fraction(0)
    return None if packed and made.inverse_rate > made.optimum * (1 + loss) else made


def _named_hosts(name: str) -> tuple[HostFabric, HostWiring | None] | None:
    return (parse_host_fabric(name), None) if is_host_fabric(name) else None


def read_weights(
    topology: Topology, names: Names, texts: Sequence[str]
) -> tuple[Fraction | int, ...] | None:
    """The weights of all nodes by texts NODE=NUMBER; None where there are no texts."""
    if not texts:
        return None
    values: list[Fraction | int] = [1] * topology.n
    for node in topology.switches:
        values[node] = 0
    for part in (part.strip() for text in texts for part in text.split(",")):
        name, sign, number = part.rpartition("=")
        if not sign:
            raise InvalidInput(f"--weights: NODE=NUMBER is needed, not {excerpt(part)}")
        node = names.node(name, "--weights")
        values[node] = exact(f"--weights {excerpt(part)}", number, zero=True)
    return tuple(values)
