"""The database in a browser, by Datasette, which is an optional extra."""
