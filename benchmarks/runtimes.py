"""How long all ranks take in one process: the oracle of the executors, at N = 64 and beyond.

    python benchmarks/runtimes.py [--quick]

Seconds of the processor to lower all ranks and run one collective of int64, each element looked
at; at most 1 s is wanted at N = 64. --quick takes the cases of 64 ranks alone.
"""

import sys
from time import process_time

from topofinder.api.schedule import schedule
from topofinder.lowering.lower import lower
from topofinder.runtimes.in_process import run_in_process
from topofinder.runtimes.sample_data import SampleData

CASES = (
    ("Pi(4,64)", "allgather", 10_007, 1.0),
    ("Pi(4,64)", "allreduce", 10_007, 1.0),
    ("Torus(8,8)", "allreduce", 10_007, 1.0),
    ("Q(6)", "allreduce", 65_536, 1.0),
    ("Pi(4,256)", "allreduce", 10_007, 20.0),
)


def main() -> None:
    print(f"{'recipe':12}{'collective':12}{'count':>7}{'seconds':>9}{'wanted':>8}  wrong")
    for recipe, collective, count, wanted in CASES:
        if "--quick" in sys.argv[1:] and wanted > 1:
            continue
        transfers = lower(schedule(recipe, collective=collective).saved)
        data = SampleData(transfers=transfers, count=count, dtype="int64")
        vectors = [data.vector(rank) for rank in range(transfers.ranks)]
        before = process_time()
        ends = run_in_process(transfers, vectors)
        seconds = process_time() - before
        wrong = sum(data.count_wrong(end, rank) for rank, end in enumerate(ends))
        star = "*" if seconds > wanted else " "
        print(f"{recipe:12}{collective:12}{count:7}{seconds:8.2f}{star}{wanted:8.1f}  {wrong}")


if __name__ == "__main__":
    main()
