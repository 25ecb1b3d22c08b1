"""The figures that are printed in TACOS (Won et al., MICRO 2024), each with what it measures."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class TacosFigure:
    """One printed `value`: where it stands, what of, by which method, and what it measures.

    `definition` says what the value is. `latency` (microseconds a link), `rate` (GB/s a link and
    direction, by dimension where there are several) and `size` (bytes of an allreduce) are None
    where the paper does not say; `rates` holds those of several subjects. `subject` is a recipe or
    fabric, several of them, or words for one whose size is not told.
    """

    item: str
    where: str
    subject: str
    method: str
    value: float
    definition: str
    latency: float | None
    rates: Mapping[str, tuple[float, ...]]
    size: int | None


@cache
def read_tacos_figures() -> tuple[TacosFigure, ...]:
    """All of them, in the order of tables and figures.

    >>> [(one.subject, one.value) for one in read_tacos_figures() if one.item == "figure2a"]
    [('BiRing(2,64)', 16.71), ('K(64)', 62.63)]
    """
    text = files("topofinder.api.reproduce").joinpath("data/tacos.json").read_text("utf-8")
    return tuple(
        TacosFigure(
            item=name,
            where=item["where"],
            definition=item["definition"],
            latency=item["settings"]["latency"],
            rates=_rates(item["settings"]["rate"], row["subject"]),
            size=item["settings"]["size"],
            **row,
        )
        for name, item in json.loads(text)["items"].items()
        for row in item["rows"]
    )


def _rates(rate: object, subject: str) -> Mapping[str, tuple[float, ...]]:
    """The rates of the links of every subject, by dimension."""
    if rate is None:
        return MappingProxyType({})
    each = rate if isinstance(rate, dict) else {subject: rate}
    return MappingProxyType(
        {
            name: tuple(found) if isinstance(found, list) else (found,)
            for name, found in each.items()
        }
    )
