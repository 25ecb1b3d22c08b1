"""Tables that the documentation takes from the code: the register of families, the public names."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from types import UnionType
from typing import TYPE_CHECKING
from unittest.mock import patch

from expansions.recipe import Base
from generators.cayley.catalogue import all_digraphs
from generators.distance_regular.catalogue import CATALOGUE
from generators.fabrics.register import FABRICS
from generators.families.register_all import FAMILIES
from generators.hosts.templates import HOST_TEMPLATES
from generators.registry import Arguments, BaseProperties, Family, no_searched_members

if TYPE_CHECKING:
    from topofinder.finder.enumeration import Pools

__all__ = [
    "accelerators",
    "cayley_catalogue",
    "distance_regular",
    "fabrics",
    "families",
    "host_templates",
    "public_names",
    "query_columns",
    "small_graphs",
    "training_models",
    "write_properties",
]

Quantifier = Callable[[Iterable[object]], bool]

PROPERTY_WORDS = {
    "diameter": "diameter",
    "bandwidth_optimal": "bandwidth-optimal",
    "reverse_symmetric": "reverse-symmetric",
    "bidirectional": "two-way",
    "simple": "simple",
    "loop_free": "loop-free",
    "transitive": "vertex-transitive",
}


def families() -> None:
    """A table of the register: every family, what it is and where it comes from."""
    print("| recipe | graph | examples | source |")
    print("| --- | --- | --- | --- |")
    for _, family in sorted(FAMILIES.items()):
        recipes = (_recipe(family, chosen) for chosen in _examples(family))
        examples = " ".join(f"`{recipe}`" for recipe in recipes).replace("|", "\\|")
        signature = f"`{family.signature}`".replace(", ", "`, `")
        print(f"| {signature} | {family.title} | {examples} | {family.source} |")


def fabrics() -> None:
    """A table of the switched fabrics."""
    print("| name | fabric | source |")
    print("| --- | --- | --- |")
    for _, fabric in sorted(FABRICS.items()):
        signature = f"`{fabric.signature}`".replace(", ", "`, `")
        print(f"| {signature} | {fabric.title} | {fabric.source} |")


def host_templates() -> None:
    """A table of the hosts with names."""
    print("| name | host | is | sources |")
    print("| --- | --- | --- | --- |")
    for name, host in HOST_TEMPLATES.items():
        template = str(host.template)
        text = template if len(template) < 60 else f"{template[:40]}..."
        sources = "; ".join(dict.fromkeys((host.inner_source, host.port_source)))
        print(f"| `{name}` | {host.title} | `{text}` | {sources} |")


def cayley_catalogue() -> None:
    """A table of the shipped Cayley digraphs: how many, and how good, for each degree."""
    print("| d | digraphs | sizes | bandwidth-optimal both ways | two-way |")
    print("| --- | --- | --- | --- | --- |")
    ordered = sorted(all_digraphs(), key=lambda one: one.d)
    for d, found in groupby(ordered, key=lambda one: one.d):
        lines = list(found)
        optimal = sum(bool(one.properties.bandwidth_optimal) for one in lines)
        two_way = sum(one.two_way for one in lines)
        sizes = len({one.n for one in lines})
        print(f"| {d} | {len(lines)} | {sizes} | {optimal} | {two_way} |")


def write_properties() -> None:
    """A table of what theorems prove of every sample, and of some."""
    print("| family | always | for some | searched |")
    print("| --- | --- | --- | --- |")
    for name, family in sorted(FAMILIES.items()):
        known = [family.properties(*chosen) for chosen in family.samples]
        always = ", ".join(_proved_of(known, all)) or "only n and d"
        some = ", ".join(word for word in _proved_of(known, any) if word not in always.split(", "))
        searched = "no" if family.members is no_searched_members else "yes"
        print(f"| `{name}` | {always} | {some} | {searched} |")


def _proved_of(known: list[BaseProperties], quantifier: Quantifier) -> Iterator[str]:
    for name, word in PROPERTY_WORDS.items():
        values = [getattr(properties, name) for properties in known]
        if name == "diameter":
            values = [value is not None for value in values]
        if quantifier(values):
            yield word


def family_example(family: Family) -> str:
    """The recipe of the first of the two samples that tables show."""
    return _recipe(family, _examples(family)[0])


def _examples(family: Family) -> list[Arguments]:
    """Two samples: the smallest that are large enough to look like something."""
    by_size = sorted(family.samples, key=lambda chosen: family.properties(*chosen).n)
    return [chosen for chosen in by_size if family.properties(*chosen).n >= 8][:2]


def _recipe(family: Family, arguments: Arguments) -> str:
    return str(Base(family.name, family.canonical(*arguments)))


def distance_regular() -> None:
    """A table of the distance-regular graphs, by their names."""
    print("| name | graph | nodes | diameter |")
    print("| --- | --- | --- | --- |")
    for entry in CATALOGUE:
        print(f"| `{entry.name}` | {entry.title} | {entry.n} | {entry.diameter} |")


def small_graphs() -> None:
    """A table of the frontiers that the family Small changes, without it and with it."""
    from topofinder.finder.enumeration import Pools
    from topofinder.model.candidate import LinkMode, cost_lower_bound

    small = FAMILIES["Small"]
    sizes = sorted(
        {(small.properties(*chosen).d, small.properties(*chosen).n) for chosen in small.samples}
    )
    with patch.dict(FAMILIES):
        del FAMILIES["Small"]
        before = _frontiers(Pools(), sizes)
    after = _frontiers(Pools(), sizes)
    print("| d | N | links | bounds | without | with |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (d, n, links), costs in after.items():
        bound = cost_lower_bound(n, d, LinkMode(links))
        if costs != before[d, n, links]:
            cells = (d, n, links, f"{bound.steps}, {bound.bandwidth}", before[d, n, links], costs)
            print("|", " | ".join(map(str, cells)), "|")


def _frontiers(pools: "Pools", sizes: list[tuple[int, int]]) -> dict[tuple[int, int, str], str]:
    """The costs and recipes of each frontier, in a line."""
    from topofinder.model.candidate import LinkMode
    from topofinder.model.frontier import frontier

    lines = {}
    for d, n in sizes:
        for links in LinkMode:
            members = frontier(pools.pool(n, d, links))
            lines[d, n, links.value] = "; ".join(
                f"{one.allgather.steps}, {one.allgather.bandwidth} `{one.recipe}`"
                for one in members
            )
    return lines


def public_names() -> None:
    """A table of what `import topofinder` offers, by the first line of each docstring."""
    import topofinder

    print("| name | what it is |")
    print("| --- | --- |")
    for name in topofinder.__all__:
        if name != "__version__":
            print(f"| `{name}` | {_first_line(getattr(topofinder, name))} |")


def query_columns() -> None:
    """A table of the columns of `topofinder query`."""
    from reports.query_columns import COLUMNS

    print("| column | unit | meaning |\n| --- | --- | --- |")
    for each in COLUMNS.values():
        print(f"| `{each.name}` | {each.unit} | {each.meaning} |")


def _first_line(named: object) -> str:
    if isinstance(named, UnionType):
        return f"one of {', '.join(kind.__name__ for kind in named.__args__)}"
    line = re.split(r"\n\s*\n", (named.__doc__ or "").strip())[0]
    return " ".join(line.split()).replace("|", "\\|")


def training_models() -> None:
    """Models that come with topofinder: their parameters, and what one iteration trains."""
    from topofinder.simulation.training.models import MODELS

    print("| model | parameters | published | layers | experts | an iteration trains | source |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for spec in MODELS.values():
        model = spec.make()
        trained = f"{model.batch or model.global_batch:,} {model.unit}s "
        trained += "a host" if model.batch else "in all"
        experts = ", ".join(map(str, model.expert_counts)) or "-"
        cells = f"{model.parameters:,} | {spec.published} | {len(model.layers)} | {experts}"
        print(f"| `{spec.name}` | {cells} | {trained} | {model.source} |")


def accelerators() -> None:
    """What accelerators compute at most, by type, and the rate of their memory."""
    from topofinder.model.training_model import DataType
    from topofinder.simulation.training.accelerators import ACCELERATORS

    print(f"| accelerator | {' | '.join(DataType)} | memory |")
    print("| --- |" + " --- |" * (len(DataType) + 1))
    for each in ACCELERATORS.values():
        peaks = [each.peak.get(dtype) for dtype in DataType]
        told = ["-" if peak is None else f"{peak / 10**12:g} TFLOPS" for peak in peaks]
        memory = f"{each.memory_rate / 10**9:g} GB/s"
        print(f"| `{each.name}`, {each.title} | {' | '.join(told)} | {memory} |")
