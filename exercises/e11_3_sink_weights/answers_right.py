"""Right answers to exercise 11.3, in as many styles as learners have: the checker must accept all of them."""

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()
INF = float("inf")


@right
def sink_as_a_gate(scores, sinks):
    hidden = scores == -INF
    filled = torch.where(hidden, torch.finfo(scores.dtype).min, scores)
    gate = torch.sigmoid(filled.logsumexp(-1, keepdim=True) - sinks.view(-1, 1, 1))
    return (F.softmax(filled, -1) * gate).masked_fill(hidden, 0)


@right
def sink_in_the_denominator(scores, sinks):
    sink = sinks.reshape(1, -1, 1, 1)
    top = torch.maximum(scores.amax(-1, keepdim=True), sink).clamp(min=-1e30).detach()
    powers = torch.exp(scores - top)
    total = powers.sum(-1, keepdim=True) + torch.exp(sink - top)
    return powers / torch.where(total > 0, total, 1.0)


@right
def sink_padded_in_front(scores, sinks):
    B, H, T, S = scores.shape
    entries = torch.empty(B, H, T, S + 1, dtype=scores.dtype)
    entries[..., 0] = sinks[None, :, None]
    entries[..., 1:] = scores
    visible = entries > -INF
    weights = entries.where(visible, torch.tensor(-3e38, dtype=scores.dtype)).softmax(3) * visible
    return weights[..., 1:]


@right
def sink_head_by_head(scores, sinks):
    heads = []
    for h in range(scores.shape[1]):
        head = torch.cat([scores[:, h], sinks[h].expand(scores.shape[0], scores.shape[2], 1)], dim=-1)
        empty = (head == -INF).all(-1, keepdim=True)
        heads.append(head.masked_fill(empty, 0.0).softmax(-1).masked_fill(empty, 0.0)[..., :-1])
    return torch.stack(heads, 1)


@right
def sink_in_float64(scores, sinks):
    column = sinks.double()[:, None, None].repeat(scores.size(0), 1, scores.size(2), 1)
    entries = torch.cat((scores.double(), column), -1)
    nothing = entries.isneginf().all(-1, keepdim=True)
    weights = torch.softmax(torch.where(nothing, torch.zeros_like(entries), entries), -1)
    return torch.where(nothing, torch.zeros_like(weights), weights).narrow(-1, 0, scores.size(-1)).to(scores.dtype)


@right
def sink_by_logsumexp(scores, sinks):
    hidden = torch.isinf(scores)
    lowest = torch.finfo(scores.dtype).min / 2
    column = sinks[:, None, None].clamp(min=lowest).expand(*scores.shape[:3], 1)
    filled = scores.masked_fill(hidden, lowest)
    lse = torch.logsumexp(torch.cat([filled, column], -1), -1, keepdim=True)
    return (filled - lse).exp().masked_fill(hidden, 0.0)


@right
def sink_row_by_row(scores, sinks):
    rows = []
    for b in range(scores.size(0)):
        for h in range(scores.size(1)):
            for t in range(scores.size(2)):
                entries = torch.cat([scores[b, h, t], sinks[h : h + 1]])
                if torch.isneginf(entries).all():
                    rows.append(torch.zeros_like(scores[b, h, t]))
                else:
                    rows.append(torch.softmax(entries, 0)[:-1])
    return torch.stack(rows).view(scores.shape)
