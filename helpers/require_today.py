"""What the models of today refuse, in notebooks 09 and 10: more functions like those in `require`."""

import torch

from helpers.require import (
    is_floats,
    kind_of,
    require_floats,
    require_readable,
    require_sizes,
    shape_of,
    shapes_of,
    stretches,
)

# ---------------------------------------------------------------- rotary, biases, norms


def require_rotation(x, positions):
    """x is (..., T, D) with an even D, and there is a number for each of its T positions."""
    require_floats("x", x)
    if x.dim() < 2 or x.size(-1) == 0 or x.size(-1) % 2:
        raise ValueError(f"x must be (..., T, D) with an even D, since features are turned in pairs, got {shape_of(x)}")
    if not isinstance(positions, torch.Tensor) or positions.is_complex() or positions.dtype == torch.bool:
        raise TypeError(
            f"positions must be a tensor of numbers, got {kind_of(positions)}; make one with torch.arange(T)"
        )
    if positions.shape != x.shape[-2:-1]:
        raise ValueError(
            f"positions must be ({x.size(-2)},), one for each of x's {x.size(-2)}, got {shape_of(positions)}"
        )
    if positions.device != x.device:
        raise ValueError(f"positions are on {positions.device}, x is on {x.device}; move them with .to(x.device)")


def require_width(x, width):
    """The first `width` features of x can be turned."""
    require_floats("x", x)
    require_sizes(width=width)
    if x.dim() == 0 or width > x.size(-1):
        raise ValueError(f"width must be at most the number of features of x, got {width} for x {shape_of(x)}")


def require_head_weight(weight, num_heads, even=False):
    """The rows of a projection can be shared out among the heads, if need be an even number to each."""
    require_sizes(num_heads=num_heads)
    require_floats("weight", weight)
    rows = len(weight) if weight.dim() else 0
    if not rows or rows % (num_heads * (2 if even else 1)):
        raise ValueError(
            f"weight must have {'an even' if even else 'the same'} number of rows for each of {num_heads} heads, "
            f"got {shape_of(weight)}; the rows of a projection are its output features"
        )


def require_latest(T, S):
    """T queries can be the last of S positions."""
    require_sizes(T=T, S=S)
    if T > S:
        raise ValueError(f"T must be at most S, since the queries are the last T of S positions, got T = {T}, S = {S}")


def require_bias(bias, scores):
    """The bias is of floats, on the device of the scores (..., T, S), and broadcasts to their shape."""
    require_floats("bias", bias)
    if bias.device != scores.device:
        raise ValueError(f"bias is on {bias.device}, the scores are on {scores.device}; move it with .to(device)")
    if not stretches(bias, scores.shape):
        raise ValueError(
            f"bias {shape_of(bias)} does not broadcast to scores {shape_of(scores)}; "
            "it needs a number for each query and key"
        )


def require_buckets(num_buckets, max_distance):
    """Half of the buckets, at least one, hold a single distance each and end before max_distance."""
    require_sizes(num_buckets=num_buckets, max_distance=max_distance)
    if not 1 <= num_buckets // 2 < max_distance:
        raise ValueError(
            f"in each direction there must be at least 2 buckets, and half of them fewer than max_distance = "
            f"{max_distance}, got {num_buckets}"
        )


def require_norm(x, weight):
    """x is of floats (..., C), and the weight has a number for each of its features."""
    require_floats("x", x)
    require_floats("weight", weight)
    if x.dim() == 0 or weight.shape != x.shape[-1:]:
        raise ValueError(
            f"weight must be (C,), a number for each feature of x, got {shape_of(weight)} for x {shape_of(x)}"
        )


# ---------------------------------------------------------------- grouped, latent, today


def require_grouped(q, k, v):
    """Queries (B, H, T, D), keys (B, G, S, D) and values (B, G, S, Dv) fit together, and G divides H."""
    require_readable(q, k, v)
    if not (q.dim() == k.dim() == v.dim() == 4 and len(q) == len(k) and k.shape[:2] == v.shape[:2]):
        raise ValueError(
            f"q must be (B, H, T, D), k and v (B, G, S, D) with one B and one G for both, got {shapes_of(q, k, v)}"
        )
    require_groups(q.size(1), k.size(1))


def require_groups(num_heads, groups):
    """The query heads can be shared out evenly among the groups."""
    require_sizes(num_heads=num_heads, groups=groups)
    if num_heads % groups:
        raise ValueError(
            f"groups must divide num_heads, so that each key head serves as many query heads, got {groups} groups for "
            f"{num_heads} heads; take one of {', '.join(str(n) for n in range(1, num_heads + 1) if num_heads % n == 0)}"
        )


def require_latents(q, latents, w_k, w_v, shared):
    """Queries (B, H, T, D + N), latents (B, S, R), w_k (H, D, R), w_v (H, E, R), shared keys (B, S, N) or None fit."""
    named = {"q": q, "latents": latents, "w_k": w_k, "w_v": w_v} | ({} if shared is None else {"shared": shared})
    for name, x in named.items():
        require_floats(name, x)
    shapes = ", ".join(f"{name} {shape_of(x)}" for name, x in named.items())
    if [x.dim() for x in named.values()] != [4, 3, 3, 3, 3][: len(named)]:
        raise ValueError(f"q must be (B, H, T, D), the others must have three axes, got {shapes}")
    (B, H, _, width), (_, S, R), N = q.shape, latents.shape, 0 if shared is None else shared.size(-1)
    fits = latents.shape == (B, S, R) and w_k.shape == (H, width - N, R) and w_v.shape == (H, w_v.size(1), R)
    if not fits or (shared is not None and shared.shape != (B, S, N)):
        raise ValueError(
            "q (B, H, T, D), latents (B, S, R), w_k (H, D, R) and w_v (H, E, R) must agree in B, H, D and R, and "
            f"shared keys (B, S, N) make q (B, H, T, D + N), got {shapes}"
        )


def require_latent_past(past, latents, shared):
    """The past is a pair (latents, shared keys) that fits in front of the new ones."""
    if not isinstance(past, (tuple, list)) or len(past) != 2 or not all(map(is_floats, past)):
        raise TypeError(f"past must be a pair (latents, shared keys), as it was returned, got {type(past).__name__}")
    (B, _, R), (*_, width), P = latents.shape, shared.shape, past[0].shape[1:2]
    if past[0].shape != (B, *P, R) or past[1].shape != (B, *P, width):
        raise ValueError(
            f"past must hold latents ({B}, P, {R}) and shared keys ({B}, P, {width}), "
            f"got {shape_of(past[0])} and {shape_of(past[1])}"
        )


def require_layer_pasts(past, layers):
    """The past is what a model of so many layers returned."""
    if not isinstance(past, tuple) or len(past) != layers:
        many = f" of {len(past)}" if isinstance(past, tuple) else ""
        raise TypeError(
            f"past must be what the model returned with its logits, a tuple of {layers}, "
            f"got {type(past).__name__}{many}"
        )
