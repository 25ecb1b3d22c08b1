"""Writes which signatures `topofinder warm` compiles: those of the commands below.

Run as `python -m tools.kernel_signatures` after a kernel, or a caller, has changed its arguments:
the commands are run in a folder of their own, with kernels interpreted where that is possible, and
topofinder/dispatch/signatures.json is written anew; with --searches those of lifts and grafts alone
are run and added, with --slow those commands alone whose kernels are compiled. A signature that is
missing costs no answer: it is compiled when it is needed.
"""

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout, suppress
from io import StringIO
from tempfile import TemporaryDirectory
from typing import Any

from topofinder.cli.app import main as run_topofinder
from topofinder.dispatch import kernel as dispatch
from topofinder.dispatch.samples import signature_text
from topofinder.dispatch.stored_signatures import SIGNATURES_FILE, stored_signatures

UNITS = "--size 1MiB --alpha 1us --bandwidth 100Gbps"

COMMANDS = """
search --n 12 --d 3
search --n 60 --d 4
search --n 20 --d 4 --links duplex --with-baselines
search --n 16 --d 4 --alpha 10us --size 1MiB --bandwidth 100Gbps
search --n 16 --d 4 --with-throughput --time 1s
sweep --n 8:40 --d 2,4 --jobs 1
schedule L(K(4,4)) --collective allreduce -o lines.json
schedule Pi(4,60) -o pi.json
schedule Pi(4,60) --collective reduce-scatter -o back.json
schedule C(64,{5,6}) --collective allreduce -o ring.json
schedule Torus(4,4) --method bfb --collective broadcast --root 3 -o broadcast.json
schedule DGXA100(2) --method forest -o forest.json
schedule DGXA100(2) --method forest --k 1 --collective allreduce -o one.json
schedule DGXH100(2) --method forest --multicast -o multicast.json
schedule Torus(3,3) --method forest --collective broadcast --root 0 -o rooted.json
schedule Pi(3,16) --method timed UNITS -o timed.json
schedule Torus(3,3) --method timed --collective allreduce UNITS -o sum.json
schedule Torus(3,3) --method timed --collective all-to-all UNITS -o exchange.json
schedule Torus(4,4) --method auto --collective allreduce UNITS -o auto.json
schedule Q(3) --method recursive-doubling --collective allreduce -o doubling.json
verify lines.json
verify pi.json
verify back.json
verify ring.json
verify broadcast.json
verify forest.json
verify one.json
verify rooted.json
verify timed.json
verify sum.json
verify exchange.json
verify auto.json
show lines.json
show timed.json
export lines.json --format msccl -o lines.xml
verify lines.xml --against lines.json
export forest.json --format msccl -o forest.xml
verify forest.xml
throughput L(K(4,4)) --certificate proof.json
verify proof.json
throughput Pi(4,40) --time 2s
throughput Torus(3,4) --pattern permutation:1 --time 2s
throughput DGXA100(2) --time 2s
discover --n 16 --d 3 --trials 300
discover --n 12 --d 4 --links duplex --trials 300
inventory Torus(4,4) -o fabric.json --current now.csv
plan --inventory fabric.json --current now.csv --to C(16,{3,4}) --keep-connected -o plan.csv
plan --inventory fabric.json --current now.csv --to Pi(4,16) --time 2s
"""
"""One command a line, in the order of their needs."""

SLOW_COMMANDS = """
schedule MI250(1) --method forest --k 1 --prefer trees -o few.json
schedule MI250(2) --method forest --k 2 -o low.json
schedule C(8,{1,3}) --method forest --collective allreduce --overlap --fail-links 0-1 -o shared.json
schedule Torus(5,5) --method forest --collective broadcast --root 0 -o rooted.json
inventory Torus(4,4) -o fabric.json --current now.csv
plan --inventory fabric.json --current now.csv --grow=-2 -o smaller.csv
"""
"""The same, of searches that take minutes where kernels are interpreted: these are compiled."""


def search_from_python() -> None:
    """Do what large searches do: look for lifts and grafts, defer shards, evaluate graphs."""
    from expansions.parser import parse
    from generators.cayley.group import cyclic
    from generators.families.circulant import circulant
    from generators.families.generalized_kautz import generalized_kautz
    from topofinder.discovery.grafts.free import find_free
    from topofinder.discovery.grafts.search import find_grafts
    from topofinder.discovery.lifts.search import find_lifts
    from topofinder.schedules.bfb.cayley import evaluate_cayley, evaluate_circulants
    from topofinder.schedules.bfb.evaluation import evaluate
    from topofinder.schedules.bfb.kautz import evaluate_kautz
    from topofinder.schedules.deferral.quotas import defer_shards

    for links in ("simplex", "duplex"):
        print(f"lifts and grafts, {links}", file=sys.stderr)
        find_lifts(12, 4, links, budget=20)
        find_free(10, 4, links, budget=2)
        find_grafts(15, 4, links, bases=[parse("C(16,{3,4})")], budget=2)
    defer_shards(generalized_kautz(3, 14))
    evaluate_kautz([(3, 14)])
    evaluate_circulants([(40, (1, 2))])
    evaluate_cayley(cyclic(40), (1, 2))
    for graph in (generalized_kautz(17, 40), circulant(40, tuple(range(1, 10)))):
        evaluate(graph)
    for budget in (2, 200):  # with few and with many evaluations for the pairs that are missed
        find_grafts(63, 3, bases=[parse("Cay(Z64;1,9,28)")], budget=budget)


def main() -> None:
    """Run the commands, and write what their kernels were called with."""
    found = defaultdict[str, set[str]](set)
    added = {"--searches", "--slow"} & set(sys.argv[1:])
    if added:
        found.update({name: set(texts) for name, texts in stored_signatures().items()})
    if "--slow" not in added:
        with _recorded_calls(found, "interpreted"):
            _run_all("" if added else COMMANDS)
            search_from_python()
    if "--searches" not in added:
        with _recorded_calls(found, "compiled"):
            _run_all(SLOW_COMMANDS)
    own = {name: sorted(texts) for name, texts in sorted(found.items())}
    own = {name: texts for name, texts in own.items() if texts and name.startswith("topofinder.")}
    SIGNATURES_FILE.write_text(json.dumps(own, indent=1) + "\n", encoding="utf-8")
    print(f"{sum(map(len, own.values()))} signatures of {len(own)} kernels")


@contextmanager
def _recorded_calls(found: dict[str, set[str]], way: str) -> Iterator[None]:
    """Add what kernels are called with meanwhile, in a folder that is then removed."""
    ways: Any = dispatch._ways
    usual = ways[way]

    def record(kernel: dispatch.Kernel, arguments: tuple[Any, ...]) -> Any:
        found[kernel.name].add(signature_text(arguments))
        kernel._ready = None
        try:
            return usual(kernel, arguments)
        finally:
            kernel._ready = None  # it is asked for the next signature, too

    ways[way] = record
    os.environ |= {dispatch.VARIABLE: way, "TOPOFINDER_DB": "known.db"}
    with TemporaryDirectory() as folder, chdir(folder):
        yield
    ways[way] = usual


def _run_all(commands: str) -> None:
    for line in commands.strip().splitlines():
        _run(line)


def _run(line: str) -> None:
    """Run one command; what it prints is of no interest, a failure is told."""
    words = line.replace("UNITS", UNITS).split()
    print(line, file=sys.stderr)
    with redirect_stdout(StringIO()), suppress(SystemExit):
        run_topofinder(words)


if __name__ == "__main__":
    main()
