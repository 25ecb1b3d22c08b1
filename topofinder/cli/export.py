"""`topofinder export`: a schedule, forest or timetable in the format of another program."""

from pathlib import Path
from typing import Annotated

import typer

from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    AlphaOption,
    BandwidthOption,
    GiveUpOption,
    JsonOption,
    LargeOption,
    SizeOption,
)

ChannelsOption = Annotated[
    int | None,
    typer.Option("--channels", help="Of each link; as few as fit unless told (msccl)."),
]
MaxBytesOption = Annotated[
    str | None,
    typer.Option("--max-bytes", help="Largest size that the program is for.", metavar="SIZE"),
]
PlaceOption = Annotated[
    bool | None,
    typer.Option(
        "--in-place/--out-of-place", help="Whether input and output are one.", show_default=False
    ),
]


def export(
    file: Annotated[Path, typer.Argument(help="A schedule, forest or timetable: .npz or .json.")],
    format: Annotated[str, typer.Option("--format", help="{transfer formats}.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File, or folder of files.")],
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="msccl, executor (unless told) or rccl (msccl).")
    ] = None,
    protocol: Annotated[
        str | None, typer.Option("--protocol", help="Simple (unless told), LL or LL128.")
    ] = None,
    channels: ChannelsOption = None,
    max_bytes: MaxBytesOption = None,
    in_place: PlaceOption = None,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    over_limits: Annotated[
        bool, typer.Option("--over-limits", help="Write what the runtime cannot hold.")
    ] = False,
    verified: Annotated[
        bool, typer.Option("--verified", help="Do not verify the file first.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write over what is there already.")
    ] = False,
    large: LargeOption = False,
    time: GiveUpOption = None,
    json: JsonOption = False,
) -> None:
    """Write a schedule for another program: a runtime of GPUs or CPUs, or a simulator.

    The file is verified first. An option that the format does not take is refused.
    """
    from topofinder.api.export import export as write

    with status_line():
        found = write(
            file,
            output,
            format=format,
            verified=verified,
            force=force,
            large=large,
            time=time,
            dialect=dialect,
            protocol=protocol,
            channels=channels,
            max_bytes=max_bytes,
            in_place=in_place,
            alpha=alpha,
            size=size,
            bandwidth=bandwidth,
            over_limits=over_limits or None,
        )
    print(found.to_json() if json else found)
