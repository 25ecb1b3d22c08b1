"""A slow, obvious twin of the checker's kernels: dictionaries, sets of ranks, sets of ancestors."""

from collections import defaultdict, deque
from itertools import combinations

from topofinder.verification.msccl_reader import BUFFERS, KINDS, MscclFile

GIVES, TAKES = {"s", "rcs", "rrs", "rrcs"}, {"r", "rcs", "rrc", "rrs", "rrcs"}


def find_fault(program: MscclFile, collective: str, in_place: bool, slots: int) -> str | None:
    """deadlock, value, race or end; None for a program that is right."""
    return _Twin(program, collective, in_place, slots).find()


class _Twin:
    def __init__(self, program: MscclFile, collective: str, in_place: bool, slots: int) -> None:
        self.n, self.whole = program.ranks, int(program.head["nchunksperloop"])
        self.collective, self.in_place, self.slots = collective, in_place, slots
        self.part = self.whole // self.n
        self.blocks: list[dict] = []
        number = defaultdict(int)
        for b in range(len(program.rank)):
            rank = int(program.rank[b])
            lines = program.steps[program.first[b] : program.first[b + 1]].tolist()
            channel = int(program.channel[b])
            ends = {
                "out": (rank, int(program.send[b]), channel),
                "in": (int(program.receive[b]), rank, channel),
            }
            self.blocks.append({"rank": rank, "id": number[rank], "lines": lines, "at": 0, **ends})
            number[rank] += 1
        self.memory: dict = {}
        self.touches = defaultdict(list)
        self.above: dict = {}
        self.wires = defaultdict(deque)

    def place(self, rank: int, buffer: int, at: int) -> tuple:
        name = BUFFERS[buffer]
        if self.in_place and name == "i":
            return rank, "o", at + (rank * self.part if self.collective == "allgather" else 0)
        if self.in_place and name == "o" and self.collective == "reduce-scatter":
            return self.place(rank, 0, at + rank * self.part)
        return rank, name, at

    def find(self) -> str | None:
        taken = self.part if self.collective == "allgather" else self.whole
        for rank in range(self.n):
            for x in range(taken):
                chunk = rank * self.part + x if self.collective == "allgather" else x
                self.memory[self.place(rank, 0, x)] = (chunk, frozenset({rank}))
        going = True
        while going:
            going = False
            for block in self.blocks:
                while block["at"] < len(block["lines"]) and self.ready(block):
                    if not self.step(block):
                        return "value"
                    going = True
        if any(block["at"] < len(block["lines"]) for block in self.blocks):
            return "deadlock"
        return "race" if self.races() else "end" if self.wrong_end() else None

    def other(self, block: dict, number: int) -> dict:
        return next(o for o in self.blocks if (o["rank"], o["id"]) == (block["rank"], number))

    def ready(self, block: dict) -> bool:
        kind, *_, depends, at, _ = block["lines"][block["at"]]
        if depends >= 0 and self.other(block, depends)["at"] <= at:
            return False
        if KINDS[kind] in TAKES and not self.wires[block["in"]]:
            return False
        return KINDS[kind] not in GIVES or len(self.wires[block["out"]]) < self.slots

    def step(self, block: dict) -> bool:
        line = block["lines"][block["at"]]
        kind, sbuf, soff, tbuf, toff, count, depends, waited, _ = line
        name, rank = KINDS[kind], block["rank"]
        key = (rank, block["id"], block["at"])
        parcel = self.wires[block["in"]].popleft() if name in TAKES else []
        sent = []
        before = set()
        if block["at"]:
            before |= self.last(rank, block["id"], block["at"] - 1)
        if depends >= 0:
            before |= self.last(rank, depends, waited)
        self.above[(*key, -1)] = before
        for j in range(count):
            event = (*key, j)
            before = before | {(*key, j - 1)}
            if name in TAKES:
                value, sender = parcel[j]
                before = before | self.above[sender] | {sender}
            self.above[event] = before
            source, target = self.place(rank, sbuf, soff + j), self.place(rank, tbuf, toff + j)
            if name in ("s", "cpy", "re"):
                self.touches[source].append((event, False))
                value = self.memory.get(source)
                if value is None:
                    return False
            if name in ("rrc", "rrs", "rrcs", "re"):
                operand = target if name == "re" else source
                self.touches[operand].append((event, False))
                mine = self.memory.get(operand)
                if mine is None or mine[0] != value[0] or mine[1] & value[1]:
                    return False
                value = (value[0], mine[1] | value[1])
            if name in ("r", "rcs", "rrc", "rrcs", "cpy", "re"):
                self.touches[target].append((event, True))
                self.memory[target] = value
            if name in GIVES:
                sent.append((value, event))
        if name in GIVES:
            self.wires[block["out"]].append(sent)
        block["at"] += 1
        return True

    def last(self, rank: int, number: int, line: int) -> set:
        """A step that is over, with all before it."""
        block = next(b for b in self.blocks if (b["rank"], b["id"]) == (rank, number))
        count = block["lines"][line][5]
        event = (rank, number, line, count - 1)
        return self.above[event] | {event}

    def races(self) -> bool:
        for accesses in self.touches.values():
            for (one, writes), (two, also) in combinations(accesses, 2):
                apart = one[:3] != two[:3] and (writes or also)
                if apart and one not in self.above[two] and two not in self.above[one]:
                    return True
        return False

    def wrong_end(self) -> bool:
        everyone = frozenset(range(self.n))
        for rank in range(self.n):
            if self.collective == "reduce-scatter":
                wanted = [(rank * self.part + x, everyone) for x in range(self.part)]
            elif self.collective == "allgather":
                wanted = [(x, frozenset({x // self.part})) for x in range(self.whole)]
            else:
                wanted = [(x, everyone) for x in range(self.whole)]
            found = [self.memory.get(self.place(rank, 1, x)) for x in range(len(wanted))]
            if found != wanted:
                return True
        return False
