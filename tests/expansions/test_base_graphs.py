"""Base graphs are checked by name, by kind of argument, and by their family."""

import pytest

from expansions.base_graphs import base_graph, family_named
from expansions.recipe import Base
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES


@pytest.mark.parametrize("name", list(FAMILIES))
def test_every_sample_of_every_family_is_a_member(name: str) -> None:
    for arguments in FAMILIES[name].samples:
        found = base_graph(name, arguments)
        assert found == base_graph(name, found.arguments)
        assert FAMILIES[name].properties(*found.arguments) == FAMILIES[name].properties(*arguments)


def test_close_names_are_offered() -> None:
    with pytest.raises(InvalidInput, match=r"'kauz'; did you mean Kautz\?"):
        family_named("kauz")
    with pytest.raises(InvalidInput, match=r"'qwerty'; known are .*K, .*Kautz"):
        family_named("qwerty")


@pytest.mark.parametrize("arguments", [(), (1, 2, 3), ("word",), ((3, 4),), (3, (4,))])
def test_arguments_of_another_kind_are_refused(arguments: tuple) -> None:
    with pytest.raises(InvalidInput, match=r"does not fit K\(m\), K\(d,d\)$"):
        base_graph("K", arguments)


def test_a_long_call_is_shortened_in_the_message() -> None:
    with pytest.raises(InvalidInput) as caught:
        base_graph("K", tuple(range(1000)))
    assert len(str(caught.value)) < 100


def test_the_family_speaks_for_itself() -> None:
    with pytest.raises(InvalidInput, match="needs m >= 2, not 1"):
        base_graph("K", (1,))
    assert base_graph("K", (4, 4)) == Base("K", (4, 4))
