"""The schema: tables, views and the marks of the file; `docs/database.md` tells every column.

A file is ours when its application_id is APPLICATION_ID. Its user_version counts the migrations
applied. Neither STRICT tables nor RETURNING are used: clusters still run SQLite 3.26.
"""

APPLICATION_ID = 0x746F706F
"""The bytes "topo", which SQLite keeps in the file's header."""

SCHEMA_VERSION = 11
"""How many migrations this program knows, see `db.migrations`."""

TABLES = """
CREATE TABLE candidates (
    id TEXT PRIMARY KEY NOT NULL,
    recipe TEXT NOT NULL,
    links TEXT NOT NULL CHECK (links IN ('simplex', 'duplex')),
    method TEXT NOT NULL,
    n INTEGER NOT NULL CHECK (n >= 1),
    d INTEGER NOT NULL CHECK (d >= 1),
    steps INTEGER NOT NULL CHECK (steps >= 0),
    bandwidth_num INTEGER NOT NULL CHECK (bandwidth_num >= 0),
    bandwidth_den INTEGER NOT NULL CHECK (bandwidth_den > 0),
    rs_steps INTEGER NOT NULL CHECK (rs_steps >= 0),
    rs_bandwidth_num INTEGER NOT NULL CHECK (rs_bandwidth_num >= 0),
    rs_bandwidth_den INTEGER NOT NULL CHECK (rs_bandwidth_den > 0),
    exact INTEGER NOT NULL CHECK (exact IN (0, 1)),
    diameter INTEGER,
    bandwidth_optimal INTEGER CHECK (bandwidth_optimal IN (0, 1)),
    moore_optimal INTEGER CHECK (moore_optimal IN (0, 1)),
    family TEXT,
    facts TEXT NOT NULL,
    version TEXT NOT NULL,
    engine INTEGER NOT NULL,
    created TEXT NOT NULL
);
CREATE INDEX candidates_size ON candidates (n, d, links);
CREATE TABLE frontiers (
    n INTEGER NOT NULL,
    d INTEGER NOT NULL,
    links TEXT NOT NULL CHECK (links IN ('simplex', 'duplex')),
    engine INTEGER NOT NULL,
    bound_steps INTEGER NOT NULL,
    bound_bandwidth_num INTEGER NOT NULL,
    bound_bandwidth_den INTEGER NOT NULL CHECK (bound_bandwidth_den > 0),
    frontier_size INTEGER NOT NULL,
    pool_size INTEGER,
    parameters TEXT NOT NULL,
    version TEXT NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (n, d, links)
) WITHOUT ROWID;
CREATE TABLE frontier_members (
    n INTEGER NOT NULL,
    d INTEGER NOT NULL,
    links TEXT NOT NULL,
    rank INTEGER NOT NULL,
    candidate TEXT NOT NULL REFERENCES candidates (id),
    PRIMARY KEY (n, d, links, rank),
    FOREIGN KEY (n, d, links) REFERENCES frontiers (n, d, links) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE pool_members (
    n INTEGER NOT NULL,
    d INTEGER NOT NULL,
    links TEXT NOT NULL,
    rank INTEGER NOT NULL,
    candidate TEXT NOT NULL REFERENCES candidates (id),
    PRIMARY KEY (n, d, links, rank),
    FOREIGN KEY (n, d, links) REFERENCES frontiers (n, d, links) ON DELETE CASCADE
) WITHOUT ROWID;
"""

SCHEDULES = """
CREATE TABLE schedules (
    path TEXT PRIMARY KEY NOT NULL,
    content TEXT NOT NULL,
    topology TEXT NOT NULL,
    recipe TEXT,
    collective TEXT NOT NULL,
    root INTEGER,
    method TEXT NOT NULL,
    n INTEGER NOT NULL CHECK (n >= 1),
    d INTEGER NOT NULL CHECK (d >= 0),
    rows INTEGER NOT NULL CHECK (rows >= 0),
    steps INTEGER NOT NULL CHECK (steps >= 0),
    bandwidth_num INTEGER NOT NULL CHECK (bandwidth_num >= 0),
    bandwidth_den INTEGER NOT NULL CHECK (bandwidth_den > 0),
    version TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE INDEX schedules_recipe ON schedules (recipe);
"""

