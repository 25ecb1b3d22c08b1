"""Plugins: modules of others that enter families, expansions, methods and more in the registers.

They are named in the environment, so that worker processes load them too, or declared by installed
distributions under the entry point group `topofinder.plugins`. All are imported once, when a
register is first asked.
"""

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import RLock
from types import ModuleType

from generators.errors import InvalidInput, TopofinderError

GROUP = "topofinder.plugins"
VARIABLE = "TOPOFINDER_PLUGINS"
"""Files, or names of modules, separated as the paths in PATH are."""


class PluginLoader:
    """Imports each plugin once; after a failure, it is told to all who ask."""

    def __init__(self) -> None:
        self.is_loading = False
        self._is_done = False
        self._failure = ""
        self._lock = RLock()

    def load(self) -> None:
        """Import the plugins, unless that is done.

        A plugin that asks a register itself sees what is entered so far. Raises InvalidInput, in
        one line that names the plugin and the error.
        """
        if not self._is_done:
            with self._lock:
                if not (self.is_loading or self._is_done):
                    self._load()
        if self._failure:
            raise InvalidInput(self._failure)

    def _load(self) -> None:
        self.is_loading = True
        try:
            for name in os.environ.get(VARIABLE, "").split(os.pathsep):
                if name:
                    _import_named(name)
            _import_declared()
        except InvalidInput as error:
            self._failure = str(error)
        finally:
            self.is_loading = False
        self._is_done = True


PLUGINS = PluginLoader()


def are_plugins_named() -> bool:
    """Whether there are plugins, of which nothing is imported.

    >>> isinstance(are_plugins_named(), bool)
    True
    """
    return bool(os.environ.get(VARIABLE)) or _are_declared()


def _import_named(name: str) -> None:
    try:
        if name.endswith(".py") or os.sep in name:
            _import_file(Path(name))
        else:
            import_module(name)
    except (Exception, SystemExit) as error:
        raise _failure(name, error) from error


def _import_file(file: Path) -> None:
    """Import a file as a module of a name that no other has."""
    path = str(file.resolve())
    name = f"topofinder_plugin_{len(sys.modules)}_{file.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InvalidInput("is no Python file")
    module: ModuleType = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up the module of a class
    spec.loader.exec_module(module)


def _import_declared() -> None:
    """Import what installed distributions declare.

    Python's own look at all distributions takes longer than all else of a look-up, so that it is
    left to those who have a plugin.
    """
    if not _are_declared():
        return
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        try:
            entry.load()
        except (Exception, SystemExit) as error:
            raise _failure(f"{entry.name} ({entry.value})", error) from error


def _are_declared() -> bool:
    return any(map(_declares_plugin, _entry_point_files()))


def _entry_point_files() -> Iterator[str]:
    """Where the distributions on the path would declare theirs."""
    for folder in dict.fromkeys(sys.path):
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208
        except OSError:  # an archive, or nothing
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                yield os.path.join(folder, name, "entry_points.txt")  # noqa: PTH118


def _declares_plugin(file: str) -> bool:
    try:
        with open(file, "rb") as lines:  # noqa: PTH123
            return f"[{GROUP}]".encode() in lines.read()
    except OSError:
        return False


def _failure(name: str, error: BaseException) -> InvalidInput:
    """One line: the plugin, where in its file the error is, and the error."""
    from traceback import walk_tb

    own = [line for frame, line in walk_tb(error.__traceback__) if _is_of(frame.f_code, name)]
    place = f", line {own[-1]}" if own else ""
    kind = "" if isinstance(error, TopofinderError) else f"{type(error).__name__}: "
    words = " ".join(str(error).split())
    return InvalidInput(f"plugin {name}{place}: {kind}{words}")


def _is_of(code: object, name: str) -> bool:
    file = getattr(code, "co_filename", "")
    return bool(file) and os.path.realpath(file) == os.path.realpath(name)
