"""`topofinder verify`: an independent check of a schedule, a forest or a certificate."""

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.api.shared.workloads import read_workload
from topofinder.cli.file_kinds import SCHEDULE, explain_wrong_file
from topofinder.cli.forest import transfer_of
from topofinder.cli.options import AlphaOption, BandwidthOption, JsonOption, SizeOption
from topofinder.model.workload import Workload

if TYPE_CHECKING:
    from topofinder.api.shared.forest_times import Transfer

NOT_VALID = 1


def verify(
    file: Annotated[Path, typer.Argument(help="A schedule, forest or certificate: .npz or .json.")],
    on: Annotated[
        str | None,
        typer.Option("--on", metavar="RECIPE|FILE", help="The graph that the file must be for."),
    ] = None,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    json: JsonOption = False,
) -> None:
    """Check a file; exit code 1 and one line if it does not hold.

    A schedule is replayed row by row. Of a forest, every tree is walked, every link counted, the
    bound worked out anew, and a pipeline of chunks simulated: with --size, for its time. Of a
    throughput certificate, both bounds are worked out anew on the whole graph.
    """
    from generators.formats.declared import declared_format
    from topofinder.model.certificate_header import FORMAT as CERTIFICATE
    from topofinder.model.forest_header import FORMAT as FOREST

    kind = declared_format(file)
    if kind == CERTIFICATE:
        if (alpha, size, bandwidth) != (None, None, None):
            raise InvalidInput("--alpha, --size and --bandwidth are for schedules and forests")
        valid = _certificate(file, on, json)
    elif kind == FOREST:
        valid = _forest(file, on, transfer_of(alpha, size, bandwidth), json)
    else:
        times = read_workload(alpha, size, bandwidth, None, Collective.ALLREDUCE)
        valid = _schedule(file, on, times, json)
    if not valid:
        raise typer.Exit(NOT_VALID)


def _schedule(file: Path, on: str | None, times: Workload | None, json: bool) -> bool:
    from expansions.schedule_files import read_schedule

    with explain_wrong_file("verify", file, SCHEDULE):
        saved = read_schedule(file)  # before more is imported: a hostile file is refused at once
    from reports.schedule import checked_fields, checked_text
    from topofinder.api.verify_schedule import check

    checked = check(saved, on, times)
    print(dumps(checked_fields(checked), indent=2) if json else checked_text(checked))
    return checked.violation is None


def _forest(file: Path, on: str | None, transfer: "Transfer | None", json: bool) -> bool:
    from topofinder.model.forest_files import read_forest

    saved = read_forest(file)
    from reports.forest_check import forest_checked_fields, forest_checked_text
    from topofinder.api.verify_forest import check_forest

    checked = check_forest(saved, on, transfer)
    print(dumps(forest_checked_fields(checked), indent=2) if json else forest_checked_text(checked))
    return checked.violation is None


def _certificate(file: Path, on: str | None, json: bool) -> bool:
    from topofinder.model.certificate_files import read_certificate

    saved = read_certificate(file)
    from reports.throughput import proof_fields, proof_text
    from topofinder.api.throughput_records import proof

    proved = proof(saved, on)
    print(dumps(proof_fields(proved), indent=2) if json else proof_text(proved))
    return proved.violation is None
