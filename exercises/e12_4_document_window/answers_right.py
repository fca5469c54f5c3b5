"""Right answers to exercise 12.4, in as many styles as learners have: the checker must accept all of them."""

import functools

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def a_lambda(documents, window):
    return lambda b, h, q, k: (documents[q] == documents[k]) & (q >= k) & (q < k + window)


@right
def three_small_functions(documents, window):
    def causal(b, h, q, k):
        return q >= k

    def near(b, h, q, k):
        return k > q - window

    def same(b, h, q, k):
        return documents[q].eq(documents[k])

    def every(*mods):
        return lambda b, h, q, k: functools.reduce(torch.logical_and, [mod(b, h, q, k) for mod in mods])

    return every(causal, near, same)


@right
def a_distance_between_two_bounds(documents, window):
    def mask_mod(b, h, q_idx, kv_idx):
        distance = q_idx - kv_idx
        inside = torch.logical_and(distance >= 0, distance < window)
        return torch.where(documents[q_idx] == documents[kv_idx], inside, False)

    return mask_mod


@right
def a_table_that_is_looked_up(documents, window):
    i = torch.arange(len(documents))
    table = (documents[:, None] == documents) & (i[:, None] >= i) & (i[:, None] - i < window)
    return lambda b, h, q_idx, kv_idx: table[q_idx, kv_idx]


@right
def a_class_that_can_be_called(documents, window):
    class Mask:
        def __call__(self, b, h, q_idx, kv_idx):
            back = q_idx - kv_idx
            return ~((back < 0) | (back >= window) | (documents[q_idx] != documents[kv_idx]))

    return Mask()


def judge(documents, window, b, h, q_idx, kv_idx):
    return (kv_idx <= q_idx) & (kv_idx + window > q_idx) & (documents[kv_idx] - documents[q_idx] == 0)


@right
def a_partial(documents, window):
    return functools.partial(judge, documents, window)


@right
def the_helpers(documents, window):
    from helpers import mask_mods

    return mask_mods.both(mask_mods.causal, mask_mods.window(window), mask_mods.same_document(documents))
