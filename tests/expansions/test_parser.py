"""Recipes read from text: the notation, the papers' typography, and every kind of refusal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expansions.parser import parse
from expansions.recipe import Application, Base, Bi, Degree, Line, Parallel, Power, Product
from expansions.tokens import LARGEST_INT, LONGEST_SWITCHES, LONGEST_TEXT
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES
from tests.recipes import recipes, trees

K2, K3, K44 = Base("K", (2,)), Base("K", (3,)), Base("K", (4, 4))


@pytest.mark.parametrize(
    ("text", "recipe"),
    [
        ("K(4,4)", K44),
        ("L(K(4,4))", Line(K44)),
        ("L^3(K(4,4))", Line(K44, 3)),
        ("K(4,4)*2", Degree(K44, 2)),
        ("K(3)^2", Power(K3, 2)),
        ("K(3) x K(2)", Product((K3, K2))),
        ("Bi(K(3))", Bi(K3)),
        ("K(3)^2 x K(2)*2", Product((Power(K3, 2), Degree(K2, 2)))),
        ("K(3)^2*5", Degree(Power(K3, 2), 5)),
        ("K(3)*5^2", Power(Degree(K3, 5), 2)),
        ("(K(2) x K(3))^2*3", Degree(Power(Product((K2, K3)), 2), 3)),
        ("L(K(3) x K(2))^2", Power(Line(Product((K3, K2))), 2)),
        ("((K(3)))", K3),
        ("K(3)||4", Parallel(K3, 4)),
        ("K(3)*2||3", Parallel(Degree(K3, 2), 3)),
        ("(K(3)||3)*2", Degree(Parallel(K3, 3), 2)),
        ("(K(3)||3)^2 x K(2)||2", Product((Power(Parallel(K3, 3), 2), Parallel(K2, 2)))),
        ("T(Diamond)", Application("T", (Base("Diamond"),))),
    ],
)
def test_notation(text: str, recipe: object) -> None:
    assert parse(text) == recipe


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("K_{4,4}", "K(4,4)"),
        ("K_5", "K(5)"),
        ("K _ { 4 , 4 }", "K(4,4)"),
        ("Π_{4,1024}", "Pi(4,1024)"),
        ("Pi_{4,1024}", "Pi(4,1024)"),
        (r"$\Pi_{4,1024}$", "Pi(4,1024)"),
        ("K_5^{[]2}", "K(5)^2"),
        ("K_5^{□2}", "K(5)^2"),
        ("K_5^□2", "K(5)^2"),
        ("K_5^[]2", "K(5)^2"),
        (r"K_5^{\square 2}", "K(5)^2"),
        ("K(3) □ K(2)", "K(3) x K(2)"),
        ("K(3)[]K(2)", "K(3) x K(2)"),
        ("K(3) × K(2)", "K(3) x K(2)"),
        (r"K_3 \times K_2", "K(3) x K(2)"),
        ("K(3)xK(2)", "K(3) x K(2)"),
        ("K_3xK_2", "K(3) x K(2)"),
        ("K_3 ∥ 2", "K(3)||2"),
        (r"K_3 \parallel 2", "K(3)||2"),
        ("(K_3||2)||2", "K(3)||4"),
        ("K_3∗2", "K(3)*2"),
        ("L^{2}(K_{4,4})", "L^2(K(4,4))"),
        (
            r"$(\text{UniRing}(1,4)\Box\text{UniRing}(1,8))^{\Box 2}$",
            "(UniRing(1,4) x UniRing(1,8))^2",
        ),
        (r"\left( K_3 \, \Box \; K_2 \right)^{\Box 2}", "(K(3) x K(2))^2"),
        (r"L^{2}\left(\mathrm{DBJ}(4,2)\right)", "L^2(DBJ(4,2))"),
        ("\tK(3)\n x\r\nK(2) ", "K(3) x K(2)"),
    ],
)
def test_typography_of_the_papers(text: str, plain: str) -> None:
    assert str(parse(text)) == plain
    assert parse(text) == parse(plain)


@pytest.mark.parametrize("text", ["L^3(C(16,{3,4}))", r"$L^{3}(C(16, \{3, 4\}))$"])
def test_sets_are_arguments(text: str) -> None:
    assert parse(text) == Line(Base("C", (16, (3, 4))), 3)
    assert str(parse(text)) == "L^3(C(16,{3,4}))"


@settings(max_examples=300, deadline=None)
@given(recipes())
def test_a_recipe_is_read_back_equal(recipe: object) -> None:
    assert parse(str(recipe)) == recipe


@settings(max_examples=300, deadline=None)
@given(trees())
def test_text_of_an_unmerged_tree_is_read_in_canonical_form(tree: object) -> None:
    once = parse(str(tree))
    assert parse(str(once)) == once


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("", 1, "expected a graph, not the end"),
        ("   ", 1, "expected a graph, not the end"),
        ("K(3", 4, "expected ',' or ')', not the end"),
        ("K(3,)", 5, "expected an integer, a {set} or a word, not ')'"),
        ("K(3))", 5, "expected an operator or the end, not ')'"),
        ("K(3) K(2)", 6, "expected an operator or the end, not 'K'"),
        ("K(3) x ", 7, "expected a graph, not the end"),
        ("K(3) + K(2)", 6, "unexpected '+'"),
        ("K(2)^-1", 6, "unexpected '-'"),
        ("K(2)^{[]2", 10, "expected '}', not the end"),
        ("K(2)^K", 6, "expected an integer, not 'K'"),
        ("K(2)^0", 5, "G^n: n is at least 1, not 0"),
        ("K(2)*0", 5, "G*n: n is at least 1, not 0"),
        ("L^0(K(2))", 1, "L^n(G): n is at least 1, not 0"),
        ("L K(2)", 3, "expected '(', not 'K'"),
        ("Bi K(2)", 4, "expected '(', not 'K'"),
        ("L(K(2)", 7, "expected ')' or an operator, not the end"),
        ("K(2) x Kbutz(2,3)", 8, "unknown family 'Kbutz'; did you mean Kautz?"),
        ("K(2) x uniring(1,4)", 8, "unknown family 'uniring'; did you mean UniRing or "),
        ("K(2) x Zyzzyva", 8, "unknown family 'Zyzzyva'; known are "),
        ("L(K(1))", 3, "K(m) needs m >= 2, not 1"),
        ("L(K(3,4))", 3, "K(a,b) needs a = b to be regular, not K(3,4)"),
        ("K(1,2,3)", 1, "K(1,2,3) does not fit K(m), K(d,d)"),
        ("K", 1, "K does not fit K(m), K(d,d)"),
        ("K({3,4})", 1, "K({3,4}) does not fit K(m), K(d,d)"),
        ("K(three)", 1, "K(three) does not fit K(m), K(d,d)"),
        ("K({3,a})", 6, "expected an integer, not 'a'"),
        (f"K({LARGEST_INT + 1})", 3, f"an integer is at most {LARGEST_INT}"),
        ("K(" + "9" * 4000 + ")", 3, f"an integer is at most {LARGEST_INT}"),
        ("K(2) x K(3)^19", 12, "the graph would have more than 1000000000 nodes"),
        ("K(3)*400000000", 5, "the graph would have more than 1000000000 nodes"),
        ("K(200000)*2", 10, "the graph would have more than 68719476736 arcs"),
        ("K(300000)", 1, "K(300000) has 89999700000 arcs; recipes name graphs of at most"),
        ("L^65(K(2))", 1, "times: at most 64, not 65"),
        ("K(3)^10 x K(3)^10", 9, "the graph would have more than 1000000000 nodes"),
        ("(" * 65 + "K(2)" + ")" * 65, 65, "nested deeper than 64"),
        ("K(2)" + " " * LONGEST_TEXT, LONGEST_TEXT + 1, f"longer than {LONGEST_TEXT} characters"),
    ],
)
def test_refusals_point_at_the_place(text: str, column: int, what: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    first, shown, caret = str(caught.value).split("\n")
    assert first.startswith(what)
    assert first.endswith(f"(column {column})")
    assert caret.strip() == "^"
    offending = text[column - 1 : column].strip()
    under = shown[len(caret) - 1 : len(caret)].strip()
    assert under == offending or shown[len(caret) - 1 :] == "..."


def test_a_text_is_longer_by_its_switches_alone() -> None:
    inner, few = "Graft(UniRing(1,2500);", LONGEST_TEXT // 2
    long = inner + ",".join(f"~{a}.{a + 1000}" for a in range(0, 1000)) + ")"
    assert len(long) > LONGEST_TEXT
    assert str(parse(long)) != ""
    for text in (long + " " * few * 2, long.replace(")", " " * LONGEST_TEXT + ")", 1)):
        with pytest.raises(InvalidInput, match=f"longer than {LONGEST_TEXT} characters"):
            parse(text)
    with pytest.raises(InvalidInput, match=f"longer than {LONGEST_SWITCHES} characters"):
        parse(inner + "~1.2," * (LONGEST_SWITCHES // 5))
    with pytest.raises(InvalidInput, match=f"longer than {LONGEST_TEXT} characters"):
        parse(inner + "-1.0," * (LONGEST_TEXT // 5) + "~1.2)")


def test_the_deepest_nesting_is_read() -> None:
    assert parse("(" * 64 + "K(2)" + ")" * 64) == K2
    assert parse("L(" * 64 + "K(2)" + ")" * 64) == Line(K2, 64)


WORDS = [*FAMILIES, *"x^*(){},_ 01235", "L", "Bi", "[]", "□", "16", "999999999", "\\text{K}"]


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(
        st.text(max_size=40),
        st.lists(
            st.sampled_from(WORDS),
            max_size=16,
        ).map("".join),
    )
)
def test_any_text_is_a_recipe_or_is_refused(text: str) -> None:
    _recipe_or_refusal(text)


ARGUMENTS = st.one_of(
    st.integers(0, 12).map(str),
    st.sampled_from(["1048576", "1000000000", "O4", "{1}", "{0,1}", "{3,4}", "{999999999,1}"]),
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(FAMILIES)), st.lists(ARGUMENTS, max_size=4))
def test_any_arguments_of_any_family_are_accepted_or_refused(
    name: str, arguments: list[str]
) -> None:
    _recipe_or_refusal(f"{name}({','.join(arguments)})" if arguments else name)


def _recipe_or_refusal(text: str) -> None:
    try:
        recipe = parse(text)
    except InvalidInput as wrong:
        refusal = str(wrong).split("\n")
    else:
        assert parse(str(recipe)) == recipe
        return
    assert len(refusal) == 3
