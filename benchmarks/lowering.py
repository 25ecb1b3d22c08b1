"""Lowers over 1000 schedules to GPU programs and checks each: failures, seconds, sizes.

    python benchmarks/lowering.py [--quick]

No two are alike in family (with its expansions), degree and number of nodes. Collectives, dialects,
protocols and placements take turns, and each is made an MSCCL++ plan too where its executor has the
collective; broadcasts, reductions and all-to-alls are forests and
timetables of small graphs. Up to 64 ranks the rows are carried out on numbers too. A program above
a runtime's limits is refused, and counted. --quick takes a sample of 60 or a few more.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from itertools import count, product
from math import gcd
from time import process_time
from typing import Any

import numpy as np

from expansions.collective import Collective
from generators.errors import Unsupported
from topofinder.api.schedule import schedule
from topofinder.exporters.msccl_limits import DIALECTS, PROTOCOLS
from topofinder.exporters.msccl_xml import MscclOptions, compile_msccl, msccl_text
from topofinder.exporters.mscclpp_limits import COLLECTIVES
from topofinder.exporters.mscclpp_plan import ExecutionOptions, execution_plan
from topofinder.lowering.lower import Lowerable, lower
from topofinder.model.transfers import Transfers
from topofinder.runtimes.in_process import run_in_process
from topofinder.verification.msccl_programs import verify_msccl
from topofinder.verification.msccl_reader import parse_msccl
from topofinder.verification.mscclpp_plans import verify_plan

SUMMED = ("allgather", "reduce-scatter", "allreduce")
OTHERS = ("broadcast", "reduce", "all-to-all")
TIMES = {"size": "1MB", "alpha": "1us", "bandwidth": "100Gbps", "chunks": 1, "tries": 1}
LARGE = ("Torus(16,16)", "Pi(4,256)", "Q(8)", "L(Pi(4,64))", "C(256,{1,16})")
LARGEST_ORACLE = 64
SAMPLE = 60
"""Schedules of --quick, at least."""
PLAN_COLLECTIVES = {collective.value for collective in COLLECTIVES}


def recipes() -> Iterator[str]:
    """Recipes of many families and all expansions, small ones first within each."""
    yield from (f"Pi(4,{n})" for n in range(6, 180))
    yield from (f"Pi(2,{n})" for n in range(4, 64))
    yield from (f"Pi(3,{n})" for n in range(5, 100))
    yield from (f"C({n},{{1,{max(2, round(n**0.5))}}})" for n in range(6, 100))
    yield from (f"C({n},{{1,3,{n // 3}}})" for n in range(12, 60) if n // 3 > 3)
    yield from (f"UniRing({d},{n})" for d, n in product((1, 2, 4), range(3, 33)))
    yield from (f"BiRing({d},{n})" for d, n in product((2, 4, 8), range(3, 33)))
    yield from (f"ShiftedRing({n})" for n in range(6, 33))
    yield from (f"Torus({a},{b})" for a, b in product(range(3, 9), repeat=2) if a <= b)
    yield from (f"Torus({a},{b},3)" for a, b in product(range(3, 6), repeat=2) if a <= b)
    yield from (f"TwistedTorus({a},{b},{s})" for a, b, s in product((3, 4), (4, 5, 6), (1, 2)))
    yield from (f"K({n})" for n in range(3, 13))
    yield from (f"K({n},{n})" for n in range(2, 9))
    yield from (f"Q({n})" for n in range(2, 7))
    yield from (f"H({n},{q})" for n, q in ((2, 3), (2, 4), (3, 3), (2, 5)))
    yield from (f"TwistedQ({n})" for n in (3, 4, 5))
    yield from (f"DirC({d})" for d in range(2, 9))
    yield from ("DBJ(2,4)", "DBJMod(2,3)", "DBJMod(3,2)", "Kautz(2,3)", "Kautz(3,2)", "Diamond")
    yield from (f"DistReg(4,{n})" for n in (9, 10, 14, 15, 16, 21, 26, 32, 35))
    yield from (f"Mesh({a},{b})" for a, b in ((2, 3), (3, 3), (3, 4), (4, 4)))
    yield from (f"L(C({n},{{1,2}}))" for n in range(5, 33))
    yield from (f"L(Pi(2,{n}))" for n in range(4, 60))
    yield from (f"L^2(BiRing(2,{n}))" for n in range(3, 17))
    yield from (f"L(K({n}))" for n in range(3, 8))
    yield from (f"C({n},{{1,2}})*2" for n in range(5, 33))
    yield from (f"UniRing(2,{n})*2" for n in range(3, 30))
    yield from (f"Kautz(2,{n})*2" for n in range(1, 4))
    yield from (f"K({n})*3" for n in range(3, 8))
    yield from (f"UniRing(1,{n})^2" for n in range(3, 12))
    yield from (f"K({n})^2" for n in range(3, 8))
    yield from (f"UniRing(1,{n}) x K(3)" for n in range(4, 22))
    yield from (f"BiRing(2,{n}) x K(4)" for n in range(3, 17))
    yield from (f"C({n},{{1,2}}) x UniRing(1,3)" for n in range(5, 20))
    yield from (f"Bi(Pi(2,{n}))" for n in range(5, 60))
    yield from (f"Bi(DBJMod(2,{n}))" for n in (3, 4))


def cases() -> Iterator[tuple[str, str, str]]:
    """Recipe, collective and method: no two of one shape, degree and size."""
    seen: set[tuple[str, int, int]] = set()
    turns = count()
    for recipe in (*recipes(), *LARGE):
        key = _key(recipe)
        if key in seen:
            continue
        seen.add(key)
        small = key[2] <= 12 and not recipe.startswith("K(")
        if recipe in LARGE:
            yield recipe, "allgather", "auto"
        elif small and len(seen) % 2:
            kind = OTHERS[next(turns) % 3]
            yield recipe, kind, "timed" if kind == "all-to-all" else "forest"
        else:
            yield recipe, SUMMED[len(seen) % 3], "auto"


def _key(recipe: str) -> tuple[str, int, int]:
    from expansions.build import build
    from expansions.parser import parse

    graph = build(parse(recipe))
    shape = re.sub(r"[0-9,{}]+", "", recipe)
    return shape, int(np.bincount(graph.tail, minlength=graph.n).max()), graph.n


def content_of(recipe: str, collective: str, method: str) -> Lowerable:
    """What the schedule's file would hold."""
    options: dict[str, Any] = {"root": 0} if collective in ("broadcast", "reduce") else {}
    if method == "timed":
        options |= TIMES
    made: Any = schedule(recipe, collective=Collective(collective), method=method, **options)
    kinds = {"forest": "forest", "timed": "timetable"}
    content: Lowerable = getattr(made, kinds.get(method, "saved"))
    return content


