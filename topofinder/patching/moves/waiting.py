"""The circuits of one panel that wait to be made, and which of them to try first.

Racks with a free plug come first: to make a circuit there takes at most one other circuit out, so
that as little as possible is dark at any time.
"""

from collections import deque
from collections.abc import Iterator

from topofinder.patching.moves.occupancy import Site, Wanted


class Waiting:
    """Circuits by number, in the order in which they are to be tried."""

    def __init__(self, site: Site, wanted: dict[int, Wanted]) -> None:
        self._site = site
        self.left = dict(wanted)
        self._at: dict[int, dict[int, None]] = {}
        for number, circuit in wanted.items():
            for rack in site.racks(circuit):
                self._at.setdefault(rack, {})[number] = None
        self._open = deque(rack for rack in site.open_racks if rack in self._at)

    def opened(self, racks: list[int]) -> None:
        """These racks have a free plug now; the latest are tried first."""
        self._open.extendleft(rack for rack in racks if self._at.get(rack))

    def done(self, number: int) -> None:
        """A circuit is made."""
        for rack in self._site.racks(self.left.pop(number)):
            self._at[rack].pop(number, None)

    def candidates(self) -> Iterator[int]:
        """Circuits worth a try, each once: at open racks, those that free least; then the others.

        The caller may call `done` and `opened` in between.
        """
        tried: set[int] = set()
        yield from self._at_open_racks(tried)
        for number in list(self.left):
            if number not in tried and number in self.left:
                tried.add(number)
                yield number
                yield from self._at_open_racks(tried)

    def _at_open_racks(self, tried: set[int]) -> Iterator[int]:
        passed = []
        while self._open:
            rack = self._open.popleft()
            here = self._at.get(rack, {})
            fresh = [number for number in here if number not in tried]
            if not fresh:
                if here:
                    passed.append(rack)
                continue
            number = min(fresh, key=self._cost)
            tried.add(number)
            self._open.appendleft(rack)
            yield number
        self._open.extend(dict.fromkeys(passed))

    def _cost(self, number: int) -> int:
        ways = self._site.ways(self.left[number])
        return len(ways[0].frees) if ways else 1 << 30
