"""The hosts that are sold, and where each figure is from.

All rates are those of one direction. Latencies are left out: makers do not publish them; `search`
takes them as options.
"""

from dataclasses import dataclass
from fractions import Fraction

from generators.fabrics.mi250 import LINKS as MI250_LINKS
from generators.hosts.template import HostTemplate, InnerFabric, InnerKind
from generators.open_register import Register

GB = Fraction(10**9)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownHost:
    """A host with a name: what it is, and the sources of its inner and outer figures."""

    name: str
    title: str
    template: HostTemplate
    inner_source: str
    port_source: str


HOST_TEMPLATES: Register[KnownHost] = Register("host template", ("generators.hosts.templates",))


def register_host_template(host: KnownHost) -> KnownHost:
    """Enter a template in the register; a name is taken once.

    >>> str(HOST_TEMPLATES["MI300X"].template)
    'Host(8;mesh@64GB/s;1@50GB/s)'
    """
    return HOST_TEMPLATES.enter(host.name, host)


def _host(accelerators: int, inner: InnerFabric, each: int, rate: Fraction | int) -> HostTemplate:
    owners = tuple(range(accelerators)) * each
    return HostTemplate(accelerators=accelerators, inner=inner, owners=owners, rate=rate * GB)


def _switch(rate: int, able: bool = False) -> InnerFabric:
    return InnerFabric(kind=InnerKind.SWITCH, rate=rate * GB, multicast=able, reduce=able)


FORESTCOLL = "Zhao et al., ForestColl, section 6"
SQUARE = ((0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1))

for known in (
    KnownHost(
        name="HostA100",
        title="DGX A100: eight A100, NVLink 3",
        template=_host(8, _switch(300), 1, 25),
        inner_source=FORESTCOLL,
        port_source=FORESTCOLL,
    ),
    KnownHost(
        name="HostH100",
        title="DGX H100: eight H100, NVLink 4 with NVLS",
        template=_host(8, _switch(450, able=True), 1, 50),
        inner_source=FORESTCOLL,
        port_source=FORESTCOLL,
    ),
    KnownHost(
        name="HostH200",
        title="DGX H200: eight H200, NVLink 4 with NVLS",
        template=_host(8, _switch(450, able=True), 1, 50),
        inner_source="NVIDIA, DGX H200 data sheet: 900 GB/s of NVLink a GPU, both ways together",
        port_source="NVIDIA, DGX H200 data sheet: one ConnectX-7 of 400 Gb/s a GPU",
    ),
    KnownHost(
        name="HostB200",
        title="DGX B200: eight B200, NVLink 5 with NVLS",
        template=_host(8, _switch(900, able=True), 1, 50),
        inner_source="NVIDIA, DGX B200 data sheet: 1.8 TB/s of NVLink a GPU, both ways together",
        port_source="NVIDIA, DGX B200 data sheet: one ConnectX-7 of 400 Gb/s a GPU",
    ),
    KnownHost(
        name="TrayGB200",
        title="GB200 NVL72 compute tray: four B200 in the NVLink domain",
        template=_host(4, _switch(900, able=True), 1, 50),
        inner_source="NVIDIA, GB200 NVL72 data sheet: 1.8 TB/s of NVLink a GPU, both ways together",
        port_source="NVIDIA, DGX GB200 user guide: four ConnectX-7 of 400 Gb/s a tray",
    ),
    KnownHost(
        name="HostMI250",
        title="MI250: sixteen dies, Infinity Fabric, no switch",
        template=_host(
            16, InnerFabric(kind=InnerKind.LINKS, rate=50 * GB, links=MI250_LINKS), 1, 16
        ),
        inner_source="Zhao et al., ForestColl, section 6.2.1 and figure 9",
        port_source="Zhao et al., ForestColl, section 6.2.1",
    ),
    KnownHost(
        name="MI300X",
        title="MI300X platform: eight MI300X, any two joined by Infinity Fabric",
        template=_host(8, InnerFabric(kind=InnerKind.MESH, rate=64 * GB), 1, 50),
        inner_source="AMD, MI300X platform data sheet: seven links of 128 GB/s, both ways together",
        port_source="AMD, MI300X reference design: one adapter of 400 Gb/s a GPU",
    ),
    KnownHost(
        name="TrayTPUv4",
        title="TPU v4 tray: four chips in a square, four links out of each",
        template=_host(4, InnerFabric(kind=InnerKind.LINKS, rate=50 * GB, links=SQUARE), 4, 50),
        inner_source="Jouppi et al., TPU v4, ISCA 2023, table 4: six links of 50 GB/s a chip",
        port_source="Jouppi et al., TPU v4, ISCA 2023, table 4: six links of 50 GB/s a chip",
    ),
    KnownHost(
        name="TrayTPUv5p",
        title="TPU v5p tray: four chips in a square, four links out of each",
        template=_host(4, InnerFabric(kind=InnerKind.LINKS, rate=100 * GB, links=SQUARE), 4, 100),
        inner_source="Google Cloud, TPU v5p: 1200 GB/s a chip, both ways together, over six links",
        port_source="Google Cloud, TPU v5p: 1200 GB/s a chip, both ways together, over six links",
    ),
    KnownHost(
        name="Workstation",
        title="a workstation of one accelerator and an adapter of two ports",
        template=_host(1, InnerFabric(kind=InnerKind.NONE), 2, Fraction(25, 2)),
        inner_source="one accelerator: nothing inside",
        port_source="NVIDIA, ConnectX-6 Dx data sheet: two ports of 100 Gb/s",
    ),
):
    register_host_template(known)
