"""The course's answer to exercise 8.3."""

import torch


def sample(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(dim=-1)
    if top_k is not None and top_k < logits.size(-1):
        smallest = logits.topk(top_k).values[:, -1:]  # (B, 1), the smallest logit that stays
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    probabilities = (logits / temperature).softmax(dim=-1)
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(1)  # (B, 1) -> (B,)
