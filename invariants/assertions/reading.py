"""Tests of what an output depends on: never on later positions, padding or other items, but on the order of tokens."""

import torch

from invariants.assertions.calling import (
    EXACT,
    MASKS,
    PASTS,
    POSITIONS,
    SAME_SHAPES,
    Subject,
    far,
    is_function_of_length,
    parameters_of,
    recurrent_layer,
    refuse_nan,
)

LOOK = {
    "mask": "the causal mask: it comes before a softmax over keys; and norms or means must not go over positions",
    "inverted": "the causal mask, which is inverted: each output reads what follows, and not what comes before",
    "wide": "the mask, which begins too late, or a convolution that looks ahead",
    "first": "the first row of the mask, which hides everything: equal fills give equal weights, the future included",
    "axes": "how features become heads, and heads features: a view or reshape moves numbers across positions",
    "length": "a scale by T, positions counted from the end, or rows of a buffer that no mask hides",
    "padding": "the padding mask: it must reach every layer, hide keys, and mean by True what the layer means",
    "padding inverted": "what True means: real tokens read padding, and not each other, so the mask is inverted",
    "padding fill": "the number that hidden scores get, which is not low enough",
    "left": "the positions: they must count real tokens, from 0, and not columns",
    "right": "what goes over all columns: a mean, a norm, a scale by their number",
    "batch": "the order of axes: attention runs along the batch, such as without batch_first=True",
    "statistics": "what is computed over the batch: a norm, or a reshape that takes items for positions or heads",
    "number of items": "what is computed from the number of items, or stored for one such number",
    "order": "the positions: they are missing, all the same, or cancel, as does a rotation along the axis of heads",
}


