"""Trainings in the database: under which question, from which inputs, and when they are used again.

The question is made of all fields of the job, whatever they are, so that no option can be left out
of it. A stored answer counts while the candidates and the throughputs that it follows from are as
they were.
"""

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from sqlite3 import Row
from typing import Any

from db.opening import Unavailable, unusable_file
from db.rows import SizeRow
from db.store import Store
from db.training_rows import StoredTraining, TrainingQuestion
from db.values import canonical_json
from generators.errors import InvalidInput
from topofinder.api.shared.stored_frontiers import UNSTORED
from topofinder.model.candidate import LinkMode
from topofinder.model.training_model import TrainingModel
from topofinder.schedules.baselines.register import BASELINES
from topofinder.simulation.training.job import TrainingJob

LOGGER = logging.getLogger("topofinder.api.train_records")

TRAINING_ENGINE = 1
"""Version of the simulator. It grows whenever an iteration's time can change."""


def training_question(
    job: TrainingJob,
    d: int,
    links: LinkMode,
    alpha: Fraction,
    bandwidth: Fraction,
    *,
    everything: bool = False,
) -> TrainingQuestion:
    """What a job on a size of fabric asks, with all candidates of a search or those it keeps."""
    given = {each.name for each in fields(job) if each.init} - {"model", "n"}
    options = {name: _plain_option(getattr(job, name)) for name in sorted(given)}
    return TrainingQuestion(
        model=job.model.name,
        layers=layers_digest(job.model),
        n=job.n,
        d=d,
        links=links.value,
        alpha=alpha,
        bandwidth=bandwidth,
        options=canonical_json(options | {"candidates": "all" if everything else "kept"}),
    )


def layers_digest(model: TrainingModel) -> str:
    """The hash of a table of layers, with measured times where it has some."""
    return _digest([layer.model_dump(mode="json") for layer in model.layers])


def training_inputs(store: Store, found: SizeRow, job: TrainingJob) -> str:
    """The hash of what an answer follows from: candidates, baselines, and stored throughputs."""
    size = found.frontier
    rows = dict.fromkeys([*size.members, *(found.pool or ())])
    known = []
    if job.demands:
        stored = store.throughputs(n=size.n, d=size.d, left_out=lambda record, reason: None)
        known = [[row.topology, row.demand, row.lower, row.upper] for row in stored]
    costs = [[row.id, row.steps, row.bandwidth, row.rs_steps, row.rs_bandwidth] for row in rows]
    return _digest([size.engine, costs, sorted(BASELINES), known])


def read_training(
    store: Store, question: TrainingQuestion, inputs: str
) -> tuple[StoredTraining | None, bool]:
    """The stored answer where it counts, and whether another one may be stored.

    What cannot be read is kept, and named in a remark; so is the answer of a newer engine.
    """
    unreadable = list[str]()
    stored = store.trainings(
        id=question.id, left_out=lambda record, reason: unreadable.append(reason)
    )
    for reason in unreadable:
        _tell(store, question, f"{reason}; it is kept, and what is found instead is not stored")
    if not stored:
        return None, not unreadable
    found = stored[0]
    if found.engine > TRAINING_ENGINE:
        newer = f"engine {found.engine} found it; this one is {TRAINING_ENGINE}"
        _tell(store, question, f"is used as {newer}")
        return found, False
    is_current = (found.engine, found.inputs) == (TRAINING_ENGINE, inputs)
    return (found if is_current else None), True


def keep_training(store: Store, found: StoredTraining) -> None:
    """Store an answer, where that is possible; what a newer engine found is kept in its place."""
    if store.read_only:
        return
    try:
        if not store.save_training(found):
            _tell(store, found.question, "a newer engine's answer is kept in its place")
    except Unavailable as error:
        LOGGER.error("%s; the answer is not stored", error)
    except InvalidInput as error:  # numbers of more digits than a column takes
        LOGGER.warning("%s; the answer is not stored", error)


def prepare_store(store: Store) -> None:
    """Before the work: wait until answers can be stored, or tell that they will not be."""
    if store.read_only:
        LOGGER.warning("%s", unusable_file(store.path, UNSTORED))
    else:
        store.require_writable()


def readable_trainings(store: Store, n: int, d: int, links: str) -> list[StoredTraining]:
    """The trainings that are stored at a size; one that cannot be read is named in a remark."""

    def tell(record: Row, reason: str) -> None:
        named = f"training {record['id']!s:.40}"
        LOGGER.warning("%s", unusable_file(store.path, f"{named}: {reason}; it is kept"))

    return store.trainings(n=n, d=d, links=links, left_out=tell)


def _tell(store: Store, asked: TrainingQuestion, remark: str) -> None:
    named = f"training of {asked.model} at n {asked.n}, d {asked.d}, {asked.links}"
    LOGGER.warning("%s", unusable_file(store.path, f"{named}: {remark}"))


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()


def _plain_option(value: Any) -> Any:
    """An option as plain JSON: a dataclass as its fields, an array as the hash of its content."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {
            each.name: _plain_option(getattr(value, each.name))
            for each in fields(value)
            if each.init
        }
    if isinstance(value, Mapping):
        return {str(key): _plain_option(each) for key, each in value.items()}
    if hasattr(value, "tobytes"):
        content = repr((value.shape, value.dtype.str)).encode("ascii") + value.tobytes()
        return hashlib.sha256(content).hexdigest()
    if isinstance(value, list | tuple):
        return [_plain_option(each) for each in value]
    return value if isinstance(value, bool | int | str | Fraction | None) else str(value)
