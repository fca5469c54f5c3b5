"""Exercise 4.3: CausalAttention."""

import contextlib
import re

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from exercises.common.dropping import (
    _drawn,
    _pair_essence,
    _pair_laws,
)
from exercises.common.inputs import AXES, DV, B, D, S, T, normal, round_numbers
from exercises.common.modules import in_a_row, require_methods
from exercises.common.self_attention import PROJECTIONS, fill_projections
from exercises.e4_3_causal_attention.misconceptions import MISCONCEPTIONS
from exercises.e4_3_causal_attention.shared import (
    _OF_CAUSAL,
    _causal_weights,
    _future,
    _look_causal,
    _projected,
)
from feedback import BehavioralTest, ContractViolation, Exercise, ModuleRunner, Property, SummaryComparison, TestCase
from helpers.attention import CausalAttention
from helpers.masks import causal_mask


def run_causal_attention(attempt, x, *rest):
    """Build the learner's module, put known numbers into its projections, and apply it to x.

    Shapes: x (B, T, d_in); rest is three weights (d_out, d_in), context_length, dropout, training
    Errors: ContractViolation where the module lacks what the exercise names, or its mask does not fit a shorter x
    Source: notebook 04
    """
    *weights, context_length, p, training = rest
    require_methods(attempt, "d_in, d_out, context_length, dropout")

    def apply(length):
        module = attempt(*reversed(weights[0].shape), length, p)
        fill_projections(module, attempt, weights)
        return module.to(x.dtype).train(training)(x)

    try:
        return apply(context_length)
    except RuntimeError as error:
        if _works(apply, x.size(1)):
            raise ContractViolation("mask-not-cut", _not_cut(context_length, x.size(1), error)) from None
        raise


def _works(apply, length):
    try:
        apply(length)
    except Exception:
        return False
    return True


def _not_cut(context_length, length, error):
    return (f"Built with context_length = {context_length}, your module cannot take {length} positions "
            f"({type(error).__name__}: {str(error).splitlines()[0]}). Built with context_length = {length} it can: so "
            "something keeps that size, most likely the mask. Cut both its axes to the length of x: mask[:T, :T] "
            "with T = x.size(1).")


def _told_causal(args):
    x, weight, *_, context_length, p, training = args
    return (f"It was built with d_in = {weight.size(1)}, d_out = {weight.size(0)}, context_length = {context_length} "
            f"and dropout = {p:g}, to be applied to x of shape {tuple(x.shape)} in "
            f"{'training' if training else 'evaluation'}.")


def _causal_values(case):
    return [*_projected(case.args)][2]


def _causal_essence(args, value):
    return _pair_essence(_causal_weights(args), [*_projected(args)][2], *args[-2:], value)


def _future_is_hidden(case):
    leak = case.last.double() * ~causal_mask(case.last.size(-1))
    return None if (leak.abs() < 1e-4).all() else f"The future must get the weight 0, in training too: {_future(case)}."


_FUTURE = Property("future-read", _future_is_hidden, "Row i may see the columns 0 to i. Which step comes between the mask "
                                                "and the weights?")


def _given(batch, length, context_length, training, seed, d_in=D, d_out=DV):
    """The arguments of 4.3, without dropout."""
    x = normal(batch, length, d_in, seed=seed)
    weights = (normal(d_out, d_in, seed=seed + 1 + i) / (d_in / 3) ** 0.5 for i in range(3))
    return x, *weights, context_length, 0.0, training


def _shown(batch, length, context_length, p, training, seed):
    """The arguments of 4.3, with values that begin with the identity, so that out shows what mixed them.

    x ends with the identity, and W_value brings it to the front of the values.
    """
    d_in, d_out = D + length, length + DV
    eye = torch.eye(length)
    x = torch.cat([normal(batch, length, D, seed=seed), eye.expand(batch, length, length)], -1)
    q, k = (0.4 * normal(d_out, d_in, seed=seed + i) for i in (1, 2))
    v = torch.cat([torch.cat([torch.zeros(length, D), eye], -1), normal(DV, d_in, seed=seed + 3)])
    return x, q, k, v, context_length, p, training


def _in_float64(args):
    return args[0].double(), *args[1:]


