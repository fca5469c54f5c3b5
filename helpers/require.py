"""Checks of arguments; an error message is one sentence with the rule, what was given, and often how to fix it.

    require.shape(x, "... T C", C=8)                              one tensor of floats has these axes
    require.shapes("q ... T D, k ... S D, v ... S Dv", q, k, v)   several have, and a letter is one number in all
    require.sizes(num_heads=3)                                    whole numbers of at least 1
    require.that(p > 0, "p must be above 0", p)                   any other rule

Each raises a TypeError or a ValueError unless its arguments fit. Those about shapes return the sizes of the letters,
such as {"T": 5, "C": 8}. Positions (T, S) and features (C, D, Dv) must be at least 1, unless the letter is written as
T?; the dots stand for any axes.
"""

from numbers import Integral

import torch

KINDS = {"T": "position", "S": "position", "C": "feature", "D": "feature", "Dv": "feature"}  # at least one of each
READ = {}  # parsed patterns, by their text (torch.compile warns about functools.cache)
QKV = "q ... T D, k ... S D, v ... S Dv"


def kind_of(x):
    """The dtype of x, or its type if it is not a tensor."""
    return x.dtype if isinstance(x, torch.Tensor) else type(x).__name__


def shape_of(x):
    """The shape of x, or its type if it is not a tensor."""
    return tuple(x.shape) if isinstance(x, torch.Tensor) else type(x).__name__


def that(holds, rule, got, hint="", error=ValueError):
    """Require a rule to hold."""
    if not holds:
        raise error(f"{rule}, got {got}{_after(hint)}")


# ---------------------------------------------------------------- shapes


def floats(x, name="x"):
    """Require x to be a tensor of floats; the hint depends on what it is instead."""
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        is_mask = kind_of(x) == torch.bool
        hint = "a mask is passed by its name, mask=..." if is_mask else "token ids go through an embedding first"
        raise TypeError(f"{name} must be a tensor of floats, got {kind_of(x)}; {hint}")


def shape(x, axes, name="x", hint="", floating=True, **sizes):
    """Require x to be a tensor with these axes, of the sizes that are given.

    axes: letters, such as "... T C"; with floating=False x may hold anything
    hint: how to fix too few or too many axes
    """
    if floating:
        floats(x, name)
    elif not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} must be a tensor, got {kind_of(x)}; make one with torch.tensor({name})")
    found = sizes.copy()
    wrong = _misfit(x, _axes(axes), found)
    if wrong:
        empty = f" with at least one {KINDS[wrong]}" if wrong in KINDS and 0 in x.shape else ""
        fix = _after(hint) if wrong == "axes" else ""
        raise ValueError(f"{name} must be {_written(axes, sizes)}{empty}, got {shape_of(x)}{fix}")
    return found


def shapes(pattern, *tensors, says="", broadcast=False, one_dtype=False, **sizes):
    """Require tensors of floats on one device to have these axes; a letter, and the dots, must be the same in all.

    pattern: for each tensor its name and its axes, such as "x ... C, weight C"
    broadcast: the axes at the dots may differ; whether they broadcast is not checked here
    """
    parts, found, before = _parts(pattern), sizes.copy(), None
    for x, (name, axes) in zip(tensors, parts, strict=True):
        floats(x, name)
        wrong = _misfit(x, _axes(axes), found)
        if not wrong and not broadcast and axes.startswith("..."):
            dots = x.shape[: x.dim() - axes.count(" ")]
            wrong, before = "" if before in (None, dots) else "...", dots
        if wrong:
            raise ValueError(_sentence(says, parts, tensors, sizes, wrong))
        if x.device != tensors[0].device:
            raise ValueError(_differ("device", parts, tensors))
        if one_dtype and x.dtype != tensors[0].dtype:
            raise TypeError(_differ("dtype", parts, tensors))
    return found


