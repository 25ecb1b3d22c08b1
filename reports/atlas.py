"""All that an atlas of frontiers tells of one size."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from db.rows import CandidateRow, FrontierRow
from expansions.cost import Cost
from reports.origins import Origin, origin_of
from reports.size_report import WorkloadSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class AtlasGraph:
    """A graph in files beside its page, by their suffix, and its drawing as an SVG element.

    `reason` tells why there is none: its recipe cannot be built, or it has too many hosts.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    drawing: str = ""
    words: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtlasSize:
    """A stored frontier that has members; `least` is the bound of the workload's collective."""

    row: FrontierRow
    asked: WorkloadSummary
    least: Cost

    @property
    def block(self) -> str:
        """The folder and page of its ports and links, such as "d4-simplex"."""
        return f"d{self.row.d}-{self.row.links}"

    @property
    def page(self) -> str:
        """Its page, from the folder of the atlas."""
        return f"{self.block}/{self.row.n}.html"

    @property
    def subject(self) -> str:
        """Hosts, ports and links."""
        return f"N = {self.row.n}, d = {self.row.d}, {self.row.links} links"

    @property
    def best(self) -> CandidateRow:
        """The member with the least time for the workload, the first one among equals."""
        return min(self.row.members, key=self.seconds)

    def seconds(self, row: CandidateRow) -> Fraction:
        """The time of the workload on a member."""
        return self.asked.seconds(self.asked.cost(row))

    @property
    def ratio(self) -> Fraction:
        """The least time for the workload over its lower bound, 1 at best."""
        least = self.asked.seconds(self.least)
        return self.seconds(self.best) / least if least else Fraction(1)

    def mark(self, row: CandidateRow) -> str:
        """The mark of a member, "F1" for the one of the fewest steps."""
        return f"F{self.row.members.index(row) + 1}"

    def origin(self, row: CandidateRow) -> Origin:
        """Where a member comes from."""
        return origin_of(row.recipe, merged=self.row.names)