_CAUSAL_PROBES = (
    TestCase("a batch, as long as context_length", _given(B, T, T, False, seed=60)),
    TestCase("shorter than context_length, in evaluation", _shown(B, S, 9, 0.5, False, seed=64)),
    TestCase("in training, dropout = 0.3", _shown(6, 40, 40, 0.3, True, seed=68), rtol=1e-3),
    TestCase("in training, dropout = 0", _given(3, 16, 20, True, seed=72)),
    TestCase("one position", _given(B, 1, 3, False, seed=76)),
    TestCase("one item", _given(1, S, S, False, seed=80)),
    TestCase("float64 in evaluation", _in_float64(_given(B, T, S, False, seed=84))),
    TestCase("as many features out as in", _given(B, S, D, False, seed=88, d_out=D)),
    TestCase("d_in = 17, d_out = 19", _given(B, T, DV, False, seed=92, d_in=17, d_out=19)),
    TestCase("float64 in training, dropout = 0.5", _in_float64(_shown(6, 41, 50, 0.5, True, seed=96)), rtol=1e-3),
    TestCase("in training, dropout = 0.8", _shown(4, 60, 64, 0.8, True, seed=100), rtol=1e-3),
)


def _is_triangle(value, length):
    """Whether a tensor holds one number on one side of its diagonal, and another one elsewhere."""
    if not isinstance(value, torch.Tensor) or value.numel() < length ** 2:
        return False
    value = value.detach().squeeze()
    if value.dim() != 2 or value.size(0) != value.size(1):
        return False
    lower = causal_mask(len(value))
    return any((square[lower] == square[0, 0]).all() and (square[~lower] == square[0, 1]).all()
               and square[0, 0] != square[0, 1] for square in (value, value.T))


def _mask_of(attempt):
    """The names under which the module keeps a mask: (buffers, parameters, plain tensors)."""
    length = 6
    module = attempt(D, DV, length, 0.0).eval()
    module(normal(B, length, D, seed=104))
    plain = [(name, value) for part in module.modules() for owner in (type(part), part)
             for name, value in vars(owner).items()]
    plain += [(name, item) for name, value in plain if isinstance(value, (list, tuple, dict))
              for item in (value.values() if isinstance(value, dict) else value)]
    plain = [(name, value) for name, value in plain if not name.startswith("_buffers") and name != "_parameters"]
    return tuple([name for name, value in named if _is_triangle(value, length)]
                 for named in (module.named_buffers(), module.named_parameters(), plain))


def _mask_is_parameter(attempt):
    buffers, parameters, _ = _mask_of(attempt)
    if buffers or not parameters:
        return None
    return f"The numbers are right, but {parameters[0]} is an nn.Parameter: it counts as something to be learned."


def _mask_is_plain(attempt):
    buffers, _, plain = _mask_of(attempt)
    if buffers or not plain:
        return None
    return (f"The numbers are right, but self.{plain[0]} is a plain tensor: module.to(device) moves the weights, and "
            "leaves it behind.")


def _mask_is_nowhere(attempt):
    if _mask_of(attempt)[0]:
        return None
    return ("The numbers are right, but no buffer of the module holds the triangle of the mask: it seems to be made "
            "anew in every forward.")


class _Meetings(TorchFunctionMode):
    """Notes whether tensors of two devices meet in one call, where they may not: a single number may, and an index."""

    found = False

    def __torch_function__(self, function, types, args=(), kwargs=None):
        given = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor) and x.dim()]
        free = re.search(r"index|item|^to$|^type_as$|copy", function.__name__)
        self.found |= len({x.device.type for x in given}) > 1 and not free
        return function(*args, **(kwargs or {}))


def _stays_on_the_cpu(attempt):
    """Move the module, and x, to a device without numbers: what forward makes anew on the CPU does not go along.

    The errors of that device tell nothing: some are about single numbers.
    """
    module, x = attempt(D, DV, T, 0.0).eval().to("meta"), torch.empty(B, T, D, device="meta")
    with contextlib.suppress(Exception), _Meetings() as meetings:
        module(x)
    if not meetings.found or _buffers_count(attempt):
        return None
    return ("The buffer is there, but forward does not use it: it makes a new mask, which stays on the CPU when the "
            "module moves.")


def _buffers_count(attempt):
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


def _draws_anew(attempt):
    module, x = attempt(D, DV, 32, 0.5).train(), normal(B, 32, D, seed=105)
    first, second = (module(x)[1] == 0 for _ in range(2))
    if torch.equal(first, second):
        return "Called twice in training, your module zeroed the same weights both times."
    return None


