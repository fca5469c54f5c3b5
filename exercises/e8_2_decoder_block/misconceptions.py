"""What people get wrong in exercise 8.2, DecoderBlock.

A block is one line of forward for each sublayer, from the steps attend, feed, and the two norms.
"""

import torch
import torch.nn.functional as F
from torch import nn

from feedback import Misconceptions
from helpers.heads import MultiHeadAttention
from helpers.masks import causal_mask


def pre_norm(x, attend, feed, norm_1, norm_2):
    """The right step `forward`."""
    x = x + attend(norm_1(x))
    return x + feed(norm_2(x))


def causally(attention, x):
    """The right step `attend`."""
    return attention(x, causal=True)[0]


def with_gelu(x, expand, contract):
    """The right step `feed`."""
    return contract(F.gelu(expand(x)))


def assemble(forward=pre_norm, attend=causally, feed=with_gelu):
    forward_, attend_, feed_ = forward, attend, feed

    class Wrong(nn.Module):
        def __init__(self, d_model, num_heads, d_ff):
            super().__init__()
            self.attention = MultiHeadAttention(d_model, num_heads)
            self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
            self.expand, self.contract = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

        def forward(self, x):
            def attend(z):
                return attend_(self.attention, z)

            def feed(z):
                return feed_(z, self.expand, self.contract)

            return forward_(x, attend, feed, self.norm_1, self.norm_2)

    return Wrong


known = Misconceptions(assemble)


# ---------------------------------------------------------------- norms


