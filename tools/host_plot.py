"""Draws docs/hosts.svg: rails alike and unlike beside each other, from 8 to 512 hosts of eight.

    python -m tools.host_plot

Hosts are those of `search --gpus 8 --d 1 --inner 450GB/s --bandwidth 50GB/s`. An allreduce takes as
long as its two phases of trees, in chunks so small that only the longest path and the busiest link
count: the pipelined model, with 1 us a circuit and 0.5 us a way inside.
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from reports.host_frontier import HostRow
from topofinder.api.search_hosts import search_hosts

PICTURE = Path(__file__).parent.parent / "docs" / "hosts.svg"
HOSTS = (8, 16, 32, 64, 128, 256, 512)
KINDS = {
    "alike rails, one-way rings": "one-way rings",
    "rings both ways": "rings both ways",
    "tori, 2-dimensional": "tori",
    "": "unlike rails",
}
GIGABYTE = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPoint:
    """A fabric of so many hosts: heights in links, rates in GB/s, times in seconds."""

    hosts: int
    height: int
    exchange: Fraction
    small: Fraction
    large: Fraction


def host_points(n: int) -> dict[str, HostPoint]:
    """What each kind of wiring reaches, by its name in the picture.

    >>> found = host_points(8)
    >>> found["one-way rings"].height, found["unlike rails"].height
    (8, 5)
    """
    record = search_hosts(
        n, 8, 1, "450GB/s", "50GB/s", alpha="1us", inner_alpha="500ns", time=20.0
    ).record
    fastest = min(record.members, key=lambda row: (row.inverse_rate, row.height))
    rows = {"": fastest, **{row.label: row for row in record.baselines}}
    return {
        name: _point(n, rows[label], record.accelerators)
        for label, name in KINDS.items()
        if label in rows
    }


def _point(n: int, row: HostRow, total: int) -> HostPoint:
    assert row.height is not None, "wirings without switches have trees"
    assert row.latency is not None, "latencies are given"
    small, large = (
        2 * (row.latency + size * row.inverse_rate / (total * GIGABYTE))
        for size in (1 << 20, 1 << 30)
    )
    exchange = row.alltoall[0] * (total - 1)
    return HostPoint(hosts=n, height=row.height, exchange=exchange, small=small, large=large)


def draw(path: Path = PICTURE, hosts: tuple[int, ...] = HOSTS) -> None:
    """Write the picture; the same bytes every time."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullLocator

    mpl.rcParams["svg.hashsalt"] = "topofinder"
    found = {n: host_points(n) for n in hosts}
    figure, panels = plt.subplots(1, 4, figsize=(13, 3.4))
    titles = {
        "height": "height of trees", "exchange": "all-to-all, GB/s an accelerator",
        "small": "allreduce of 1 MiB, us", "large": "allreduce of 1 GiB, ms",
    }  # fmt: skip
    scale = {"small": 10**6, "large": 10**3}
    for panel, (field, title) in zip(panels, titles.items(), strict=True):
        for name in KINDS.values():
            points = [points[name] for points in found.values() if name in points]
            panel.plot(
                [point.hosts for point in points],
                [float(getattr(point, field)) * scale.get(field, 1) for point in points],
                marker="o", markersize=3, label=name,
            )  # fmt: skip
        panel.set(title=title, xscale="log", xlabel="hosts of eight")
        panel.set_xticks(hosts, [str(n) for n in hosts])
        panel.xaxis.set_minor_locator(NullLocator())
        if field == "large":
            panel.set_ylim(bottom=0)
        else:
            panel.set_yscale("log")
    panels[0].legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    for n, points in found.items():
        for name, point in points.items():
            told = f"{float(point.small) * 1e6:8.1f} us {float(point.large) * 1e3:7.3f} ms"
            print(f"{n:4} {name:16} {point.height:4} {float(point.exchange):7.3f} GB/s {told}")


if __name__ == "__main__":
    draw()
