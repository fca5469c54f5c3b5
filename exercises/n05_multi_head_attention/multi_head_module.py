"""MultiHeadAttention: the reference, its steps and test cases; the page next to it says the rest."""

import inspect
import math
from collections import namedtuple
from dataclasses import replace

import torch
from torch import nn

from exercises.common import heads, modules, properties
from exercises.common.attention import give, multi_head_from, right_weights
from exercises.common.devices import keeps_to_the_device, moved
from exercises.common.dropout import (
    decided_by_a_layer,
    dropout,
    dropped_attention_from,
    in_training,
    repeats_in_evaluation,
)
from exercises.common.dropout_statistics import WORDS_OF_A_LAYER, DroppedWeights
from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, normal, padded, some_hidden
from feedback import BehavioralTest, ContractViolation, ModuleRunner, SummaryComparison, TestCase
from feedback.format import listed
from feedback.page_exercise import exercise
from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, context=None, mask=None):
        if context is None:
            context = x
        q = split_heads(self.q_proj(x), self.num_heads)  # (B, H, T, D)
        k = split_heads(self.k_proj(context), self.num_heads)  # (B, H, S, D)
        v = split_heads(self.v_proj(context), self.num_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        weights = self.dropout(weights)
        return self.out_proj(merge_heads(weights @ v)), weights


# ---------------------------------------------------------------- building and calling an answer

Given = namedtuple("Given", "x layers num_heads dropout training context mask")
INPUTS = "x, context=None, mask=None"
ASKED = modules.Layers(
    heads.PROJECTIONS, "nn.Linear(d_model, d_model)", "`d_model` = {} features to {}", bias=True, alone=True
)


def parse(args):
    """Parse a test case: x, four layers, num_heads or (num_heads, dropout, training), perhaps context and mask."""
    x, *layers, built = args[:6]
    context, mask = args[6:] or (None, None)
    num_heads, dropout, training = built if isinstance(built, tuple) else (built, 0.0, False)
    return Given(x, layers, num_heads, dropout, training, context, mask)


def run_multi_head_attention(attempt, *args):
    """Build the learner's module, copy the parameters of four layers into its own, and apply it.

    Shapes: x (B, T, C), context (B, S, C) or None, mask broadcastable to (B, H, T, S) or None
    Errors: ContractViolation if the module lacks something that the exercise names
    """
    given = parse(args)
    module = built(attempt, given.layers, given.num_heads, given.dropout).train(given.training)
    return apply(module, given.x, given.context, given.mask)


def built(attempt, layers, num_heads, *dropout):
    """Build a module with these parameters, in their dtype and in evaluation mode."""
    if issubclass(attempt, modules.Assembled):
        return attempt(layers[0].in_features, num_heads, *dropout, layers=layers).eval()
    modules.require_methods(attempt, "d_model, num_heads, dropout=0.0", INPUTS)
    require_order(attempt.forward)
    module = attempt(layers[0].in_features, num_heads, *dropout)
    modules.fill(module, attempt, ASKED, [layer.weight for layer in layers], [layer.bias for layer in layers])
    return modules.in_dtype(module, layers[0].weight.dtype).eval()


def require_order(forward):
    """Check the order of forward's inputs, which are given by position.

    Errors: ContractViolation if it is another
    """
    if not modules.takes(forward, 4):
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
    """Call the module, without trailing arguments that are None."""
    if mask is not None:
        return module(x, context, mask)
    return module(x) if context is None else module(x, context)


def described(args):
    given = parse(args)
    sizes = {"d_model": given.x.size(-1), "num_heads": given.num_heads, "dropout": given.dropout}
    both = {"context": given.context, "mask": given.mask}
    more = [f"{name} of shape {tuple(value.shape)}" for name, value in both.items() if value is not None]
    mode = f" in {'training' if given.training else 'evaluation'}"
    return modules.was_built(sizes, given.x, f"{mode}, with {listed(more)}" if more else mode)


def layers_of(module):
    return [getattr(module, name) for name in heads.PROJECTIONS]


def read_from(x, context):
    """Return what is read: x if no context is given; the right step `read`."""
    return x if context is None else context


def visible(mask, training, context):
    """Return the mask that is used: the right step `visible`."""
    return mask


def assemble(
    drop=dropout,
    active=in_training,
    layers=layers_of,
    read=read_from,
    visible=visible,
    attention=None,
    give=give,
    **steps,
):
    """Build a module from the steps of `multi_head_from`, of `dropped_attention_from` and of dropout, and its own.

    attention(q, k, v, mask) replaces the steps within the heads, including dropout.
    """
    around = {name: steps.pop(name) for name in ("project", "split", "merge", "finish") if name in steps}
    within = dropped_attention_from(**steps)

    class Wrong(modules.Assembled):
        def __init__(self, d_model, num_heads, dropout=0.0, layers=()):
            super().__init__(heads.PROJECTIONS, d_model, layers)
            self.num_heads, self.p = num_heads, dropout

        def dropped(self, z):
            return drop(z, self.p) if active(self.training) else z

        def attend(self, q, k, v, mask=None):
            return attention(q, k, v, mask) if attention else within(q, k, v, self.dropped, mask)

        def forward(self, x, context=None, mask=None):
            whole = multi_head_from(**around, attention=self.attend, give=give)
            return whole(x, read(x, context), layers(self), self.num_heads, visible(mask, self.training, context))

    return Wrong


# ---------------------------------------------------------------- test cases


def arguments(seed, b, t, h, d, s=None, mask=None, dtype=torch.float32):
    """Return the arguments of a test case in evaluation, with a context of s positions if s is given."""
    context = None if s is None else normal(b, s, h * d, seed=seed + 20, dtype=dtype)
    more = () if context is None and mask is None else (context, mask)
    return (
        normal(b, t, h * d, seed=seed, dtype=dtype),
        *modules.only_read(heads.random_layers(h * d, seed, dtype)),
        h,
        *more,
    )


def showing_the_mix(seed, b, t, s, p, training, mask=None, dtype=torch.float32, h=H):
    """Return the arguments of a test case for dropout, with h heads, each with values that begin with the identity.

    context ends with the identity, and v_proj moves it to the front of each head's values. out_proj changes nothing,
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
    layers = [heads.layer_of(weight, bias) for weight in (q, k, v, torch.eye(width, dtype=dtype))]
    x = context if s is None else normal(b, t, width, seed=seed + 4, dtype=dtype)
    return x, *modules.only_read(layers), (h, p, training), None if s is None else context, mask


def masked(seed, *shape, b=B, s=S, dtype=torch.float32):
    """Return arguments with a context of s positions (or none), and a mask of this shape."""
    return arguments(seed, b, T, H, heads.D, s, some_hidden(*shape, seed=seed), dtype)


def without_context(*others):
    """Convert arguments of 5.3, which end with a mask, to those of a test case."""
    *others, mask = others
    return *modules.only_read(others), None, mask


CASES = (
    TestCase("a batch", arguments(130, B, T, H, heads.D)),
    TestCase("one item, and as many heads as positions", arguments(134, 1, 8, 8, heads.D)),
    TestCase("a longer context", arguments(135, B, T, H, heads.D, S)),
    TestCase("a shorter context, six heads of eleven features", arguments(136, B, 13, 6, 11, S)),
    TestCase("a context as long as x", arguments(137, B, T, H, heads.D, T)),
    TestCase("a causal mask (T, T), as many items as positions", arguments(138, T, T, H, heads.D, mask=CAUSAL)),
    TestCase("a context and a padding mask (B, 1, 1, S)", arguments(140, B, T, H, heads.D, S, padded(3, 6)[:, None])),
    TestCase("a context and a mask (T, S)", masked(141, T, S)),
    TestCase("a context and a mask (S,)", masked(142, S)),
    TestCase("a context and a mask for each head, (H, T, S), as many items as heads", masked(143, H, T, S, b=H)),
    TestCase("float64, a context and a mask (B, H, 1, S)", masked(147, B, H, 1, S, dtype=torch.float64)),
    TestCase("scores around -150", without_context(*heads.low_score_arguments(149, -150))),
    TestCase(
        "hidden scores far above the visible ones",
        without_context(*heads.large_score_arguments(151)),
        1e-3,
        1e-3,
        limitation=heads.LIMITATION_LARGE_SCORES,
    ),
    TestCase(
        "a very low visible score",
        without_context(*heads.lowest_score_arguments()),
        limitation=heads.LIMITATION_FINITE_FILL,
    ),
    TestCase("evaluation, dropout = 0.5", showing_the_mix(150, B, 9, None, 0.5, False)),
    TestCase("training, dropout = 0.3", showing_the_mix(160, 4, 18, None, 0.3, True), rtol=1e-3),
    TestCase(
        "training, dropout = 0.5, a context and a mask",
        showing_the_mix(170, 4, 16, 19, 0.5, True, some_hidden(4, 1, 1, 19, seed=9), torch.float64, 2),
        rtol=1e-3,
    ),
    TestCase("training, dropout = 0", (*arguments(180, B, T, H, heads.D)[:5], (H, 0.0, True))),
)


def small(x, *rest):
    return torch.tensor(x), *modules.only_read(heads.simple_layers(len(x[0][0]))), 2, *rest


# ---------------------------------------------------------------- comparing results


def heads_of(args):
    """Return the queries, keys and values of all heads."""
    given = parse(args)
    read = given.x if given.context is None else given.context
    pairs = zip(given.layers[:3], (given.x, read, read), strict=True)
    return [split_heads(layer(z), given.num_heads) for layer, z in pairs]


def weights_of(args):
    """Return the right weights, before dropout."""
    q, k, _ = heads_of(args)
    return right_weights(q, k, parse(args).mask)


class WeightsOfHeads(DroppedWeights):
    """Dropout on the weights of several heads: DroppedWeights, applied to each head's part of out."""

    first_columns, of_out = "the first columns of each head's values", "the first columns of each head's part of out"

    def stage_of(self, args):
        """Judge evaluation without a mask, then with a context, then a mask; then dropout as in DroppedWeights."""
        given = parse(args)
        if given.dropout or given.training:
            return 2 + super().stage_of(args)
        return 2 if heads.is_masked(given.mask) else int(given.context is not None)

    def summary(self, args, value):
        p, training = self.mode(args)
        if not p and not training:
            return value
        return super().summary(args, value)

    def by_heads(self, args, out):
        return split_heads(out, parse(args).num_heads)  # out_proj changes nothing in these test cases

    def out_of(self, args, weights):
        return parse(args).layers[3](merge_heads(super().out_of(args, weights)))


DROPPED = WeightsOfHeads(
    weights=weights_of, values=lambda args: heads_of(args)[2], mode=lambda args: parse(args)[3:5], **WORDS_OF_A_LAYER
)


# ---------------------------------------------------------------- behavioral tests

WIDTH = H * heads.D
LAYERS = heads.random_layers(WIDTH, 120)
X, CONTEXT = normal(B, T, WIDTH, seed=121), normal(B, S, WIDTH, seed=122)
MASK = some_hidden(T, S)
LONG = normal(B, 32, WIDTH, seed=123)


def ask(attempt, x, context, layers):
    return apply(built(attempt, layers, H), x)


@BehavioralTest.named(
    "dropout-by-default",
    "The default is part of the signature: `def __init__(self, d_model, num_heads, dropout=0.0)`.",
    required=True,
    while_doing="built without dropout,",
)
def drops_unasked(attempt):
    """Check that without the argument dropout, training gives the same as evaluation."""
    module = built(attempt, LAYERS, H)
    if torch.equal(module(X)[1], module.train()(X)[1]):
        return None
    return (
        f"Built as {attempt.__name__}(d_model, num_heads), without dropout, your module gives other weights in "
        "training than in evaluation: its dropout is not 0."
    )


def on_another_device(attempt, x, context, mask):
    """Return the results of a module that was moved, with a mask and without."""
    module = moved(attempt(WIDTH, H, 0.1).train())
    return module(x, context, mask), module(x)


MIXED = ("items-mixed", "positions-mixed")  # before properties, which could not compare out with weights that are mixed

*EARLY, REDRAWN = decided_by_a_layer(lambda attempt, p: built(attempt, LAYERS, H, p), LONG, lambda pair: pair[1] == 0)

EXERCISE = exercise(
    MultiHeadAttention,
    assemble=assemble,
    **properties.OUT_AND_WEIGHTS,
    runner=ModuleRunner(run_multi_head_attention, ("x", *heads.PROJECTIONS, "num_heads", "context", "mask"), described),
    comparison=SummaryComparison(DROPPED.summary),
    stage_of=DROPPED.stage_of,
    axis_names=AXES | {**heads.SIZES, 7: "S", 13: "T"},
    cases=CASES,
    minimal_inputs=(
        small(heads.TWO_FEATURES),
        small(heads.FOUR_FEATURES),
        small([heads.TWO_FEATURES[0][:1]], torch.tensor([[[0.0, 1.0], [1.0, 1.0]]]), None),
        small(heads.TWO_FEATURES, None, torch.tensor([True, False])),
        small(heads.TWO_FEATURES, None, causal_mask(2)),
    ),
    properties=DROPPED.pair_properties(properties.HIDDEN),
    behavioral_tests=(
        repeats_in_evaluation(
            lambda attempt: built(attempt, LAYERS, H, 0.4)(X)[1],
            "`nn.Dropout`, made in `__init__`, looks at the mode by itself; `F.dropout` must be given `self.training`.",
        ),
        *EARLY,
        *(
            replace(test, early=test.id in MIXED)
            for test in heads.behavioral_tests(ask, MultiHeadAttention, self_attention=True)
        ),
        *modules.trainable(
            lambda attempt: built(attempt, LAYERS, H),
            MultiHeadAttention,
            heads.PROJECTIONS,
            (X, CONTEXT, MASK),
            (LONG, X),
            apply,
            ("x", "context"),
        ),
        drops_unasked,
        REDRAWN,
        keeps_to_the_device("x", X, CONTEXT, MASK, call=on_another_device),
    ),
)
