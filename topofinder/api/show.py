"""`topofinder show`: what is known of a recipe, a fabric, or a file that holds a schedule."""

from dataclasses import dataclass, replace
from inspect import getdoc
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from expansions.collective import Collective
from expansions.parser import parse
from expansions.recipe import Recipe
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.text import table
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.stored_recipes import whole_recipe
from topofinder.api.shared.subjects import is_named_fabric, is_topology_file
from topofinder.api.shared.workloads import read_seconds, read_transfer, read_workload
from topofinder.interrupts import end_early
from topofinder.model.candidate import LinkMode
from topofinder.model.file_register import (
    FOREST,
    SCHEDULE,
    TIMETABLE,
    TOPOLOGY,
    declared_kind,
    recognise_file,
)

if TYPE_CHECKING:
    from generators.fabrics.register import SwitchedFamily
    from reports.recipe import RecipeFacts
    from topofinder.api.forest_records import ForestAnswer
    from topofinder.api.mapped_baselines import MappedBaselines
    from topofinder.api.schedule_records import ScheduleFile
    from topofinder.api.shared.forest_times import Transfer
    from topofinder.api.shared.subjects import Subject
    from topofinder.api.show_rank import RankAnswer
    from topofinder.api.show_records import BaseGraphGains, RecipeAnswer
    from topofinder.api.timetable_records import TimetableAnswer
    from topofinder.forests.clock import TellLine
    from topofinder.model.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FabricCatalogue(Answer):
    """Every registered fabric by name: signature, title, source and what its maker says.

    >>> show(fabrics=True).to_dict()[0]["signature"]
    'DGX1'
    """

    rows: tuple[dict[str, str], ...]

    def summary(self) -> dict[str, Any]:
        """How many there are."""
        return {"fabrics": len(self.rows)}

    def to_dict(self) -> list[dict[str, str]]:
        """What `show --fabrics --json` prints."""
        return list(self.rows)

    def __str__(self) -> str:
        cells = [[row["signature"], row["title"], row["source"]] for row in self.rows]
        return table(["name", "fabric", "source"], cells)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each fabric."""
        return self.to_dict()


if TYPE_CHECKING:
    ShowAnswer = (
        RecipeAnswer
        | BaseGraphGains
        | ScheduleFile
        | ForestAnswer
        | TimetableAnswer
        | RankAnswer
        | FabricCatalogue
        | MappedBaselines
    )


def show(
    subject: str | Recipe | None = None,
    *,
    with_baselines: bool = False,
    beats: bool = False,
    links: LinkMode | str | None = None,
    forest: bool = False,
    alpha: str | None = None,
    size: str | None = None,
    bandwidth: str | None = None,
    large: bool = False,
    rank: int | None = None,
    chunks: int | None = None,
    fabrics: bool = False,
    baselines: bool = False,
    collective: Collective | str = Collective.ALLREDUCE,
    time: float | str | None = None,
    tell: "TellLine | None" = None,
    db: str | PathLike[str] | None = None,
) -> "ShowAnswer":
    """A recipe's size, exact cost and distance from the bounds; or what a file says of itself.

    A topology file's wiring is costed by BFB, and set beside the bounds of its size.
    Of a fabric such as "DGXA100(2)", of a forest's file, and with `forest` of a recipe or topology
    file, the best throughput and its bottleneck are told, and the time of a transfer. With `beats`
    the answer is what a base graph adds to the frontiers of `links`. `alpha`, `size` and
    `bandwidth` are texts such as "10us"; they are for `with_baselines` and for forests. With
    `large` a file may be above the ordinary limits. With `rank` the answer is what that rank of a
    schedule's, forest's or timetable's file sends and receives, in bytes of a `size` that may be
    cut into `chunks`. With `fabrics`, and no subject, fabrics that have a name are listed. With
    `baselines` the answer is what customary ways to do a `collective` take on this very graph. In
    place of a recipe "#" and the id of a candidate in `db` will do. A forest is packed for `time`
    ("60s") at most, and Ctrl-C ends it with the best so far.

    Raises InvalidInput for what cannot be read and for options that do not go together, Unsupported
    where neither a theorem nor an evaluation gives a cost.

    >>> show("L(K(4,4))")
    RecipeAnswer(recipe='L(K(4,4))', n=32, d=4, steps=3, bandwidth='1')
    """
    if fabrics:
        return _fabrics((subject, with_baselines, beats, links, forest, alpha, size, rank, chunks))
    if subject is None:
        raise InvalidInput("show: a recipe, a fabric or a file is needed, or --fabrics")
    if rank is not None:
        others = (with_baselines, beats, links, forest, alpha, bandwidth)
        return _rank(subject, rank, others, size=size, chunks=chunks, large=large)
    if chunks is not None:
        raise InvalidInput("--chunks is for --rank")
    subject = whole_recipe(subject, db)
    if baselines:
        if any((with_baselines, beats, links, forest)):
            told = "--collective, --alpha, --size, --bandwidth and --json"
            raise InvalidInput(f"--baselines goes together with {told} alone")
        return _compare_baselines(subject, collective, read_transfer(alpha, size, bandwidth))
    if collective != Collective.ALLREDUCE:
        raise InvalidInput("--collective is for --baselines")
    name = str(subject)
    if not beats and links is None and _is_about_forest(name, forest):
        if with_baselines:
            raise InvalidInput("--with-baselines is for recipes, not for forests")
        transfer = read_transfer(alpha, size, bandwidth)
        with explain_wrong_file("show", name, FOREST, TOPOLOGY):
            return _forest(name, transfer, large, tell, time)
    if time is not None:
        raise InvalidInput("--time is for forests")
    times = read_workload(alpha, size, bandwidth)
    if times is not None and not with_baselines:
        raise InvalidInput("--alpha, --size and --bandwidth are for --with-baselines and forests")
    if beats:
        if with_baselines:
            raise InvalidInput("--with-baselines does not go together with --beats")
        return _gains(name, LinkMode.SIMPLEX if links is None else _link_mode(links))
    if links is not None:
        raise InvalidInput("--links is for --beats")
    if is_topology_file(name) and recognise_file(name) is TOPOLOGY:
        return _topology_file(name, with_baselines, times)
    if Path(name).suffix.lower() in (".npz", ".json"):
        if with_baselines:
            raise InvalidInput("--with-baselines is for recipes, not for schedule files")
        if declared_kind(name) is TIMETABLE:
            from topofinder.api.timetable_records import describe_timetable_file

            return describe_timetable_file(Path(name), large=large)
        from topofinder.api.schedule_records import describe_schedule_file

        with explain_wrong_file("show", name, SCHEDULE):
            return describe_schedule_file(Path(name), large=large)
    with explain_wrong_file("show", name):
        recipe = parse(subject) if isinstance(subject, str) else subject
        return _recipe(recipe, with_baselines, times)


def _fabrics(others: tuple[object, ...]) -> "FabricCatalogue":

    if any(others):
        raise InvalidInput("--fabrics goes together with --json alone")
    return list_fabrics()


def _compare_baselines(
    subject: "Subject", collective: Collective | str, transfer: "Transfer | None"
) -> "MappedBaselines":
    from topofinder.api.mapped_baselines import compare_baselines

    with explain_wrong_file("show", subject, TOPOLOGY):
        return compare_baselines(subject, collective, transfer)


def _rank(
    subject: str | Recipe, rank: int, others: tuple[object, ...], **options: Any
) -> "RankAnswer":
    from topofinder.api.show_rank import show_rank

    if any(others):
        raise InvalidInput("--rank goes together with --size, --chunks, --large and --json alone")
    if Path(str(subject)).suffix.lower() not in (".npz", ".json"):
        raise InvalidInput(f"--rank is for a file made by schedule, not {excerpt(str(subject))}")
    return show_rank(str(subject), rank, **options)


def _is_about_forest(subject: str, asked: bool) -> bool:
    """Whether it is about a forest: that is asked for, or the subject leaves nothing else."""
    if asked or is_named_fabric(subject):
        return True
    if Path(subject).suffix.lower() not in (".npz", ".json"):
        return False
    return declared_kind(subject) in (TOPOLOGY, FOREST)


def _link_mode(links: LinkMode | str) -> LinkMode:
    if links not in set(LinkMode):
        raise InvalidInput(f"links: simplex or duplex, not {excerpt(str(links))}")
    return LinkMode(links)


def _forest(
    subject: str,
    transfer: "Transfer | None",
    large: bool,
    tell: "TellLine | None",
    time: float | str | None,
) -> "ForestAnswer":
    """A forest file's content, or the forest of an allgather on a fabric, recipe or file."""
    from topofinder.api.forest_records import ForestAnswer, describe_forest
    from topofinder.api.schedule_forest import ForestRequest, schedule_forest
    from topofinder.api.shared.allreduce_bounds import limit_record
    from topofinder.forests.clock import tell_nobody
    from topofinder.model.forest_files import read_forest

    if declared_kind(subject) is FOREST:
        saved = read_forest(subject, large=large)
        told = describe_forest(saved, subject, transfer=transfer, file=subject)
        return ForestAnswer(forest=saved, record=told)
    seconds = None if time is None else read_seconds(time)
    request = ForestRequest(
        subject=subject, transfer=transfer, time=seconds, tell=tell or tell_nobody
    )
    with end_early():
        made = schedule_forest(request)
    told = describe_forest(made, subject, transfer=transfer)
    return ForestAnswer(forest=made, record=replace(told, limits=limit_record(made.topology)))


