"""Right answers to exercise 12.1, in as many styles as learners have: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def merged_by_softmax_of_a_stack(out_a, lse_a, out_b, lse_b):
    lses = torch.stack([lse_a, lse_b])
    nothing = (lses == float("-inf")).all(0)
    safe = lses.masked_fill(nothing, 0.0)
    shares = safe.softmax(0).masked_fill(nothing, 0.0)
    out = shares[0].unsqueeze(-1) * out_a + shares[1].unsqueeze(-1) * out_b
    return out, safe.logsumexp(0).masked_fill(nothing, float("-inf"))


@right
def merged_by_sigmoid(out_a, lse_a, out_b, lse_b):
    neither = torch.isneginf(lse_a) & torch.isneginf(lse_b)
    x, y = lse_a.masked_fill(neither, 0), lse_b.masked_fill(neither, 0)
    share = torch.sigmoid(x - y)[..., None]
    other = torch.sigmoid(y - x)[..., None]
    out = (share * out_a + other * out_b) * ~neither[..., None]
    return out, torch.logaddexp(x, y).masked_fill(neither, -torch.inf)


@right
def merged_with_a_tiny_divisor(out_a, lse_a, out_b, lse_b):
    top = torch.maximum(lse_a, lse_b).clamp(min=torch.finfo(lse_a.dtype).min)
    wa, wb = torch.exp(lse_a - top), torch.exp(lse_b - top)
    total = wa + wb
    safe = torch.where(total > 0, total, torch.ones_like(total))
    out = (wa.unsqueeze(-1) * out_a + wb.unsqueeze(-1) * out_b) / safe.unsqueeze(-1)
    return out, torch.where(total > 0, top + safe.log(), -torch.inf)


@right
def merged_with_unseen_outs_removed(out_a, lse_a, out_b, lse_b):
    seen_a, seen_b = lse_a > -torch.inf, lse_b > -torch.inf
    out_a = torch.where(seen_a[..., None], out_a, 0.0)
    out_b = torch.where(seen_b[..., None], out_b, 0.0)
    la, lb = torch.where(seen_a, lse_a, -3e4), torch.where(seen_b, lse_b, -3e4)
    lse = torch.logaddexp(la, lb)
    out = (la - lse).exp()[..., None] * out_a + (lb - lse).exp()[..., None] * out_b
    return out, torch.where(seen_a | seen_b, lse, -torch.inf)


@right
def merged_as_a_mean_over_a_new_axis(out_a, lse_a, out_b, lse_b):
    outs, lses = torch.stack([out_a, out_b], dim=-2), torch.stack([lse_a, lse_b], dim=-1)  # (..., T, 2, D), (..., T, 2)
    empty = lses.amax(-1) == float("-inf")
    shares = lses.masked_fill(empty[..., None], 0.0).softmax(-1).masked_fill(empty[..., None], 0.0)
    lse = lses.masked_fill(empty[..., None], 0.0).logsumexp(-1).masked_fill(empty, float("-inf"))
    return torch.einsum("...k,...kd->...d", shares, outs), lse


@right
def merged_by_lerp(out_a, lse_a, out_b, lse_b):
    nothing = (lse_a == -torch.inf) & (lse_b == -torch.inf)
    a, b = lse_a.masked_fill(nothing, 0), lse_b.masked_fill(nothing, 0)
    out = torch.lerp(out_a, out_b, torch.sigmoid(b - a)[..., None])  # exact at both ends
    return out * ~nothing[..., None], torch.logaddexp(a, b).masked_fill(nothing, -torch.inf)


@right
def merged_in_float64(out_a, lse_a, out_b, lse_b):
    a, b = lse_a.double(), lse_b.double()
    top = torch.maximum(a, b).nan_to_num(neginf=0.0)
    ea, eb = (a - top).exp(), (b - top).exp()
    none = ea + eb == 0
    total = ea + eb + none
    out = (ea / total).unsqueeze(-1) * out_a.double() + (eb / total).unsqueeze(-1) * out_b.double()
    return out.to(out_a.dtype), (top + total.log()).masked_fill(none, -torch.inf).to(lse_a.dtype)
