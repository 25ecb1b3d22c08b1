"""The documentation as a site of plain files: `python -m tools.site FOLDER`.

Its pages are those of docs/, the README, the changelog, and a reference made from the program. It
reads from the file system, with its own search and without a script, style or font from elsewhere.
Parts and their order come from docs/index.md. A warning of Sphinx is an error.
"""

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sphinx.application import Sphinx

from generators.version import __version__
from tools.docs import ROOT
from tools.llms import PAGE
from tools.site_reference import reference_pages

ADDED = {
    "Learn": ("readme",),
    "Reference": ("reference/index",),
    "Explanation": ("changelog",),
}
"""Pages at the end of a part of the site, which are made or stand elsewhere in a checkout."""
RENAMED = {"search.md": "how-a-search-works.md"}
"""Pages whose own names the site needs for something else: its search."""
GLOSSARY = "glossary.md"
FILES = re.compile(
    r"\[([^\]]+)\]\((?:\.\./)?(?:LICENSE|[\w./-]+\.(?:py|cff|txt|toml|ipynb|json))\)"
)
"""Links to files that only a checkout has."""
PICTURES = (".svg", ".png")
SETTINGS: dict[str, Any] = {
    "project": "topofinder",
    "author": "The topofinder developers",
    "version": __version__,
    "release": __version__,
    "extensions": ["myst_parser", "sphinx_copybutton"],
    "source_suffix": {".md": "markdown"},
    "root_doc": "index",
    "html_theme": "furo",
    "html_title": f"topofinder {__version__}",
    "html_copy_source": False,
    "html_show_search_summary": False,
    "html_show_sphinx": False,
    "html_static_path": [],
    "myst_heading_anchors": 4,
    "myst_enable_extensions": ["colon_fence"],
    "highlight_language": "text",
    "copybutton_prompt_text": r">>> |\.\.\. |\$ ",
    "copybutton_prompt_is_regexp": True,
    "suppress_warnings": ["misc.highlighting_failure"],
}
"""What conf.py would say. Links to headings are checked; outputs of commands are no code."""


def write_sources(folder: Path) -> None:
    """The pages as Sphinx reads them: those of docs/, and what is made for the site alone."""
    words = words_by_page((ROOT / "docs" / GLOSSARY).read_text(encoding="utf-8"))
    for page in (ROOT / "docs").iterdir():
        if page.suffix == ".md":
            name = RENAMED.get(page.name, page.name)
            text = _site_links(page.read_text(encoding="utf-8"))
            _write(folder / name, _with_entries(text, words.get(page.name, ())))
        elif page.suffix in PICTURES:
            shutil.copy(page, folder / page.name)
    shutil.copytree(ROOT / "docs" / "pictures", folder / "pictures")
    for source, name in (("README.md", "readme.md"), ("CHANGELOG.md", "changelog.md")):
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        _write(folder / name, _site_links(text))
    for name, text in reference_pages().items():
        _write(folder / "reference" / f"{name}.md", text)
    _write(folder / "index.md", _with_contents((folder / "index.md").read_text(encoding="utf-8")))


def _site_links(text: str) -> str:
    """Links as they lead on the site; those to files that only a checkout has become plain text."""
    text = re.sub(r"\]\((?:\.\./)?README\.md", "](readme.md", text)
    text = re.sub(r"\]\((?:\.\./)?CHANGELOG\.md", "](changelog.md", text)
    for old, new in RENAMED.items():
        text = text.replace(f"]({old}", f"]({new}")
    return re.sub(
        r"\[([^\]]+)\]\((?:\.\./)?(?:LICENSE|[\w./-]+\.(?:py|cff|txt|toml|ipynb|json))\)",
        r"`\1`",
        text,
    )


def words_by_page(glossary: str) -> dict[str, list[str]]:
    """The words of the glossary by page: the glossary itself, and the pages that a word leads to.

    >>> words_by_page("# Glossary\\n\\n## Arc\\nA link. See [costs](costs.md#arcs).\\n")
    {'glossary.md': ['Arc'], 'costs.md': ['Arc']}
    """
    found: dict[str, list[str]] = {GLOSSARY: []}
    for part in re.split(r"^## ", glossary, flags=re.MULTILINE)[1:]:
        word = part.splitlines()[0]
        for page in dict.fromkeys([GLOSSARY, *re.findall(r"\]\(([\w-]+\.md)", part)]):
            found.setdefault(page, []).append(word)
    return found


def _with_entries(text: str, words: Sequence[str]) -> str:
    """A page with entries of the index below its heading: the search shows such pages first."""
    heading, _, rest = text.partition("\n")
    entries = "".join(f"\n```{{index}} ! {word}\n```\n" for word in words)
    return f"{heading}\n{entries}{rest}"


def _with_contents(index: str) -> str:
    """The index with the pages of each part in the order of its table, for the navigation."""
    parts = re.split(r"^(?=## )", index, flags=re.MULTILINE)
    told = [parts[0]]
    for part in parts[1:]:
        title = part.splitlines()[0].removeprefix("## ")
        pages = [found["file"].removesuffix(".md") for found in PAGE.finditer(part)]
        pages += ADDED.get(title, ())
        lines = ["```{toctree}", f":caption: {title}", ":hidden:", "", *pages, "```"]
        told.append("\n".join([part.rstrip(), "", *(lines if pages else []), "", ""]))
    return "".join(told)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


MENDED = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="on this page">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    "<pre>": '<pre tabindex="0">',
    '<div id="search-results">': '<h1>Search</h1><div class="results" id="search-results">',
}
"""What the theme leaves out: headings and labels of parts, and what the keyboard moves sideways."""


def mend_pages(folder: Path) -> None:
    """Give the pages of a site what readers without a screen or a mouse need."""
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for left, right in MENDED.items():
            text = text.replace(left, right)
        page.write_text(text, encoding="utf-8")


def build_site(folder: Path) -> int:
    """Write the site to a folder; Sphinx's exit code."""
    with TemporaryDirectory() as work:
        source = Path(work, "source")
        write_sources(source)
        app = Sphinx(
            srcdir=source,
            confdir=None,
            outdir=folder,
            doctreedir=Path(work, "doctrees"),
            buildername="html",
            confoverrides=SETTINGS,
            status=None,
            warningiserror=True,
        )
        app.build(force_all=True)
        mend_pages(folder)
        return app.statuscode


if __name__ == "__main__":
    sys.exit(build_site(Path(*sys.argv[1:2] or ["build/site"])))
