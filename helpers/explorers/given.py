"""What the explorers are given, checked: words and numbers, or one sentence on what is wrong with them."""

import torch


def words(name, words, most):
    """The words as a list.

    Errors: TypeError if they are not strings; ValueError if there are none or more than `most`
    """
    if isinstance(words, str):
        raise TypeError(f"{name} must be a list of words, got one string {words[:30]!r}; "
                        "split it first, for instance with .split()")
    try:
        words = list(words)
    except TypeError:
        raise TypeError(f"{name} must be a list of words, got {type(words).__name__}; "
                        "pass one string for each position") from None
    for place, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(f"{name} must be strings, got {type(word).__name__} at place {place}; "
                            "turn ids into words with the vocabulary first")
    if not 1 <= len(words) <= most:
        raise ValueError(f"{name} must be 1 to {most} words, got {len(words)}; "
                         "pass a part of the sentence and the numbers of that part")
    return words


def numbers(name, values):
    """The numbers as float32 on the CPU, cut off from the gradients.

    Shapes: any, unchanged
    Errors: TypeError if they are no tensor of real numbers and cannot become one
    """
    if isinstance(values, (list, tuple)) and any(isinstance(part, torch.Tensor) for part in values):
        raise TypeError(f"{name} must be one tensor, got a {type(values).__name__} of tensors; "
                        "join layers of (1, heads, T, S) with torch.cat, matrices with torch.stack")
    try:
        values = torch.as_tensor(values)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"{name} must be a tensor or nested lists of numbers, all rows of one length, "
                        f"got {type(values).__name__}; look at one row of it") from None
    if values.is_complex():
        raise TypeError(f"{name} must be real numbers, got {values.dtype}; look at {name}.abs()")
    return values.detach().to("cpu", torch.float32)


def require_finite(name, values, mend, least=float("-inf")):
    """ValueError, which ends in `mend`, unless all values are finite and at least `least`."""
    wrong = ~(values >= least) | values.isinf()  # a NaN is not >= anything
    if wrong.any():
        place = tuple(wrong.nonzero()[0].tolist())
        rule = "finite" if least == float("-inf") else f"finite and at least {least:g}"
        raise ValueError(f"{name} must be {rule}, got {values[place]:.4g} at {list(place)}; {mend}")


def sent(values):
    """Numbers as bytes: float32, little-endian, row after row."""
    return values.numpy().astype("<f4").tobytes()
