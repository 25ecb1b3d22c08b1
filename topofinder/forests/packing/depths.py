"""How deep the nodes of a tree lie, from the arcs by which they are entered."""

from topofinder.kernels import inner


@inner
def measure_depths(t, enter, root, tail, depth, trail):  # type: ignore[no-untyped-def]
    """Fill `depth` with the hops from the root of tree t to every node.

    enter[v, t] is the arc by which tree t enters node v, tail[e] where arc e begins; `trail`:
    scratch, int64 of shape (n,). Each node is climbed from once.
    """
    depth[:] = -1
    depth[root[t]] = 0
    for v in range(len(depth)):
        x, hops = v, 0
        while depth[x] < 0:
            trail[hops] = x
            hops += 1
            x = tail[enter[x, t]]
        for i in range(hops - 1, -1, -1):
            depth[trail[i]] = depth[x] + hops - i
