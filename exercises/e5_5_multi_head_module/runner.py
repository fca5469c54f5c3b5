"""How answers to exercise 5.5 are built and called.

The arguments of a test case are x, four layers, the number of heads, and perhaps context and mask. In place of the
number of heads there may be (num_heads, dropout, training).
"""

import inspect
from collections import namedtuple

from exercises.common.heads.inputs import PROJECTIONS
from exercises.common.modules import Assembled, Layers, fill, in_dtype, require_methods, takes
from feedback import ContractViolation
from feedback.format import listed

Given = namedtuple("Given", "x layers num_heads dropout training context mask")
INPUTS = "x, context=None, mask=None"
ASKED = Layers(PROJECTIONS, "nn.Linear(d_model, d_model)", "`d_model` = {} features to {}", bias=True, alone=True)


def parse(args):
    x, *layers, built = args[:6]
    context, mask = args[6:] or (None, None)
    num_heads, dropout, training = built if isinstance(built, tuple) else (built, 0.0, False)
    return Given(x, layers, num_heads, dropout, training, context, mask)


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
        f"{listed([f'x of shape {tuple(given.x.shape)}', *more])}."
    )
