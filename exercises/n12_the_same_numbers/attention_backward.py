"""attention_backward: the reference and its test cases."""

import math
import re

import torch
from torch.autograd import forward_ad
from torch.autograd.graph import saved_tensors_hooks
from torch.overrides import TorchFunctionMode

from exercises.common import properties
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from feedback import ContractViolation, FunctionRunner, TestCase, tree
from feedback.page_exercise import exercise


def attention_backward(q, k, v, out, lse, d_out):
    """The gradients of attention, from what the forward pass kept and the gradient of out.

    Shapes: q, out and d_out (B, H, T, D), k and v (B, H, S, D), lse (B, H, T) -> dq (B, H, T, D), dk, dv (B, H, S, D)
    Source: Dao et al. 2022, appendix B.2; notebook 12
    """
    scale = 1 / math.sqrt(q.size(-1))
    weights = (q @ k.transpose(-2, -1) * scale - lse[..., None]).exp()  # (B, H, T, S), computed again
    d_weights = d_out @ v.transpose(-2, -1)  # (B, H, T, S)
    mean = (d_out * out).sum(dim=-1, keepdim=True)  # (B, H, T, 1), the mean of d_weights by the weights
    d_scores = weights * (d_weights - mean) * scale  # (B, H, T, S), of q @ k.T
    return d_scores @ k, d_scores.transpose(-2, -1) @ q, weights.transpose(-2, -1) @ d_out


# ---------------------------------------------------------------- calling the code


class NoDerivatives(TorchFunctionMode):
    """Raises if a tensor should require gradients, or carries forward-mode derivatives, as in `torch.func.jvp`."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        tensors = [x for x in args if isinstance(x, torch.Tensor)]
        forward = any(forward_ad.unpack_dual(x).tangent is not None for x in tensors)
        if forward or function is torch.Tensor.requires_grad_:
            raise RuntimeError(SWITCHED_OFF)
        return function(*args, **(kwargs or {}))


def refused(saved):
    """Raise when autograd saves a tensor for a backward pass."""
    raise RuntimeError(SWITCHED_OFF)


SWITCHED_OFF = "derivatives are switched off"
ASKED_FOR_DERIVATIVES = re.compile(
    rf"{SWITCHED_OFF}|saved tensor hooks|does not require grad|requires_grad=True|[Ii]nference tensor"
)


def forward(q, k, v):
    """Return out and lse, as the forward pass keeps them."""
    scores = q.double() @ k.double().transpose(-2, -1) / q.size(-1) ** 0.5
    return (scores.softmax(dim=-1) @ v.double()).to(q.dtype), scores.logsumexp(dim=-1).to(q.dtype)


def call(attempt, q, k, v, d_out):
    """Call the code in inference mode, so that neither autograd nor torch.func can compute the gradients."""
    kept = forward(q, k, v)
    given = [x.clone() for x in kept]
    try:
        with torch.inference_mode(), saved_tensors_hooks(refused, refused), NoDerivatives():
            result = attempt(q, k, v, *given, d_out)
    except RuntimeError as error:
        if not ASKED_FOR_DERIVATIVES.search(str(error)):
            raise
        raise ContractViolation(
            "asks-autograd",
            "Your code asks PyTorch for derivatives (`backward`, `torch.autograd`, `torch.func`). Here they are "
            "switched off, as in a kernel: write down what the gradients are.",
        ) from None
    for name, before, after in zip(("out", "lse"), kept, given, strict=True):
        if not (before.is_meta or torch.equal(before, after)):
            raise ContractViolation(
                "changes-input", f"Your code changed its input {name}. Whoever calls it still needs it as it was."
            )
    return tree.map_tensors(torch.clone, result)  # tensors made in inference mode have limited uses


# ---------------------------------------------------------------- inputs


def arguments(seed, b=B, h=H, t=T, s=S, d=D, size=1.0, dtype=torch.float32):
    """Return q, k, v and d_out; scores are of size about size²."""
    q, k = (size * normal(b, h, n, d, seed=seed + i, dtype=dtype) for i, n in enumerate((t, s)))
    return q, k, normal(b, h, s, d, seed=seed + 2, dtype=dtype), normal(b, h, t, d, seed=seed + 3, dtype=dtype)


def by_hand(q, k, v, d_out):
    """Return arguments with one head."""
    return tuple(torch.tensor(numbers)[None, None] for numbers in (q, k, v, d_out))


def stage_of(args):
    """Judge scores that do not overflow in exp first."""
    q, k = args[:2]
    return int((q @ k.transpose(-2, -1)).abs().max() / q.size(-1) ** 0.5 > 80)


EXERCISE = exercise(
    attention_backward,
    returns=("dq", "dk", "dv"),
    axis_names=AXES,
    runner=FunctionRunner(call, input_names=("q", "k", "v", "d_out")),
    cases=(
        TestCase("a batch with heads", arguments(1)),
        TestCase("one query", arguments(5, t=1)),
        TestCase("as many queries as keys", arguments(13, t=S)),
        TestCase("float64", arguments(29, dtype=torch.float64)),
        TestCase("scores of some hundreds", arguments(33, size=17.0), rtol=1e-3, atol=5e-3),
    ),
    minimal_inputs=(
        by_hand([[1.0]], [[0.0]], [[4.0]], [[1.0]]),
        by_hand([[0.0]], [[1.0], [3.0]], [[4.0], [8.0]], [[1.0]]),
        by_hand([[1.0, 0.0]], [[1.0, 0.0], [0.0, 2.0]], [[4.0, 0.0], [8.0, 1.0]], [[1.0, 2.0]]),
        by_hand([[1.0], [2.0]], [[1.0], [0.0], [2.0]], [[4.0], [8.0], [0.0]], [[1.0], [3.0]]),
        by_hand([[10.0]], [[10.0], [9.9]], [[4.0], [8.0]], [[1.0]]),
    ),
    stage_of=stage_of,
    properties=(properties.FINITE,),
)
