"""Answers to exercise 8.3 with two mistakes at once: naming either is true, naming a third is not."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


def draw(logits, generator):
    return torch.multinomial(logits.softmax(-1), 1, generator=generator).squeeze(1)


@both("temperature-multiplied", "top-k-ignored")
def multiplied_and_no_top_k(logits, temperature=1.0, top_k=None, generator=None):
    return logits.argmax(-1) if temperature == 0 else draw(logits * temperature, generator)


@both("temperature-multiplied", "temperature-0-draws")
def multiplied_by_0(logits, temperature=1.0, top_k=None, generator=None):
    logits = logits * temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(min(top_k, logits.size(-1))).values[:, -1:], float("-inf"))
    return draw(logits, generator)


@both("temperature-0-divides", "top-k-above-v")
def no_special_cases(logits, temperature=1.0, top_k=None, generator=None):
    logits = logits / temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(top_k).values[:, -1:], float("-inf"))
    return draw(logits, generator)


@both("one-token-less", "temperature-0-divides")
def one_less_and_no_greedy(logits, temperature=1.0, top_k=None, generator=None):
    logits = logits / temperature
    if top_k is not None:
        cut = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
        logits = logits.masked_fill(logits <= cut, float("-inf"))
    return draw(logits, generator)


@both("position-not-token", "top-k-above-v")
def positions_and_any_top_k(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        logits = logits.topk(top_k).values
    return draw(logits / temperature, generator)
