"""Tests of one attention layer: its scale, its heads, and its output compared with a slow reference."""

import math
from contextlib import contextmanager

import torch

from invariants.assertions.calling import OTHER_SHAPES, Subject, far, resting, tensors_of

LOOK = {
    "scale": "what is under the root, which is the width of one head, and at who else divides",
    "heads": "how features become heads, and heads features, by view and transpose, and at what mixes heads",
    "groups": "how keys and values are repeated: repeat_interleave gives each one to neighbors, repeat deals them out",
}


def assert_scale(scores_of, tolerance=1e-4):
    """Assert that the scores are q · k / √D, for several D.

    Shapes: scores_of(q, k), q (B, H, T, D), k (B, H, S, D) -> (B, H, T, S), before the mask and the softmax
    Source: notebook 02
    """
    for D in (2, 3, 8, 64, 80):
        numbers = torch.Generator().manual_seed(D)
        q, k = (torch.randn(2, 3, n, D, generator=numbers) for n in (5, 7))
        right, scores = q @ k.transpose(-2, -1) / math.sqrt(D), scores_of(q, k)
        if scores.shape != right.shape:
            raise ValueError(f"the scores must be {tuple(right.shape)}, got {tuple(scores.shape)}")
        if not (scores - right).abs().max() <= tolerance:
            times = ((scores * right).sum() / right.square().sum()).item()
            raise AssertionError(
                f"for D = {D} the scores are about {times:.3g} times q · k / √D; look at {LOOK['scale']}"
            )


def assert_heads_independent(attention, x, num_heads, names=None, num_kv_heads=None, *, tolerance=None, **options):
    """Assert that head h uses only the h-th block of rows of each projection, and of columns of the output projection.

    Shapes: x (B, T, C), or a tuple of inputs; attention(x) -> out, with or without weights
    names   layers or parameters of queries, keys and values, (H * D, C), and of the output, (C, H * D); or of a fused
            projection and the output; if not given, the usual names are tried
    Errors: ValueError if the projections are not found
    Source: notebook 05
    """
    H, G = num_heads, num_kv_heads or num_heads
    subject = Subject(attention, (x,), options, None, tolerance)
    names = names or next((n for n in USUAL if all(_weight(attention, name) is not None for name in n)), None)
    if names == USUAL[-1] and sum(p.dim() > 1 for p in attention.parameters()) > 3:  # an output projection, too
        names = None
    missing = names is None or [name for name in names if _weight(attention, name) is None]
    if missing:
        found = [name for name, _ in attention.named_parameters()]
        raise ValueError(f"names must give the projections of queries, keys, values and output, as of {found[:8]}")
    with subject.at_rest():
        complaints = [_complaint(subject, rows, names, H) for rows in _layouts(attention, names, H, G)]
    if all(complaints):
        raise AssertionError(complaints[0])


def assert_grouped_heads(attention, x, num_heads, num_kv_heads, names=None, *, tolerance=None, **options):
    """Assert that neighboring query heads share a head of keys and values: h reads h // (num_heads // num_kv_heads).

    Shapes: as for assert_heads_independent, keys and values (num_kv_heads * D, C)
    Source: notebook 10
    """
    if num_heads % num_kv_heads:
        raise ValueError(f"num_heads must be a multiple of num_kv_heads, got {num_heads} and {num_kv_heads}")
    assert_heads_independent(attention, x, num_heads, names, num_kv_heads, tolerance=tolerance, **options)


USUAL = (
    ("q_proj", "k_proj", "v_proj", "out_proj"),
    ("q_proj", "k_proj", "v_proj", "o_proj"),
    ("W_query", "W_key", "W_value", "out_proj"),
    *((f"{w}q", f"{w}k", f"{w}v", f"{w}o") for w in ("w", "W", "w_", "W_", "")),
    ("to_q", "to_k", "to_v", "to_out"),
    ("query", "key", "value", "proj"),
    ("qkv", "proj"),
    ("c_attn", "c_proj"),
    ("qkv_proj", "o_proj"),
    ("in_proj_weight", "out_proj"),
    ("query", "key", "value"),
)


def _weight(attention, name):
    """The weight with this name, (out, in), or None."""
    try:
        found = attention.get_submodule(name)
    except AttributeError:
        found = getattr(attention, name, None)
        return found if isinstance(found, torch.nn.Parameter) else None
    for module in found.modules():
        weight = getattr(module, "weight", None)
        if weight is not None and weight.dim() == 2:
            return weight.T if hasattr(module, "nf") else weight  # GPT-2's Conv1D
    return None


def _layouts(attention, names, H, G):
    """Yield each possible split into heads: [(name, [rows of head 0, ...]), ...] for queries, keys and values."""
    weights = [_weight(attention, name).data for name in names[: 1 if len(names) == 2 else 3]]
    if len(weights) == 3:
        yield [(name, w.chunk(n)) for name, w, n in zip(names, weights, (H, G, G), strict=False)]
        return
    D = weights[0].size(0) // (H + 2 * G)
    parts = weights[0].split([H * D, G * D, G * D])
    yield [(f"{names[0]}, {what}", w.chunk(n)) for what, w, n in zip("qkv", parts, (H, G, G), strict=True)]
    if H == G:  # for each head its queries, keys and values, as in GPT-NeoX
        each = weights[0].unflatten(0, (H, 3, D))
        yield [(f"{names[0]}, {what}", list(each[:, i])) for i, what in enumerate("qkv")]


