"""`topofinder run`: a schedule on real buffers under MPI."""

from pathlib import Path
from typing import Annotated

import typer

from generators.errors import TopofinderError
from topofinder.cli.bar import status_line
from topofinder.cli.options import JsonOption, numbers
from topofinder.cli.remarks import BAD_INPUT

WRONG = 1


def run(
    file: Annotated[Path, typer.Argument(help="A schedule, forest or timetable: .npz or .json.")],
    sizes: Annotated[
        str | None,
        typer.Option("--sizes", help="Bytes of a rank's vector, such as 1KiB,1MiB."),
    ] = None,
    counts: Annotated[
        str | None, typer.Option("--counts", help="The same in elements, such as 0,7,1000.")
    ] = None,
    dtype: Annotated[
        str, typer.Option("--dtype", help="int8 to int64, uint8 to uint64, float16 to float64.")
    ] = "float32",
    op: Annotated[str, typer.Option("--op", help="sum, prod, max or min.")] = "sum",
    repeat: Annotated[int, typer.Option("--repeat", help="Calls that are timed.")] = 20,
    warmup: Annotated[int, typer.Option("--warmup", help="Calls before these.")] = 3,
    library: Annotated[
        bool, typer.Option("--library/--no-library", help="Time the library's own beside it.")
    ] = True,
    in_place: Annotated[
        bool, typer.Option("--in-place/--out-of-place", help="Whether results replace the data.")
    ] = True,
    rank_map: Annotated[
        Path | None,
        typer.Option("--map", help="File whose line i names the node of rank i."),
    ] = None,
    by_name: Annotated[
        bool, typer.Option("--by-name", help="Ranks by host names, which are the nodes' names.")
    ] = False,
    verified: Annotated[
        bool, typer.Option("--verified", help="Do not verify the file again.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File for the timings: .csv.")
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            "--time", help="Begin no other size after so long, such as 60s.", metavar="TIME"
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Run a collective under mpirun, look at every element, and time it beside the library's own.

    Start one rank for each host of the file: mpirun -n 8 topofinder run a.npz. Needs
    topofinder[mpi]. Exit code 1 if any element is wrong. When the --time is over or Ctrl-C comes,
    the sizes that were run are told.
    """
    from topofinder.api.run import is_first_rank
    from topofinder.api.run import run as execute

    try:
        with status_line(not is_first_rank()):
            found = execute(
                file,
                sizes=None if sizes is None else sizes.split(","),
                counts=None if counts is None else numbers(counts, "--counts"),
                dtype=dtype,
                op=op,
                repeat=repeat,
                warmup=warmup,
                library=library,
                in_place=in_place,
                rank_map=rank_map,
                by_name=by_name,
                verified=verified,
                output=output,
                time=time,
            )
    except TopofinderError:
        if is_first_rank():
            raise
        raise typer.Exit(BAD_INPUT) from None
    if found.rank == 0:
        print(found.to_json() if json else found)
    if not found.right:
        raise typer.Exit(WRONG)
