"""Groups: the axioms, numbering, closures by brute force, notation and every kind of refusal."""

import tracemalloc
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.cayley.generated import reachable_elements
from generators.cayley.group import MAX_ORDER, Group
from generators.cayley.homomorphism import automorphism
from generators.cayley.notation import parse_group
from generators.errors import InvalidInput

ORDERS = {
    "Z2": 2,
    "Z7": 7,
    "D2": 4,
    "D8": 16,
    "Dic2": 8,
    "Dic4": 16,
    "Dic9": 36,
    "S2": 2,
    "S3": 6,
    "S5": 120,
    "A3": 3,
    "A5": 60,
    "A6": 360,
    "P[(0,1,2,3,4,5,6),(1,2,4)(3,6,5)]": 21,
    "P[(0,1,2,3,4,5,6),(0,7)(1,6)(2,3)(4,5)]": 168,
    "Z2^3xZ4": 32,
    "Z4:Z2[3]xZ2": 16,
    "Z2x(Z4:Z2[3])^2": 128,
    "Z64:Z16[3]": 1024,
    "Z7:Z3[2]": 21,
    "Z2^2:Z3[(0,1),(1,1)]": 12,
    "Z8:Z2^2[3|5]": 32,
    "Z4^2:Z3[(0,1),(3,3)]:Z2[(0,1,0),(1,0,0),(0,0,2)]": 96,
    "Dic2:Z3[(1,1),(1,0)]": 24,
    "A4:Z2[6,9]": 24,
    "Z3^2:Dic2[(0,1),(2,0)|(1,1),(1,2)]": 72,
    "Z8.Z2[7|4]": 16,
    "Z9.Z3[4|3]": 27,
    "Z4xZ2.Z4[(1,1),(0,1)|(2,0)]": 32,
    "Dic2.Z2[(1,0),(0,1)|(2,0)]": 16,
    "S6": 720,
}
SMALL = [text for text, order in ORDERS.items() if order <= 72]
REWRITTEN = [
    (" Z64 : Z16 [ 3 ] ", "Z64:Z16[3]"),
    ("Z2xZ2xZ4", "Z2^2xZ4"),
    ("Z2x(Z4xZ4)", "Z2xZ4^2"),
    ("(Z2:Z2[1])xZ2", "Z2:Z2[1]xZ2"),
    ("((Z5))", "Z5"),
    ("Z5^1", "Z5"),
    ("(Z2xZ3)^2", "Z2xZ3xZ2xZ3"),
    ("Z2^2:Z3[1,3]", "Z2^2:Z3[(0,1),(1,1)]"),
    ("Z5:(Z2xZ2)[4|1]", "Z5:Z2^2[4|1]"),
    ("Z5:(Z2xZ4)[4|2]", "Z5:(Z2xZ4)[4|2]"),
    ("Z3x(Z4:Z2[3])", "Z3x(Z4:Z2[3])"),
]
REFUSED = [
    ("", "expected one of Z, D, Dic, S, A, P or '\\(', not 'the end'"),
    ("Q8", "expected one of"),
    ("Z", "expected an integer"),
    ("Z1", "2 to 1048576 elements"),
    ("Z1048577", "2 to 1048576 elements"),
    ("Z9999999999", "below a thousand million"),
    ("Z4-Z2", "unexpected '-'"),
    ("Z4 Z2", "expected 'x', ':', '.' or the end, not 'Z'"),
    ("Z4:Z2", "expected '\\['"),
    ("Z8:Z2[2]", r"\[2\] is no automorphism of Z8"),
    ("Z8:Z2[9]", "element 9 is not in 0..7"),
    ("Z8:Z2[3,5]", "Z8 has 1 generators, not 2"),
    ("Z8:Z2[3|5]", "Z2 has 1 generators; 2 act on Z8"),
    ("Z64:Z8[3]", r"\[3\] is no action of Z8 on Z64"),
    ("Z7:S3[2|6]", r"no action of S3 on Z7"),
    ("Z2^2:Z3[(0,1),(1,2)]", r"element \(1,2\) is not within the sizes \(2,2\)"),
    ("Z2^2:Z3[(0,1),(0,1)]", "no automorphism"),
    ("Z8.Z2[7|1]", "the tail is no 2th power"),
    ("Z8.Z3[7|0]", "the tail is no 3th power"),
    ("Z8.Z2[7]", r"'.' needs \[images\|tail\]"),
    ("Z8.S3[7|0]", "followed by a cyclic group, not S3"),
    ("D1", "n >= 2"),
    ("Dic1", "n >= 2"),
    ("S1", "degrees are 2 to 8"),
    ("S9", "degrees are 2 to 8"),
    ("A2", "degrees are 3 to 8"),
    ("P[(0)]", "nothing but the identity"),
    ("P[(0,1)(1,2)]", "not disjoint"),
    ("P[(0,256)]", "points are in 0..255"),
    ("P[(0,1,2,3,4,5,6,7,8,9),(0,1)]", "more than 65536 elements"),
    ("Z1024xZ1025", "at most 1048576 elements, not 1049600"),
    ("Z2^17", "a power is 1 to 16, not 17"),
    ("(" * 20 + "Z2" + ")" * 20, "nested deeper than 16"),
    ("Z2" + " " * 3000, "longer than 2048 characters"),
]