def _complaint(subject, rows, names, H):
    """A sentence about the first wrong head, or None."""
    output = _weight(subject.model, names[-1]).data if len(names) in (2, 4) else None
    G = len(rows[1][1])
    for i, (name, each) in enumerate(rows):
        for h, part in enumerate(each):
            wanted = [h] if len(each) == H else list(range(h * H // G, (h + 1) * H // G))
            moved = [head for head in range(H) if _moves(subject, part, output, head, H)]
            if i < 2 and moved == wanted:
                moved = _weights_that_move(subject, part, H, moved)
            if moved != wanted:
                dealt = len(each) < H and moved == list(range(h, H, G))
                return (
                    f"the rows of head {h} in {name} move heads {moved}, and should move {wanted}; look at "
                    f"{LOOK['groups' if dealt else 'heads']}"
                )
    return None


def _moves(subject, rows, output, head, H):
    """Whether changing these rows of a projection changes the output of this head."""

    def read():
        out = subject.outputs()
        return out if output is not None else out.unflatten(2, (H, -1))[:, :, head]

    with _changed(*([(output, lambda w: _columns_alone(w, head, H))] if output is not None else [])):
        before = read()
        with _changed((rows, lambda w: w.mul_(-0.5))):
            return bool(((before - read()).abs() > _limit(subject, before)).any())


def _weights_that_move(subject, rows, H, moved):
    """The heads whose attention weights change; `moved` if the model returns no weights (B, H, T, S)."""

    def read():
        found = [each for each in tensors_of(subject.run()) if each.dim() == 4 and each.size(1) == H]
        return found[0].clone() if found else None

    before = read()
    if before is None:
        return moved
    with _changed((rows, lambda w: w.mul_(-0.5))):
        return ((before - read()).abs().amax((0, 2, 3)) > _limit(subject, before)).nonzero().flatten().tolist()


def _limit(subject, before):
    return max(1e-6 * before.abs().max(), 10 * subject.noise) if subject.tolerance is None else subject.tolerance


def _columns_alone(weight, head, H):
    for h, columns in enumerate(weight.chunk(H, dim=1)):
        if h != head:
            columns.zero_()


@contextmanager
def _changed(*changes):
    """Change tensors in place, and restore them afterwards."""
    kept = [(tensor, tensor.clone()) for tensor, _ in changes]
    try:
        for tensor, change in changes:
            change(tensor)
        yield
    finally:
        for tensor, numbers in kept:
            tensor.copy_(numbers)


# ---------------------------------------------------------------- a slow reference


def slow_attention(q, k, v, causal=False, scale=None):
    """Attention in a loop over queries, one line for each step, with nothing fused.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv) -> (..., T, Dv); with H and G heads of q and of k and v, head h
            reads h // (H // G)
    causal  query t sees the S - T keys of the past, and t + 1 more
    Source: Vaswani et al. 2017, eq. 1; notebook 02
    """
    if q.dim() > 3 and q.size(-3) != k.size(-3):
        k, v = (each.repeat_interleave(q.size(-3) // k.size(-3), dim=-3) for each in (k, v))
    T, S = q.size(-2), k.size(-2)
    rows = []
    for t in range(T):
        seen = S - T + t + 1 if causal else S
        scores = (q[..., t, None, :] * k[..., :seen, :]).sum(-1) * (q.size(-1) ** -0.5 if scale is None else scale)
        rows.append((scores.softmax(-1)[..., None] * v[..., :seen, :]).sum(-2))
    return torch.stack(rows, dim=-2)


def assert_equals_reference(model, reference, *inputs, tolerance=None, **options):
    """Assert that the model gives the same output as a slow reference that is known to be right.

    Shapes: reference(*inputs) -> the first output of model(*inputs, **options); for attention on (q, k, v), this may be
            slow_attention, or lambda q, k, v: slow_attention(q, k, v, causal=True) in a decoder
    Source: notebook 13
    """
    subject, slow = Subject(model, inputs, options, None, tolerance), Subject(reference, inputs, {}, None, tolerance)

    def both(right=slow):
        right.double = subject.double
        return tensors_of(subject.run())[0], tensors_of(right.run())[0]

    with resting(slow.modules), resting(subject.modules):
        apart = subject.apart(both, OTHER_SHAPES)
        if apart:
            look = _where(*both(), inputs)
            raise AssertionError(f"the model differs {far(apart)} from the reference; {look}")


def _where(ours, right, inputs):
    """What the model computes instead, or where it first differs from the reference."""
    if ours.shape != right.shape:
        return f"it gives {tuple(ours.shape)} in place of {tuple(right.shape)}"
    triple = len(inputs) == 3 and inputs[0].shape[-1] == inputs[1].shape[-1]
    for name, out in _slips(*inputs).items() if triple else ():
        if ours.shape == out.shape and (ours - out).abs().max() <= 1e-4 * out.abs().max():
            return f"it equals attention {name}"
    off = (ours - right).abs().nan_to_num(nan=math.inf).flatten(0, -2).amax(-1)
    row = (off > 1e-3 * off.max()).nonzero()[0, 0]
    return f"look at row {tuple(int(i) for i in torch.unravel_index(row, ours.shape[:-1]))}, the first that does"


def _slips(q, k, v):
    """The outputs of attention with usual mistakes in scale or mask, by name."""
    scales = {"": None, ", not scaled": 1.0, ", scaled by D in place of √D": 1 / q.size(-1)}
    masks = {"without a mask": False} | ({"with a causal mask": True} if q.size(-2) <= k.size(-2) else {})
    return {
        mask + name: slow_attention(q, k, v, causal, scale)
        for mask, causal in masks.items()
        for name, scale in scales.items()
    }
