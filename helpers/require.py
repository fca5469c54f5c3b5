"""What the model refuses, and the sentence that it says then: the rule, what it got, and often how to fix it.

Each function returns nothing, and raises a TypeError or a ValueError unless its arguments fit. They stand here so that
the modules of the model can be read without them.
"""

import math

import torch


def kind_of(x):
    """What x is: its dtype, or its type if it is no tensor."""
    return x.dtype if isinstance(x, torch.Tensor) else type(x).__name__


def shape_of(x):
    """The shape of x, or its type if it is no tensor."""
    return tuple(x.shape) if isinstance(x, torch.Tensor) else type(x).__name__


def is_floats(x):
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def require_floats(name, x):
    """x is a tensor of floats; what else it may be tells how it came here."""
    if not is_floats(x):
        is_mask = kind_of(x) == torch.bool
        hint = "a mask is passed by its name, mask=..." if is_mask else "token ids go through an embedding first"
        raise TypeError(f"{name} must be a tensor of floats, got {kind_of(x)}; {hint}")


def _is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def _is_whole(x):
    return isinstance(x, int) and not isinstance(x, bool)


# ---------------------------------------------------------------- sizes, choices, ids


def require_sizes(**sizes):
    """All sizes are whole numbers of at least 1."""
    for name, size in sizes.items():
        if not _is_whole(size):
            raise TypeError(f"{name} must be a whole number, got {size!r}")
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")


def require_probability(p):
    """p can be a dropout probability."""
    if not _is_number(p):
        raise TypeError(f"a dropout probability must be a number, got {p!r}")
    if not 0 <= p < 1:
        raise ValueError(
            f"a dropout probability p must be at least 0 and below 1, got {p}; it is the share that "
            "becomes 0, and what is kept is divided by 1 - p"
        )


def require_one_of(choices, **named):
    """Each value is one of the choices."""
    for name, value in named.items():
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def require_ids(ids, limit, name="ids"):
    """All ids are row numbers of a table with `limit` rows."""
    if not isinstance(ids, torch.Tensor) or ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(
            f"{name} must be a tensor of whole numbers, got {kind_of(ids)}; make one with torch.tensor({name})"
        )
    wrong = ids[(ids < 0) | (ids >= limit)]
    if wrong.numel():
        hint = "; were these ids made with another vocabulary?" if name == "ids" else ""
        raise ValueError(
            f"{name} must lie between 0 and {limit - 1}, since the table has {limit} rows, got {wrong[0].item()}{hint}"
        )


# ---------------------------------------------------------------- embeddings


def require_waves(length, d_model):
    """There are positions, and each wave gets its two columns."""
    require_sizes(length=length, d_model=d_model)
    if d_model % 2:
        raise ValueError(
            f"d_model must be even, since each wave has a sine and a cosine column, got {d_model}; take {d_model + 1}"
        )


def require_positions(x, positions):
    """x is (..., T, C), and positions has T rows or more, C wide."""
    require_floats("x", x)
    if x.dim() < 2:
        raise ValueError(f"x must be (..., T, C), got {tuple(x.shape)}")
    T = x.size(-2)
    if len(positions) < T:
        raise ValueError(
            f"x has {T} positions, but there are only {len(positions)} to add; shorten x, or make a longer table"
        )
    if positions.size(-1) != x.size(-1):
        raise ValueError(f"x and positions must have the same width, got {tuple(x.shape)} and {tuple(positions.shape)}")


# ---------------------------------------------------------------- masks


def require_mask(mask, scores):
    """The mask is bool, is on the device of the scores (..., T, S), which are floats, and broadcasts to their shape."""
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        raise TypeError(
            f"mask must be bool (True = may attend), got {kind_of(mask)}; "
            "a 0/1 mask becomes one by mask == 1, an additive mask of 0 and -inf by mask == 0"
        )
    if not scores.is_floating_point():
        raise TypeError(f"scores and weights must be floats, got {scores.dtype}; convert them with .float()")
    if mask.device != scores.device:
        raise ValueError(
            f"mask is on {mask.device}, the scores are on {scores.device}; move it with mask.to(scores.device)"
        )
    if not stretches(mask, scores.shape):
        raise ValueError(
            f"mask {tuple(mask.shape)} does not broadcast to scores {tuple(scores.shape)}; "
            "its last two axes are (queries, keys), and every axis must be equal or 1"
            + (
                "; with heads, a mask for each item needs mask.unsqueeze(1)"
                if mask.dim() == 3 and scores.dim() == 4
                else ""
            )
        )


