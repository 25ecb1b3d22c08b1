"""Reads a host from text: `Host(8;switch+mr@450GB/s~0.5us;1@50GB/s)`, or the name of a template.

host    = name | "Host(" sizes ";" inner ";" ports ")"
sizes   = size { "." size }                          hosts of unlike size, one after the other
size    = int [ "*" int ]
inner   = "none" | ("switch" [ "+" ["m"] ["r"] ] | "mesh" | "links:" link { "." link }) at
link    = int "-" int [ "*" int ]
ports   = (int | "ports:" int { "." int }) at        ports of every accelerator, or who owns each
at      = "@" rate [ "~" time ]
"""

import re
from fractions import Fraction

from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.hosts.template import MOST_ACCELERATORS, HostTemplate, InnerFabric, InnerKind
from generators.hosts.templates import HOST_TEMPLATES
from generators.limits import MAX_NODES

_HOST = re.compile(r"Host\(\s*([^;()]*);([^;()]*);([^;()]*)\)")
_SIZE = re.compile(r"([1-9]\d{0,8})(?:\*([1-9]\d{0,8}))?", re.ASCII)
_LINK = re.compile(r"(\d{1,9})-(\d{1,9})(?:\*([1-9]\d{0,3}))?", re.ASCII)
_INTEGER = re.compile(r"\d{1,9}", re.ASCII)


def read_hosts(text: str) -> tuple[HostTemplate, tuple[int, ...]]:
    """The template that a text names, and the sizes of hosts if they are listed.

    The sizes are empty where all hosts are alike. Raises InvalidInput telling what is wrong.

    >>> host, sizes = read_hosts("Host(8; switch@450GB/s; 1@400Gbps)")
    >>> str(host), sizes
    ('Host(8;switch@450GB/s;1@50GB/s)', ())
    >>> read_hosts("Host(4*2.8;mesh@64GB/s;1@50GB/s)")[1]
    (4, 4, 8)
    """
    text = text.strip()
    if text in HOST_TEMPLATES:
        return HOST_TEMPLATES[text].template, ()
    found = _HOST.fullmatch(text)
    if found is None:
        known = ", ".join(HOST_TEMPLATES)
        form = "Host(8;switch@450GB/s;1@50GB/s)"
        raise InvalidInput(f"host: {excerpt(text)} is neither of {known} nor like {form}")
    sizes = _read_sizes(found[1].strip())
    inner = read_inner(found[2].strip())
    template = _read_ports(sizes[0], inner, found[3].strip())
    if len(sizes) == 1:
        return template, ()
    for size in set(sizes):
        template.with_accelerators(size)
    return template, sizes


def _read_sizes(text: str) -> tuple[int, ...]:
    sizes: list[int] = []
    for part in text.split("."):
        found = _SIZE.fullmatch(part.strip())
        if found is None:
            raise InvalidInput(f"host: accelerators such as 8 or 4*16.8*8, not {excerpt(text)}")
        size, count = int(found[1]), int(found[2] or 1)
        if size > MOST_ACCELERATORS:
            raise InvalidInput(f"accelerators: 1 to {MOST_ACCELERATORS}, not {size}")
        if len(sizes) + count > MAX_NODES:
            raise InvalidInput(f"host: at most {MAX_NODES} hosts, not {excerpt(text)}")
        sizes += [size] * count
    return tuple(sizes)


def read_inner(text: str) -> InnerFabric:
    """What joins the accelerators of a host.

    >>> str(read_inner("switch+m@450GB/s"))
    'switch+m@450GB/s'
    """
    if text == "none":
        return InnerFabric(kind=InnerKind.NONE)
    word, rate, latency = _read_at("inner", text)
    name, _, listed = word.partition(":")
    name, plus, able = name.partition("+")
    if plus and able not in ("m", "r", "mr"):
        raise InvalidInput(f"inner: +m, +r or +mr, not {excerpt('+' + able)}")
    if name not in set(InnerKind) or (name == "none"):
        raise InvalidInput(f"inner: switch, mesh, links or none, not {excerpt(name)}")
    return InnerFabric(
        kind=InnerKind(name),
        rate=rate,
        latency=latency,
        links=_read_links(listed) if name == "links" else (),
        multicast="m" in able,
        reduce="r" in able,
    )


def _read_links(text: str) -> tuple[tuple[int, int, int], ...]:
    found = [(part, _LINK.fullmatch(part.strip())) for part in text.split(".")]
    for part, link in found:
        if link is None:
            raise InvalidInput(f"links: 0-1 or 0-1*4 is needed, not {excerpt(part)}")
    return tuple((int(m[1]), int(m[2]), int(m[3] or 1)) for _, m in found if m is not None)


def _read_ports(accelerators: int, inner: InnerFabric, text: str) -> HostTemplate:
    word, rate, latency = _read_at("ports", text)
    name, colon, listed = word.partition(":")
    each = name if not colon else ""
    parts = listed.split(".") if name == "ports" and colon else [each]
    if not all(_INTEGER.fullmatch(part.strip()) for part in parts):
        raise InvalidInput(f"ports: 1@50GB/s or ports:0.2.4@50GB/s, not {excerpt(text)}")
    numbers = tuple(int(part) for part in parts)
    if not colon and accelerators * numbers[0] > 4 * MOST_ACCELERATORS:
        raise InvalidInput(f"ports: at most {4 * MOST_ACCELERATORS} a host, not {excerpt(text)}")
    owners = numbers if colon else tuple(range(accelerators)) * numbers[0]
    return HostTemplate(
        accelerators=accelerators, inner=inner, owners=owners, rate=rate, latency=latency
    )


def _read_at(name: str, text: str) -> tuple[str, Fraction, Fraction | None]:
    """What stands before the sign, the rate, and the latency if there is one."""
    word, at, values = text.partition("@")
    if not at:
        raise InvalidInput(f"{name}: a rate such as @50GB/s is needed in {excerpt(text)}")
    rate, sign, latency = values.partition("~")
    return (
        word.strip(),
        quantities.rate(rate, f"{name} rate"),
        quantities.seconds(latency, f"{name} latency") if sign else None,
    )
