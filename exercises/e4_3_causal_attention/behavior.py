"""What is tried with a learner's CausalAttention itself: its mask is a buffer, and it draws, forgets and learns."""

import contextlib

import torch

from exercises.common.attention.projections import PROJECTIONS
from exercises.common.devices import Moved
from exercises.common.dropout.behavior import decided_by_one_draw, decided_without_p
from exercises.common.gradients import gradients_of, unreached
from exercises.common.inputs import DV, B, D, S, T, normal
from exercises.e4_3_causal_attention.reference import CausalAttention
from feedback import BehavioralTest
from helpers.masks import causal_mask

BUFFER = (
    'Make it once, in `__init__`: `self.register_buffer("mask", ...)`. A buffer moves with the module, and no '
    "optimizer touches it."
)


# ---------------------------------------------------------------- where the mask is kept


def is_triangle(value, length):
    """Whether a tensor holds one number on one side of its diagonal, and another one elsewhere."""
    if not isinstance(value, torch.Tensor) or value.numel() < length**2:
        return False
    value = value.detach().squeeze()
    if value.dim() != 2 or value.size(0) != value.size(1):
        return False
    lower = causal_mask(len(value))
    return any(
        (square[lower] == square[0, 0]).all()
        and (square[~lower] == square[0, 1]).all()
        and square[0, 0] != square[0, 1]
        for square in (value, value.T)
    )


def kept_masks(attempt):
    """The names under which the module keeps a mask: (buffers, parameters, plain tensors)."""
    length = 6
    module = attempt(D, DV, length, 0.0).eval()
    module(normal(B, length, D, seed=104))
    plain = [
        (name, value)
        for part in module.modules()
        for owner in (type(part), part)
        for name, value in vars(owner).items()
    ]
    plain += [
        (name, item)
        for name, value in plain
        if isinstance(value, (list, tuple, dict))
        for item in (value.values() if isinstance(value, dict) else value)
    ]
    plain = [(name, value) for name, value in plain if not name.startswith("_buffers") and name != "_parameters"]
    return tuple(
        [name for name, value in named if is_triangle(value, length)]
        for named in (module.named_buffers(), module.named_parameters(), plain)
    )


def mask_is_parameter(attempt):
    buffers, parameters, _ = kept_masks(attempt)
    if buffers or not parameters:
        return None
    return f"The numbers are right, but {parameters[0]} is an nn.Parameter: it counts as something to be learned."


def mask_is_plain(attempt):
    buffers, _, plain = kept_masks(attempt)
    if buffers or not plain:
        return None
    return (
        f"The numbers are right, but self.{plain[0]} is a plain tensor: module.to(device) moves the parameters, "
        "and leaves it behind."
    )


def mask_is_not_kept(attempt):
    if kept_masks(attempt)[0] or buffers_count(attempt):  # such as positions, which are compared
        return None
    return (
        "The numbers are right, but no buffer of the module holds the triangle of the mask: it seems to be made "
        "again in every forward."
    )


# ---------------------------------------------------------------- whether the buffer is used


def mask_stays_on_the_cpu(attempt):
    """Where the module and x are moved, what forward makes on the CPU does not go along."""
    module, x = attempt(D, DV, T, 0.0).eval(), normal(B, T, D, seed=111)
    module(x)  # what is kept from this call does not move along
    with contextlib.suppress(Exception), Moved(x, *module.parameters(), *module.buffers()) as device:
        module(x)
    if not device.met:
        return None
    if buffers_count(attempt):
        return (
            "The mask moves with the module, but forward makes another tensor, which stays on the CPU: on a GPU the "
            "two cannot be combined."
        )
    return (
        "The mask does not move with the module: forward uses one that is made on the CPU, and not a buffer that "
        "`__init__` has made."
    )


def buffers_count(attempt):
    """Whether other numbers in the buffers change the weights, or the code fails with them."""
    module, x = attempt(D, DV, T, 0.0).eval(), normal(B, T, D, seed=111)
    before = module(x)[1]
    try:
        for value in (0, 1):
            for buffer in module.buffers():
                buffer.fill_(value)
            if not torch.equal(module(x)[1], before):
                return True
    except Exception:
        return True
    return False


