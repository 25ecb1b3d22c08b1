"""Baselines with the data in four parts: what explains printed figures that are far below ours.

TACOS (Won et al., MICRO 2024) gives Themis 64 chunks on large data and 4 on small ones, and does
not tell how many on a mesh, how large that mesh is, or what C-Cube has on a DGX-1 (its figures are
those of C-Cube's authors: footnote 7). With 4 both are near what is printed, since a mesh has no
links back from end to end and a tree is as deep as it is: few parts leave links idle meanwhile.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from reports.reproduced import ComparisonRow
from topofinder.api.reproduce.tacos_baselines import compare_figure, item_figures
from topofinder.api.reproduce.tacos_systems import TacosSystem, tacos_system
from topofinder.timetables.ideal import ideal_allreduce
from topofinder.timetables.mapped_baselines import time_baseline

PARTS = 4
SIDES = (5, 6)
"""Of meshes beside those asked for; figure 18 has one of side 5."""
READING = "a possible other reading: the paper does not tell how many parts"


def coarse_themis_rows(meshes: Sequence[str]) -> list[ComparisonRow]:
    """Figure 16: Themis with four chunks on these meshes, and on two larger ones."""
    (printed,) = (one for one in item_figures("figure16") if one.method == "themis")
    names = dict.fromkeys([*meshes, *(f"Mesh({side},{side},{side})" for side in SIDES)])
    rows = []
    for name in names:
        share = baseline_share("themis", tacos_system("figure16", name), PARTS)
        row = compare_figure(printed, f"{PARTS} chunks, of the ideal", share, READING)
        rows.append(replace(row, subject=name))
    return rows


def coarse_ccube_row(boxes: Sequence[TacosSystem]) -> ComparisonRow:
    """Figure 17(b): C-Cube with four parts, on average over the sizes of data of `boxes`."""
    (printed,) = (one for one in item_figures("figure17b") if one.method == "ccube")
    shares = [baseline_share("ccube", box, PARTS) for box in boxes]
    mean = sum(shares, Fraction()) / len(shares)
    return compare_figure(printed, f"{PARTS} parts, of the ideal", mean, READING)


def baseline_share(baseline: str, system: TacosSystem, parts: int) -> Fraction:
    """What a baseline with the data in `parts` parts reaches of the ideal.

    >>> box = tacos_system("figure17b", "DGX1")
    >>> [round(float(baseline_share("ccube", box, parts)), 2) for parts in (4, 64)]
    [0.33, 0.56]
    """
    found = time_baseline(
        baseline, system.topology, system.size, system.units, name=system.subject, parts=parts
    )
    return ideal_allreduce(system.topology, system.size, system.units) / found.seconds
