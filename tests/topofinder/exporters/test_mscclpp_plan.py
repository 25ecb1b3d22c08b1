"""MSCCL++ plans: the checker against an interpreter on numbers, in random order, and mutations."""

import copy
import json
import random
from collections import defaultdict, deque
from functools import cache
from typing import Any

import pytest

import topofinder as tf
from generators.errors import Unsupported
from topofinder.exporters.mscclpp_plan import ExecutionOptions, execution_plan, plan_bytes
from topofinder.lowering.lower import lower
from topofinder.verification.mscclpp_plans import verify_plan

Plan = dict[str, Any]
SUBJECTS = (
    ("K(4)", "allreduce"),
    ("Q(3)", "allgather"),
    ("BiRing(2,5)", "allreduce"),
    ("Pi(2,13)", "reduce-scatter"),
    ("Torus(3,4)", "allreduce"),
    ("L(K(3,3))", "allgather"),
    ("Diamond*2", "allreduce"),
    ("UniRing(1,17)", "allreduce"),
    ("Mesh(2,3)", "reduce-scatter"),
    ("K(11)", "allreduce"),
)


@cache
def plan_of(subject: str, collective: str, method: str = "auto") -> Plan:
    options: dict[str, Any] = {}
    if method == "timed":
        options = {"size": "1MB", "alpha": "1us", "bandwidth": "1GB/s", "chunks": 2}
        options = options if collective != "all-to-all" else {**options, "chunks": None}
    made = tf.schedule(subject, collective=collective, method=method, **options)
    kinds = {"forest": "forest", "timed": "timetable"}
    return execution_plan(
        lower(getattr(made, kinds.get(method, "saved"))), ExecutionOptions(subject)
    )


