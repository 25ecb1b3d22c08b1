"""Commands that are imported when they are asked for: one look-up need not wait for all.

Only `--help`, completion and a misspelt name ask for more than one of them.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from topofinder.cli.register_help import RegisterHelp
from topofinder.cli.version import print_version

BEHIND = ("quiet", "verbose", "wide")
"""Options of all commands that may stand behind the command."""
HELP_OPTIONS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


class LazyCommands(MutableMapping[str, Any]):
    """Commands by name, each built from a function of its module when it is first wanted.

    `homes` has the module of each; its function is named like the command, with underscores.

    >>> LazyCommands({"build": "topofinder.cli.build"})["build"].name
    'build'
    """

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            module = import_module(self._homes[name])
            self._built[name] = _build_command(getattr(module, name.replace("-", "_")))
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def __setitem__(self, name: str, command: Any) -> None:
        raise TypeError(f"{name}: commands are entered with their modules")

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"{name}: commands are entered with their modules")


def group_of(homes: Mapping[str, str], groups: Mapping[str, Sequence[str]]) -> type[TyperGroup]:
    """The class of a command group whose commands are those of LazyCommands, listed by `groups`."""

    class LazyGroup(TyperGroup):
        def __init__(self, **fields: Any) -> None:
            super().__init__(**fields)
            self.commands = LazyCommands(homes)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            """A section a group, with the first sentence on each command."""
            width = max(map(len, homes))
            for heading, names in groups.items():
                lines = [
                    (name.ljust(width), _first_sentence(self.commands[name])) for name in names
                ]
                with formatter.section(heading):
                    formatter.write_dl(lines)

    return LazyGroup


def _first_sentence(command: Any) -> str:
    """What the help of a command begins with."""
    return " ".join(command.help.split("\n\n")[0].split())


def _build_command(function: Callable[..., None]) -> Any:
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings=HELP_OPTIONS,
    )
    app.command(cls=RegisterHelp)(function)
    command = get_command(app)
    own = {name for option in command.params for name in option.opts}
    command.params += [option for option in _shared_options() if not own & {*option.opts}]
    return command


@cache
def _shared_options() -> list[Any]:
    """What stands before a command and may stand behind it too; help tells it once, for all."""
    app = typer.Typer(add_completion=False)
    app.command()(print_version)
    shared: list[Any] = [one for one in get_command(app).params if one.name in BEHIND]
    for option in shared:
        option.hidden, option.expose_value = True, False
    return shared
