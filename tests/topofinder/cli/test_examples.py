"""The examples that end each command's help: each is a line that its command takes."""

import shlex

import pytest

from tests.command import ran
from topofinder.cli.app import COMMANDS, GROUPS, command_parser
from topofinder.cli.examples import EXAMPLES

LINES = [(name, line) for name, lines in EXAMPLES.items() for line in lines]


def test_every_command_has_a_group_and_examples() -> None:
    assert sorted(EXAMPLES) == sorted(COMMANDS)
    assert len(set(COMMANDS)) == len(COMMANDS) == sum(map(len, GROUPS.values()))


@pytest.mark.parametrize(("name", "line"), LINES, ids=[line for _, line in LINES])
def test_examples_are_taken_by_their_command(name: str, line: str) -> None:
    words = shlex.split(line)
    words = words[words.index("topofinder") + 1 :]
    assert words[0] == name
    command_parser().commands[name].make_context(name, words[1:])  # type: ignore[attr-defined]


def test_the_help_ends_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    short, long = (ran(capsys, "build", flag).out for flag in ("-h", "--help"))
    assert short == long
    assert short.endswith("\nExamples:\n  topofinder build 'Torus(8,8)' -o torus.graphml\n")


def test_the_first_sentences_are_whole(capsys: pytest.CaptureFixture[str]) -> None:
    told = ran(capsys, "-h").out
    assert [line[:-1] for line in told.splitlines() if line[:-1] in GROUPS] == list(GROUPS)
    assert "..." not in told.replace("[ARGS]...", "")