@known(
    "post-norm",
    means="A norm is applied after an addition, as in the post-norm blocks of BERT.",
    hint="Pre-norm: each sublayer reads the normalized x, and its result is added to x as it was. Nothing normalizes "
    "the sum.",
    step="forward",
)
def post_norm(x, attend, feed, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(x + feed(x))


@known.also("post-norm", step="forward")
def post_norm_of_attention_only(x, attend, feed, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return x + feed(norm_2(x))


@known.also("post-norm", step="forward")
def post_norm_of_feed_forward_only(x, attend, feed, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return norm_2(x + feed(x))


@known(
    "norm-after-the-sublayer",
    means="The norm is applied to what a sublayer gives; pre-norm applies it to what the sublayer reads.",
    hint="Which comes first, the norm or attention?",
    step="forward",
)
def norm_of_the_result(x, attend, feed, norm_1, norm_2):
    x = x + norm_1(attend(x))
    return x + norm_2(feed(x))


@known(
    "norm-forgotten",
    means="A sublayer reads x without a norm.",
    hint="There are two sublayers and two norms: does each sublayer read the result of its own?",
    step="forward",
)
def no_norm_before_attention(x, attend, feed, norm_1, norm_2):
    x = x + attend(x)
    return x + feed(norm_2(x))


@known.also("norm-forgotten", step="forward")
def no_norm_before_the_feed_forward_network(x, attend, feed, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + feed(x)


@known.also("norm-forgotten", step="forward")
def no_norm_at_all(x, attend, feed, norm_1, norm_2):
    x = x + attend(x)
    return x + feed(x)


@known(
    "one-norm-for-both",
    means="Both sublayers use the same norm, and the other one is never used.",
    hint="Each norm has a weight and a bias of its own.",
    step="forward",
)
def first_norm_twice(x, attend, feed, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + feed(norm_1(x))


@known(
    "keys-not-normalized",
    means="Only the queries come from the normalized x; keys and values are made from x as it is.",
    hint="In self-attention the same tensor asks and answers: `attention(norm(x), causal=True)`, without a context.",
)
class KeysNotNormalized(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.expand, self.contract = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        x = x + self.attention(self.norm_1(x), x, causal=True)[0]
        return x + self.contract(F.gelu(self.expand(self.norm_2(x))))


# ---------------------------------------------------------------- the residual connections


@known(
    "no-residual",
    means="A residual connection is missing: what a sublayer gives should be added to x, and here it replaces x.",
    hint="Twice: x = x + ... . Which of the two lines has no x on its right side?",
    step="forward",
)
def no_residual_around_attention(x, attend, feed, norm_1, norm_2):
    x = attend(norm_1(x))
    return x + feed(norm_2(x))


@known.also("no-residual", step="forward")
def no_residual_around_the_feed_forward_network(x, attend, feed, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return feed(norm_2(x))


@known.also("no-residual", step="forward")
def no_residual_at_all(x, attend, feed, norm_1, norm_2):
    return feed(norm_2(attend(norm_1(x))))


@known(
    "normalized-residual",
    means="The normalized x is added, not x as it was: the norm has overwritten it.",
    hint="Give the normalized x a name of its own, or put the norm into the call: `x + attention(norm(x))`.",
    step="forward",
)
def adds_the_normalized(x, attend, feed, norm_1, norm_2):
    x = norm_1(x)
    x = x + attend(x)
    x = norm_2(x)
    return x + feed(x)


@known.also("normalized-residual", step="forward")
def adds_the_normalized_to_attention(x, attend, feed, norm_1, norm_2):
    x = norm_1(x)
    x = x + attend(x)
    return x + feed(norm_2(x))


@known.also("normalized-residual", step="forward")
def adds_the_normalized_to_the_feed_forward_network(x, attend, feed, norm_1, norm_2):
    x = x + attend(norm_1(x))
    x = norm_2(x)
    return x + feed(x)


@known(
    "residual-of-the-input",
    means="The second addition adds the input of the block, so what attention gave is lost from the sum.",
    hint="The second sublayer adds to x as it is after attention.",
    step="forward",
)
def adds_the_input_twice(x, attend, feed, norm_1, norm_2):
    h = x + attend(norm_1(x))
    return x + feed(norm_2(h))


@known(
    "residual-twice",
    means="x is added once too often.",
    hint="Each sublayer has one addition. Count how often x reaches the result.",
    step="forward",
)
def one_addition_more(x, attend, feed, norm_1, norm_2):
    h = x + attend(norm_1(x))
    return x + h + feed(norm_2(h))


@known.also("residual-twice", step="forward")
def x_added_to_itself(x, attend, feed, norm_1, norm_2):
    x = x + x + attend(norm_1(x))
    return x + feed(norm_2(x))


@known(
    "parallel",
    means="Both sublayers read the input of the block: they work side by side, and not one after the other.",
    hint="The feed-forward network reads x after attention has been added to it.",
    step="forward",
)
def side_by_side(x, attend, feed, norm_1, norm_2):
    return x + attend(norm_1(x)) + feed(norm_2(x))


@known(
    "feed-forward-first",
    means="The feed-forward network comes before attention.",
    hint="First the tokens exchange what they know, then each one processes it by itself.",
    step="forward",
)
def other_order(x, attend, feed, norm_1, norm_2):
    x = x + feed(norm_1(x))
    return x + attend(norm_2(x))


@known(
    "sublayer-missing",
    means="One of the two sublayers is never used.",
    hint="A block has two: attention, and the feed-forward network. Does forward call both, and use the results?",
    step="forward",
)
def no_feed_forward_network(x, attend, feed, norm_1, norm_2):
    return x + attend(norm_1(x))


@known.also("sublayer-missing", step="forward")
def no_attention(x, attend, feed, norm_1, norm_2):
    return x + feed(norm_2(x))


# ---------------------------------------------------------------- attention


@known(
    "not-causal",
    means="Attention is not causal: every position also reads the ones after it.",
    hint="`MultiHeadAttention` hides nothing unless it is told to: which of its arguments does?",
    step="attend",
)
def reads_all(attention, x):
    return attention(x)[0]


@known(
    "mask-inverted",
    means="The mask is the wrong way around: each position reads the ones after it, and not those before it.",
    hint="True = may attend: True on and below the diagonal.",
    step="attend",
)
def reads_the_future(attention, x):
    return attention(x, mask=~causal_mask(x.size(1)))[0]


@known.also("mask-inverted", step="attend")
def reads_itself_and_the_future(attention, x):
    return attention(x, mask=causal_mask(x.size(1)).T)[0]


@known(
    "self-hidden",
    means="No position reads itself: the diagonal of the mask is False.",
    hint="A position may read the ones before it and itself: `tril()`, without an argument.",
    step="attend",
)
def reads_only_the_past(attention, x):
    return attention(x, mask=torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril(-1))[0]


@known(
    "pair-not-taken-apart",
    means="`MultiHeadAttention` returns a pair, (out, weights), and only out can be added to x.",
    hint="out, _ = attention(...), or attention(...)[0].",
    step="attend",
)
def whole_pair(attention, x):
    return attention(x, causal=True)


# ---------------------------------------------------------------- the feed-forward network


@known(
    "no-activation",
    means="There is no GELU between the two layers: without it they are one linear layer.",
    hint="Expand, GELU, contract.",
    step="feed",
)
def linear_only(x, expand, contract):
    return contract(expand(x))


@known(
    "gelu-misplaced",
    means="GELU is applied somewhere else than between the two layers of the feed-forward network.",
    hint="Expand to d_ff, apply GELU there, contract to d_model. The last thing is a linear layer.",
    step="feed",
)
def gelu_last(x, expand, contract):
    return F.gelu(contract(expand(x)))


@known.also("gelu-misplaced", step="feed")
def gelu_twice(x, expand, contract):
    return F.gelu(contract(F.gelu(expand(x))))


@known.also("gelu-misplaced", step="feed")
def gelu_first(x, expand, contract):
    return contract(expand(F.gelu(x)))


known(
    "another-activation",
    means="Another function than GELU is between the two layers.",
    hint="`nn.GELU()` or `F.gelu`.",
)


def add_activation(activation):
    @known.also("another-activation", step="feed")
    def with_another_activation(x, expand, contract):
        return contract(activation(expand(x)))


for activation in (F.relu, F.silu, torch.tanh, torch.sigmoid, lambda z: z.softmax(-1), F.leaky_relu, F.elu):
    add_activation(activation)
