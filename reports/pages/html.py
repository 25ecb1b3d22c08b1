"""A document as one HTML file that needs no network: style, pictures and tables are all inside.

All words may come from a stranger's database and are escaped. The page forbids itself, by a
content security policy, to load anything, and to run more than what sorts and filters its tables.
"""

import re
from html import escape
from itertools import groupby

from reports.pages.compact_svg import compact_svg
from reports.pages.document import Block, Document, PageColumn, Plot, Section, Table, TableRow
from reports.pages.style import STYLE
from reports.pages.table_script import HASH, TABLE_SCRIPT
from reports.plots.figure import svg
from reports.text import plain

LONG = 60
"""A table of more lines is folded up at first."""
NUMBER = ' class="number"'

POLICY = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '{HASH}'"
FEW_SECTIONS = 3
"""A page of more sections begins with their names."""


def page(document: Document) -> str:
    """The file's text.

    >>> page(Document(title="N < 5", sections=())).count("N &lt; 5")
    2
    """
    return html_file(
        document.title, _contents(document) + "".join(map(_section, document.sections))
    )


def html_file(title: str, body: str) -> str:
    """A file with a heading above its body, in the style of all pages."""
    named = safe_text(title)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" href="data:,">\n<title>{named}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{named}</h1>\n"
        f"{body}</main>\n<script>{TABLE_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _contents(document: Document) -> str:
    if len(document.sections) <= FEW_SECTIONS:
        return ""
    links = "".join(
        f'<a href="#{_anchor(section)}">{safe_text(section.title)}</a>\n'
        for section in document.sections
    )
    return f'<nav aria-label="contents">\n{links}</nav>\n'


def _anchor(section: Section) -> str:
    """The name of a section in links: its letters and digits."""
    return "at-" + re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-")


def _section(section: Section) -> str:
    told = [f'<section id="{_anchor(section)}">\n<h2>{safe_text(section.title)}</h2>\n']
    for pictures, blocks in groupby(section.blocks, key=lambda block: isinstance(block, Plot)):
        inner = "".join(map(_block, blocks))
        told.append(f'<div class="plots">\n{inner}</div>\n' if pictures else inner)
    return "".join([*told, "</section>\n"])


def _block(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{safe_text(block)}</p>\n"
    if isinstance(block, Table):
        return page_table(block)
    caption = safe_text(block.caption)
    if block.web is not None:
        return f"<figure>\n{block.web()}<figcaption>{caption}</figcaption>\n</figure>\n"
    picture = compact_svg(svg(block.draw(), block.name))
    labelled = picture.replace("<svg ", f'<svg role="img" aria-label="{caption}" ', 1)
    return f'<figure tabindex="0">\n{labelled}\n<figcaption>{caption}</figcaption>\n</figure>\n'


def page_table(table: Table) -> str:
    """A table; a long one is folded up at first."""
    caption, name = safe_text(table.caption), safe_text(table.name)
    if table.apart:
        return f"<p>{caption}: {len(table.lines)} lines, in {name}.csv of a report folder.</p>\n"
    keyed = any(line.key for line in table.lines)
    heads = [f'<th scope="col">{safe_text(column.title)}</th>' for column in table.columns]
    heads += ['<th scope="col">row id</th>'] if keyed else []
    lines = "".join(_line(line, table.columns, keyed) for line in table.lines)
    inner = scrolled_table(
        f'<table class="rows" id="{name}">\n<caption>{caption}</caption>\n'
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>",
        caption,
    )
    if len(table.lines) <= LONG:
        return inner
    folded = f"{caption} ({len(table.lines)} lines)"
    return f"<details>\n<summary>{folded}</summary>\n{inner}</details>\n"


def scrolled_table(table: str, name: str) -> str:
    """A table in a box of its own, which keys move sideways where it is too wide for the page."""
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{name}">{table}</div>\n'


def _line(line: TableRow, columns: tuple[PageColumn, ...], keyed: bool) -> str:
    cells = [
        f"<td{NUMBER if _is_number(cell) else ''}>{safe_text(cell)}</td>" for cell in line.cells
    ]
    mark = f' data-id="{safe_text(line.key)}"' if line.key else ""
    mark += f' id="{safe_text(line.anchor)}"' if line.anchor else ""
    if keyed:
        half = len(line.key) // 2
        shown = f"{safe_text(line.key[:half])}<wbr>{safe_text(line.key[half:])}"
        cells.append(f'<th scope="row" class="key">{shown}</th>')
    return f"<tr{mark}>{''.join(cells)}</tr>\n"


def _is_number(cell: str) -> bool:
    return cell[:1].isdigit() or cell[:2].lstrip("+-")[:1].isdigit()


def safe_text(text: str) -> str:
    """Text in which HTML sees no marks of its own."""
    return escape(plain(text), quote=True)
