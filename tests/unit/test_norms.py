"""RMSNorm: PyTorch's own, and numbers whose squares float16 cannot hold."""

import pytest
import torch
import torch.nn.functional as F

from helpers.norms import RMSNorm, rms_norm
from tests.unit.bert_models import agree, random, require_one_sentence

B, T, C = 2, 5, 7


@pytest.mark.parametrize("eps", [1e-6, 1e-5, 0.1])
def test_it_is_pytorch_s_rms_norm(eps):
    x, weight = random(B, T, C), random(C, seed=1)
    x[0, 2] /= 500  # a faint vector, for which eps counts
    agree(rms_norm(x, weight, eps), F.rms_norm(x, (C,), weight, eps))
    made = RMSNorm(C, eps).double()
    assert torch.equal(made.weight, torch.ones(C))
    made.weight.data = weight
    agree(made(x), rms_norm(x, weight, eps))


def test_the_default_eps_is_1e_6():
    x, weight = random(B, T, C) * 1e-3, random(C, seed=1)
    for found in (rms_norm(x, weight), rms_norm(x, weight, 1e-6)):
        assert torch.equal(found, rms_norm(x, weight, eps=1e-6))
    assert torch.equal(RMSNorm(C).double()(x), rms_norm(x, torch.ones(C).double()))
    assert (rms_norm(x, weight) - rms_norm(x, weight, 1e-5)).abs().max() > 0.1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_as_exact_as_its_numbers(dtype):
    x, weight = (random(B, T, C) * 1000).to(dtype), random(C, seed=1).to(dtype)
    found, expected = rms_norm(x, weight), rms_norm(x.double(), weight.double())
    assert found.dtype == dtype
    torch.testing.assert_close(found.double(), expected, rtol=torch.finfo(dtype).eps, atol=0)
    assert rms_norm(x, weight.float()).dtype == dtype


def test_a_vector_s_scale_does_not_matter_and_its_mean_stays():
    x, weight = random(B, T, C), torch.ones(C).double()
    agree(rms_norm(x * 100, weight, 0.0), rms_norm(x, weight, 0.0))
    assert rms_norm(torch.full((C,), 3.0), torch.ones(C)).tolist() == pytest.approx([1.0] * C)


def test_gradients_empty_sequences_zeros_and_arguments():
    x, weight = random(3, 4).requires_grad_(), random(4, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(rms_norm, (x, weight))
    assert rms_norm(torch.zeros(B, 0, 4), weight.float()).shape == (B, 0, 4)
    zeros = torch.zeros(3, 4, requires_grad=True)
    rms_norm(zeros, torch.ones(4)).sum().backward()
    assert (rms_norm(zeros, torch.ones(4)) == 0).all() and zeros.grad.isfinite().all()
    before = x.detach().clone(), weight.detach().clone()
    rms_norm(x.detach(), weight.detach())
    assert torch.equal(x, before[0]) and torch.equal(weight, before[1])


@pytest.mark.parametrize(
    "error, words, call",
    [
        (
            TypeError,
            "x must be a tensor of floats, got torch.int64",
            lambda: rms_norm(torch.ones(3).long(), torch.ones(3)),
        ),
        (TypeError, "weight must be a tensor of floats, got float", lambda: rms_norm(torch.ones(3), 1.0)),
        (
            ValueError,
            r"x must be \(..., C\).*: C is 3 in x and 4 in weight",
            lambda: rms_norm(torch.ones(2, 3), torch.ones(4)),
        ),
        (ValueError, r"x must be .*: C is 3 in x and 1 in weight", lambda: rms_norm(torch.ones(2, 3), torch.ones(1))),
        (ValueError, "d must be at least 1, got 0", lambda: RMSNorm(0)),
    ],
)
def test_errors_are_one_sentence(error, words, call):
    with pytest.raises(error, match=words) as caught:
        call()
    require_one_sentence(caught)
