"""Hosts from text: what is read is printed the same, what is no host is refused in one line."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.hosts.notation import read_hosts
from generators.hosts.template import HostTemplate, InnerFabric, InnerKind, run_lengths
from generators.hosts.templates import HOST_TEMPLATES

rates = st.integers(1, 10**7).map(lambda value: Fraction(value) * 10**6)
latencies = st.none() | st.integers(1, 10**6).map(lambda value: Fraction(value, 10**9))


@st.composite
def templates(draw: st.DrawFn) -> HostTemplate:
    g = draw(st.integers(2, 6))
    kind = draw(st.sampled_from([InnerKind.SWITCH, InnerKind.MESH, InnerKind.LINKS]))
    able = kind is InnerKind.SWITCH
    links = tuple((i, i + 1, draw(st.integers(1, 3))) for i in range(g - 1))
    inner = InnerFabric(
        kind=kind,
        rate=draw(rates),
        latency=draw(latencies),
        links=links if kind is InnerKind.LINKS else (),
        multicast=able and draw(st.booleans()),
        reduce=able and draw(st.booleans()),
    )
    owners = draw(st.lists(st.integers(0, g - 1), min_size=1, max_size=8))
    return HostTemplate(
        accelerators=g, inner=inner, owners=tuple(owners), rate=draw(rates), latency=draw(latencies)
    )


@given(templates())
def test_what_is_printed_is_read_back(host: HostTemplate) -> None:
    assert read_hosts(str(host)) == (host, ())


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6))
def test_sizes_are_read_back(sizes: list[int]) -> None:
    text = f"Host({run_lengths(sizes)};switch@450GB/s;1@50GB/s)"
    assert read_hosts(text)[1] == tuple(sizes)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for whole in (text, f"Host({text})", f"Host(4;{text};1@50GB/s)", f"Host(4;none;{text})"):
        told = ""
        try:
            read_hosts(whole)
        except InvalidInput as error:
            told = str(error)
        assert "\n" not in told


@pytest.mark.parametrize("name", HOST_TEMPLATES)
def test_templates_are_hosts_with_sources(name: str) -> None:
    known = HOST_TEMPLATES[name]
    assert read_hosts(str(known.template))[0] == known.template
    assert known.inner_source
    assert known.port_source


def test_the_mi250_has_seven_links_an_accelerator() -> None:
    inner = HOST_TEMPLATES["HostMI250"].template.inner
    ends = [node for u, v, count in inner.links for node in (u, v) for _ in range(count)]
    assert {ends.count(node) for node in range(16)} == {7}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Host(8;switch@450GB/s)", "like Host(8;switch@450GB/s;1@50GB/s)"),
        ("Host(0;none;1@50GB/s)", "accelerators such as 8 or 4*16.8*8, not '0'"),
        ("Host(8;switch@450;1@50GB/s)", "inner rate: '450' has no unit"),
        ("Host(8;ring@450GB/s;1@50GB/s)", "inner: switch, mesh, links or none, not 'ring'"),
        ("Host(8;switch+x@450GB/s;1@50GB/s)", "inner: +m, +r or +mr, not '+x'"),
        ("Host(8;none;1@50GB/s)", "inner: nothing joins accelerator 1 to accelerator 0"),
        ("Host(3;links:0-1@5GB/s;1@50GB/s)", "nothing joins accelerator 2 to accelerator 0"),
        ("Host(3;links:0-3@5GB/s;1@50GB/s)", "links: 0-3*1 joins no two of 3 accelerators"),
        ("Host(2;mesh@5GB/s;0@50GB/s)", "ports: 1 to 4096 a host, not 0"),
        ("Host(2;mesh@5GB/s;ports:2@50GB/s)", "ports: owner 2 is not in 0..1"),
        ("Host(2;mesh@5GB/s;1)", "ports: a rate such as @50GB/s is needed in '1'"),
        ("Host(2;mesh+m@5GB/s;1@50GB/s)", "inner: only a switch multicasts or reduces"),
        ("Host(2.3;links:0-1@5GB/s;1@50GB/s)", "unlike sizes are for a switch or mesh"),
        ("Host(999999999*999999999;none;1@50GB/s)", "accelerators: 1 to 1024, not 999999999"),
        ("Host(1*999999999;none;1@50GB/s)", "host: at most"),
        ("HostX", "host: 'HostX' is neither of"),
    ],
)
def test_what_is_no_host_is_refused(text: str, told: str) -> None:
    with pytest.raises(InvalidInput) as error:
        read_hosts(text)
    assert told in str(error.value)
