"""Finds the Cayley digraphs that ship with topofinder.

    python -m tools.find_cayley_digraphs search --state FILE [--hours H] [--degrees D ...]
    python -m tools.find_cayley_digraphs collect --state FILE [--degrees D ...]

`search` goes through sizes in the order of `wishes`, as deep as each says, and appends what it
finds to the state file, a line a size; started again, it goes on with the first size that is not
there. Every line depends on its size and depth alone, not on time or order. `collect` keeps what
nothing else beats, proves it, and writes generators/data/cayley_digraphs.txt. With --degrees both
keep to these, and the lines of other degrees stay as they ship. A leg ends with its rate and gain.
With --sizes 89,4 50,3,duplex ... `search` goes through these alone, as deep as they are wished.
"""

import argparse
import json
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from generators.cayley import catalogue
from tools.collect_cayley_digraphs import catalogue_place, collect_catalogue
from tools.find_lifts import LiftSize, read_size
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.results import DiscoveredGraph
from topofinder.discovery.rounds import DiscoverySearch
from topofinder.model.candidate import LinkMode

LARGEST = 2000
SEED = 1
POWERS = (16, 32, 64, 128, 256, 512, 1024, 8)
HUNDREDS = (*range(100, LARGEST + 1, 100), 720, 729)
CHOSEN = POWERS + HUNDREDS
LATE_DEGREES = (5, 7, 9, 10, 12)
"""Degrees of which only few groups of each order are searched."""
STRIDES = (8, 4, 2, 1)
"""Their sizes: first multiples of 8, which have many groups and serve as bases of grafts."""
FILE = Path(__file__).parents[1] / "generators" / "data" / catalogue.FILE


class Depth(NamedTuple):
    """How many groups of an order are searched, in how many rounds, from which budget."""

    groups: int
    rounds: int
    budget: int


DEEP, MIDDLE, WIDE = Depth(240, 2, 4096), Depth(48, 1, 2048), Depth(12, 1, 1024)
LIGHT = Depth(4, 1, 512)
BOTH = Depth(6, 1, 2048)
"""For lists that are cheap both ways, where the cheapest forth is not."""


class SearchDepth(NamedTuple):
    """A size and how deep it is searched."""

    n: int
    d: int
    links: LinkMode
    depth: Depth

    @property
    def key(self) -> str:
        """What tells it from other sizes, depths and link modes."""
        return f"{self.n},{self.d},{self.links.value},{','.join(map(str, self.depth))}"


def wishes() -> Iterator[SearchDepth]:
    """All that is searched, the sizes that matter most first."""
    for d, links in ((4, LinkMode.SIMPLEX), (8, LinkMode.SIMPLEX), (4, LinkMode.DUPLEX)):
        yield from (SearchDepth(n, d, links, DEEP) for n in POWERS)
    for links in LinkMode:
        yield from (SearchDepth(n, 4, links, MIDDLE) for n in HUNDREDS)
    for links in LinkMode:
        yield from (
            SearchDepth(n, 4, links, WIDE) for n in range(5, LARGEST + 1) if n not in CHOSEN
        )
    for d in (8, 2, 3, 6):
        for n in CHOSEN:
            for links in LinkMode:
                early = n in POWERS and (d == 8 or links is LinkMode.SIMPLEX)
                if n > d and not (early and (d, links) == (8, LinkMode.SIMPLEX)):
                    yield SearchDepth(
                        n, d, links, DEEP if early and (d, n) != (8, 1024) else MIDDLE
                    )
    for d in (8, 3, 2, 6):
        for links in LinkMode:
            depth = WIDE if d == 8 or (d, links) == (3, LinkMode.SIMPLEX) else LIGHT
            sizes = (n for n in range(d + 1, LARGEST + 1) if n not in CHOSEN)
            yield from (SearchDepth(n, d, links, depth) for n in sizes)
    yield from _late_wishes()


def _late_wishes() -> Iterator[SearchDepth]:
    """Sizes of the late degrees, by the largest stride that divides them."""
    for stride in STRIDES:
        for d in LATE_DEGREES:
            for links in LinkMode:
                for n in range(d + 2, LARGEST + 1):
                    if next(k for k in STRIDES if n % k == 0) == stride:
                        yield SearchDepth(n, d, links, LIGHT)


def search(wish: SearchDepth) -> list[DiscoveredGraph]:
    """What is found of one size: the frontier forth, and where it is not the same, both ways."""
    found = _search_lists(wish, wish.depth, both=False)
    if wish.links is LinkMode.SIMPLEX and any(f.back != f.forth for f in found):
        found += _search_lists(wish, BOTH._replace(groups=min(wish.depth.groups, 24)), both=True)
    return found