def _misfit(x, axes, sizes):
    """The letter that does not fit, "axes" if their number does not, or ""; adds the letters' sizes to `sizes`."""
    (dots, letters), found = axes, x.shape
    more = len(found) - len(letters)
    if more and not (dots and more > 0):
        return "axes"
    for i, letter in enumerate(letters, more):
        size = found[i]
        if sizes.setdefault(letter, size) != size or (not size and letter in KINDS):
            return letter
    return ""


def _sentence(says, parts, tensors, sizes, wrong):
    """The message: what the tensors must be, what they are, and which letter or axes do not fit."""
    rules = [f"{name} {'' if i or says else 'must be '}{_written(axes, sizes)}" for i, (name, axes) in enumerate(parts)]
    got, counts = [], {}
    for (name, axes), x in zip(parts, tensors, strict=True):
        got.append(f"{name} {shape_of(x)}")
        _, letters = _axes(axes)
        if wrong in letters and isinstance(x, torch.Tensor) and x.dim() >= len(letters):
            counts.setdefault(x.shape[letters.index(wrong) - len(letters)], name)
    why = ": the axes at the dots differ" if wrong == "..." else ""
    if counts:
        least = ", and must be at least 1" if 0 in counts and wrong in KINDS else ""
        why = f": {wrong.rstrip('?')} is {' and '.join(f'{n} in {name}' for n, name in counts.items())}{least}"
    return f"{says}{_listed(rules)}, got {', '.join(got)}{why}"


def _differ(what, parts, tensors):
    names, got = _listed(name for name, _ in parts), ", ".join(str(getattr(x, what, "none")) for x in tensors)
    return f"{names} must share one {what}, got {got}; convert with .to({parts[0][0]}.{what})"


def _parts(pattern):
    """(name, axes) for each tensor of a pattern."""
    if pattern not in READ:
        READ[pattern] = tuple(tuple(part.strip().split(" ", 1)) for part in pattern.split(","))
    return READ[pattern]


def _axes(axes):
    """Parse axes: whether there are dots, and the letters."""
    if axes not in READ:
        letters = tuple(axes.split())
        READ[axes] = letters[0] == "...", letters[letters[0] == "..." :]
    return READ[axes]


def _written(axes, sizes):
    """The axes as they are shown, such as (..., T, 8)."""
    written = ", ".join(str(sizes.get(letter, letter.rstrip("?"))) for letter in axes.split())
    return f"({written}{'' if ' ' in axes else ','})"


def _listed(words):
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _after(hint):
    return f"; {hint}" if hint else ""


# ---------------------------------------------------------------- numbers and ids


def sizes(least=1, hint="", **sizes):
    """Require all sizes to be whole numbers of at least `least`."""
    for name, size in sizes.items():
        if type(size) is not int and (not isinstance(size, Integral) or isinstance(size, bool)):
            that(False, f"{name} must be a whole number", repr(size), hint, TypeError)
        if size < least:
            that(False, f"{name} must be at least {least}", size, hint)


def number(name, x):
    """Require x to be a number."""
    that(isinstance(x, (int, float)) and not isinstance(x, bool), f"{name} must be a number", repr(x), error=TypeError)


def cap(cap):
    """Require the cap to be a number above 0."""
    number("cap", cap)
    that(cap > 0, "cap must be above 0, since scores end between -cap and cap", cap)


def probability(p):
    """Require p to be a valid dropout probability."""
    number("a dropout probability", p)
    fix = "it is the share that becomes 0, and what is kept is divided by 1 - p"
    that(0 <= p < 1, "a dropout probability p must be at least 0 and below 1", p, fix)


def nucleus(p):
    """Require p to be a valid top_p."""
    number("top_p", p)
    that(0 < p <= 1, "top_p must be above 0 and at most 1", p)


def one_of(choices, **named):
    """Require each value to be one of the choices."""
    for name, value in named.items():
        that(value in choices, f"{name} must be one of {', '.join(choices)}", repr(value))


