"""What a command shows of its progress: on a terminal, unless told to be quiet."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from topofinder.cli.remarks import is_quiet
from topofinder.progress import work_progress


class StatusLine:
    """A line on the terminal, from the first that is told until the command ends."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._update: Callable[[str], None] | None = None

    def __call__(self, line: str) -> None:
        """Show a line in place of the one before."""
        from rich.markup import escape

        if self._update is None:
            self._update = self._start(escape(line))
        self._update(escape(line))

    def _start(self, line: str) -> Callable[[str], None]:
        from rich.console import Console

        console = Console(stderr=True)
        if not console.is_terminal:
            return lambda line: None
        return self._stack.enter_context(console.status(line)).update


@contextmanager
def status_line(quiet: bool = False) -> Iterator[Callable[[str], None] | None]:
    """A function that is told a line, to show in place of the one before; None if not shown.

    What is told of work inside is shown as well.
    """
    with ExitStack() as stack:
        line = None if quiet or is_quiet() else StatusLine(stack)
        stack.enter_context(work_progress.heard_by(line))
        yield line


@contextmanager
def size_progress(
    total: int, quiet: bool, what: str = "sizes"
) -> Iterator[Callable[[int, int], None]]:
    """A function that is told how many are finished and all there are; the bar goes to stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    console = Console(stderr=True)
    hidden = quiet or is_quiet() or not console.is_terminal
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=hidden) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, total: bar.update(task, completed=done, total=total)
