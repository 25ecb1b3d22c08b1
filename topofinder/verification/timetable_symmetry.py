"""The symmetry of a compact timetable: images of sends, and when no two of them use one arc.

An automorphism that keeps latencies and capacities carries the valid timetable of one chunk to a
valid one of its image. What is left are the arcs, which the images share. If the translations are
a group that acts regularly on the nodes, then it acts freely on the arcs, so that every class of
arcs has one of each node: the images of two sends meet just where the two themselves are on arcs
of one class at one time.
"""

import numpy as np

from generators.errors import Unsupported
from generators.topology import AnyIntArray, Int64Array, IntArray
from topofinder.model.timetable import Timetable
from topofinder.verification.schedule_loads import arc_kinds
from topofinder.verification.symmetry import Symmetry, check_symmetry
from topofinder.verification.symmetry_kernels import image_table, orbit_size
from topofinder.verification.timetable_kernels import find_shared_arc, find_shared_image
from topofinder.verification.timetable_times import SendTimes


def timetable_symmetry(timetable: Timetable) -> Symmetry | str:
    """The symmetry of a compact timetable, or one line on why it has none."""
    graph, words = timetable.topology, timetable.translations
    if words is None:
        return "the timetable has no translations"
    if graph.switches:
        return "a symmetry is one of hosts, but the topology has switches"
    found = check_symmetry(graph, words.images, words.parent, words.by)
    if isinstance(found, str):
        return found
    for name, values in (("capacity", graph.capacity), ("latency", graph.latency)):
        kind = arc_kinds(values, graph.arcs)[1]
        differ = kind[found.maps] != kind
        if differ.any():
            generator, arc = (int(place[0]) for place in np.nonzero(differ))
            there = found.maps[generator, arc]
            return f"generator {generator} carries arc {arc} to arc {there} of another {name}"
    return found


def shared_arc(
    timetable: Timetable, times: SendTimes, symmetry: Symmetry | None, most_images: int
) -> tuple[int, int, int]:
    """(send, earlier, arc): the first send on an arc that another one keeps; -1 for none.

    With a symmetry the images of sends count; where it is regular, the arc stands for its class.
    Raises Unsupported for more than `most_images` images that have to be looked at one by one.
    """
    order, arcs = np.argsort(times.begin, kind="stable"), timetable.topology.arcs
    words, arc = timetable.translations, times.arc
    if symmetry is not None and words is not None:
        kind = arc_classes(symmetry, words.images, timetable.topology.tail)
        if kind is None:
            return _shared_image(times, symmetry, order, most_images)
        arc = kind[arc]
    i, earlier, e = find_shared_arc(
        order, times.channel, times.start, arc, times.begin, times.busy, arcs
    )
    return i, earlier, e


def _shared_image(
    times: SendTimes, symmetry: Symmetry, order: Int64Array, most_images: int
) -> tuple[int, int, int]:
    """Without switches there are no routes: every channel is an arc."""
    if len(order) * len(symmetry.order) > most_images:
        raise Unsupported(
            f"translations: at most {most_images} images of sends where they are no regular group"
        )
    i, earlier, arc = find_shared_image(
        *_tree_columns(symmetry), symmetry.maps, order, times.channel, times.begin, times.busy
    )
    return i, earlier, arc


def arc_classes(symmetry: Symmetry, images: AnyIntArray, tail: IntArray) -> IntArray | None:
    """The class of every arc under translations, as an arc out of node 0; None unless regular.

    `images` are the generators; `tail` are the tails of the arcs. Shape (arcs,).

    >>> from generators.topology import Topology
    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)])
    >>> turn = np.array([[1, 2, 0]])
    >>> moved = check_symmetry(ring, turn, np.array([0, 0, 1]), np.array([0, 0, 0]))
    >>> arc_classes(moved, turn, ring.tail).tolist()
    [0, 0, 0, 5, 5, 5]
    """
    if not acts_regularly(symmetry, images):
        return None
    own = np.flatnonzero(tail == 0)
    found = np.empty(len(tail), dtype=np.int32)
    found[image_table(*_tree_columns(symmetry), symmetry.maps, own)] = own
    return found


def acts_regularly(symmetry: Symmetry, images: AnyIntArray) -> bool:
    """Whether the generators make a group in which only the identity keeps a node where it is.

    With h_u as the translation of u and s = g(0) for a generator g, let r_g carry u to h_u(s). In
    a regular group the r_g generate its centraliser, which is transitive as well. And where all
    r_g commute with all generators and reach every node from node 0, an element that keeps node 0
    keeps whatever they reach: all nodes.
    """
    moves = image_table(*_tree_columns(symmetry), images, np.ascontiguousarray(images[:, 0]))
    commute = all((image[moves] == moves[image]).all() for image in images)
    return commute and orbit_size(moves) == len(moves)


def _tree_columns(symmetry: Symmetry) -> tuple[Int64Array, Int64Array, Int64Array]:
    parent, by = (np.ascontiguousarray(a, dtype=np.int64) for a in (symmetry.parent, symmetry.by))
    return symmetry.order, parent, by
