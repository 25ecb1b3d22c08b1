"""What `import topofinder` offers: every name, to people, editors and type checkers."""

import ast
import subprocess
import sys
from pathlib import Path

import topofinder
from tools.docs import command_names

HOME = Path(topofinder.__file__).parent


def type_checked() -> dict[str, str]:
    """The names that type checkers see, with the modules they are imported from."""
    tree = ast.parse((HOME / "__init__.py").read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and "TYPE" in ast.dump(node))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name: f"{node.module}"
        for node in imports
        for alias in node.names
        if node.module != "typing"
    }


def test_every_command_is_a_function_of_its_name() -> None:
    names = {name.replace("-", "_") for name in command_names()} - {"serve"}
    assert names <= set(topofinder.__all__)
    assert {"load", "save"} <= set(topofinder.__all__)
    for name in (*names, "load", "save"):
        assert callable(getattr(topofinder, name))


def test_all_tables_of_names_agree() -> None:
    homes = {name: home.split(":")[0] for name, home in topofinder._HOMES.items()}
    assert type_checked() == homes
    assert sorted(homes) == topofinder.__all__ == sorted(set(topofinder.__all__))
    assert set(topofinder.__all__) <= set(dir(topofinder))


def test_no_package_is_called_like_a_public_name() -> None:
    inside = {path.stem for path in HOME.iterdir() if path.suffix in ("", ".py")}
    assert not inside & set(topofinder.__all__)


def test_importing_every_module_hides_no_name() -> None:
    program = """
import importlib, pkgutil, types, topofinder
for module in pkgutil.walk_packages(topofinder.__path__, "topofinder."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
wrong = [n for n in topofinder.__all__ if isinstance(getattr(topofinder, n), types.ModuleType)]
assert not wrong, wrong
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=HOME.parent)


def test_the_import_itself_imports_nothing_heavy() -> None:
    program = "import sys, topofinder; print(*sys.modules)"
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, check=True, cwd=HOME.parent, capture_output=True, text=True)
    assert not {"numpy", "numba", "typing", "pydantic", "db"} & set(done.stdout.split())
