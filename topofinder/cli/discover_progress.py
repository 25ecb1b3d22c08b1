"""The progress of a search on a terminal: lists judged, their rate, and the best that is found."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from reports.discovery import best_line
from topofinder.api.discover import DiscoveryProgress, Tell


@contextmanager
def progress_line(quiet: bool) -> Iterator[Tell]:
    """A function that shows progress in one line on stderr, if that is a terminal."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    started = monotonic()
    if quiet or not console.is_terminal:
        yield lambda progress: None
        return
    with console.status("making groups") as status:

        def tell(progress: DiscoveryProgress) -> None:
            rate = progress.judged / max(monotonic() - started, 1e-9)
            best = best_line(progress.best)
            line = f"{progress.judged:,} judged, {rate:,.0f}/s; {progress.group}; best {best}"
            status.update(escape(line))

        yield tell
