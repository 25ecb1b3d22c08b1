"""Routes out of flows: weighted paths for each pair, one path for each, and files for routers."""

from topofinder.routing.decompose import decompose
from topofinder.routing.export import ROUTINGS, require_routing, write_routes
from topofinder.routing.paths import Paths
from topofinder.routing.single import single_paths

__all__ = ["ROUTINGS", "Paths", "decompose", "require_routing", "single_paths", "write_routes"]
