"""Views that make plain SQL pleasant; they take the place of the first schema's, `db.schema.VIEWS`.

Each row names its candidate, so that every figure can be traced to the row it came from.
"""

from db.schema import COSTS

_BANDWIDTH = "CAST(c.bandwidth_num AS REAL) / c.bandwidth_den"
_BOUND = "CAST(f.bound_bandwidth_num AS REAL) / f.bound_bandwidth_den"
_DISTANCE = f"""
    f.bound_steps,
    {_BOUND} AS bound_bandwidth,
    c.steps - f.bound_steps AS excess_steps,
    CASE WHEN f.bound_bandwidth_num > 0 THEN ({_BANDWIDTH}) / ({_BOUND}) END AS bandwidth_ratio,
    c.id AS candidate
"""
_ALLREDUCE = """
    c.steps + c.rs_steps AS allreduce_steps,
    CAST(c.bandwidth_num AS REAL) / c.bandwidth_den
        + CAST(c.rs_bandwidth_num AS REAL) / c.rs_bandwidth_den AS allreduce_bandwidth
"""

FRONTIER_VIEWS = {
    "frontier": f"""
        SELECT m.n, m.d, m.links, m.rank, c.recipe, {COSTS}, {_ALLREDUCE}, {_DISTANCE}
        FROM frontier_members m
        JOIN frontiers f ON f.n = m.n AND f.d = m.d AND f.links = m.links
        JOIN candidates c ON c.id = m.candidate
        ORDER BY m.n, m.d, m.links, m.rank""",
    "candidate_costs": f"""
        SELECT c.id, c.n, c.d, c.links, c.recipe, {COSTS}, {_ALLREDUCE},
            EXISTS (
                SELECT 1 FROM frontier_members m
                WHERE m.n = c.n AND m.d = c.d AND m.links = c.links AND m.candidate = c.id
            ) AS on_frontier
        FROM candidates c
        ORDER BY c.n, c.d, c.links, c.steps""",
    "best": f"""
        SELECT f.n, f.d, f.links, g.goal, c.recipe, {COSTS}, {_ALLREDUCE}, {_DISTANCE}
        FROM frontiers f
        JOIN (SELECT 'steps' AS goal UNION ALL SELECT 'bandwidth') g
        JOIN frontier_members m ON m.n = f.n AND m.d = f.d AND m.links = f.links
            AND m.rank = CASE g.goal WHEN 'steps' THEN 0 ELSE f.frontier_size - 1 END
        JOIN candidates c ON c.id = m.candidate
        ORDER BY f.n, f.d, f.links, m.rank, g.goal DESC""",
}
"""The views of migration 8, by name; one that changes later is written anew for a new migration."""
