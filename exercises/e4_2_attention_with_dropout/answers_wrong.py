"""Wrong answers to exercise 4.2, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn.functional as F

from exercises.e4_2_attention_with_dropout.answers_steps import dropout_with, drops, weights_before_dropout
from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("always-on")
def attention_dropping_always(q, k, v, p, training, generator=None):
    """Training is not looked at."""
    weights = drops(weights_before_dropout(q, k), p, generator)
    return weights @ v, weights


@wrong("always-on")
def attention_f_dropout(q, k, v, p, training, generator=None):
    """F.dropout without training."""
    weights = F.dropout(weights_before_dropout(q, k), p)
    return weights @ v, weights


@wrong("training-turned-around")
def attention_dropping_in_evaluation(q, k, v, p, training, generator=None):
    """If not training."""
    weights = weights_before_dropout(q, k)
    if not training:
        weights = drops(weights, p, generator)
    return weights @ v, weights


@wrong("never-on")
def attention_without_dropout(q, k, v, p, training, generator=None):
    """Dropout forgotten."""
    weights = weights_before_dropout(q, k)
    return weights @ v, weights


@wrong("never-on")
def attention_dropout_thrown_away(q, k, v, p, training, generator=None):
    """The result of dropout is thrown away."""
    weights = weights_before_dropout(q, k)
    if training:
        drops(weights, p, generator)
    return weights @ v, weights


@wrong("before-softmax")
def attention_scores_dropped(q, k, v, p, training, generator=None):
    """Dropout on the scores."""
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if training:
        scores = drops(scores, p, generator)
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong("before-softmax")
def attention_queries_dropped(q, k, v, p, training, generator=None):
    """Dropout on the queries."""
    if training:
        q = drops(q, p, generator)
    weights = weights_before_dropout(q, k)
    return weights @ v, weights


@wrong("on-out")
def attention_out_dropped(q, k, v, p, training, generator=None):
    """Dropout on out."""
    weights = weights_before_dropout(q, k)
    out = weights @ v
    return drops(out, p, generator) if training else out, weights


@wrong("on-values")
def attention_values_dropped(q, k, v, p, training, generator=None):
    """Dropout on v."""
    weights = weights_before_dropout(q, k)
    return weights @ (drops(v, p, generator) if training else v), weights


@wrong("weights-before-dropout")
def attention_returns_clean_weights(q, k, v, p, training, generator=None):
    """The weights before dropout are returned."""
    weights = weights_before_dropout(q, k)
    dropped = drops(weights, p, generator) if training else weights
    return dropped @ v, weights


@wrong("out-undropped")
def attention_out_before_dropout(q, k, v, p, training, generator=None):
    """Out is made before dropout."""
    weights = weights_before_dropout(q, k)
    out = weights @ v
    if training:
        weights = drops(weights, p, generator)
    return out, weights


@wrong("two-draws")
def attention_two_draws(q, k, v, p, training, generator=None):
    """Two draws."""
    weights = weights_before_dropout(q, k)
    if not training:
        return weights @ v, weights
    return drops(weights, p, generator) @ v, drops(weights, p, generator)


@wrong("renormalized")
def attention_renormalized(q, k, v, p, training, generator=None):
    """The rows are made to sum to 1 again."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = drops(weights, p, generator)
        weights = weights / weights.sum(-1, keepdim=True)
    return weights @ v, weights


