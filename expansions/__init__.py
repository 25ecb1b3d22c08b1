"""What grows a graph, and the nouns Cost and Recipe that expansions map."""
