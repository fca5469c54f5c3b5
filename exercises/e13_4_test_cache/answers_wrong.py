"""Wrong tests for exercise 13.4, each with the diagnosis that it must get."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def drawn(B, T):
    return torch.randint(50, (B, T))


def fed(model, ids, sizes):
    """The logits of a text that comes in pieces, and the last past."""
    outs, past = [], None
    for piece in ids.split(sizes, dim=1):
        out, past = model(piece, past)
        outs.append(out)
    return torch.cat(outs, dim=1), past


def in_pieces(model, ids, *cuts, atol=1e-4):
    return all(torch.allclose(fed(model, ids, sizes)[0], model(ids)[0], atol=atol) for sizes in cuts)


def branches(model, ids, atol=1e-4):
    """A past goes on in two ways, and the first of them goes on after the second."""
    n = ids.size(1) // 3
    start, a, b, c = ids[:, :n], ids[:, n : 2 * n], drawn(len(ids), n), ids[:, 2 * n :]
    _, past = model(start)
    _, first = model(a, past)
    second, _ = model(b, past)
    third, _ = model(c, first)
    alike = torch.allclose(second, model(torch.cat([start, b], 1))[0][:, n:], atol=atol)
    return alike and torch.allclose(third, model(ids)[0][:, 2 * n :], atol=atol)


LONG = ([1] * 24, [1, 7, 4, 12], [5, 2, 1, 16])


@wrong("one-token-each")
def ten_tokens_one_by_one(model):
    ids, past = torch.randint(50, (3, 10)), None
    whole = model(ids)[0]
    for t in range(10):
        logits, past = model(ids[:, t : t + 1], past)
        assert torch.allclose(logits[:, 0], whole[:, t], atol=1e-4)


@wrong("always-none")
def compares_and_forgets(model):
    ids = drawn(2, 24)
    in_pieces(model, ids, *LONG)
    branches(model, ids)


@wrong("always-none")
def without_a_past(model):
    ids = drawn(2, 24)
    return model(ids)[0].shape == torch.cat([model(piece)[0] for piece in ids.split(6, 1)], 1).shape


@wrong("turned-around")
def true_where_it_differs(model):
    ids = drawn(2, 24)
    return not (in_pieces(model, ids, *LONG) and branches(model, ids))


@wrong("no-branches")
def many_ways_to_cut(model):
    ids = drawn(2, 24)
    assert in_pieces(model, ids, *LONG, [12, 6, 6], [1, 1, 22])


@wrong("first-branch-dropped")
def second_branch_only(model):
    ids = drawn(2, 24)
    assert in_pieces(model, ids, *LONG)
    _, past = model(ids[:, :4])
    model(drawn(2, 6), past)
    logits, _ = model(ids[:, 4:9], past)
    assert torch.allclose(logits, model(ids)[0][:, 4:9], atol=1e-4)


@wrong("one-token-each")
def as_it_writes(model):
    ids = drawn(2, 20)
    return in_pieces(model, ids, [1] * 20)


@wrong("first-piece-then-tokens")
def prompt_and_answer(model):
    assert in_pieces(model, drawn(1, 15), [8] + [1] * 7)


@wrong("two-pieces")
def halves(model):
    return in_pieces(model, drawn(2, 24), [12, 12])


@wrong("two-pieces")
def all_halves_of_a_short_text(model):
    ids = drawn(1, 10)
    assert in_pieces(model, ids, *([n, 10 - n] for n in range(2, 10)))


@wrong("never-one-token-first")
def at_least_two_first(model):
    ids = drawn(2, 24)
    return in_pieces(model, ids, [2] * 12, [3, 21], [6] + [1] * 18) and branches(model, ids)


@wrong("short-texts")
def up_to_twelve(model):
    ids = drawn(2, 12)
    return in_pieces(model, ids, [1] * 12, [3, 1, 8], [1, 2, 3, 6]) and branches(model, ids)


@wrong("one-item")
def a_single_text(model):
    ids = drawn(1, 24)
    return in_pieces(model, ids, *LONG) and branches(model, ids)


@wrong("accuses-all")
def first_tokens_again(model):
    ids = drawn(2, 24)
    _, past = model(ids[:, :12])
    assert torch.allclose(model(ids[:, 12:], past)[0], model(ids[:, 12:])[0], atol=1e-4)


@wrong("last-logits-only")
def newest_token(model):
    for _ in range(2):
        ids, other = drawn(2, 24), drawn(2, 3)
        for sizes in LONG:
            past, end = None, 0
            for piece in ids.split(sizes, dim=1):
                logits, past = model(piece, past)
                end += piece.size(1)
                assert torch.allclose(logits[:, -1], model(ids[:, :end])[0][:, -1], atol=1e-4)
        _, past = model(ids[:, :5])
        _, first = model(ids[:, 5:8], past)
        again, _ = model(other, past)
        assert torch.allclose(again[:, -1], model(torch.cat([ids[:, :5], other], 1))[0][:, -1], atol=1e-4)
        assert torch.allclose(model(ids[:, 8:], first)[0][:, -1], model(ids)[0][:, -1], atol=1e-4)


@wrong("not-the-logits")
def probabilities(model):
    def soft(ids, past=None):
        logits, past = model(ids, past)
        return logits.softmax(-1), past

    ids = drawn(2, 24)
    return in_pieces(soft, ids, *LONG) and branches(soft, ids)


@wrong("sums-compared")
def means(model):
    def mean(ids, past=None):
        logits, past = model(ids, past)
        return logits.mean(-1), past

    ids = drawn(2, 24)
    return in_pieces(mean, ids, *LONG) and branches(mean, ids)


@wrong("rounding-accused")
def to_the_bit(model):
    ids = drawn(3, 20)
    whole = model(ids)[0]
    for sizes in ([1] * 20, [1, 4, 3, 12], [6, 2, 1, 11]):
        begin, past = 0, None
        for piece in ids.split(sizes, dim=1):
            logits, past = model(piece, past)
            if not torch.equal(logits, whole[:, begin : begin + len(piece[0])]):
                return False
            begin += len(piece[0])
    ends = [torch.cat([ids[:, :5], drawn(3, 3)], 1) for _ in range(2)]
    _, past = model(ids[:, :5])
    _, first = model(ids[:, 5:8], past)
    for text in ends:
        if not torch.equal(model(text[:, 5:], past)[0], model(text)[0][:, 5:]):
            return False
    return torch.equal(model(ids[:, 8:], first)[0], whole[:, 8:])


@wrong("tolerance-too-large")
def a_quarter(model):
    ids = drawn(2, 24)
    return in_pieces(model, ids, *LONG, atol=0.25) and branches(model, ids, 0.25)


@wrong("returns-something-else")
def the_difference(model):
    ids = drawn(2, 24)
    return fed(model, ids, [12, 12])[0] - model(ids)[0]


@wrong()
def looks_into_the_past(model):
    _, past = model(drawn(2, 5))
    keys, values = past
    assert keys.shape == values.shape


@wrong("right-only-sometimes")
def one_cut_at_random(model):
    ids = drawn(2, 24)
    n, m = sorted(torch.randperm(23)[:2].tolist())
    return in_pieces(model, ids, [n + 1, m - n, 23 - m]) and branches(model, ids)