REVERSALS = """
CREATE TABLE reversals (
    topology TEXT PRIMARY KEY NOT NULL,
    recipe TEXT,
    n INTEGER NOT NULL CHECK (n >= 1),
    image BLOB NOT NULL CHECK (length(image) = 4 * n),
    version TEXT NOT NULL,
    created TEXT NOT NULL
);
"""

THROUGHPUTS = """
CREATE TABLE throughputs (
    subject TEXT NOT NULL,
    demand TEXT NOT NULL,
    topology TEXT NOT NULL,
    recipe TEXT,
    n INTEGER NOT NULL CHECK (n >= 1),
    d INTEGER NOT NULL CHECK (d >= 1),
    lower_num TEXT NOT NULL,
    lower_den TEXT NOT NULL,
    upper_num TEXT NOT NULL,
    upper_den TEXT NOT NULL,
    method TEXT NOT NULL,
    seconds REAL NOT NULL CHECK (seconds >= 0),
    version TEXT NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (subject, demand)
) WITHOUT ROWID;
CREATE INDEX throughputs_topology ON throughputs (topology);
CREATE VIEW throughput AS
    SELECT t.n, t.d, t.recipe, t.demand,
        CAST(t.lower_num AS REAL) / CAST(t.lower_den AS REAL) AS lower,
        CAST(t.upper_num AS REAL) / CAST(t.upper_den AS REAL) AS upper,
        CASE WHEN t.lower_num = t.upper_num AND t.lower_den = t.upper_den
            THEN t.lower_num || '/' || t.lower_den END AS exact,
        1 - CAST(t.lower_num AS REAL) / CAST(t.lower_den AS REAL)
            / (CAST(t.upper_num AS REAL) / CAST(t.upper_den AS REAL)) AS gap,
        t.method, t.seconds, t.version, t.created, t.topology
    FROM throughputs t ORDER BY t.n, t.d, t.recipe, t.demand;
"""

FINDS = """
CREATE TABLE finds (
    recipe TEXT NOT NULL,
    base TEXT NOT NULL,
    links TEXT NOT NULL CHECK (links IN ('simplex', 'duplex')),
    n INTEGER NOT NULL CHECK (n >= 1),
    d INTEGER NOT NULL CHECK (d >= 1),
    steps INTEGER NOT NULL CHECK (steps >= 0),
    bandwidth_num INTEGER NOT NULL CHECK (bandwidth_num >= 0),
    bandwidth_den INTEGER NOT NULL CHECK (bandwidth_den > 0),
    rs_bandwidth_num INTEGER NOT NULL CHECK (rs_bandwidth_num >= 0),
    rs_bandwidth_den INTEGER NOT NULL CHECK (rs_bandwidth_den > 0),
    seed INTEGER NOT NULL CHECK (seed >= 0),
    trials INTEGER NOT NULL CHECK (trials >= 0),
    version TEXT NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (recipe, links)
) WITHOUT ROWID;
CREATE INDEX finds_size ON finds (n, d, links);
CREATE TABLE discovery_legs (
    n INTEGER NOT NULL,
    d INTEGER NOT NULL,
    links TEXT NOT NULL CHECK (links IN ('simplex', 'duplex')),
    both INTEGER NOT NULL CHECK (both IN (0, 1)),
    seed INTEGER NOT NULL,
    place TEXT NOT NULL,
    judged INTEGER NOT NULL CHECK (judged >= 0),
    created TEXT NOT NULL,
    PRIMARY KEY (n, d, links, both, seed, place)
) WITHOUT ROWID;
"""

