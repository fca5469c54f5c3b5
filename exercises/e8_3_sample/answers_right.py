"""Right answers to exercise 8.3, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET505, RET504 - an else after a return, and naming a result first, are styles that must pass

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def sample_in_three_steps(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return torch.argmax(logits, dim=-1)
    logits = logits / temperature
    if top_k is not None:
        top_k = min(top_k, logits.shape[-1])
        values, _ = torch.topk(logits, top_k)
        logits = torch.where(logits < values[:, [-1]], float("-inf"), logits)
    probs = F.softmax(logits, dim=-1)
    return torch.multinomial(probs, num_samples=1, generator=generator)[:, 0]


@right
def sample_among_the_top(logits, temperature=1.0, top_k=None, generator=None):
    k = logits.size(-1) if top_k is None else min(top_k, logits.size(-1))
    values, indices = logits.topk(k, dim=-1)
    if temperature == 0:
        return indices[:, 0]
    drawn = torch.multinomial((values / temperature).softmax(-1), 1, generator=generator)
    return indices.gather(-1, drawn).squeeze(-1)


@right
def sample_by_gumbel_noise(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None and top_k < logits.size(-1):
        logits = logits.masked_fill(logits < logits.topk(top_k).values[:, -1:], -torch.inf)
    noise = torch.rand(logits.shape, generator=generator, dtype=logits.dtype).clamp_min(1e-12)
    return (logits / temperature - (-noise.log()).log()).argmax(-1)


@right
def sample_by_a_race(logits, temperature=1.0, top_k=None, generator=None):
    """The token whose exponential clock rings first."""
    if temperature == 0:
        return logits.argmax(-1)
    probs = (logits / temperature).softmax(-1)
    if top_k is not None:
        keep = torch.zeros_like(probs, dtype=torch.bool)
        keep.scatter_(1, probs.topk(min(top_k, probs.size(1))).indices, True)
        probs = probs * keep
    return (probs / torch.empty_like(probs).exponential_(generator=generator)).argmax(-1)


@right
def sample_by_the_cumulative_sum(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.max(dim=-1).indices
    probs = (logits.double() / temperature).softmax(-1)
    if top_k is not None:
        order = probs.argsort(dim=-1, descending=True)
        probs = probs.scatter(-1, order[:, top_k:], 0.0)
        probs = probs / probs.sum(-1, keepdim=True)
    u = torch.rand(len(logits), 1, generator=generator, dtype=torch.float64)
    return (probs.cumsum(-1) < u).sum(-1).clamp(max=logits.size(-1) - 1)


@right
def sample_with_a_small_temperature(logits, temperature=1.0, top_k=None, generator=None):
    """Almost 0 is greedy too."""
    scaled = logits.double() / max(temperature, 1e-9)
    if top_k:
        kth = scaled.sort(descending=True).values[:, min(top_k, scaled.size(1)) - 1]
        scaled = scaled.masked_fill(scaled < kth.unsqueeze(1), float("-inf"))
    return torch.multinomial(scaled.softmax(-1), 1, generator=generator).flatten()


@right
def sample_by_powers(logits, temperature=1.0, top_k=None, generator=None):
    probs = logits.softmax(-1)
    if temperature == 0:
        return probs.argmax(-1)
    if top_k is not None:
        rank = probs.argsort(-1, descending=True).argsort(-1)
        probs = probs * (rank < top_k)
    return torch.multinomial(probs ** (1 / temperature), 1, generator=generator).squeeze(-1)


@right
def sample_row_by_row(logits, temperature=1.0, top_k=None, generator=None):
    ids = []
    for row in logits:
        if temperature == 0:
            ids.append(row.argmax())
            continue
        if top_k is not None and top_k < len(row):
            row = row.masked_fill(row < row.topk(top_k).values[-1], float("-inf"))
        ids.append(torch.multinomial((row / temperature).softmax(0), 1, generator=generator)[0])
    return torch.stack(ids)


@right.limited
def sample_by_exponentials(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    weights = (logits / temperature).exp()
    if top_k is not None and top_k < logits.size(-1):
        weights = weights * (logits >= logits.topk(top_k).values[:, -1:])
    return torch.multinomial(weights, 1, generator=generator).squeeze(1)
