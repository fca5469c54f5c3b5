"""The instructor's guide: `plans` writes what its plans say of the notebooks, and `python -m tools.guide` runs it."""
