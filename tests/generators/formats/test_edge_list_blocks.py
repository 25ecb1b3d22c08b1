"""Many lines at a time say what they say one by one, and are refused for the same reason."""

import io
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.files import TextError, blocks_of
from generators.formats.edge_list import read_edge_list
from generators.formats.edge_list_blocks import read_block
from generators.formats.numbered_words import MOST_PARTS, NumberedWords
from generators.topology import Topology

NODES = ("0", "1", "2", "3", "9", "07", "a", "gpu1", "{}", "n" * 32, "n" * 33, "\u00e9")
NODES += ("1048575", "1048576", "12345678", "+1", "-1", "1_0", "1;", "a#b", "a" * 8, "a" * 9)
VALUES = ("1", "2", "3/2", "01", "0.5", "1e3", "9/7", f"1/{'3' * 29}", "0." + "0" * 40 + "1")
WRONG = ("0", "x", "{}", "-1", "1e99", "{'capacity': 2}", "{'capacity': 2} 1", "1 2 3", "1\x00")
HEADERS = ("#: nodes 4", "#: nodes 10", "#: undirected", "#: columns latency", "#: switches 1")
HEADERS += ('#: name 0 "a"', "#: columns latency capacity")
BLANK, COMMENT = (
    st.sampled_from((" ", "\t", "  ")),
    st.sampled_from(("", "", " # x", " #: y", "#z")),
)


@st.composite
def lines(draw: st.DrawFn) -> str:
    """Mostly arcs between few nodes, so that a file is often right."""
    words = [draw(st.sampled_from(NODES[: draw(st.sampled_from((3, 7, len(NODES))))]))]
    words += [draw(st.sampled_from(NODES[: draw(st.sampled_from((3, 3, 7)))]))]
    words += draw(st.lists(st.sampled_from(VALUES), max_size=draw(st.integers(0, 3))))
    if draw(st.integers(0, 15)) == 0:
        words.append(draw(st.sampled_from(WRONG)))
    return draw(BLANK).join(words) + draw(COMMENT)


@st.composite
def edge_lists(draw: st.DrawFn) -> str:
    head = draw(st.lists(st.sampled_from(HEADERS), max_size=2, unique=True))
    body = draw(st.lists(st.one_of(lines(), lines(), st.sampled_from(("", "# x"))), max_size=12))
    odd = draw(st.lists(st.sampled_from(("0", *HEADERS)), max_size=1)) if len(body) > 9 else []
    return "\n".join(head + body + odd)


def outcome(text: str) -> Topology | str:
    try:
        return read_edge_list("a", text.encode("utf-8"))
    except InvalidInput as error:
        return str(error)


@given(edge_lists())
@settings(max_examples=500, deadline=None)
def test_blocks_say_what_their_lines_say(text: str) -> None:
    """A form feed is blank, but no block of lines with one is read at once."""
    slow = "\f" + text.replace("\n", "\n\f")
    assert read_block(slow, 2) is None
    found, expected = outcome(text), outcome(slow)
    if isinstance(expected, str) or isinstance(found, str):
        assert found == expected
    else:
        assert found.same_wiring(expected)


def test_most_lines_are_read_at_once() -> None:
    for text in (
        "0 1\n1 0 # x\n\n\t2 3 {}\n",
        "gpu0 gpu1 1/2\ngpu1 gpu0 0.25 3\n",
        f"{'a' * 32} {'b' * 31} {'1' * 32}",
        "",
    ):
        assert read_block(text, 2) is not None, text
    for text in ("#: nodes 2\n", "0\n", "0 1 1 1 1\n", "0 1 {'a': 1}", "\u00e9 1", "0 1\f"):
        assert read_block(text, 2) is None, text


