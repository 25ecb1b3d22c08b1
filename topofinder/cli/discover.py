"""`topofinder discover`: a search for Cayley digraphs that are better than what is known."""

from typing import Annotated

import typer

from topofinder.cli.options import (
    DEFAULT_DATABASE,
    DatabaseOption,
    JsonOption,
    LinksOption,
    QuietOption,
)
from topofinder.model.candidate import LinkMode


def discover(
    n: Annotated[int, typer.Option("--n", help="Number of hosts.")],
    d: Annotated[int, typer.Option("--d", help="Ports of each host.")],
    links: LinksOption = LinkMode.SIMPLEX,
    both_ways: Annotated[
        bool, typer.Option("--both-ways", help="Weigh reduce-scatter as much as allgather.")
    ] = False,
    group: Annotated[
        str | None, typer.Option("--group", help="Search this group only, such as Z64:Z16[3].")
    ] = None,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="TIME", help="How long, such as 5min. [default: 60s]"),
    ] = None,
    trials: Annotated[
        int | None, typer.Option("--trials", help="End once so many generator lists are judged.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the search.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 for all cores.")] = 1,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Search groups and generator sets for smaller T_L and T_B; started again, go on."""
    from topofinder.api.discover import discover as find
    from topofinder.cli.discover_progress import progress_line

    with progress_line(quiet) as tell:
        found = find(
            n,
            d,
            links,
            both_ways=both_ways,
            group=group,
            time=time,
            trials=trials,
            seed=seed,
            jobs=jobs,
            db=db,
            tell=tell,
        )
    print(found.to_json() if json else found)
