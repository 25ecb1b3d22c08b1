"""`topofinder draw`: a picture of a graph, a schedule, trees or a timetable, as a file."""

from pathlib import Path
from typing import Annotated

import typer


def draw(
    subjects: Annotated[
        list[str],
        typer.Argument(
            metavar="SUBJECT...", help="A recipe, a fabric or a file; or recipes side by side."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="A .svg or .png file.")],
    view: Annotated[
        str | None,
        typer.Option(
            "--view",
            help="Of graphs: graph, circle, matrix, expansion, root; of schedules: steps, loads; "
            "of forests: trees, loads; of timetables: times, loads.",
        ),
    ] = None,
) -> None:
    """Draw a graph, a schedule, trees or a timetable, and print what the picture shows."""
    from generators.errors import InvalidInput
    from topofinder.api.draw import draw as make
    from topofinder.api.shared.places import check_places

    check_places(None, output)
    if len(subjects) > 1 and view is not None:
        raise InvalidInput("--view: is for one subject, not for several side by side")
    picture = make(subjects[0] if len(subjects) == 1 else subjects, view)
    picture.save(output)
    print(f"{picture.words}, written to {output}")
