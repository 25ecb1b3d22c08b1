"""The plugins of docs/plugins.md, each a file outside the package, through the command line."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT, Ended, ran_alone, ran_in_turn

PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"in a file\s+`(\w+\.py)`:\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLUGINS = dict(EXAMPLE.findall(PAGE))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with all plugins of the page, which the environment names."""
    for name, text in PLUGINS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv("TOPOFINDER_PLUGINS", os.pathsep.join(PLUGINS))
    monkeypatch.setenv("TOPOFINDER_DB", str(tmp_path / "plugins.db"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(ended: Ended) -> dict:
    """What a command has printed as JSON."""
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def test_the_page_has_an_example_of_each() -> None:
    kinds = [
        "moebius.py",
        "thick.py",
        "one_by_one.py",
        "first_come.py",
        "few.py",
        "hurried.py",
        "hops.py",
    ]
    assert list(PLUGINS) == kinds


@pytest.mark.usefixtures("folder")
def test_a_recipe_is_shown_built_and_named_in_messages() -> None:
    shown, built, *mistakes = ran_in_turn(
        ("show", " Thick( L(Moeb(4)) , 2 )", "--json"),
        ("build", "Thick(L(Moeb(4)),2)", "-o", "graph.edges"),
        *(("show", text) for text in ("Moeb(2)", "Moebs(3)", "Thick(Moeb(3))")),
    )
    facts = found(shown)
    assert (facts["recipe"], facts["n"], facts["d"]) == ("Thick(L(Moeb(4)),2)", 24, 6)
    assert facts["properties"]["regular"]
    assert "24 nodes" in built.out
    few, unknown, plain = (ended.err for ended in mistakes)
    assert few.startswith("topofinder: Moeb(m) needs m >= 3, not 2")
    assert "did you mean Moeb" in unknown
    assert "Thick(G,copies): integers: 1, not 0" in plain


@pytest.mark.usefixtures("folder")
def test_a_search_considers_members_and_workers_load_the_plugin() -> None:
    searched, swept, stored = ran_in_turn(
        ("search", "--n", 8, "--d", 3, "--links", "duplex", "--json"),
        ("sweep", "--n", "10:14", "--d", 3, "--links", "duplex", "--jobs", 2),
        ("query", "--n", "10:14", "--family", "Moeb", "--json"),
    )
    assert [row["recipe"] for row in found(searched)["frontier"]] == ["Moeb(4)"]
    assert swept.code == 0
    assert "Moeb(6)" in json.dumps(found(stored))


@pytest.mark.usefixtures("folder")
def test_another_topofinder_keeps_what_it_does_not_know_and_searches_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    size = ("search", "--n", 8, "--d", 3, "--links", "duplex", "--json")
    ran_alone(*size)
    assert [row["recipe"] for row in found(ran_alone(*size))["frontier"]] == ["Moeb(4)"]
    monkeypatch.delenv("TOPOFINDER_PLUGINS")
    without = ran_alone(*size)
    assert "Moeb" not in without.out
    assert "candidate 'Moeb(4)' is damaged or unknown; it is kept" in without.err


MADE = (
    ("Thick(Moeb(5),3)", "--method", "expansion"),
    ("Thick(Moeb(5),3)", "--collective", "allreduce"),
    ("K(5)", "--method", "one-by-one"),
    ("Torus(3,3)", "--method", "first-come"),
    ("Moeb(5)", "--method", "first-come", "--collective", "allreduce"),
)
"""Recipes and options that plugins of the page make a schedule of."""


@pytest.mark.usefixtures("folder")
def test_schedules_are_made_and_checked() -> None:
    files = [f"schedule{number}.npz" for number in range(len(MADE))]
    made = [("schedule", *words, "-o", file) for words, file in zip(MADE, files, strict=True)]
    checks = [(command, file) for file in files for command in ("verify", "show")]
    ended = ran_in_turn(*made, *checks)
    assert [one.err for one in ended if one.code] == []
    shown = ended[len(MADE) + 1 :: 2]
    assert all(words[0] in one.out for words, one in zip(MADE, shown, strict=True))


@pytest.mark.usefixtures("folder")
def test_a_schedule_method_is_listed() -> None:
    words = ("schedule", "K(4)", "-o", "schedule.npz", "--method")
    helped, refused, chunked = ran_in_turn(
        ("schedule", "--help"), (*words, "last-come"), (*words, "first-come", "--chunks", 3)
    )
    assert "first-come" in "".join(helped.out.split())
    assert refused.code == 2
    assert "'last-come' is none of auto, bfb" in refused.err
    assert "one-by-one" in refused.err
    assert refused.err.endswith("first-come\n")
    line = "topofinder: chunks: first-come has its own pieces, not 3\n"
    assert chunked == Ended(2, "", line)


@pytest.mark.usefixtures("folder")
def test_a_baseline_is_listed() -> None:
    assert "one-by-one" in ran_alone("show", "K(5)", "--with-baselines").out


@pytest.mark.usefixtures("folder")
def test_patterns_methods_and_exporters_are_in_the_help_and_in_use() -> None:
    options = ("--pattern", "few", "--method", "hurried", "--routes", "paths.hops", "--json")
    helped, bounded, verified = ran_in_turn(
        ("throughput", "--help"),
        ("throughput", "Moeb(3)", *options, "--certificate", "proof.json"),
        ("verify", "proof.json"),
    )
    words = " ".join(helped.out.split())
    assert "few:K" in words
    assert "hurried." in words
    assert ".hops" in words
    known = found(bounded)
    assert (known["demand"], known["method"]) == ("few:1", "equilibrium")
    assert [line.split()[0] for line in Path("paths.hops").read_text().splitlines()] == ["1", "2"]
    assert verified.code == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\n\nx.y\n", ", line 3: AttributeError: 'int' object has no attribute 'y'"),
        ("def (:\n", ": SyntaxError: invalid syntax (broken.py, line 1)"),
        ("raise SystemExit('enough\\nof this')", ", line 1: SystemExit: enough of this"),
        (
            "from generators import registry as r\nr.register_family(r.FAMILIES['K'])",
            ", line 2: family 'K' is registered already",
        ),
        (
            "from expansions import register as r\nr.register_expansion(r.EXPANSIONS['L'])",
            ", line 2: expansion 'L' is registered already",
        ),
    ],
)
def test_a_broken_plugin_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    plugin = tmp_path / "broken.py"
    plugin.write_text(text, encoding="utf-8")
    monkeypatch.setenv("TOPOFINDER_PLUGINS", str(plugin))
    search = ("search", "--n", 6, "--d", 2, "--db", tmp_path / "a.db")
    *asked, version = ran_in_turn(("show", "K(4)"), search, ("--version",))
    assert asked == [Ended(2, "", f"topofinder: plugin {plugin}{words}\n")] * 2
    assert version.code == 0


def test_a_plugin_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nowhere.py", "no_such_module"):
        monkeypatch.setenv("TOPOFINDER_PLUGINS", name)
        ended = ran_alone("show", "K(4)")
        assert ended.code == 2
        assert re.fullmatch(f"topofinder: plugin {name}: \\w+NotFoundError: .*\n", ended.err)


def test_an_installed_distribution_declares_its_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ladders.py").write_text(PLUGINS["moebius.py"], encoding="utf-8")
    info = tmp_path / "ladders-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ladders\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[topofinder.plugins]\nladders = ladders\n")
    program = "from expansions.parser import parse; print(parse('Moeb( 4 )'))"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "Moeb(4)\n"