def stretches(mask, shape):
    """Whether broadcasting stretches the mask to exactly this shape."""
    try:
        return mask.expand(shape).shape == shape
    except RuntimeError:
        return False


def require_length(length, past):
    """A causal mask can have this many rows after so many positions of the past."""
    if not _is_whole(length):
        raise TypeError(f"length must be a whole number, got {length!r}; for x of shape (B, T, C) it is x.size(1)")
    if length < 1:
        raise ValueError(f"length must be at least 1, got {length}; an empty sequence has nothing to mask")
    if not _is_whole(past) or past < 0:
        raise ValueError(f"past must be a whole number of at least 0, got {past!r}; of cached keys it is k.size(-2)")


def require_lengths(lengths, max_length):
    """Lengths, a tensor, count real tokens: (B,), from 0 to max_length."""
    if lengths.is_floating_point() or lengths.dtype == torch.bool:
        raise TypeError(f"lengths must be whole numbers, one for each item, got {lengths.dtype}")
    if lengths.dim() != 1:
        raise ValueError(f"lengths must have shape (B,), got {tuple(lengths.shape)}")
    wrong = [n for n in lengths.tolist() if not 0 <= n <= max_length]
    if wrong:
        raise ValueError(
            f"lengths must lie between 0 and max_length = {max_length}, got {wrong[0]}; "
            "a length counts real tokens, and max_length is at least the largest of them"
        )


# ---------------------------------------------------------------- attention


def require_qkv(q, k, v):
    """Queries (..., T, D), keys (..., S, D) and values (..., S, Dv) fit together; T and S are at least 1."""
    require_readable(q, k, v)
    if q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:  # most often, and much faster than to try
        return
    try:
        torch.broadcast_tensors(*(torch.empty(z.shape[:-2]) for z in (q, k, v)))  # broadcast_shapes imports SymPy
    except RuntimeError:
        raise ValueError(f"q, k and v must agree in all axes before the last two, got {shapes_of(q, k, v)}") from None


def require_readable(q, k, v):
    """Keys have the width of the queries, and each its value; all are of one dtype and on one device."""
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not is_floats(x):
            raise TypeError(f"{name} must be a tensor of floats, got {kind_of(x)}; convert it with .float()")
        if x.dim() < 2 or x.size(-2) == 0 or x.size(-1) == 0:
            raise ValueError(
                f"{name} must be (..., positions, features) with at least one of each, got {tuple(x.shape)}"
            )
    if not q.dtype == k.dtype == v.dtype:
        raise TypeError(
            f"q, k and v must share one dtype, got {q.dtype}, {k.dtype}, {v.dtype}; convert with .to(q.dtype)"
        )
    if not q.device == k.device == v.device:
        raise ValueError(
            f"q, k and v must be on one device, got {q.device}, {k.device}, {v.device}; move them with .to(q.device)"
        )
    if q.size(-1) != k.size(-1):
        raise ValueError(f"q and k must have the same number of features in their last axis, got {shapes_of(q, k, v)}")
    if k.size(-2) != v.size(-2):
        raise ValueError(f"each key needs one value: k has {k.size(-2)} positions, v has {v.size(-2)}")


def shapes_of(q, k, v):
    return f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"


def require_dropout(dropout):
    """Dropout can be called; a probability is refused, since it does not know train mode from eval mode."""
    if not callable(dropout):
        raise TypeError(
            f"dropout must be a module or function applied to the weights, "
            f"got {dropout!r}; for a probability p pass nn.Dropout(p)"
        )


