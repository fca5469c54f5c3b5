"""Layer norm in replaceable steps, and sentences about the learner's vectors."""

from exercises.common import explainers


def center(x):
    return x - x.mean(dim=-1, keepdim=True)


def spread(x):
    """Return the variance."""
    return x.var(dim=-1, unbiased=False, keepdim=True)


def divide(centered, variance, eps):
    return centered / (variance + eps).sqrt()


def stretch(z, weight, bias):
    return z * weight + bias


def norm_from(center=center, spread=spread, divide=divide, stretch=stretch, whole=None):
    """Build norm(x, weight, bias, eps) from these steps; `whole` replaces them all."""

    def norm(x, weight, bias, eps):
        return stretch(divide(center(x), spread(x), eps), weight, bias)

    return whole or norm


layer_norm = norm_from()  # a right answer to exercise 6.1


# ---------------------------------------------------------------- sentences


def vector(case):
    """Show the vector with the number that is furthest off."""
    at = explainers.worst(case.first, case.expected_first)[:-1]
    where = f"vector at {explainers.position(at)}" if at else "vector"
    mine, right = (explainers.first_numbers(x[at], most=5) for x in (case.first, case.expected_first))
    return f"your {where} is {mine}, and {right} is right"


def without_weight_and_bias(x, case):
    weight, bias = case.args[-3:-1]
    return (x.double() - bias) / weight


def statistics(case):
    """Show the mean and variance of a vector, before weight and bias."""
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
    return "0.0" if abs(float(mean)) < 5e-5 else mean, explainers.number(row.var(unbiased=False))
