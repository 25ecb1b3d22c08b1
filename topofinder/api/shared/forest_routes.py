"""What `schedule`, `show` and `verify` tell of a forest's routes through switches."""

from dataclasses import asdict

from reports.forest_routes import RouteRecord
from topofinder.model.forest import Forest
from topofinder.verification.forest_routes import verify_routes

MAX_TOLD = 1 << 14
"""Routes that `schedule` and `show` look at; `verify` looks at all."""


def describe_routes(saved: Forest, *, whole: bool = False) -> RouteRecord | None:
    """What an independent check finds; None without switches, or, unless `whole`, for too many.

    >>> from topofinder.api.schedule_forest import ForestRequest, schedule_forest
    >>> describe_routes(schedule_forest(ForestRequest(subject="FatTree(2,2,1)"))).updown
    True
    """
    if not whole and sum(phase.trees.routes for phase in saved.phases) > MAX_TOLD:
        return None
    found = verify_routes(saved)
    return None if found is None else RouteRecord(**asdict(found))
