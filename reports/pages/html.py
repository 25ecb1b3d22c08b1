"""A document as one HTML file that needs no network: style, pictures and tables are all inside.

All words may come from a stranger's database and are escaped. The page forbids itself, by a
content security policy, to load or to run anything.
"""

from html import escape
from itertools import groupby

from reports.pages.document import Block, Document, PageColumn, Plot, Section, Table, TableRow
from reports.plots.figure import svg
from reports.text import plain

LONG = 60
"""A table of more lines is folded up at first."""
KEY_SHOWN = 12
"""Digits of an id that are shown; the whole id is in the cell's title."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(document: Document) -> str:
    """The file's text.

    >>> page(Document(title="N < 5", sections=())).count("N &lt; 5")
    2
    """
    title = _safe(document.title)
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" href="data:,">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
    return head + "".join(map(_section, document.sections)) + "</body>\n</html>\n"


def _section(section: Section) -> str:
    told = [f"<section>\n<h2>{_safe(section.title)}</h2>\n"]
    for pictures, blocks in groupby(section.blocks, key=lambda block: isinstance(block, Plot)):
        inner = "".join(map(_block, blocks))
        told.append(f'<div class="plots">\n{inner}</div>\n' if pictures else inner)
    return "".join([*told, "</section>\n"])


def _block(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{_safe(block)}</p>\n"
    if isinstance(block, Table):
        return _table(block)
    caption = _safe(block.caption)
    picture = svg(block.draw(), block.name)
    labelled = picture.replace("<svg ", f'<svg role="img" aria-label="{caption}" ', 1)
    return f"<figure>\n{labelled}\n<figcaption>{caption}</figcaption>\n</figure>\n"


def _table(table: Table) -> str:
    caption, name = _safe(table.caption), _safe(table.name)
    if table.apart:
        return f"<p>{caption}: {len(table.lines)} lines, in {name}.csv of a report folder.</p>\n"
    keyed = any(line.key for line in table.lines)
    heads = [f'<th scope="col">{_safe(column.title)}</th>' for column in table.columns]
    heads += ['<th scope="col">row id</th>'] if keyed else []
    lines = "".join(_line(line, table.columns, keyed) for line in table.lines)
    inner = (
        f'<div class="scroll"><table id="{name}">\n<caption>{caption}</caption>\n'
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table></div>\n"
    )
    if len(table.lines) <= LONG:
        return inner
    folded = f"{caption} ({len(table.lines)} lines)"
    return f"<details>\n<summary>{folded}</summary>\n{inner}</details>\n"


def _line(line: TableRow, columns: tuple[PageColumn, ...], keyed: bool) -> str:
    cells = [
        f'<td class="number">{_safe(cell)}</td>' if _is_number(cell) else f"<td>{_safe(cell)}</td>"
        for cell in line.cells
    ]
    mark = f' data-id="{_safe(line.key)}"' if line.key else ""
    if keyed:
        shown = _safe(line.key[:KEY_SHOWN])
        cells.append(f'<th scope="row" class="key" title="{_safe(line.key)}">{shown}</th>')
    return f"<tr{mark}>{''.join(cells)}</tr>\n"


def _is_number(cell: str) -> bool:
    return cell[:1].isdigit() or cell[:2].lstrip("+-")[:1].isdigit()


def _safe(text: str) -> str:
    return escape(plain(text), quote=True)


STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 78rem; padding: 1rem; color: #1a1a1a; background: #fff;
  font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; border-bottom: 1px solid #bbb; }
p { max-width: 46rem; margin: .5rem 0; overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr));
  gap: 1rem; }
figure { margin: 0; min-width: 0; }
figure svg { display: block; width: 100%; max-width: 38rem; height: auto; }
figcaption, caption { text-align: left; font-size: .9rem; color: #444; padding: .25rem 0; }
.scroll { overflow-x: auto; max-width: 100%; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: left;
  vertical-align: top; }
th { background: #f2f2f2; }
td.number { text-align: right; white-space: nowrap; }
td { max-width: 22rem; overflow-wrap: break-word; }
th.key { font-weight: normal; font-family: monospace; background: none; }
summary { cursor: pointer; color: #444; font-size: .9rem; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .scroll { overflow: visible; }
  table { font-size: 6.5pt; }
  th, td { padding: .1rem .25rem; }
  td, th.key { overflow-wrap: anywhere; }
  figure, table, tr { break-inside: avoid; }
  figure svg { max-width: 12cm; }
  h2 { break-after: avoid; }
}
"""
