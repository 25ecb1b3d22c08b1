"""Who works at which panel when, in a plan that crews carry out."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from generators.errors import InvalidInput
from topofinder.model.inventory.document import PanelKind
from topofinder.model.inventory.wiring import panel_seconds
from topofinder.model.plan import Plan
from topofinder.patching.crews import Visit, schedule_crews

MOST_CREWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CrewSchedule:
    """The visit of each (stage, panel) by a crew, and the end of each stage, in seconds."""

    visits: Mapping[tuple[int, int], Visit]
    ends: tuple[Fraction, ...]


def require_crews(crews: int) -> None:
    """Raise InvalidInput for a number of crews that is none."""
    if not 1 <= crews <= MOST_CREWS:
        raise InvalidInput(f"--crews: from 1 to {MOST_CREWS}, not {crews}")


def crew_schedule(plan: Plan, crews: int) -> CrewSchedule:
    """The work of so many crews, who walk between patch panels; switches work by themselves."""
    panels, jobs, least = plan.fabric.panels, list[dict[int, Fraction]](), list[Fraction]()
    for stage in plan.stages:
        spent = panel_seconds(plan.fabric, stage.frees, stage.connects)
        manual = {p: t for p, t in spent.items() if panels[p].kind is PanelKind.PATCH_PANEL}
        jobs.append(manual)
        least.append(max((t for p, t in spent.items() if p not in manual), default=Fraction()))
    found = schedule_crews(jobs, plan.fabric.walks, crews, least)
    ends, now = list[Fraction](), Fraction()
    for number, alone in enumerate(least):
        now = max([now + alone, *(visit.end for visit in found if visit.stage == number)])
        ends.append(now)
    return CrewSchedule(
        visits={(visit.stage, visit.panel): visit for visit in found}, ends=tuple(ends)
    )