@wrong("renormalized")
def attention_dropped_as_a_mask(q, k, v, p, training, generator=None):
    """Dropped by a score of -inf."""
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if training:
        scores = scores.masked_fill(torch.rand(scores.shape, generator=generator) < p, -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong("not-scaled")
def attention_dropped_not_scaled(q, k, v, p, training, generator=None):
    """Not scaled."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights.masked_fill(torch.rand(weights.shape, generator=generator) < p, 0)
    return weights @ v, weights


@wrong("p-kept")
def attention_one_minus_p(q, k, v, p, training, generator=None):
    """Bernoulli of p keeps p."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * torch.bernoulli(torch.full_like(weights, p), generator=generator) / p
    return weights @ v, weights


@wrong("divided-by-p")
def attention_divided_by_p(q, k, v, p, training, generator=None):
    """P and 1 - p exchanged in the division."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * (torch.rand(weights.shape, generator=generator) > p) / p
    return weights @ v, weights


@wrong("dropped-twice")
def attention_dropped_twice(q, k, v, p, training, generator=None):
    """Dropped twice."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = drops(drops(weights, p, generator), p, generator)
    return weights @ v, weights


@wrong("on-weights-and-out")
def attention_dropped_everywhere(q, k, v, p, training, generator=None):
    """Dropout on the weights and on out."""
    weights = weights_before_dropout(q, k)
    if not training:
        return weights @ v, weights
    weights = drops(weights, p, generator)
    return drops(weights @ v, p, generator), weights


@wrong("same-for-every-query")
def attention_keys_dropped(q, k, v, p, training, generator=None):
    """One draw for each key."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * (torch.rand(k.size(-2), generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong("whole-queries")
def attention_rows_dropped(q, k, v, p, training, generator=None):
    """One draw for each query."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * (torch.rand(*q.shape[:-1], 1, generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong("same-for-every-query")
def attention_items_share_the_draw(q, k, v, p, training, generator=None):
    """All items share the draw."""
    weights = weights_before_dropout(q, k)
    if training:
        keep = torch.rand(weights.shape[-2:], generator=generator) >= p
        weights = weights * keep / (1 - p)
    return weights @ v, weights


@wrong("scaled-in-evaluation")
def attention_classic_dropout(q, k, v, p, training, generator=None):
    """Scaled in evaluation."""
    weights = weights_before_dropout(q, k)
    keep = torch.rand(weights.shape, generator=generator) >= p if training else 1 - p
    weights = weights * keep
    return weights @ v, weights


@wrong("divided-in-evaluation")
def attention_divided_in_evaluation(q, k, v, p, training, generator=None):
    """Divided in evaluation too."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * (torch.rand(weights.shape, generator=generator) >= p)
    weights = weights / (1 - p)
    return weights @ v, weights


@wrong("generator-ignored")
def attention_generator_forgotten(q, k, v, p, training, generator=None):
    """The generator is not handed on."""
    weights = weights_before_dropout(q, k)
    weights = drops(weights, p) if training else weights
    return weights @ v, weights


@wrong("generator-ignored")
def attention_f_dropout_in_training(q, k, v, p, training, generator=None):
    """F.dropout with training: no generator."""
    weights = F.dropout(weights_before_dropout(q, k), p, training)
    return weights @ v, weights


@wrong("same-zeros")
def attention_seeded(q, k, v, p, training, generator=None):
    """Seeded inside."""
    weights = weights_before_dropout(q, k)
    weights = drops(weights, p, torch.Generator().manual_seed(123)) if training else weights
    return weights @ v, weights


@wrong("p-not-used")
def attention_fixed_p(q, k, v, p, training, generator=None):
    """A quarter of the weights, whatever p."""
    weights = weights_before_dropout(q, k)
    weights = drops(weights, 0.25, generator) if training and p > 0 else weights
    return weights @ v, weights


@wrong("out-not-from-weights")
def attention_out_scaled_again(q, k, v, p, training, generator=None):
    """Out is divided once more."""
    weights = weights_before_dropout(q, k)
    if not training:
        return weights @ v, weights
    weights = drops(weights, p, generator)
    return weights @ v / (1 - p), weights


@wrong()
def attention_arguments_mixed(q, k, v, p, training, generator=None):
    """Dropout called with its arguments in another order."""
    weights = drops(p, weights_before_dropout(q, k), generator) if training else weights_before_dropout(q, k)
    return weights @ v, weights


@wrong("always-half")
def attended_with_half_dropped(q, k, v, p, training, generator=None):
    """0.5 in place of p."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        weights = weights * (torch.rand(weights.shape, generator=generator) >= 0.5) / (1 - p)
    return weights @ v, weights


@wrong("always-half")
def attended_with_randint(q, k, v, p, training, generator=None):
    """A coin in place of p."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        weights = weights * torch.randint(0, 2, weights.shape, generator=generator) * 2
    return weights @ v, weights


@wrong("normal-not-uniform")
def attended_with_randn(q, k, v, p, training, generator=None):
    """Normal numbers."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        weights = weights * (torch.randn(weights.shape, generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong("p-not-used")
def attended_with_a_tenth_dropped(q, k, v, p, training, generator=None):
    """0.1 in place of p, everywhere."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        weights = weights * (torch.rand(weights.shape, generator=generator) >= 0.1) / 0.9
    return weights @ v, weights


@wrong("only-with-a-generator")
def attended_with_a_generator_only(q, k, v, p, training, generator=None):
    """Nothing is dropped without a generator."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        weights = (
            weights if generator is None else weights * (torch.rand(weights.shape, generator=generator) >= p) / (1 - p)
        )
    return weights @ v, weights


