"""Which stored training a query sorts by: one at each size, chosen by its model and its links."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from sqlite3 import Row
from typing import TYPE_CHECKING

from db.reading import Interval
from db.selection import Selection
from db.store import Store
from db.training_rows import StoredTraining, TrainingRow
from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.units import rate_text, time_text
from topofinder.simulation.training.models import model_named

if TYPE_CHECKING:
    from fractions import Fraction

SHOWN = 8
"""Digits of a training's id in messages and tables."""
MOST_NAMED = 4
"""Trainings that a message names, of several at a size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingChoice:
    """What a training must be: of a model, with links' times and an id where these are given.

    `model` is a name, or a .json or .csv table of layers. Raises InvalidInput for quantities that
    cannot be read.
    """

    model: str | os.PathLike[str]
    alpha: str | None = None
    bandwidth: str | None = None
    id: str | None = None

    def find(self, store: Store, wanted: Selection) -> list[StoredTraining]:
        """The training at each of the wanted sizes that has one.

        Raises InvalidInput where there is none, and where there are several at a size.
        """
        name, layers = self._table()
        alpha, egress = self.times()
        found = [
            one
            for one in store.trainings(model=name, left_out=_pass_over)
            if layers in (None, one.question.layers)
            and alpha in (None, one.question.alpha)
            and egress in (None, one.question.bandwidth)
            and one.question.id.startswith(self.id or "")
            and _is_wanted(one, wanted)
        ]
        if not found:
            known = store.trainings(left_out=_pass_over)
            if layers is None and name not in {one.question.model for one in known}:
                model_named(name)  # a model that `train` knows, else refused with those it knows
            raise InvalidInput(self._absence_words(name, known, wanted))
        _require_one_at_a_size(found)
        return found

    def times(self) -> "tuple[Fraction | None, Fraction | None]":
        """Seconds of a hop and bytes a second of a host; None where they are not given."""
        alpha = None if self.alpha is None else quantities.seconds(self.alpha, "--alpha")
        egress = None if self.bandwidth is None else quantities.rate(self.bandwidth, "--bandwidth")
        return alpha, egress

    def _table(self) -> tuple[str, str | None]:
        """The model's name, and the hash of its layers where it is a file."""
        if Path(self.model).suffix.lower() not in (".json", ".csv"):
            return os.fspath(self.model), None
        from topofinder.api.train_records import layers_digest
        from topofinder.model.training_files import read_training_model

        table = read_training_model(self.model)
        return table.name, layers_digest(table)

    def _absence_words(self, name: str, known: Sequence[StoredTraining], wanted: Selection) -> str:
        """What is not stored, the command that stores it, and what is stored."""
        given = {
            "n": _single(wanted.n) or "N",
            "d": _single(wanted.d) or "D",
            "alpha": self.alpha or "TIME",
            "bandwidth": self.bandwidth or "RATE",
        }
        words = " ".join(f"--{key} {value}" for key, value in given.items())
        stored = ", ".join(dict.fromkeys(one.question.model for one in known))
        others = f"; stored are trainings of {stored}" if stored else ""
        return (
            f"--train: no such training of {excerpt(name)} is stored; "
            f"topofinder train --model {os.fspath(self.model)} {words} stores one{others}"
        )


def trained_candidates(
    trainings: Sequence[StoredTraining],
) -> dict[str, tuple[str, TrainingRow]]:
    """The id of the training, and the row, of each candidate that was rated, by its id."""
    return {
        row.candidate: (one.question.id, row)
        for one in trainings
        for row in one.rows
        if row.candidate is not None
    }


def _pass_over(record: Row, reason: str) -> None:
    """A training that cannot be read is none to sort by."""


def _is_wanted(one: StoredTraining, wanted: Selection) -> bool:
    asked = one.question
    return (
        wanted.links in (None, asked.links)
        and is_inside(asked.n, wanted.n)
        and is_inside(asked.d, wanted.d)
    )


def is_inside(number: int, ranges: Sequence[Interval] | None) -> bool:
    """Whether a number is in one of some inclusive ranges; None are all.

    >>> is_inside(8, ((2, 4), (8, 8))), is_inside(8, None), is_inside(7, ((8, 9),))
    (True, True, False)
    """
    return ranges is None or any(least <= number <= most for least, most in ranges)


def _single(ranges: Sequence[Interval] | None) -> int | None:
    return ranges[0][0] if ranges and len(ranges) == 1 and ranges[0][0] == ranges[0][1] else None


def _require_one_at_a_size(found: Sequence[StoredTraining]) -> None:
    def size(one: StoredTraining) -> tuple[int, int, str]:
        return one.question.n, one.question.d, one.question.links

    for (n, d, links), some in groupby(found, key=size):
        listed = list(some)
        if len(listed) > 1:
            named = "; ".join(map(_words, listed[:MOST_NAMED]))
            more = f"; and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
            raise InvalidInput(
                f"--train: {len(listed)} trainings are stored at n {n}, d {d}, {links}; choose one "
                f"by --alpha, --bandwidth or --training ID: {named}{more}"
            )


def _words(one: StoredTraining) -> str:
    links = f"alpha {time_text(one.question.alpha)}, {rate_text(one.question.bandwidth)}"
    compute = one.estimate or "measured times"
    return f"{one.question.id[:SHOWN]} ({links}, {_units(one.units)} {one.unit}s, {compute})"


def _units(units: "Fraction") -> str:
    return f"{float(units):g}"
