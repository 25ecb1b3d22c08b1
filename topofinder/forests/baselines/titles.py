"""The customary collectives that are mapped on any graph, by name; what makes them loads more."""

TITLES = {
    "nccl-ring": "rings as NCCL lays them",
    "nccl-tree": "double binary trees of boxes, in each a chain",
    "double-tree": "double binary trees of all hosts",
    "halving-doubling": "recursive halving and doubling",
    "bruck": "Bruck's algorithm",
    "mapped-direct": "everyone to everyone",
    "multitree": "trees grown step by step, as MultiTree",
    "blink": "packed trees of one root, as Blink",
}
