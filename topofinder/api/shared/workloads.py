"""A workload from texts such as `10us`, `1MiB` and `100Gbps`, as the options of commands are."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from expansions.collective import Collective
from generators import quantities
from generators.errors import InvalidInput
from topofinder.model.host_costs import NO_HOST_COSTS, HostCosts
from topofinder.model.workload import COSTED, Workload, read_exchange, read_sizes

if TYPE_CHECKING:
    from topofinder.api.shared.forest_times import Transfer

HOST_OPTIONS = "--epsilon, --reduce-rate and --injection"


def read_workload(
    alpha: str | None = None,
    size: str | None = None,
    bandwidth: str | None = None,
    sizes: Path | str | None = None,
    collective: Collective | str = Collective.ALLREDUCE,
    alltoall: str | None = None,
    hosts: HostCosts = NO_HOST_COSTS,
) -> Workload | None:
    """The workload that texts describe, or None where none of them is given.

    `sizes` is a file with a size and a count on each line; `alltoall` the data of each node and,
    after a comma, how often; `hosts` what hosts add (see `read_host_costs`).

    Raises InvalidInput for texts that cannot be read, and where only some of latency, size and
    bandwidth are given.

    >>> read_workload("10us", "1MiB", "100Gbps").sizes
    ((Fraction(1048576, 1), 1),)
    """
    if collective not in COSTED:
        raise InvalidInput(f"--collective: {', '.join(COSTED)}, not {collective}")
    if alpha is None and size is None and bandwidth is None and sizes is None:
        if alltoall is not None:
            raise InvalidInput("--alltoall needs --alpha, --bandwidth and --size beside it")
        if hosts != NO_HOST_COSTS:
            raise InvalidInput(f"{HOST_OPTIONS} need --alpha, --bandwidth and --size beside them")
        return None
    if size is not None and sizes is not None:
        raise InvalidInput("--size and --sizes exclude each other")
    require_times(alpha, bandwidth, size or sizes)
    counted = read_sizes(Path(sizes)) if sizes else ((quantities.size(size or "", "--size"), 1),)
    return Workload(
        alpha=quantities.seconds(alpha or "", "--alpha"),
        bandwidth=quantities.rate(bandwidth or "", "--bandwidth"),
        sizes=counted,
        collective=Collective(collective),
        exchanges=() if alltoall is None else (read_exchange(alltoall),),
        hosts=hosts,
    )


def require_times(alpha: object, bandwidth: object, size: object) -> None:
    """Raises InvalidInput where only some of latency, bandwidth and size are known."""
    wanted = {"--alpha": alpha, "--bandwidth": bandwidth, "--size or --sizes": size}
    missing = [name for name, value in wanted.items() if value is None]
    if missing:
        raise InvalidInput(f"times need --alpha, --bandwidth and --size; missing {missing[0]}")


def read_host_costs(
    epsilon: str | None = None, reduce_rate: str | None = None, injection: str | None = None
) -> HostCosts:
    """What hosts add to the time of links: seconds a collective, and two rates.

    >>> read_host_costs("20us", "100GB/s").reduction
    Fraction(1, 100000000000)
    """
    late = Fraction() if epsilon is None else quantities.duration(epsilon, "--epsilon")
    slow = Fraction() if reduce_rate is None else 1 / quantities.rate(reduce_rate, "--reduce-rate")
    most = None if injection is None else quantities.rate(injection, "--injection")
    return HostCosts(overhead=late, reduction=slow, injection=most)


def read_transfer(
    alpha: str | None = None,
    size: str | None = None,
    bandwidth: str | None = None,
    hosts: HostCosts = NO_HOST_COSTS,
) -> "Transfer | None":
    """The transfer by a forest that texts describe, or None where none of them is given."""
    if size is None:
        given = {"--alpha": alpha, "--bandwidth": bandwidth}
        for name in (name for name, value in given.items() if value is not None):
            raise InvalidInput(f"{name} is for the time that a --size takes")
        if hosts != NO_HOST_COSTS:
            raise InvalidInput(f"{HOST_OPTIONS} are for the time that a --size takes")
        return None
    from topofinder.api.shared.forest_times import Transfer

    return Transfer(
        size=quantities.size(size, "--size"),
        alpha=None if alpha is None else quantities.seconds(alpha, "--alpha"),
        bandwidth=None if bandwidth is None else quantities.rate(bandwidth, "--bandwidth"),
        hosts=hosts,
    )


def read_row_transfer(
    alpha: str | None = None,
    size: str | None = None,
    bandwidth: str | None = None,
    hosts: HostCosts = NO_HOST_COSTS,
) -> "Transfer | None":
    """The transfer by a schedule of rows that texts describe, or None where none is given.

    Whether what is left out is told by the topology, `row_workload` looks at.
    """
    if size is None and (alpha, bandwidth) != (None, None):
        raise InvalidInput("times need --alpha, --bandwidth and --size; missing --size")
    if size is None and hosts != NO_HOST_COSTS:
        raise InvalidInput(f"{HOST_OPTIONS} need --alpha, --bandwidth and --size beside them")
    return read_transfer(alpha, size, bandwidth, hosts)


def read_seconds(time: float | str, name: str = "--time") -> float:
    """Seconds from a number, or from a text such as `60s`.

    >>> read_seconds("1.5min"), read_seconds(2)
    (90.0, 2.0)
    """
    if isinstance(time, str):
        return float(quantities.seconds(time, name))
    if not 0 < time < float("inf"):
        raise InvalidInput(f"{name.removeprefix('--')}: seconds above 0 are needed, not {time}")
    return float(time)
