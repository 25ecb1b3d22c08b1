"""Dumps of NCCL's topology: examples written to the format, and hostile ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.hosts.host_files import read_host_file
from generators.hosts.nccl_topology import host_of_dump
from generators.hosts.templates import HOST_TEMPLATES


def dump(gpus: int, links: str, *, sm: int = 90, speed: int = 400000) -> bytes:
    """Pairs of accelerators and adapters below a bridge each, two bridges a processor."""
    bridges = [
        f'<pci busid="0000:{i:02x}:00.0" class="0x060400">'
        f'<pci busid="0000:{i:02x}:01.0" class="0x030200"><gpu dev="{i}" sm="{sm}">'
        f"{links.replace('OTHER', f'0000:{i ^ 1:02x}:01.0')}</gpu></pci>"
        f'<pci busid="0000:{i:02x}:02.0" class="0x020000"><nic>'
        f'<net name="mlx5_{i}" dev="{i}" speed="{speed}" port="1"/></nic></pci></pci>'
        for i in range(gpus)
    ]
    return f'<system version="1"><cpu numaid="0">{"".join(bridges)}</cpu></system>'.encode()


SWITCHED = '<nvlink target="ffffff" count="9" tclass="0x068000"/>' * 2


@pytest.mark.parametrize(("sm", "speed", "name"), [(90, 400000, "HostH100"), (80, 200000, "")])
def test_boxes_with_switches(sm: int, speed: int, name: str) -> None:
    host = host_of_dump(dump(8, SWITCHED, sm=sm, speed=speed))
    if name:
        assert host == HOST_TEMPLATES[name].template
    else:
        assert str(host) == "Host(8;switch@450GB/s;1@25GB/s)"


def test_links_between_accelerators(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(dump(2, '<nvlink target="OTHER" count="4" tclass="0x030200"/>', sm=80))
    assert str(read_host_file(path)) == "Host(2;links:0-1*4@25GB/s;1@50GB/s)"


def test_adapters_of_a_processor_are_shared_out() -> None:
    gpus = "".join(
        f'<pci busid="{i}"><gpu dev="{i}" sm="90">{SWITCHED}</gpu></pci>' for i in range(4)
    )
    nets = '<nic><net speed="100000"/><net speed="100000"/></nic>'
    host = host_of_dump(f"<system><cpu>{gpus}{nets}</cpu></system>".encode())
    assert host.owners == (0, 1)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "line 1: no element found"),
        (b"<system>", "line 1: no element found"),
        (b"<graph/>", "the root element is 'graph', not 'system'"),
        (b"<system/>", "no gpu in the system"),
        (b'<system><gpu dev="0" sm="90"/></system>', "no net in the system"),
        (b'<system><gpu dev="-1" sm="90"/></system>', "gpu: dev: a whole number is needed"),
        (b'<system><nvlink count="1"/></system>', "nvlink: not inside of a gpu"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><system/>', "a document type is not read"),
        (b"<system>" + b"<pci>" * 99, "64 levels"),
        (b"<system>" + b"<a/>" * 70000 + b"</system>", "more than 65536 elements"),
        (dump(2, SWITCHED, sm=61), "gpu: sm: one of 60, 70"),
        (dump(2, ""), "no nvlink, and nothing else tells what joins them"),
        (dump(2, '<nvlink target="9" count="1"/>'), "nvlink: target '9' is no gpu"),
        (dump(2, SWITCHED, speed=0), "port rate: an exact number above 0 is needed"),
        (
            dump(2, SWITCHED).replace(b'speed="400000"', b'speed="1"', 1),
            "net: speeds of 1 to 400000 Mb/s; one is needed",
        ),
        (dump(2, SWITCHED).replace(b'count="9"', b'count="8"', 1), "unlike numbers of links"),
        (
            dump(3, '<nvlink target="0000:00:01.0" count="1"/>'),
            "differ in their links",
        ),
    ],
)
def test_what_is_no_host_is_refused(content: bytes, told: str) -> None:
    with pytest.raises(InvalidInput) as error:
        host_of_dump(content)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: f"<system>{text}".encode()))
def test_any_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(InvalidInput):
        host_of_dump(content)
