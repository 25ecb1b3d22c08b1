"""Propose how a switch is split: pair what comes in with what goes out, far from where it came.

The ports of a switch stand in groups: what hangs below it by the same way, and all that is above.
Lay the incoming capacity of all ports in a circle, group after group, and the outgoing capacity
likewise; rotate one against the other by at least the largest group, and nothing returns into the
group it came from. Parts of the capacity are rotated by different angles, so that every group is
paired with many others: a circulant where the groups are alike.
"""

import numpy as np

from topofinder.kernels import inner, kernel


@kernel
def rotation_pairs(into, into_group, out, out_group, lower, angles, first):  # type: ignore[no-untyped-def]
    """Pairs (in port, out port, amount), int64 of shape (pairs, 3), of one switch.

    `into`, `out`: capacities of the ports, sorted by group; `angles`: fractions in [0, 1] of the
    way from the least rotation that leaves no group with itself to the greatest, one a part;
    `first`: the part that comes first, so that switches alike differ; `lower`: how many in ports
    and out ports stand before those of the last group if that is what is above, whose order goes
    round. What the parts leave over, where a port takes in more than it gives out, is turned
    half way at last.
    """
    parts = len(angles)
    pairs = np.empty(((parts + 1) * (len(into) + len(out) + 1), 3), np.int64)
    left_in, left_out = into.copy(), out.copy()
    filled = np.int64(0)  # `_pair_rotated` would be compiled for a literal too
    for part in range(parts):
        whose_in, a = _shares_of_part(into, lower[0], part, parts)
        whose_out, b = _shares_of_part(out, lower[1], part, parts)
        most_in, total_in = _largest_group(a, into_group)
        most_out, total_out = _largest_group(b, out_group)
        most, total = max(most_in, most_out), min(total_in, total_out)
        if total == 0:
            continue
        room = max(total_out - 2 * most, 0)
        shift = (most + int(room * angles[(part + first) % parts] + 0.5)) % total_out
        before = filled
        filled = _pair_rotated(a, b, shift, total, pairs, filled)
        for at in range(before, filled):
            pairs[at, 0], pairs[at, 1] = whose_in[pairs[at, 0]], whose_out[pairs[at, 1]]
            left_in[pairs[at, 0]] -= pairs[at, 2]
            left_out[pairs[at, 1]] -= pairs[at, 2]
    total = min(left_in.sum(), left_out.sum())
    if total > 0:
        filled = _pair_rotated(left_in, left_out, total // 2, total, pairs, filled)
    return pairs[:filled]


@inner
def _largest_group(amount, group):  # type: ignore[no-untyped-def]
    """The amount of the largest group, and that of all."""
    most, here, total = 0, 0, 0
    for i in range(len(amount)):
        here = here + amount[i] if i and group[i] == group[i - 1] else amount[i]
        most = max(most, here)
        total += amount[i]
    return most, total


@inner
def _pair_rotated(into, out, shift, total, pairs, filled):  # type: ignore[no-untyped-def]
    """Pair position p of what comes in with position p + shift of what goes out."""
    j, left = 0, 0
    at = shift
    while j < len(out) and at >= out[j]:
        at -= out[j]
        j += 1
    if j == len(out):
        j, at = 0, 0
    left = out[j] - at
    matched = 0
    for i in range(len(into)):
        need = into[i]
        while need > 0 and matched < total:
            while left == 0:
                j = j + 1 if j + 1 < len(out) else 0
                left = out[j]
            amount = min(need, left, total - matched)
            pairs[filled, 0], pairs[filled, 1], pairs[filled, 2] = i, j, amount
            filled += 1
            need -= amount
            left -= amount
            matched += amount
    return filled


@inner
def _shares_of_part(amount, lower, part, parts):  # type: ignore[no-untyped-def]
    """The shares of one part, and whose they are; the shares of all parts sum to the amounts.

    The first `lower` ports keep their places; those after them go round from part to part.
    """
    ports = len(amount)
    owner, share = np.empty(ports, np.int64), np.empty(ports, np.int64)
    above = ports - lower
    for i in range(ports):
        j = i if i < lower else lower + (i - lower + above * part // parts) % above
        owner[i] = j
        share[i] = amount[j] * (part + 1) // parts - amount[j] * part // parts
    return owner, share
