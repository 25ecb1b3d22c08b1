"""Slow twin of the rounds of equal links: sets of chunks, and matchings by networkx."""

from itertools import count, pairwise

import networkx as nx

from topofinder.timetables.problem import ChunkProblem

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(word: int) -> int:
    """The finaliser of splitmix64."""
    word &= WORD
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & WORD
    return word ^ (word >> 31)


def slow_rounds(
    problem: ChunkProblem, *, seed: int, order: str, delay: int
) -> list[set[tuple[int, int]]]:
    """For every round the pairs (chunk, node) that are sent; for at most 512 chunks."""
    n, origin = problem.topology.n, problem.origin.tolist()
    start, channel = problem.channels_into()
    tails = [problem.channels.tail[channel[a:b]].tolist() for a, b in pairwise(start)]
    behind = [[v for v in range(n) for u in tails[v] if u == w] for w in range(n)]
    chunks = set(range(len(origin)))
    got = [{x for x in chunks if origin[x] == v} for v in range(n)]
    arrived, sent = [set(mine) for mine in got], []
    for r in count():
        if all(len(got[v]) == len(chunks) for v in problem.hosts):
            return sent
        if r >= delay:
            for x, v in sent[r - delay]:
                arrived[v].add(x)
        base, pairs = mix(seed + r * GOLDEN), set()
        for v in range(n):
            salt = mix(base + v)
            links = {
                x: [i for i, u in enumerate(tails[v]) if x in arrived[u]] for x in chunks - got[v]
            }

            keys = {
                x: order_key(
                    order,
                    x,
                    salt,
                    sum(x in got[w] for w in behind[v]),
                    len(links[x]),
                    sum(x in mine for mine in got),
                )
                for x in links
            }
            taken: list[int] = []
            for x in sorted((x for x in links if links[x]), key=keys.__getitem__):
                if fits([links[y] for y in [*taken, x]]):
                    taken.append(x)
            pairs |= {(x, v) for x in taken}
            got[v] |= set(taken)
        sent.append(pairs)


def order_key(
    order: str, x: int, salt: int, wanted: int, scarce: int, held: int
) -> tuple[int, ...]:
    """Where chunk x comes: neighbours and nodes that have it, and luck."""
    wanted, scarce = min(7, wanted), min(7, scarce)
    luck, place = mix(salt ^ x) >> 9, x & 511
    cyclic = ((place >> 6) - salt) % 8, ((place & 63) - (salt >> 32)) % 64
    return {
        "full": (wanted, scarce, held, luck >> 43, place),
        "scarce": (scarce, held, luck >> 43, place),
        "rare": (held, wanted, scarce, luck >> 43, place),
        "random": (luck, place),
        "levels": (wanted, scarce, *cyclic),
    }[order]


def fits(rows: list[list[int]]) -> bool:
    """Whether every row can have a link of its own."""
    graph = nx.Graph()
    graph.add_nodes_from(("row", i) for i in range(len(rows)))
    graph.add_edges_from((("row", i), ("link", j)) for i, row in enumerate(rows) for j in row)
    top = [("row", i) for i in range(len(rows))]
    return len(nx.bipartite.maximum_matching(graph, top_nodes=top)) == 2 * len(rows)
