"""Forest files: what is written is read back, and what is wrong is named."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.formats.archive import read_archive
from tests.known_forests import box_forest, ring_forest
from topofinder.model.forest import Forest
from topofinder.model.forest_files import (
    ARRAYS,
    FOREST_FILES,
    forest_digest,
    read_forest,
    write_forest,
)

FORESTS = [
    ring_forest(4),
    ring_forest(4, Collective.ALLREDUCE),
    ring_forest(3, Collective.REDUCE_SCATTER),
    replace(box_forest(able=True), damage="--fail-links 0-1", method="forest, level"),
]


def same(one: Forest, other: Forest) -> bool:
    return (
        one.topology.same_wiring(other.topology)
        and all(
            getattr(one, name) == getattr(other, name)
            for name in ("collective", "weight", "root", "recipe", "damage", "method")
        )
        and all(
            (a.name, a.trees.k, a.trees.optimum, a.trees.time)
            == (b.name, b.trees.k, b.trees.optimum, b.trees.time)
            and all(np.array_equal(getattr(a.trees, n), getattr(b.trees, n)) for n in ARRAYS)
            for a, b in zip(one.phases, other.phases, strict=True)
        )
    )


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("forest", FORESTS)
def test_forests_are_read_back(forest: Forest, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"f{suffix}"
    write_forest(forest, path)
    first = path.read_bytes()
    again = read_forest(path)
    assert same(forest, again)
    write_forest(again, path)
    assert path.read_bytes() == first
    if suffix == ".npz":  # what is asked of large ones holds of all
        read_archive(first, FOREST_FILES.lengths, FOREST_FILES.ranges, free=0)
    assert forest_digest(again) == forest_digest(forest)


def test_a_tree_stands_in_one_line_of_json() -> None:
    lines = FOREST_FILES.text(ring_forest(3)).splitlines()
    assert '"spread_routes": [' in lines
    assert lines[lines.index('"spread_trees": [') + 1] == "[0,1,[0,2],[0,0]],"


def test_the_hash_depends_on_content_alone() -> None:
    plain = ring_forest(4)
    assert forest_digest(replace(plain, recipe=None, method="x")) == forest_digest(plain)
    assert forest_digest(ring_forest(5)) != forest_digest(plain)
    assert forest_digest(box_forest()) != forest_digest(box_forest(able=True))


def document(**change: object) -> dict[str, object]:
    return json.loads(FOREST_FILES.text(ring_forest(3))) | change  # type: ignore[no-any-return]


SPREAD = document()["spread"]
assert isinstance(SPREAD, dict)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, "format: topofinder-forest is needed, not 'x'"),
        ({"version": 2}, "version: 1 can be read, not 2"),
        ({"collective": "gossip"}, "collective: one of allgather, reduce-scatter, allreduce, "),
        ({"collective": ["x"]}, "collective: one of allgather, reduce-scatter, allreduce, "),
        ({"collective": "allreduce"}, "gather: an object is needed, not None"),
        ({"spread": 3}, "spread: an object is needed, not 3"),
        ({"spread": SPREAD | {"trees": -1}}, "trees: an integer in 0..67108864 is needed, not -1"),
        ({"spread": SPREAD | {"edges": 1 << 21}}, "spread_route: JSON is for at most 1048576"),
        ({"spread": SPREAD | {"trees": 5}}, "spread_trees: a list of 5 is needed, not a list of 6"),
        ({"spread": SPREAD | {"k": 0}}, "spread k: an integer in 1..4611686018427387904 is needed"),
        ({"spread": SPREAD | {"time": 1}}, "spread time: a text such as '3/2' is needed, not 1"),
        ({"spread": SPREAD | {"time": "9/4"}}, "content: the file says '"),
        ({"spread_trees": [[0]] * 6}, "spread_trees[0]: a root, copies, routes and spared hops"),
        ({"spread_trees": [[0, 1, 2, 3]] * 6}, "spread_trees[0]: lists of routes and spared hops"),
        ({"spread_trees": [[0, 1, [0], []]] * 6}, "spread_trees[0]: 1 routes, 0 spared hops"),
        ({"spread_trees": [[0, 1, [0], [0]]] * 6}, "spread_trees: 12 entries in all are needed"),
        ({"spread_routes": [0] * 6}, "spread_routes[0]: a list is needed, not 0"),
        ({"spread_cut": [1, 2.5]}, "spread_cut[1]: an integer is needed, not 2.5"),
        ({"spread_cut": [1, 7]}, "spread cut: node 7 is not in 0..2"),
        ({"weight": [1, 1]}, "weight: 3 integers of at least 0 are needed"),
        ({"weight": None}, "weight: a list is needed, not None"),
        ({"multicast": [0]}, "multicast: node 0 is no switch"),
        ({"switches": 3}, "switches: a list of nodes is needed, not 3"),
        ({"unit_rate": "-1"}, "unit_rate: must be above 0, not '-1'"),
        ({"unit_rate": 5}, "unit_rate: a text such as '3/2' is needed, not 5"),
        ({"root": "x"}, "root: an integer in 0..1048576 is needed, not 'x'"),
        ({"recipe": 5}, "recipe: up to 4096 printable characters, not 5"),
        ({"n": 10**9}, "n: an integer in 1..1048576 is needed, not 1000000000"),
    ],
)
def test_wrong_documents_are_refused_in_one_line(
    change: dict[str, object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps(document(**change)))
    with pytest.raises(InvalidInput) as refused:
        read_forest(path)
    assert str(refused.value).startswith(f"{path}: {message}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("seed", range(40))
def test_damaged_archives_are_refused_in_one_line(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "f.npz"
    write_forest(FORESTS[seed % 4], path)
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(seed)
    content[int(rng.integers(len(content)))] ^= 1 << int(rng.integers(8))
    path.write_bytes(bytes(content[: int(rng.integers(len(content)))] if seed % 2 else content))
    told = ""
    try:
        assert same(read_forest(path), FORESTS[seed % 4])
    except InvalidInput as error:
        told = str(error)
    assert "\n" not in told


def test_other_suffixes_are_refused(tmp_path: Path) -> None:
    for use in (lambda: write_forest(FORESTS[0], "f.txt"), lambda: read_forest("f.txt")):
        with pytest.raises(InvalidInput, match=r"f\.txt: suffix '\.txt' is none of \.npz, \.json"):
            use()
