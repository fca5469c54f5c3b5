"""What the model refuses, and the sentence that it says then: the rule, what it got, and often how to fix it.

    require.shape(x, "... T C", C=8)                              one tensor of floats has these axes
    require.shapes("q ... T D, k ... S D, v ... S Dv", q, k, v)   several have, and a letter is one number in all
    require.sizes(num_heads=3)                                    whole numbers of at least 1
    require.that(p > 0, "p must be above 0", p)                   any other rule

Each raises a TypeError or a ValueError unless its arguments fit. Those about shapes return what the letters stand for,
such as {"T": 5, "C": 8}. There must be a position (T, S) and a feature (C, D, Dv), unless the letter is written as T?;
at the dots any axes may stand.
"""

import torch

KINDS = {"T": "position", "S": "position", "C": "feature", "D": "feature", "Dv": "feature"}  # at least one of each
READ = {}  # patterns, by their text (torch.compile warns of functools.cache)
QKV = "q ... T D, k ... S D, v ... S Dv"


def kind_of(x):
    """What x is: its dtype, or its type if it is no tensor."""
    return x.dtype if isinstance(x, torch.Tensor) else type(x).__name__


def shape_of(x):
    """The shape of x, or its type if it is no tensor."""
    return tuple(x.shape) if isinstance(x, torch.Tensor) else type(x).__name__


def that(holds, rule, got, hint="", error=ValueError):
    """A rule holds."""
    if not holds:
        raise error(f"{rule}, got {got}{_after(hint)}")


# ---------------------------------------------------------------- shapes


def floats(x, name="x"):
    """x is a tensor of floats; what else it may be tells how it came here."""
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        is_mask = kind_of(x) == torch.bool
        hint = "a mask is passed by its name, mask=..." if is_mask else "token ids go through an embedding first"
        raise TypeError(f"{name} must be a tensor of floats, got {kind_of(x)}; {hint}")


def shape(x, axes, name="x", hint="", floating=True, **sizes):
    """x is a tensor with these axes; where a size is given, its axis has it.

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
    """Tensors of floats on one device have these axes, and a letter is one number in all of them; so are the dots.

    pattern: for each tensor its name and its axes, such as "x ... C, weight C"
    broadcast: what stands at the dots may differ, if it broadcasts
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
    """Which letter does not fit, or "axes" if their number does not; else "", and letters are added to the sizes."""
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
    """What several tensors must be, what they are, and which letter or axes do not fit."""
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
    """Whether there are dots, and the letters."""
    if axes not in READ:
        letters = tuple(axes.split())
        READ[axes] = letters[0] == "...", letters[letters[0] == "..." :]
    return READ[axes]


def _written(axes, sizes):
    """(..., T, 8)"""
    written = ", ".join(str(sizes.get(letter, letter.rstrip("?"))) for letter in axes.split())
    return f"({written}{'' if ' ' in axes else ','})"


def _listed(words):
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _after(hint):
    return f"; {hint}" if hint else ""


# ---------------------------------------------------------------- numbers and ids


def sizes(least=1, hint="", **sizes):
    """All sizes are whole numbers of at least `least`."""
    for name, size in sizes.items():
        if type(size) is not int:  # a sentence costs more time than a test
            that(False, f"{name} must be a whole number", repr(size), hint, TypeError)
        if size < least:
            that(False, f"{name} must be at least {least}", size, hint)


def number(name, x):
    """x is a number."""
    that(isinstance(x, (int, float)) and not isinstance(x, bool), f"{name} must be a number", repr(x), error=TypeError)


def cap(cap):
    """The cap is a number above 0."""
    number("cap", cap)
    that(cap > 0, "cap must be above 0, since scores end between -cap and cap", cap)


def probability(p):
    """p can be a dropout probability."""
    number("a dropout probability", p)
    fix = "it is the share that becomes 0, and what is kept is divided by 1 - p"
    that(0 <= p < 1, "a dropout probability p must be at least 0 and below 1", p, fix)


def one_of(choices, **named):
    """Each value is one of the choices."""
    for name, value in named.items():
        that(value in choices, f"{name} must be one of {', '.join(choices)}", repr(value))


def divides(**named):
    """Of two sizes the first divides the second: num_heads=3, d_model=33."""
    (part, n), (whole, size) = named.items()
    if not (type(n) is type(size) is int and 0 < n <= size):
        sizes(**{whole: size, part: n})
    if size % n:
        nearest = min((d for d in range(1, size + 1) if size % d == 0), key=lambda d: (abs(d - n), d))
        got = f"{n} {part.split('_')[-1]} for {whole} = {size}"
        that(False, f"{part} must divide {whole}", got, f"a number near it that does is {nearest}")


def even(why, **named):
    """Each size is even."""
    for name, size in named.items():
        that(size % 2 == 0, f"{name} must be even, since {why}", size, f"take {size + 1}")


