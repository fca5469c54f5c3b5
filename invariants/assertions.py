"""Suspicions about a model that runs and learns, each as a test in one line: `assert_causal(model, ids)`.

Each returns nothing, or raises AssertionError with what to look at. A module is run in evaluation mode, and is
afterwards in the modes that it had; where a function is tested, such as a lambda that passes a mask, that is up to its
caller. Of a tuple that a model returns, the first tensor counts.

    from invariants.assertions import assert_causal, assert_modes
"""

import math

import torch
from torch import nn

from invariants.compare.recording import first_tensor, undisturbed

LOOK = {  # at what, where a suspicion is right
    "causal": "the causal mask, which comes before the softmax, and at norms or means that go over positions",
    "padding": "the padding mask: it must reach every layer, hide keys, and mean by True what the layer means",
    "cache": "the positions after a past, and at the causal mask of several new tokens",
    "branches": "what changes a past in place, or is shared by two pasts, such as a list or a buffer",
    "scale": "what is under the root, which is the width of one head, and at who else divides",
    "heads": "how features become heads, and heads features, by view and transpose, and at what mixes heads",
    "modes": "F.dropout without training=self.training, modules in a plain list, and what training leaves behind",
    "mean": "the factor 1 / (1 - p) that makes up for what is dropped",
}
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")


def assert_causal(model, x, tolerance=1e-5):
    """No output depends on later inputs: each prefix alone gives what it gives as a part of the whole.

    Shapes: x (B, T) or (B, T, C); model(x) (B, T, ...)
    Source: notebook 03
    """
    with _at_rest(model):
        whole = first_tensor(model(x))
        for t in range(1, x.size(1)):
            apart = _apart(first_tensor(model(x[:, :t])), whole[:, :t])
            if not apart <= tolerance:
                raise AssertionError(
                    f"the first {t} outputs change by {apart:.2g} with what follows; look at {LOOK['causal']}"
                )


def assert_padding_ignored(model, x, real, tolerance=1e-5):
    """What stands in padding does not matter to real tokens.

    Shapes: x (B, T) or (B, T, C), real (B, T), bool, with some padding; model(x, real) (B, T, ...)
    Source: notebook 03
    """
    if real.all():
        raise ValueError("real must have padding, False, in some item, got none")
    ids = not x.is_floating_point()
    fills = ((x[~real] + 1) % (x.max() + 1), 0) if ids else (1 - x[~real],)  # code may look for the id 0
    with _at_rest(model):
        before, apart = first_tensor(model(x, real))[real].clone(), 0
        for fill in fills:
            other = x.clone()
            other[~real] = fill
            apart = max(apart, _apart(before, first_tensor(model(other, real))[real]))
    if not apart <= tolerance:
        raise AssertionError(
            f"real tokens change by {apart:.2g} with what stands in padding; look at {LOOK['padding']}"
        )


def assert_cache_equals_whole(model, ids, tolerance=1e-4):
    """In pieces the outputs are those of the whole, even if a past is continued in other ways before and after.

    Shapes: ids (B, T), T of at least 6; model(ids, past) -> out (B, T, ...), past; the first past is None
    Source: notebook 08
    """
    with _at_rest(model):
        whole = model(ids, None)[0].clone()
        for branches in (0, 1):
            for cuts in ([1] * ids.size(1), [1, 3, ids.size(1) - 4], [ids.size(1) - 2, 2]):
                apart = _apart(_in_pieces(model, ids, cuts, branches), whole)
                if not apart <= tolerance:
                    far = f"by {apart:.2g}" if apart < math.inf else "in their number, or one is not finite"
                    more = " if each past is also continued by other tokens" if branches else ""
                    look = LOOK["branches" if branches else "cache"]
                    raise AssertionError(f"in pieces of {cuts} tokens the outputs differ {far}{more}; look at {look}")


def assert_scale(scores_of, tolerance=1e-4):
    """The scores are q · k / √D, whatever D.

    Shapes: scores_of(q, k), q (B, H, T, D), k (B, H, S, D) -> (B, H, T, S), before the mask and the softmax
    Source: notebook 02
    """
    for D in (2, 3, 8, 64, 80):
        numbers = torch.Generator().manual_seed(D)
        q, k = (torch.randn(2, 3, n, D, generator=numbers) for n in (5, 7))
        right, scores = q @ k.transpose(-2, -1) / math.sqrt(D), scores_of(q, k)
        if not _apart(scores, right) <= tolerance:
            times = ((scores * right).sum() / right.square().sum()).item()
            raise AssertionError(
                f"for D = {D} the scores are about {times:.3g} times q · k / √D; look at {LOOK['scale']}"
            )


