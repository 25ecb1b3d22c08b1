"""`topofinder serve`: the database in a browser."""

from typing import Annotated

import typer

from topofinder.cli.options import DEFAULT_DATABASE, StoredOption


def serve(
    db: StoredOption = DEFAULT_DATABASE,
    port: Annotated[
        int, typer.Option("--port", "-p", help="Port; 0 takes a free one.", min=0, max=65535)
    ] = 8001,
    browser: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Show the database in a browser, on this machine alone, by Datasette, until Ctrl-C.

    Needs the extra: pip install 'topofinder[datasette]'.
    """
    from topofinder.api.serve import serve as run

    run(db, port, browser=browser)