def whole(x, name):
    """x is a tensor of whole numbers."""
    if not isinstance(x, torch.Tensor) or x.is_floating_point() or x.is_complex() or x.dtype == torch.bool:
        raise TypeError(
            f"{name} must be a tensor of whole numbers, got {kind_of(x)}; make one with torch.tensor({name})"
        )


def ids(ids, limit, axes="...", name="ids", **sizes):
    """All ids are row numbers of a table with `limit` rows, and have these axes."""
    whole(ids, name)
    found = shape(ids, axes, name, f"one sequence (T,) becomes a batch of one by {name}[None]", False, **sizes)
    wrong = ids[(ids < 0) | (ids >= limit)]
    if wrong.numel():
        hint = "were these ids made with another vocabulary?" if name == "ids" else ""
        rule = f"{name} must lie between 0 and {limit - 1}, since the table has {limit} rows"
        that(False, rule, wrong[0].item(), hint)
    return found


def lengths(lengths, max_length):
    """Lengths count real tokens: (B,), from 0 to max_length."""
    whole(lengths, "lengths")
    shape(lengths, "B", "lengths", floating=False)
    fix = "a length counts real tokens, and max_length is at least the largest of them"
    for n in lengths.tolist():
        that(0 <= n <= max_length, f"lengths must lie between 0 and max_length = {max_length}", n, fix)


def room(count, limit, name="context_length", owner="x"):
    """So many positions are at most a limit of this name."""
    if count > limit:
        fix = f"shorten {owner}, or build the module with a larger {name}"
        raise ValueError(f"{owner} has {count} positions, but {name} is {limit}; {fix}")


# ---------------------------------------------------------------- attention


def qkv(q, k, v):
    """Queries (..., T, D), keys (..., S, D) and values (..., S, Dv) fit together, and all before that broadcasts."""
    shapes(QKV, q, k, v, broadcast=True, one_dtype=True)
    if q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:  # most often, and much faster than to try
        return
    try:
        torch.broadcast_tensors(*(torch.empty(z.shape[:-2]) for z in (q, k, v)))  # broadcast_shapes imports SymPy
    except RuntimeError:
        got = f"q {shape_of(q)}, k {shape_of(k)}, v {shape_of(v)}"
        raise ValueError(f"q, k and v must agree in all axes before the last two, got {got}") from None


def grouped(q, k, v):
    """Queries (B, H, T, D), keys (B, G, S, D) and values (B, G, S, Dv) fit together, and G divides H."""
    found = shapes("q B H T D, k B G S D, v B G S Dv", q, k, v, one_dtype=True)
    divides(groups=found["G"], num_heads=found["H"])
    return found


def tiled(q, k, v, tile, causal):
    """q, k and v fit without broadcasting, a tile has at least one position, and causal attention has T = S."""
    found = shapes(QKV, q, k, v, one_dtype=True)
    sizes(tile=tile)
    if causal:
        as_many(found["T"], found["S"])


def as_many(T, S):
    """Causal attention has as many queries as keys."""
    if T != S:
        raise ValueError(
            f"causal=True needs as many queries as keys, got T = {T} and S = {S}: which key is "
            "'now' for a query would be a guess (PyTorch aligns both at the first position, a "
            "cache at the last); pass a mask of shape (T, S) that says it"
        )


def latest(T, S):
    """T queries can be the last of S positions."""
    sizes(T=T, S=S)
    that(T <= S, "T must be at most S, since the queries are the last T of S positions", f"T = {T}, S = {S}")


def floating_scores(scores):
    """Scores, and the weights that they become, are floats."""
    if not isinstance(scores, torch.Tensor) or not scores.is_floating_point():
        fix = "torch.tensor(...) makes one of a list, and .float() one of whole numbers"
        raise TypeError(f"scores and weights must be tensors of floats, got {kind_of(scores)}; {fix}")


def mask(mask, scores):
    """The mask is bool and broadcasts to the scores (..., T, S), which are floats."""
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        fix = "a 0/1 mask becomes one by mask == 1, an additive mask of 0 and -inf by mask == 0"
        raise TypeError(f"mask must be bool (True = may attend), got {kind_of(mask)}; {fix}")
    floating_scores(scores)
    broadcasts(mask, scores, "mask")


def broadcasts(x, scores, name):
    """x is on the device of the scores (..., T, S), and broadcasts to their shape."""
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
    """Whether broadcasting stretches x to exactly this shape."""
    try:
        return x.expand(shape).shape == shape
    except RuntimeError:
        return False


def fits(x, layer, axes="... T C", name="x", **sizes):
    """x has these axes and goes into an nn.Linear; returns what the letters stand for."""
    hint = f"one sequence (T, C) becomes a batch of one by {name}[None]" if axes[0] == "B" else ""
    found = shape(x, axes, name, hint, C=layer.in_features, **sizes)
    weight = layer.weight
    if x.device != weight.device:
        raise ValueError(f"{name} is on {x.device}, the module on {weight.device}; move one with .to(device)")
    if x.dtype != weight.dtype and not torch.is_autocast_enabled(x.device.type):
        rule, fix = f"{name} must be {weight.dtype} like the module's weights", f"convert it with .to({weight.dtype})"
        raise TypeError(f"{rule}, got {x.dtype}; {fix}")
    return found


