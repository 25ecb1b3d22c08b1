"""The notebook docs/notebook.ipynb, from the text of docs/notebook.md: `python -m tools.notebook`.

Python blocks become cells of code, which are run one after the other in one namespace; all else is
Markdown. What a cell's last expression shows is kept as notebooks do: HTML, SVG and plain text.
"""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from tools.docs import ROOT

SOURCE, NOTEBOOK = ROOT / "docs" / "notebook.md", ROOT / "docs" / "notebook.ipynb"
BLOCK = re.compile(r"^```python\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
SHOWN = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}
"""How notebooks ask a value to show itself."""

Cell = dict[str, Any]


def source_cells(text: str) -> Iterator[tuple[str, str]]:
    """The kind and text of each cell of a page.

    >>> list(source_cells("A.\\n\\n```python\\n1 + 1\\n```\\n\\nB."))
    [('markdown', 'A.'), ('code', '1 + 1'), ('markdown', 'B.')]
    """
    for place, part in enumerate(BLOCK.split(text)):
        if part.strip():
            yield "code" if place % 2 else "markdown", part.strip()


def run_cell(code: str, names: dict[str, Any]) -> dict[str, list[str]]:
    """What the last expression of a cell shows, by kind; its names stay for the next one.

    >>> run_cell("x = 2\\nx + 1", {})
    {'text/plain': ['3']}
    >>> run_cell("x = 2", {})
    {}
    """
    *first, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        first, value = [*first, last], None
    exec(compile(ast.Module(body=first, type_ignores=[]), "cell", "exec"), names)
    if not isinstance(last, ast.Expr):
        return {}
    value = eval(compile(ast.Expression(body=last.value), "cell", "eval"), names)
    shown = {"text/plain": repr(value)}
    for kind, name in SHOWN.items():
        if hasattr(value, name):
            shown[kind] = getattr(value, name)()
    return {kind: text.splitlines(keepends=True) for kind, text in shown.items()}


def notebook_cells(text: str) -> Iterator[Cell]:
    """The cells of a page, run in turn, as notebooks keep them."""
    names: dict[str, Any] = {}
    for place, (kind, part) in enumerate(source_cells(text), 1):
        cell: Cell = {"cell_type": kind, "id": f"cell-{place}", "metadata": {}}
        cell["source"] = part.splitlines(keepends=True)
        if kind == "code":
            shown = run_cell(part, names)
            result = {"output_type": "execute_result", "data": shown, "metadata": {}}
            cell |= {"execution_count": place}
            cell["outputs"] = [{**result, "execution_count": place}] if shown else []
        yield cell


def write_notebook() -> None:
    """Run the page and write the notebook."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": list(notebook_cells(SOURCE.read_text(encoding="utf-8"))),
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    NOTEBOOK.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_notebook()
