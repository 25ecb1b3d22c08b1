"""What `lstopo host.xml` writes (hwloc 2), as a host.

Accelerators are PCI devices that hwloc knows a CUDA, NVML, RSMI or Level Zero device of, ports the
OpenFabrics devices, or network devices where there are none. A port is owned by the accelerator
that is nearest in the tree of PCI. If ports share a bridge with accelerators, others do not count:
they are for storage and management. What joins accelerators is told by the matrices
NVLinkBandwidth, XGMIBandwidth and XeLinkBandwidth, in MB/s; hwloc tells no rate of a port.

Source: hwloc 2, `hwloc2.dtd` and "Topology Attributes: Distances".
"""

from fractions import Fraction

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.hosts.bounded_xml import XmlReader, common_levels, whole_number
from generators.hosts.partial_host import PartialHost, even_links, nearest_owners
from generators.hosts.template import InnerFabric, InnerKind

MOST_DEVICES = 256
DRIVERS = ("CUDA", "NVML", "RSMI", "LevelZero")
NETWORK, OPENFABRICS = "2", "3"
MATRICES = ("NVLinkBandwidth", "XGMIBandwidth", "XeLinkBandwidth")
MEGABYTE = 10**6
_Place = tuple[int, ...]


def host_of_lstopo(content: bytes) -> PartialHost:
    """The host of a file's bytes.

    >>> gpu = b'<object type="OSDev" gp_index="2" name="cuda0" subtype="CUDA" osdev_type="5"/>'
    >>> net = b'<object type="OSDev" gp_index="4" name="mlx5_0" osdev_type="3"/>'
    >>> pci = b'<object type="PCIDev" gp_index="%d">%s</object>'
    >>> host_of_lstopo(b'<topology version="2.0"><object type="Machine">' + pci % (1, gpu)
    ...     + pci % (3, net) + b'</object></topology>').owners
    (0,)
    """
    reader = _LstopoReader()
    reader.read(content)
    gpus, ports = reader.accelerators, reader.ports()
    if not gpus:
        raise InvalidInput(f"no accelerator: no PCIDev with a device of {', '.join(DRIVERS)}")
    if not ports:
        raise InvalidInput("no port: no device of OpenFabrics or the network")
    if len(gpus) > MOST_DEVICES or len(ports) > MOST_DEVICES:
        raise InvalidInput(f"more than {MOST_DEVICES} accelerators or ports")
    inner = _inner(reader)
    return PartialHost(
        accelerators=len(gpus),
        owners=_owners(list(gpus.values()), ports, reader.bridges),
        inner=inner,
        inner_told=inner is not None,
        port_rate=None,
    )


class _LstopoReader(XmlReader):
    """Objects by their index; accelerators and switches by that of their PCI device."""

    refuses_doctype = False  # lstopo names its own, which is not fetched

    def __init__(self) -> None:
        super().__init__("topology")
        self.accelerators: dict[int, _Place] = {}
        self.switches: set[int] = set()
        self.bridges: set[int] = set()
        self.matrices: list[tuple[list[int], list[int]]] = []
        self._networks: dict[str, list[_Place]] = {NETWORK: [], OPENFABRICS: []}
        self._device_of: dict[int, int] = {}
        self._open: list[int] = []
        self._matrix: tuple[list[int], list[int]] | None = None

    def ports(self) -> list[_Place]:
        """Where the ports are: those of OpenFabrics, else of the network."""
        return self._networks[OPENFABRICS] or self._networks[NETWORK]

    def device(self, index: int) -> int:
        """The PCI device of an object."""
        return self._device_of.get(index, index)

    def on_start(self, tag: str, values: dict[str, str]) -> None:
        kind = values.get("type") if tag == "object" else None
        if kind == "PCIDev":
            device = whole_number("object", "gp_index", values)
            self._open.append(device)
            if values.get("subtype") == "NVSwitch":
                self.switches.add(device)
        else:
            self._open.append(self._open[-1] if self._open else -1)
        if kind == "Bridge" and values.get("bridge_type", "").startswith("1"):
            self.bridges.add(self.elements)
        if kind == "OSDev":
            self._see_device(values)
        if tag in ("distances2", "distances2hetero"):
            self._matrix = ([], []) if values.get("name") in MATRICES else None

    def _see_device(self, values: dict[str, str]) -> None:
        device = self._open[-1]
        if "gp_index" in values:
            self._device_of[whole_number("object", "gp_index", values)] = device
        if device < 0:
            return
        if values.get("subtype") in DRIVERS:
            self.accelerators.setdefault(device, tuple(self.path[:-1]))
        if values.get("osdev_type") in self._networks:
            self._networks[values["osdev_type"]].append(tuple(self.path[:-1]))

    def on_end(self, tag: str) -> None:
        self._open.pop()
        if self._matrix is None:
            return
        if tag in ("indexes", "u64values"):
            numbers = [_number(word.rpartition(":")[2]) for word in self.text.split()]
            self._matrix[tag == "u64values"].extend(numbers)
        elif tag.startswith("distances2"):
            self.matrices.append(self._matrix)
            self._matrix = None


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise InvalidInput(f"distances2: a whole number is needed, not {excerpt(text)}")
    return int(text)


def _owners(gpus: list[_Place], ports: list[_Place], bridges: set[int]) -> tuple[int, ...]:
    """Owners of the ports that share a bridge with an accelerator, or of all if none does."""
    near = [[common_levels(port, gpu) for gpu in gpus] for port in ports]
    beside = [
        levels
        for port, levels in zip(ports, near, strict=True)
        if not bridges.isdisjoint(port[: max(levels)])
    ]
    return nearest_owners(beside or near)


def _inner(reader: _LstopoReader) -> InnerFabric | None:
    """What the matrices tell: a switch that all have alike, or links; None if they are silent."""
    number = {device: i for i, device in enumerate(reader.accelerators)}
    pairs: dict[tuple[int, int], int] = {}
    switched = [0] * len(number)
    for indexes, values in reader.matrices:
        if len(values) != len(indexes) ** 2:
            raise InvalidInput(f"distances2: {len(indexes)} objects, but {len(values)} values")
        devices = [reader.device(index) for index in indexes]
        for place, value in enumerate(values):
            u, v = (devices[i] for i in divmod(place, len(devices)))
            if u == v or u not in number or not value:
                continue
            if v in reader.switches:
                switched[number[u]] += value
            elif v in number:
                pairs[number[u], number[v]] = value
    if any(switched):
        if len(set(switched)) > 1:
            raise InvalidInput("NVLinkBandwidth: accelerators differ in what they send to switches")
        return InnerFabric(kind=InnerKind.SWITCH, rate=Fraction(switched[0] * MEGABYTE))
    return _links(pairs) if pairs else None


def _links(pairs: dict[tuple[int, int], int]) -> InnerFabric:
    for (u, v), value in pairs.items():
        if pairs.get((v, u)) != value:
            raise InvalidInput(f"distances2: {u} to {v} and back have unlike bandwidths")
    rate, links = even_links({p: Fraction(value) for p, value in pairs.items() if p[0] < p[1]})
    return InnerFabric(kind=InnerKind.LINKS, rate=rate * MEGABYTE, links=links)