def _used_again(attempt):
    """One module in evaluation, in training, and on a longer sequence in evaluation."""
    module, right = attempt(D, DV, D, 0.5), CausalAttention(D, DV, D, 0.5).eval()
    right.load_state_dict({f"{name}.weight": getattr(module, name).weight.detach() for name in PROJECTIONS})
    module.eval()(normal(B, T, D, seed=106))
    module.train()(normal(1, T, D, seed=107))
    x = normal(B, S, D, seed=108)
    got, expected = module.eval()(x)[0], right(x)[0]
    if got.shape == expected.shape and torch.allclose(got, expected, rtol=1e-3, atol=1e-4):
        return None
    return ("Used in evaluation, then in training, then in evaluation on a longer sequence, your module gives wrong "
            "numbers at the end: it remembers something.")


def _learns(attempt):
    """Gradients must reach x and the three layers, in evaluation and in training."""
    for training in (False, True):
        module, x = attempt(D, DV, T, 0.25).train(training), normal(B, T, D, seed=109).requires_grad_()
        out = module(x)[0]
        if out.requires_grad:
            (out * normal(B, T, DV, seed=110)).sum().backward()
        reached = {"x": x.grad, **{name: getattr(module, name).weight.grad for name in PROJECTIONS}}
        missed = [name for name, gradient in reached.items() if gradient is None or not gradient.any()]
        if missed:
            return (f"The numbers are right, but in {'training' if training else 'evaluation'} no gradient reaches "
                    f"{in_a_row(missed)}, so nothing could be learned there.")
    return None


_BUFFER = ("Make it once, in __init__: self.register_buffer(\"mask\", ...). A buffer moves with the module, and no "
           "optimizer touches it.")


_BUILT = "built once more,"


_TRIED = (
    BehavioralTest("same-zeros", _draws_anew, "Every call draws anew: make the draw in forward, and seed nothing.",
               required=True, while_doing="called twice in training,"),
    BehavioralTest("remembers", _used_again, "forward should change nothing on self: cut the mask into a local variable.",
               required=True, while_doing="used again, in training and on a longer sequence,"),
    BehavioralTest("no-gradients", _learns, "Use the layers themselves, and no detach, .data or no_grad.", required=True,
               while_doing="on the way back"),
    BehavioralTest("mask-as-parameter", _mask_is_parameter, _BUFFER, required=True, while_doing=_BUILT),
    BehavioralTest("mask-is-plain-tensor", _mask_is_plain, _BUFFER, required=True, while_doing=_BUILT),
    BehavioralTest("mask-not-kept", _mask_is_nowhere, _BUFFER + " forward then cuts it to the length of x.",
               required=True, while_doing=_BUILT),
    BehavioralTest("mask-stays-on-the-cpu", _stays_on_the_cpu,
               "self.mask[:T, :T] moves with the module; a new tensor is made where x is, with device=x.device.",
               required=True, while_doing=_BUILT),
)


EXERCISE = Exercise(
    id="4.3", name="CausalAttention", signature="CausalAttention(d_in, d_out, context_length, dropout)", minutes=15,
    difficulty=3,
    gives="a module with W_query, W_key, W_value and a mask as buffer; forward(x) with x (B, T, d_in) gives (out, "
          "weights), causal, with dropout on the weights",
    reference=CausalAttention, arguments=("d_in", "d_out", "context_length", "dropout"), returns=("out", "weights"),
    runner=ModuleRunner(run_causal_attention, ("x", *PROJECTIONS, "context_length", "dropout", "training"), _told_causal),
    comparison=SummaryComparison(_causal_essence),
    axis_names=AXES | {3: "", 7: "T", 11: "d_in", 13: "d_out", 17: "d_in", 19: "d_out"},
    cases=_CAUSAL_PROBES,
    minimal_inputs=((round_numbers(1, 2, 2), round_numbers(2, 2), 1 - round_numbers(2, 2), round_numbers(2, 2) + 1, 2, 0.0,
            False),),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "It is your SelfAttention from exercise 2.5 with two more lines in __init__: "
        "self.register_buffer(\"mask\", ...), a triangle of context_length positions, and "
        "self.dropout = nn.Dropout(dropout).",
        "In forward: T = x.size(1), and the mask is self.mask[:T, :T]. Fill the scores with -inf where it forbids, "
        "take the softmax, then weights = self.dropout(weights), and only then out.",
        "weights = self.dropout(mask_by_filling(scores, self.mask[:T, :T])); return weights @ v, weights",
    ),
    properties=(*_pair_laws(_look_causal, _causal_values), _FUTURE, *_OF_CAUSAL.properties(_drawn(_look_causal))),
    behavioral_tests=_TRIED,
    when_correct="This is the attention of GPT, one head of it: it learns, cannot see ahead, and leans on no single word.",
)
