"""Rows of candidates: which recipes are told from their text to be topofinder's own."""

from expansions.recipe import Base
from expansions.register import EXPANSIONS
from generators.registry import FAMILIES
from topofinder.api.shared.candidate_rows import OWN_NAMES, has_own_names


def test_the_names_are_those_that_are_registered() -> None:
    words = {name for name in (*FAMILIES, *EXPANSIONS) if name.isalnum()}
    assert words == OWN_NAMES


def test_samples_of_all_families_are_own() -> None:
    texts = [
        str(Base(family.name, arguments))
        for family in FAMILIES.values()
        for arguments in family.samples
        if "back" not in arguments
    ]
    assert all(map(has_own_names, texts))
    assert has_own_names(" x ".join(f"L^2({text})*3" for text in texts))


def test_other_names_are_not_own() -> None:
    for text in ("Moeb(4)", "L(Moeb(4)) x K(4)", "Thick(K(4),2)", "Petersen", "Cay(S3;1,2) x P"):
        assert not has_own_names(text)
