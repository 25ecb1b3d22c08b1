"""What `nvidia-smi topo -m` prints, as a host.

The matrix tells how each pair of devices is joined: NV# by so many NVLinks, else over bridges
(PIX, PXB), a processor's host bridge (PHB), several of them (NODE), or several processors (SYS). No
accelerator has more than 18 NVLinks: where pairs that all have as many would need more, they are
those of a switch. A port is owned by the nearest accelerator. If ports share a bridge with
accelerators, others do not count: they are for storage and management. Rates are not told.

Source: the legend that the command prints below its matrix.
"""

import re
from os import PathLike
from pathlib import Path

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import read_bounded, text_of
from generators.hosts.partial_host import PartialHost, nearest_owners
from generators.hosts.template import InnerFabric, InnerKind

MOST_BYTES, MOST_DEVICES = 1 << 20, 256
MOST_NVLINKS = 18
NEARNESS = {"SYS": 0, "NODE": 1, "PHB": 2, "PXB": 3, "PIX": 4}
SHARED_BRIDGE = NEARNESS["PXB"]
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_GPU = re.compile(r"GPU\d{1,4}", re.ASCII)
_PORT = re.compile(r"(?:NIC\d{1,4}|mlx\d_\w{1,20})", re.ASCII)
_NVLINKS = re.compile(r"NV([1-9]\d{0,2})", re.ASCII)
Matrix = dict[tuple[str, str], str]


def read_nvidia_smi(path: str | PathLike[str]) -> PartialHost:
    """The host of a printed matrix. Raises InvalidInput naming the file, and what is wrong."""
    content = read_bounded(Path(path), MOST_BYTES)
    try:
        return host_of_matrix(text_of(content))
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def host_of_matrix(text: str) -> PartialHost:
    """The host of a matrix.

    >>> found = host_of_matrix("GPU0 GPU1 NIC0\\nGPU0 X NV4 PIX\\nGPU1 NV4 X SYS\\nNIC0 PIX SYS X")
    >>> str(found.complete("25GB/s", "50GB/s"))
    'Host(2;links:0-1*4@25GB/s;ports:0@50GB/s)'
    """
    names, matrix = _read_matrix(_COLOURS.sub("", text))
    gpus = [name for name in names if _GPU.fullmatch(name)]
    ports = [name for name in names if _PORT.fullmatch(name)]
    if not gpus:
        raise InvalidInput("no GPU in the matrix")
    if not ports:
        raise InvalidInput("no NIC in the matrix")
    near = [[_nearness(matrix, port, gpu) for gpu in gpus] for port in ports]
    beside = [levels for levels in near if max(levels) >= SHARED_BRIDGE]
    return PartialHost(
        accelerators=len(gpus),
        owners=nearest_owners(beside or near),
        inner=_inner(matrix, gpus),
        inner_told=False,
        port_rate=None,
    )


def _read_matrix(text: str) -> tuple[list[str], Matrix]:
    """The devices of the head, and what stands in each cell."""
    lines = [line.split() for line in text.splitlines()]
    head = next((line for line in lines if line and line[0] == "GPU0"), None)
    if head is None:
        raise InvalidInput("no line that begins with GPU0, as the head of the matrix does")
    names = [word for word in head if _GPU.fullmatch(word) or _PORT.fullmatch(word)]
    if head[: len(names)] != names or len(set(names)) < len(names):
        raise InvalidInput("the head of the matrix does not begin with different devices")
    if len(names) > MOST_DEVICES:
        raise InvalidInput(f"more than {MOST_DEVICES} devices")
    matrix: Matrix = {}
    for line in lines[lines.index(head) + 1 :]:
        if not line or line[0] not in names:
            continue
        if len(line) <= len(names):
            raise InvalidInput(f"{line[0]}: {len(line) - 1} cells, where the head has {len(names)}")
        for name, cell in zip(names, line[1:], strict=False):
            matrix[line[0], name] = cell
    for name in names:
        if matrix.get((name, name)) != "X":
            raise InvalidInput(f"{name}: no line of it, or no X where it meets itself")
    return names, matrix


def _nearness(matrix: Matrix, port: str, gpu: str) -> int:
    cell = matrix[port, gpu]
    if cell not in NEARNESS:
        raise InvalidInput(f"{port}, {gpu}: one of {', '.join(NEARNESS)}, not {excerpt(cell)}")
    return NEARNESS[cell]


def _inner(matrix: Matrix, gpus: list[str]) -> InnerFabric | None:
    """A switch, or links; None if there is no NVLink."""
    links: dict[tuple[int, int], int] = {}
    for u, one in enumerate(gpus):
        for v, other in enumerate(gpus[:u]):
            counts = [_nvlinks(matrix[pair]) for pair in ((one, other), (other, one))]
            if counts[0] != counts[1]:
                raise InvalidInput(f"{other}, {one}: {counts[1]} NVLinks there, {counts[0]} back")
            if counts[0]:
                links[v, u] = counts[0]
    if not links:
        return None
    counts = list(links.values())
    alike = len(set(counts)) == 1 and len(counts) == len(gpus) * (len(gpus) - 1) // 2
    if alike and counts[0] * (len(gpus) - 1) > MOST_NVLINKS:
        return InnerFabric(kind=InnerKind.SWITCH)
    return InnerFabric(
        kind=InnerKind.LINKS, links=tuple((u, v, links[u, v]) for u, v in sorted(links))
    )


def _nvlinks(cell: str) -> int:
    found = _NVLINKS.fullmatch(cell)
    if found is None and cell not in NEARNESS:
        raise InvalidInput(f"NV# or one of {', '.join(NEARNESS)} between GPUs, not {excerpt(cell)}")
    return int(found[1]) if found else 0
