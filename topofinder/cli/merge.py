"""`topofinder export-db` and `topofinder merge`: stored frontiers on their way to others."""

import sys
from pathlib import Path
from typing import Annotated

import typer

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
    source: Annotated[Path, typer.Argument(metavar="DB", help="The database to take from.")],
    into: Annotated[Path, typer.Option("--into", help="The database that is added to.")],
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
    """
    from topofinder.api.merge import merge as add

    with size_progress(1, quiet, "sizes checked") as tell:
        told = add(source, into, prove=prove, large=large, time=time, progress=tell)
    if json:
        print(told.to_json())
    elif not quiet:
        print(told)
    elif not told.agrees:
        print(told.complaints())
    if not told.agrees:
        raise typer.Exit(CONFLICTS)
