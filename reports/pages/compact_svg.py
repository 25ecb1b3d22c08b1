"""A picture for within a page: the same lines in fewer letters.

matplotlib writes six decimals of a point, a line for each corner and a name for each group. On a
page two decimals of a point are a hundredth of a pixel, and only names that are referred to count.
"""

import re

_PLACES = re.compile(r' (d|x|y|transform)="([^"]*)"')
_DECIMALS = re.compile(r"(\.\d\d)\d+")
_NAME = re.compile(r' id="([^"]*)"')
_MEANT = re.compile(r'(?:url\(|href=")#([^")]*)')


def compact_svg(text: str) -> str:
    """The element with two decimals of a place, and no names but those that are referred to.

    >>> compact_svg('<svg>\\n <g id="a">\\n  <path d="M 1.23456 2 \\nL 3 4 \\n"/>\\n </g>\\n</svg>')
    '<svg><g><path d="M 1.23 2 L 3 4"/></g></svg>'
    """
    meant = set(_MEANT.findall(text))
    text = _NAME.sub(lambda found: found[0] if found[1] in meant else "", text)
    text = _PLACES.sub(_short_place, text)
    return re.sub(r">\s+<", "><", text)


def _short_place(found: re.Match[str]) -> str:
    value = " ".join(_DECIMALS.sub(r"\1", found[2]).split())
    return f' {found[1]}="{value}"'
