"""Right answers to exercise 6.7, in many styles: the checker must accept all of them."""

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def in_two_sums(x, attention, feed_forward, norm_1, norm_2):
    x = x + attention(norm_1(x))
    normal = norm_2(x)
    return x + feed_forward(normal)


@right
def in_a_loop(x, attention, feed_forward, norm_1, norm_2):
    for sublayer, norm in ((attention, norm_1), (feed_forward, norm_2)):
        x = x + sublayer(norm(x))
    return x


@right
def in_one_sum(x, attention, feed_forward, norm_1, norm_2):
    found = attention(norm_1(x))
    return torch.stack([x, found, feed_forward(norm_2(x + found))]).sum(dim=0)


@right
def with_the_functional_norm(x, attention, feed_forward, norm_1, norm_2):
    def normal(x, norm):
        return F.layer_norm(x, x.shape[-1:], norm.weight, norm.bias, norm.eps)

    middle = torch.add(attention(normal(x, norm_1)), x)
    return middle.add(feed_forward(normal(middle, norm_2)))
