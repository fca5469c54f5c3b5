"""What learners import: check an exercise, ask for a hint, read the solution, look at what is done."""

from helpers.checks import EXERCISES, check, hint, progress, reference, solution

__all__ = ["EXERCISES", "check", "hint", "progress", "reference", "solution"]
