"""The course's own answer to exercise 4.4."""


def drop_with_coins(weights, coins, p, training):
    """Inverted dropout with coins that were tossed before.

    Shapes: weights (..., T, S), coins (..., T, S) -> (..., T, S)
    Units:  coins are numbers from 0 to 1, and each below p drops its weight
    """
    if not training:
        return weights
    keep = coins >= p
    return weights * keep / (1 - p)