def test_large_files_of_numbers_and_names() -> None:
    """Several blocks; what is new in a later one, and values that only some arcs have."""
    random = np.random.default_rng(1)
    ends = random.integers(5000, size=(60_000, 2)).tolist()
    values = [Fraction(int(value), 7) for value in random.integers(1, 999, size=60_000)]
    for label in ("{}", "n{}"):
        number = {label.format(node): node for node in range(5000)}
        head = "".join(f"{name} {name}\n" for name in number)
        rows = [f"{label.format(u)} {label.format(v)}" for u, v in ends]
        text = "".join(f"{row} {c}\n" if e % 3 else f"{row}\n" for e, (row, c) in
                       enumerate(zip(rows, values, strict=True)))  # fmt: skip
        found = read_edge_list("a", (head + text).encode())
        assert np.stack((found.tail, found.head), axis=1)[5000:].tolist() == ends
        expected = [value if e % 3 else 1 for e, value in enumerate(values)]
        assert found.capacity == (*[1] * 5000, *expected)


def test_a_line_that_is_read_alone_counts() -> None:
    text = b"0 1 {'latency': 2}\n" * 9
    assert read_edge_list("a", text, slow=9).latency == (2,) * 9
    with pytest.raises(InvalidInput, match="line 9: more than 8 arcs with attributes, long words"):
        read_edge_list("a", text, slow=8)
    assert read_edge_list("a", b"0 1 2\n" * 9, slow=0).capacity == (2,) * 9
    with pytest.raises(InvalidInput, match="different attributes of more than 1048576 characters"):
        read_edge_list("a", b"".join(b"0 1 {'a': '%0900d'}\n" % n for n in range(1200)))


@given(
    st.lists(st.text("ab01", min_size=1, max_size=32), min_size=1, max_size=60),
    st.integers(1, 20),
)
@settings(deadline=None)
def test_words_are_numbered_as_by_a_dict(words: list[str], size: int) -> None:
    asked: list[str] = []
    table = NumberedWords(60, lambda word: asked.append(word) or len(asked))
    known: dict[str, int] = {}
    for start in range(0, len(words), size):
        few = words[start : start + size]
        expected = [known.setdefault(word, len(known) + 1) for word in few]
        assert table.numbers(parts(few)).tolist() == expected
    assert asked == list(known)


def parts(words: list[str]) -> np.ndarray:
    most = -(-max(map(len, words)) // 8)
    cut = [[word[8 * i : 8 * i + 8].encode() for word in words] for i in range(most)]
    return np.array([[int.from_bytes(p, "little") for p in row] for row in cut], dtype=np.uint64)


def test_words_of_one_hash_are_told_apart() -> None:
    """The hash of two parts p, q is that of p', q' where q ^ F p = q' ^ F p'."""
    factor = np.uint64(0x9E3779B97F4A7C15)
    p = np.arange(1, 9, dtype=np.uint64)
    with np.errstate(over="ignore"):
        words = np.stack((p, p * factor ^ np.uint64(99)))
    asked: list[str] = []
    table = NumberedWords(8, lambda word: asked.append(word) or len(asked))
    assert table.numbers(words).tolist() == list(range(1, 9))
    assert table.numbers(words[:, ::-1]).tolist() == list(range(8, 0, -1))
    assert MOST_PARTS == 4


def test_blocks_are_whole_lines() -> None:
    text = "a\r\nb\r" * 100_000 + "c"
    blocks = list(blocks_of(text.encode()))
    assert "".join(block for _, block in blocks) == "a\nb\n" * 100_000 + "c"
    assert all(block.endswith("\n") for _, block in blocks[:-1])
    before = np.cumsum([0, *(block.count("\n") for _, block in blocks[:-1])])
    assert [number for number, _ in blocks] == before.tolist()
    for content, longest, told in (
        (b"ab\nabc\na", 3, "line 2: longer than 3 characters"),
        (b"ab\nab\nabcd", 3, "line 3: longer than 3 characters"),
        (b"\n" * (1 << 22) + b"a", 9, "more than 4194304 lines"),
        (b"ab\n\xff", 9, "line 2: not UTF-8 text at byte 3"),
    ):
        with pytest.raises(TextError) as refusal:
            list(blocks_of(io.BytesIO(content), longest))
        assert str(refusal.value) == told
    with pytest.raises(TextError, match="larger than 8 bytes"):
        list(blocks_of(b"ab\n" * 40_000, limit=8))
