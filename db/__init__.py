"""SQLite: schema, migrations, typed reads and writes of plain values."""
