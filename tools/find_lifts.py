"""Finds the annealed lifts that ship with topofinder.

    python -m tools.find_lifts search --state FILE [--hours H] [--degrees D ...] [--links MODE ...]
    python -m tools.find_lifts search --state FILE --sizes 89,4 50,3,duplex ...
    python -m tools.find_lifts collect --state FILE

`search` goes through the sizes up to 2000 with a cyclic group of a good order in the order of
`lift_sizes`, about a second each, and appends what it finds to the state file, a line a size;
started again, it goes on with the first size that is not there. Every line depends on its size
alone, not on time or order. With --sizes it goes through these alone, near the bound or not:
n,d of one-way links, or n,d,duplex. `collect` keeps what is of use, proves it, and writes
generators/data/annealed_lifts.txt."""

import argparse
import json
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from expansions.recipe import Base
from generators.lifts.annealed import FILE, AnnealedLift, all_annealed_lifts
from topofinder.discovery.lifts.search import WEIGHT, FoundLift, best_lifts, find_lifts
from topofinder.discovery.lifts.settings import LiftGoal, cyclic_orders
from topofinder.finder.effort_work import time_bound
from topofinder.finder.graft_bases import shipped_bases
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate

LARGEST = 2000
SEED = 1
SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX
ROWS = (
    *((SIMPLEX, 2), (SIMPLEX, 4), (DUPLEX, 4), (SIMPLEX, 3)),
    *((SIMPLEX, 7), (SIMPLEX, 8), (DUPLEX, 3), (SIMPLEX, 5), (DUPLEX, 6)),
)
"""Link modes and degrees, where most is to be gained first."""
ORDERS = (LARGEST, 32, 15)
"""Orders of the groups: first the sizes with larger ones, which have better lifts."""
MORE = 16
"""Sizes whose line graphs have up to so many times d more nodes than the largest come first."""
WORK = 10**9
"""What a size gets, in nanoseconds of one core, about."""
FAR = Fraction(21, 20)
"""No lifts are looked for where the catalogue has a digraph within so many times the bound."""
NEAR = Fraction(11, 10)
"""As long again by groups that are not abelian, where cyclic ones gave nothing within so many times
the bound."""
OTHERS = 3
"""Such groups of each order."""
KEPT = 2
FILE_PATH = Path(__file__).parents[1] / "generators" / "data" / FILE


class LiftSize(NamedTuple):
    """A size at which lifts are looked for."""

    n: int
    d: int
    links: LinkMode

    @property
    def key(self) -> str:
        """What tells it from other sizes."""
        return f"{self.n},{self.d},{self.links.value}"


def read_size(text: str) -> LiftSize:
    """A size by its key; simplex links need not be named. Raises ValueError for anything else.

    >>> read_size("89,4").key, read_size("21,3,duplex").key
    ('89,4,simplex', '21,3,duplex')
    """
    numbers = text.removesuffix(",simplex").removesuffix(",duplex")
    n, d = map(int, numbers.split(","))
    if not 1 <= d < n <= LARGEST:
        raise ValueError(f"{text}: at least one port is needed, fewer than hosts, up to {LARGEST}")
    return LiftSize(n, d, LinkMode(text[len(numbers) + 1 :] or SIMPLEX))


