"""test_scale: the reference, its steps and test cases; the page next to it says the rest."""

import math

import torch

from exercises.common.suspects import RUNNER, Suspects
from feedback.format import number
from feedback.paged import exercise


def test_scale(scores_of):
    """The scores are q · k / √D, whatever D is.

    Shapes: scores_of takes q (B, H, T, D) and k (B, H, S, D) to (B, H, T, S)
    """
    for D in (2, 3, 8, 64, 80):
        q, k = torch.randn(2, 3, 5, D), torch.randn(2, 3, 7, D)
        right = q @ k.transpose(-2, -1) / math.sqrt(D)  # (B, H, T, S)
        apart = (scores_of(q, k) - right).abs().max()
        assert apart < 1e-4, f"for D = {D} a score is {apart:.2g} away from q · k / √D"


# What a test of the scale is tried on: functions scores_of, q (B, H, T, D) and k (B, H, S, D) -> (B, H, T, S).


bank = Suspects()


def products(q, k):
    """q · k, (B, H, T, S)."""
    return q @ k.transpose(-2, -1)


def score(B, H, D, T=3, S=5):
    """The score that is furthest off, for inputs of these sizes."""

    def shows(scores_of):
        own = torch.Generator().manual_seed(D)
        q, k = torch.randn(B, H, T, D, generator=own), torch.randn(B, H, S, D, generator=own)
        right, got = products(q, k) / math.sqrt(D), scores_of(q, k)
        i = int((got - right).abs().argmax())
        return (
            f"For q of shape {(B, H, T, D)} and k of shape {(B, H, S, D)}, the score of a query and a key is "
            f"{number(got.flatten()[i])}, and q · k / √{D} is {number(right.flatten()[i])}"
        )

    return shows


def healthy(told, why):
    """Register a function whose suspects have no numbers of their own."""
    return lambda function: bank.healthy(told, why)(lambda numbers: function)


def broken(told, shows):
    return lambda function: bank.broken(told, shows)(lambda numbers: function)


# ---------------------------------------------------------------- healthy


@healthy("it divides the products by √D", "that is the definition")
def divided(q, k):
    return products(q, k) / math.sqrt(q.size(-1))


@bank.healthy(
    "it adds up in another order in every second call, which moves its results by a few millionths",
    "rounding is no error of scale: two calls on one input may differ by up to 1e-5",
)
def rounded(numbers):
    calls = []

    def scores_of(q, k):
        calls.append(0)
        return products(q, k) / math.sqrt(q.size(-1)) + 3e-6 * (-1) ** len(calls)

    return scores_of


@healthy("it multiplies the queries by D^(-1/2) before the product", "a factor may come first")
def queries_scaled(q, k):
    return products(q * q.size(-1) ** -0.5, k)


@healthy("it divides queries and keys by the fourth root of D", "both together divide by √D")
def both_scaled(q, k):
    root = k.size(-1) ** 0.25
    return products(q / root, k / root)


@healthy("it writes the product with einsum", "the indices say the same")
def with_einsum(q, k):
    return torch.einsum("bhtd,bhsd->bhts", q, k).mul(1 / math.sqrt(q.size(3)))


@healthy("it loops over items and heads", "each is computed by itself, and each is divided by √D")
def loop(q, k):
    root = q.size(-1) ** 0.5
    return torch.stack(
        [torch.stack([a @ b.T / root for a, b in zip(*heads, strict=True)]) for heads in zip(q, k, strict=True)]
    )


@healthy("it computes in float64", "more digits are no error")
def in_float64(q, k):
    return (products(q.double(), k.double()) / q.size(-1) ** 0.5).float()


@healthy("it adds up blocks of 16 features", "the blocks together are all D features")
def in_blocks(q, k):
    blocks = zip(q.split(16, -1), k.split(16, -1), strict=True)
    return sum(products(a, b) for a, b in blocks) * math.exp(-math.log(q.size(-1)) / 2)


@healthy("it multiplies element by element and sums over the features", "that is what a matrix product does")
def element_by_element(q, k):
    return (q[..., :, None, :] * k[..., None, :, :]).sum(-1) / torch.tensor(float(q.size(-1))).sqrt()


@healthy("it multiplies batches of matrices with a factor that the product itself applies", "the factor is 1 / √D")
def with_a_factor_of_torch(q, k):
    (B, H, T, D), S = q.shape, k.size(2)
    flat = q.reshape(B * H, T, D), k.reshape(B * H, S, D).transpose(1, 2)
    return torch.baddbmm(q.new_zeros(()), *flat, beta=0, alpha=D**-0.5).view(B, H, T, S)


@healthy("it computes distances, not products", "|q|² + |k|² - |q - k|² is twice q · k")
def from_distances(q, k):
    q, k = q.double(), k.double()
    apart = (q[..., :, None, :] - k[..., None, :, :]).square().sum(-1)
    twice = q.square().sum(-1)[..., :, None] + k.square().sum(-1)[..., None, :] - apart
    return (twice / (2 * math.sqrt(q.size(-1)))).float()


