"""What a node reaches along live arcs, by breadth-first search: the inner loop of the moves."""

from typing import Any

from topofinder.kernels import inner, kernel


@inner
def mark_reached(
    root: int, start: Any, arcs: Any, other: Any, is_up: Any, seen: Any, queue: Any
) -> None:
    """Mark what a node reaches, itself too."""
    seen[:] = False
    seen[root] = True
    queue[0] = root
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


@kernel
def reaches(
    members: Any, start: Any, arcs: Any, other: Any, is_up: Any, seen: Any, queue: Any
) -> bool:
    """Whether the first of some nodes reaches all of them along arcs that are up."""
    mark_reached(members[0], start, arcs, other, is_up, seen, queue)
    return bool(seen[members].all())