def divides(**named):
    """Require the first of two sizes to divide the second: num_heads=3, d_model=33."""
    (part, n), (whole, size) = named.items()
    if not (type(n) is type(size) is int and 0 < n <= size):
        sizes(**{whole: size, part: n})
    if size % n:
        nearest = min((d for d in range(1, size + 1) if size % d == 0), key=lambda d: (abs(d - n), d))
        got = f"{n} {part.split('_')[-1]} for {whole} = {size}"
        that(False, f"{part} must divide {whole}", got, f"a number near it that does is {nearest}")


def even(why, **named):
    """Require each size to be even."""
    for name, size in named.items():
        that(size % 2 == 0, f"{name} must be even, since {why}", size, f"take {size + 1}")


def whole(x, name):
    """Require x to be a tensor of whole numbers."""
    if not isinstance(x, torch.Tensor) or x.is_floating_point() or x.is_complex() or x.dtype == torch.bool:
        raise TypeError(
            f"{name} must be a tensor of whole numbers, got {kind_of(x)}; make one with torch.tensor({name})"
        )


def ids(ids, limit, axes="...", name="ids", **sizes):
    """Require ids to have these axes, and to be row numbers of a table with `limit` rows."""
    whole(ids, name)
    found = shape(ids, axes, name, f"one sequence (T,) becomes a batch of one by {name}[None]", False, **sizes)
    wrong = ids[(ids < 0) | (ids >= limit)]
    if wrong.numel():
        hint = "were these ids made with another vocabulary?" if name == "ids" else ""
        rule = f"{name} must lie between 0 and {limit - 1}, since the table has {limit} rows"
        that(False, rule, wrong[0].item(), hint)
    return found


def lengths(lengths, max_length):
    """Require lengths (B,) to be numbers of real tokens, from 0 to max_length."""
    whole(lengths, "lengths")
    shape(lengths, "B", "lengths", floating=False)
    fix = "a length counts real tokens, and max_length is at least the largest of them"
    for n in lengths.tolist():
        that(0 <= n <= max_length, f"lengths must lie between 0 and max_length = {max_length}", n, fix)


def room(count, limit, name="context_length", owner="x"):
    """Require the number of positions to be at most a limit of this name."""
    if count > limit:
        fix = f"shorten {owner}, or build the module with a larger {name}"
        raise ValueError(f"{owner} has {count} positions, but {name} is {limit}; {fix}")


# ---------------------------------------------------------------- attention


def qkv(q, k, v):
    """Require queries (..., T, D), keys (..., S, D) and values (..., S, Dv) to fit, with dots that broadcast."""
    shapes(QKV, q, k, v, broadcast=True, one_dtype=True)
    if q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:  # the usual case, and much faster than to try
        return
    try:
        torch.broadcast_tensors(*(torch.empty(z.shape[:-2]) for z in (q, k, v)))  # broadcast_shapes imports SymPy
    except RuntimeError:
        got = f"q {shape_of(q)}, k {shape_of(k)}, v {shape_of(v)}"
        raise ValueError(f"q, k and v must agree in all axes before the last two, got {got}") from None


def grouped(q, k, v):
    """Require queries (B, H, T, D), keys (B, G, S, D) and values (B, G, S, Dv) to fit, and G to divide H."""
    found = shapes("q B H T D, k B G S D, v B G S Dv", q, k, v, one_dtype=True)
    divides(groups=found["G"], num_heads=found["H"])
    return found


def tiled(q, k, v, tile, causal):
    """Require q, k and v to fit without broadcasting, tiles of at least one position, and T = S if causal."""
    found = shapes(QKV, q, k, v, one_dtype=True)
    sizes(tile=tile)
    if causal:
        as_many(found["T"], found["S"])