@healthy("it multiplies cosines by lengths", "that is the product again")
def from_cosines(q, k):
    lengths = [x.norm(dim=-1, keepdim=True).clamp_min(1e-12) for x in (q, k)]
    cosines = products(q / lengths[0], k / lengths[1])
    return cosines * lengths[0] * lengths[1].transpose(-2, -1) / math.sqrt(q.size(-1))


@bank.healthy("it computes without gradients, and pads the features with zeros", "zeros add nothing to a product")
def padded(numbers):
    @torch.no_grad()
    def scores_of(q, k):
        D = q.size(-1)
        q, k = (torch.nn.functional.pad(x, (0, -D % 32)) for x in (q, k))
        return products(q, k) / D**0.5

    return scores_of


# ---------------------------------------------------------------- broken: what is divided by


def divided_by(divisor):
    """A function that divides by divisor(q, k)."""
    return lambda q, k: products(q, k) / divisor(q, k)


broken("the scores grow with D", score(2, 3, 16))(divided_by(lambda q, k: 1))
broken("the scores are too small, more so for a large D", score(2, 3, 16))(divided_by(lambda q, k: q.size(-1)))
broken("the scores are far too large for a large D", score(2, 3, 16))(divided_by(lambda q, k: q.size(-1) ** -0.5))
broken("the scores are right for D = 8, and for no other D", score(2, 3, 16))(divided_by(lambda q, k: math.sqrt(8)))
broken("the scores are right for D = 64, and for no other D", score(2, 3, 16))(divided_by(lambda q, k: 8.0))
broken("the scores are right for D = 16, and for no other D", score(2, 3, 8))(divided_by(lambda q, k: 4.0))
broken("the scores depend on how many keys there are", score(2, 3, 16, S=8))(
    divided_by(lambda q, k: math.sqrt(k.size(-2)))
)
broken("the scores depend on how many queries there are", score(2, 3, 16, T=8))(
    divided_by(lambda q, k: math.sqrt(q.size(-2)))
)
broken("with several heads, the scores are too small", score(1, 4, 16))(
    divided_by(lambda q, k: math.sqrt(q.size(1) * q.size(-1)))
)
broken("with several items, the scores are too small", score(3, 1, 16))(
    divided_by(lambda q, k: math.sqrt(q.size(0) * q.size(-1)))
)
broken("where √D is no whole number, the scores are too large", score(2, 3, 12))(
    divided_by(lambda q, k: math.isqrt(q.size(-1)))
)
broken("where D is odd, the scores are too large", score(2, 3, 5))(divided_by(lambda q, k: (q.size(-1) & ~1) ** 0.5))
broken("where D is above 64, the scores are too large", score(2, 3, 100))(
    divided_by(lambda q, k: min(q.size(-1), 64) ** 0.5)
)
broken("the scores are somewhat too small, most where D is small", score(2, 3, 16))(
    divided_by(lambda q, k: math.sqrt(q.size(-1) + 1))
)
broken("all scores are half a percent too large", score(2, 3, 16))(
    divided_by(lambda q, k: 0.995 * math.sqrt(q.size(-1)))
)


# ---------------------------------------------------------------- broken: what is multiplied


@broken("where D is odd, one feature does not count", score(2, 3, 5))
def in_pairs(q, k):
    even = q.size(-1) & ~1
    return products(q[..., :even], k[..., :even]) / math.sqrt(q.size(-1))


@broken("where D is above 64, some features do not count", score(2, 3, 100))
def cut_off(q, k):
    return products(q[..., :64], k[..., :64]) / math.sqrt(q.size(-1))


@broken("with several heads, a query is compared with keys of another head", score(1, 3, 16))
def keys_of_the_first_head(q, k):
    return products(q, k[:, :1]) / math.sqrt(q.size(-1))


@broken("with several items, a query is compared with keys of another item", score(3, 1, 16))
def keys_of_another_item(q, k):
    return products(q, k.flip(0)) / math.sqrt(q.size(-1))


@broken("the scores of a query belong to other keys", score(2, 3, 16))
def keys_in_another_order(q, k):
    return products(q, k).flip(-1) / math.sqrt(q.size(-1))


@broken("all scores are what they should be but for their sign", score(2, 3, 16))
def negated(q, k):
    return -products(q, k) / math.sqrt(q.size(-1))


@broken("with several items, all but the first are scaled otherwise", score(3, 1, 16))
def only_the_first_item(q, k):
    scores = products(q, k)
    return torch.cat([scores[:1] / math.sqrt(q.size(-1)), scores[1:]])


@broken("with several heads, all but the last are scaled otherwise", score(1, 3, 16))
def only_the_last_head(q, k):
    scores = products(q, k)
    return torch.cat([scores[:, :-1], scores[:, -1:] / math.sqrt(q.size(-1))], dim=1)


@broken("all scores of a query are too low by the same number", score(2, 3, 16))
def below_the_largest(q, k):
    scores = products(q, k) / math.sqrt(q.size(-1))
    return scores - scores.amax(-1, keepdim=True)


EXERCISE = exercise(
    test_scale,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    properties=bank.properties(
        accuses="Is what you compare with q · k / √D, and do you allow for rounding?",
        passes="For which sizes would your test have to try it, and what would it have to compare, to see that?",
    ),
)
