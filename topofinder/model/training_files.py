"""Tables of a model's layers from JSON and CSV, and measured times of layers.

JSON holds a whole `TrainingModel`. CSV holds layers, a line each below a line of names; it tells
no batch. Every mistake is named with the file and the line.
"""

import csv
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, read_bounded, read_lines, text_of
from generators.formats.document import parse_object
from generators.formats.json_lines import line_of
from topofinder.model.training_model import MOST_LAYERS, TrainingLayer, TrainingModel

MAX_BYTES = 16 << 20
MAX_LINE = 1 << 14
PROFILE_NAMES = ("layer", "forward_seconds", "backward_seconds")

T = TypeVar("T")


def read_training_model(path: str | os.PathLike[str]) -> TrainingModel:
    """The model in a .json or .csv file. Raises InvalidInput with the file and the line."""
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        return _read_json(path)
    if suffix == ".csv":
        rows = list(_read_rows(path, tuple(TrainingLayer.model_fields), ("name",)))
        if not rows:
            raise InvalidInput(f"{path}: there are no layers in it")
        layers = tuple(_layer_of(path, number, row) for number, row in rows)
        return TrainingModel(name=Path(path).stem[:100] or "model", layers=layers)
    raise InvalidInput(f"{path}: a model is read from a .json or a .csv file")


def read_profile(path: str | os.PathLike[str], model: TrainingModel) -> TrainingModel:
    """The model with the measured times of its layers that a .csv or a .json file tells.

    Every layer has to be told, once, with the seconds of the batch of one host: in CSV by layer,
    forward_seconds and backward_seconds, in JSON by a table of layers, of which nothing else is
    taken. Raises InvalidInput with the file and the line.
    """
    known = {layer.name: layer for layer in model.layers}
    if len(known) < len(model.layers):
        twice = Counter(layer.name for layer in model.layers).most_common(1)[0][0]
        raise InvalidInput(f"{path}: {model.name} has several layers {excerpt(twice)}")
    times: dict[str, TrainingLayer] = {}
    is_json = Path(path).suffix.lower() == ".json"
    rows = _measured_rows(path) if is_json else _read_rows(path, PROFILE_NAMES, PROFILE_NAMES)
    for number, row in rows:
        name = row["layer"]
        if name not in known or name in times:
            wrong = "is told twice" if name in times else f"is no layer of {model.name}"
            raise InvalidInput(f"{path}, line {number}: {excerpt(name)} {wrong}")
        told = {key: value for key, value in row.items() if key != "layer"}
        times[name] = _layer_of(path, number, known[name].model_dump() | told)
    missing = [layer.name for layer in model.layers if layer.name not in times]
    if missing:
        raise InvalidInput(f"{path}: no times of {len(missing)} layers, such as {missing[0]}")
    layers = tuple(times[layer.name] for layer in model.layers)
    return model.model_copy(update={"layers": layers})


def read_measured_model(path: str | os.PathLike[str]) -> TrainingModel:
    """The model in a .json file all of whose layers are measured.

    Raises InvalidInput with the file and the line, also for a .csv file, which tells times alone.
    """
    if Path(path).suffix.lower() != ".json":
        raise InvalidInput(f"model: is needed beside {path}; a .json profile can tell it")
    for _ in _measured_rows(path):
        pass
    return _read_json(path)


def _measured_rows(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The times of the layers of a .json table, with their lines, as rows of a .csv profile."""
    model = _read_json(path)
    text = text_of(read_bounded(path, MAX_BYTES))
    for place, layer in enumerate(model.layers):
        number = line_of(text, ("layers", place, "name"))
        if layer.measured_ticks is None:
            told = f"{excerpt(layer.name)} has no forward_seconds and backward_seconds"
            raise InvalidInput(f"{path}, line {number}: {told}")
        times = layer.forward_seconds, layer.backward_seconds
        yield number, dict(zip(PROFILE_NAMES, (layer.name, *times), strict=True))


def _read_json(path: str | os.PathLike[str]) -> TrainingModel:
    content = read_bounded(path, MAX_BYTES)
    try:
        document = parse_object(content)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None
    text = text_of(content)
    return _validate(
        lambda: TrainingModel.model_validate(document),
        lambda place: f"{path}, line {line_of(text, place)}",
    )


def _layer_of(path: str | os.PathLike[str], number: int, row: Mapping[str, Any]) -> TrainingLayer:
    return _validate(
        lambda: TrainingLayer.model_validate(dict(row)), lambda place: f"{path}, line {number}"
    )


def _validate(make: Callable[[], T], where: Callable[[Sequence[str | int]], str]) -> T:
    """What is made, or InvalidInput that tells where the first mistake is."""
    try:
        return make()
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    reason = first["msg"].removeprefix("Value error, ")
    if first["type"] == "value_error" or first["type"] == "missing":
        offered = ""
    elif first["type"] == "too_short":
        reason, offered = "at least 1 is needed", ""
    else:
        reason, offered = reason.lower(), f", not {excerpt(first['input'])}"
    named = ".".join(map(str, first["loc"]))
    raise InvalidInput(f"{where(first['loc'])}: {named + ': ' if named else ''}{reason}{offered}")


def _read_rows(
    path: str | os.PathLike[str], names: Sequence[str], needed: Sequence[str]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table with the numbers of their lines; empty cells are left out."""
    lines = read_lines(path, limit=MAX_BYTES, longest=MAX_LINE, most=MOST_LAYERS + 1)
    rows = csv.reader(lines, strict=True)
    try:
        head = [name.strip() for name in next(rows, [])]
        _require_head(path, head, names, needed)
        for row in rows:
            if not row:
                continue
            if len(row) != len(head):
                wrong = f"{len(row)} values for {len(head)} columns"
                raise InvalidInput(f"{path}, line {rows.line_num}: {wrong}")
            cells = zip(head, (cell.strip() for cell in row), strict=True)
            yield rows.line_num, {name: cell for name, cell in cells if cell or name in needed}
    except csv.Error as error:
        raise InvalidInput(f"{path}, line {rows.line_num}: {error}") from None
    except TextError as error:
        raise InvalidInput(f"{path}, {error}") from None


def _require_head(
    path: str | os.PathLike[str], head: Sequence[str], names: Sequence[str], needed: Sequence[str]
) -> None:
    for name in head:
        if name not in names or head.count(name) > 1:
            known = ", ".join(names)
            raise InvalidInput(
                f"{path}, line 1: no column {excerpt(name)}, or it comes twice; known are {known}"
            )
    for name in needed:
        if name not in head:
            raise InvalidInput(f"{path}, line 1: there is no column {name}")