def options_of(number: int, collective: str) -> MscclOptions:
    """Dialect, protocol and placement, in turns."""
    dialect = list(DIALECTS.values())[number % 3]
    in_place = (None, True, False)[number // 3 % 3]
    if collective == "all-to-all":
        in_place = None
    return MscclOptions(dialect=dialect, protocol=PROTOCOLS[number // 9 % 3], in_place=in_place)


def is_right_on_numbers(transfers: Transfers) -> bool:
    """Whether sums of small numbers come out right, of as many elements as there are units."""
    if transfers.collective not in (Collective.ALLGATHER, Collective.ALLREDUCE):
        return True
    random = np.random.default_rng(transfers.ranks)
    vectors = [random.integers(-9, 9, transfers.units) for _ in range(transfers.ranks)]
    whole = sum(vectors)
    if transfers.collective is Collective.ALLGATHER:
        owner = np.repeat(np.arange(transfers.ranks), np.diff(transfers.first))
        whole = np.array(vectors)[owner, np.arange(transfers.units)]
    return all(np.array_equal(result, whole) for result in run_in_process(transfers, vectors))


def main() -> None:
    """Print failures, and a summary; exit code 1 where anything failed."""
    parser = argparse.ArgumentParser(description="Lowers and checks over 1000 schedules.")
    parser.add_argument("--quick", action="store_true", help=f"A sample of {SAMPLE}.")
    quick = parser.parse_args().quick
    chosen = list(cases())
    if quick:
        chosen = chosen[:: _stride(len(chosen))]
    spent: Counter[str] = Counter()
    told: Counter[str] = Counter()
    sizes: list[int] = []
    slowest = (0.0, "")
    for number, (recipe, collective, method) in enumerate(chosen):
        begun = process_time()
        content = content_of(recipe, collective, method)
        made = process_time()
        spent["scheduling"] += made - begun
        try:
            violation, size, transfers = lower_and_check(content, options_of(number, collective))
        except Unsupported as error:
            told[f"refused: {str(error).split(':')[0]}"] += 1
            continue
        plan = "mscclpp: collectives that its executor has not"
        if collective in PLAN_COLLECTIVES:
            plan, wrong = plan_and_check(content, transfers)
            violation = violation or wrong
        told[plan] += 1
        checked = process_time()
        slowest = max(slowest, (checked - made, recipe))
        spent["lowering and checking"] += checked - made
        if transfers.ranks <= LARGEST_ORACLE and not is_right_on_numbers(transfers):
            violation = "numbers do not come out right"
        spent["numbers"] += process_time() - checked
        sizes.append(size)
        told[collective] += 1
        if violation is not None:
            told["failed"] += 1
            print(f"{recipe} {collective} {method}: {violation}")
    report(len(sizes), told, spent, sizes, slowest)
    if told["failed"]:
        raise SystemExit(1)


def _stride(size: int) -> int:
    """That of a sample: without a factor 2 or 3, by which collectives take turns."""
    return next(each for each in range(size // SAMPLE, 0, -1) if gcd(each, 6) == 1)


def lower_and_check(content: Lowerable, options: MscclOptions) -> tuple[str | None, int, Transfers]:
    """What is wrong with the program of a schedule, its bytes, and its transfers."""
    transfers = lower(content)
    text = "".join(msccl_text(compile_msccl(transfers, options)))
    verdict = verify_msccl(parse_msccl(text), dialect=options.dialect.name, against=content)
    violation = verdict.violation
    if violation is None and verdict.safe_bytes is not None:
        violation = f"safe to {verdict.safe_bytes} bytes alone"
    return violation, len(text), transfers


def plan_and_check(content: Lowerable, transfers: Transfers) -> tuple[str, str | None]:
    """What became of the schedule as an MSCCL++ plan, and what is wrong with that."""
    try:
        plan = execution_plan(transfers, ExecutionOptions("benchmark"))
    except Unsupported:
        return "mscclpp: refused", None
    violation = verify_plan(plan, content).violation
    return "mscclpp: checked", None if violation is None else f"mscclpp: {violation}"


def report(
    lowered: int,
    told: Counter[str],
    spent: Counter[str],
    sizes: list[int],
    slowest: tuple[float, str],
) -> None:
    """Print what was found, in a few lines."""
    print(f"{lowered} schedules lowered and checked, {told['failed']} failed")
    print("  " + ", ".join(f"{name} {told[name]}" for name in sorted(told)))
    print("  CPU s: " + ", ".join(f"{name} {seconds:.1f}" for name, seconds in spent.items()))
    middle = sorted(sizes)[len(sizes) // 2] / 1024
    print(f"  slowest {slowest[0]:.2f} s ({slowest[1]}); files {min(sizes) / 1024:.1f} KiB to "
          f"{max(sizes) / 2**20:.1f} MiB, median {middle:.0f} KiB")  # fmt: skip


if __name__ == "__main__":
    main()