class Interpreter:
    """Threadblocks run operation by operation, in random order, on numbers of the ranks."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan, self.random = plan, random.Random(seed)
        self.buffers = [self.fresh(rank) for rank in range(len(plan["gpus"]))]
        self.signals: dict[tuple[int, int], int] = defaultdict(int)
        self.come: dict[tuple[int, int], int] = defaultdict(int)
        self.goals: dict[Any, int] = {}
        self.peers = [
            [peer for entry in gpu["channels"] for peer in entry["connected_to"]]
            for gpu in plan["gpus"]
        ]

    def fresh(self, rank: int) -> dict[str, list[int]]:
        gpu = self.plan["gpus"][rank]
        inputs = [1 << rank] * gpu["input_chunks"]
        if self.plan["collective"] in ("allgather", "alltoall"):
            inputs = [1000 * rank + at for at in range(gpu["input_chunks"])]
        found = {"i": inputs, "o": [-1] * gpu["output_chunks"], "s": [-1] * gpu["scratch_chunks"]}
        if self.plan["inplace"] and self.plan["collective"] == "allgather":
            first = rank * gpu["input_chunks"]
            found["o"][first : first + gpu["input_chunks"]] = inputs
        elif self.plan["inplace"]:
            found["o"] = found["i"]
        return found

    def run(self) -> list[list[int]]:
        left = {
            (rank, k): deque(block["ops"])
            for rank, gpu in enumerate(self.plan["gpus"])
            for k, block in enumerate(gpu["threadblocks"])
        }
        while left:
            ready = [key for key in left if self.can(key, left[key][0])]
            assert ready, "deadlock"
            key = self.random.choice(ready)
            self.do(key, left[key].popleft())
            left = {key: ops for key, ops in left.items() if ops}
        return [
            buffers["i" if self.plan["collective"] == "reducescatter" else "o"]
            for buffers in self.buffers
        ]

    def channels(self, key: tuple[int, int], op: Plan) -> list[int]:
        block = self.plan["gpus"][key[0]]["threadblocks"][key[1]]
        ids = [each for entry in block["channels"] for each in entry["channel_ids"]]
        return [ids[each] for each in op["channel_ids"]]

    def can(self, key: tuple[int, int], op: Plan) -> bool:
        if op["name"] == "barrier":
            where = key[0], op["barrier_id"]
            if (key, where) not in self.goals:  # the barrier opens once that many have come
                self.come[where] += 1
                count = op["num_threadblocks"]
                self.goals[key, where] = -(-self.come[where] // count) * count
            return self.come[where] >= self.goals[key, where]
        if op["name"] != "wait":
            return True
        return all(self.signals[key[0], each] for each in self.channels(key, op))

    def do(self, key: tuple[int, int], op: Plan) -> None:
        rank, mine = key[0], self.buffers[key[0]]
        if op["name"] == "barrier":
            del self.goals[key, (rank, op["barrier_id"])]
        elif op["name"] == "wait":
            for each in self.channels(key, op):
                self.signals[rank, each] -= 1
        elif op["name"] in ("put", "pws"):
            gpu = self.plan["gpus"][rank]
            block = gpu["threadblocks"][key[1]]
            refs = [each for entry in block["remote_buffer_refs"]
                    for each in entry["remote_buffer_ids"]]  # fmt: skip
            for source, target in zip(op["src_buff"], op["dst_buff"], strict=True):
                remote = gpu["remote_buffers"][refs[target["buffer_id"]]]
                there = self.buffers[remote["rank"]][remote["type"]]
                there[target["index"] : target["index"] + target["size"]] = mine[source["type"]][
                    source["index"] : source["index"] + source["size"]
                ]
        elif op["name"] in ("copy", "re"):
            (target,) = op["dst_buff"]
            for at in range(target["size"]):
                parts = [mine[source["type"]][source["index"] + at] for source in op["src_buff"]]
                mine[target["type"]][target["index"] + at] = sum(parts)
        if op["name"] in ("signal", "pws"):
            for each in self.channels(key, op):
                peer = self.peers[rank][each]
                nth = [c for c, p in enumerate(self.peers[rank]) if p == peer].index(each)
                back = [c for c, p in enumerate(self.peers[peer]) if p == rank][nth]
                self.signals[peer, back] += 1


def ends_right(plan: Plan, seed: int) -> bool:
    results, n = Interpreter(plan, seed).run(), len(plan["gpus"])
    if plan["collective"] == "allreduce":
        return all(value == 2**n - 1 for result in results for value in result)
    inputs = plan["gpus"][0]["input_chunks"]
    if plan["collective"] == "allgather":
        whole = [1000 * rank + at for rank in range(n) for at in range(inputs)]
        return all(result == whole for result in results)
    if plan["collective"] == "alltoall":
        block = inputs // n
        return all(
            result == [1000 * o + rank * block + at for o in range(n) for at in range(block)]
            for rank, result in enumerate(results)
        )
    own = plan["gpus"][0]["output_chunks"]
    return all(
        value == 2**n - 1
        for rank, result in enumerate(results)
        for value in result[rank * own : (rank + 1) * own]
    )


@pytest.mark.parametrize(("subject", "collective"), SUBJECTS)
def test_plans_are_right_in_any_order(subject: str, collective: str) -> None:
    plan = plan_of(subject, collective)
    assert verify_plan(plan).violation is None
    assert all(ends_right(plan, seed) for seed in range(2))


@pytest.mark.parametrize(
    ("subject", "collective", "method"),
    [
        ("DGXA100(2)", "allreduce", "forest"),
        ("Torus(4,4)", "reduce-scatter", "forest"),
        ("Q(3)", "all-to-all", "timed"),
        ("Mesh(3,3)", "allreduce", "timed"),
    ],
)
def test_forests_and_timetables_become_plans(subject: str, collective: str, method: str) -> None:
    plan = plan_of(subject, collective, method)
    assert verify_plan(plan).violation is None
    assert ends_right(plan, 0)


def test_long_programs_go_over_many_threadblocks() -> None:
    gpu = plan_of("UniRing(1,17)", "allreduce")["gpus"][0]
    assert len(gpu["threadblocks"]) > 1
    assert max(len(block["ops"]) for block in gpu["threadblocks"]) <= 64


def test_many_channels_go_over_several_threadblocks() -> None:
    gpu = plan_of("K(11)", "allreduce")["gpus"][0]
    assert sum(len(entry["connected_to"]) for entry in gpu["channels"]) == 20
    most = [len(block["channels"][0]["channel_ids"]) for block in gpu["threadblocks"]]
    assert max(most) <= 16


def test_the_same_bytes_each_time() -> None:
    transfers = lower(tf.schedule("Q(3)", collective="allreduce").saved)
    one, two = (plan_bytes(execution_plan(transfers, ExecutionOptions("a"))) for _ in range(2))
    assert one == two
    assert json.loads(one)["collective"] == "allreduce"


def test_broadcasts_are_refused() -> None:
    transfers = lower(tf.schedule("Q(3)", collective="broadcast", root=0).saved)
    with pytest.raises(Unsupported, match="broadcast"):
        execution_plan(transfers, ExecutionOptions("a"))


def mutate(plan: Plan, seed: int) -> str:
    """Change one operation of a plan; gives what was done."""
    dice = random.Random(seed)
    block = dice.choice([b for gpu in plan["gpus"] for b in gpu["threadblocks"] if b["ops"]])
    ops = block["ops"]
    at = dice.randrange(len(ops))
    op = ops[at]
    kinds = ["drop", "double"]
    if "channel_ids" in op:
        kinds += ["channel", "channel drop"]
    if "dst_buff" in op:
        kinds += ["target", "source", "size"]
    if op["name"] == "re":
        kinds.append("input drop")
    kind = dice.choice(kinds)
    if kind == "drop":
        del ops[at]
    elif kind == "double":
        ops.insert(at, op)
    elif kind == "channel":
        ids = op["channel_ids"]
        ids[dice.randrange(len(ids))] += dice.choice([-1, 1])
    elif kind == "channel drop":
        where = dice.randrange(len(op["channel_ids"]))
        for name in ("channel_ids", "src_buff", "dst_buff"):
            if name in op:
                del op[name][where]
    elif kind == "input drop":
        del op["src_buff"][dice.randrange(len(op["src_buff"]))]
    else:
        name = {"target": "dst_buff", "source": "src_buff"}.get(kind, "dst_buff")
        entry = dice.choice(op[name])
        entry["size" if kind == "size" else "index"] += dice.choice([-1, 1])
    return f"{kind} {op['name']}"


HARMLESS = ("double nop", "double copy", "double put", "drop nop")


def caught(plan: Plan, seed: int) -> bool:
    """Whether a mutation is refused; what is not must end right in any order."""
    changed = copy.deepcopy(plan)
    what = mutate(changed, seed)
    if verify_plan(changed).violation is not None:
        return True
    # What is done twice in a row, or a nop that nothing follows, changes nothing.
    assert what in HARMLESS, what
    assert all(ends_right(changed, order) for order in range(3))
    return False


@pytest.mark.parametrize(("subject", "collective"), SUBJECTS)
def test_mutations_are_caught(subject: str, collective: str) -> None:
    plan = plan_of(subject, collective)
    assert sum(caught(plan, seed) for seed in range(20)) >= 8


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "collective"), SUBJECTS)
def test_many_mutations_are_caught(subject: str, collective: str) -> None:
    plan = plan_of(subject, collective)
    assert sum(caught(plan, seed) for seed in range(20, 170)) >= 80


HOSTILE: list[tuple[Any, str]] = [
    ([], "the plan: an object"),
    ({}, "collective"),
    ({"collective": "broadcast"}, "collective: 'broadcast'"),
    ({"collective": "allgather", "protocol": "LL"}, "protocol"),
    ({"gpus": 3}, "gpus: a list"),
    ({"gpus": []}, "gpus: 2 to 1024"),
    ({"inplace": 1}, "inplace"),
    ({"name": None}, "name"),
    ({"buffer_alignment": 0}, "buffer_alignment"),
    ({"min_message_size": -1}, "min_message_size"),
    ({"max_message_size": 10**30}, "max_message_size"),
]


@pytest.mark.parametrize(("changes", "told"), HOSTILE)
def test_bad_heads_are_told(changes: Any, told: str) -> None:
    plan = plan_of("K(4)", "allreduce")
    whole = isinstance(changes, list) or changes == {} or "collective" in changes
    document = changes if whole else {**plan, **changes}
    assert told in (verify_plan(document).violation or "")


GPU_CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"id": 1}, "gpu 0: id 1"),
    ({"input_chunks": 0}, "input_chunks"),
    ({"input_chunks": 10**9}, "input_chunks"),
    ({"output_chunks": True}, "output_chunks"),
    ({"scratch_chunks": 0}, "in s of rank 0"),
    ({"channels": [{"channel_type": "memory", "connected_to": [1]}]}, "channel_type"),
    ({"channels": [{"channel_type": "port", "connected_to": [0]}]}, "to itself"),
    ({"channels": [{"channel_type": "port", "connected_to": [9]}]}, "connected_to"),
    ({"remote_buffers": [{"rank": 9}]}, "remote_buffers"),
    ({"threadblocks": [{"id": 7}]}, "threadblock 0: id 7"),
    ({"threadblocks": [{}] * 109}, "109 threadblocks"),
]


@pytest.mark.parametrize(("changes", "told"), GPU_CHANGES)
def test_bad_gpus_are_told(changes: dict[str, Any], told: str) -> None:
    plan = copy.deepcopy(plan_of("K(4)", "allreduce"))
    plan["gpus"][0].update(changes)
    assert told in (verify_plan(plan).violation or "")
