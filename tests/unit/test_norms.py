"""RMSNorm: PyTorch's own, and numbers whose squares float16 cannot hold."""

import pytest
import torch
import torch.nn.functional as F

from helpers.norms import RMSNorm, rms_norm
from tests.unit.bert_models import agree, random
from tests.unit.refusals import require_refused

B, T, C = 2, 5, 7


def test_it_is_pytorch_s_rms_norm():
    x, weight = random(B, T, C), random(C, seed=1)
    x[0, 2] /= 500  # a faint vector, for which eps counts
    for eps in (1e-6, 0.1):
        made = RMSNorm(C, eps).double()
        assert torch.equal(made.weight, torch.ones(C))
        made.weight.data = weight
        agree(rms_norm(x, weight, eps), F.rms_norm(x, (C,), weight, eps))
        agree(made(x), rms_norm(x, weight, eps))
    assert torch.equal(RMSNorm(C).double()(x), rms_norm(x, torch.ones(C).double(), 1e-6))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_as_exact_as_its_numbers(dtype):
    x, weight = (random(B, T, C) * 1000).to(dtype), random(C, seed=1).to(dtype)
    found, expected = rms_norm(x, weight), rms_norm(x.double(), weight.double())
    assert found.dtype == dtype
    torch.testing.assert_close(found.double(), expected, rtol=torch.finfo(dtype).eps, atol=0)
    assert rms_norm(x, weight.float()).dtype == dtype


def test_a_sequence_may_be_empty_and_zeros_have_finite_gradients():
    assert rms_norm(torch.zeros(B, 0, 4), torch.ones(4)).shape == (B, 0, 4)
    zeros = torch.zeros(3, 4, requires_grad=True)
    rms_norm(zeros, torch.ones(4)).sum().backward()
    assert zeros.grad.isfinite().all()


def test_errors_are_one_sentence():
    require_refused(
        ("TypeError: x must be a tensor of floats", lambda: rms_norm(torch.ones(3).long(), torch.ones(3))),
        ("TypeError: weight must be a tensor of floats, got float", lambda: rms_norm(torch.ones(3), 1.0)),
        ("ValueError: C is 3 in x and 4 in weight", lambda: rms_norm(torch.ones(2, 3), torch.ones(4))),
        ("ValueError: d must be at least 1, got 0", lambda: RMSNorm(0)),
    )
