"""What answers to exercise 5.5 are tried on, how they are built and called, and how their results are compared.

The arguments of a test case are x, four layers, the number of heads, and perhaps context and mask. In place of the
number of heads there may be (num_heads, dropout, training).
"""

import inspect
from collections import namedtuple
from dataclasses import replace

import torch

from exercises.common import explainers
from exercises.common.attention.steps import right_weights
from exercises.common.dropout.statistics import Dropped, comparable, outline
from exercises.common.dropout.weights import DroppedWeights, same_rows
from exercises.common.heads.inputs import PROJECTIONS, is_masked, layer_of, random_layers
from exercises.common.inputs import H, normal
from exercises.common.modules import Assembled, Layers, fill, in_dtype, only_read, require_methods, takes
from feedback import ContractViolation, Property
from helpers.heads import merge_heads, split_heads

Given = namedtuple("Given", "x layers num_heads dropout training context mask")
INPUTS = "x, context=None, mask=None"
ASKED = Layers(PROJECTIONS, "nn.Linear(d_model, d_model)", "`d_model` = {} features to {}", bias=True, alone=True)


def parse(args):
    x, *layers, built = args[:6]
    context, mask = args[6:] or (None, None)
    num_heads, dropout, training = built if isinstance(built, tuple) else (built, 0.0, False)
    return Given(x, layers, num_heads, dropout, training, context, mask)


# ---------------------------------------------------------------- how an answer is built and called


def run_multi_head_attention(attempt, *args):
    """Build the learner's module, put the numbers of four layers into its own, and apply it.

    Shapes: x (B, T, C), context (B, S, C) or None, mask broadcastable to (B, H, T, S) or None
    Errors: ContractViolation where the module lacks what the exercise names
    Source: notebook 05
    """
    given = parse(args)
    module = built(attempt, given.layers, given.num_heads, given.dropout)
    if given.training:
        module.train()
    return apply(module, given.x, given.context, given.mask)


def built(attempt, layers, num_heads, *dropout):
    """A module with these numbers, in their dtype and in evaluation."""
    if issubclass(attempt, Assembled):
        return attempt(layers[0].in_features, num_heads, *dropout, layers=layers).eval()
    require_methods(attempt, "d_model, num_heads, dropout=0.0", INPUTS)
    require_order(attempt.forward)
    module = attempt(layers[0].in_features, num_heads, *dropout)
    fill(module, attempt, ASKED, [layer.weight for layer in layers], [layer.bias for layer in layers])
    return in_dtype(module, layers[0].weight.dtype).eval()


def require_order(forward):
    """Inputs are given by position.

    Errors: ContractViolation
    """
    if not takes(forward, 4):
        raise ContractViolation(
            "forward-arguments",
            f"forward is called with x, context and mask by position: begin with def forward(self, {INPUTS}); yours "
            f"takes {inspect.signature(forward)}.",
        )
    names = forward.__code__.co_varnames[2:4] if hasattr(forward, "__code__") else ()
    if names == ("mask", "context"):
        raise ContractViolation(
            "inputs-exchanged",
            f"forward is called with x, context and mask, in this order: def forward(self, {INPUTS}); yours takes the "
            "mask before the context.",
        )


def apply(module, x, context=None, mask=None):
    """Without what is None at the end."""
    if mask is not None:
        return module(x, context, mask)
    return module(x) if context is None else module(x, context)


def described(args):
    """What the learner's module was given, for the card of an exception."""
    given = parse(args)
    more = [
        f"{name} of shape {tuple(value.shape)}"
        for name, value in (("context", given.context), ("mask", given.mask))
        if value is not None
    ]
    return (
        f"It was built with d_model = {given.x.size(-1)}, num_heads = {given.num_heads} and dropout = "
        f"{given.dropout:g}, to be applied in {'training' if given.training else 'evaluation'} to "
        f"{' and '.join([f'x of shape {tuple(given.x.shape)}', *more])}."
    )


# ---------------------------------------------------------------- inputs


def arguments(seed, b, t, h, d, s=None, mask=None, dtype=torch.float32):
    """The arguments of a test case in evaluation, with a context of s positions where s is given."""
    context = None if s is None else normal(b, s, h * d, seed=seed + 20, dtype=dtype)
    more = () if context is None and mask is None else (context, mask)
    return normal(b, t, h * d, seed=seed, dtype=dtype), *only_read(random_layers(h * d, seed, dtype)), h, *more


