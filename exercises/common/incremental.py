"""Functions that continue from a past: how they are called, behavioral tests, and a sentence on a wrong token.

An exercise defines how one call is made: step(attempt, new, past, *rest) returns its result for `new` = (q, k, v), with
`past` None in the first call. `rest` are the other arguments of a test case, except for its last, the pieces' lengths.
"""

import torch

from exercises.common import explainers
from exercises.common.experiments import largest_difference
from exercises.common.inputs import normal
from feedback import BehavioralTest, ContractViolation
from feedback.format import describe


def pair(result):
    """Return the result if it is a pair (out, past). Errors: ContractViolation if not"""
    if not isinstance(result, tuple) or len(result) != 2:
        raise ContractViolation(
            "returns-wrong-type", f"Your code returned {describe(result)}; the pair (out, past) was expected."
        )
    if not isinstance(result[0], torch.Tensor):
        raise ContractViolation(
            "returns-wrong-type",
            f"The first of the two results is out, a tensor (B, H, T, D); yours is {describe(result[0])}.",
        )
    return result


def caller(step):
    """Return call(attempt, q, k, v, *rest, pieces): feed pieces, passing pasts on, and return out of all tokens."""

    def call(attempt, q, k, v, *rest):
        *rest, pieces = rest
        given = [[x.clone() for x in tensor.split(pieces, dim=-2)] for tensor in (q, k, v)]
        outs, past = [], None
        for new in zip(*given, strict=True):
            out, past = step(attempt, list(new), past, *rest)
            outs.append(out)
            if out.shape != new[0].shape:
                break  # the engine reports the wrong shape
        for tensor, parts in zip((q, k, v), given, strict=True):
            if not (tensor.is_meta or torch.equal(torch.cat(parts, dim=-2), tensor)):
                tensor.data.copy_(torch.cat(parts, dim=-2))  # so that the engine notices if pieces were written into
        return torch.cat(outs, dim=-2) if out.shape == new[0].shape else out

    return call


def by_hand(q, k, v, *rest):
    """Return arguments with one head of two features; q, k and v list the first ones, and the second ones are 0."""
    return *(torch.tensor([[x, 0.0] for x in numbers])[None, None] for numbers in (q, k, v)), *rest


def in_words(args):
    """Describe what the code was given."""
    q, pieces = args[0], args[-1]
    sizes = " × ".join(str(n) for n in q.shape)
    calls = f"{len(pieces)} calls with {', '.join(map(str, pieces))} tokens" if len(pieces) > 1 else "one call"
    return f"q, k and v are {sizes}, and came in {calls}; past is what the call before returned."


def token(case):
    """Show the token whose result is furthest off, and say in which call it came."""
    at = explainers.worst(case.first, case.expected_first)
    pieces, call, before = case.args[-1], 0, 0
    while at[-2] >= before + pieces[call]:
        before, call = before + pieces[call], call + 1
    when = (
        f"of call {call + 1}, after {explainers.counted(before, 'token', 'tokens')}"
        if len(pieces) > 1
        else "of the only call"
    )
    return (
        f"for token {at[-2]}, {when}, your out at {explainers.position(at)} is {explainers.number(case.first[at])} "
        f"and {explainers.number(case.expected_first[at])} is right"
    )


# ---------------------------------------------------------------- behavioral tests


def _tokens(seed, count):
    return [normal(1, 2, count, 4, seed=seed + i) for i in range(3)]


def past_shared(step, reference, *rest):
    """Return a required test that continues one past in two ways, which must not affect each other."""
    call = caller(step)

    def test(attempt):
        start, one, other, last = _tokens(41, 3), _tokens(44, 2), _tokens(47, 2), _tokens(50, 1)
        _, past = step(attempt, [x.clone() for x in start], None, *rest)
        outs, pasts = [], []
        for new in (one, other):
            out, went_on = step(attempt, [x.clone() for x in new], past, *rest)
            outs.append(out.clone())
            pasts.append(went_on)
        outs.append(step(attempt, [x.clone() for x in last], pasts[0], *rest)[0])
        wanted = [
            call(reference, *(torch.cat(parts, dim=-2) for parts in zip(start, *news, strict=True)), *rest, [size])
            for *news, size in ((one, 5), (other, 5), (one, last, 6))
        ]
        names = ("the first", "the second", "the first, after the second had gone on,")
        for name, got, right in zip(names, outs, wanted, strict=True):
            right = right[:, :, -got.size(-2) :]
            if got.shape != right.shape or largest_difference(got, right) > 1e-3:
                return (
                    f"One past was continued in two ways: {name} continuation gives other numbers than the same text "
                    "in one call. The two share what they should not."
                )
        return None

    return BehavioralTest(
        "past-shared",
        test,
        "Make new tensors (`torch.cat`, or a copy) instead of writing into the past or appending to it.",
        required=True,
        while_doing="where a past is continued twice",
    )


def pieces_differ(step, *rest):
    """Return a test that a text in pieces gives the same as the text at once."""
    call = caller(step)

    def test(attempt):
        tensors = _tokens(53, 5)
        whole = call(attempt, *tensors, *rest, [5])
        for pieces in ([1, 1, 1, 1, 1], [2, 3]):
            parts = call(attempt, *tensors, *rest, pieces)
            if parts.shape != whole.shape:
                return None
            moved = (whole - parts).abs().amax((0, 1, 3))
            if moved.max() > 1e-3:
                return (
                    f"Five tokens in pieces of {', '.join(map(str, pieces))} must give what they give at once; yours "
                    f"differ first at token {int((moved > 1e-3).nonzero()[0])}, by up to {float(moved.max()):.4f}."
                )
        return None

    return BehavioralTest(
        "pieces-differ", test, "Which step depends on how many tokens come at once, or on how many came before?"
    )