FORESTS = """
CREATE TABLE forests (
    path TEXT PRIMARY KEY NOT NULL,
    content TEXT NOT NULL,
    topology TEXT NOT NULL,
    recipe TEXT,
    damage TEXT,
    collective TEXT NOT NULL,
    root INTEGER,
    method TEXT NOT NULL,
    n INTEGER NOT NULL CHECK (n >= 1),
    hosts INTEGER NOT NULL CHECK (hosts >= 1),
    total INTEGER NOT NULL CHECK (total >= 1),
    k INTEGER NOT NULL CHECK (k >= 1),
    trees INTEGER NOT NULL CHECK (trees >= 1),
    height INTEGER NOT NULL CHECK (height >= 0),
    optimum_num TEXT NOT NULL,
    optimum_den TEXT NOT NULL,
    time_num TEXT NOT NULL,
    time_den TEXT NOT NULL,
    version TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE INDEX forests_recipe ON forests (recipe);
CREATE VIEW forest AS
    SELECT f.recipe, f.damage, f.collective, f.n, f.hosts, f.k, f.trees, f.height,
        f.optimum_num || '/' || f.optimum_den AS inverse_rate,
        f.total / (CAST(f.time_num AS REAL) / CAST(f.time_den AS REAL)) AS algbw,
        CAST(f.time_num AS REAL) / CAST(f.time_den AS REAL)
            / (CAST(f.optimum_num AS REAL) / CAST(f.optimum_den AS REAL)) - 1 AS loss,
        f.method, f.path
    FROM forests f ORDER BY f.hosts, f.n, f.recipe, f.collective, f.k;
"""

RATINGS = """
CREATE TABLE ratings (
    recipe TEXT NOT NULL,
    n INTEGER NOT NULL CHECK (n >= 1),
    d INTEGER NOT NULL CHECK (d >= 1),
    links TEXT NOT NULL,
    collective TEXT NOT NULL,
    model TEXT NOT NULL,
    methods TEXT NOT NULL,
    alpha TEXT NOT NULL,
    size TEXT NOT NULL,
    bandwidth TEXT NOT NULL,
    engine INTEGER NOT NULL CHECK (engine >= 1),
    method TEXT NOT NULL,
    seconds TEXT NOT NULL,
    bound TEXT NOT NULL,
    version TEXT NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (
        n, d, links, collective, model, methods, alpha, size, bandwidth, engine, recipe
    )
) WITHOUT ROWID;
"""

TIMETABLES = """
CREATE TABLE timetables (
    path TEXT PRIMARY KEY NOT NULL,
    content TEXT NOT NULL,
    topology TEXT NOT NULL,
    recipe TEXT,
    damage TEXT,
    collective TEXT NOT NULL,
    root INTEGER,
    method TEXT NOT NULL,
    model TEXT NOT NULL CHECK (model IN ('pipelined', 'occupied')),
    n INTEGER NOT NULL CHECK (n >= 1),
    hosts INTEGER NOT NULL CHECK (hosts >= 1),
    d INTEGER NOT NULL CHECK (d >= 0),
    chunks INTEGER NOT NULL CHECK (chunks >= 0),
    sends INTEGER NOT NULL CHECK (sends >= 0),
    alpha TEXT NOT NULL,
    rate TEXT NOT NULL,
    size TEXT NOT NULL,
    seconds_num TEXT NOT NULL,
    seconds_den TEXT NOT NULL,
    bound_num TEXT,
    bound_den TEXT,
    seed INTEGER,
    version TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE INDEX timetables_recipe ON timetables (recipe);
CREATE VIEW timetable AS
    SELECT t.recipe, t.damage, t.collective, t.n, t.hosts, t.d, t.model,
        t.alpha, t.rate, t.size, t.chunks, t.sends,
        CAST(t.seconds_num AS REAL) / CAST(t.seconds_den AS REAL) AS seconds,
        CAST(t.bound_num AS REAL) / CAST(t.bound_den AS REAL) AS bound,
        CAST(t.seconds_num AS REAL) / CAST(t.seconds_den AS REAL)
            / (CAST(t.bound_num AS REAL) / CAST(t.bound_den AS REAL)) - 1 AS gap,
        t.method, t.seed, t.path
    FROM timetables t ORDER BY t.hosts, t.n, t.recipe, t.collective, seconds, t.path;
"""