def require_input(x, projection, name="x"):
    """x is a sequence of vectors (..., T, d_in) that `projection`, an nn.Linear, takes; T is at least 1."""
    weight = projection.weight
    require_floats(name, x)
    if x.dim() < 2 or x.size(-2) == 0 or x.size(-1) != projection.in_features:
        raise ValueError(
            f"{name} must be (..., T, {projection.in_features}) with at least one position, got {tuple(x.shape)}"
        )
    if x.device != weight.device:
        raise ValueError(f"{name} is on {x.device}, the module on {weight.device}; move one with .to(device)")
    if x.dtype != weight.dtype and not torch.is_autocast_enabled(x.device.type):
        raise TypeError(
            f"{name} must be {weight.dtype} like the module's weights, got {x.dtype}; "
            f"convert it with .to({weight.dtype})"
        )


def require_context_length(x, context_length):
    """x (..., T, C) is no longer than context_length."""
    if x.size(-2) > context_length:
        raise ValueError(
            f"x has {x.size(-2)} positions, but context_length is {context_length}; "
            "shorten x, or build the module with a larger context_length"
        )


# ---------------------------------------------------------------- heads


def require_heads(d_model, num_heads):
    """d_model features can be shared out evenly among num_heads heads."""
    require_sizes(d_model=d_model, num_heads=num_heads)
    if d_model % num_heads:
        fitting = [n for n in range(1, d_model + 1) if d_model % n == 0]
        nearest = min(fitting, key=lambda n: (abs(n - num_heads), n))
        raise ValueError(
            f"num_heads must divide d_model, got {num_heads} heads for d_model = {d_model}; "
            f"a number near it that does is {nearest}"
        )


def require_features(x, num_heads):
    """x is (..., T, C), and its features can be cut into heads."""
    if x.dim() < 2:
        raise ValueError(f"x must be (..., T, C), got {tuple(x.shape)}")
    require_heads(x.size(-1), num_heads)


def require_split(x):
    """x is (..., H, T, D)."""
    if x.dim() < 3:
        raise ValueError(f"x must be (..., H, T, D), got {tuple(x.shape)}; there are no heads to merge")


def require_context(x, context, q_proj, k_proj, causal):
    """The projections take x (..., T, C) and context (..., S, C), and causal attention has T = S."""
    require_input(x, q_proj)
    if context is not x:
        require_input(context, k_proj, name="context")
    if x.shape[:-2] != context.shape[:-2]:
        raise ValueError(
            f"x and context must agree in all axes before the last two, got {tuple(x.shape)} and {tuple(context.shape)}"
        )
    T, S = x.size(-2), context.size(-2)
    if causal and T != S:
        raise ValueError(
            f"causal=True needs as many queries as keys, got T = {T} and S = {S}: which key is "
            "'now' for a query would be a guess (PyTorch aligns both at the first position, a "
            "cache at the last); pass a mask of shape (T, S) that says it"
        )


# ---------------------------------------------------------------- bert


def require_sequences(x, context, projection):
    """x is (B, T, C), and so is the context with another T, if there is one."""
    named = {"x": x} if context is None else {"x": x, "context": context}
    for name, sequence in named.items():
        require_input(sequence, projection, name)
        if sequence.dim() != 3:
            raise ValueError(
                f"{name} must be (B, T, C), got {tuple(sequence.shape)}; "
                f"one sequence (T, C) becomes a batch of one by {name}[None]"
            )
    if context is not None and len(context) != len(x):
        raise ValueError(
            f"x and context must have the same batch size, got {tuple(x.shape)} and {tuple(context.shape)}"
        )


