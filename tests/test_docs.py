"""The documentation is up to date, complete, and its links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest
from cogapp import Cog

from expansions.register import EXPANSIONS, Expansion
from generators.families.register_all import FAMILIES
from generators.version import __version__
from tools import llms
from tools.docs import PAGES, PROLOGUE, ROOT, command_names
from tools.promises import command_options

GENERATED = [page for page in PAGES if "[[[cog" in page.read_text(encoding="utf-8")]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
LINKED = [*PAGES, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "llms.txt"))]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", GENERATED, ids=name)
def test_generated_parts_are_up_to_date(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["cog", "-P", "--check", "--diff", "-p", PROLOGUE, "-I", str(ROOT), str(page)]
    code = Cog().main(words)
    assert not code, f"run python -m tools.docs\n{''.join(capsys.readouterr())}"


def test_the_page_for_programs_is_up_to_date() -> None:
    assert llms.FILE.read_text(encoding="utf-8") == llms.llms_text(), "run python -m tools.llms"


def test_the_citation_names_this_version_and_license() -> None:
    cited = dict(re.findall(r"^([\w-]+): (.+)$", prose(ROOT / "CITATION.cff"), re.MULTILINE))
    assert (cited["version"], cited["license"]) == (f'"{__version__}"', "MIT")


def test_the_changelog_has_this_release() -> None:
    cited = re.search(r'^date-released: "(.+)"$', prose(ROOT / "CITATION.cff"), re.MULTILINE)
    heads = re.findall(r"^## (.+)$", prose(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert cited is not None
    released = heads[1:] if heads[0] == "[Unreleased]" else heads
    assert released[0] == f"[{__version__}] - {cited[1]}"


def test_the_changelog_has_no_section_twice_and_none_without_entries() -> None:
    for release in re.split(r"^## ", prose(ROOT / "CHANGELOG.md"), flags=re.MULTILINE)[1:]:
        heads = re.findall(r"^### (.+)$", release, re.MULTILINE)
        assert heads
        assert len(set(heads)) == len(heads)
        for section in release.split("\n### ")[1:]:
            assert re.search(r"^- ", section, re.MULTILINE), section


@pytest.mark.parametrize("command", command_names())
def test_every_command_is_documented(command: str) -> None:
    assert f"## topofinder {command}\n" in prose(ROOT / "docs" / "command-line.md")


@pytest.mark.parametrize("command", command_names())
def test_every_option_has_an_entry(command: str) -> None:
    head, *sections = prose(ROOT / "docs" / "command-line.md").split("\n## topofinder ")
    own = [section for section in sections if section.startswith(f"{command}\n")]
    text = "".join([head, *own])  # the head tells what all commands take
    wanted = {word for word in command_options()[command] if word.startswith("-")}
    assert wanted <= set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_every_family_is_documented(family: object) -> None:
    signature, *_ = family.signature.split(", ")  # type: ignore[attr-defined]
    assert f"| `{signature}`" in prose(ROOT / "docs" / "recipes.md")


@pytest.mark.parametrize("expansion", EXPANSIONS.values(), ids=list(EXPANSIONS))
def test_every_expansion_is_documented(expansion: Expansion) -> None:
    signature = expansion.signature.replace("|", r"\|")  # within a table
    assert f"| `{signature}` |" in prose(ROOT / "docs" / "recipes.md")


@pytest.mark.parametrize("page", LINKED, ids=name)
def test_links_resolve(page: Path) -> None:
    for target in LINK.findall(re.sub(r"```.*?```", "", prose(page), flags=re.DOTALL)):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.is_file(), target
        assert not anchor or anchor in anchors(linked), target


def anchors(page: Path) -> list[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), flags=re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return [heading.replace(" ", "-") for heading in kept]


INNER = re.compile(
    r"^(?:>>> )?(?:from|import) "
    r"(?:topofinder\.(?!mpi\b|torch\b|plugins\b)|generators|expansions|db|reports)",
    re.MULTILINE,
)
"""An import of what is no part of the public API."""


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_page_imports_an_inner_path(page: Path) -> None:
    assert INNER.findall(prose(page)) == []


@pytest.mark.parametrize("script", sorted((ROOT / "docs").glob("*.py")), ids=name)
def test_no_script_imports_an_inner_path(script: Path) -> None:
    assert INNER.findall(script.read_text(encoding="utf-8")) == []


def test_an_inner_path_would_be_seen() -> None:
    lines = (
        "import topofinder as tf",
        "import topofinder.mpi",
        "from topofinder.finder import x",
        "import db",
    )
    assert [line for line in lines if INNER.match(line)] == [*lines[2:]]


def test_every_page_is_in_the_index() -> None:
    linked = LINK.findall(prose(ROOT / "docs" / "index.md"))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"} <= set(linked)


def test_python_examples() -> None:
    page = ROOT / "docs" / "python.md"
    blocks = re.findall(r"^```python\n(.*?)^```$", prose(page), flags=re.MULTILINE | re.DOTALL)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    told: list[str] = []
    assert doctest.DocTestRunner().run(example, out=told.append).failed == 0, "".join(told)


def test_the_readme_has_one_command_for_the_main_job_and_one_for_the_tests() -> None:
    shell = re.findall(r"^```sh\n(.*?)^```$", prose(ROOT / "README.md"), re.MULTILINE | re.DOTALL)
    assert [block.count("\n") for block in shell] == [1, 1]
    assert "topofinder search" in shell[0]
    assert "pytest" in shell[1]


def test_the_readme_is_short_and_has_a_picture_and_every_command() -> None:
    text = prose(ROOT / "README.md")
    assert text.count("\n") <= 150
    assert "](docs/pictures/" in text
    table = " ".join(re.findall(r"^\| (.*?) \| ", text, re.MULTILINE))
    assert set(command_names()) <= set(re.findall(r"[a-z-]+", table))
