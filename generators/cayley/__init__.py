"""Groups with a printable specification, and the vertex-transitive digraphs made of them.

    from generators.cayley.notation import parse_group
    group = parse_group("Z64:Z16[3]")     (a,i)(b,j) = (a + 3^i b, i + j); str(group) is canonical

The text (grammar in `generators.cayley.notation`), at most MAX_ORDER elements:

    Z64                       cyclic, sums mod 64
    D8, Dic4                  dihedral and dicyclic groups; both of these have order 16
    S6, A5, P[(0,1,2),(0,1)]  permutation groups; products from left to right
    Z2^3xZ4                   direct products and powers
    Z2^2:Z3[(0,1),(1,1)]      semidirect product; the images of the normal part's generators
    Z8:Z2^2[3|5]              ... under each generator of the part that acts
    Z8.Z2[7|4]                extension by a cyclic group: images, then the tail x^2 = 4

A `Group` has elements 0..order-1, numbered by coordinates (`group.radix`, first coordinate most
significant); 0 is the identity. `group.times(s)` is the int32 array of g * s over all g: node g
of a Cayley digraph has an arc to `times(s)[g]`. `group.translate(u)` is u * g over all g, an
automorphism. `multiply`, `power`, `inverses`, `element_orders()`, `table()` (to MAX_TABLE),
`is_abelian`, `coordinates(g)` and `number(coordinates)` are what else a search needs;
`reachable_elements(group, elements)` says which elements some generate.

The recipe `Cay(Z64:Z16[3];16,83,975)` lists generators by number, ascending; on input an element
may be given by coordinates, `Cay(Z64:Z16[3];(1,0),(5,3),(60,15))`.
"""
