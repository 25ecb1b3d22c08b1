"""Every field of every header, by name: what it says is checked, or it is on a list of free text.

A forger signs his file anew: the hashes are worked out again after each change, so that it is the
field itself that is looked at. The fields are those of real files, so that a new one must be added
here.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from expansions.automorphisms import automorphisms_of
from expansions.build import build
from expansions.collective import Collective
from expansions.compact_schedule import CompactSchedule
from expansions.parser import parse
from expansions.schedule_files.files import SCHEDULE_FILES, read_schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.formats.archive import archive_content
from generators.limits import MAX_NODES
from generators.topology import Topology
from tests.certificates import tree_certificate
from tests.collectives import collectives
from tests.known_forests import box_forest, ring_forest
from tests.known_timetables import compact_ring, ring_timetable, star_timetable
from tests.schedules import breadth_first
from topofinder.api.shared.same_graph import other_damaged_graph, other_graph
from topofinder.api.verify_files import check_forest, check_schedule, prove_certificate
from topofinder.model.certificate import DemandBounds
from topofinder.model.certificate_files import CERTIFICATE_FILES, read_certificate
from topofinder.model.forest_files import FOREST_FILES, read_forest
from topofinder.model.timetable_files import TIMETABLE_FILES, read_timetable
from topofinder.verification.timetables import TimetableVerdict, verify_timetable

FREE = {
    "method": "a word on what made the file; nothing follows from it",
    "names": "what messages call the nodes; the check works with their numbers",
}
"""Fields whose text may be any, and why; their types are checked."""
MAY_BE_MISSING = ("recipe", "unit_rate", "unit_latency", "multicast", "reduce")
"""What a graph need not have; where a recipe names the graph, they are compared with its own."""
HASH = re.compile(r"(topology|content): the file says .*, but what it holds gives ([0-9a-f]{64})$")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of file: what such a file holds, how it is written, read and checked.

    `wrong` has, for a field, values of the right type that are wrong, each with the beginning of
    the line that says so.
    """

    saved: Any
    arrays: Callable[[Any], Any]
    text: Callable[[Any], str]
    read: Callable[[Path], Any]
    judge: Callable[[Any], Any]
    wrong: dict[str, list[tuple[Any, str]]]

    @cached_property
    def parts(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The header and the arrays of the real file."""
        return self.arrays(self.saved)

    @cached_property
    def header(self) -> dict[str, Any]:
        """The header as JSON holds it."""
        return json.loads(json.dumps(self.parts[0]))

    @cached_property
    def beside(self) -> dict[str, Any]:
        """What a document has beside the header."""
        document = json.loads(self.text(self.saved))
        return {name: value for name, value in document.items() if name not in self.header}

    @property
    def fields(self) -> list[str]:
        """Names; those within a phase of a forest after a dot."""
        found: list[str] = []
        for name, value in self.header.items():
            inner = [f"{name}.{field}" for field in value] if isinstance(value, dict) else []
            found += inner or [name]
        return found

    def write(self, path: Path, header: dict[str, Any]) -> None:
        """A file with the same arrays and another header."""
        if path.suffix == ".npz":
            path.write_bytes(archive_content(header, self.parts[1]))
        else:
            path.write_text(json.dumps(header | self.beside))

    def line(self, path: Path, header: dict[str, Any], held: str = "") -> str | None:
        """What the check says of a file that is signed anew; None for a file that passes.

        `held` is a field that is not signed.
        """
        for _ in range(3):
            self.write(path, header)
            try:
                return self.judge(self.read(path)).violation
            except InvalidInput as error:
                line = str(error).removeprefix(f"{path}: ")
                found = HASH.fullmatch(line)
                if found is None or found[1] == held:
                    return line
                header = header | {found[1]: found[2]}
        raise AssertionError(line)


RING = jump_graph(4, [1])
BROADCAST = next(s for s in collectives(RING, pieces=2, seed=0) if str(s.collective) == "broadcast")
ALLREDUCE = next(s for s in collectives(RING, pieces=2, seed=0) if str(s.collective) == "allreduce")
SLOW = replace(
    RING, capacity=[Fraction(1), Fraction(1, 2), 1, 1], latency=[1, 1, 1, Fraction(5, 2)],
    names=tuple("abcd"), translation=None,
)  # fmt: skip
KAUTZ = build(parse("Kautz(2,1)"))
UNITS = Topology.from_arcs(
    4, [(0, 1), (1, 0), (2, 1), (1, 2), (3, 1), (1, 3)], switches=(1,), multicast=(1,), reduce=(1,),
    capacity=[Fraction(1), Fraction(2), Fraction(1, 3), 1, 1, 1], names=tuple("abcd"),
    unit_rate=Fraction(10**9), unit_latency=Fraction(1, 10**6),
)  # fmt: skip
OTHER = "the file's graph is not that of "
GRAPH: dict[str, list[tuple[Any, str]]] = {
    "n": [(3, "tail: node 3 is not"), (5, "recipe: "), (0, "n: "), (-4, "n: "), (1 << 21, "n: ")],
    "arcs": [(3, "tail: |head: "), (5, "tail: |head: "), (-1, "arcs: "), (1 << 25, "arcs: ")],
    "topology": [("0" * 64, "topology: "), ("abc", "topology: "), ("", "topology: ")],
    "switches": [([0], f"bandwidth: |{OTHER}"), ([9], "switches: "), ([-1], "switches: ")],
    "names": [(["a"], "names: "), ([1, 2, 3, 4], "names: ")],
    "capacity": [(["2"], "capacity_of_arc: a list|members: "), ([], "capacity_of_arc: |members: ")],
    "latency": [(["2"], "latency_of_arc: a list|members: "), ([], "latency_of_arc: |members: ")],
}
LABELS: dict[str, list[tuple[Any, str]]] = {
    "format": [("topofinder-other", "format: "), ("", "format: ")],
    "version": [(0, "version: "), (3, "version: "), (99, "version: "), (-1, "version: ")],
    "recipe": [("K(4)", OTHER), ("K(5)", "recipe: "), ("Frob(2)", "recipe: "), ("", "recipe: ")],
    "method": [("", "method: "), ("two\nlines", "method: "), ("x" * 5000, "method: ")],
    "content": [("0" * 64, "content: "), ("abc", "content: "), ("", "content: ")],
}
ROWS: dict[str, list[tuple[Any, str]]] = {
    "collective": [("gossip", "collective: "), ("broadcast", "root: "), ("", "collective: ")],
    "root": [(0, "root: "), (-1, "root: "), (1 << 30, "root: ")],
    "turn": [(1, "turn: "), (-1, "turn: ")],
    "denominator": [(4, "bandwidth: "), (1, "begin, end: "), (0, "denominator: "),
                    (1 << 63, "denominator: ")],
    "rows": [(23, "source: |table: |arc: |step: |begin: |end: "), (-1, "rows: ")],
    "steps": [(2, "steps: "), (4, "steps: "), (-3, "steps: ")],
    "bandwidth": [("1/2", "bandwidth: "), ("6/8", "bandwidth: "), ("0.75", "bandwidth: "),
                  ("0", "bandwidth: "), ("-3/4", "bandwidth: ")],
}  # fmt: skip


TIMES: dict[str, list[tuple[Any, str]]] = {
    "n": [(3, "tail: |images: "), (5, "origin: |names: |members: |images: "), (0, "n: ")],
    "switches": [([0], "origin: |translations: "), ([9], "switches: ")],
    "recipe": [("K(4)", OTHER), ("DGXA100(1)", OTHER), ("Frob(2)", "the file's recipe"),
               ("", "recipe: ")],
    "damage": [("--fail-links 0-1", OTHER), ("none", "damage: "), ("--seed 1", "damage: "),
               ("", "damage: "), ("two\nlines", "damage: ")],
    "seed": [(-1, "seed: "), (1 << 63, "seed: ")],
    "bound": [("9", "it takes "), ("-1", "bound: "), ("x", "bound: "), ("2/4000000", "bound: ")],
    "collective": [("gossip", "collective: "), ("broadcast", "root: "), ("reduce", "root: "),
                   ("all-to-all", "target: "), ("reduce-scatter", "reducing: ")],
    "root": [(0, "root: "), (-1, "root: "), (1 << 30, "root: ")],
    "model": [("fast", "model: "), ("", "model: ")],
    "chunk_bytes": [("999", "tick: "), ("1000.0", "chunk_bytes: "), ("0", "chunk_bytes: "),
                    ("2000/2", "chunk_bytes: ")],
    "units.latency": [("0", "makespan: |tick: "), ("-1", "latency: "), ("1/999999", "tick: "),
                      ("2/2000000", "units: ")],
    "units.rate": [("1", "tick: |makespan: "), ("0", "rate: "), ("1e9", "units: ")],
    "sends": [(1, "table: |chunk: "), (13, "table: |chunk: "), (-1, "sends: "),
              (1 << 27, "sends: ")],
    "all_sends": [(1, "all_sends: "), (-12, "all_sends: ")],
    "reducing": [(1, "reducing: "), (-1, "reducing: "), (1 << 30, "reducing: ")],
    "chunks": [(5, "origin: |node "), (0, "chunk: "), (-1, "chunks: "),
               (1 << 25, "chunks: ")],
    "listed": [(["amount"], "amount: |members: "), (["x"], "listed: "), (["target"], "target|mem")],
    "routes": [(1, "route_table: |members: "), (-1, "routes: ")],
    "hops": [(1, "hops: "), (-1, "hops: ")],
    "generators": [(7, "images: |members: "), (-1, "generators: ")],
    "tick": [("1", "tick: "), ("2/2000000", "tick: "), ("", "tick: ")],
    "makespan": [(99, "makespan: "), (0, "makespan: "), (-6, "makespan: ")],
    "seconds": [("1", "seconds: "), ("6/1000000", "seconds: ")],
}  # fmt: skip


def schedule_kind(saved: SavedSchedule, **other: Any) -> Kind:
    return Kind(
        saved=saved,
        arrays=SCHEDULE_FILES.parts,
        text=SCHEDULE_FILES.text,
        read=read_schedule,
        judge=check_schedule,
        **({"wrong": LABELS | GRAPH | ROWS} | other),
    )


def forest_kind(saved: Any, wrong: dict[str, list[tuple[Any, str]]]) -> Kind:
    return Kind(
        saved=saved,
        arrays=FOREST_FILES.parts,
        text=FOREST_FILES.text,
        read=read_forest,
        judge=check_forest,
        wrong=LABELS | GRAPH | wrong,
    )


def judge_timetable(saved: Any) -> TimetableVerdict:
    """What a replay says, after a look at the graph that the labels name."""
    verdict = verify_timetable(saved)
    other = other_damaged_graph(saved.topology, saved.recipe, saved.damage)
    return replace(verdict, violation=other or verdict.violation)


def timetable_kind(saved: Any, wrong: dict[str, list[tuple[Any, str]]]) -> Kind:
    """Without seed and bound, which a file need not tell."""
    return Kind(
        saved=replace(saved, seed=None, bound=None),
        arrays=TIMETABLE_FILES.parts,
        text=TIMETABLE_FILES.text,
        read=read_timetable,
        judge=judge_timetable,
        wrong=LABELS | GRAPH | TIMES | wrong,
    )


def certificate_kind(saved: Any, wrong: dict[str, list[tuple[Any, str]]]) -> Kind:
    return Kind(
        saved=saved,
        arrays=CERTIFICATE_FILES.parts,
        text=CERTIFICATE_FILES.text,
        read=read_certificate,
        judge=prove_certificate,
        wrong=LABELS | GRAPH | wrong,
    )


def compact() -> SavedSchedule:
    rows = breadth_first(RING, pieces=2)
    about = rows.source == 0
    columns = {
        name: getattr(rows, name)[about] for name in ("source", "arc", "step", "begin", "end")
    }
    short = CompactSchedule(replace(rows, **columns), automorphisms_of(RING))
    return SavedSchedule(topology=RING, schedule=short, recipe="UniRing(1,4)", method="bfb")


RECIPE = {"recipe": "UniRing(1,4)", "method": "bfb"}
KINDS = {
    "schedule": schedule_kind(
        SavedSchedule(topology=RING, schedule=breadth_first(RING, pieces=2), **RECIPE)
    ),
    "broadcast": schedule_kind(
        SavedSchedule(topology=RING, schedule=BROADCAST, **RECIPE),
        wrong=LABELS | GRAPH | ROWS | {
            "root": [(1, "source: "), (4, "source: "), (-1, "root: ")],
            "collective": [("reduce", "after step 3: contributions"), ("allgather", "root: ")],
            "denominator": [(4, "bandwidth: "), (1, "begin, end: ")],
            "rows": [(5, "source: |table: |arc: |step: |begin: |end: ")],
            "bandwidth": [("1/2", "bandwidth: ")],
        },
    ),
    "allreduce": schedule_kind(
        SavedSchedule(topology=RING, schedule=ALLREDUCE, **RECIPE),
        wrong=LABELS | GRAPH | ROWS | {
            "turn": [(2, "after step 2: |step "), (4, "after step |step "), (99, "turn: ")],
            "collective": [("allgather", "turn: ")],
            "steps": [(5, "steps: "), (0, "steps: ")],
        },
    ),
    "slow": schedule_kind(
        SavedSchedule(topology=SLOW, schedule=breadth_first(RING, pieces=2), method="bfb"),
        wrong=LABELS | GRAPH | ROWS | {
            "n": [(3, "tail: "), (5, "names: ")],
            "recipe": [("UniRing(1,4)", OTHER), ("K(4)", OTHER)],
            "switches": [([0], "bandwidth: "), ([4], "switches: ")],
            "capacity": [(["1", "1/3"], "bandwidth: "), (["1"], "capacity_of_arc: "),
                         (["1", "-1"], "capacity: "), (["1", "1/0"], "capacity: "),
                         (["1", "1/2", "7"], "capacity: "), (["1", 0.5], "capacity: ")],
            "latency": [(["1"], "latency_of_arc: "), (["1", "-1"], "latency: "),
                        (["1", "5/2", "7"], "latency: "), (["1", 2.5], "latency: ")],
        },
    ),
    "compact": schedule_kind(
        compact(),
        wrong=LABELS | GRAPH | ROWS | {
            "version": [(1, "rows: |source: |table: |members: "), (3, "version: ")],
            "n": [(3, "images: |parent: |by: "), (5, "images: |parent: |by: "), (0, "n: ")],
            "rows": [(6, "rows: "), (12, "rows: "), (-24, "rows: ")],
            "stored_rows": [(5, "source: |table: |arc: |step: |begin: |end: "),
                            (-1, "stored_rows: ")],
            "generators": [(0, "images: "), (2, "images: "), (-1, "generators: ")],
            "switches": [([0], "switches: "), ([9], "switches: ")],
        },
    ),
    "forest": forest_kind(
        replace(box_forest(able=True), damage=None, method="forest, level"),
        {
            "n": [(8, "tail: node 8"), (10, "names: "), (0, "n: ")],
            "names": [(["a"], "names: "), ([1] * 9, "names: ")],
            "recipe": [("DGXA100(1)", OTHER), ("K(9)", OTHER), ("Frob(2)", "the file's recipe"),
                       ("", "recipe: ")],
            "damage": [("--fail-nodes gpu0.1", OTHER), ("none", "damage: "),
                       ("--seed 1", "damage: "),
                       ("", "damage: "), ("two\nlines", "damage: ")],
            "collective": [("gossip", "collective: "), ("allreduce", "gather: "),
                           ("reduce-scatter", "gather: "), ("broadcast", "root: ")],
            "root": [(0, "root: "), (-1, "root: "), (1 << 30, "root: ")],
            "switches": [([], "multicast: "), ([7, 8], "weight: "), ([9], "switches: ")],
            "multicast": [([], OTHER), ([0], "multicast: "), ([-1], "multicast: ")],
            "reduce": [([], OTHER), ([0], "reduce: ")],
            "capacity": [(["1"], OTHER), (["449"], OTHER), (["450", "9"], "capacity: "),
                         ([], "capacity_of_arc: "), (["0"], "capacity: ")],
            "latency": [(["7"], "latency_of_arc: |members: ")],
            "unit_rate": [("1", OTHER), ("-1", "unit_rate: "), ("x", "unit_rate: ")],
            "unit_latency": [("1", OTHER), ("0", "unit_latency: ")],
            "weight": [([1] * 8, "weight: "), ([1] * 9, "weight: "), ([2] * 8 + [0], "weight: "),
                       ([2] + [1] * 7 + [0], "out-trees: gpu0.0 is the root of 1 trees"),
                       ([-1] + [1] * 7 + [0], "weight: "), ([1.0] * 8 + [0], "weight: "),
                       ([True] * 8 + [0], "weight: "), ([10**4299] + [1] * 7 + [0], "weight: ")],
            "spread.k": [(2, "out-trees: gpu0.0 is the root of 1 trees"), (0, "spread k: "),
                         (1 << 62, "out-trees: gpu0.0 is the root"), ((1 << 62) + 1, "spread k: ")],
            "spread.optimum": [("1/450", "out-trees: the cut gives"), ("0", "spread optimum: "),
                               ("-1", "spread optimum: "), ("x", "spread optimum: ")],
            "spread.time": [("1/450", "out-trees: the link|out-trees: they take"),
                            ("1", "out-trees: they take"), ("0", "spread time: ")],
            "spread.routes": [(55, "spread_"), (57, "spread_"), (-1, "routes: ")],
            "spread.trees": [(7, "spread_"), (9, "spread_"), (-1, "trees: ")],
            "spread.edges": [(55, "spread_"), (57, "spread_"), (-1, "edges: ")],
            "spread.route_nodes": [(167, "spread_"), (169, "spread_"), (-1, "route_nodes: ")],
            "spread.cut": [(7, "spread_"), (9, "spread_"), (-1, "cut: ")],
        },
    ),
    "both": forest_kind(
        replace(ring_forest(4, Collective.ALLREDUCE), recipe=None),
        {
            "recipe": [("UniRing(2,4)", OTHER), ("K(4)", OTHER), ("BiRing(2,4)", OTHER)],
            "damage": [("x", "damage: "), ("", "damage: ")],
            "collective": [("allgather", "'gather': such files|members: "),
                           ("reduce-scatter", "'spread': such files|members: ")],
            "root": [(0, "root: ")],
            "n": [(3, "tail: "), (5, "weight: ")],
            "switches": [([0], "weight: "), ([9], "switches: ")],
            "weight": [([1] * 3, "weight: "), ([2, 1, 1, 1], "in-trees: node 0 is the root of 2")],
            **{
                f"{phase}.{field}": values
                for phase, word in (("gather", "in-trees: "), ("spread", "out-trees: "))
                for field, values in {
                    "k": [(3, f"{word}node 0 is the root of 2 trees")],
                    "optimum": [("1", f"{word}the cut gives")],
                    "time": [("1", f"{word}the link"), ("2", f"{word}they take")],
                    "routes": [(7, f"{phase}_")],
                    "trees": [(7, f"{phase}_")],
                    "edges": [(23, f"{phase}_")],
                    "route_nodes": [(15, f"{phase}_")],
                    "cut": [(2, f"{phase}_")],
                }.items()
            },
        },
    ),
    "timetable": timetable_kind(ring_timetable(4), {}),
    "compact timetable": timetable_kind(
        compact_ring(4, "allreduce"),
        {
            "collective": [("gossip", "collective: "), ("broadcast", "root: |translations: "),
                           ("allgather", "reducing: ")],
            "reducing": [(1, ".*"), (6, ".*"), (7, "reducing: ")],
            "generators": [(7, "images: |members: "), (0, "images: |members: ")],
        },
    ),
    "routes": timetable_kind(
        star_timetable(amount=[2, 1, 1], begin=[0, 0, 0, 2, 2, 2]),
        {
            "n": [(3, "tail: "), (5, "names: ")],
            "names": [(["a"], "names: ")],
            "switches": [([], "origin: "), ([0], "route_arc: |origin: "), ([9], "switches: ")],
            "recipe": [("K(4)", OTHER)],
            "damage": [("none", "damage: "), ("", "damage: ")],
            "model": [("occupied", ".*arc|makespan: "), ("fast", "model: ")],
            "latency": [(["1", "5"], "makespan: "), (["1"], "latency_of_arc: ")],
            "chunks": [(5, "amount: "), (-1, "chunks: ")],
            "listed": [([], "'amount'|members: |content: "), (["amount", "target"], "target|memb")],
            "routes": [(5, "route_table: |route_start: |members: "), (0, "channel: |'route|memb")],
            "hops": [(11, "route_table: |route_arc: "), (-1, "hops: ")],
        },
    ),
    "certificate": certificate_kind(
        tree_certificate(UNITS),
        {
            "n": [(3, "tail: "), (5, "names: ")],
            "arcs": [(5, "tail: "), (-1, "arcs: ")],
            "recipe": [("K(4)", OTHER), ("UniRing(1,4)", OTHER), ("K(5)", "recipe: ")],
            "method": [("two\nlines", "method: "), ("x" * 101, "method: ")],
            "pattern": [("ring:1", "pattern: "), ("matrix", "pattern: "), ("x" * 101, "pattern: "),
                        ("a\nb", "pattern: "), ("", "pattern: ")],
            "lower": [("1/2", "lower: "), ("-1", "lower: "), ("9", "lower, upper: "),
                      ("x", "lower: ")],
            "upper": [("1/6", "lower, upper: |upper: "), ("0", "upper: "), ("1/5", "upper: ")],
            "quantum": [("2", "lower: "), ("1/2", "flow of node 0: "), ("0", "quantum: ")],
            "unit": [("1", "demand: |members: "), ("0", "unit: ")],
            "exact_demand": [(True, "exact_demand: ")],
            "rows": [(2, "sources: |flow: "), (4, "sources: |flow: "), (0, "rows: ")],
            "motion_count": [(1, "motions: |members: "), (-1, "motion_count: ")],
            "switches": [([], "multicast: "), ([0, 1], "sources: |flow |upper: |lower: |lengths"),
                         ([4], "switches: ")],
            "multicast": [([0], "multicast: ")],
            "reduce": [([0], "reduce: ")],
            "capacity": [(["1", "2"], "capacity_of_arc: "), (["1", "2", "1/9"], "lower: |upper: "),
                         (["1", "2", "1/3", "5"], "capacity: ")],
            "unit_rate": [("-1", "unit_rate: "), ("x", "unit_rate: ")],
            "unit_latency": [("-1", "unit_latency: "), ("x", "unit_latency: ")],
        },
    ),
    "demand": certificate_kind(
        tree_certificate(
            KAUTZ,
            DemandBounds(
                low=np.maximum(np.arange(36).reshape(6, 6) - 1, 0),
                high=np.arange(36).reshape(6, 6),
                unit=Fraction(1, 7),
            ),
            recipe="Kautz(2,1)",
            pattern="matrix",
        ),
        {
            "n": [(5, "tail: |demand: |members: "), (7, "demand: |recipe: ")],
            "arcs": [(11, "tail: "), (13, "tail: ")],
            "names": [(["a"], "names: ")],
            "recipe": [("K(6)", OTHER), ("UniRing(2,6)", OTHER), ("K(5)", "recipe: ")],
            "pattern": [("uniform", "pattern: "), ("ring:1", "pattern: "), ("frob", "pattern: ")],
            "method": [("two\nlines", "method: ")],
            "lower": [("1", "lower: |lower, upper: ")],
            "upper": [("1/1000", "lower, upper: |upper: ")],
            "quantum": [("1", "lower: "), ("1/8", "flow of node ")],
            "unit": [("1", "flow of node "), ("1/8", "upper: "), ("0", "unit: "), ("-1", "unit: ")],
            "exact_demand": [(True, "'demand_low': |members: |demand_low")],
            "rows": [(5, "sources: |flow: ")],
            "motion_count": [(1, "motions: |members: ")],
        },
    ),
    "lifted": certificate_kind(
        tree_certificate(build(parse("C(8,{1,2})")), recipe="C(8,{1,2})", lift=True),
        {
            "n": [(7, "tail: |parent: "), (9, "parent: |recipe: ")],
            "arcs": [(31, "tail: "), (33, "tail: ")],
            "names": [(["a"], "names: ")],
            "recipe": [("C(8,{1,3})", OTHER), ("K(5)", "recipe: ")],
            "pattern": [("ring:1", "pattern: "), ("matrix", "pattern: ")],
            "method": [("two\nlines", "method: ")],
            "lower": [("1", "lower: |lower, upper: ")],
            "upper": [("1/1000", "lower, upper: |upper: ")],
            "quantum": [("2", "lower: "), ("1/2", "flow of node 0")],
            "unit": [("1", "demand: |members: ")],
            "exact_demand": [(True, "exact_demand: ")],
            "rows": [(2, "sources: |flow: ")],
            "motion_count": [(0, "motions: "), (2, "motions: "), (-1, "motion_count: ")],
        },
    ),
}  # fmt: skip


def changed(header: dict[str, Any], field: str, value: object) -> dict[str, Any]:
    name, _, inner = field.partition(".")
    return header | {name: header[name] | {inner: value} if inner else value}


def without(header: dict[str, Any], field: str) -> dict[str, Any]:
    name, _, inner = field.partition(".")
    part = header[name] if inner else header
    left = {key: value for key, value in part.items() if key != (inner or name)}
    return header | {name: left} if inner else left


def value_of(header: dict[str, Any], field: str) -> Any:
    name, _, inner = field.partition(".")
    return header[name][inner] if inner else header[name]


def other_types(field: str, value: Any) -> list[Any]:
    """The value in another type, and values of types that the field has not."""
    if value is None and field in (*FREE, "unit"):
        return [True, 3, 7.5, {}, {"n": 1}]
    found: list[Any] = [True, False, 1e3, float("nan"), float("inf"), [], [[]], {}, {"n": 1}]
    found += ["x", "1e3", 7.5, -7, 10**30]
    if type(value) is int:
        found += [float(value), str(value), [value]]
    if isinstance(value, str):
        found += [[value], value.encode().hex() + "0", f" {value}"]
    if isinstance(value, list):
        found += [dict.fromkeys(map(str, value)), [[part] for part in value] or 3]
    return [other for other in found if type(other) is not type(value)]


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("name", KINDS)
def test_real_files_pass(name: str, suffix: str, tmp_path: Path) -> None:
    kind, path = KINDS[name], tmp_path / f"a{suffix}"
    assert kind.line(path, kind.header) is None


@pytest.mark.parametrize("name", KINDS)
def test_every_field_has_wrong_values(name: str) -> None:
    """Whoever adds a field to a header adds it here, too; there are no others."""
    known = set(KINDS[name].fields)
    assert known <= set(KINDS[name].wrong)
    assert all(KINDS[name].wrong[field] for field in known)


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("name", KINDS)
def test_wrong_values_are_refused(name: str, suffix: str, tmp_path: Path) -> None:
    kind, path = KINDS[name], tmp_path / f"a{suffix}"
    for field in kind.fields:
        for value, line in kind.wrong[field]:
            found = kind.line(path, changed(kind.header, field, value), held=field)
            assert found is not None, (field, value)
            assert re.match(line, found), (field, value, found)
            assert "\n" not in found


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("name", KINDS)
def test_wrong_types_are_refused_by_name(name: str, suffix: str, tmp_path: Path) -> None:
    """True for 1, 2.0 for 2, text for numbers, lists for values: never taken for one another."""
    kind, path = KINDS[name], tmp_path / f"a{suffix}"
    for field in kind.fields:
        for value in other_types(field, value_of(kind.header, field)):
            found = kind.line(path, changed(kind.header, field, value), held=field)
            assert found is not None, (field, value)
            assert field.split(".")[-1] in found, (field, value, found)
            assert "\n" not in found


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("name", KINDS)
def test_missing_fields_are_refused(name: str, suffix: str, tmp_path: Path) -> None:
    """Those that say something; a graph may have no recipe, and no units or abilities then."""
    kind, path = KINDS[name], tmp_path / f"a{suffix}"
    for field in kind.fields:
        if value_of(kind.header, field) is None or field in FREE:
            continue
        for header in (without(kind.header, field), changed(kind.header, field, None)):
            found = kind.line(path, header, held=field)
            if found is None:
                assert field in MAY_BE_MISSING, field
                assert header.get("recipe") is None
            else:
                assert "\n" not in found


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("name", KINDS)
def test_unknown_fields_are_refused(name: str, suffix: str, tmp_path: Path) -> None:
    """What no one reads would be a claim that no one checks."""
    kind, path = KINDS[name], tmp_path / f"a{suffix}"
    extra = [{"optimal": True}, {"Recipe": "K(4)"}, {"": 1}, {"lower ": "9"}, {"moves": 3}]
    for more in extra:
        found = kind.line(path, kind.header | more)
        assert found == f"{next(iter(more))!r}: such files have no such field"
    for phase in ("spread", "gather"):
        if phase in kind.header:
            inner = kind.header[phase] | {"height": 1}
            found = kind.line(path, kind.header | {phase: inner})
            assert found == f"{phase} 'height': such files have no such field"


@pytest.mark.parametrize("name", KINDS)
def test_a_name_that_stands_twice_is_refused(name: str, tmp_path: Path) -> None:
    """Two programs could read two different files."""
    kind = KINDS[name]
    document = kind.text(kind.saved).rstrip().removesuffix("}")
    for field in kind.header:
        path = tmp_path / "a.json"
        path.write_text(f"{document}, {json.dumps(field)}: 1}}")
        line = re.escape(f"{path}: the key '{field}' is there twice")
        with pytest.raises(InvalidInput, match=line):
            kind.read(path)
    header, arrays = kind.arrays(kind.saved)
    path = tmp_path / "a.npz"
    content = json.dumps(header).replace("{", '{"version": 1, ', 1)
    members = {"header": np.frombuffer(content.encode(), dtype=np.uint8)} | arrays
    np.savez(path, **members)
    with pytest.raises(InvalidInput, match="the key 'version' is there twice"):
        kind.read(path)


def test_recipes_of_any_size_are_compared() -> None:
    """A label that was passed over because its graph is large would be a claim not checked."""
    ring = build(parse("BiRing(2,70000)"), MAX_NODES)
    assert other_graph(ring, "BiRing(2,70000)") is None
    assert other_graph(ring, "UniRing(2,70000)") == f"{OTHER}UniRing(2,70000)"
