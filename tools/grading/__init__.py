"""Assignments for nbgrader, made from the exercises in the notebooks."""
