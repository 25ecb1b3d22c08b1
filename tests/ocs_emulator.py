"""A switch that obeys the commands of the design "OCS Support in SONiC", for tests.

Written from sections 6.1.1, 6.2.2 and 9 of that document (pull request 2269 of sonic-net/SONiC)
alone: it shares no code with topofinder, and a test holds that. A command is one change of
CONFIG_DB: what is wrong with any part of it leaves everything as it was.
"""

import re
from dataclasses import dataclass, field

PORT = re.compile(r"([1-9][0-9]*)([AB])")
MODES = ("update", "safe", "overwrite")


class RefusedError(Exception):
    """A command that the switch does not carry out."""


class NotThereError(RefusedError):
    """A cross-connect to delete that is not there."""


@dataclass
class Switch:
    """A switch of so many ports on each side; `connects` leads from A sides to B sides."""

    ports: int
    connects: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)

    def run(self, line: str) -> str:
        """Carry out a line; what it prints."""
        words = line.split()
        if not words or words[0].startswith("#"):
            return ""
        if words[0] == "sudo":
            words = words[1:]
        if words[:4] == ["config", "ocs", "cross-connect", "add"] and len(words) in (5, 6):
            self._add(words[4], words[5] if len(words) == 6 else "update")
        elif words[:4] == ["config", "ocs", "cross-connect", "delete"] and len(words) == 5:
            self._delete(words[4])
        elif words[:3] == ["config", "ocs", "port"] and len(words) == 6:
            self._configure(*words[3:])
        elif words[:3] == ["show", "ocs", "cross-connect"] and len(words) == 4:
            return self._show_connects(words[3])
        elif words == ["show", "ocs", "port", "config"]:
            return self._show_ports()
        else:
            raise RefusedError(f"no such command: {line}")
        return ""

    def _add(self, text: str, mode: str) -> None:
        """Section 9.1: update takes ports away, safe does not, overwrite wipes all."""
        if mode not in MODES:
            raise RefusedError(f"no such mode: {mode}")
        wanted = self._pairs(text)
        left = {} if mode == "overwrite" else dict(self.connects)
        for a, b in wanted.items():
            others = [x for x, y in left.items() if (x == a) != (y == b)]
            if others and mode == "safe":
                raise RefusedError(f"{a} or {b} is in use")
            for other in others:
                del left[other]
        self.connects = left | wanted

    def _delete(self, text: str) -> None:
        pairs = self._pairs(text)
        for a, b in pairs.items():
            if self.connects.get(a) != b:
                raise NotThereError(f"{a}-{b} is not there")
        self.connects = {a: b for a, b in self.connects.items() if a not in pairs}

    def _pairs(self, text: str) -> dict[str, str]:
        """A list of cross-connects with commas, or a range of them."""
        pairs: dict[str, str] = {}
        for part in text.split(","):
            sides = part.split("-")
            if len(sides) != 2:
                raise RefusedError(f"no cross-connect: {part}")
            firsts, seconds = (self._range(side) for side in sides)
            if len(firsts) != len(seconds):
                raise RefusedError(f"ranges of unlike length: {part}")
            for a, b in zip(firsts, seconds, strict=True):
                if (a[-1], b[-1]) != ("A", "B"):
                    raise RefusedError(f"not from an A side to a B side: {part}")
                if a in pairs or b in pairs.values():
                    raise RefusedError(f"a port twice: {part}")
                pairs[a] = b
        return pairs

    def _range(self, text: str) -> list[str]:
        ends = [self._port(name) for name in text.split("..")]
        if len(ends) == 1:
            return [f"{ends[0][0]}{ends[0][1]}"]
        if len(ends) != 2 or ends[0][1] != ends[1][1] or ends[0][0] > ends[1][0]:
            raise RefusedError(f"no range: {text}")
        return [f"{number}{ends[0][1]}" for number in range(ends[0][0], ends[1][0] + 1)]

    def _port(self, name: str) -> tuple[int, str]:
        found = PORT.fullmatch(name)
        if not found or int(found[1]) > self.ports:
            raise RefusedError(f"no such port: {name}")
        return int(found[1]), found[2]

    def _configure(self, what: str, name: str, value: str) -> None:
        self._port(name)
        if what == "label":
            self.labels[name] = value
        elif what == "state" and value in ("normal", "force_blocked"):
            self.states[name] = value
        else:
            raise RefusedError(f"no such setting: {what} {value}")

    def _show_connects(self, what: str) -> str:
        """Section 9.2.1, in the order of the A sides."""
        rows = [[f"{a}-{b}", a, b] for a, b in sorted(self.connects.items(), key=_by_number)]
        if what == "config":
            return _table(["id", "a_side", "b_side"], rows)
        if what != "status":
            raise RefusedError(f"no such view: {what}")
        head = ["id", "a_side", "b_side", "a_side_status", "b_side_status"]
        return _table(head, [[*row, *[self._status(row[1], row[2])] * 2] for row in rows])

    def _status(self, a: str, b: str) -> str:
        blocked = "force_blocked" in (self.states.get(a), self.states.get(b))
        return "blocked" if blocked else "tuned"

    def _show_ports(self) -> str:
        names = [f"{number}{side}" for number in range(1, self.ports + 1) for side in "AB"]
        rows = [
            [name, self.labels.get(name, ""), self.states.get(name, "normal")] for name in names
        ]
        return _table(["id", "label", "state"], rows)


def _by_number(item: tuple[str, str]) -> int:
    return int(item[0][:-1])


def _table(head: list[str], rows: list[list[str]]) -> str:
    """As the design prints them: two more dashes than the widest cell, but for the first column."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    rules = ["-" * max(width, len(name) + 2) for name, width in zip(head, widths, strict=True)]
    lines = [
        "  ".join(cell.ljust(len(rule)) for cell, rule in zip(row, rules, strict=True)).rstrip()
        for row in [head, rules, *rows]
    ]
    return "\n".join(lines) + "\n"
