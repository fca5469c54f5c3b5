"""Wrong answers to exercise 12.2, of the kind that learners write: the checker must reject all of them."""

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def parts(q, k, v, tile, causal, scale=None, offset=0):
    """(scores, values) of each tile, hidden scores -inf."""
    i = torch.arange(q.size(-2))[:, None]
    for start in range(0, k.size(-2), tile):
        part = slice(start, start + tile)
        scores = q @ k[..., part, :].mT * (q.size(-1) ** -0.5 if scale is None else scale)
        j = torch.arange(start, start + scores.size(-1)) + offset
        yield scores.masked_fill((j > i) & torch.tensor(causal), -torch.inf), v[..., part, :]


def online(tiles, q, grow_sum=True, grow_out=True, first=-torch.inf):
    m = torch.full_like(q[..., 0], first)
    d, acc = torch.zeros_like(m), torch.zeros_like(q)
    for scores, values in tiles:
        m_new = torch.maximum(m, scores.max(-1).values)
        p, alpha = torch.exp(scores - m_new.unsqueeze(-1)), torch.exp(m - m_new)
        d = d * (alpha if grow_sum else 1) + p.sum(-1)
        acc = acc * (alpha.unsqueeze(-1) if grow_out else 1) + p @ values
        m = m_new
    return acc, d, m


def done(acc, d, m):
    return acc / d.unsqueeze(-1), m + d.log()


@wrong("not-rescaled")
def tiles_with_stale_sums(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, causal), q, False, False))


@wrong("sum-not-rescaled")
def tiles_with_a_stale_sum(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, causal), q, grow_sum=False))


@wrong("read-not-rescaled")
def tiles_with_a_stale_out(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, causal), q, grow_out=False))


@wrong("rescaled-upside-down")
def tiles_that_grow(q, k, v, tile, causal=False):
    m = torch.full_like(q[..., 0], -torch.inf)
    d, acc = torch.zeros_like(m), torch.zeros_like(q)
    for n, (scores, values) in enumerate(parts(q, k, v, tile, causal)):
        m_new = torch.maximum(m, scores.amax(-1))
        p = torch.exp(scores - m_new.unsqueeze(-1))
        alpha = torch.exp(m_new - m) if n else torch.zeros_like(m)
        d, acc, m = alpha * d + p.sum(-1), alpha.unsqueeze(-1) * acc + p @ values, m_new
    return done(acc, d, m)


@wrong("maximum-of-the-tile")
def tiles_each_with_its_maximum(q, k, v, tile, causal=False):
    tops, sums, reads = [], [], []
    for scores, values in parts(q, k, v, tile, causal):
        tops.append(scores.amax(-1))
        p = (scores - tops[-1].clamp(min=-1e30).unsqueeze(-1)).exp()
        sums.append(p.sum(-1))
        reads.append(p @ values)
    return done(sum(reads), sum(sums), torch.stack(tops).amax(0))


@wrong("tiles-averaged")
def tiles_with_equal_shares(q, k, v, tile, causal=False):
    found = list(parts(q, k, v, tile, causal))
    outs = [torch.softmax(scores, -1).nan_to_num() @ values for scores, values in found]
    lse = torch.stack([scores.logsumexp(-1) for scores, _ in found]).logsumexp(0)
    return sum(outs) / len(outs), lse


@wrong("softmax-in-each-tile")
def tiles_each_with_a_softmax(q, k, v, tile, causal=False):
    out, sums = torch.zeros_like(q), []
    for scores, values in parts(q, k, v, tile, causal):
        out = out + torch.softmax(scores, -1).nan_to_num() @ values
        sums.append(scores.logsumexp(-1))
    return out, torch.stack(sums).logsumexp(0)


@wrong("not-divided")
def tiles_without_a_division(q, k, v, tile, causal=False):
    acc, d, m = online(parts(q, k, v, tile, causal), q)
    return acc, m + d.log()


@wrong("divided-in-the-loop")
def tiles_divided_after_each(q, k, v, tile, causal=False):
    m = torch.full_like(q[..., 0], -torch.inf)
    d, out = torch.zeros_like(m), torch.zeros_like(q)
    for scores, values in parts(q, k, v, tile, causal):
        m, before = torch.maximum(m, scores.amax(-1)), m
        p = torch.exp(scores - m.unsqueeze(-1))
        d = d * torch.exp(before - m) + p.sum(-1)
        out = (out * torch.exp(before - m).unsqueeze(-1) + p @ values) / d.unsqueeze(-1)
    return out, m + d.log()


@wrong("last-tile-dropped")
def tiles_that_are_whole(q, k, v, tile, causal=False):
    tile = min(tile, k.size(-2))
    n = k.size(-2) // tile * tile
    return done(*online(parts(q, k[..., :n, :], v[..., :n, :], tile, causal), q))


@wrong("mask-counts-within-the-tile")
def tiles_with_a_triangle_each(q, k, v, tile, causal=False):
    hidden = torch.ones(q.size(-2), tile, dtype=torch.bool).triu(1)
    tiles = (
        (scores.masked_fill(hidden[:, : scores.size(-1)], -torch.inf) if causal else scores, values)
        for scores, values in parts(q, k, v, tile, False)
    )
    return done(*online(tiles, q))


