"""CPU milliseconds of one simulated iteration: 100 layers, 1000 buckets; at most 5 are allowed."""

import sys
from fractions import Fraction
from time import process_time

from expansions.cost import Cost
from topofinder.model.training_model import TrainingModel
from topofinder.simulation.training.accelerators import ACCELERATORS
from topofinder.simulation.training.job import FabricCosts, TrainingJob, rate_job
from topofinder.simulation.training.roofline import ComputeRates

LAYERS, BUCKETS = 100, 1000
MIB = 1 << 20


def make_job() -> TrainingJob:
    each = {"forward_seconds": 1e-3, "backward_seconds": 2e-3}
    rows = [
        {"name": f"layer{place}", "parameters": BUCKETS // LAYERS * MIB // 2, **each}
        for place in range(LAYERS)
    ]
    return TrainingJob(
        model=TrainingModel(name="benchmark", layers=rows),
        n=1024,
        units=Fraction(1),
        rates=ComputeRates(accelerator=ACCELERATORS["a100"]),
        buckets=(MIB,),
        splits=True,
    )


def main() -> None:
    once = Cost(5, Fraction(1023, 1024))
    costs = FabricCosts(
        name="optimal",
        n=1024,
        d=4,
        alpha=Fraction(1, 10**5),
        bandwidth=Fraction(125 * 10**8),
        allreduce=(once + once,),
    )
    job, turns = make_job(), 5 if "--quick" in sys.argv[1:] else 200
    rate_job(job, costs)
    began = process_time()
    for _ in range(turns):
        rate_job(job, costs)
    print(f"{(process_time() - began) / turns * 1000:.2f} ms an iteration")


if __name__ == "__main__":
    main()
