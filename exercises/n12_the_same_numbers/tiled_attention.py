"""tiled_attention: the reference and its test cases."""

import math

import torch

from exercises.common import properties
from exercises.common.gradients import gradients_flow, stays_finite
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from exercises.common.sizes import LargestTensor, MadeFrom, Watching
from feedback import BehavioralTest, Property, TestCase
from feedback.page_exercise import exercise


def tiled_attention(q, k, v, tile, causal=False):
    """Attention that reads `tile` keys at a time.

    Shapes: q (B, H, T, D), k and v (B, H, S, D) -> out (B, H, T, D), lse (B, H, T)
    Units:  lse is the logarithm of the sum of exp(scores)
    Source: Dao et al. 2022, "FlashAttention"; notebook 12
    """
    largest = q.new_full(q.shape[:-1], -torch.inf)  # (B, H, T)
    total, read = q.new_zeros(q.shape[:-1]), torch.zeros_like(q)
    queries = torch.arange(q.size(-2), device=q.device)
    for start in range(0, k.size(-2), tile):
        part_k, part_v = k[..., start : start + tile, :], v[..., start : start + tile, :]
        scores = q @ part_k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, tile)
        if causal:
            keys = torch.arange(start, start + part_k.size(-2), device=q.device)
            scores = scores.masked_fill(keys > queries[:, None], -torch.inf)
        new = torch.maximum(largest, scores.amax(dim=-1))
        shrink, weights = (largest - new).exp(), (scores - new[..., None]).exp()
        total = total * shrink + weights.sum(dim=-1)
        read = read * shrink[..., None] + weights @ part_v
        largest = new
    return read / total[..., None], largest + total.log()


def arguments(seed, tile, causal=False, b=B, h=H, t=T, s=S, d=D, size=1.0, dtype=torch.float32):
    """Return q, k, v, tile and causal; scores are of size about `size`."""
    q, k, v = (normal(b, h, n, d, seed=seed + i, dtype=dtype) for i, n in enumerate((s if causal else t, s, s)))
    return q * size, k, v, tile, causal


def far_below_0(seed, tile, level, causal=False):
    """Return arguments in which queries' scores fall from around 0 to around -level, or rise if causal."""
    q, k, v, *rest = arguments(seed, tile, causal)
    levels = torch.linspace(0, level, q.size(-2))
    q[..., 0] = -(levels.flip(0) if causal else levels) * q.size(-1) ** 0.5
    k[..., 0] = 1.0
    return q, k, v, *rest


def by_hand(q, k, v, tile, causal=False):
    """Return arguments with one head of one feature."""
    return *(torch.tensor(numbers)[None, None, :, None] for numbers in (q, k, v)), tile, causal


def stage_of(args):
    """Judge one tile first, then several, then the mask, then scores that overflow in exp."""
    q, k, _, tile, causal = args
    if (q @ k.transpose(-2, -1)).abs().max() / q.size(-1) ** 0.5 > 80:
        return 3
    return 2 if causal else 1 if tile < k.size(-2) else 0


def right_to_three_digits(case):
    """Find numbers that are right only to the two to four digits of float16 or bfloat16."""
    pairs = [(got.double(), right.double()) for _, got, right in case.parts]
    if not all(torch.allclose(got, right, rtol=2e-2, atol=2e-2) for got, right in pairs):
        return None
    if all(torch.allclose(got, right, rtol=1e-4, atol=3e-5) for got, right in pairs):
        return None
    off = max(float((got - right).abs().max()) for got, right in pairs)
    return f"Your numbers are nearly right: none is off by more than {off:.4f}."


def scores_kept(attempt):
    """Try one query and many keys; few numbers made from q and k are held at a time, unless all tiles are kept."""
    s, tile = 1280, 64
    given = arguments(51, tile, b=1, h=1, t=1, s=s, d=2)
    with MadeFrom(*given[:3], held_of={0, 1}) as seen, torch.no_grad():
        attempt(*given)
    if seen.most < s:
        return None
    return (
        "The numbers are right, but scores of more than one tile exist at once: with one query, "
        f"S = {s:,} and tile = {tile}, {seen.most:,} numbers made of q and k are held at the same time. One tile has "
        f"{tile} scores, and all tiles {s:,}."
    )


def table_made(attempt):
    """Try one head with few features and many positions; the table of scores would be the largest tensor by far."""
    n, d, tile = 96, 2, 8
    for causal in (False, True):
        with LargestTensor() as largest, torch.no_grad():
            attempt(*arguments(51, tile, causal, b=1, h=1, t=n, s=n, d=d))
        if largest.elements >= n * n:
            with_mask = " and causal=True" if causal else ""
            return (
                f"The numbers are right, but a table is made: with T = S = {n}, tile = {tile}{with_mask}, your code "
                f"makes a tensor of shape {tuple(largest.shape)}, that is {largest.elements:,} numbers. The scores of "
                f"one tile are {n * tile:,}."
            )
    return None


