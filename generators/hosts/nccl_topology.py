"""The topology that NCCL dumps (NCCL_TOPO_DUMP_FILE), as a host.

Such an XML file has a tree of processors, PCI bridges and devices. A `gpu` says its compute
capability (`sm`) and, as `nvlink`, how many links lead to which device; a `net` its speed in Mb/s.
The rate of a link follows from the capability; a port is owned by the accelerator that is nearest
in the tree of PCI, the one with the fewest ports among equals. NVSwitches of capability 9.0 and
above multicast and combine (NVLS).
"""

from dataclasses import dataclass, field
from fractions import Fraction

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.hosts.bounded_xml import XmlReader, common_levels, whole_number
from generators.hosts.partial_host import nearest_owners
from generators.hosts.template import HostTemplate, InnerFabric, InnerKind

GIGABYTE, MEGABIT = 10**9, Fraction(10**6, 8)
LINK_RATES = {60: 20, 70: 25, 72: 25, 80: 25, 90: 25, 100: 50, 103: 50}
"""GB/s of an NVLink in one direction, by compute capability: NVLink 1, 2 and 3, 4, 5."""
NVLS = 90
SWITCH_CLASS = "0x068000"


@dataclass(slots=True)
class _Gpu:
    dev: int
    sm: int
    bus: str
    path: tuple[int, ...]
    links: list[tuple[str, int, str]] = field(default_factory=list)
    """Bus, count and class of what NVLinks lead to."""


def host_of_dump(content: bytes) -> HostTemplate:
    """The host of a dump's bytes.

    >>> gpu = b'<gpu dev="0" sm="90"/><nic><net speed="400000"/></nic>'
    >>> str(host_of_dump(b'<system><cpu><pci busid="0">' + gpu + b'</pci></cpu></system>'))
    'Host(1;none;1@50GB/s)'
    """
    reader = _DumpReader()
    reader.read(content)
    gpus = sorted(reader.gpus, key=lambda gpu: gpu.dev)
    if not gpus:
        raise InvalidInput("no gpu in the system")
    if not reader.nets:
        raise InvalidInput("no net in the system")
    speeds = {speed for speed, _ in reader.nets}
    if len(speeds) > 1:
        raise InvalidInput(f"net: speeds of {min(speeds)} to {max(speeds)} Mb/s; one is needed")
    return HostTemplate(
        accelerators=len(gpus),
        inner=_inner(gpus),
        owners=nearest_owners(
            [[common_levels(path, gpu.path) for gpu in gpus] for _, path in reader.nets]
        ),
        rate=speeds.pop() * MEGABIT,
    )


class _DumpReader(XmlReader):
    def __init__(self) -> None:
        super().__init__("system")
        self.gpus: list[_Gpu] = []
        self.nets: list[tuple[int, tuple[int, ...]]] = []
        self._buses: list[str] = [""]

    def on_start(self, tag: str, values: dict[str, str]) -> None:
        bus = values.get("busid", "").lower() if tag == "pci" else self._buses[-1]
        path = tuple(self.path)
        if tag == "gpu":
            dev, sm = whole_number(tag, "dev", values), whole_number(tag, "sm", values)
            self.gpus.append(_Gpu(dev, sm, bus, path))
        elif tag == "nvlink":
            if not self.gpus or self.gpus[-1].path != path[:-1]:
                raise InvalidInput("nvlink: not inside of a gpu")
            target, kind = values.get("target", "").lower(), values.get("tclass", "").lower()
            self.gpus[-1].links.append((target, whole_number(tag, "count", values), kind))
        elif tag == "net":
            self.nets.append((whole_number(tag, "speed", values), path))
        self._buses.append(bus)

    def on_end(self, tag: str) -> None:
        self._buses.pop()


def _inner(gpus: list[_Gpu]) -> InnerFabric:
    if len(gpus) == 1:
        return InnerFabric(kind=InnerKind.NONE)
    capabilities = {gpu.sm for gpu in gpus}
    sm = min(capabilities)
    if len(capabilities) > 1 or sm not in LINK_RATES:
        known = ", ".join(map(str, LINK_RATES))
        raise InvalidInput(f"gpu: sm: one of {known} for all, not {sorted(capabilities)}")
    rate = Fraction(LINK_RATES[sm] * GIGABYTE)
    switched = {sum(count for _, count, kind in gpu.links if kind == SWITCH_CLASS) for gpu in gpus}
    if len(switched) > 1:
        raise InvalidInput("nvlink: gpus have unlike numbers of links to switches")
    if links := switched.pop():
        able = sm >= NVLS
        return InnerFabric(kind=InnerKind.SWITCH, rate=rate * links, multicast=able, reduce=able)
    return InnerFabric(kind=InnerKind.LINKS, rate=rate, links=_pairs(gpus))


def _pairs(gpus: list[_Gpu]) -> tuple[tuple[int, int, int], ...]:
    """The links between accelerators, which both ends must tell alike."""
    number = {gpu.bus: i for i, gpu in enumerate(gpus)}
    if len(number) < len(gpus):
        raise InvalidInput("gpu: two have the same busid")
    found: dict[tuple[int, int], int] = {}
    for u, gpu in enumerate(gpus):
        for target, count, _ in gpu.links:
            if target not in number:
                raise InvalidInput(f"nvlink: target {excerpt(target)} is no gpu")
            pair = u, number[target]
            found[pair] = found.get(pair, 0) + count
    for (u, v), count in found.items():
        if found.get((v, u)) != count:
            raise InvalidInput(
                f"nvlink: gpus {gpus[u].dev} and {gpus[v].dev} differ in their links"
            )
    if not found:
        raise InvalidInput("gpu: no nvlink, and nothing else tells what joins them")
    return tuple((u, v, count) for (u, v), count in sorted(found.items()) if u < v)