def showing_the_mix(seed, b, t, s, p, training, mask=None, dtype=torch.float32, h=H):
    """The arguments of a test case for dropout, with h heads, each with values that begin with the identity.

    context ends with the identity, and v_proj brings it to the front of each head's values. out_proj changes nothing,
    so each head's part of out begins with the weights that mixed the values. Without s, x reads itself.
    """
    extra, length = 2, s or t
    d = length + extra
    width, eye = h * d, torch.eye(length, dtype=dtype)
    own = normal(b, length, width - length, seed=seed, dtype=dtype)
    context = torch.cat([own, eye.expand(b, length, length)], -1)
    v = normal(width, width, seed=seed + 1, dtype=dtype)
    for head in range(h):
        v[head * d : head * d + length] = 0
        v[head * d : head * d + length, -length:] = eye
    bias = torch.zeros(width, dtype=dtype)
    q, k = (1.5 * normal(width, width, seed=seed + i, dtype=dtype) / width**0.5 for i in (2, 3))
    layers = [layer_of(weight, bias) for weight in (q, k, v, torch.eye(width, dtype=dtype))]
    x = context if s is None else normal(b, t, width, seed=seed + 4, dtype=dtype)
    return x, *only_read(layers), (h, p, training), None if s is None else context, mask


# ---------------------------------------------------------------- how results are compared


def weights_of(args):
    """The right weights, before dropout."""
    given = parse(args)
    q_proj, k_proj = given.layers[:2]
    read = given.x if given.context is None else given.context
    q, k = split_heads(q_proj(given.x), given.num_heads), split_heads(k_proj(read), given.num_heads)
    return right_weights(q, k, given.mask)


def values_of(args):
    given = parse(args)
    read = given.x if given.context is None else given.context
    return split_heads(given.layers[2](read), given.num_heads)


def mode_of(args):
    given = parse(args)
    return given.dropout, given.training


class WeightsOfHeads(DroppedWeights):
    """Dropout on the weights of several heads: what DroppedWeights says of out is said of each head's part of it."""

    def stage_of(self, args):
        """Evaluation without a mask, then with a context, then masked; then dropout, as in DroppedWeights."""
        given = parse(args)
        if given.dropout or given.training:
            return 2 + super().stage_of(args)
        return 2 if is_masked(given.mask) else int(given.context is not None)

    def summary(self, args, value):
        p, training = self.mode(args)
        if not p and not training:
            return value
        right = self.weights(args)
        if not comparable(value, (args[0], right)):
            return outline(value)
        return super().summary(args, self._by_heads(args, value))

    def _by_heads(self, args, value):
        """(out, weights) with out cut into heads; out_proj changes nothing in these test cases."""
        out, weights = value
        return split_heads(out, parse(args).num_heads), weights

    def in_evaluation(self, case):
        if not self.mode(case.args)[0]:
            return explainers.entry(case)
        return super().in_evaluation(replace(case, actual=self._by_heads(case.args, case.actual)))

    def where(self, case):
        """How many zeros are in the weights returned, and how many in those that out shows."""
        right, (p, _) = self.weights(case.args), self.mode(case.args)
        out, weights = self._by_heads(case.args, case.actual)
        returned, used = (Dropped(right, found, p) for found in (weights, out[..., : right.size(-1)]))
        return (
            f"with {self.p_name} = {p:g}, {returned.count:,} of the {returned.total:,} weights you returned are 0. "
            "In this test each head's values begin with an identity matrix, so each head's part of out should begin "
            f"with these very weights: {used.count:,} of the numbers there are 0"
        )

    def out_property(self):
        """out is made from the returned weights, in training too."""

        def mixes(case):
            given = parse(case.args)
            right, values = self.weights(case.args), self.values(case.args)
            if case.last.shape != right.shape or case.last.dtype != values.dtype:
                return None
            expected = given.layers[3](merge_heads(case.last @ values))
            if same_rows(case.first, expected, expected):
                return None
            at = explainers.worst(case.first, expected)
            return (
                "out must be made from the weights that you return: out_proj of the merged weights @ v. At "
                f"{explainers.position(at)} that is {explainers.number(expected[at])}, and your out is "
                f"{explainers.number(case.first[at])}."
            )

        return Property(
            "out-not-from-weights",
            mixes,
            "One tensor of weights: it multiplies v, and it is returned. Then merge the heads, and apply `out_proj`. "
            "Does anything else happen to x or context, or to their order?",
        )


WEIGHTS = WeightsOfHeads(
    weights=weights_of,
    values=values_of,
    mode=mode_of,
    noun="visible weights",
    draw="nn.Dropout",
    p_name="dropout",
    share="`nn.Dropout(dropout)` zeroes each weight with probability dropout. Is it given this very number, and "
    "applied once?",
)