def lift_sizes(
    degrees: Collection[int] = (), links: Collection[LinkMode] = ()
) -> Iterator[LiftSize]:
    """All sizes that are searched, by rows and orders; of these degrees and links only, if any."""
    for mode, d in ROWS:
        if (degrees and d not in degrees) or (links and mode not in links):
            continue
        halves = (LARGEST // d + MORE, LARGEST) if mode is SIMPLEX else (LARGEST,)
        for low, high in pairwise((d + 2, *halves)):
            for above, least in pairwise(ORDERS):
                for n in range(high, low, -1):
                    if least <= largest_order(n) < above and is_far(n, d, mode):
                        yield LiftSize(n, d, mode)


def largest_order(n: int) -> int:
    """The largest order of a cyclic group that lifts of n nodes are looked for by; 1 if of none.

    >>> largest_order(1999), largest_order(2000), largest_order(22), largest_order(1002)
    (1, 50, 11, 167)
    """
    return max(cyclic_orders(n), default=1)


def is_far(n: int, d: int, links: LinkMode) -> bool:
    """Whether no digraph of the catalogue is near the bound, so that lifts may gain.

    >>> is_far(96, 4, LinkMode.SIMPLEX), is_far(1998, 4, LinkMode.SIMPLEX)
    (False, True)
    """
    known = [base.time for base in shipped_bases(n, d, links)]
    return min(known, default=None) is None or min(known) > FAR * time_bound(n, d, links)


def search(size: LiftSize, work: int = WORK) -> list[FoundLift]:
    """The best lifts of one size; none where no group has a fitting order."""
    first = next(LiftGoal(n=size.n, d=size.d, links=size.links).settings(), None)
    if first is None:
        return []
    budget = max(1, work // first.work)
    found = find_lifts(*size, budget=budget, seed=SEED, most=KEPT)
    if found and min(one.time for one in found) <= NEAR * time_bound(*size):
        return found
    more = find_lifts(*size, budget=budget, seed=SEED, most=KEPT, others=OTHERS)
    return best_lifts([*found, *more], KEPT)


def state_row(size: LiftSize, found: Sequence[FoundLift]) -> dict[str, Any]:
    """The row of the state file for a size."""
    lifts = [
        {
            "recipe": str(one.recipe),
            "steps": [one.forth.steps, one.back.steps],
            "bandwidth": [str(one.forth.bandwidth), str(one.back.bandwidth)],
        }
        for one in found
    ]
    return {"key": size.key, "n": size.n, "d": size.d, "links": size.links, "lifts": lifts}


def run(state: Path, seconds: float, sizes: Iterable[LiftSize], work: int = WORK) -> None:
    """Search the sizes that the state file lacks until the time is up."""
    started = time.monotonic()
    done = {row["key"] for row in read_state(state)}
    count = 0
    for size in sizes:
        if size.key in done:
            continue
        if time.monotonic() - started > seconds:
            break
        found = search(size, work)
        write_line(state, state_row(size, found))
        ratios = [f"{float(one.time / time_bound(*size)):.3f}" for one in found]
        print(size.key, *ratios, flush=True)
        count += 1
    print(f"{count} sizes, {count * 3600 / max(time.monotonic() - started, 1):.0f} an hour")


def write_line(state: Path, row: dict[str, Any]) -> None:
    """Append a row to a state file."""
    with state.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def read_state(state: Path) -> list[dict[str, Any]]:
    """The lines of a state file."""
    if not state.exists():
        return []
    return [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines()]


def collect(state: Path) -> list[AnnealedLift]:
    """The new file: of each size in the state file what is of use there, of others what ships."""
    rows = read_state(state)
    searched = {(row["n"], row["d"], row["links"]) for row in rows}
    kept = [one for one in all_annealed_lifts() if (one.n, one.d, one.links) not in searched]
    found = (one for row in rows for one in useful_lifts(row))
    return sorted([*kept, *found], key=_place)


def useful_lifts(row: dict[str, Any]) -> Iterator[AnnealedLift]:
    """The lifts of a line that take less than the catalogue's digraphs there, proved anew."""
    size = LiftSize(row["n"], row["d"], LinkMode(row["links"]))
    known = [base.time for base in shipped_bases(*size)]
    for lift in row["lifts"]:
        one = prove_lift(lift["recipe"], size.links)
        costs = Cost(one.steps, one.forth), Cost(one.steps, one.back)
        told = zip(lift["steps"], map(Fraction, lift["bandwidth"]), strict=True)
        if costs != tuple(Cost(*pair) for pair in told):
            raise ValueError(f"{size.key}: evaluation gives {costs[0]}, {costs[1]}")
        if all(base_time(one) < time for time in known):
            yield one


def base_time(one: AnnealedLift) -> Fraction:
    """What an allreduce takes, in steps of 10 us at 1 MiB and 100 Gbps."""
    return 2 * one.steps + WEIGHT * (one.forth + one.back)


def prove_lift(text: str, links: LinkMode) -> AnnealedLift:
    """The line of a lift, costed by the evaluator of all graphs, with no symmetry."""
    recipe = parse(text)
    assert isinstance(recipe, Base)
    graph = replace(build(recipe), translation=None, orbits=None)
    if links is DUPLEX and not graph.is_bidirectional:
        raise ValueError(f"{text} is not two-way")
    forth, back = evaluate(graph).cost, evaluate(graph.transpose()).cost
    group, rows = map(str, recipe.arguments)
    return AnnealedLift(
        n=graph.n,
        d=graph.degree,
        links=links.value,
        steps=forth.steps,
        forth=forth.bandwidth,
        back=back.bandwidth,
        group=group,
        rows=rows,
    )


def _place(one: AnnealedLift) -> tuple[object, ...]:
    return one.d, one.links, one.n, base_time(one), one.group, one.rows


def main() -> None:
    """Search, or collect, as the command line says."""
    parser = argparse.ArgumentParser(description="Find the annealed lifts that ship.")
    parser.add_argument("what", choices=["search", "collect"])
    parser.add_argument("--state", type=Path, default=Path("annealed_lifts.jsonl"))
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--degrees", type=int, nargs="+", default=())
    parser.add_argument("--links", type=LinkMode, nargs="+", default=())
    parser.add_argument("--sizes", type=read_size, nargs="+", help="such as 89,4 50,3,duplex")
    asked = parser.parse_args()
    if asked.what == "collect":
        lines = collect(asked.state)
        FILE_PATH.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    else:
        sizes = asked.sizes or lift_sizes(asked.degrees, asked.links)
        run(asked.state, asked.hours * 3600, sizes)


if __name__ == "__main__":
    main()
