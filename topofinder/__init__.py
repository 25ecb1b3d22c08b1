"""The engine and the command line: costs, search, storage of what was found."""
