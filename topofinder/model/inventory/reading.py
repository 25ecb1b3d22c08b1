"""Inventories from JSON files and back; every mistake is named with file and line."""

import json
import os
from typing import Any

from pydantic import ValidationError

from generators.errors import InvalidInput
from generators.files import read_bounded
from generators.formats.document import parse_object
from generators.formats.quantities import shown
from topofinder.model.inventory.document import Inventory
from topofinder.model.inventory.ports import PortMap, Source, port_map

LARGEST = 32 << 20
"""Bytes of an inventory file at most."""


def read_port_map(path: str | os.PathLike[str]) -> PortMap:
    """The ports that an inventory file describes.

    Raises InvalidInput with file and line for whatever is wrong with it.
    """
    content = read_bounded(path, LARGEST)
    try:
        document = parse_object(content)
    except InvalidInput as error:
        raise InvalidInput(f"{path}, {error}") from None
    source = Source(os.fspath(path), content.decode("utf-8-sig"))
    return port_map(_inventory(document, source), source)


def inventory_text(inventory: Inventory) -> str:
    """The JSON text of an inventory: a panel or a host a line, what was not given left out.

    >>> from topofinder.model.inventory.example import inventory_for
    >>> print(inventory_text(inventory_for(hosts=1, ports=1)).splitlines()[7])
     {"name": "h0", "ports": [{"panel": "P0", "position": 1}]}
    """
    known = inventory.model_dump(mode="json", exclude_unset=True)
    parts = [
        f'"{name}": [\n' + ",\n".join(f" {json.dumps(row)}" for row in known[name]) + "\n]"
        for name in ("panels", "hosts")
    ]
    head = [f'"format": "{inventory.format}"', f'"version": {inventory.version}']
    return "{\n" + ",\n".join(head + parts) + "\n}\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of inventory files.

    >>> schema()["title"]
    'topofinder inventory'
    """
    return Inventory.model_json_schema()


def _inventory(document: dict[str, Any], source: Source) -> Inventory:
    try:
        return Inventory.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    where, reason = first["loc"], first["msg"].removeprefix("Value error, ").lower()
    if first["type"] == "string_pattern_mismatch":
        reason = "letters, digits and _ . / - are needed, and none of . / - first"
    offered = "" if first["type"] == "missing" else f", not {shown(first['input'])}"
    del first
    document.clear()  # to find the line the text is parsed again, which takes as much memory
    place = ".".join(map(str, where)) or "document"
    raise InvalidInput(f"{source.at(*where)}: {place}: {reason}{offered}")
