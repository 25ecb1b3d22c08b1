"""Every field of a plan file is checked, or the replay names it as a mere claim.

The test walks all fields that are there by name: one that is new and that nobody checks fails it.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from generators.errors import InvalidInput
from tests.command import ROOT
from tests.fabrics import fabric_for, topology, wired
from topofinder.api.replay import CheckedPlan, check_plan
from topofinder.model.inventory.document import Inventory
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan_document import parse_plan_fields
from topofinder.model.plan_files import plan_document_text
from topofinder.patching.failures import Failures, mark_failed
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan
from topofinder.verification.plan_fields import CARRIED_OUT, CLAIMS, PlanFacts, recompute_fields
from topofinder.verification.plan_reader import PlanFields, StageFields, parse_plan

Document = dict[str, Any]
Path = tuple[str | int, ...]
OFFERS = (0, 1, "h0", "h0:0", [0, 1], ["h0:0", "h1:0", "duplex"], ["h0:0", "h1:0", "simplex"])
"""What a list that is too short is offered; most of it is of the wrong kind."""


REMARKS = {"bound", "missing_proved", "keep_connected", "found", "seed", "by"}
"""What nothing in a plan says true or false of."""


BOUNDS = {"lower_bound", "placement_missing", "placement_moves"}
"""Of which less may be said."""
OPTIONAL = {"placement_missing", "placement_moves"}
"""What plans that are older do not tell."""


class Case:
    """A fabric, its wiring and the plan that was made for it, as a document."""

    def __init__(
        self,
        before: str,
        after: str,
        *,
        duplex: bool,
        hosts: int,
        ports: int = 2,
        panels: int = 1,
        dead: tuple[str, ...] = (),
        fails: tuple[str, ...] = (),
        keep_connected: bool = False,
    ) -> None:
        whole = fabric_for(hosts=hosts, ports=ports, panels=panels)
        nothing = Wiring(to=np.full(whole.ports, -1))
        self.before = wired(whole, topology(before), duplex=duplex) if before else nothing
        self.fabric: PortMap = mark_failed(whole, self.before, Failures(ports=dead))
        damaged = mark_failed(self.fabric, self.before, Failures(ports=fails))
        target = Target(subject=after, recipe=after, topology=topology(after), duplex=duplex)
        options = PlanOptions(placement=PlacementOptions(time=0.2), keep_connected=keep_connected)
        plan = make_plan(damaged, self.before, target, options)
        self.document: Document = json.loads(plan_document_text(plan))

    def checked(self, document: Document) -> CheckedPlan:
        plan = parse_plan(json.dumps(document).encode(), self.fabric)
        return check_plan(self.fabric, self.before, plan)

    def verdict(self, document: Document) -> tuple[str | None, dict[str, str]]:
        """The line on what is wrong, None if nothing is, and what is only claimed."""
        try:
            done = self.checked(document)
        except InvalidInput as error:
            return str(error), {}
        return done.violation, dict(done.claimed)


@cache
def case(name: str) -> Case:
    if name == "grows":
        return Case("BiRing(2,5)", "BiRing(2,7)", duplex=True, hosts=7, keep_connected=True)
    if name == "shrinks, simplex":
        return Case("UniRing(1,6)", "UniRing(1,5)", duplex=False, hosts=6, ports=1)
    if name == "lacks a circuit, with dead ports":
        lost: dict[str, Any] = {"dead": ("h5:0",), "fails": ("h5:1",)}
        return Case("", "BiRing(2,5)", duplex=True, hosts=6, panels=2, **lost)
    if name == "is there already":
        return Case("K(4)", "K(4)", duplex=True, hosts=4, ports=3)
    return Case("Q(3)", "BiRing(2,8)", duplex=True, hosts=8, ports=3)


CASES = (
    *("grows", "shrinks, simplex", "lacks a circuit, with dead ports", "is there already"),
    "is another graph",
)


def fields(document: Document) -> Iterator[Path]:
    """The places of all fields: those of the plan, and those of each of its stages."""
    for name, value in document.items():
        yield (name,)
        if name in ("stages", "rollback"):
            for place, stage in enumerate(value):
                yield from ((name, place, inner) for inner in stage)


def changed(document: Document, path: Path, value: object) -> Document:
    made = deepcopy(document)
    inner: Any = made
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    return made


def at(document: Document, path: Path) -> Any:
    for part in path:
        document = document[part]  # type: ignore[index]
    return document


def others(value: object) -> Iterator[object]:
    """Other values of a field: near by, far away, and of another kind."""
    yield from (None, {}, [[]], -1, 10**30, 10.5, float("nan"), float("inf"), "\x1b[2J\n", "K(3)")
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, 2 * value + 1)
    elif isinstance(value, str):
        yield from (value + "x", value[:-1])
        if value.isdigit():
            yield str(int(value) + 1)
        yield {"duplex": "simplex", "simplex": "duplex"}.get(value, "")
    elif isinstance(value, list):
        yield from other_lists(value)


def other_lists(value: list[Any]) -> Iterator[list[Any]]:
    yield from ([*value, offer] for offer in OFFERS)
    for place, entry in enumerate(value):
        rest = value[:place], value[place + 1 :]
        yield [*rest[0], *rest[1]]
        yield [*rest[0], entry, entry, *rest[1]]
        if isinstance(entry, list):
            yield from ([*rest[0], inner, *rest[1]] for inner in other_lists(entry))


def is_same(name: object, old: object, new: object) -> bool:
    """Whether a change makes nothing false."""
    if name in BOUNDS:
        return isinstance(new, int) and 0 <= new < old  # type: ignore[operator]
    if name == "recipe":
        return new is None
    if name == "dead":
        # What has failed since the inventory was written may still be sound.
        return new == ["h5:0"] == old[:1]  # type: ignore[index]
    if name == "wiring":
        # The circuits after each stage may be left out.
        return new is None
    return new == old and type(new) is type(old)


def test_the_documents_hold_every_field_and_all_of_them_are_accounted_for() -> None:
    for name in CASES:
        one = case(name)
        assert {
            *one.document,
            "drain",
            "losses",
            "forbidden",
            "port_rates",
            "arc_rates",
            "trunk",
        } == set(PlanFields.model_fields)
        for stages in (one.document["stages"], one.document["rollback"]):
            assert all({*stage, "wiring"} == set(StageFields.model_fields) for stage in stages)
        plan = parse_plan(json.dumps(one.document).encode(), one.fabric)
        known = set(recompute_fields(PlanFacts(plan=plan, fabric=one.fabric, before=one.before)))
        assert known | CARRIED_OUT | set(CLAIMS) == set(PlanFields.model_fields)
        assert one.checked(one.document).violation is None


def test_the_page_tells_how_each_field_is_checked() -> None:
    page = (ROOT / "docs" / "planning.md").read_text(encoding="utf-8")
    replay = page.partition("## Replay")[2].partition("\n## ")[0]
    for name in {*PlanFields.model_fields, *StageFields.model_fields}:
        assert f"`{name}`" in replay


def test_the_documents_differ_in_all_that_matters() -> None:
    told = [case(name).document for name in CASES]
    for field in ("stages", "joining", "leaving", "dead", "missing", "dark_stages", "kept"):
        assert {bool(document[field]) for document in told} == {True, False}
    assert {document["mode"] for document in told} == {"duplex", "simplex"}


@pytest.mark.parametrize("name", CASES)
def test_whatever_is_changed_is_refused_or_told_to_be_a_claim(name: str) -> None:
    one = case(name)
    tried = 0
    for path in fields(one.document):
        old = at(one.document, path)
        for new in others(old):
            if is_same(path[-1], old, new):
                continue
            line, claims = one.verdict(changed(one.document, path, new))
            tried += 1
            assert line is not None or path[-1] in REMARKS & set(claims), (path, old, new)
            assert line is None or ("\n" not in line and len(line) < 400), (path, new)
            # More dead ports than there are may make some other thing false first.
            named = line is None or path[0] in {*CARRIED_OUT, "dead"} or str(path[0]) in line
            assert named, (path, new, line)
    assert tried > 500


@pytest.mark.parametrize("name", CASES)
def test_no_field_can_be_left_out_or_added(name: str) -> None:
    one = case(name)
    for path in fields(one.document):
        holder = at(one.document, path[:-1])
        if path[-1] != "wiring" or len(path) == 1:
            short = {key: value for key, value in holder.items() if key != path[-1]}
            document = changed(one.document, path[:-1], short) if path[:-1] else short
            line, claims = one.verdict(document)
            if path[-1] in OPTIONAL:
                assert line is None
                assert path[-1] not in claims
                continue
            assert line is not None
            assert str(path[-1]) in line
    line, _ = one.verdict(one.document | {"sure": True})
    assert line is not None
    assert "sure" in line


def test_a_field_that_is_given_twice_is_refused() -> None:
    one = case("grows")
    text = json.dumps(one.document)
    for name, value in one.document.items():
        twice = '{"' + name + '": ' + json.dumps(value) + ", " + text[1:]
        with pytest.raises(InvalidInput, match=f"the key '{name}' is there twice"):
            parse_plan(twice.encode(), one.fabric)


def test_of_many_wrong_rows_only_the_first_is_kept() -> None:
    """A hundred thousand complaints would take half a gigabyte."""
    wrong = {"disconnect": [[1]] * 500, "connect": []}
    document = {"version": 2, "stages": [wrong] * 500, "hosts": [1] * 500, "arcs": [["a"] * 500]}
    with pytest.raises(ValidationError) as refusal:
        PlanFields.model_validate(document)
    assert refusal.value.error_count() < 50
    with pytest.raises(InvalidInput, match=r"^version: 2 is needed, not 1; make the plan anew$"):
        parse_plan_fields(json.dumps(document | {"version": 1}).encode())
    hosts = [{"ports": [{"position": 0}] * 500}] * 500
    with pytest.raises(ValidationError) as refusal:
        Inventory.model_validate({"panels": [1] * 500, "hosts": hosts})
    assert refusal.value.error_count() < 20