def assert_causal(model, *inputs, axis=None, tolerance=None, **options):
    """Assert that no output depends on later inputs, nor on how many there are.

    Shapes: the text, ids (B, T) or vectors (B, T, C), (B, H, T, D) or (T, C); its outputs (B, T, ...). Functions of
            (q, k, v) get three inputs, or one for all three
    Units:  tolerance is absolute; without it, differences that float64 shows to be rounding do not count
    Errors: ValueError if there is no output for each position; AssertionError also for a model that is random
    Source: notebook 03
    """
    subject = Subject(model, inputs, options, axis, tolerance)
    T = subject.T
    if T < 2:
        raise ValueError(f"the text must have 2 positions at least, got {T}")
    steps = range(1, T) if T <= 32 else sorted({1, 2, 3, T - 1, *range(4, T, T // 24)})
    with subject.at_rest():
        subject.outputs()  # raises ValueError if there is no output for each position
        refuse_nan(subject.whole())
        for t in steps:
            later = subject.changed(subject.everywhere(slice(t, None)))
            apart = subject.apart(lambda t=t, x=later: (subject.whole()[:, :t], subject.outputs(x)[:, :t]), SAME_SHAPES)
            if apart:
                seen, look = subject.exactly(lambda: _leak(subject))
                raise AssertionError(f"{_outputs(t)} {far(apart)} with what follows{seen}; look at {LOOK[look]}")
        for t in steps:
            try:
                apart = subject.apart(lambda t=t: (subject.whole()[:, :t], subject.prefix(t)))
            except Exception:  # a model with a fixed length
                continue
            if apart:
                look = LOOK["length" if _moved(_rows(subject, 0))[-1] else "axes"]
                raise AssertionError(
                    f"{_outputs(t)} {far(apart)} with how many positions follow, whatever they hold; look at {look}"
                )


def _leak(subject):
    """Where and at what to look, from which positions read which later ones in the first module that leaks."""
    T, later = subject.T, sorted({*range(1, min(subject.T, 12)), subject.T - 1})
    places = subject.places(subject.changed(subject.everywhere(slice(T // 2, None))))
    place = next((i for i, (_, rows) in enumerate(places) if _moved(rows)[: T // 2].any()), None)
    reach = {j: _moved(_rows(subject, j, place))[:j].nonzero().flatten().tolist() for j in later}
    seen = f", first in {places[place][0]}" if place is not None and places[place][0] else ""
    if {i for each in reach.values() for i in each} == {0}:
        return seen, "first" if T > 2 and all(reach.values()) else "mask"
    if all(len(each) == j for j, each in reach.items()):
        return seen, "mask" if T < 3 or _moved(_rows(subject, 0, place))[1:-1].any() else "inverted"
    ahead = {i: [j for j in later if j > i] for i in range(T)}
    read = {i: [j for j in later if i in reach[j]] for i in range(T)}
    rows = all(read[i] == ahead[i][: len(read[i])] for i in range(T))  # a mask leaves no gaps
    columns = all(each == list(range(j - len(each), j)) for j, each in reach.items())
    if not rows or not columns:
        return seen, "axes"
    return seen, "wide" if all(reach.values()) and 0 not in reach[T - 1] else "mask"


def _rows(subject, j, place=None):
    """The outputs of the model, or of a module in it, before and after a change at position j."""
    change = subject.changed(subject.everywhere(j))
    return (subject.whole(), subject.outputs(change)) if place is None else subject.places(change)[place][1]


def _moved(rows):
    """Which outputs change, (T,) bool."""
    before, after = (side.double() for side in rows)
    return ~((before - after).abs().amax((0, 2)) <= SAME_SHAPES * before[before.isfinite()].abs().max())


def _outputs(t):
    return "the first output changes" if t == 1 else f"the first {t} outputs change"


def assert_padding_ignored(model, x, real, *inputs, axis=None, tolerance=None, **options):
    """Assert that the content of padding changes no output of a real token, nor the only output of an item.

    Shapes: x ids (B, T) or vectors (B, T, C), or a tuple of inputs; real (B, T), bool, with padding on either side;
            model(x, real), or by name: attention_mask (1 = real), key_padding_mask (True = padding), mask (True =
            real); for other masks, pass a function of x and real
    Errors: ValueError if real has no padding, or the model takes no mask
    Source: notebook 03
    """
    real, subject = _masked(model, x, real, inputs, options, axis, tolerance)
    ids = not subject.values[subject.text[0]].is_floating_point()
    with subject.at_rest():
        refuse_nan(_real(subject.whole(), real))
        for fill in (None, 0) if ids else (None,):  # a model may treat id 0 as padding
            apart = subject.apart(lambda fill=fill: _refilled(subject, real, ~real, fill), SAME_SHAPES)
            if apart and subject.whole().dim() == 2 and _own_padding(subject, real):
                raise ValueError(
                    "the model must give one output for each position, or none of padding, got that of a position "
                    f"that is padding, {tuple(subject.whole().shape)}; pad on the other side, or ask for all positions"
                )
            if apart:
                _refuse_recurrent(subject, real)
                look = LOOK[_padding(subject, real, apart)]
                raise AssertionError(f"real tokens change {far(apart)} with what stands in padding; look at {look}")


def _masked(model, x, real, inputs, options, axis, tolerance, needed=True):
    """Return `real` as bool, and a Subject that gets it, and positions, if the model takes them."""
    real = real.bool()
    if real.all():
        raise ValueError("real must have padding, False, in some item, got none")
    x = x if isinstance(x, (tuple, list)) else (x,)
    places, required, names = parameters_of(model)
    given = (*x, *inputs)
    if len(given) == 1 and len(required) == 4:  # queries, keys, values and a mask
        given = given * 3
    name = place_of(real, names, options)
    extra = {}
    if not any("mask" in key and getattr(value, "shape", None) == real.shape for key, value in options.items()):
        free = name is not None or len(places) > len(given) and places[len(given)] not in PASTS
        if needed and not free:
            raise ValueError("the model must take what is real, as model(x, real), got one that takes the text alone")
        if name is not None:
            extra[name] = MASKS[name](real)
            if name.startswith("src") and "memory_key_padding_mask" in names:
                extra["memory_key_padding_mask"] = ~real
        elif free:
            given = (*given, real)
    positions = (real.long().cumsum(-1) - 1).clamp(min=0)
    place = next((name for name in POSITIONS if name in names and name not in options), None)
    if place and place not in required:
        extra[place] = positions
    elif len(required) == len(given) + 1 and name is None:
        given = (*given, positions)
    subject = Subject(model, given, {**extra, **options}, axis, tolerance, answers=False)
    if tuple(real.shape) != (subject.B, subject.T):
        raise ValueError(f"real must be (B, T) = {(subject.B, subject.T)}, got {tuple(real.shape)}")
    subject.text = [key for key in subject.text if subject.values[key] is not positions]
    return real, subject


def place_of(real, names, options):
    """The name of the parameter that gets the mask, or None. Errors: ValueError if an option contradicts `real`"""
    name = next((name for name in MASKS if name in names), None)
    given = options.get(name)
    given = given(real.size(1)) if is_function_of_length(given) else given
    if getattr(given, "shape", None) == real.shape and (given.bool() != MASKS[name](real).bool()).any():
        raise ValueError(f"{name} says something else than real about what is padding; leave one of the two out")
    return name


def _refilled(subject, real, where, fill=None, watch=None):
    """The outputs of real tokens, or of those in `watch`, before and after a change at `where`."""
    watch = real if watch is None else watch
    return _real(subject.whole(), watch), _real(subject.pooled(subject.changed(where, fill=fill)), watch)


def _real(outputs, real):
    """The outputs of real tokens, or of items that have some."""
    return outputs[real] if outputs.dim() == 3 else outputs[real.any(1)]


def _refuse_recurrent(subject, real):
    """Errors: ValueError if padding on the left enters the state of a recurrent layer, where no mask can hide it."""
    layer = recurrent_layer(subject.modules)
    if layer and not real[:, 0].all():
        raise ValueError(f"a recurrent layer, {layer}, reads what is on the left, so that padding must be on the right")


def _own_padding(subject, real):
    """Whether the only output of an item is that of its first or last position, and this position is padding."""
    last = torch.zeros_like(real)
    last[:, [0, -1]] = True
    inner = ~real & ~last
    return bool(inner.any()) and not subject.apart(lambda: _refilled(subject, real, inner), SAME_SHAPES)


def _padding(subject, real, apart):
    before = subject.whole()
    if before.dim() == 3:
        padded = real & ~real.all(1, keepdim=True) & (real.sum(1, keepdim=True) > 1)
        first = padded & (padded.long().cumsum(1) == 1)
        read = subject.apart(lambda: _refilled(subject, real, first, watch=padded & ~first), SAME_SHAPES)
        if padded.any() and not read:
            return "padding inverted"
    return "padding fill" if apart < 1e-3 * before[before.isfinite()].abs().max() else "padding"


def assert_alone_equals_batch(model, x, real, *inputs, axis=None, tolerance=None, **options):
    """Assert that a text gives the same outputs alone as in a batch, with padding on either side.

    Shapes: x and real as for assert_padding_ignored. Alone, an item has its real tokens only. If the model takes
            position_ids, they count real tokens from 0; a function of three arguments gets them as its third, (B, T).
            A model may also take the text alone, and find padding by itself
    Source: notebook 03
    """
    real, subject = _masked(model, x, real, inputs, options, axis, tolerance, needed=False)
    with subject.at_rest():
        for item in range(subject.B):

            def both(item=item):
                whole, alone = subject.whole()[item], subject.items(item, real[item])[0]
                return whole[real[item]] if whole.dim() == 2 else whole, alone

            apart = subject.apart(both)
            if apart:
                _refuse_recurrent(subject, real)
                reads = subject.apart(lambda: _refilled(subject, real, ~real), SAME_SHAPES)
                look = LOOK["padding" if reads else "right" if real[item, 0] else "left"]
                raise AssertionError(f"item {item} alone differs {far(apart)} from itself in the batch; look at {look}")


def assert_items_apart(model, *inputs, axis=None, tolerance=None, **options):
    """Assert that the output of a batch item does not depend on the other items, nor on how many there are.

    Shapes: as for assert_causal, B of at least 2; one output for each item will do
    Source: notebook 13
    """
    subject = Subject(model, inputs, options, axis, tolerance)
    if subject.B < 2:
        raise ValueError(f"the batch must have 2 items at least, got {subject.B}")
    with subject.at_rest():
        for item in (0, subject.B - 1):

            def both(item=item, positions=None):
                after = subject.pooled(subject.changed(subject.everywhere(positions, items=item)))
                keep = torch.arange(subject.B) != item
                return subject.whole()[keep], after[keep]

            apart = subject.apart(both, SAME_SHAPES)
            if apart:
                raise AssertionError(
                    f"other items change {far(apart)} with item {item}; look at {_across(subject, item, both)}"
                )
        try:
            apart = subject.apart(lambda: (subject.whole()[:1], subject.items(0)))
        except Exception:  # a model with a fixed batch size
            return
        if apart:
            raise AssertionError(
                f"item 0 changes {far(apart)} with how many items there are; look at {LOOK['number of items']}"
            )


def _across(subject, item, both):
    """What to look at: the order of axes if one position of an item changes only this position in other items."""
    if subject.whole().dim() == 2 or subject.T < 2:
        return LOOK["statistics"]
    moved = _moved(both(positions=subject.T // 2)).nonzero().flatten().tolist()
    return LOOK["batch" if moved == [subject.T // 2] else "statistics"]


def assert_order_matters(model, *inputs, axis=None, **options):
    """Assert that swapping two tokens changes the outputs of other tokens.

    Shapes: as for assert_causal, T of at least 4; one output for each item will do
    Errors: ValueError if no output reads another token, so that their order cannot matter
    Source: notebook 01
    """
    subject = Subject(model, inputs, options, axis)
    T = subject.T
    if T < 4:
        raise ValueError(f"the text must have 4 positions at least, got {T}")
    pairs = [(0, 1), (0, T - 2), (1, 2), (T // 2 - 1, T // 2), (T - 3, T - 2)]

    def exchanged(i, j):
        order = torch.arange(T, device=subject.device)
        order[[i, j]] = order[[j, i]]
        return lambda x: x.index_select(subject.axis, order)

    def watched(change, i, j):
        before, after = subject.whole(), subject.pooled(change)
        keep = torch.tensor([t < i or t > j for t in range(T)])  # between i and j, a causal mask tells them apart
        return (before[:, keep], after[:, keep]) if before.dim() == 3 else (before, after)

    with subject.at_rest():
        reads = 0.0
        for i, j in pairs:
            if subject.apart(lambda i=i, j=j: watched(exchanged(i, j), i, j), EXACT):
                return
            where = subject.everywhere([i, j])
            reads = reads or subject.apart(lambda i=i, j=j, w=where: watched(subject.changed(w), i, j), EXACT)
    if not reads:
        raise ValueError("no output moves with other tokens of its item, so their order cannot matter")
    raise AssertionError(f"no other output moves if two tokens change places; look at {LOOK['order']}")
