"""The compiled loops: arrays in, arrays out, nothing else."""
