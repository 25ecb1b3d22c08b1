"""The circuits of one panel that wait to be made, and which of them to try first.

Racks with a free plug come first: to make a circuit there takes at most one other circuit out, so
that as little as possible is dark at any time.
"""

from collections import deque
from collections.abc import Iterator

from topofinder.patching.moves.occupancy import NewCircuit, PortOccupancy


class PendingCircuits:
    """Circuits by number, in the order in which they are to be tried."""

    def __init__(self, site: PortOccupancy, wanted: dict[int, NewCircuit]) -> None:
        self._site = site
        self.left = dict(wanted)
        self._at: dict[int, dict[int, None]] = {}
        for number, circuit in wanted.items():
            for group in site.port_groups(circuit):
                self._at.setdefault(group, {})[number] = None
        self._open = deque(group for group in site.open_groups if group in self._at)

    def add_open_groups(self, groups: list[int]) -> None:
        """These groups have a free plug now; the latest are tried first."""
        self._open.extendleft(group for group in groups if self._at.get(group))

    def remove(self, number: int) -> None:
        """A circuit is made."""
        for group in self._site.port_groups(self.left.pop(number)):
            self._at[group].pop(number, None)

    def candidates(self) -> Iterator[int]:
        """Circuits worth a try, each once: at open groups, those that free least; then the others.

        The caller may call `remove` and `add_open_groups` in between.
        """
        tried: set[int] = set()
        yield from self._at_open_groups(tried)
        for number in list(self.left):
            if number not in tried and number in self.left:
                tried.add(number)
                yield number
                yield from self._at_open_groups(tried)

    def _at_open_groups(self, tried: set[int]) -> Iterator[int]:
        passed = []
        while self._open:
            group = self._open.popleft()
            here = self._at.get(group, {})
            fresh = [number for number in here if number not in tried]
            if not fresh:
                if here:
                    passed.append(group)
                continue
            number = min(fresh, key=self._cost)
            tried.add(number)
            self._open.appendleft(group)
            yield number
        self._open.extend(dict.fromkeys(passed))

    def _cost(self, number: int) -> int:
        options = self._site.options(self.left[number])
        return len(options[0].frees) if options else 1 << 30
