"""`topofinder report`: a page of one size, or of a range of sizes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any

from generators.errors import InvalidInput
from reports.pages.document import Document
from reports.pages.files import FORMATS, require_document_place, write_document
from reports.pages.html import page
from reports.pages.markdown import markdown
from topofinder.api.search_ratings import read_methods
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.workloads import read_seconds
from topofinder.api.sweep import Progress
from topofinder.model.candidate import LinkMode
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Report(Answer):
    """A page, and the file or folder that it was written to, if any."""

    document: Document
    out: str | None = None

    def summary(self) -> dict[str, Any]:
        """The page's title and file."""
        return {"title": self.document.title, "out": self.out}

    def to_dict(self) -> dict[str, Any]:
        """The same, with the titles of the sections; the command has no JSON."""
        sections = [section.title for section in self.document.sections]
        return {**self.summary(), "sections": sections}

    def __str__(self) -> str:
        return markdown(self.document) if self.out is None else f"report written to {self.out}"

    def to_html(self) -> str:
        """The page as one HTML file, with its plots."""
        return page(self.document)


def report(
    n: int | Sequence[int],
    d: int | Sequence[int],
    out: str | PathLike[str] | None = None,
    *,
    formats: Sequence[str] = FORMATS,
    links: LinkMode | str = LinkMode.SIMPLEX,
    db: str | PathLike[str] = ":memory:",
    workload: Workload | None = None,
    methods: str | Sequence[str] | None = None,
    model: TimeModel | str = TimeModel.PIPELINED,
    time: float | str | None = None,
    progress: Progress = lambda done, total: None,
) -> Report:
    """A self-contained page of a size, or of many: plots, tables and a recommendation.

    It is written to `out`, a .html or .md file, or a folder for every one of `formats`. Frontiers
    that are not stored in `db` are searched for and stored. Of one size, times by the best schedule
    method in a time `model` are told where `db` has them, and what to wire by them; with `methods`
    ("bfb", "timed", "forest") they are made for some sizes and stored. Of many sizes the page is of
    those that are finished after `time` of searching ("5min"), or by Ctrl-C. Raises InvalidInput
    for impossible sizes, unknown methods and for files that cannot be written.
    """
    hosts, ports = _numbers(n), _numbers(d)
    names = None if methods is None else read_methods(methods)
    target = None if out is None else Path(out)
    if target is not None:
        require_document_place(target)
    for word in formats:
        if word not in FORMATS:
            raise InvalidInput(f"formats: {word} is none of {', '.join(FORMATS)}")
    seconds = inf if time is None else read_seconds(time)
    if len(hosts) == 1:
        if time is not None:
            raise InvalidInput("--time: only the search for many sizes is limited, not of one")
        if len(ports) > 1:
            raise InvalidInput(f"d: one number for a report of one size, not {len(ports)}")
        asked = (workload, names, TimeModel(model))
        document = _size_document(hosts[0], ports[0], links, db, asked, progress)
    elif names is not None:
        raise InvalidInput(f"--methods: only a report of one size is rated, not of {len(hosts)}")
    elif TimeModel(model) is not TimeModel.PIPELINED:
        raise InvalidInput(f"--model: only a report of one size is rated, not of {len(hosts)}")
    else:
        document = _range_document((hosts, ports), links, db, workload, progress, seconds)
    if target is not None:
        write_document(document, target, tuple(formats))
    return Report(document=document, out=None if target is None else str(out))


def _numbers(given: int | Sequence[int]) -> list[int]:
    numbers = [given] if isinstance(given, int) else list(given)
    if not numbers:
        raise InvalidInput("n, d: at least one number is needed")
    return numbers


def _size_document(
    n: int,
    d: int,
    links: LinkMode | str,
    db: str | PathLike[str],
    asked: tuple[Workload | None, tuple[str, ...] | None, TimeModel],
    progress: Progress,
) -> Document:
    """The document of a workload, by some methods, in a time model."""
    from reports.size_page import size_document
    from topofinder.api.report_size import size_report

    workload, methods, model = asked
    made = size_report(
        n, d, links, db, workload, methods=methods, model=model, progress=progress
    )  # fmt: skip
    return size_document(made)


def _range_document(
    sizes: tuple[Sequence[int], Sequence[int]],
    links: LinkMode | str,
    db: str | PathLike[str],
    workload: Workload | None,
    progress: Progress,
    time: float,
) -> Document:
    """The document of many hosts and ports, after `time` seconds of searching at most."""
    from reports.range_page import range_document
    from topofinder.api.report_range import range_report

    made = range_report(*sizes, links, db, workload, progress=progress, time=time)
    return range_document(made)
