"""Measures hosts of eight accelerators against their bounds: `python benchmarks/hosts.py`.

For N hosts: the search from an empty database, the forest that it predicts, and its check. With
`--quick` N is small, to see that all of it still runs.
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from expansions.collective import Collective
from expansions.hosts import HostFabric, host_topology, host_wiring
from topofinder.api.search_hosts import search_hosts
from topofinder.forests.collectives.host_forest import compose_forest
from topofinder.schedules.compose_hosts import compose_steps, inner_way, predict_steps
from topofinder.verification.forests import verify_forest
from topofinder.verification.schedules import verify_schedule

LARGEST_COMPOSED = 64
HOSTS = (8, 16, 32, 64, 128, 256)
WORDS = (
    "hosts  search s  forest s  1/x*    of cut  height  2D+1  f of hops  f of Moore  gap %  graph"
)


def measure(n: int, folder: str) -> str:
    """A line of figures; times are process seconds."""
    begun = time.process_time()
    found = search_hosts(n, 8, 1, "450GB/s", "50GB/s", db=Path(folder) / f"{n}.db")
    searched = time.process_time()
    best = min(found.members, key=lambda one: (one.prediction.inverse_rate, one.latency))
    made = compose_forest(best.fabric, Collective.ALLGATHER)
    packed = time.process_time()
    violation = verify_forest(made).violation
    if violation is not None or made.spread is None:
        raise SystemExit(f"{best.fabric}: {violation}")
    if made.inverse_rate != best.prediction.inverse_rate:
        raise SystemExit(f"{best.fabric}: {made.inverse_rate} is not what is predicted")
    if n <= LARGEST_COMPOSED:
        check_steps(best.fabric)
    low, high = best.alltoall
    moore = found.record.bound.alltoall[1]
    height, most = int(made.spread.heights().max()), 2 * best.prediction.hops + 1
    if height > best.prediction.height(best.tree_height):
        raise SystemExit(f"{best.fabric}: trees are higher than what is told")
    return (
        f"{n:5}  {searched - begun:8.2f}  {packed - searched:8.2f}  {made.inverse_rate!s:6}  "
        f"{float(best.prediction.bound / made.inverse_rate):6.3f}  {height:6}  {most:4}  "
        f"{float(low / best.hop_bound):9.4f}  {float(low / moore):10.4f}  "
        f"{float(100 * (1 - low / high)):5.2f}  {best.fabric.graph}"
    )


def check_steps(fabric: HostFabric) -> None:
    """Compose the steps of an allgather, and hold them against what is predicted of them."""
    topology, wiring = host_topology(fabric), host_wiring(fabric)
    rows = compose_steps(fabric, topology, wiring, inner_way(fabric))
    found, predicted = verify_schedule(topology, rows), predict_steps(fabric, wiring)
    time_of_shard = found.bandwidth * fabric.accelerators / topology.degree
    if not found.valid or (found.steps, time_of_shard) != (predicted.steps, predicted.inverse_rate):
        raise SystemExit(f"{fabric}: steps are not what is predicted")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    hosts = HOSTS[:2] if parser.parse_args().quick else HOSTS
    print(WORDS)
    with TemporaryDirectory() as folder:
        for n in hosts:
            print(measure(n, folder), flush=True)


if __name__ == "__main__":
    main()
