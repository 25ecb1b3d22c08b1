"""How long the planner's own moves from each wiring to each other one take.

All circuits are patched on one panel. What leads there leads back, by the rollback of the plan, so
that each pair of wirings is planned once. What is counted are circuits that are made: no wiring of
the other graph, with hosts placed as the planner found best, is nearer.
"""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from generators.errors import Unsupported
from topofinder.api.inventory import inventory
from topofinder.api.plan import plan
from topofinder.model.candidate import LinkMode

MOST_WIRINGS = 12
"""Wirings of which each pair is planned."""
SECONDS_A_PLAN = 10.0


def count_moves(recipes: Sequence[str], ports: int, links: LinkMode) -> list[list[int]]:
    """Moves from wiring to wiring, symmetric, 0 on the diagonal; shape (wirings, wirings).

    Raises Unsupported for more than MOST_WIRINGS, InvalidInput as `plan` does.

    >>> count_moves(["C(8,{1,2})", "Torus(2,4)"], 4, LinkMode.DUPLEX)[0][0]
    0
    """
    if len(recipes) > MOST_WIRINGS:
        told = f"at most {MOST_WIRINGS} wirings are planned pair by pair, not {len(recipes)}"
        raise Unsupported(f"--move: {told}; give a --change")
    found = [[0] * len(recipes) for _ in recipes]
    with TemporaryDirectory() as folder:
        files = Path(folder, "fabric.json"), Path(folder, "wired.csv")
        for a, here in enumerate(recipes):
            inventory(here, *files, ports=ports, mode=links, force=True)
            for b in range(a + 1, len(recipes)):
                made = plan(*files, recipes[b], mode=links, time=SECONDS_A_PLAN)
                found[a][b] = found[b][a] = made.moves
    return found


def change_seconds(moves: Sequence[Sequence[int]], move: Fraction) -> list[list[Fraction]]:
    """Seconds of changes whose moves follow one another, each of `move` seconds.

    >>> change_seconds([[0, 3], [3, 0]], Fraction(2))[0][1]
    Fraction(6, 1)
    """
    return [[count * move for count in row] for row in moves]
