"""The links in a file, whichever of the known forms it has."""

import os
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from generators.errors import InvalidInput
from generators.files import TextError, read_bounded, read_lines
from topofinder.model.inventory.cable_files import is_dot, read_cables, read_ptm
from topofinder.model.inventory.neighbour_files import (
    LARGEST,
    MAX_LINE,
    read_neighbour_json,
    read_neighbour_text,
)
from topofinder.model.inventory.observed import SeenLink
from topofinder.model.inventory.switch_state import (
    CROSS_CONNECTS,
    begins_as_json,
    is_switch_state,
    read_switch_links,
)


class ObservedForm(StrEnum):
    """What a file of links is."""

    LLDP_JSON = "lldp-json"
    LLDP_TEXT = "lldp-text"
    PTM = "ptm"
    CABLES = "csv"
    SWITCHES = "ocs"


_READERS: dict[ObservedForm, Callable[[str | os.PathLike[str]], Iterator[SeenLink]]] = {
    ObservedForm.LLDP_JSON: read_neighbour_json,
    ObservedForm.LLDP_TEXT: read_neighbour_text,
    ObservedForm.PTM: read_ptm,
    ObservedForm.CABLES: read_cables,
}
_LOOKED_AT = 200
"""Lines that are looked at for what a file is."""


def read_links(
    path: str | os.PathLike[str], panels: Sequence[str], form: ObservedForm | None = None
) -> list[SeenLink]:
    """The links in a file of that form, or of the one that it looks like.

    `panels` names those of the inventory, for what switches show of themselves.

    Raises InvalidInput, with file and line, for what cannot be read, and where there is no link.
    """
    form = form or form_of(path)
    switches = form is ObservedForm.SWITCHES
    found = list(read_switch_links(path, panels) if switches else _READERS[form](path))
    if not found:
        raise InvalidInput(f"--observed: {path} tells of no link")
    return found


def form_of(path: str | os.PathLike[str]) -> ObservedForm:
    """What a file looks like: JSON by its brace, PTM by its graph, CSV by a head with commas.

    JSON with a table of cross-connects is that of a switch, as is what begins as its output.
    """
    if begins_as_json(path, LARGEST):
        return _json_form(path)
    try:
        for number, line in enumerate(read_lines(path, LARGEST, MAX_LINE)):
            text = line.strip().removeprefix("\ufeff")
            if not text or text.startswith(("#", "//")):
                continue
            if number >= _LOOKED_AT:
                break
            if text.startswith("{"):  # after a remark
                return _json_form(path)
            if is_switch_state(path):
                return ObservedForm.SWITCHES
            if is_dot(text):
                return ObservedForm.PTM
            return ObservedForm.CABLES if _is_head(text) else ObservedForm.LLDP_TEXT
    except TextError as error:
        raise InvalidInput(f"{path}, {error}") from None
    raise InvalidInput(f"--observed: {path} tells of no link")


def _json_form(path: str | os.PathLike[str]) -> ObservedForm:
    content = read_bounded(path, LARGEST)
    return ObservedForm.SWITCHES if CROSS_CONNECTS.encode() in content else ObservedForm.LLDP_JSON


def _is_head(text: str) -> bool:
    return "," in text and not any(mark in text for mark in ("lldp.", "$ ", "# "))
