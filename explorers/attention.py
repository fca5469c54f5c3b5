"""Attention weights to explore: a heat map, and lines from a word to the words it reads."""

import torch
import traitlets

import figures
from explorers import given
from explorers.base import Explorer

MOST_WORDS = 512
MOST_DRAWN, BEGINNING = 16, 8  # words in the picture; of a longer text, only the first 8
MOST_WEIGHTS = 20_000_000  # 80 MB: all 72 heads of MiniLM at its longest, 512 words


def attention(tokens, weights, queries=None, mask=None):
    """See what each word reads: point at a word, or move through the weights with the arrow keys.

    Shapes: tokens S words (keys), queries T words (the tokens if not given),
            weights (T, S), (H, T, S) or (L, H, T, S); mask (T, S) bool, the same for all heads,
            True where the query may attend to the key; hidden pairs are hatched
    Units:  colors run from 0 to 1; a weight above 1, which dropout can produce, has the color of 1
    Errors: TypeError if the words are not strings, the weights not numbers or the mask not bool; ValueError
            if they do not match, are too many, or a weight is negative, NaN or infinite
    Source: notebooks 00, 02, 03, 05 and 07
    """
    tokens = given.words("tokens", tokens, MOST_WORDS)
    queries = tokens if queries is None else given.words("queries", queries, MOST_WORDS)
    T, S = len(queries), len(tokens)
    return AttentionExplorer(tokens, queries, _weights(weights, T, S), None if mask is None else _mask(mask, T, S))


class AttentionExplorer(Explorer):
    """The view of one sentence. Its words and weights have been checked, and are sent to the browser once."""

    script = "attention.js"
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    queries = traitlets.List(traitlets.Unicode()).tag(sync=True)
    axes = traitlets.List(traitlets.Int()).tag(sync=True)  # [T, S], [H, T, S] or [L, H, T, S]
    weights = traitlets.Bytes().tag(sync=True)  # float32, little-endian, in the order of the axes
    mask = traitlets.Bytes().tag(sync=True)  # (T, S), one byte each, 1 where the key may be read; empty without a mask

    def __init__(self, tokens, queries, weights, mask):
        self._mask = mask
        self._first = weights.reshape(-1, *weights.shape[-2:])[0].clone()  # a copy, so that the others can be freed
        seen = b"" if mask is None else mask.numpy().tobytes()
        super().__init__(
            tokens=tokens, queries=queries, axes=list(weights.shape), weights=given.sent(weights), mask=seen
        )

    def picture(self):
        """The first head; for a long text, only its beginning."""
        is_long = max(self._first.shape) > MOST_DRAWN
        few = slice(BEGINNING if is_long else MOST_DRAWN)
        title = _title(self.axes) + (f", the first {BEGINNING} words" if is_long else "")
        mask = None if self._mask is None else self._mask[few, few]
        return figures.weights(self._first[few, few], self.queries[few], self.tokens[few], title=title, mask=mask)


def _title(axes):
    """The title of the picture: which head it shows, and of how many."""
    if len(axes) == 2:
        return "weights"
    if len(axes) == 3:
        return f"head 0 of {axes[0]}"
    return f"layer 0, head 0 of {axes[0]} x {axes[1]}"


def _weights(weights, T, S):
    """The weights as float32 on the CPU, after checks.

    Shapes: (T, S), (H, T, S) or (L, H, T, S), unchanged
    """
    weights = given.numbers("weights", weights)
    shape = tuple(weights.shape)
    if weights.dim() not in (2, 3, 4) or shape[-2:] != (T, S):
        raise ValueError(
            f"weights for {T} queries and {S} tokens must have shape ({T}, {S}), (heads, {T}, {S}) "
            f"or (layers, heads, {T}, {S}), got {shape}; pass a row for each query of one text, "
            "with words such as [CLS]"
        )
    if not 1 <= weights.numel() <= MOST_WEIGHTS:
        raise ValueError(
            f"weights must be 1 to {MOST_WEIGHTS:,} numbers, got {weights.numel():,} "
            f"in shape {shape}; pass some of the layers or heads"
        )
    given.require_finite("weights", weights, "pass what comes after the softmax, and hide keys with masked_softmax", 0)
    return weights


def _mask(mask, T, S):
    """The mask as bools on the CPU, expanded to all pairs.

    Shapes: any that broadcasts to (T, S) -> (T, S)
    """
    mask = torch.as_tensor(mask)
    if mask.dtype != torch.bool:
        raise TypeError(
            f"mask must be bool, True where a query may attend to a key, got {mask.dtype}; "
            "a mask of 0 and 1 becomes one by mask == 1, one of 0 and -inf by mask == 0"
        )
    try:
        return mask.cpu().expand(T, S).contiguous().clone()
    except RuntimeError:
        raise ValueError(
            f"mask for {T} queries and {S} tokens must have shape ({T}, {S}), got {tuple(mask.shape)}; "
            "pass the mask of one text, for instance mask[0, 0]"
        ) from None