PLANS = """
CREATE TABLE plans (
    content TEXT PRIMARY KEY NOT NULL,
    path TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    target TEXT NOT NULL,
    recipe TEXT,
    topology TEXT NOT NULL,
    n INTEGER NOT NULL CHECK (n >= 1),
    d INTEGER NOT NULL CHECK (d >= 1),
    mode TEXT NOT NULL CHECK (mode IN ('simplex', 'duplex')),
    moves INTEGER NOT NULL CHECK (moves >= 0),
    lower_bound INTEGER NOT NULL CHECK (lower_bound >= 0),
    bound TEXT NOT NULL,
    kept INTEGER NOT NULL CHECK (kept >= 0),
    disconnects INTEGER NOT NULL CHECK (disconnects >= 0),
    missing INTEGER NOT NULL CHECK (missing >= 0),
    stages INTEGER NOT NULL CHECK (stages >= 0),
    dark_stages INTEGER NOT NULL CHECK (dark_stages >= 0),
    estimated_num INTEGER NOT NULL CHECK (estimated_num >= 0),
    estimated_den INTEGER NOT NULL CHECK (estimated_den > 0),
    keep_connected INTEGER NOT NULL CHECK (keep_connected IN (0, 1)),
    found TEXT NOT NULL,
    seed INTEGER NOT NULL CHECK (seed >= 0),
    seconds REAL NOT NULL CHECK (seconds >= 0),
    version TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE INDEX plans_before ON plans (before);
CREATE TABLE plan_moves (
    plan TEXT NOT NULL REFERENCES plans (content) ON DELETE CASCADE,
    move INTEGER NOT NULL CHECK (move >= 1),
    stage INTEGER NOT NULL CHECK (stage >= 1),
    panel TEXT NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('disconnect', 'connect')),
    mode TEXT NOT NULL CHECK (mode IN ('simplex', 'duplex')),
    port_a TEXT NOT NULL,
    port_b TEXT NOT NULL,
    PRIMARY KEY (plan, move)
) WITHOUT ROWID;
"""

COSTS = """
    c.steps,
    CAST(c.bandwidth_num AS REAL) / c.bandwidth_den AS bandwidth,
    c.bandwidth_num || '/' || c.bandwidth_den AS bandwidth_exact,
    c.rs_steps,
    CAST(c.rs_bandwidth_num AS REAL) / c.rs_bandwidth_den AS rs_bandwidth,
    c.rs_bandwidth_num || '/' || c.rs_bandwidth_den AS rs_bandwidth_exact,
    c.exact,
    c.diameter,
    c.bandwidth_optimal,
    c.moore_optimal,
    c.method,
    c.family
"""

VIEWS = {
    "frontier": f"""
        SELECT m.n, m.d, m.links, m.rank, c.recipe, {COSTS}
        FROM frontier_members m JOIN candidates c ON c.id = m.candidate
        ORDER BY m.n, m.d, m.links, c.steps, m.rank""",
    "candidate_costs": f"""
        SELECT c.id, c.n, c.d, c.links, c.recipe, {COSTS},
            c.steps + c.rs_steps AS allreduce_steps,
            CAST(c.bandwidth_num AS REAL) / c.bandwidth_den
                + CAST(c.rs_bandwidth_num AS REAL) / c.rs_bandwidth_den AS allreduce_bandwidth
        FROM candidates c
        ORDER BY c.n, c.d, c.links, c.steps""",
    "sizes": """
        SELECT f.n, f.d, f.links, f.engine, f.frontier_size, f.pool_size, f.bound_steps,
            CAST(f.bound_bandwidth_num AS REAL) / f.bound_bandwidth_den AS bound_bandwidth,
            min(c.steps) AS least_steps,
            min(CAST(c.bandwidth_num AS REAL) / c.bandwidth_den) AS least_bandwidth
        FROM frontiers f
        LEFT JOIN frontier_members m ON (m.n, m.d, m.links) = (f.n, f.d, f.links)
        LEFT JOIN candidates c ON c.id = m.candidate
        GROUP BY f.n, f.d, f.links ORDER BY f.n, f.d, f.links""",
}


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