@wrong("no-mask")
def tiles_without_a_mask(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, False), q))


@wrong("always-causal")
def tiles_that_are_always_causal(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, True), q))


@wrong("self-hidden")
def tiles_that_hide_the_diagonal(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, causal, offset=1), q))


@wrong("mask-by-tiles")
def tiles_seen_as_a_whole(q, k, v, tile, causal=False):
    def tiles():
        for n, (scores, values) in enumerate(parts(q, k, v, tile, False)):
            late = torch.arange(q.size(-2)) < n * tile
            yield scores.masked_fill(late[:, None], -torch.inf) if causal else scores, values

    return done(*online(tiles(), q))


@wrong("hidden-by-a-number")
def tiles_hidden_by_a_number(q, k, v, tile, causal=False):
    tiles = parts(q, k, v, tile, causal)
    return done(*online(((torch.nan_to_num(scores, neginf=-1e4), values) for scores, values in tiles), q))


@wrong("no-scale")
def tiles_unscaled(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, causal, scale=1.0), q))


@wrong("scaled-by-d")
def tiles_over_d(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, causal, scale=1 / q.size(-1)), q))


@wrong("no-maximum")
def tiles_of_plain_exp(q, k, v, tile, causal=False):
    found = [(scores.exp(), values) for scores, values in parts(q, k, v, tile, causal)]
    total = sum(p.sum(-1) for p, _ in found)
    return sum(p @ values for p, values in found) / total.unsqueeze(-1), total.log()


@wrong("maximum-begins-at-0")
def tiles_from_zero(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, causal), q, first=0.0))


@wrong("one-maximum-for-all-queries")
def tiles_with_one_maximum(q, k, v, tile, causal=False):
    m, d, acc = torch.tensor(-torch.inf, dtype=q.dtype), 0, 0
    for scores, values in parts(q, k, v, tile, causal):
        m_new = torch.maximum(m, scores.max())
        p, alpha = torch.exp(scores - m_new), torch.exp(m - m_new)
        d, acc, m = d * alpha + p.sum(-1), acc * alpha + p @ values, m_new
    return done(acc, d, m)


@wrong("maximum-not-added")
def tiles_with_a_relative_lse(q, k, v, tile, causal=False):
    acc, d, _ = online(parts(q, k, v, tile, causal), q)
    return acc / d.unsqueeze(-1), torch.log(d)


@wrong("maximum-as-lse")
def tiles_with_the_maximum(q, k, v, tile, causal=False):
    acc, d, m = online(parts(q, k, v, tile, causal), q)
    return acc / d.unsqueeze(-1), m


@wrong("sum-as-lse")
def tiles_with_the_sum(q, k, v, tile, causal=False):
    acc, d, _ = online(parts(q, k, v, tile, causal), q)
    return acc / d.unsqueeze(-1), d


@wrong("table-made")
def attended_at_once(q, k, v, tile, causal=False):
    scores = q @ k.mT / q.size(-1) ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1) > 0, -torch.inf)
    return scores.softmax(-1) @ v, scores.logsumexp(-1)


@wrong("table-made")
def tiles_of_a_whole_mask(q, k, v, tile, causal=False):
    mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
    tiles = (
        (scores.masked_fill(~mask[:, n * tile : (n + 1) * tile], -torch.inf) if causal else scores, values)
        for n, (scores, values) in enumerate(parts(q, k, v, tile, False))
    )
    return done(*online(tiles, q))


@wrong("table-made")
def tiles_joined_to_a_table(q, k, v, tile, causal=False):
    scores = torch.cat([scores for scores, _ in parts(q, k, v, tile, causal)], dim=-1)
    return F.softmax(scores, dim=-1) @ v, scores.logsumexp(-1)


@wrong("kernel-for-all-keys")
def attended_by_the_fused_kernel(q, k, v, tile, causal=False):
    _, d, m = online(parts(q, k, v, tile, causal), q)
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal), m + d.log()


@wrong("no-gradients")
def tiles_without_gradients(q, k, v, tile, causal=False):
    with torch.no_grad():
        return done(*online(parts(q, k, v, tile, causal), q))


@wrong("swapped-pair")
def tiles_lse_first(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, causal), q))[::-1]


@wrong("only-out")
def tiles_out_alone(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v, tile, causal), q))[0]


@wrong("hidden-tile-is-nan")
def all_tiles_at_the_end(q, k, v, tile, causal=False):
    outs, lses = [], []
    for start in range(0, k.size(-2), tile):
        part_k, part_v = k[:, :, start : start + tile], v[:, :, start : start + tile]
        scores = torch.einsum("bhtd,bhsd->bhts", q, part_k) / q.size(-1) ** 0.5
        if causal:
            later = torch.arange(start, start + scores.size(-1)) > torch.arange(q.size(-2)).unsqueeze(1)
            scores = scores.masked_fill(later, float("-inf"))
        outs.append(scores.softmax(-1) @ part_v)
        lses.append(scores.logsumexp(-1))
    shares = torch.stack(lses).softmax(0).unsqueeze(-1)
    return (shares * torch.stack(outs)).sum(0), torch.stack(lses).logsumexp(0)


@wrong()
def tiles_with_the_values_reversed(q, k, v, tile, causal=False):
    return done(*online(parts(q, k, v.flip(-2), tile, causal), q))
