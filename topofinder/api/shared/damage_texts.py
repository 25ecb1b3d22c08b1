"""What has failed in a fabric, as the options that tell it, and back."""

import shlex

from generators.damage.apply import Damage
from generators.errors import InvalidInput
from generators.excerpts import excerpt

_DAMAGES = ("fail_links", "fail_nodes", "degrade")


def damage_text(damage: Damage) -> str | None:
    """The damage as options; None for none.

    >>> damage_text(Damage(fail_links=["0-1", "5%"], seed=3))
    '--fail-links 0-1 --fail-links 5% --seed 3'
    """
    if not damage:
        return None
    listed = [
        word
        for name in _DAMAGES
        for text in getattr(damage, name)
        for word in (f"--{name.replace('_', '-')}", text)
    ]
    if any(text.endswith("%") for text in damage.fail_links):
        listed += ["--seed", str(damage.seed)]
    return shlex.join(listed)


def damage_of(text: str) -> Damage:
    """The damage that such a text tells. Raises InvalidInput for any other.

    >>> found = damage_of("--fail-links 5% --seed 3")
    >>> found.fail_links, found.seed
    (['5%'], 3)
    """
    found: dict[str, list[str]] = {name: [] for name in (*_DAMAGES, "seed")}
    try:
        words = shlex.split(text)
    except ValueError:
        words = [text]
    for option, value in zip(words[::2], words[1::2], strict=False):
        name = option.removeprefix("--").replace("-", "_")
        if name not in found:
            raise InvalidInput(f"damage: {excerpt(text)} is no damage")
        found[name].append(value)
    seeds = found.pop("seed") or ["0"]
    if len(words) % 2 or not all(s.isascii() and s.isdigit() and len(s) < 10 for s in seeds):
        raise InvalidInput(f"damage: {excerpt(text)} is no damage")
    return Damage(seed=int(seeds[-1]), **found)
