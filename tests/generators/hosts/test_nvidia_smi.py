"""Hosts from what `nvidia-smi topo -m` prints: examples written to it, and hostile ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.hosts.host_files import read_host_file
from generators.hosts.nvidia_smi import host_of_matrix


def matrix(gpus: int, nvlinks: str, *, storage: int = 1, beside: str = "PIX") -> str:
    """As many adapters as accelerators, each beside one, and some for storage."""
    names = [f"GPU{i}" for i in range(gpus)] + [f"NIC{i}" for i in range(gpus + storage)]
    lines = ["\x1b[4m\t" + "\t".join(names) + "\tCPU Affinity\tNUMA Affinity\x1b[0m"]
    for u, name in enumerate(names):
        cells = []
        for v in range(len(names)):
            both = u < gpus and v < gpus
            near = beside if abs(u - v) == gpus and min(u, v) < gpus else "SYS"
            cells.append(" X " if u == v else nvlinks if both else near)
        lines.append("\t".join([name, *cells, "0-31", "0"] if u < gpus else [name, *cells]))
    lines += ["", "Legend:", "", "  X    = Self", "  NV#  = a bonded set of # NVLinks", ""]
    return "\n".join([*lines, "NIC Legend:", "", "  NIC0: mlx5_0"])


def test_a_box_with_switches(tmp_path: Path) -> None:
    path = tmp_path / "topo.txt"
    path.write_text(matrix(8, "NV18", storage=2), encoding="utf-8")
    found = read_host_file(path, "450GB/s", "400Gbps")
    assert str(found) == "Host(8;switch@450GB/s;1@50GB/s)"


@pytest.mark.parametrize(
    ("text", "host"),
    [
        (matrix(4, "NV4"), "Host(4;links:0-1*4.0-2*4.0-3*4.1-2*4.1-3*4.2-3*4@25GB/s;1@50GB/s)"),
        (matrix(2, "NV4", beside="PXB"), "Host(2;links:0-1*4@25GB/s;1@50GB/s)"),
        (matrix(2, "NV4", beside="NODE"), "Host(2;links:0-1*4@25GB/s;ports:0.0.1@50GB/s)"),
    ],
)
def test_links_between_accelerators(text: str, host: str) -> None:
    assert str(host_of_matrix(text).complete("25GB/s", "50GB/s")) == host


def test_what_joins_accelerators_may_be_said() -> None:
    plain = host_of_matrix(matrix(2, "PHB"))
    assert str(plain.complete("mesh@25GB/s", "5GB/s")) == "Host(2;mesh@25GB/s;1@5GB/s)"
    with pytest.raises(InvalidInput, match=r"--inner: the file does not tell what joins"):
        plain.complete("25GB/s", "5GB/s")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no line that begins with GPU0"),
        ("GPU0 NIC0 GPU0\nGPU0 X PIX X", "does not begin with different devices"),
        ("GPU0 GPU1\nGPU0 X NV1\nGPU1 NV1 X", "no NIC in the matrix"),
        ("GPU0 NIC0\nGPU0 X", "GPU0: 1 cells, where the head has 2"),
        ("GPU0 NIC0\nGPU0 X PIX", "NIC0: no line of it"),
        ("GPU0 NIC0\nGPU0 X NV9\nNIC0 NV9 X", "NIC0, GPU0: one of SYS, NODE"),
        (matrix(2, "NV0"), "NV# or one of SYS"),
        (matrix(2, "NV4").replace("NV4", "NV5", 1), "5 NVLinks there, 4 back"),
        (" ".join(f"GPU{i}" for i in range(300)), "more than 256 devices"),
    ],
)
def test_what_is_no_host_is_refused(text: str, told: str) -> None:
    with pytest.raises(InvalidInput) as error:
        host_of_matrix(text)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_text_is_refused(text: str, cell: str) -> None:
    with pytest.raises(InvalidInput):
        host_of_matrix(f"GPU0 NIC0\n{text}\nGPU0 {cell} NV4")
