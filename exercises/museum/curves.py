"""Losses."""
STEPS = (0, 1)
LOSSES = {n: (1.0, 0.5) for n in range(1, 17)}
