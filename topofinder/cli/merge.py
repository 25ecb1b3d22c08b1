"""`topofinder export-db` and `topofinder merge`: stored frontiers on their way to others."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from generators.errors import InvalidInput
from topofinder.cli.bar import size_progress
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    JsonOption,
    LargeOption,
    QuietOption,
    StoredOption,
    ranges,
)
from topofinder.model.candidate import LinkMode

if TYPE_CHECKING:
    from topofinder.api.merge import MergeOutcome
    from topofinder.api.merge_graph import MergedGraph

CONFLICTS = 1


def export_db(
    output: Annotated[Path, typer.Option("--output", "-o", help="The new database, one file.")],
    n: Annotated[str | None, typer.Option("--n", help="Hosts, such as 1024 or 900:1000.")] = None,
    d: Annotated[str | None, typer.Option("--d", help="Ports of a host, such as 4 or 2,8.")] = None,
    links: Annotated[
        LinkMode | None, typer.Option("--links", help="How circuits are wired.")
    ] = None,
    db: StoredOption = DEFAULT_DATABASE,
    quiet: QuietOption = False,
) -> None:
    """Write stored frontiers, or some of them, to a new database for others."""
    from topofinder.api.merge import export_db as write

    told = write(
        db,
        output,
        n=None if n is None else ranges(n, "--n"),
        d=None if d is None else ranges(d, "--d"),
        links=links,
    )
    if not quiet:
        print(told, file=sys.stderr)


def merge(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="The database to take from, or a graph.")
    ],
    into: Annotated[Path, typer.Option("--into", help="The database that is added to.")],
    name: Annotated[
        str | None,
        typer.Option("--name", help="FILE is a graph: put it on the frontier by this name."),
    ] = None,
    links: Annotated[
        LinkMode | None, typer.Option("--links", help="How a graph is wired, by default simplex.")
    ] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Cost every recipe anew, and compare.")
    ] = False,
    large: LargeOption = False,
    time: Annotated[
        str | None,
        typer.Option("--time", help="Check for so long at most, such as 5min.", metavar="TIME"),
    ] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Add what one database holds to another; exit code 1 and a list of what is wrong or refused.

    Rows that cannot be (costs below the bounds, hashes of something else, recipes of another size)
    are refused, and with more than 200 of them the whole. Of unequal results of the same engine the
    one that is there stays. A newer engine replaces what an older one found. When the --time is
    over or Ctrl-C comes, what was checked until then is merged.

    With --name the file is a graph of equal hosts and links (.edges, .graphml, .json, ...). It is
    costed anew, and stored where the frontier of its size has nothing as good; exit code 1 else.
    """
    told: MergeOutcome | MergedGraph
    if name is None:
        told = _merge_database(source, into, prove, large, time, quiet, links)
    else:
        others = {"--prove": prove, "--large": large, "--time": time}
        told = _merge_graph(source, into, name, links, others)
    if json:
        print(told.to_json())
    elif not quiet:
        print(told)
    elif not told.agrees:
        print(told.complaints())
    if not told.agrees:
        raise typer.Exit(CONFLICTS)


def _merge_database(
    source: Path,
    into: Path,
    prove: bool,
    large: bool,
    time: str | None,
    quiet: bool,
    links: LinkMode | None,
) -> "MergeOutcome":
    from generators.formats.by_suffix import is_graph_file
    from topofinder.api.merge import merge as add

    if links is not None:
        raise InvalidInput("--links: is for a graph, with its --name")
    if is_graph_file(source):
        raise InvalidInput(f"FILE: {source} is a graph, which is merged with a --name")
    with size_progress(1, quiet, "sizes checked") as tell:
        return add(source, into, prove=prove, large=large, time=time, progress=tell)


def _merge_graph(
    source: Path, into: Path, name: str, links: LinkMode | None, others: Mapping[str, object]
) -> "MergedGraph":
    from topofinder.api.merge_graph import merge_graph

    given = [option for option, value in others.items() if value]
    if given:
        raise InvalidInput(f"{given[0]}: is for a database, without --name")
    return merge_graph(source, name, into, links=links or LinkMode.SIMPLEX)