@pytest.mark.parametrize("text", ORDERS)
def test_axioms_on_random_triples(text: str) -> None:
    group = parse_group(text)
    assert group.order == ORDERS[text]
    a, b, c = np.random.default_rng(5).integers(0, group.order, (3, 500), dtype=np.int32)
    left, right = group.multiply(group.multiply(a, b), c), group.multiply(a, group.multiply(b, c))
    assert np.array_equal(left, right)
    assert left.dtype == group.inverses.dtype == group.times(1).dtype == np.int32
    assert np.array_equal(group.times(0), group.elements)
    assert np.array_equal(group.translate(0), group.elements)
    assert not group.multiply(group.elements, group.inverses).any()
    assert not group.multiply(group.inverses, group.elements).any()
    assert reachable_elements(group, group.generators).all()


@pytest.mark.parametrize("text", SMALL)
def test_whole_tables_are_associative_latin_squares(text: str) -> None:
    group = parse_group(text)
    table, ascending = group.table(), group.elements
    assert np.array_equal(np.sort(table, axis=0), np.tile(ascending[:, None], group.order))
    assert np.array_equal(np.sort(table, axis=1), np.tile(ascending, (group.order, 1)))
    assert np.array_equal(table[table], table[:, table])
    assert group.is_abelian == np.array_equal(table, table.T)
    columns = [group.times(s) for s in range(group.order)]
    assert np.array_equal(np.stack(columns, axis=1), table)


@pytest.mark.parametrize("text", SMALL)
def test_orders_of_elements_by_walking(text: str) -> None:
    group = parse_group(text)
    table, found = group.table(), []
    for element in range(group.order):
        length, at = 1, element
        while at:
            length, at = length + 1, int(table[at, element])
        found.append(length)
    assert group.element_orders().tolist() == found
    for exponent in (0, 1, 2, 7):
        walked = np.zeros(group.order, dtype=np.int32)
        for _ in range(exponent):
            walked = table[walked, group.elements]
        assert np.array_equal(group.power(group.elements, exponent), walked)


