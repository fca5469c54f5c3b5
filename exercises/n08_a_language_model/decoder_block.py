"""DecoderBlock: the reference and its test cases; the page next to it says the rest."""

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from exercises.common import modules, properties
from exercises.common.experiments import items_apart
from exercises.common.heads import PROJECTIONS
from exercises.common.inputs import B, T, normal
from feedback import BehavioralTest, ContractViolation, ModuleRunner, TestCase
from feedback.page_exercise import exercise
from helpers.heads import MultiHeadAttention


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        out, _ = self.attention(self.norm_1(x), causal=True)
        x = x + out  # (B, T, C)
        return x + self.feed_forward(self.norm_2(x))


NORMS = ("the first norm", "the second norm")


def layers_of(module, numbers, x):
    """Return {name: layer} of a block.

    Names and the order of registration are free: layers are recognized by their kind and shape, and the two norms by
    the order in which they run on x.

    Errors: ContractViolation if a layer is missing or is not as asked for
    """
    parts = _projections(module)
    others = [layer for layer in module.modules() if isinstance(layer, nn.Linear) and layer not in parts.values()]
    wanted = {"expand": (numbers.d_ff, numbers.d_model), "contract": (numbers.d_model, numbers.d_ff)}
    by_shape = {tuple(layer.weight.shape): layer for layer in others}
    if len(others) != 2 or set(by_shape) != set(wanted.values()):
        raise ContractViolation("feed-forward-layers", _about_feed_forward(others, numbers))
    parts |= {name: by_shape[shape] for name, shape in wanted.items()}
    if any(layer.bias is None for layer in parts.values()):
        raise ContractViolation(
            "no-bias", "A layer of your block has no bias; here each has one, as is the default: no bias=False."
        )
    norms = _norms(module, numbers)
    known = [parameter for layer in (*norms, *parts.values()) for parameter in layer.parameters()]
    modules.require_no_others(module, "attention, two norms and two layers of the feed-forward network", known)
    return parts | dict(zip(NORMS, _in_order(module, norms, x), strict=True))


def _projections(module):
    found = [
        part for part in module.modules() if all(isinstance(getattr(part, n, None), nn.Linear) for n in PROJECTIONS)
    ]
    if len(found) == 1:
        return {name: getattr(found[0], name) for name in PROJECTIONS}
    own = ", ".join(name for name, _ in module.named_children()) or "no layers at all"
    raise ContractViolation(
        "no-attention" if not found else "two-attentions",
        f"The block needs one `MultiHeadAttention(d_model, num_heads)`, made in __init__; yours has {len(found)}. "
        f"(Its own layers: {own}.)",
    )


def _about_feed_forward(others, numbers):
    shapes = ", ".join(f"nn.Linear({layer.in_features}, {layer.out_features})" for layer in others)
    shapes = shapes or "none (a plain list hides its layers: give each a name of its own, or use nn.ModuleList)"
    return (
        f"The feed-forward network has two layers, nn.Linear(d_model, d_ff) and nn.Linear(d_ff, d_model). Built with "
        f"d_model = {numbers.d_model} and d_ff = {numbers.d_ff}, your block has {shapes}."
    )


def _norms(module, numbers):
    norms = [part for part in module.modules() if isinstance(part, nn.LayerNorm)]
    if len(norms) != 2:
        raise ContractViolation(
            "number-of-norms",
            f"The block needs two `nn.LayerNorm(d_model)`, one for each sublayer; yours has {len(norms)}."
            + ("" if norms else " (Layers in a plain list are not registered: `nn.ModuleList` registers them.)"),
        )
    for norm in norms:
        if tuple(norm.normalized_shape) != (numbers.d_model,) or norm.weight is None or norm.bias is None:
            raise ContractViolation("another-norm", f"A norm should be nn.LayerNorm(d_model), yours has {norm!r}.")
        if norm.eps != 1e-5:
            raise ContractViolation(
                "another-eps", f"A norm of your block has eps = {norm.eps:g}; the default, 1e-05, is meant here."
            )
    return norms


class Numbers:
    """The parameters to copy into the layers of a block."""

    def __init__(self, seed, d_model, d_ff, dtype=torch.float32):
        self.d_model, self.d_ff, self.dtype = d_model, d_ff, dtype
        shapes = dict.fromkeys(PROJECTIONS, (d_model, d_model))
        shapes |= {"expand": (d_ff, d_model), "contract": (d_model, d_ff)}
        self.layers = {
            name: (
                1.5 * normal(*shape, seed=seed + i, dtype=dtype) / shape[1] ** 0.5,
                0.5 * normal(shape[0], seed=seed + 10 + i, dtype=dtype),
            )
            for i, (name, shape) in enumerate(shapes.items())
        }
        for i, name in enumerate(NORMS):
            weight = 1 + 0.5 * normal(d_model, seed=seed + 20 + i, dtype=dtype)
            self.layers[name] = weight, 0.5 * normal(d_model, seed=seed + 30 + i, dtype=dtype)

    def __deepcopy__(self, memo):
        return self  # a learner's code never gets this object

    def __repr__(self):
        return f"numbers for d_model = {self.d_model} and d_ff = {self.d_ff}"


