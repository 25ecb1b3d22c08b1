"""Switched fabrics: their link tables, their names, and that every link is two-way."""

from collections import Counter
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.fabrics.dgx import dgx_a100, dgx_h100
from generators.fabrics.dragonfly_plus import dragonfly_plus
from generators.fabrics.fat_tree import three_level, two_level
from generators.fabrics.mi250 import LINKS, mi250
from generators.fabrics.names import fabric_of, is_fabric
from generators.fabrics.nvl72 import nvl72
from generators.fabrics.pcie import dgx_a100_pcie, mi250_pcie
from generators.fabrics.rail_only import rail_only
from generators.fabrics.rail_tree import rail_tree
from generators.fabrics.register import FABRICS
from generators.families.register_all import FAMILIES
from generators.formats.graphs import to_networkx
from generators.topology import Topology

CASES = [
    pytest.param(fabric.build, arguments, id=f"{name}{arguments}")
    for name, fabric in FABRICS.items()
    for arguments in fabric.samples
]


def table(topology: Topology) -> Counter[tuple[str, str, Fraction]]:
    """Every arc by the names of its ends."""
    names, capacity = topology.names or (), topology.capacity or ()
    ends = zip(topology.tail.tolist(), topology.head.tolist(), capacity, strict=True)
    return Counter((names[u], names[v], c) for u, v, c in ends)


def both(u: str, v: str, capacity: Fraction | int) -> list[tuple[str, str, Fraction]]:
    return [(u, v, Fraction(capacity)), (v, u, Fraction(capacity))]


@pytest.mark.parametrize(("build", "arguments"), CASES)
def test_fabrics_are_connected_two_way_and_balanced(build, arguments) -> None:  # type: ignore[no-untyped-def]
    topology = build(*arguments)
    assert nx.is_strongly_connected(to_networkx(topology))
    arcs = table(topology)
    assert all(arcs[u, v, c] == arcs[v, u, c] for u, v, c in arcs)
    hosts = topology.n - len(topology.switches)
    assert topology.switches == tuple(range(hosts, topology.n))
    assert len(set(topology.names or ())) == topology.n


def test_a100_is_the_published_table() -> None:
    expected: list[tuple[str, str, Fraction]] = []
    for box in range(2):
        for b in range(8):
            expected += both(f"gpu{box}.{b}", f"nvswitch{box}", 300)
            expected += both(f"gpu{box}.{b}", f"nic{box}.{b}", 25)
            expected += both(f"nic{box}.{b}", f"ib{b % 2}", 25)
    assert table(dgx_a100(2)) == Counter(expected)
    assert dgx_a100(2).unit_rate == 10**9
    assert not dgx_a100(2).multicast


def test_h100_switches_multicast_and_combine() -> None:
    boxes = dgx_h100(2)
    able = [boxes.names[node] for node in boxes.multicast]  # type: ignore[index]
    assert able == ["nvswitch0", "nvswitch1"]
    assert boxes.multicast == boxes.reduce
    sent = Counter((u, v) for u, v, _ in table(boxes))
    assert sent["nic1.7", "ib0"] == 1


def test_mi250_has_seven_links_a_gpu_and_the_network() -> None:
    degree = Counter(node for u, v, m in LINKS for node in [u] * m + [v] * m)
    assert degree == dict.fromkeys(range(16), 7)
    found = table(mi250(2))
    assert found["gpu1.0", "gpu1.1", Fraction(50)] == 4
    assert sum(count for (u, v, _), count in found.items() if v == "ib0") == 32
    assert found["ib0", "gpu0.3", Fraction(16)] == 1
    assert mi250(1).switches == ()


def test_rails_and_fat_trees() -> None:
    rails = table(rail_only(3, 2))
    assert rails["gpu2.1", "rail1", Fraction(50)] == 1
    assert rails["gpu2.1", "rail0", Fraction(50)] == 0
    assert rails["nvswitch2", "gpu2.1", Fraction(450)] == 1
    assert table(two_level(4, 8, 4))["leaf3", "spine0", Fraction(2)] == 1
    tree = three_level(6)
    assert tree.n - len(tree.switches) == 54
    switches = np.array(tree.switches)
    assert set(tree.out_degrees[switches].tolist()) == {6}


def test_two_gpus_share_two_adapters_behind_a_pcie_switch() -> None:
    found = table(dgx_a100_pcie(2))
    assert found["gpu1.5", "pcie1.2", Fraction(32)] == found["gpu1.4", "pcie1.2", Fraction(32)] == 1
    assert [found["pcie1.2", f"nic1.{i}", Fraction(32)] for i in range(3, 7)] == [0, 1, 1, 0]
    assert found["nic1.5", "ib1", Fraction(25)] == 1
    outward = sum(count * c for (u, _, c), count in table(mi250_pcie(2)).items() if u == "ib0")
    assert outward == 2 * 256