def as_many(T, S):
    """Require as many queries as keys, for causal attention."""
    if T != S:
        raise ValueError(
            f"causal=True needs as many queries as keys, got T = {T} and S = {S}: which key is "
            "'now' for a query would be a guess (PyTorch aligns both at the first position, a "
            "cache at the last); pass a mask of shape (T, S) that says it"
        )


def floating_scores(scores):
    """Require scores, or the weights that they become, to be floats."""
    if not isinstance(scores, torch.Tensor) or not scores.is_floating_point():
        fix = "torch.tensor(...) makes one of a list, and .float() one of whole numbers"
        raise TypeError(f"scores and weights must be tensors of floats, got {kind_of(scores)}; {fix}")


def mask(mask, scores):
    """Require the mask to be bool and to broadcast to the scores (..., T, S), which must be floats."""
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        fix = "a 0/1 mask becomes one by mask == 1, an additive mask of 0 and -inf by mask == 0"
        raise TypeError(f"mask must be bool (True = may attend), got {kind_of(mask)}; {fix}")
    floating_scores(scores)
    broadcasts(mask, scores, "mask")


def broadcasts(x, scores, name):
    """Require x to be on the device of the scores (..., T, S), and to broadcast to their shape."""
    if x.device != scores.device:
        fix = f"move it with {name}.to(scores.device)"
        raise ValueError(f"{name} is on {x.device}, the scores are on {scores.device}; {fix}")
    if not stretches(x, scores.shape):
        items = "; with heads, a mask for each item needs mask.unsqueeze(1)"
        raise ValueError(
            f"{name} {shape_of(x)} does not broadcast to scores {shape_of(scores)}; "
            "its last two axes are (queries, keys), and every axis must be equal or 1"
            + (items if x.dim() == 3 and scores.dim() == 4 else "")
        )


def stretches(x, shape):
    """Whether x broadcasts to exactly this shape."""
    try:
        return x.expand(shape).shape == shape
    except RuntimeError:
        return False


def fits(x, layer, axes="... T C", name="x", **sizes):
    """Require x to have these axes and to fit an nn.Linear; return the sizes of the letters."""
    hint = f"one sequence (T, C) becomes a batch of one by {name}[None]" if axes[0] == "B" else ""
    found = shape(x, axes, name, hint, C=layer.in_features, **sizes)
    weight = layer.weight
    if x.device != weight.device:
        raise ValueError(f"{name} is on {x.device}, the module on {weight.device}; move one with .to(device)")
    if x.dtype != weight.dtype and not torch.is_autocast_enabled(x.device.type):
        rule, fix = f"{name} must be {weight.dtype} like the module's weights", f"convert it with .to({weight.dtype})"
        raise TypeError(f"{rule}, got {x.dtype}; {fix}")
    return found


def context(x, context, q_proj, k_proj):
    """Require x (..., T, C) and context (..., S, C) to fit the projections."""
    fits(x, q_proj)
    if context is x:
        return
    fits(context, k_proj, "... S C", "context")
    if x.shape[:-2] != context.shape[:-2]:
        got = f"{shape_of(x)} and {shape_of(context)}"
        raise ValueError(f"x and context must agree in all axes before the last two, got {got}")


# ---------------------------------------------------------------- pasts, projections, positions and weights


def past_of(pattern, past, like=None, **sizes):
    """Require a past to be a tuple of these tensors, as it was returned, with the dtype and device of `like`."""
    names = [name for name, _ in _parts(pattern)]
    is_past = isinstance(past, (tuple, list)) and len(past) == len(names)
    that(is_past, f"past must be ({', '.join(names)}), as it was returned", count_of(past), error=TypeError)
    if like is not None:
        wanted = f"{like.dtype} on {like.device}"
        kinds = [f"{x.dtype} on {x.device}" if isinstance(x, torch.Tensor) else type(x).__name__ for x in past]
        rule = f"past must hold tensors of {wanted} like the queries"
        that(set(kinds) == {wanted}, rule, _listed(kinds), error=TypeError)
    return shapes(pattern, *past, says="past must hold ", **sizes)


