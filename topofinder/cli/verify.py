"""`topofinder verify`: an independent check of a schedule, forest, proof or program."""

from pathlib import Path
from typing import Annotated

import typer

from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    EpsilonOption,
    GiveUpOption,
    InjectionOption,
    JsonOption,
    LargeOption,
    NamingOption,
    ReduceRateOption,
    SizeOption,
)

NOT_VALID = 1


def verify(
    file: Annotated[
        Path,
        typer.Argument(
            help="A schedule, forest, timetable or certificate: .npz or .json; a program: .xml, "
            "or .json of MSCCL++."
        ),
    ],
    on: Annotated[
        str | None,
        typer.Option("--on", metavar="RECIPE|FILE", help="The graph that the file must be for."),
    ] = None,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    epsilon: EpsilonOption = None,
    reduce_rate: ReduceRateOption = None,
    injection: InjectionOption = None,
    large: LargeOption = False,
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="Of a program: msccl, executor or rccl.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", help="The schedule, forest or timetable of a program."),
    ] = None,
    time: GiveUpOption = None,
    db: NamingOption = DEFAULT_DATABASE,
    json: JsonOption = False,
) -> None:
    """Check a file; exit code 1 and one line if it does not hold.

    A schedule is replayed row by row. Of a forest, every tree is walked, every link counted, the
    bound worked out anew, and a pipeline of chunks simulated: with --size, for its time. A
    timetable is replayed send by send in its own model of time. Of a throughput certificate, both
    bounds are worked out anew on the whole graph. With --large a timetable in rounds is replayed
    block by block, its sends made anew where the file has none. An MSCCL program is run with
    bounded FIFOs, in whole steps and chunk by chunk, and searched for races, as is an MSCCL++
    plan. Programs of CPUs are run on numbers. What is not decided when the --time is over or Ctrl-C
    comes is told with how far it was, and exit code 2.
    """
    from topofinder.api.verify import verify as check

    with status_line() as tell:
        found = check(
            file,
            on=on,
            alpha=alpha,
            size=size,
            bandwidth=bandwidth,
            epsilon=epsilon,
            reduce_rate=reduce_rate,
            injection=injection,
            large=large,
            dialect=dialect,
            against=against,
            tell=tell,
            time=time,
            db=db,
        )
    print(found.to_json() if json else found)
    if not found.valid:
        raise typer.Exit(NOT_VALID)
