"""The command line: one file a command, which reads options and prints what `api` answers."""