def keys_and_values(past, q, context=None):
    """Require past keys and values to fit in front of new ones that are like q, or to be those of the context.

    Return their number of positions, 0 if there is no past.
    """
    if past is None:
        return 0
    length = {} if context is None else {"S?": context.size(1)}
    pattern, (B, H, _, D) = "keys B H S? D, values B H S? D", q.shape
    return past_of(pattern, past, q, B=B, H=H, D=D, **length)["S?"]


def decoder_input(ids_, past, real, config, kind):
    """Require ids (B, T) to be rows of the table, a past of this kind and `real` to fit them, and enough positions."""
    B, T = ids(ids_, config.vocab_size, "B T").values()
    is_past = past is None or isinstance(past, kind)
    that(is_past, "past must be what the model returned with its logits", kind_of(past), error=TypeError)
    of_past, _, P, _ = (B, 0, 0, 0) if past is None else past.layers[0][0].shape
    if of_past != B:
        raise ValueError(f"past holds {of_past} sequences, but ids {B}; pass as many ids")
    rule, fix = f"the model has {config.context_length} positions", "build the model with a larger context_length"
    that(config.context_length >= P + T, rule, f"{P} past and {T} new tokens", f"shorten the text, or {fix}")
    if real is not None:
        is_bool = isinstance(real, torch.Tensor) and real.dtype == torch.bool
        fix = "for a pad_id: ids != pad_id"
        that(is_bool, "real must be bool (True = a real token)", kind_of(real), fix, TypeError)
        shape(real, "B T", "real", floating=False, B=B, T=T)


def count_of(x):
    """The type of x, with its length if it is a tuple or list: "tuple of 2"."""
    return f"{type(x).__name__} of {len(x)}" if isinstance(x, (tuple, list)) else type(x).__name__


def head_rows(weight, num_heads, even=False):
    """Require the rows of a projection to divide among the heads, with an even number for each if `even` is true."""
    sizes(num_heads=num_heads)
    floats(weight, "weight")
    rows, each = len(weight) if weight.dim() else 0, "an even" if even else "the same"
    fits, fix = rows and rows % (num_heads * (1 + even)) == 0, "the rows of a projection are its output features"
    that(fits, f"weight must have {each} number of rows for each of {num_heads} heads", shape_of(weight), fix)


def turnable(x, positions):
    """Require x to be (..., T, D) with an even D, and a number for each of its T positions."""
    T, D = shape(x, "... T? D").values()
    even("features are turned in pairs", D=D)
    is_numbers = isinstance(positions, torch.Tensor) and not positions.is_complex() and positions.dtype != torch.bool
    fix = "make one with torch.arange(T)"
    that(is_numbers, "positions must be a tensor of numbers", kind_of(positions), fix, TypeError)
    that(positions.shape == (T,), f"positions must be ({T},), one for each of x's {T}", shape_of(positions))
    fix = "move them with .to(x.device)"
    that(positions.device == x.device, f"positions must be on {x.device} like x", positions.device, fix)


def own_weights(weights, module):
    """Require the weights to have the names and shapes of the module's own."""
    own = module.state_dict()
    faults = {
        "missing": [name for name in own if name not in weights],
        "unknown": [name for name in weights if name not in own],
        "of another shape": [
            f"{name} {shape_of(weights[name])}, not {shape_of(own[name])}"
            for name in own
            if name in weights and weights[name].shape != own[name].shape
        ],
    }
    found = [
        f"{kind}: {names[0]}" + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        for kind, names in faults.items()
        if names
    ]
    if found:
        fix = "the names must be those of Hugging Face's BertModel, without a prefix such as bert."
        fix = _after(fix if faults["unknown"] else "")
        raise ValueError(f"these weights do not fit {type(module).__name__}: {'; '.join(found)}{fix}")