def _search_lists(wish: SearchDepth, depth: Depth, both: bool) -> list[DiscoveredGraph]:
    goal = SearchGoal(n=wish.n, d=wish.d, links=wish.links, both=both)
    search = DiscoverySearch(goal, SEED, groups=depth.groups, budget=depth.budget)
    for turn in range(depth.rounds):
        for unit in search.work_units(turn):
            search.take_results(unit, unit.run()[1])
    return search.finds


def _line(wish: SearchDepth, finds: list[DiscoveredGraph]) -> str:
    rows = [
        {
            "group": find.group,
            "generators": find.generators,
            "steps": find.forth.steps,
            "forth": str(find.forth.bandwidth),
            "back": str(find.back.bandwidth),
            "trials": find.trials,
        }
        for find in finds
    ]
    told = {"key": wish.key, "n": wish.n, "d": wish.d, "links": wish.links, "finds": rows}
    return json.dumps(told)


def chosen_wishes(
    degrees: Collection[int] = (), sizes: Collection[LiftSize] = ()
) -> Iterator[SearchDepth]:
    """The wishes of these sizes, if any, or else of these degrees, or all.

    >>> [wish.key for wish in chosen_wishes(sizes=[LiftSize(89, 4, LinkMode.SIMPLEX)])]
    ['89,4,simplex,12,1,1024']
    """
    for wish in wishes():
        if wish[:3] in sizes if sizes else not degrees or wish.d in degrees:
            yield wish


def run(state: Path, seconds: float, wanted: Iterable[SearchDepth]) -> None:
    """Search the wishes that the state file lacks until the time is up."""
    started = time.monotonic()
    done = {row["key"] for row in read(state)}
    leg: list[list[DiscoveredGraph]] = []
    with state.open("a", encoding="utf-8") as file:
        for wish in wanted:
            if wish.key in done:
                continue
            if time.monotonic() - started > seconds:
                break
            begun = time.monotonic()
            leg.append(search(wish))
            file.write(_line(wish, leg[-1]) + "\n")
            file.flush()
            costs = (f"({f.forth.steps},{f.forth.bandwidth},{f.back.bandwidth})" for f in leg[-1])
            print(f"{wish.key} {time.monotonic() - begun:.2f}s", *costs, flush=True)
    print(describe_leg(leg, time.monotonic() - started))


def describe_leg(leg: Sequence[Sequence[DiscoveredGraph]], seconds: float) -> str:
    """Rate and gain of a leg: sizes an hour, sizes with finds, and digraphs.

    >>> describe_leg([[], []], 3600)
    '2 sizes, 2 an hour; 0 of them with 0 digraphs'
    """
    found = [finds for finds in leg if finds]
    rate = round(len(leg) * 3600 / max(seconds, 1))
    digraphs = sum(len(finds) for finds in found)
    return f"{len(leg)} sizes, {rate} an hour; {len(found)} of them with {digraphs} digraphs"


def collect(state: Path, degrees: Collection[int] = ()) -> list[catalogue.ShippedDigraph]:
    """The new catalogue: of these degrees what the state file has, of others what ships."""
    rows = [row for row in read(state) if not degrees or row["d"] in degrees]
    found = collect_catalogue(rows, {wish.key for wish in wishes()})
    kept = [one for one in catalogue.all_digraphs() if degrees and one.d not in degrees]
    return sorted([*kept, *found], key=catalogue_place)


def read(state: Path) -> list[dict[str, Any]]:
    """The lines of a state file."""
    if not state.exists():
        return []
    return [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Search, or collect, as the command line says."""
    parser = argparse.ArgumentParser(description="Find the Cayley digraphs that ship.")
    parser.add_argument("what", choices=["search", "collect"])
    parser.add_argument("--state", type=Path, default=Path("cayley_digraphs.jsonl"))
    parser.add_argument("--hours", type=float, default=3.0)
    parser.add_argument("--degrees", type=int, nargs="+", default=())
    parser.add_argument("--sizes", type=read_size, nargs="+", default=(), help="such as 89,4")
    asked = parser.parse_args()
    if asked.what == "collect":
        lines = collect(asked.state, asked.degrees)
        FILE.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    else:
        run(asked.state, asked.hours * 3600, chosen_wishes(asked.degrees, asked.sizes))


if __name__ == "__main__":
    main()