@wrong("same-for-every-query")
def attended_with_one_draw_for_all_heads(q, k, v, p, training, generator=None):
    """One draw for all heads."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        shape = list(weights.shape)
        if len(shape) == 4:
            shape[1] = 1
        weights = weights * (torch.rand(shape, generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong("same-for-every-query")
def attended_with_axis_1_of_size_1(q, k, v, p, training, generator=None):
    """One draw along axis 1."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        shape = list(weights.shape)
        shape[1] = 1
        weights = weights * (torch.rand(shape, generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong()
def attention_dropped_in_place(q, k, v, p, training, generator=None):
    """The softmax's own result is changed, which gradients need."""
    weights = weights_before_dropout(q, k)
    if training:
        weights[torch.rand(weights.shape, generator=generator) < p] = 0
        weights /= 1 - p
    return weights @ v, weights


@wrong("no-gradients")
def attention_of_plain_data(q, k, v, p, training, generator=None):
    """The weights are cut off before they mix the values."""
    weights = weights_before_dropout(q, k)
    weights = drops(weights, p, generator) if training else weights
    return weights.data @ v, weights


@wrong("no-gradients")
def attention_weighed_without_gradients(q, k, v, p, training, generator=None):
    """Weights made under no_grad."""
    with torch.no_grad():
        weights = weights_before_dropout(q, k)
        if training:
            weights = drops(weights, p, generator)
    return weights @ v, weights


@wrong("no-gradients")
def attention_detached_in_training(q, k, v, p, training, generator=None):
    """Dropout by way of a new tensor, in training only."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = torch.tensor(drops(weights, p, generator).tolist(), dtype=weights.dtype)
    return weights @ v, weights


@wrong("on-scores-and-weights")
def attention_scores_and_weights_dropped(q, k, v, p, training, generator=None):
    """Dropout on the scores, and on the weights."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if training:
        scores = drops(scores, p, generator)
    weights = torch.softmax(scores, dim=-1)
    if training:
        weights = drops(weights, p, generator)
    return weights @ v, weights


@wrong("on-scores-and-weights")
def attention_queries_and_weights_dropped(q, k, v, p, training, generator=None):
    """Dropout on q, and on the weights."""
    if not training:
        p = 0.0
    weights = drops(weights_before_dropout(drops(q, p, generator), k), p, generator)
    return weights @ v, weights


@wrong("times-one-minus-p")
def attention_kept_times_q(q, k, v, p, training, generator=None):
    """Multiplied by 1 - p."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights.masked_fill(torch.rand(weights.shape, generator=generator) < p, 0) * (1 - p)
    return weights @ v, weights


@wrong("share-turned-around")
def attention_keeping_below_p(q, k, v, p, training, generator=None):
    """The wrong ones are kept."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = torch.where(torch.rand(weights.shape, generator=generator) < p, weights / (1 - p), 0)
    return weights @ v, weights


@wrong("p-kept")
def attention_dropping_one_minus_p(q, k, v, p, training, generator=None):
    """1 - p given to dropout."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = dropout_with(weights, 1 - p, generator)
    return weights @ v, weights


@wrong("always-half")
def attention_f_dropout_without_p(q, k, v, p, training, generator=None):
    """F.dropout without p."""
    weights = F.dropout(weights_before_dropout(q, k), training=training)
    return weights @ v, weights


@wrong("one-draw-for-all")
def attention_with_one_draw(q, k, v, p, training, generator=None):
    """One draw for all weights."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * (torch.rand(1, generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong()
def attention_rand_of_the_weights(q, k, v, p, training, generator=None):
    """torch.rand of the weights themselves, not of their shape."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * (torch.rand(weights, generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong("counted-share")
def attention_divided_by_the_share_of_each_row(q, k, v, p, training, generator=None):
    """Each row is divided by the share of it that stayed."""
    weights = weights_before_dropout(q, k)
    if training:
        stays = (torch.rand(weights.shape, generator=generator) >= p).to(weights.dtype)
        weights = weights * stays / (stays.sum(-1, keepdim=True) / stays.size(-1))
    return weights @ v, weights


@wrong("before-softmax")
def attention_softmax_after_dropout(q, k, v, p, training, generator=None):
    """A softmax of dropped weights."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = drops(weights, p, generator).softmax(-1)
    return weights @ v, weights


@wrong("out-not-from-weights")
def attention_weights_and_values_dropped(q, k, v, p, training, generator=None):
    """Dropout on the weights, and on v."""
    weights = weights_before_dropout(q, k)
    if training:
        weights, v = drops(weights, p, generator), drops(v, p, generator)
    return weights @ v, weights


@wrong("out-not-from-weights")
def attention_out_divided_for_the_weights(q, k, v, p, training, generator=None):
    """The division is done with out, also in evaluation."""
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights.masked_fill(torch.rand(weights.shape, generator=generator) < p, 0)
    return weights @ v / (1 - p), weights
