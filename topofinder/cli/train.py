"""`topofinder train`: the wiring on which a model trains fastest."""

from pathlib import Path
from typing import Annotated

import typer

from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    BackendOption,
    DatabaseOption,
    JsonOption,
    LinksOption,
    QuietOption,
    SchedulerOption,
    fraction,
)
from topofinder.model.candidate import LinkMode


def train(
    n: Annotated[int, typer.Option("--n", help="Number of hosts.")],
    d: Annotated[int, typer.Option("--d", help="Ports of a host.")],
    alpha: Annotated[
        str, typer.Option("--alpha", help="Latency of one hop, such as 10us.", metavar="TIME")
    ],
    bandwidth: Annotated[
        str,
        typer.Option("--bandwidth", help="Egress of one host, such as 100Gbps.", metavar="RATE"),
    ],
    model: Annotated[
        str | None,
        typer.Option("--model", help="A model's name, or a .json or .csv table of layers."),
    ] = None,
    links: LinksOption = LinkMode.SIMPLEX,
    batch: Annotated[
        int | None,
        typer.Option("--batch", help="Samples, or tokens, of one host an iteration."),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(
            "--profile", help="Measured times: .csv, or a .json table, which may be the model."
        ),
    ] = None,
    accelerator: Annotated[
        str, typer.Option("--accelerator", help="For estimates: a100, h100 or mi250x.")
    ] = "a100",
    efficiency: Annotated[
        str, typer.Option("--efficiency", help="Part of its peak that is reached.", metavar="F")
    ] = "0.5",
    rate: Annotated[
        str | None,
        typer.Option("--rate", help="A flat rate instead, such as 60TFLOPS.", metavar="RATE"),
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option("--dtype", help="Type of parameters and activations, such as float32."),
    ] = None,
    bucket: Annotated[
        list[str] | None,
        typer.Option(
            "--bucket",
            help="Sizes of gradient buckets to try, such as 25MiB; may be repeated.",
            metavar="SIZE",
        ),
    ] = None,
    split_buckets: Annotated[
        bool, typer.Option("--split-buckets", help="Cut gradients into buckets of equal size.")
    ] = False,
    sharded: Annotated[
        bool, typer.Option("--fsdp", help="Parameters are spread over the hosts (ZeRO-3).")
    ] = False,
    accumulate: Annotated[
        int, typer.Option("--accumulate", help="Microbatches of an iteration.")
    ] = 1,
    experts_skew: Annotated[
        str | None,
        typer.Option("--experts-skew", help="Uneven loads of experts: zipf:S.", metavar="LAW"),
    ] = None,
    demand: Annotated[
        Path | None,
        typer.Option("--demand", help="Or what hosts send each other: a .csv or .npz matrix."),
    ] = None,
    everything: Annotated[
        bool | None,
        typer.Option(
            "--all/--kept",
            help="All candidates of a search, or those it keeps; all for experts to 256 hosts.",
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", help="Timeline on the best wiring, for Perfetto: a .json file."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The same drawn: a .svg or .png file."),
    ] = None,
    time: Annotated[
        str, typer.Option("--time", help="How long to bound throughputs in all.", metavar="TIME")
    ] = "60s",
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Rate the frontier and baselines by a model's iteration time, and tell where it goes.

    Computation and communication are two streams, as in PyTorch's data-parallel training.
    Compute times are estimates by an accelerator's roofline unless they are measured. Ctrl-C ends
    it with what was rated until then.
    """
    from topofinder.api.train import train as rate_training

    with status_line(quiet):
        found = rate_training(
            model,
            n,
            d,
            alpha=alpha,
            bandwidth=bandwidth,
            links=links,
            db=db,
            time=time,
            backend=backend,
            scheduler=scheduler,
            profile=profile,
            batch=batch,
            accelerator=accelerator,
            efficiency=fraction(efficiency, "--efficiency"),
            rate=rate,
            dtype=dtype,
            buckets=bucket,
            split_buckets=split_buckets,
            sharded=sharded,
            accumulate=accumulate,
            experts_skew=experts_skew,
            demand=demand,
            everything=everything,
            trace=trace,
            output=output,
        )
    print(found.to_json() if json else found)
