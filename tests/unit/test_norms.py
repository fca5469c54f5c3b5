"""RMSNorm is PyTorch's own; exercise 10.3 checks more, and in half precision."""

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
    assert rms_norm(x.bfloat16(), weight.float()).dtype == torch.bfloat16
    zeros = torch.zeros(2, C, requires_grad=True)
    rms_norm(zeros, torch.ones(C)).sum().backward()
    assert zeros.grad.isfinite().all() and rms_norm(zeros[:0], torch.ones(C)).shape == (0, C)


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: C is 3 in x and 4 in weight", lambda: rms_norm(torch.ones(2, 3), torch.ones(4))),
        ("ValueError: d must be at least 1, got 0", lambda: RMSNorm(0)),
    )
