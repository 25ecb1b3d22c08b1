"""The lowest versions that pyproject.toml allows, as lines for pip.

`python -m tools.lowest_versions > lowest.txt` names the floor of each dependency, those of the
tests included, so that the checks can install just these and show that the floors are true.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
EXTRAS = ("test",)


def lowest_versions(project: dict[str, Any]) -> list[str]:
    """A pin `name==floor` for each requirement of a project table and of EXTRAS.

    Raises ValueError for a requirement without a floor.

    >>> lowest_versions({"name": "a", "dependencies": ["numpy>=2.0"],
    ...                  "optional-dependencies": {"test": ["a[plot]"], "plot": ["pillow>=9,<11"]}})
    ['numpy==2.0', 'pillow==9']
    """
    lines = list(project["dependencies"])
    for extra in EXTRAS:
        lines += _extra(project, extra)
    return [_floor(Requirement(line)) for line in lines]


def _extra(project: dict[str, Any], extra: str) -> Iterator[str]:
    """The requirements of an extra, and of the project's other extras that it names."""
    for line in project["optional-dependencies"][extra]:
        wanted = Requirement(line)
        if wanted.name != project["name"]:
            yield line
        for inner in sorted(wanted.extras) if wanted.name == project["name"] else ():
            yield from _extra(project, inner)


def _floor(wanted: Requirement) -> str:
    floors = [one.version for one in wanted.specifier if one.operator == ">="]
    if len(floors) != 1:
        raise ValueError(f"{wanted}: a floor such as >=1.2 is needed")
    extras = f"[{','.join(sorted(wanted.extras))}]" if wanted.extras else ""
    return f"{wanted.name}{extras}=={floors[0]}"


if __name__ == "__main__":
    print("\n".join(lowest_versions(tomllib.loads(PROJECT.read_text("utf-8"))["project"])))
