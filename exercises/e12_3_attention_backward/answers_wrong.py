"""Wrong answers to exercise 12.3, of the kind that learners write: the checker must reject all of them."""

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def parts(q, k, v, lse, d_out):
    """Weights, and their gradients."""
    p = torch.exp(q @ k.mT * q.size(-1) ** -0.5 - lse.unsqueeze(-1))
    return p, d_out @ v.mT


def answer(q, k, p, ds, d_out, root=None):
    ds = ds / (q.size(-1) ** 0.5 if root is None else root)
    return torch.matmul(ds, k), torch.matmul(ds.mT, q), torch.matmul(p.mT, d_out)


def right(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    return answer(q, k, p, p * (dp - (p * dp).sum(-1, keepdim=True)), d_out)


@wrong("mean-not-subtracted")
def gradients_of_exp(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    return answer(q, k, p, dp * p, d_out)


@wrong("softmax-skipped")
def gradients_without_a_softmax(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    return answer(q, k, p, dp, d_out)


@wrong("weights-missing")
def gradients_without_the_factor(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    return answer(q, k, p, dp - (dp * p).sum(-1, keepdim=True), d_out)


@wrong("like-a-sigmoid")
def gradients_of_a_diagonal_jacobian(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    return answer(q, k, p, dp * (p - p.square()), d_out)


@wrong("mean-added")
def gradients_with_a_plus(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    return answer(q, k, p, p * dp + p * (out * d_out).sum(-1, keepdim=True), d_out)


@wrong("plain-mean-over-keys")
def gradients_minus_the_plain_mean(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    return answer(q, k, p, p * (dp - dp.sum(-1, keepdim=True) / k.size(-2)), d_out)


@wrong("mean-over-queries")
def gradients_minus_a_sum_over_queries(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    return answer(q, k, p, p * (dp - torch.einsum("bhts,bhts->bhs", p, dp).unsqueeze(2)), d_out)


@wrong("averaged-over-features")
def gradients_minus_a_mean_of_features(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    return answer(q, k, p, p * (dp - torch.mean(out * d_out, -1).unsqueeze(-1)), d_out)


@wrong("d-out-summed")
def gradients_minus_the_sum_of_d_out(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    return answer(q, k, p, p * (dp - torch.sum(d_out, -1).unsqueeze(-1)), d_out)


@wrong("gradients-not-scaled")
def gradients_too_large(q, k, v, out, lse, d_out):
    dq, dk, dv = right(q, k, v, out, lse, d_out)
    return dq * q.size(-1) ** 0.5, dk * q.size(-1) ** 0.5, dv


@wrong("gradients-scaled-twice")
def gradients_too_small(q, k, v, out, lse, d_out):
    dq, dk, dv = right(q, k, v, out, lse, d_out)
    return dq / q.size(-1) ** 0.5, dk / q.size(-1) ** 0.5, dv


@wrong("gradients-multiplied")
def gradients_of_multiplied_scores(q, k, v, out, lse, d_out):
    root = q.size(-1) ** 0.5
    p = torch.exp(q @ k.mT / root - lse.unsqueeze(-1))
    ds = root * p * (d_out @ v.mT - torch.sum(out * d_out, -1, keepdim=True))
    return ds @ k, ds.mT @ q, p.mT @ d_out


@wrong("weights-not-scaled")
def gradients_of_sharp_weights(q, k, v, out, lse, d_out):
    p, dp = torch.exp(torch.einsum("bhtd,bhsd->bhts", q, k) - lse.unsqueeze(-1)), d_out @ v.mT
    return answer(q, k, p, p * (dp - (out * d_out).sum(-1, keepdim=True)), d_out)


@wrong("no-scale")
def gradients_without_any_root(q, k, v, out, lse, d_out):
    p, dp = torch.exp(torch.einsum("bhtd,bhsd->bhts", q, k) - lse.unsqueeze(-1)), d_out @ v.mT
    return answer(q, k, p, p * (dp - (out * d_out).sum(-1, keepdim=True)), d_out, root=1)


@wrong("not-normalized")
def gradients_of_plain_exp(q, k, v, out, lse, d_out):
    p, dp = torch.exp(q @ k.mT * q.size(-1) ** -0.5), d_out @ v.mT
    return answer(q, k, p, p * (dp - (out * d_out).sum(-1, keepdim=True)), d_out)


@wrong("divided-by-lse")
def gradients_over_the_logarithm(q, k, v, out, lse, d_out):
    p, dp = torch.exp(q @ k.mT * q.size(-1) ** -0.5) / lse.unsqueeze(-1), d_out @ v.mT
    return answer(q, k, p, p * (dp - (out * d_out).sum(-1, keepdim=True)), d_out)


@wrong("exp-overflows")
def gradients_over_the_sum(q, k, v, out, lse, d_out):
    p, dp = torch.exp(q @ k.mT * q.size(-1) ** -0.5) / torch.exp(lse).unsqueeze(-1), d_out @ v.mT
    return answer(q, k, p, p * (dp - (out * d_out).sum(-1, keepdim=True)), d_out)


@wrong("softmax-over-queries")
def gradients_of_weights_over_queries(q, k, v, out, lse, d_out):
    p, dp = F.softmax(q @ k.mT * q.size(-1) ** -0.5, 2), d_out @ v.mT
    return answer(q, k, p, p * (dp - (out * d_out).sum(-1, keepdim=True)), d_out)


@wrong("dv-from-d-weights")
def gradients_with_dv_of_d_weights(q, k, v, out, lse, d_out):
    dq, dk, _ = right(q, k, v, out, lse, d_out)
    return dq, dk, (v @ d_out.mT) @ d_out


@wrong("dv-not-transposed")
def gradients_with_dv_summed_over_keys(q, k, v, out, lse, d_out):
    dq, dk, _ = right(q, k, v, out, lse, d_out)
    return dq, dk, torch.matmul(parts(q, k, v, lse, d_out)[0], d_out)


@wrong("dk-not-transposed")
def gradients_with_dk_summed_over_keys(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    ds = p * (dp - (out * d_out).sum(-1, keepdim=True)) * q.size(-1) ** -0.5
    return torch.matmul(ds, k), torch.matmul(ds, q), torch.matmul(p.mT, d_out)


@wrong("q-and-k-mixed-up")
def gradients_with_the_same_factor(q, k, v, out, lse, d_out):
    p, dp = parts(q, k, v, lse, d_out)
    ds = p * (dp - (out * d_out).sum(-1, keepdim=True)) * q.size(-1) ** -0.5
    return torch.matmul(ds, q), torch.matmul(ds.mT, k), torch.matmul(p.mT, d_out)


@wrong("out-for-v")
def gradients_with_out_as_values(q, k, v, out, lse, d_out):
    p, _ = parts(q, k, v, lse, d_out)
    return answer(q, k, p, p * (torch.matmul(d_out, out.mT) - (out * d_out).sum(-1, keepdim=True)), d_out)


@wrong("other-order")
def gradients_in_the_order_of_the_way_back(q, k, v, out, lse, d_out):
    return right(q, k, v, out, lse, d_out)[::-1]


@wrong("asks-autograd")
def gradients_by_backward(q, k, v, out, lse, d_out):
    q, k, v = (x.clone().requires_grad_() for x in (q, k, v))
    F.scaled_dot_product_attention(q, k, v).backward(d_out)
    return q.grad, k.grad, v.grad


@wrong("asks-autograd")
def gradients_by_autograd_switched_on_again(q, k, v, out, lse, d_out):
    with torch.inference_mode(False), torch.enable_grad():
        given = [x.clone().requires_grad_() for x in (q, k, v)]
        out = F.scaled_dot_product_attention(*given)
        return torch.autograd.grad(out, given, d_out.clone())


@wrong("asks-autograd")
def gradients_by_vjp(q, k, v, out, lse, d_out):
    _, back = torch.func.vjp(F.scaled_dot_product_attention, q, k, v)
    return back(d_out)


@wrong("asks-autograd")
def gradients_by_autograd_functional(q, k, v, out, lse, d_out):
    return torch.autograd.functional.vjp(F.scaled_dot_product_attention, (q, k, v), d_out)[1]


@wrong("asks-autograd")
def gradients_by_forward_mode(q, k, v, out, lse, d_out):
    def total(q, k, v):
        return ((q @ k.mT / q.size(-1) ** 0.5).softmax(-1) @ v * d_out).sum()

    return torch.func.jacfwd(total, argnums=(0, 1, 2))(q, k, v)


@wrong()
def gradients_with_the_opposite_sign(q, k, v, out, lse, d_out):
    return tuple(-x for x in right(q, k, v, out, lse, d_out))
