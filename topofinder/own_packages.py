"""topofinder's own packages, and what stands in their way: files of the same names.

`db`, `reports`, `expansions` and `generators` lie beside `topofinder` and are imported by these
names. Python looks in the folder of a script, in the working folder and in PYTHONPATH first, where
a user may well have a `db.py` or a folder `reports` of his own. Nothing but the standard library
is imported here, as this is asked before anything else is imported.
"""

import os
import sys

NAMES = ("generators", "expansions", "db", "reports")
HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
"""The folder that holds topofinder and its own packages."""


def require_own_packages() -> None:
    """Raise ImportError, with one line that names it, where something else would be imported."""
    for name in NAMES:
        place = _place_of(name)
        if place is not None and not _same(place, os.path.join(HOME, name)):  # noqa: PTH118
            raise ImportError(
                f"{place} is in the way of topofinder's own package {name!r}: rename it, or start "
                "Python in another folder, or run `python -m topofinder`, which leaves the working "
                "folder out of the path"
            )


def starts_as_program() -> bool:
    """Whether the `topofinder` command or `python -m topofinder` imports topofinder.

    These set the path right and say in one line what is in the way, instead of raising. Python
    sets `sys.argv[0]` to "-m" as long as it looks for the module to run.
    """
    first = sys.argv[0] if getattr(sys, "argv", None) else ""
    if first == "-m":
        return any(word.endswith("topofinder") for word in sys.orig_argv)
    return os.path.splitext(os.path.basename(first))[0] == "topofinder"  # noqa: PTH119, PTH122


def leave_out_working_folder() -> None:
    """Take the working folder off the path, unless topofinder itself is imported from there."""
    try:
        here = os.getcwd()  # noqa: PTH109
    except FileNotFoundError:  # it was removed
        return
    if not _same(here, HOME):
        sys.path[:] = [entry for entry in sys.path if not _same(entry or here, here)]


def _place_of(name: str) -> str | None:
    """The file or folder that is imported by a name, or was; None where there is none."""
    from importlib.util import find_spec

    module = sys.modules.get(name)
    spec = find_spec(name) if module is None else getattr(module, "__spec__", None)
    if spec is None:
        return getattr(module, "__file__", None)
    return next(iter(spec.submodule_search_locations or (spec.origin,)), None)


def _same(one: str, other: str) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)
