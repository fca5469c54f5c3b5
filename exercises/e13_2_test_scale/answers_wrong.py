"""Wrong tests for exercise 13.2, each with the diagnosis that it must get."""

import math

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def right_scores(q, k):
    return torch.einsum("bhtd,bhsd->bhts", q, k) / q.size(-1) ** 0.5


def drawn(D, B=2, H=2, T=3, S=4):
    return torch.randn(B, H, T, D), torch.randn(B, H, S, D)


def close(scores_of, q, k, atol=1e-4):
    return torch.allclose(scores_of(q, k), right_scores(q, k), atol=atol)


@wrong("one-width")
def of_64(scores_of):
    q, k = torch.randn(2, 3, 5, 64), torch.randn(2, 3, 7, 64)
    return torch.allclose(scores_of(q, k), q @ k.mT / 8, atol=1e-4)


@wrong("always-none")
def compares_and_forgets(scores_of):
    for D in (3, 80):
        close(scores_of, *drawn(D))


@wrong("always-none")
def only_shapes(scores_of):
    return scores_of(*drawn(80)).shape == (2, 2, 3, 4)


@wrong("turned-around")
def true_where_it_differs(scores_of):
    return any(not close(scores_of, *drawn(D)) for D in (3, 80))


@wrong("accuses-all")
def compares_with_the_products(scores_of):
    for D in (3, 80):
        q, k = drawn(D)
        assert torch.allclose(scores_of(q, k), q @ k.mT, atol=1e-4)


@wrong("accuses-healthy-code")
def divides_by_the_number_of_queries(scores_of):
    q, k = drawn(65)
    return torch.allclose(scores_of(q, k), q @ k.mT / len(q[0, 0]) ** 0.5, atol=1e-4)


@wrong("one-width")
def of_eight(scores_of):
    assert close(scores_of, *drawn(8, T=5, S=7))


@wrong("one-width")
def of_sixteen(scores_of):
    q, k = drawn(16)
    assert (scores_of(q, k) - q @ k.mT / 4).abs().max() < 1e-4


@wrong("even-widths-only")
def from_two_to_a_hundred(scores_of):
    return all(close(scores_of, *drawn(D)) for D in range(2, 101, 14))


@wrong("no-wide-heads")
def up_to_sixty(scores_of):
    return all(close(scores_of, *drawn(D)) for D in range(2, 61))


@wrong("squares-only")
def whole_roots(scores_of):
    for root in range(2, 12):
        assert close(scores_of, *drawn(root**2))


@wrong("usual-widths-only")
def powers_of_two(scores_of):
    return all(close(scores_of, *drawn(2**n)) for n in range(1, 7))


@wrong("one-item")
def one_text(scores_of):
    return all(close(scores_of, *drawn(D, B=1)) for D in (3, 7, 30, 90))


@wrong("one-head")
def a_single_head(scores_of):
    for D in (3, 7, 30, 90):
        assert close(scores_of, *drawn(D, H=1))


@wrong("one-item-and-head")
def one_of_each(scores_of):
    for D in (3, 7, 30, 90):
        assert close(scores_of, *drawn(D, 1, 1))


@wrong("sizes-agree")
def all_sizes_alike(scores_of):
    for D in (3, 7, 30, 90):
        assert close(scores_of, *drawn(D, T=D, S=D))


@wrong("constant-inputs")
def ones(scores_of):
    for D in (2, 3, 5, 70, 90):
        scores = scores_of(torch.ones(2, 3, 4, D), torch.ones(2, 3, 6, D))
        if (scores - math.sqrt(D)).abs().max() > 1e-4:
            return False
    return True


@wrong("spread-measured")
def norms(scores_of):
    for D in (3, 5, 70, 90):
        q, k = drawn(D, 3, 4, 5, 6)
        assert abs(scores_of(q, k).square().mean() / right_scores(q, k).square().mean() - 1) < 2e-3


@wrong("sums-compared")
def sums(scores_of):
    for D in (3, 5, 70, 90):
        q, k = drawn(D)
        assert (scores_of(q, k).mean() - right_scores(q, k).mean()).abs() < 1e-4


@wrong("weights-compared")
def weights(scores_of):
    for D in (3, 5, 70, 90):
        q, k = drawn(D)
        assert torch.allclose(scores_of(q, k).softmax(-1), right_scores(q, k).softmax(-1), atol=1e-4)


@wrong("lets-a-bug-pass")
def the_last_head(scores_of):
    for D in (3, 5, 70, 90):
        q, k = drawn(D)
        assert torch.allclose(scores_of(q, k)[-1, -1], right_scores(q, k)[-1, -1], atol=1e-4)


@wrong("rounding-accused")
def to_the_bit(scores_of):
    for D in (2, 3, 8, 64, 80):
        q, k = drawn(D, 2, 3, 5, 7)
        assert torch.equal(scores_of(q, k), q @ k.mT / math.sqrt(D))


@wrong("tolerance-too-large")
def a_tenth(scores_of):
    return all(close(scores_of, *drawn(D), atol=0.1) for D in (3, 5, 70, 90))


@wrong("right-only-sometimes")
def one_width_at_random(scores_of):
    return close(scores_of, *drawn(int(torch.randint(2, 129, ()))))


@wrong("returns-something-else")
def the_difference(scores_of):
    q, k = drawn(80)
    return (scores_of(q, k) - right_scores(q, k)).abs().max().item()


@wrong()
def shapes_that_do_not_fit(scores_of):
    q, k = drawn(80)
    assert torch.equal(scores_of(q, k), q @ k / math.sqrt(80))
