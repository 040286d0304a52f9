"""Matrix to labels: one module per method, each a small frozen value with `partition(X, k)`."""