def built(attempt, x, numbers, num_heads):
    """Build the learner's block with these parameters; x is used to find out which norm runs first.

    Errors: ContractViolation
    """
    modules.require_methods(attempt, "d_model, num_heads, d_ff")
    module = attempt(numbers.d_model, num_heads, numbers.d_ff)
    modules.require_module(module, attempt)
    with torch.no_grad():
        for name, layer in layers_of(module.to(numbers.dtype), numbers, x).items():
            layer.weight.copy_(numbers.layers[name][0])
            layer.bias.copy_(numbers.layers[name][1])
    return module


def _in_order(module, norms, x):
    """Return the two norms in the order in which they, or `F.layer_norm`, use their weights."""
    used = Used([norm.weight for norm in norms])
    with torch.no_grad(), used:
        module(x.clone())
    return [norms[i] for i in dict.fromkeys([*used.order, 0, 1])]


class Used(TorchFunctionMode):
    """A mode that records the order in which given tensors are passed to torch's functions."""

    def __init__(self, tensors):
        super().__init__()
        self.places, self.order = {id(tensor): i for i, tensor in enumerate(tensors)}, []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        given = map(id, tree_leaves((args, kwargs or {})))
        self.order += [self.places[each] for each in given if each in self.places]
        return function(*args, **(kwargs or {}))


def described(args):
    x, numbers, num_heads = args
    return modules.was_built({"d_model": numbers.d_model, "num_heads": num_heads, "d_ff": numbers.d_ff}, x)


def arguments(seed, b, t, h, d, d_ff, times=1.0, dtype=torch.float32):
    return times * normal(b, t, h * d, seed=seed, dtype=dtype), Numbers(seed + 1, h * d, d_ff, dtype), h


X, NUMBERS, HEADS = arguments(1400, B, T, 3, 4, 31)


def moved_by_a_change(attempt, at, seed):
    """Return (T,): how much each position of the result moves when x changes at one position."""
    block, other = built(attempt, X, NUMBERS, HEADS), X.clone()
    other[:, at] += normal(12, seed=seed)
    return (block(other) - block(X)).abs().amax((0, 2))


def future_seen(attempt):
    for j in range(1, T):
        moved = moved_by_a_change(attempt, j, seed=1402)[:j]
        if moved.max() > 1e-4:
            return (
                f"A position must not see what comes after it: when x changed at position {j}, the result at position "
                f"{int(moved.argmax())} moved by {float(moved.max()):.4f}."
            )
    return None


def past_not_seen(attempt):
    moved = moved_by_a_change(attempt, 0, seed=1403)
    if moved.min() > 1e-5:
        return None
    return (
        f"A position reads all that comes before it: when x changed at position 0, the result at position "
        f"{int(moved.argmin())} stayed as it was."
    )


EXERCISE = exercise(
    DecoderBlock,
    returns=("out",),
    runner=ModuleRunner(
        lambda attempt, *args: built(attempt, *args)(args[0]), ("x", "the layers", "num_heads"), described
    ),
    axis_names={2: "B", 5: "T", 7: "T", 12: "C", 10: "C", 31: "d_ff", 23: "d_ff"},
    cases=(
        TestCase("a batch", arguments(1410, B, T, 3, 4, 31)),
        TestCase("two heads of five features", arguments(1420, 3, 7, 2, 5, 23)),
        TestCase("a text of one token", arguments(1440, B, 1, 3, 4, 31)),
        TestCase("numbers around 10", arguments(1450, B, T, 3, 4, 31, 10.0)),
        TestCase("float64", arguments(1460, B, 7, 2, 5, 23, dtype=torch.float64)),
        TestCase("small numbers", arguments(1470, B, T, 3, 4, 7, 0.05)),
    ),
    minimal_inputs=(),
    error_meanings=(
        (
            r"'Tensor' and 'tuple'|'tuple' and 'Tensor'|must be Tensor, not tuple|can only concatenate tuple",
            "`MultiHeadAttention` returns the pair (out, weights): take it apart before you add.",
        ),
        (
            r"forward\(\) got an unexpected keyword argument 'is_causal'",
            "The argument of `MultiHeadAttention` is called causal: `attention(x, causal=True)`.",
        ),
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(
        BehavioralTest("future-seen", future_seen, "What does `MultiHeadAttention` hide unless it is told to?"),
        BehavioralTest(
            "past-not-seen",
            past_not_seen,
            "Which keys does attention leave to a query, and does forward use what it returns?",
        ),
        items_apart((X,), (normal(1, T, 12, seed=1405),), lambda attempt, x: built(attempt, X, NUMBERS, HEADS)(x)),
        BehavioralTest(
            "another-mode",
            lambda attempt: modules.changes_with_the_mode(built(attempt, X, NUMBERS, HEADS), X),
            "Without dropout nothing depends on the mode, and attention is causal in both: `causal=True`.",
            required=True,
            while_doing="in evaluation,",
        ),
        *modules.trainable(
            lambda attempt: built(attempt, X, NUMBERS, HEADS),
            DecoderBlock,
            lambda block: layers_of(block, NUMBERS, X),
            (X,),
            (normal(B, 9, 12, seed=1401),),
        ),
    ),
)
