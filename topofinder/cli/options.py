"""Options that several commands share, and the readers of their values."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.cli.remarks import hush
from topofinder.model.candidate import LinkMode
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import COSTED

MAX_RANGE = 1_000_000
MAX_PAIRS = 4_000_000

LinksOption = Annotated[
    LinkMode, typer.Option("--links", help="simplex: any digraph; duplex: every circuit two-way.")
]
DatabaseOption = Annotated[
    Path,
    typer.Option("--db", envvar="TOPOFINDER_DB", help="Database file; made if it is missing."),
]
NamingOption = Annotated[
    Path,
    typer.Option("--db", envvar="TOPOFINDER_DB", help="Database file that a #id is looked up in."),
]
StoredOption = Annotated[
    Path,
    typer.Option("--db", envvar="TOPOFINDER_DB", help="Database file, which must exist."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress, no remarks.", callback=hush)
]
AlphaOption = Annotated[
    str | None, typer.Option("--alpha", help="Latency of one hop, such as 10us.", metavar="TIME")
]
SizeOption = Annotated[
    str | None,
    typer.Option("--size", help="Data of the whole collective, such as 1MiB.", metavar="SIZE"),
]
BandwidthOption = Annotated[
    str | None,
    typer.Option("--bandwidth", help="Egress of one host, such as 100Gbps.", metavar="RATE"),
]
EpsilonOption = Annotated[
    str | None,
    typer.Option("--epsilon", help="Time that each collective takes besides.", metavar="TIME"),
]
ReduceRateOption = Annotated[
    str | None,
    typer.Option("--reduce-rate", help="How fast a host combines data.", metavar="RATE"),
]
InjectionOption = Annotated[
    str | None,
    typer.Option(
        "--injection", help="What a host can send, and receive, over all links.", metavar="RATE"
    ),
]
ModelOption = Annotated[
    TimeModel,
    typer.Option("--model", help="Whether a link is busy for its latency too: occupied."),
]
SizesOption = Annotated[
    Path | None,
    typer.Option("--sizes", help="File of collective sizes: a size and a count on each line."),
]
CollectiveOption = Annotated[
    Collective,
    typer.Option(
        "--collective",
        help="What the best candidate is chosen for.",
        metavar=f"<{'|'.join(COSTED)}>",
    ),
]
BaselinesOption = Annotated[
    bool,
    typer.Option("--with-baselines", help="Also price rings, tori and trees of that size."),
]

RatesOption = Annotated[
    bool,
    typer.Option("--with-throughput", help="Also bound the all-to-all throughput f of each."),
]
GapOption = Annotated[
    float, typer.Option("--gap", help="How far bounds on f may be apart, relatively.")
]
TryOption = Annotated[
    str, typer.Option("--time", help="How long to try for one f, such as 60s.", metavar="TIME")
]
SearchTimeOption = Annotated[
    str | None,
    typer.Option(
        "--time",
        help="How long to try for one f, 60s unless told, and at most for an effort.",
        metavar="TIME",
    ),
]
GiveUpOption = Annotated[
    str | None,
    typer.Option("--time", help="Give up after so long, such as 60s.", metavar="TIME"),
]
ParetoOption = Annotated[
    str,
    typer.Option(
        "--pareto", help="Axes of the frontier: latency, bandwidth, alltoall, resilience."
    ),
]
PricesOption = Annotated[
    Path | None,
    typer.Option("--prices", help="Unit prices and watts of parts: .csv, for a bill of all ports."),
]
ExchangeOption = Annotated[
    str | None,
    typer.Option(
        "--alltoall",
        help="All-to-alls of the workload: data of each node and how often, such as 4MiB,24.",
        metavar="SIZE[,COUNT]",
    ),
]

EffortOption = Annotated[
    int,
    typer.Option("--effort", help="Seconds, about, to look for lifts and grafts first."),
]
SearchEffortOption = Annotated[
    int | None,
    typer.Option(
        "--effort",
        help="Seconds, about, to look for lifts and grafts first; 1 where the variable "
        "TOPOFINDER_EFFORT says nothing else.",
    ),
]
LargeOption = Annotated[
    bool, typer.Option("--large", help="Take files and problems above the ordinary limits.")
]
BackendOption = Annotated[
    str | None,
    typer.Option("--backend", help="What computes: loky, dask or ray.", metavar="NAME"),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        help="Where the cluster is: host:port, or the JSON file of a Dask scheduler.",
        metavar="ADDRESS",
    ),
]

DEFAULT_DATABASE = Path("topofinder.db")
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_FRACTION = re.compile(r"\d{1,18}(\.\d{1,18}|/\d{1,18})?", re.ASCII)


def numbers(text: str, name: str) -> list[int]:
    """Whole numbers such as `4`, `2,4,8` or `2:2000` (both ends included), in order, once each.

    >>> numbers("2:4,9", "--n")
    [2, 3, 4, 9]
    """
    found: set[int] = set()
    for low, high in ranges(text, name):
        if high - low >= MAX_RANGE:
            raise InvalidInput(
                f"{name}: the range '{low}:{high}' has more than {MAX_RANGE} numbers"
            )
        found.update(range(low, high + 1))
        if len(found) > MAX_RANGE:
            raise InvalidInput(f"{name}: more than {MAX_RANGE} numbers")
    return sorted(found)


def size_pairs(n: str, d: str) -> list[tuple[int, int]]:
    """All pairs of a number of hosts and one of ports, by hosts.

    >>> size_pairs("8,9", "2")
    [(8, 2), (9, 2)]
    """
    hosts, ports = numbers(n, "--n"), numbers(d, "--d")
    if (count := len(hosts) * len(ports)) > MAX_PAIRS:
        raise InvalidInput(f"--n, --d: {count} sizes; at most {MAX_PAIRS} at once")
    return [(n, d) for n in hosts for d in ports]


def ranges(text: str, name: str) -> list[tuple[int, int]]:
    """The same as pairs of the least and the most, as they are listed.

    >>> ranges("2:4,9", "--n")
    [(2, 4), (9, 9)]
    """
    found = []
    for part in text.split(","):
        ends = part.strip().split(":")
        if len(ends) > 2 or not all(_NUMBER.fullmatch(end) for end in ends):
            raise InvalidInput(f"{name}: {excerpt(part)} is not a number or a range such as 2:2000")
        low, high = int(ends[0]), int(ends[-1])
        if high < low:
            raise InvalidInput(f"{name}: the range {excerpt(part)} is empty")
        found.append((low, high))
    return found


def fraction(text: str, name: str) -> Fraction:
    """An exact number such as `1.02` or `1023/1024`.

    >>> fraction("1.02", "--max-bandwidth")
    Fraction(51, 50)
    """
    try:
        if _FRACTION.fullmatch(text):
            return Fraction(text)
    except ZeroDivisionError:
        pass
    raise InvalidInput(f"{name}: a number such as 1.02 or 1023/1024 is needed, not {excerpt(text)}")
