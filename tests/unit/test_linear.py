"""Attention without a softmax: the same sums in three orders, and the delta rule in two."""

import pytest
import torch
import torch.nn.functional as F

from exercises.common.sizes import LargestTensor
from helpers.linear import delta_parallel, delta_recurrent, linear_chunked, linear_parallel, linear_recurrent, positive
from tests.unit.refusals import require_refused
from tests.unit.tensors import agree, random

B, H, T, D, E = 2, 3, 11, 5, 7


def qkv(T=T):
    return random(B, H, T, D), random(B, H, T, D, seed=1), random(B, H, T, E, seed=2)


def delta_inputs():
    """Inputs of the delta rule: keys of length 1, and steps between 0 and 1."""
    q, k, v = qkv()
    return q, F.normalize(k, dim=-1), v, random(B, H, T, seed=3).sigmoid()


def by_loop(q, k, v):
    """Linear attention by its definition: one query after the other, one key after the other."""
    out = torch.zeros_like(v)
    for t in range(v.size(-2)):
        weights = [(positive(q[..., t, :]) * positive(k[..., s, :])).sum(-1, keepdim=True) for s in range(t + 1)]
        out[..., t, :] = sum(w * v[..., s, :] for s, w in enumerate(weights)) / sum(weights)
    return out


def gated_inputs():
    """Inputs of the gated delta rule, with the part of the state that is left at each position."""
    return *delta_inputs(), random(B, H, T, seed=4).sigmoid()


def delta_by_loop(q, k, v, beta, alpha=None):
    """The delta rule by its matrix form: the state times alpha (1 - beta k k^T), plus beta k v^T."""
    alpha = torch.ones_like(beta) if alpha is None else alpha
    state, outs = torch.zeros(B, H, D, E, dtype=v.dtype), []
    for t in range(v.size(-2)):
        key, step, left = k[..., t, :, None], beta[..., t, None, None], alpha[..., t, None, None]
        state = left * (torch.eye(D, dtype=v.dtype) - step * key @ key.mT) @ state + step * key @ v[..., t, None, :]
        outs.append(q[..., t, None, :] @ state)
    return torch.cat(outs, dim=-2)


FORMS = {
    "parallel": (linear_parallel, qkv, by_loop),
    "recurrent": (lambda *given: linear_recurrent(*given)[0], qkv, by_loop),
    **{f"chunks of {n}": (lambda *given, n=n: linear_chunked(*given, n)[0], qkv, by_loop) for n in (1, 3, 11, 20)},
    "delta, parallel": (delta_parallel, delta_inputs, delta_by_loop),
    "delta, recurrent": (lambda *given: delta_recurrent(*given)[0], delta_inputs, delta_by_loop),
    "gated, parallel": (delta_parallel, gated_inputs, delta_by_loop),
    "gated, recurrent": (lambda *given: delta_recurrent(*given[:4], alpha=given[4])[0], gated_inputs, delta_by_loop),
}


@pytest.mark.parametrize("form, make, definition", FORMS.values(), ids=FORMS)
def test_each_form_is_the_definition_in_outputs_and_gradients(form, make, definition):
    inputs, mix = [x.requires_grad_() for x in make()], random(B, H, T, E, seed=9)
    found, expected = form(*inputs), definition(*inputs)
    agree(found, expected)
    agree(torch.autograd.grad((found * mix).sum(), inputs), torch.autograd.grad((expected * mix).sum(), inputs))


def test_chunks_never_make_the_table():
    given = qkv(160)
    with LargestTensor() as largest:
        linear_chunked(*given, 8)
    assert largest.elements <= B * H * 160 * E  # as large as v; the table has 23 times as many


def test_features_are_positive_also_where_elu_rounds():
    x = torch.linspace(-60, 60, 25, dtype=torch.float64, requires_grad=True)  # 0 is among them
    agree(positive(x), F.elu(x) + 1)
    agree(*(torch.autograd.grad(each.sum(), x) for each in (positive(x), F.elu(x))))
    assert positive(x.float()).gt(0).all()


Q, V, STEPS = torch.zeros(2, 3, 4), torch.zeros(2, 3, 5), torch.zeros(2, 3)


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: T is 2 in q and 3 in k", lambda: linear_parallel(Q[:, :2], Q, V)),
        ("ValueError: the axes at the dots differ", lambda: linear_recurrent(Q, Q, V[:1])),
        ("TypeError: k must be a tensor of floats", lambda: linear_chunked(Q, Q.long(), V, 2)),
        ("ValueError: chunk must be at least 1, got 0", lambda: linear_chunked(Q, Q, V, 0)),
        ("TypeError: past must be (state, total), as it was returned", lambda: linear_recurrent(Q, Q, V, Q)),
        ("ValueError: past must hold state (..., 4, 5)", lambda: linear_chunked(Q, Q, V, 2, (Q.new_zeros(2, 4, 5), V))),
        ("ValueError: D is 4 in k and 5 in past", lambda: delta_recurrent(Q, Q, V, STEPS, V.new_zeros(2, 5, 4))),
        ("TypeError: past must be a tensor of floats, got list", lambda: delta_recurrent(Q, Q, V, STEPS, [V])),
        ("ValueError: the axes at the dots differ", lambda: delta_parallel(Q, Q, V, STEPS[0])),
        ("ValueError: T is 3 in k and 2 in alpha", lambda: delta_parallel(Q, Q, V, STEPS, STEPS[:, :2])),
    )