# ---------------------------------------------------------------- drawing, forgetting, learning


def attend_in_training(attempt, generator, p=0.4):
    """(out, weights) of a new module; nn.Dropout takes no generator."""
    return attempt(D, DV, 32, p).train()(normal(B, 32, D, seed=105))


def zero_weights(pair):
    """Which of the visible weights are 0."""
    weights = pair[1]
    return weights[..., causal_mask(weights.size(-1))] == 0


def keeps_all_in_evaluation(attempt):
    """Otherwise dropout is not what makes weights 0."""
    return not zero_weights(attempt(D, DV, 32, 0.4).eval()(normal(B, 32, D, seed=105))).any()


def zeroes_the_same(attempt):
    module, x = attempt(D, DV, 32, 0.5).train(), normal(B, 32, D, seed=105)
    first, second = (module(x)[1] == 0 for _ in range(2))
    if torch.equal(first, second):
        return "Called twice in training, your module zeroed the same weights both times."
    return None


def remembers(attempt):
    """One module in evaluation, in training, and on a longer sequence in evaluation."""
    module, right = attempt(D, DV, D, 0.5), CausalAttention(D, DV, D, 0.5).eval()
    with torch.no_grad():
        for name in PROJECTIONS:
            getattr(right, name).weight.copy_(getattr(module, name).weight)
    module.eval()(normal(B, T, D, seed=106))
    module.train()(normal(1, T, D, seed=107))
    x = normal(B, S, D, seed=108)
    got, expected = module.eval()(x)[0], right(x)[0]
    if got.shape == expected.shape and torch.allclose(got, expected, rtol=1e-3, atol=1e-4):
        return None
    return (
        "Used in evaluation, then in training, then in evaluation on a longer sequence, your module gives wrong "
        "numbers at the end: it remembers something."
    )


def does_not_learn(attempt):
    """Gradients must reach x and the three layers, in evaluation and in training."""
    for training in (False, True):
        module, x = attempt(D, DV, T, 0.25).train(training), normal(B, T, D, seed=109).requires_grad_()
        with torch.no_grad():  # it may begin with zeros, to which no gradient flows at first
            for i, name in enumerate(PROJECTIONS):
                getattr(module, name).weight.copy_(normal(DV, D, seed=112 + i))
        tensors = {"x": x, **{name: getattr(module, name).weight for name in PROJECTIONS}}
        given = gradients_of(module(x)[0], tensors, seed=110)
        wrong = unreached(given, given, f"in {'training' if training else 'evaluation'} ")
        if wrong:
            return wrong
    return None


def built_again(id, test, hint):
    return BehavioralTest(id, test, hint, required=True, while_doing="built once more,")


TESTS = (
    decided_by_one_draw(attend_in_training, zero_weights, "dropout", keeps_all_in_evaluation),
    decided_without_p(
        attend_in_training,
        zero_weights,
        "dropout",
        "The probability comes from outside: which number is your dropout layer given?",
        keeps_all_in_evaluation,
    ),
    BehavioralTest(
        "same-zeros",
        zeroes_the_same,
        "Every call draws new numbers: make the draw in forward, and seed nothing.",
        required=True,
        while_doing="called twice in training,",
    ),
    BehavioralTest(
        "remembers",
        remembers,
        "forward should change nothing on self: cut the mask into a local variable.",
        required=True,
        while_doing="used again, in training and on a longer sequence,",
    ),
    BehavioralTest(
        "no-gradients",
        does_not_learn,
        "Use the layers themselves, and no detach, `.data` or `no_grad`.",
        required=True,
        while_doing="in the backward pass",
    ),
    built_again("mask-as-parameter", mask_is_parameter, BUFFER),
    built_again("mask-is-plain-tensor", mask_is_plain, BUFFER),
    built_again("mask-not-kept", mask_is_not_kept, BUFFER + " forward then cuts it to the length of x."),
    built_again(
        "mask-stays-on-the-cpu",
        mask_stays_on_the_cpu,
        "`self.mask[:T, :T]` moves with the module. A new tensor belongs where x is: `device=x.device`.",
    ),
)
