"""A picture for within a page: the same lines in fewer letters.

matplotlib writes six decimals of a point, the style of each line, the fonts of each word and
a name for each group. On a page two decimals of a point are a hundredth of a pixel, styles that
several lines share are told once, and only names that are referred to count.
"""

import re
from collections import Counter
from collections.abc import Iterator
from zlib import crc32

_PLACES = re.compile(r' (d|x|y|transform)="([^"]*)"')
_DECIMALS = re.compile(r"(\.\d\d)\d+")
_NAME = re.compile(r' id="([^"]*)"')
_MEANT = re.compile(r'(?:url\(|href=")#([^")]*)')
_STYLE = re.compile(r' style="([^"]*)"')
_FONTS = re.compile(r"font-family: [^;\"]*; ?")
_LEVEL = re.compile(r' transform="rotate\(-?0(?:\.0*)? [^"]*\)"')
_GROUP = re.compile(r"<(/?)g(\s[^>]*)?>")
_HEAD = "*{stroke-linejoin: round; stroke-linecap: butt}"


def compact_svg(text: str) -> str:
    """The element with two decimals of a place, shared styles, and names that are referred to.

    >>> compact_svg('<svg>\\n <g id="a">\\n  <path d="M 1.23456 2 \\nL 3 4 \\n"/>\\n </g>\\n</svg>')
    '<svg><path d="M 1.23 2 L 3 4"/></svg>'
    """
    meant = {name: place for place, name in enumerate(dict.fromkeys(_MEANT.findall(text)))}
    text = _NAME.sub(lambda found: found[0] if found[1] in meant else "", text)
    for name, place in meant.items():
        short = f"{name.rpartition('-')[0]}-i{place}"
        text = re.sub(rf'(\bid="|#){re.escape(name)}(?=["\)])', rf"\g<1>{short}", text)
    text = _LEVEL.sub("", _FONTS.sub("", text))
    text = _PLACES.sub(_short_place, text)
    text = "".join(_without_bare_groups(re.sub(r">\s+<", "><", text)))
    return _share_styles(text)


def _short_place(found: re.Match[str]) -> str:
    value = " ".join(_DECIMALS.sub(r"\1", found[2]).split())
    return f' {found[1]}="{value}"'


def _without_bare_groups(text: str) -> Iterator[str]:
    """The pieces of the text but for the marks of groups that say nothing of what is in them."""
    kept, last = list[bool](), 0
    for found in _GROUP.finditer(text):
        if (found[2] or "").endswith("/"):
            continue
        if not found[1]:
            kept.append(bool(found[2]))
        if kept[-1] if not found[1] else kept.pop():
            continue
        yield text[last : found.start()]
        last = found.end()
    yield text[last:]


def _share_styles(text: str) -> str:
    """The same where a style that occurs several times is a class; its name is told by it alone."""
    counts = Counter(_STYLE.findall(text))
    names = {style: f"k{crc32(style.encode()):x}" for style, count in counts.items() if count > 1}

    def share(found: re.Match[str]) -> str:
        return f' class="{names[found[1]]}"' if found[1] in names else found[0]

    rules = "".join(f".{name}{{{style}}}" for style, name in names.items())
    return _STYLE.sub(share, text).replace(_HEAD, _HEAD + rules, 1)
