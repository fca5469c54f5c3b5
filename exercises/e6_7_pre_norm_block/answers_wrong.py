"""Wrong answers to exercise 6.7, each with the diagnosis that it must get."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("residual-after-the-norm")
def renamed(x, attention, feed_forward, norm_1, norm_2):
    x = norm_2(attention(norm_1(x)) + x)
    return feed_forward(x) + x


@wrong("exchanged")
def the_wrong_one_is_normalized(x, attention, feed_forward, norm_1, norm_2):
    x = attention(norm_1(x)) + x
    return torch.add(feed_forward(x), norm_2(x))


@wrong("first-half-changed")
def normalized_first(x, attention, feed_forward, norm_1, norm_2):
    for sublayer, norm in ((attention, norm_1), (feed_forward, norm_2)):
        x = norm(x)
        x = x + sublayer(x)
    return x


@wrong("post-norm")
def norms_at_the_end(x, attention, feed_forward, norm_1, norm_2):
    for sublayer, norm in ((attention, norm_1), (feed_forward, norm_2)):
        x = norm(x + sublayer(x))
    return x


@wrong("not-normalized")
def norm_2_is_computed_and_not_used(x, attention, feed_forward, norm_1, norm_2):
    x = attention(norm_1(x)) + x
    norm_2(x)
    return feed_forward(x) + x


@wrong("the-first-x")
def the_input_is_kept(x, attention, feed_forward, norm_1, norm_2):
    kept = x
    x = kept + attention(norm_1(x))
    return kept + feed_forward(norm_2(x))


@wrong("no-residual")
def feed_forward_alone(x, attention, feed_forward, norm_1, norm_2):
    return feed_forward(norm_2(attention(norm_1(x)) + x))


@wrong("norm-1-twice")
def one_norm(x, attention, feed_forward, norm_1, norm_2):
    for sublayer in (attention, feed_forward):
        x = x + sublayer(norm_1(x))
    return x


@wrong()
def parallel(x, attention, feed_forward, norm_1, norm_2):
    return x + attention(norm_1(x)) + feed_forward(norm_2(x))


@wrong()
def feed_forward_first(x, attention, feed_forward, norm_1, norm_2):
    x = x + feed_forward(norm_2(x))
    return x + attention(norm_1(x))
