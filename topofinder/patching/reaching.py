"""What node 0 reaches along the arcs that are up: the inner loop of the order of moves."""

from typing import Any

from topofinder.jit import inner, kernel


@inner
def spread(start: Any, arcs: Any, other: Any, is_up: Any, seen: Any, queue: Any) -> int:
    """Mark what node 0 reaches; the number of nodes marked."""
    seen[:] = False
    seen[0] = True
    queue[0] = 0
    done, count = 0, 1
    while done < count:
        node = queue[done]
        done += 1
        for place in range(start[node], start[node + 1]):
            arc = arcs[place]
            if is_up[arc] and not seen[other[arc]]:
                seen[other[arc]] = True
                queue[count] = other[arc]
                count += 1
    return count


@kernel
def reaches(start: Any, arcs: Any, other: Any, is_up: Any, seen: Any, queue: Any) -> bool:
    """Whether node 0 reaches all nodes along arcs that are up."""
    return bool(spread(start, arcs, other, is_up, seen, queue) == len(seen))
