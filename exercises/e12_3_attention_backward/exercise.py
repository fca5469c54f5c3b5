"""Exercise 12.3: attention_backward."""

import re

import torch
from torch.autograd import forward_ad
from torch.autograd.graph import saved_tensors_hooks
from torch.overrides import TorchFunctionMode

from exercises.common import properties
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from exercises.e12_3_attention_backward.misconceptions import known
from exercises.e12_3_attention_backward.reference import attention_backward
from feedback import ContractViolation, Exercise, FunctionRunner, TestCase, tree

# ---------------------------------------------------------------- how the code is called


class NoDerivatives(TorchFunctionMode):
    """Raises where a tensor is to get gradients, or carries derivatives forward, as in `torch.func.jvp`."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        tensors = [x for x in args if isinstance(x, torch.Tensor)]
        forward = any(forward_ad.unpack_dual(x).tangent is not None for x in tensors)
        if forward or function is torch.Tensor.requires_grad_:
            raise RuntimeError(SWITCHED_OFF)
        return function(*args, **(kwargs or {}))


def refused(saved):
    """What autograd keeps for a backward pass comes here first."""
    raise RuntimeError(SWITCHED_OFF)


SWITCHED_OFF = "derivatives are switched off"
ASKED_FOR_DERIVATIVES = re.compile(
    rf"{SWITCHED_OFF}|saved tensor hooks|does not require grad|requires_grad=True|[Ii]nference tensor"
)


def forward(q, k, v):
    """out and lse, as the forward pass keeps them."""
    scores = q.double() @ k.double().transpose(-2, -1) / q.size(-1) ** 0.5
    return (scores.softmax(dim=-1) @ v.double()).to(q.dtype), scores.logsumexp(dim=-1).to(q.dtype)


def call(attempt, q, k, v, d_out):
    """The code in inference mode, where neither autograd nor torch.func can help."""
    kept = forward(q, k, v)
    try:
        with torch.inference_mode(), saved_tensors_hooks(refused, refused), NoDerivatives():
            result = attempt(q, k, v, *kept, d_out)
    except RuntimeError as error:
        if not ASKED_FOR_DERIVATIVES.search(str(error)):
            raise
        raise ContractViolation(
            "asks-autograd",
            "Your code asks PyTorch for derivatives (`backward`, `torch.autograd`, `torch.func`). Here they are "
            "switched off, as in a kernel: write down what the gradients are.",
        ) from None
    return tree.map_tensors(torch.clone, result)  # a tensor made in inference mode cannot be used everywhere


# ---------------------------------------------------------------- what it is called with


def arguments(seed, b=B, h=H, t=T, s=S, d=D, size=1.0, dtype=torch.float32):
    """q, k, v, d_out; scores are about size² in size."""
    q, k = (size * normal(b, h, n, d, seed=seed + i, dtype=dtype) for i, n in enumerate((t, s)))
    return q, k, normal(b, h, s, d, seed=seed + 2, dtype=dtype), normal(b, h, t, d, seed=seed + 3, dtype=dtype)


def by_hand(q, k, v, d_out):
    """One head."""
    return tuple(torch.tensor(numbers)[None, None] for numbers in (q, k, v, d_out))


EXERCISE = Exercise(
    minutes=20,
    difficulty=3,
    gives="(dq, dk, dv), the gradients of `(out * d_out).sum()` with respect to q, k and v, where out is attention "
    "scaled by `sqrt(D)`, without a mask, and lse is the logarithm of the sum of exp(scores)",
    reference=attention_backward,
    returns=("dq", "dk", "dv"),
    axis_names=AXES,
    runner=FunctionRunner(call, input_names=("q", "k", "v", "d_out")),
    cases=(
        TestCase("a batch with heads", arguments(1)),
        TestCase("one query", arguments(5, t=1)),
        TestCase("one key", arguments(9, s=1)),
        TestCase("as many queries as keys", arguments(13, t=S)),
        TestCase("more queries than keys", arguments(17, t=13)),
        TestCase("one item and one head", arguments(21, b=1, h=1)),
        TestCase("four features", arguments(25, d=4)),
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
    misconceptions=known,
    hints=(
        "Go through attention backward, one line at a time: from out to weights and v, from weights to scores, from "
        "scores to q and k. The weights are exp(scores - lse).",
        "`out = weights @ v` gives `dv = weights.T @ d_out` and `d_weights = d_out @ v.T`. The softmax gives "
        "`d_scores = weights * (d_weights - mean)`, where mean is the average of d_weights by the weights, for each "
        "query.",
        "That mean is `(d_out * out).sum(-1, keepdim=True)`. With `d_scores` divided by `sqrt(D)`, "
        "`dq = d_scores @ k` and `dk = d_scores.transpose(-2, -1) @ q`.",
    ),
    properties=(properties.FINITE,),
    when_correct="Nothing of size T × S had to be kept between the passes: a kernel does this tile by tile.",
)
