"""What a schedule file holds: a schedule, the topology it runs on, and where they come from."""

from dataclasses import dataclass, replace
from functools import cached_property

from expansions.compact_schedule import CompactSchedule
from expansions.cost import Cost
from expansions.schedule import Schedule
from expansions.schedule_files.digest import canonical_rows, content_digest, topology_digest
from expansions.schedule_files.graph import canonical_recipe
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import Topology

LONGEST_METHOD = 100


@dataclass(frozen=True, kw_only=True)  # no slots: properties are kept once computed
class SavedSchedule:
    """A schedule, whole or compact, that can be checked without anything else.

    `recipe` is the canonical text that names the topology, if one does; `method` a word on what
    made the schedule. Both are labels: nothing here proves them. Raises InvalidInput when the
    rows name arcs or nodes that the topology has not, when the recipe cannot be read or has
    another number of nodes, or when the method is no short line.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> SavedSchedule(topology=pair, schedule=swap, recipe="K( 2 )", method="bfb").recipe
    'K(2)'
    """

    topology: Topology
    schedule: Schedule | CompactSchedule
    recipe: str | None = None
    method: str | None = None

    def __post_init__(self) -> None:
        self.schedule.require_fit(self.topology)
        if self.recipe is not None:
            object.__setattr__(self, "recipe", canonical_recipe(self.recipe, self.topology))
        text = self.method
        if text is not None and not (
            isinstance(text, str) and text.isprintable() and 0 < len(text) <= LONGEST_METHOD
        ):
            raise InvalidInput(
                f"method: up to {LONGEST_METHOD} printable characters, not {excerpt(text)}"
            )

    def in_order(self) -> "SavedSchedule":
        """The same with rows in the order of files, which then need not be sorted again."""
        if isinstance(self.schedule, CompactSchedule):
            return self
        return replace(self, schedule=canonical_rows(self.schedule))

    @cached_property
    def cost(self) -> Cost:
        """What the schedule costs on its topology, worked out anew."""
        return self.schedule.cost(self.topology)

    @property
    def stored_rows(self) -> int:
        """Rows that are kept: those of node 0 of a compact schedule, else all."""
        schedule = self.schedule
        return schedule.origin.rows if isinstance(schedule, CompactSchedule) else schedule.rows

    @cached_property
    def topology_digest(self) -> str:
        """See `digest.topology_digest`."""
        return topology_digest(self.topology)

    @cached_property
    def digest(self) -> str:
        """The content hash; see `digest.content_digest`."""
        return content_digest(self.topology, self.schedule)