def test_dragonflies_of_leaves_and_spines_join_groups_equally() -> None:
    for hosts, leaves, spines, groups, outward in (
        (2, 2, 2, 5, 2),
        (1, 2, 3, 4, 2),
        (1, 4, 4, 3, 4),
    ):
        found = dragonfly_plus(hosts, leaves, spines, groups, outward)
        between: Counter[tuple[str, str]] = Counter()
        ports: Counter[str] = Counter()
        for (u, v, _), count in table(found).items():
            one, other = (end[5:].split(".")[0] for end in (u, v))
            if u[:5] == v[:5] == "spine":
                between[one, other] += count
                ports[u] += count
        assert set(between.values()) == {spines * outward // (groups - 1)}
        assert len(between) == groups * (groups - 1)
        assert set(ports.values()) == {outward}


def test_an_oversubscribed_leaf_has_a_part_of_its_hosts_bandwidth_upwards() -> None:
    found = table(rail_tree(2, 6, 2, 4, 3))
    assert sum(c * n for (u, v, c), n in found.items() if u == "leaf1.0" and v[0] == "s") == 100
    assert found["gpu1.5.1", "leaf1.1", Fraction(50)] == 1
    assert table(nvl72(2))["gpu1.7", "rail3", Fraction(50)] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DGXA100(0)", "DGXA100(0): at least one box is needed"),
        ("DGXA100", "DGXA100 does not fit DGXA100(boxes)"),
        ("DGXA100(2,3)", "DGXA100(2,3) does not fit DGXA100(boxes)"),
        ("MI250(-1)", "MI250(-1) does not fit MI250(boxes)"),
        ("MI250(99999999999)", "MI250(99999999999): an integer is at most 1000000000"),
        ("MI250(999999999)", "MI250(999999999) has 15999999985 nodes; at most 1048576 can be"),
        ("FatTree(3)", "FatTree(3): k must be even and at least 2"),
        ("FatTree(2,2,0)", "FatTree(2,2,0): every number must be at least 1"),
        ("RailOnly(1)", "RailOnly(1,8): at least two boxes are needed"),
        ("DGX1(2)", "DGX1(2) does not fit DGX1"),
        ("NVL72(0)", "NVL72(0): at least one rack is needed"),
        ("MI250PCIe(0)", "MI250PCIe(0): at least one box is needed"),
        ("RailTree(2,0,4,2)", "RailTree(2,0,4,2,1): every number must be at least 1"),
        ("RailTree(1,1,4,2)", "RailTree(1,1,4,2,1): at least two boxes are needed"),
        ("DragonflyPlus(1,0,2,3)", "DragonflyPlus(1,0,2,3): every number must be at least 1"),
        (
            "DragonflyPlus(2,2,2,4)",
            "DragonflyPlus(2,2,2,4): 4 global links of a group are not shared equally by 3 others",
        ),
        ("TPUv4(4,4,6)", "TPUv4(4,4,6): every width is 1, 2 or a multiple of 4"),
        ("TPUv4(2,4,8)", "TPUv4(2,4,8): slices beyond 4 chips a side are whole blocks"),
        ("TPUv5p(1,1,1)", "TPUv5p(1,1,1): at least two chips are needed"),
        (
            "TPUv4Twisted(4,4,4)",
            "TPUv4Twisted(4,4,4): the widths are k, k, 2k or k, 2k, 2k, k a multiple of 4",
        ),
        ("RFS", "RFS does not fit RFS(ring,full,boxes)"),
        ("RFS(2,4)", "RFS(2,4) does not fit RFS(ring,full,boxes)"),
        ("RFS(2,0,4)", "RFS(2,0,4): every number must be at least 1"),
        ("RFS(1,1,1)", "RFS(1,1,1): at least two hosts are needed"),
        ("RFS(9,99999999,9)", "RFS(9,99999999,9) has 8999999910 nodes; at most 1048576 can be"),
        ("RFS(1,100000,1)", "RFS(1,100000,1) has 20000800000 arcs; at most 16777216 can be"),
        ("Switch2D(8,1)", "Switch2D(8,1): every number must be at least 2"),
        ("Dragonfly(0,5)", "Dragonfly(0,5): at least one host a group is needed"),
        ("Dragonfly(4,1)", "Dragonfly(4,1): at least two groups are needed"),
        ("Dragonfly(1,100000)", "Dragonfly(1,100000) has 9999900000 arcs; at most 16777216 can"),
        (
            "Tree(2)",
            "'Tree(2)' is no fabric; known are DGX1, DGXA100, DGXA100PCIe, DGXH100,",
        ),
    ],
)
def test_impossible_names_are_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        fabric_of(text)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_names_are_canonical_and_no_family_has_one() -> None:
    assert fabric_of(" FatTree( 4, 2 ,2 ) ")[0] == "FatTree(4,2,2)"
    assert fabric_of(" DGX1( ) ")[0] == fabric_of("DGX1")[0] == "DGX1"
    assert is_fabric("MI250")
    assert not is_fabric("Torus(4,4)")
    assert not set(FABRICS) & set(FAMILIES)
