"""Sentences about what a learner added to x."""

import torch

from exercises.common import explainers


def what_was_added(case):
    """What was added to the first token that is not right."""
    x, positions = case.args
    if case.actual.shape != case.expected.shape:
        return explainers.shape(case)
    at = explainers.worst(case.actual, case.expected)[:-1]
    name = f"x[{at[0]}, {at[1]}]"
    if torch.allclose(case.actual[at], x[at], atol=1e-5):
        return f"nothing was added to {name}; row {at[1]} of positions belongs there"
    row = explainers.number_of_row(positions, case.actual[at] - x[at])
    if row is None or row == at[1]:
        return explainers.entry(case)
    return f"you added row {row} of positions to {name}; row {at[1]} belongs there"