def require_cache(past, q, context):
    """The cached keys and values fit in front of those of x, or are those of the context."""
    if not isinstance(past, (tuple, list)) or len(past) != 2:
        many = f" of {len(past)}" if isinstance(past, (tuple, list)) else ""
        raise TypeError(f"past must be a pair (keys, values), as it was returned, got {type(past).__name__}{many}")
    kinds = [f"{t.dtype} on {t.device}" if isinstance(t, torch.Tensor) else type(t).__name__ for t in past]
    if kinds != [f"{q.dtype} on {q.device}"] * 2:
        raise TypeError(
            f"past must hold tensors of {q.dtype} on {q.device} like the queries, got {kinds[0]} and {kinds[1]}"
        )
    (B, H, _, D), (k, v) = q.shape, past
    S = k.shape[2:3] if context is None else context.shape[1:2]
    if not k.shape == v.shape == (B, H, *S, D):
        raise ValueError(
            f"past must hold keys and values of one shape (B, H, S, D) = ({B}, {H}, "
            f"{'S' if context is None else S[0]}, {D}), got {tuple(k.shape)} and {tuple(v.shape)}"
        )


def require_head_factors(head_mask, weights):
    """The head mask has one number for each head of the weights (B, H, T, S): (H,) or (1 or B, H, 1, 1)."""
    if not isinstance(head_mask, torch.Tensor):
        raise TypeError(
            f"head_mask must be a tensor, got {type(head_mask).__name__}; make one with torch.tensor(head_mask)"
        )
    B, H = weights.shape[:2]
    if head_mask.shape not in ((H,), (1, H, 1, 1), (B, H, 1, 1)):
        raise ValueError(
            f"head_mask must be ({H},) or (1 or {B}, {H}, 1, 1), one number for each head, "
            f"got {tuple(head_mask.shape)}; after pruning only the heads that are left count"
        )


def require_prunable(heads, kept, total):
    """The heads are numbers below `total`, and at least one of those kept so far stays."""
    for head in heads:
        if not _is_whole(head):
            raise TypeError(f"heads must be whole numbers, such as [0, 2], got {head!r}")
        if not 0 <= head < total:
            raise ValueError(f"heads are numbered from 0 to {total - 1}, got {head}")
    if set(kept) <= set(heads):
        raise ValueError(f"at least one head must be left, got all of {kept} to prune")


def require_bert_ids(ids, token_types, config):
    """The ids and token types, if there are any, are (B, T), rows of their tables, and not too many."""
    require_ids(ids, config.vocab_size)
    M = config.max_position_embeddings
    if ids.dim() != 2 or not 1 <= ids.size(1) <= M:
        raise ValueError(
            f"ids must be (B, T) with 1 to {M} positions T, since max_position_embeddings is {M}, "
            f"got {tuple(ids.shape)}; one sequence (T,) becomes a batch of one by ids[None]"
        )
    if token_types is None:
        return
    require_ids(token_types, config.type_vocab_size, name="token_types")
    if token_types.shape != ids.shape:
        raise ValueError(
            f"token_types must have the shape of ids, got {tuple(token_types.shape)} and {tuple(ids.shape)}"
        )