def assert_heads_independent(attention, x, num_heads, names=PROJECTIONS, tolerance=1e-4):
    """Head h is made of the h-th rows of each projection, and of no others, and read in the h-th columns of the output.

    Shapes: x (B, T, C); attention(x) -> out (B, T, C), weights (B, H, T, T); names: four layers, for queries, keys and
            values (H * D, C), and for the output (C, H * D)
    Source: notebook 05
    """
    query, key, value, output = (attention.get_submodule(name) for name in names)
    with _at_rest(attention):
        out, weights = attention(x)
        for name, layer in zip(names, (query, key), strict=False):
            for h, rows in enumerate(layer.weight.data.chunk(num_heads)):
                moved = _moved(rows, lambda: (attention(x)[1] - weights).abs().amax((0, 2, 3)) > tolerance)
                if moved != [h]:
                    raise AssertionError(
                        f"the rows of head {h} in {name} move the weights of heads {moved}; look at {LOOK['heads']}"
                    )
        v = value(x).unflatten(-1, (num_heads, -1)).transpose(1, 2)  # (B, H, S, D)
        apart = _apart(output((weights @ v).transpose(1, 2).flatten(2)), out)
    if not apart <= tolerance:
        raise AssertionError(
            f"the output is {apart:.2g} away from what {names[3]} makes of each head's weights and its rows of "
            f"{names[2]}; look at {LOOK['heads']}"
        )


def assert_modes(model, x, draws=0, tolerance=1e-4):
    """In evaluation all runs are equal, also after training mode; in training they differ if there is dropout.

    draws    of how many runs in training the mean is that of evaluation, up to chance; this holds for a model with
             dropout whose outputs are linear in what is dropped, and 0 does not ask it
    Source: notebook 04
    """
    drops = draws > 0 or any(isinstance(m, (nn.Dropout, nn.Dropout1d)) and m.p > 0 for m in model.modules())
    with _at_rest(model):
        first, again = (first_tensor(model(x)) for _ in range(2))
        model.train()
        runs = torch.stack([first_tensor(model(x)) for _ in range(max(draws, 8))])
        last = first_tensor(model.eval()(x))
    if not max(_apart(first, again), _apart(first, last)) <= tolerance:
        raise AssertionError(f"in evaluation two runs differ; look for {LOOK['modes']}")
    if drops and _apart(runs[2:], runs[1:2].expand_as(runs[2:])) <= tolerance:  # a first one may be special
        raise AssertionError("in training all runs are equal, although there is dropout; look whether it is called")
    off = (runs.mean(0) - first).abs()
    if draws and not (off <= 5 * runs.std(0) / draws**0.5 + tolerance).all():  # chance: 5 standard errors
        raise AssertionError(f"the mean of {draws} runs in training is off by {off.max():.2g}; look for {LOOK['mean']}")


def assert_every_parameter_learns(model, x):
    """From a random loss, each parameter that wants a gradient gets a finite one that is not all zeros.

    Source: notebook 08
    """
    with _at_rest(model), torch.enable_grad():
        out = first_tensor(model(x))
        named = {name: p for name, p in model.named_parameters() if p.requires_grad}
        mix = torch.randn(out.shape, generator=torch.Generator().manual_seed(0)).to(out)
        found = zip(named, torch.autograd.grad((out * mix).sum(), named.values(), allow_unused=True), strict=True)
    gradients = dict(found)
    broken = [name for name, g in gradients.items() if g is not None and not g.isfinite().all()]
    dead = [name for name, g in gradients.items() if g is None or not g.any()]
    if broken:
        raise AssertionError(f"the gradient of {_some(broken)} is not finite; look for a row of -inf before a softmax")
    if dead:
        raise AssertionError(
            f"no gradient reaches {_some(dead)}; look for detach(), .data, no_grad, a part that is never called, and a "
            "factor that begins at 0, which may be meant so"
        )


# ---------------------------------------------------------------- what they share


def _at_rest(model):
    return undisturbed(*([model] if isinstance(model, nn.Module) else []))


def _apart(a, b):
    return (a - b).abs().max().nan_to_num(nan=math.inf).item() if a.shape == b.shape else math.inf


def _in_pieces(model, ids, cuts, branches):
    """The outputs of all pieces; before and after each, the past is continued by other tokens in `branches` ways."""
    outs, past = [], None
    for piece in ids.split(cuts, dim=1):
        others = [(piece + 1 + n) % (ids.max() + 1) for n in range(branches)]
        for other in others:
            model(other, past)
        out, new = model(piece, past)
        outs.append(out.clone())
        for other in others:
            model(other, past)
        past = new
    return torch.cat(outs, dim=1)


def _moved(rows, heads_that_move):
    """Which heads move if these rows of a weight are others; afterwards they are as before."""
    kept = rows.clone()
    try:
        rows.mul_(-0.5)
        return heads_that_move().nonzero().flatten().tolist()
    finally:
        rows.copy_(kept)


def _some(names):
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
