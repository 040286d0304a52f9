"""How strongly columns depend on each other: pair counts, edge weights, and the tree of the strongest."""
