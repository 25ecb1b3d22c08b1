"""`topofinder doctor`: what is found on this machine."""

import typer

from topofinder.cli.options import DEFAULT_DATABASE, DatabaseOption, JsonOption


def doctor(db: DatabaseOption = DEFAULT_DATABASE, json: JsonOption = False) -> None:
    """Look at versions, cores, the kernels' cache, optional packages and the database.

    Exit code 1 where something should be mended; those lines begin with an exclamation mark, and
    what topofinder does without begins with a dash.
    """
    from topofinder.api.doctor import doctor as examine

    found = examine(db=db)
    print(found.to_json() if json else found)
    if not found.healthy:
        raise typer.Exit(1)