def context(x, context, q_proj, k_proj, causal):
    """The projections take x (..., T, C) and context (..., S, C), and causal attention has T = S."""
    fits(x, q_proj)
    if context is x:
        return
    fits(context, k_proj, "... S C", "context")
    if x.shape[:-2] != context.shape[:-2]:
        got = f"{shape_of(x)} and {shape_of(context)}"
        raise ValueError(f"x and context must agree in all axes before the last two, got {got}")
    if causal:
        as_many(x.size(-2), context.size(-2))


# ---------------------------------------------------------------- what is remembered, and what is given with it


def past_of(pattern, past, like=None, **sizes):
    """A past is a tuple of these tensors, as it was returned, of the dtype and on the device of `like`."""
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
    """Keys and values of earlier calls fit in front of new ones that are like q, or are those of the context.

    Returns how many positions they hold, 0 if there is no past.
    """
    if past is None:
        return 0
    length = {} if context is None else {"S?": context.size(1)}
    pattern, (B, H, _, D) = "keys B H S? D, values B H S? D", q.shape
    return past_of(pattern, past, q, B=B, H=H, D=D, **length)["S?"]


def decoder_input(ids_, past, real, config, kind):
    """The ids (B, T) are rows of the table; a past of this kind and `real` fit them, and all have a position."""
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


def layers_of(past, layers):
    """The past is what a model of so many layers returned."""
    rule = f"past must be what the model returned with its logits, a tuple of {layers}"
    that(isinstance(past, tuple) and len(past) == layers, rule, count_of(past), error=TypeError)


def count_of(x):
    """What x is, and how many: "tuple of 2"."""
    return f"{type(x).__name__} of {len(x)}" if isinstance(x, (tuple, list)) else type(x).__name__


def targets(logits, ids_):
    """There are logits (B, T, V) for each of the ids (B, T), and something to predict."""
    B, T, V = shape(logits, "B T V", "logits").values()
    ids(ids_, V, "B T", B=B, T=T)
    that(T > 1, "logits (B, T, V) need ids (B, T) with T of at least 2", shape_of(ids_))


def head_factors(head_mask, weights):
    """The head mask has one number for each head of the weights (B, H, T, S): (H,) or (1 or B, H, 1, 1)."""
    B, H = weights.shape[:2]
    shape(head_mask, "...", "head_mask", floating=False)
    rule = f"head_mask must be ({H},) or (1 or {B}, {H}, 1, 1), one number for each head"
    fix = "after pruning only the heads that are left count"
    that(head_mask.shape in ((H,), (1, H, 1, 1), (B, H, 1, 1)), rule, shape_of(head_mask), fix)


def prunable(heads, kept, total):
    """The heads are numbers below `total`, and at least one of those kept so far stays."""
    for head in heads:
        that(type(head) is int, "heads must be whole numbers, such as [0, 2]", repr(head), error=TypeError)
        that(0 <= head < total, f"heads are numbered from 0 to {total - 1}", head)
    that(not set(kept) <= set(heads), "at least one head must be left", f"all of {kept} to prune")


def head_rows(weight, num_heads, even=False):
    """The rows of a projection can be shared out among the heads, if need be an even number to each."""
    sizes(num_heads=num_heads)
    floats(weight, "weight")
    rows, each = len(weight) if weight.dim() else 0, "an even" if even else "the same"
    fits, fix = rows and rows % (num_heads * (1 + even)) == 0, "the rows of a projection are its output features"
    that(fits, f"weight must have {each} number of rows for each of {num_heads} heads", shape_of(weight), fix)


def turnable(x, positions):
    """x is (..., T, D) with an even D, and there is a number for each of its T positions."""
    T, D = shape(x, "... T? D").values()
    even("features are turned in pairs", D=D)
    is_numbers = isinstance(positions, torch.Tensor) and not positions.is_complex() and positions.dtype != torch.bool
    fix = "make one with torch.arange(T)"
    that(is_numbers, "positions must be a tensor of numbers", kind_of(positions), fix, TypeError)
    that(positions.shape == (T,), f"positions must be ({T},), one for each of x's {T}", shape_of(positions))
    fix = "move them with .to(x.device)"
    that(positions.device == x.device, f"positions must be on {x.device} like x", positions.device, fix)


def buckets(num_buckets, max_distance):
    """Half of the buckets, at least one, hold a single distance each and end before max_distance."""
    sizes(num_buckets=num_buckets, max_distance=max_distance)
    rule = f"there must be at least 2 buckets, and half of them fewer than max_distance = {max_distance}"
    that(1 <= num_buckets // 2 < max_distance, f"in each direction {rule}", num_buckets)


def own_weights(weights, module):
    """The weights have the names and shapes of the module's own."""
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
