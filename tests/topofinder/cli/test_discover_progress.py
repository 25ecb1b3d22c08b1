"""The line of progress: on a terminal only, with what a person wants to know."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from rich.console import Console

from db.discovery_rows import FindRow
from topofinder.api.discover_limits import DiscoveryProgress
from topofinder.cli.discover import progress_line

BEST = FindRow(
    recipe="Cay(Z3;1,1)",
    base="Cay(Z3;1,1)",
    links="simplex",
    n=3,
    d=2,
    steps=2,
    bandwidth=Fraction(2, 3),
    rs_bandwidth=Fraction(2, 3),
    seed=0,
    trials=1,
)


class Status:
    """Stands for rich's, and keeps the lines."""

    lines: list[str] = []  # noqa: RUF012

    def __enter__(self) -> "Status":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setattr(Console, "status", lambda console, text: Status())
    Status.lines.clear()
    return


@pytest.mark.usefixtures("terminal")
def test_a_terminal_sees_group_and_best() -> None:
    with progress_line(quiet=False) as tell:
        tell(DiscoveryProgress(judged=1200, before=0, group="Z3:Z2[2]", best=(BEST,)))
        tell(DiscoveryProgress(judged=1200, before=0, group="Z3", best=()))
    first, second = Status.lines
    assert first.startswith("1,200 judged, ")
    assert first.endswith(r"/s; Z3:Z2[2]; best (2, 0.6667)")
    assert second.endswith("/s; Z3; best nothing yet")


@pytest.mark.usefixtures("terminal")
def test_quiet_says_nothing() -> None:
    with progress_line(quiet=True) as tell:
        tell(DiscoveryProgress(judged=1, before=0, group="Z3", best=()))
    assert Status.lines == []


def test_what_is_no_terminal_sees_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_line(quiet=False) as tell:
        tell(DiscoveryProgress(judged=1, before=0, group="Z3", best=()))
    assert capsys.readouterr() == ("", "")