def require_own_weights(weights, module):
    """The weights have the names and shapes of the module's own."""
    own = module.state_dict()
    faults = {
        "missing": [name for name in own if name not in weights],
        "unknown": [name for name in weights if name not in own],
        "of another shape": [
            f"{name} {tuple(weights[name].shape)}, not {tuple(own[name].shape)}"
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
        raise ValueError(
            f"these weights do not fit {type(module).__name__}: {'; '.join(found)}"
            + (
                "; the names must be those of Hugging Face's BertModel, without a prefix such as bert."
                if faults["unknown"]
                else ""
            )
        )


# ---------------------------------------------------------------- decoder


def require_token_ids(ids, vocab_size):
    """The ids are rows of the table: (B, T), at least one token."""
    require_ids(ids, vocab_size)
    if ids.dim() != 2 or not ids.numel():
        raise ValueError(
            f"ids must be (B, T) with at least one token, got {tuple(ids.shape)}; "
            "one sequence (T,) becomes a batch of one by ids[None]"
        )


def require_decoder_input(ids, past, real, config, kind):
    """The ids (B, T) are rows of the table; a past of this kind and `real` fit them, and all have a position."""
    require_token_ids(ids, config.vocab_size)
    if past is not None and not isinstance(past, kind):
        raise TypeError(f"past must be what the model returned with its logits, got {type(past).__name__}")
    B, P = (len(ids), 0) if past is None else (len(past.layers[0][0]), past.layers[0][0].size(-2))
    if len(ids) != B:
        raise ValueError(f"past holds {B} sequences, but ids {len(ids)}; pass as many ids")
    if P + ids.size(1) > config.context_length:
        raise ValueError(
            f"the model has {config.context_length} positions, got {P} past and {ids.size(1)} "
            "new tokens; shorten the text, or build the model with a larger context_length"
        )
    if real is not None and (not isinstance(real, torch.Tensor) or real.dtype != torch.bool):
        raise TypeError(f"real must be bool (True = a real token), got {kind_of(real)}; for a pad_id: ids != pad_id")
    if real is not None and real.shape != ids.shape:
        raise ValueError(f"real must have the shape of ids, got {tuple(real.shape)} and {tuple(ids.shape)}")


def require_head_rows(head_mask, layers, heads):
    """The head mask is (layers, heads)."""
    if not isinstance(head_mask, torch.Tensor) or head_mask.shape != (layers, heads):
        raise ValueError(
            f"head_mask must be a tensor ({layers}, {heads}), a number for each head of each layer, "
            f"got {shape_of(head_mask)}"
        )


def require_targets(logits, ids):
    """There are logits for each of the ids, and something to predict."""
    if not is_floats(logits) or logits.dim() != 3:
        raise TypeError(f"logits must be a tensor of floats (B, T, V), got {shape_of(logits)}")
    require_ids(ids, logits.size(-1))
    if ids.shape != logits.shape[:2] or ids.size(1) < 2:
        raise ValueError(
            f"logits (B, T, V) need ids (B, T) with T of at least 2, got {tuple(logits.shape)} and {tuple(ids.shape)}"
        )


def require_top_p(p):
    """p can be the share that sampling keeps."""
    if not _is_number(p) or not 0 < p <= 1:
        raise ValueError(f"top_p must be a number above 0 and at most 1, got {p!r}")


def require_next_logits(logits, temperature):
    """The logits are those of one next token for each row (B, V), and the temperature can divide them, or is 0."""
    if not is_floats(logits) or logits.dim() != 2:
        raise TypeError(
            f"logits must be a tensor of floats (B, V), got {shape_of(logits)}; of a model's output take logits[:, -1]"
        )
    if not _is_number(temperature) or not 0 <= temperature < math.inf:
        raise ValueError(f"temperature must be a number of at least 0, got {temperature!r}; 0 takes the best token")


def require_steps(steps, real):
    """The number of steps is at least 0, and the text ends in a real token, where writing goes on."""
    if not _is_whole(steps) or steps < 0:
        raise ValueError(f"steps must be a whole number of at least 0, got {steps!r}")
    if real is not None and not real[:, -1].all():
        raise ValueError("padding must be on the left, since writing goes on at the right; got a row that ends in it")


# ---------------------------------------------------------------- ports


def require_layers(state, layers, owner, lone=()):
    """The state holds a weight for every layer, a bias for all or for none, the `lone` tensors, and nothing else."""
    weights, biases = (
        [f"{layer}{'_' if layer == 'in_proj' else '.'}{kind}" for layer in layers] for kind in ("weight", "bias")
    )
    needed = weights + (biases if any(name in state for name in biases) else []) + list(lone)
    missing = [name for name in needed if name not in state]
    if missing:
        found = ", ".join(list(state)[:4]) or "nothing"
        raise ValueError(
            f"these weights do not look like {owner}'s: {missing[0]} is missing, found {found}"
            + (", ..." if len(state) > 4 else "")
            + (
                "; keys of their own width (kdim, vdim) have no counterpart here"
                if owner == "torch" and "q_proj_weight" in state
                else ""
            )
        )
    extra = [
        name
        for name in state
        if name not in needed and not (owner == "huggingface" and name.startswith("output.LayerNorm."))
    ]
    if extra:
        raise ValueError(
            f"{extra[0]} has no counterpart, only {needed[0]} to {needed[-1]}; "
            "pass the weights of one plain attention alone"
        )
