"""Sentences about the learner's vectors, as they are and before weight and bias."""

from exercises.common import explainers


def first_numbers(row):
    return explainers.first_numbers(row, most=5)


def vector(case):
    """The vector with the number that is furthest off."""
    at = explainers.worst(case.first, case.expected_first)[:-1]
    where = f"vector at {explainers.position(at)}" if at else "vector"
    return f"your {where} is {first_numbers(case.first[at])}, and {first_numbers(case.expected_first[at])} is right"


def without_weight_and_bias(x, case):
    weight, bias = case.args[-3:-1]
    return (x.double() - bias) / weight


def statistics(case):
    """Mean and variance of a vector, before weight and bias."""
    got, right = (without_weight_and_bias(x, case) for x in (case.first, case.expected_first))
    at = explainers.worst(got, right)[:-1]
    got, right = [mean_and_variance(x[at]) for x in (got, right)]
    if got == right:
        return vector(case)
    where = f"vector at {explainers.position(at)}" if at else "vector"
    return (
        f"before weight and bias your {where} has mean {got[0]} and variance {got[1]}; "
        f"mean {right[0]} and variance {right[1]} are right"
    )


def mean_and_variance(row):
    mean = explainers.number(row.mean())
    return "0.0000" if abs(float(mean)) < 5e-5 else mean, explainers.number(row.var(unbiased=False))
