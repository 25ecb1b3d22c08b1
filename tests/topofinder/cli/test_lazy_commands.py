"""Commands are imported when they are asked for, and no others."""

import pytest

from tests.command import ran_alone
from topofinder.cli.app import COMMANDS, HOMES
from topofinder.cli.lazy_commands import LazyCommands

LOADED = """
import sys
from topofinder.cli.app import HOMES, main
try:
    main()
finally:
    print(*sorted(name for name in set(HOMES.values()) if name in sys.modules), file=sys.stderr)
"""


def test_one_command_imports_no_other() -> None:
    ended = ran_alone("search", "--help", program=LOADED)
    assert (ended.code, ended.err) == (0, "topofinder.cli.search\n")
    assert ran_alone("--version", program=LOADED).err == "\n"


def test_the_help_lists_all_in_order() -> None:
    ended = ran_alone("--help", program=LOADED)
    lines = [line for line in ended.out.split("\nFind:\n")[1].splitlines() if line]
    listed = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    assert listed == list(COMMANDS)


def test_a_misspelt_name_is_answered_with_close_ones() -> None:
    ended = ran_alone("serach", "--n", 4, program=LOADED)
    assert ended.code == 2
    assert "No such command 'serach'. Did you mean 'search'" in ended.err


def test_commands_are_entered_with_their_modules() -> None:
    commands = LazyCommands(HOMES)
    assert commands["plan-jobs"] is commands["plan-jobs"]
    assert len(commands) == len(COMMANDS)
    with pytest.raises(KeyError):
        commands["none"]
    with pytest.raises(TypeError):
        commands["none"] = None
    with pytest.raises(TypeError):
        del commands["build"]