def closed(generators: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """All products of permutations, in lexicographic order."""
    found = {tuple(range(len(generators[0])))}
    fresh = list(found)
    while fresh:
        p = fresh.pop()
        for g in generators:
            product = tuple(g[p[i]] for i in range(len(p)))
            if product not in found:
                found.add(product)
                fresh.append(product)
    return sorted(found)


PERMUTED = {
    "S4": [(1, 2, 3, 0), (1, 0, 2, 3)],
    "A4": [(1, 2, 0, 3), (1, 3, 2, 0)],
    "P[(0,1,2,3,4,5,6),(1,2,4)(3,6,5)]": [(1, 2, 3, 4, 5, 6, 0), (0, 2, 4, 6, 1, 3, 5)],
    "P[(0,2),(1,3)(4,5)]": [(2, 1, 0, 3, 4, 5), (0, 3, 2, 1, 5, 4)],
}


@pytest.mark.parametrize("text", PERMUTED)
def test_permutations_are_multiplied_from_left_to_right(text: str) -> None:
    group, rows = parse_group(text), closed(PERMUTED[text])
    number = {row: place for place, row in enumerate(rows)}
    assert group.order == len(rows)
    assert set(group.generators) == {number[g] for g in PERMUTED[text]}
    expected = [[number[tuple(h[i] for i in g)] for h in rows] for g in rows]
    assert group.table().tolist() == expected


@pytest.mark.parametrize("degree", range(2, 8))
def test_symmetric_groups_hold_all_permutations(degree: int) -> None:
    group = parse_group(f"S{degree}")
    assert group.order == factorial(degree)
    cycle = (*range(1, degree), 0)
    assert group.generators[0] == sorted(permutations(range(degree))).index(cycle)


def test_the_metacyclic_group_of_the_notation() -> None:
    group = parse_group("Z64:Z16[3]")
    a, i, b, j = np.random.default_rng(1).integers(0, 64, (4, 300)) % [[64], [16], [64], [16]]
    expected = (a + 3**i * b) % 64 * 16 + (i + j) % 16
    assert np.array_equal(group.multiply(16 * a + i, 16 * b + j), expected)


def test_relations_of_the_named_groups() -> None:
    for n in (2, 3, 8, 11):
        for text, top in ((f"D{n}", 0), (f"Dic{n}", n)):
            group = parse_group(text)
            x, y = group.generators
            assert group.power(y, 2) == group.power(x, top)
            assert group.multiply(group.multiply(y, x), group.inverses[y]) == group.inverses[x]


def test_extensions_reach_what_does_not_split() -> None:
    quaternions = parse_group("Z4.Z2[3|2]")
    assert np.bincount(quaternions.element_orders()).tolist() == [0, 1, 1, 0, 6]
    cyclic = parse_group("Z4.Z2[1|1]")
    assert cyclic.element_orders().max() == 8


@pytest.mark.parametrize("text", ["Z64:Z16[3]", "S5", "D8", "Z2x(Z4:Z2[3])^2", "Z7"])
def test_coordinates_and_numbers(text: str) -> None:
    group = parse_group(text)
    for element in range(group.order):
        assert group.number(group.coordinates(element)) == group.number(element) == element
    for wrong in (-1, group.order, (), (*group.radix,), (0, 0, 0, 0, 0, 0)):
        with pytest.raises(InvalidInput, match="element"):
            group.number(wrong)


def test_reached_elements_are_the_subgroup() -> None:
    group = parse_group("Z4:Z2[3]xZ6")
    table, draws = group.table(), np.random.default_rng(2)
    for _ in range(40):
        generators = draws.integers(0, group.order, 2).tolist()
        found = {0}
        for _ in range(group.order):
            found |= {int(table[g, s]) for g in found for s in generators}
        assert np.flatnonzero(reachable_elements(group, generators)).tolist() == sorted(found)


def test_automorphisms_by_trying_all_images() -> None:
    for text, count in (("Z2^3", 168), ("D4", 8), ("Dic2", 24), ("S3", 6), ("Z12", 4)):
        group = parse_group(text)
        assert sum(_is_automorphism(group, images) for images in _tuples(group)) == count


def _tuples(group: Group) -> list[tuple[int, ...]]:
    return list(map(tuple, np.ndindex(*[group.order] * len(group.generators))))


def _is_automorphism(group: Group, images: tuple[int, ...]) -> bool:
    try:
        image, table = automorphism(group, images), group.table()
    except InvalidInput:
        return False
    assert np.array_equal(image[table], table[image[:, None], image])
    return True


@pytest.mark.parametrize("text", ORDERS)
def test_canonical_texts_are_printed_as_they_are(text: str) -> None:
    assert str(parse_group(text)) == text


@pytest.mark.parametrize(("text", "canonical"), REWRITTEN)
def test_other_texts_of_a_group(text: str, canonical: str) -> None:
    group = parse_group(text)
    assert str(group) == canonical
    assert group == parse_group(canonical)
    assert np.array_equal(group.table(), parse_group(canonical).table()) or group.order > 100


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        parse_group(text)
    assert "\n" not in str(caught.value)


def test_tables_are_made_of_small_groups_only() -> None:
    with pytest.raises(InvalidInput, match="at most 4096 rows, not 65536"):
        parse_group("Z65536").table()
    assert parse_group("Z1048576").order == MAX_ORDER


PIECES = [*"()[]x:.^,|", *"0123", "Z2", "Z3", "Z4", "D4", "Dic2", "S3", "P[(0,1)]", "[1]", "[3|2]"]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=20), st.lists(st.sampled_from(PIECES), max_size=9).map("".join)))
def test_any_text_is_a_group_or_is_refused(text: str) -> None:
    try:
        group = parse_group(text)
    except InvalidInput:
        return
    assert str(parse_group(str(group))) == str(group)


@pytest.mark.parametrize(
    ("text", "generators", "count"),
    [
        ("Z65521", [1, 700, 9000, 55555], 65521),
        ("D32768", [1, 3], 65536),
        ("Z1000000", [6, 16], 500000),
        ("Z2^16", [1, 2, 4], 8),
        ("Z7", [], 1),
    ],
)
def test_generated_subgroups_are_found_in_little_memory(
    text: str, generators: list[int], count: int
) -> None:
    group = parse_group(text)
    tracemalloc.start()
    try:
        found = reachable_elements(group, generators)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (int(found.sum()), bool(found[0])) == (count, True)
    assert peak <= 100 * group.order + (1 << 20)


@pytest.mark.parametrize("text", ["D50", "S4", "Z7:Z6[3]", "Z60", "A5", "Dic7", "Z2^3xZ4"])
def test_generated_subgroups_are_those_of_a_plain_search(text: str) -> None:
    group, random = parse_group(text), np.random.default_rng(1)
    for _ in range(20):
        chosen = random.integers(0, group.order, int(random.integers(0, 3))).tolist()
        seen, waiting = {0}, [0]
        for element in waiting:
            heads = {int(group.multiply(element, one)) for one in chosen} - seen
            seen |= heads
            waiting += heads
        assert set(np.flatnonzero(reachable_elements(group, chosen)).tolist()) == seen


def test_small_groups_stay_while_many_are_read() -> None:
    small = parse_group("Z4095")
    for order in range(5000, 5300):
        parse_group(f"Z{order}")
    assert parse_group("Z4095") is small