def _gains(text: str, links: LinkMode) -> "BaseGraphGains":
    from topofinder.api.show_records import BaseGraphGains, improvement_rows

    return BaseGraphGains(recipe=text, links=links, rows=improvement_rows(text, links))


def _recipe(recipe: Recipe, with_baselines: bool, times: "Workload | None") -> "RecipeAnswer":
    from topofinder.api.show_records import recipe_facts

    return _with_baselines(recipe_facts(recipe), with_baselines, times)


def _topology_file(name: str, with_baselines: bool, times: "Workload | None") -> "RecipeAnswer":
    from generators.formats.by_suffix import read_topology
    from topofinder.api.show_records import topology_facts

    return _with_baselines(topology_facts(name, read_topology(name)), with_baselines, times)


def _with_baselines(
    facts: "RecipeFacts", with_baselines: bool, times: "Workload | None"
) -> "RecipeAnswer":
    from topofinder.api.show_records import RecipeAnswer

    baselines = None
    if with_baselines:
        from topofinder.api.shared.baseline_rows import baseline_rows

        baselines = baseline_rows(facts.n, facts.d, times)
    return RecipeAnswer(facts=facts, baselines=baselines)


def list_fabrics() -> FabricCatalogue:
    """The catalogue of fabrics, in the order of their names."""
    from generators.fabrics.register import FABRICS

    return FabricCatalogue(rows=tuple(_fabric_row(name, FABRICS[name]) for name in sorted(FABRICS)))


def _fabric_row(name: str, fabric: "SwitchedFamily") -> dict[str, str]:
    told = (getdoc(fabric.build) or "").split("\n>>>")[0].strip()
    return {
        "name": name,
        "signature": fabric.signature,
        "title": fabric.title,
        "source": fabric.source,
        "description": told,
    }
