"""What a command shows of its progress: on a terminal, unless told to be quiet."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def status_line(begin: str, quiet: bool = False) -> Iterator[Callable[[str], None] | None]:
    """A function that is told a line, to show in place of the one before; None if not shown."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with console.status(escape(begin)) as status:
        yield lambda line: status.update(escape(line))


@contextmanager
def size_progress(
    total: int, quiet: bool, what: str = "sizes"
) -> Iterator[Callable[[int, int], None]]:
    """A function that is told how many are finished and all there are; the bar goes to stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    console = Console(stderr=True)
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, total: bar.update(task, completed=done, total=total)
