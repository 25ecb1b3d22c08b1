"""The tables of trainings: what was asked, and one iteration on each wiring; see `db.schema`."""


def _real(column: str) -> str:
    """SQL that reads an exact fraction, "p/q" or "p", as a rounded number."""
    slash = f"instr({column} || '/', '/')"
    above = f"CAST(substr({column}, 1, {slash} - 1) AS REAL)"
    below = f"CAST(coalesce(nullif(substr({column}, {slash} + 1), ''), '1') AS REAL)"
    return f"{above} / {below}"


TRAININGS = f"""
CREATE TABLE trainings (
    id TEXT PRIMARY KEY NOT NULL,
    model TEXT NOT NULL,
    layers TEXT NOT NULL,
    n INTEGER NOT NULL CHECK (n >= 1),
    d INTEGER NOT NULL CHECK (d >= 1),
    links TEXT NOT NULL CHECK (links IN ('simplex', 'duplex')),
    alpha TEXT NOT NULL,
    bandwidth TEXT NOT NULL,
    options TEXT NOT NULL,
    engine INTEGER NOT NULL CHECK (engine >= 1),
    inputs TEXT NOT NULL,
    unit TEXT NOT NULL,
    units TEXT NOT NULL,
    parameters INTEGER NOT NULL CHECK (parameters >= 0),
    estimate TEXT,
    considered INTEGER NOT NULL CHECK (considered >= 0),
    excluded INTEGER NOT NULL CHECK (excluded >= 0),
    left_out TEXT NOT NULL,
    timeline TEXT,
    version TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE INDEX trainings_size ON trainings (n, d, links);
CREATE TABLE iterations (
    training TEXT NOT NULL REFERENCES trainings (id) ON DELETE CASCADE,
    rank INTEGER NOT NULL CHECK (rank >= 0),
    kind TEXT NOT NULL CHECK (kind IN ('bound', 'candidate', 'baseline')),
    recipe TEXT NOT NULL,
    schedule TEXT NOT NULL,
    candidate TEXT,
    least TEXT NOT NULL,
    most TEXT NOT NULL,
    compute TEXT NOT NULL,
    exchange_least TEXT NOT NULL,
    exchange_most TEXT NOT NULL,
    exposed_least TEXT NOT NULL,
    exposed_most TEXT NOT NULL,
    bucket INTEGER,
    buckets TEXT NOT NULL,
    PRIMARY KEY (training, rank)
) WITHOUT ROWID;
CREATE VIEW iteration AS
    SELECT t.model, t.n, t.d, t.links, i.rank, i.kind, i.recipe, i.schedule,
        {_real("i.most")} AS seconds,
        {_real("i.least")} AS at_least,
        {_real("i.compute")} AS compute,
        {_real("i.exposed_most")} AS allreduce,
        {_real("i.exchange_most")} AS alltoall,
        i.bucket,
        {_real("t.alpha")} AS alpha,
        {_real("t.bandwidth")} AS bandwidth,
        t.estimate, i.candidate, t.id AS training
    FROM trainings t JOIN iterations i ON i.training = t.id
    ORDER BY t.model, t.n, t.d, t.links, t.id, i.rank;
"""
