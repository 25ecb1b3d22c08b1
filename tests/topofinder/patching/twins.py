"""Small random questions, and slow, obvious answers: all permutations, counters of circuits."""

from collections import Counter
from itertools import permutations

import numpy as np

from topofinder.patching.circuits import Circuits


def drawn(seed: int, *, duplex: bool, n: int, most: int = 3, loops: bool = False) -> Circuits:
    """Up to `most` times n circuits between n ends, parallel ones welcome."""
    random = np.random.default_rng(seed)
    count = int(random.integers(1, most * n + 1))
    tail, head = random.integers(n, size=(2, count))
    if not loops:
        head = (tail + 1 + random.integers(n - 1, size=count)) % n
    return Circuits(n=n, duplex=duplex, tail=tail, head=head)


def regular(seed: int, *, duplex: bool, n: int, d: int) -> Circuits:
    """d permutations (simplex) or d // 2 two-factors (duplex), without loops, overlaid."""
    random = np.random.default_rng(seed)
    heads = []
    while len(heads) < (d // 2 if duplex else d):
        head = random.permutation(n)
        if (head != np.arange(n)).all():
            heads.append(head)
    tail = np.tile(np.arange(n), len(heads))
    return Circuits(n=n, duplex=duplex, tail=tail, head=np.concatenate(heads))


def scrambled(circuits: Circuits, seed: int) -> Circuits:
    image = np.random.default_rng(seed).permutation(circuits.n)
    return circuits.on_hosts(image, circuits.n)


def rewired(circuits: Circuits, seed: int, pairs: int) -> Circuits:
    """Some pairs of circuits exchange their heads."""
    random = np.random.default_rng(seed)
    head = circuits.head.copy()
    for _ in range(pairs):
        i, j = random.integers(circuits.count, size=2)
        if circuits.tail[i] != head[j] and circuits.tail[j] != head[i]:
            head[[i, j]] = head[[j, i]]
    return Circuits(n=circuits.n, duplex=circuits.duplex, tail=circuits.tail, head=head)


def bundle(circuits: Circuits, host=None, panel=None) -> Counter:
    """How many circuits join each pair of ends, on each panel if panels are given."""
    names = []
    for i in range(circuits.count):
        ends = (int(circuits.tail[i]), int(circuits.head[i]))
        if host is not None:
            ends = (int(host[ends[0]]), int(host[ends[1]]))
        if circuits.duplex:
            ends = (min(ends), max(ends))
        if ends[0] != ends[1]:
            names.append((ends, 0 if panel is None else int(panel[i])))
    return Counter(names)


def fewest_moves(wiring: Circuits, target: Circuits, fixed=None, room=None) -> int:
    """The fewest circuits to make, over all injections of nodes into hosts."""
    there, best = bundle(wiring), target.count
    need = np.maximum(target.sends, target.receives)
    for host in permutations(range(wiring.n), target.n):
        if fixed is not None and any(f >= 0 and host[v] != f for v, f in enumerate(fixed)):
            continue
        if room is not None and any(need[v] > room[host[v]] for v in range(target.n)):
            continue
        best = min(best, target.count - (bundle(target, host) & there).total())
    return best