class FusedKernels(Watching):
    """Records the largest number of keys that PyTorch's fused attention kernels read at once."""

    def __init__(self):
        super().__init__()
        self.keys = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if "scaled_dot_product" in str(function):
            self.keys = max(self.keys, args[1].size(-2))
        return function(*args, **(kwargs or {}))


def kernel_for_all_keys(attempt):
    """Find calls of PyTorch's own kernel, which makes no table, either, but which the answer should replace."""
    with FusedKernels() as seen, torch.no_grad():
        attempt(*arguments(55, 8, b=1, h=1, t=S, s=96))
    if seen.keys <= 8:
        return None
    return (
        f"The numbers are right, but `F.scaled_dot_product_attention` was called with {seen.keys} keys at once, "
        "where tile is 8: its kernel does inside what is asked for here."
    )


EXERCISE = exercise(
    tiled_attention,
    returns=("out", "lse"),
    axis_names=AXES,
    cases=(
        TestCase("one tile", arguments(1, 7)),
        TestCase("a tile larger than S", arguments(5, 20)),
        TestCase("tiles of 2, the last one shorter", arguments(9, 2)),
        TestCase("tiles of 3, one query", arguments(17, 3, t=1)),
        TestCase("tiles that divide S", arguments(21, 4, s=8)),
        TestCase("float64", arguments(29, 3, dtype=torch.float64)),
        TestCase("causal, one tile", arguments(33, 7, causal=True)),
        TestCase("causal, tiles of 2", arguments(37, 2, causal=True)),
        TestCase("scores of some thousands", arguments(49, 2, size=3000.0), rtol=1e-4, atol=3e-3),
        TestCase("scores down to -10,000", far_below_0(53, 2, 1e4), rtol=1e-4, atol=3e-3),
        TestCase("causal, scores of some thousands", arguments(57, 3, causal=True, size=3000.0), rtol=1e-4, atol=3e-3),
        TestCase("causal, scores down to -10,000", far_below_0(65, 2, 1e4, causal=True), rtol=1e-4, atol=3e-3),
    ),
    minimal_inputs=(
        by_hand([1.0], [1.0, 2.0], [4.0, 8.0], 2),
        by_hand([0.0], [1.0, 1.0], [4.0, 8.0], 1),
        by_hand([1.0], [0.0, 1.0], [4.0, 8.0], 1),
        by_hand([1.0], [2.0, 0.0, 1.0], [4.0, 8.0, 2.0], 2),
        by_hand([0.0, 0.0], [1.0, 1.0], [4.0, 8.0], 1, causal=True),
        by_hand([0.0, 1.0, 1.0], [2.0, 0.0, 1.0], [4.0, 8.0, 2.0], 2, causal=True),
        by_hand([-1.0], [1000.0, 1001.0], [4.0, 8.0], 1),
        by_hand([-1.0, -1.0], [1e4, 1e4], [4.0, 8.0], 2, causal=True),
        by_hand([1.0], [1000.0, 1001.0], [4.0, 8.0], 1),
    ),
    stage_of=stage_of,
    properties=(
        properties.FINITE,
        Property(
            "rounded",
            right_to_three_digits,
            "Is anything rounded on the way? Which dtype have your scores, weights and sums, and with how many digits?",
        ),
    ),
    behavioral_tests=(
        BehavioralTest(
            "table-made",
            table_made,
            "Scores, weights and mask are needed for one tile of keys at a time. Which line makes them for all?",
            required=True,
            while_doing="with 96 positions",
        ),
        BehavioralTest(
            "scores-kept",
            scores_kept,
            "Does a line read more than a tile of keys, be it for one query? Are scores of earlier tiles kept until "
            "the end? What has to be kept of a tile when the next one comes?",
            required=True,
            while_doing="with one query and 1,280 keys",
        ),
        BehavioralTest(
            "kernel-for-all-keys",
            kernel_for_all_keys,
            "Make the scores of one tile yourself. What has to be kept of them when the next tile comes?",
            required=True,
            while_doing="with 96 keys",
        ),
        stays_finite(
            "with causal=True",  # in tiles of 2, the first queries see nothing of the second tile
            arguments(61, 2, True, b=1, h=2, s=5, d=3),
            ("q", "k", "v", None, None),
            "What is the softmax of nothing but -inf? A number far below every score hides a key as well, and no NaN "
            "arises.",
        ),
        gradients_flow(tiled_attention, arguments(61, 2, True, b=1, h=2, s=5, d=3), ("q", "k", "v", None, None)),
    ),
)
