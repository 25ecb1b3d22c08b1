"""Hosts from lstopo's XML: examples written to the format, and hostile ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.hosts.host_files import read_host_file
from generators.hosts.lstopo import host_of_lstopo

HEAD = '<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0">'


def device(index: int, inside: str, more: str = "") -> str:
    return f'<object type="PCIDev" gp_index="{index}" {more}>{inside}</object>'


def accelerator(i: int) -> str:
    inside = f'<object type="OSDev" gp_index="{200 + i}" name="nvml{i}" subtype="NVML"/>'
    return device(100 + i, inside + '<object type="OSDev" name="cuda0" subtype="CUDA"/>')


def port(index: int) -> str:
    inside = f'<object type="OSDev" gp_index="{index}5" name="mlx5_0" osdev_type="3"/>'
    return device(index, inside + '<object type="OSDev" name="ib0" osdev_type="2"/>')


def machine(gpus: int, matrix: str, *, shared: bool = True, storage: bool = True) -> bytes:
    """Accelerators with a port below a bridge each, and a port of storage beside them."""
    bridges = "".join(
        f'<object type="Bridge" gp_index="{50 + i}" bridge_type="1-1">{accelerator(i)}'
        f"{port(300 + i) if shared else ''}</object>"
        for i in range(gpus)
    )
    outside = port(400) if storage else ""
    root = f'<object type="Bridge" gp_index="9" bridge_type="0-1">{bridges}{outside}</object>'
    whole = f'<object type="Machine" gp_index="1"><object type="Package">{root}</object></object>'
    return f"{HEAD}{whole}{matrix}</topology>".encode()


def switches(gpus: int, rate: int) -> tuple[str, str]:
    """Two switches, as devices, and the matrix of what all send them."""
    listed = "".join(device(500 + i, "", 'subtype="NVSwitch"') for i in range(2))
    names = [f"OSDev:{200 + i}" for i in range(gpus)] + ["PCIDev:500", "PCIDev:501"]
    rows = [
        [1000000 if u == v else rate // 2 * ((u < gpus) != (v < gpus)) for v in range(gpus + 2)]
        for u in range(gpus + 2)
    ]
    values = " ".join(str(value) for row in rows for value in row)
    return listed, (
        f'<distances2hetero nbobjs="{gpus + 2}" kind="9" name="NVLinkBandwidth">'
        f'<indexes length="9">{" ".join(names)} </indexes>'
        f'<u64values length="9">{values} </u64values></distances2hetero>'
    )


def links(rows: list[list[int]], name: str = "XGMIBandwidth") -> str:
    values = " ".join(str(value) for row in rows for value in row)
    names = " ".join(str(200 + i) for i in range(len(rows)))
    return (
        f'<distances2 type="OSDev" nbobjs="3" kind="9" name="{name}" indexing="gp">'
        f"<indexes>{names}</indexes><u64values>{values}</u64values></distances2>"
    )


THREE = [[0, 50000, 100000], [50000, 0, 0], [100000, 0, 0]]


def test_a_box_with_switches(tmp_path: Path) -> None:
    path = tmp_path / "host.xml"
    listed, matrix = switches(8, 450000)
    path.write_bytes(machine(8, matrix).replace(b"</object></object><dist", f"</object>{listed}"
                     "</object><dist".encode()))  # fmt: skip
    assert str(read_host_file(path, port="50GB/s")) == "Host(8;switch@450GB/s;1@50GB/s)"
    with pytest.raises(InvalidInput, match=r"--bandwidth: the file tells no rate of a port"):
        read_host_file(path)
    with pytest.raises(InvalidInput, match=r"--inner: the file tells the rate inside"):
        read_host_file(path, "450GB/s", "50GB/s")


def test_links_between_accelerators() -> None:
    found = host_of_lstopo(machine(3, links(THREE))).complete(None, "50GB/s")
    assert str(found) == "Host(3;links:0-1.0-2*2@50GB/s;1@50GB/s)"


def test_what_is_not_told_is_asked_for() -> None:
    plain = host_of_lstopo(machine(2, ""))
    with pytest.raises(InvalidInput, match=r"--inner: the file does not tell what joins"):
        plain.complete("25GB/s", "50GB/s")
    assert str(plain.complete("switch@25GB/s", "50GB/s")) == "Host(2;switch@25GB/s;1@50GB/s)"


def test_ports_that_share_no_bridge_are_shared_out() -> None:
    assert host_of_lstopo(machine(4, "", shared=False)).owners == (0,)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"<topology/>", "no accelerator"),
        (machine(2, "", shared=False, storage=False), "no port"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><topology/>', "a document type is not read"),
        (b"<topology>" + b"<object>" * 99, "64 levels"),
        (machine(3, links([[0, 1], [1, 0], [0, 0]])), "3 objects, but 6 values"),
        (machine(3, links([[0, 5, 0], [4, 0, 5], [0, 5, 0]])), "unlike bandwidths"),
        (machine(3, links([[0, 1, 9999], [1, 0, 0], [9999, 0, 0]])), "differ more than 64 times"),
        (machine(3, links(THREE)).replace(b"100000", b"1e5"), "a whole number is needed"),
        (b'<topology><object type="PCIDev"/></topology>', "object: gp_index: a whole number"),
    ],
)
def test_what_is_no_host_is_refused(content: bytes, told: str) -> None:
    with pytest.raises(InvalidInput) as error:
        host_of_lstopo(content)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: f"<topology>{text}".encode()))
def test_any_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(InvalidInput):
        host_of_lstopo(content)
