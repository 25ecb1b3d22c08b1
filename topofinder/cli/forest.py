"""Forests on the command line: the options of `schedule --method forest`, and `show`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from expansions.collective import Collective
from generators import quantities
from generators.errors import InvalidInput
from generators.shown import shown
from topofinder.api.shared.places import check_places
from topofinder.cli.bar import status_line

if TYPE_CHECKING:
    from topofinder.api.schedule_forest import ForestRequest
    from topofinder.api.shared.forest_times import Transfer
    from topofinder.model.forest import Forest

FOREST = "forest"

KOption = Annotated[
    int | None, typer.Option("--k", help="Trees a root, instead of as many as are best.")
]
WeightsOption = Annotated[
    list[str] | None,
    typer.Option("--weights", help="NODE=NUMBER,...: how much a node sends; others 1."),
]
FailLinksOption = Annotated[
    list[str] | None,
    typer.Option("--fail-links", help="A-B (both ways), A>B, A-B*2 (two of several), or 5%."),
]
FailNodesOption = Annotated[
    list[str] | None, typer.Option("--fail-nodes", help="Names or numbers of nodes.")
]
DegradeOption = Annotated[
    list[str] | None,
    typer.Option("--degrade", help="LINK=FRACTION: what is left of its capacity."),
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="Of links that fail by percentage, and of the packing.")
]
MulticastOption = Annotated[
    bool,
    typer.Option(
        "--multicast/--no-multicast", help="Whether switches multicast and combine if they can."
    ),
]
PackTimeOption = Annotated[
    str | None,
    typer.Option("--time", help="How long to pack trees at most, such as 60s.", metavar="TIME"),
]
OverlapOption = Annotated[
    bool,
    typer.Option("--overlap", help="Share links between the phases of an allreduce, run at once."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestWish:
    """The options that only forests have."""

    k: int | None
    weights: Sequence[str]
    fail_links: Sequence[str]
    fail_nodes: Sequence[str]
    degrade: Sequence[str]
    seed: int
    multicast: bool
    overlap: bool
    time: Fraction | None

    def refuse_for(self, method: str) -> None:
        """Refuse options that another method would pass over."""
        given = {
            "--k": self.k is not None,
            "--weights": self.weights,
            "--fail-links": self.fail_links,
            "--fail-nodes": self.fail_nodes,
            "--degrade": self.degrade,
            "--seed": self.seed,
            "--no-multicast": not self.multicast,
            "--overlap": self.overlap,
            "--time": self.time is not None,
        }
        wrong = next((name for name, value in given.items() if value), None)
        if wrong is not None:
            raise InvalidInput(f"{wrong} is for --method forest, not {method}")


def transfer_of(alpha: str | None, size: str | None, bandwidth: str | None) -> "Transfer | None":
    """The transfer that the options describe, or None when none of them is given."""
    if size is None:
        given = {"--alpha": alpha, "--bandwidth": bandwidth}
        for name in (name for name, value in given.items() if value is not None):
            raise InvalidInput(f"{name} is for the time that a --size takes")
        return None
    from topofinder.api.shared.forest_times import Transfer

    return Transfer(
        size=quantities.size(size, "--size"),
        alpha=None if alpha is None else quantities.seconds(alpha, "--alpha"),
        bandwidth=None if bandwidth is None else quantities.rate(bandwidth, "--bandwidth"),
    )


def root_number(text: str | None) -> int | None:
    """The number of a root, where nodes have no names."""
    if text is None:
        return None
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 12):
        raise InvalidInput(f"--root: the number of a node is needed, not {shown(text)}")
    return int(text)


def plant(
    subject: str,
    output: Path,
    collective: Collective,
    root: str | None,
    wish: ForestWish,
    db: Path,
    transfer: "Transfer | None",
    json: bool,
) -> None:
    """Make a forest, write it, remember it and tell of it."""
    from time import perf_counter

    from db.store import Store
    from generators.damage import Damage
    from reports.forest import forest_fields, forest_text
    from topofinder.api.forest_records import stored, told
    from topofinder.api.schedule_forest import ForestRequest
    from topofinder.forests.collectives.allreduce_bound import allreduce_bound
    from topofinder.model.forest_files import require_suffix, write_forest

    require_suffix(output)
    check_places(db, output)
    request = ForestRequest(
        subject=subject,
        collective=collective,
        root=root,
        damage=Damage(
            fail_links=tuple(wish.fail_links),
            fail_nodes=tuple(wish.fail_nodes),
            degrade=tuple(wish.degrade),
            seed=wish.seed,
        ),
        weights=tuple(wish.weights),
        k=wish.k,
        seed=wish.seed,
        able=wish.multicast,
        overlap=wish.overlap,
        time=None if wish.time is None else float(wish.time),
        transfer=transfer,
    )
    begun = perf_counter()
    saved = _planted(request)
    seconds = perf_counter() - begun
    write_forest(saved, output)
    bound = allreduce_bound(saved) if collective is Collective.ALLREDUCE else None
    found = told(saved, subject, bound=bound, transfer=transfer, seconds=seconds, file=str(output))
    print(dumps(forest_fields(found), indent=2) if json else forest_text(found))
    with Store(db) as store:
        if not store.read_only:
            store.save_forest(stored(saved, output))


def _planted(request: "ForestRequest") -> "Forest":
    """The forest, with a line on the terminal while it is made."""
    from topofinder.api.schedule_forest import planted

    with status_line("making a forest") as tell:
        return planted(request if tell is None else replace(request, tell=tell))


def shows_forest(subject: str, asked: bool) -> bool:
    """Whether `show` is about a forest: it is asked for, or the subject leaves nothing else."""
    from generators.fabrics import is_fabric

    if asked or is_fabric(subject):
        return True
    if Path(subject).suffix.lower() not in (".npz", ".json"):
        return False
    from generators.formats.declared import declared_format
    from generators.formats.fabric_reader import FORMAT as FABRIC
    from topofinder.model.forest_header import FORMAT as FOREST

    return declared_format(subject) in (FABRIC, FOREST)


def forest_shown(subject: str, transfer: "Transfer | None", json: bool) -> str:
    """A forest file's content, or the forest of an allgather on a fabric, recipe or file."""
    from reports.forest import forest_fields, forest_text
    from topofinder.api.forest_records import told
    from topofinder.api.schedule_forest import ForestRequest
    from topofinder.model.forest_files import is_forest, read_forest

    if is_forest(subject):
        found = told(read_forest(subject), subject, transfer=transfer, file=subject)
    else:
        made = _planted(ForestRequest(subject=subject, transfer=transfer))
        found = told(made, subject, transfer=transfer)
    return dumps(forest_fields(found), indent=2) if json else forest_text(found)
