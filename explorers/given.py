"""Checks of the explorers' arguments. An error says in one sentence what is wrong and how to fix it."""

import torch


def words(name, words, most, least=1, fix="pass a part of the sentence and the numbers of that part"):
    """The words as a list.

    Errors: TypeError if they are not strings; ValueError, ending with `fix`, if there are not `least` to `most` of them
    """
    if isinstance(words, str):
        raise TypeError(
            f"{name} must be a list of words, got one string {words[:30]!r}; split it first, for instance with .split()"
        )
    try:
        words = list(words)
    except TypeError:
        raise TypeError(
            f"{name} must be a list of words, got {type(words).__name__}; pass one string for each position"
        ) from None
    for position, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(
                f"{name} must be strings, got {type(word).__name__} at position {position}; "
                "turn ids into words with the vocabulary first"
            )
    if not least <= len(words) <= most:
        raise ValueError(f"{name} must be {least} to {most} words, got {len(words)}; {fix}")
    return words


def numbers(name, values):
    """A copy of the numbers as float32 on the CPU, without gradients.

    Shapes: any, unchanged
    Errors: TypeError unless they are a tensor of real numbers or can become one
    """
    if isinstance(values, (list, tuple)) and any(isinstance(part, torch.Tensor) for part in values):
        raise TypeError(
            f"{name} must be one tensor, got a {type(values).__name__} of tensors; "
            "join layers of (1, heads, T, S) with torch.cat, matrices with torch.stack"
        )
    try:
        values = torch.as_tensor(values)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(
            f"{name} must be a tensor or nested lists of numbers, all rows of one length, "
            f"got {type(values).__name__}; look at one row of it"
        ) from None
    if values.is_complex():
        raise TypeError(f"{name} must be real numbers, got {values.dtype}; look at {name}.abs()")
    return values.detach().to("cpu", torch.float32, copy=True)


def require_size(name, size, least, most, fix):
    """TypeError unless the size is a whole number; ValueError, ending with `fix`, unless it is `least` to `most`."""
    if not isinstance(size, int) or isinstance(size, bool):
        raise TypeError(f"{name} must be a whole number, got {size!r}; pass an int such as {least}")
    if not least <= size <= most:
        raise ValueError(f"{name} must be {least} to {most}, got {size}; {fix}")


def require_one_of(name, value, choices, fix):
    """ValueError, ending with `fix`, unless the value is one of these names."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}; {fix}")


def matrix(name, values, T, fix):
    """One matrix of T queries times T keys, converted by `numbers`.

    Shapes: (T, T)
    Errors: ValueError, ending with `fix`, for another shape
    """
    values = numbers(name, values)
    if values.shape != (T, T):
        raise ValueError(f"{name} for {T} tokens must have shape ({T}, {T}), got {tuple(values.shape)}; {fix}")
    return values


def require_finite(name, values, fix, least=float("-inf")):
    """ValueError, ending with `fix`, unless all values are finite and at least `least`."""
    wrong = ~(values >= least) | values.isinf()  # a NaN is not >= anything
    if wrong.any():
        index = tuple(wrong.nonzero()[0].tolist())
        rule = "finite" if least == float("-inf") else f"finite and at least {least:g}"
        raise ValueError(f"{name} must be {rule}, got {values[index]:.4g} at {list(index)}; {fix}")


def sent(values):
    """Numbers as bytes: float32, little-endian, row after row."""
    return values.numpy().astype("<f4").tobytes()
