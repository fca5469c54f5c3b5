"""Assignments for nbgrader and otter-grader, made from the exercises in the notebooks."""
