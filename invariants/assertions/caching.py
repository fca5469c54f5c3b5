"""Tests for a model with a cache: a text gives the same in pieces as at once, and a past can be continued twice."""

import torch

from invariants.assertions.calling import (
    OTHER_SHAPES,
    PASTS,
    POSITIONS,
    Subject,
    far,
    is_function_of_length,
    parameters_of,
    recurrent_layer,
    tensors_of,
)

LOOK = {
    "one": "the positions after a past, what it keeps, and the mask, by which a new token sees all of it",
    "several": "the causal mask of several new tokens, each of which sees the past and the new ones up to itself",
    "branches": "what changes a past in place, or is shared by two pasts, such as a list or a buffer",
}


def assert_cache_equals_whole(model, ids, *, reset=None, pieces=None, axis=None, tolerance=None, **options):
    """Assert that a text gives the same outputs in pieces as all at once.

    Shapes: ids (B, T) or vectors (B, T, C), T of at least 6, and no longer than the cache;
            model(ids, past) -> out (B, T, ...), past, where the first past is None. A past is the last of the returned
            tuple, and of any type: tensors, an object that grows in place, a number of positions.
            Models of `transformers` can be passed as they are: a parameter called past_key_values, past, cache or
            the like gets the past, together with use_cache=True; position_ids gets positions.
            Where the cache is in the module: model(ids) -> out, and reset() empties the cache
    pieces   lists of sizes, such as [[1] * T] for a model that takes only one token at a time
    options  go to the model; a function of one argument gets the number of tokens so far, including new ones
    Errors: ValueError if the model returns no past
    Source: notebook 08
    """
    text = _Text(model, ids, reset, axis, tolerance, options)
    T = text.subject.T
    if T < 6:
        raise ValueError(f"ids must have 6 positions at least, got {T}")
    plans = pieces or ([1] * T, [T - 3, 1, 1, 1], [1, 3, T - 4], [T - 2, 2])
    with text.at_rest():
        for sizes in plans:
            apart, one_by_one = text.apart(sizes), set(sizes[1:]) <= {1}
            layer = apart and not one_by_one and recurrent_layer(text.subject.modules)
            if layer:
                raise ValueError(
                    f"a recurrent layer, {layer}, may take one token after another only once there is a past, and the "
                    "outputs differ for several: hand over pieces=, such as [[1] * T]"
                )
            if apart:
                look = LOOK["one" if one_by_one else "several"]
                raise AssertionError(f"{_how(sizes)} the outputs differ {far(apart)}; look at {look}")


def assert_past_reusable(model, ids, *, axis=None, tolerance=None, **options):
    """Assert that a past can be continued in several ways, as for beams or a shared prompt, without mutual influence.

    Few models promise this: caches that grow in place, and those of fixed size, allow only one continuation.

    Shapes: as for assert_cache_equals_whole, which should hold first
    Source: notebook 08
    """
    text = _Text(model, ids, None, axis, tolerance, options)
    T = text.subject.T
    with text.at_rest():
        for sizes in ([T - 3, 1, 1, 1], [1, 3, T - 4]):
            apart = text.apart(sizes, branches=True)
            if apart:
                raise AssertionError(
                    f"{_how(sizes)} the outputs differ {far(apart)} if each past is also continued by other tokens; "
                    f"look at {LOOK['branches']}"
                )


def _how(sizes):
    return "token by token" if max(sizes) == 1 else f"in pieces of {sizes} tokens"


class _Text:
    """A text and the model that reads it in pieces."""

    def __init__(self, model, ids, reset, axis, tolerance, options):
        self.model, self.reset, self.options = model, reset, dict(options)
        self.subject = Subject(model, (ids,), {}, axis, tolerance)
        if reset is None:
            self.place = next((name for name in PASTS if name in self.subject.names), None)
            self.positions = next((name for name in POSITIONS if name in self.subject.names), None)
            if self.place and "use_cache" in self.subject.names:
                self.options.setdefault("use_cache", True)

    def at_rest(self):
        self.subject.whole = lambda: self.read([self.subject.T])
        return self.subject.at_rest()

    def apart(self, sizes, branches=False):
        try:
            return self.subject.apart(lambda: (self._expected(sizes), self.read(sizes, branches)), OTHER_SHAPES)
        except (ValueError, NotImplementedError, AssertionError):
            if max(sizes[1:]) == 1 or branches:
                raise
            return 0.0  # a model that refuses several tokens after a past promises nothing about them

    def _expected(self, sizes):
        """The outputs at once; if a call returns only the last one, those at the ends of the pieces."""
        whole, ends = self.read([self.subject.T]), torch.tensor(sizes).cumsum(0).tolist()
        if whole.size(1) == 1 < self.subject.T:
            return torch.cat([self.read([end]) for end in ends], 1)
        if self.read([sizes[0]]).size(1) == 1 < sizes[0]:
            return whole[:, [end - 1 for end in ends]]
        return whole

    def read(self, sizes, branches=False):
        """The outputs of all pieces, (B, T, F); with `branches`, other tokens continue each past as well."""
        text, past, outs, axis = self.subject.values[0], None, [], self.subject.axis
        if self.reset is not None:
            self.reset(*[self.model] * len(parameters_of(self.reset)[1]))
        start = 0
        for size in sizes:
            piece = text.narrow(axis, start, size)
            other = (piece + 1) % (text.max() + 1) if not text.is_floating_point() else 1 - piece
            if branches:
                self._step(other, past, start + size)
            result = self._step(piece, past, start + size)
            out = self._rows(result, size)
            if branches:
                self._step(other, past, start + size)
            past = None if self.reset is not None else self._past(result)
            outs.append(out)
            start += size
        return torch.cat(outs, dim=1)

    def _step(self, piece, past, end):
        options = {key: value(end) if is_function_of_length(value) else value for key, value in self.options.items()}
        if self.reset is None and self.place:
            options[self.place] = past
            if self.positions:
                at = torch.arange(end - piece.size(self.subject.axis), end, device=piece.device)
                options[self.positions] = at.expand(self.subject.B, -1)
        given = [self.subject._fresh(piece)] + [past] * (self.reset is None and not self.place)
        return self.model(*given, **options)

    def _rows(self, result, size):
        if isinstance(result, (tuple, list)) and len(result) and isinstance(result[0], torch.Tensor):
            result = result[0]
        found = tensors_of(result)
        for length in (size, 1):
            for out in found:
                rows = self.subject._by_position(out, self.subject.B, length)
                if rows is not None:
                    return rows.flatten(2).clone() if rows.dim() > 2 else rows[..., None].clone()
        for out in found:
            if out.dim() == 2 and out.size(0) == self.subject.B:
                return out[:, None].clone()
        shapes = " and ".join(str(tuple(out.shape)) for out in found[:2]) or type(result).__name__
        raise ValueError(f"model(ids, past) must give outputs for {size} new positions, got {shapes}")

    def _past(self, result):
        named = result if isinstance(result, dict) else getattr(result, "__dict__", {})
        past = next((named[name] for name in PASTS if named.get(name) is not None), None)
        if past is not None:
            return past
        if isinstance(result, (tuple, list)) and len(result) > 1:
            return result[-1]
        raise ValueError(
            "model(ids, past) must return (out, past), got "
            f"{type(result).__name__}; if the cache is in the model, hand over reset=, a function that empties it"
        )
