"""What people get wrong in exercise 8.1, next_token_loss.

An answer pairs logits with targets, scores each pair, decides which targets count, and takes a mean.
"""

import torch
import torch.nn.functional as F

from feedback import Misconceptions
from feedback.format import counted, number


def next_tokens(logits, ids):
    """The right step `pair`."""
    return logits[:, :-1], ids[:, 1:]


def cross_entropy(predictions, targets):
    """The right step `score`: one number for each pair."""
    return F.cross_entropy(predictions.transpose(1, 2), targets, reduction="none")


def real_targets(targets, pad_id, ids):
    """The right step `real`: which pairs count."""
    return torch.ones_like(targets, dtype=torch.bool) if pad_id is None else targets != pad_id


def over_the_real(losses, real):
    """The right step `average`."""
    return losses[real].mean()


def assemble(pair=next_tokens, score=cross_entropy, real=real_targets, average=over_the_real, sign=1):
    """An answer, from its steps."""

    def loss(logits, ids, pad_id=None):
        predictions, targets = pair(logits, ids)
        return sign * average(score(predictions, targets), real(targets, pad_id, ids))

    return loss


known = Misconceptions(assemble)


def compared(case):
    """Both losses, and how many targets there are."""
    _, ids, pad_id = case.args
    targets = ids[:, 1:]
    count = targets.numel() if pad_id is None else int((targets != pad_id).sum())
    of = "" if count == targets.numel() else f"{count} of "
    return (
        f"your loss is {number(case.actual)}, and {number(case.expected)} is right: the mean over "
        f"{of}{counted(targets.numel(), 'target', 'targets')}"
    )


def mistake(id, means, hint, step=None):
    return known(id, means=means, hint=hint, explain=compared, step=step)


# ---------------------------------------------------------------- which position predicts which token


@mistake(
    "not-shifted",
    "The targets are not shifted: each position is asked to predict its own token, which it has just read.",
    "Position t has seen the tokens 0 to t. Which entry of ids does it have to guess?",
    step="pair",
)
def own_tokens(logits, ids):
    return logits, ids


@known.also("not-shifted", step="pair")
def own_tokens_but_the_last(logits, ids):
    return logits[:, :-1], ids[:, :-1]


@known.also("not-shifted", step="pair")
def own_tokens_but_the_first(logits, ids):
    return logits[:, 1:], ids[:, 1:]


@mistake(
    "shifted-the-wrong-way",
    "The shift goes the wrong way: each position is asked for the token before it, which it could simply look up.",
    "Logits at t belong to the token at t + 1. Which side loses its first entry, and which its last?",
    step="pair",
)
def previous_tokens(logits, ids):
    return logits[:, 1:], ids[:, :-1]


@mistake(
    "shifted-by-two",
    "The shift is made twice: each position is asked for the token after the next one.",
    "Shift once: T positions and T ids make T - 1 pairs. Do you cut both `logits[:, :-1]` and, once more, its partner?",
    step="pair",
)
def token_after_the_next(logits, ids):
    return logits[:, :-2], ids[:, 2:]


@mistake(
    "wraps-around",
    "The ids were rolled around, so the last position is asked for the first token of the same text.",
    "`torch.roll` brings the first token to the end. What follows the last token, as far as ids can tell?",
    step="pair",
)
def rolled(logits, ids):
    return logits, ids.roll(-1, dims=1)


@mistake(
    "shifted-across-texts",
    "The texts were joined end to end before the shift: the last position of a text is asked for the first token of "
    "the next text.",
    "What follows the last token of a text is not in ids. Shift each row first, `[:, :-1]` and `[:, 1:]`, and flatten "
    "afterwards.",
    step="pair",
)
def joined_and_shifted(logits, ids):
    return logits.flatten(0, 1)[None, :-1], ids.flatten()[None, 1:]


@known.also("shifted-across-texts", step="pair")
def rolled_over_the_batch(logits, ids):
    return logits, ids.roll(-1)


@mistake(
    "shifted-along-the-batch",
    "The shift runs along the batch: each position is asked for the token at the same position of the next text. "
    "A single text has no next one.",
    "The first axis is the batch, and `[1:]` cuts that one. Where in the brackets does the slice of the positions go?",
    step="pair",
)
def next_text(logits, ids):
    return logits[:-1], ids[1:]


@mistake(
    "last-position-only",
    "Only the last prediction of each text counts; every position of a text is an example.",
    "Thanks to the causal mask, one text gives T - 1 predictions at once. Which axis did you cut down to one?",
    step="pair",
)
def last_pair(logits, ids):
    return logits[:, -2:-1], ids[:, -1:]


@mistake(
    "axes-mixed-up",
    "The logits were reshaped where two axes should be swapped: the numbers of different positions are mixed.",
    "`F.cross_entropy` wants the classes on axis 1. `transpose(1, 2)` swaps two axes; `view` and `reshape` only cut "
    "the same numbers differently.",
    step="score",
)
def reshaped(predictions, targets):
    b, t, v = predictions.shape
    return F.cross_entropy(predictions.reshape(b, v, t), targets, reduction="none")


# ---------------------------------------------------------------- padding


@mistake(
    "padding-counted",
    "Padding is counted: the model is also asked to predict pad_id.",
    "Which targets are not real tokens? `F.cross_entropy` leaves out those equal to its `ignore_index`.",
    step="real",
)
def all_targets(targets, pad_id, ids):
    return torch.ones_like(targets, dtype=torch.bool)


@mistake(
    "pad-id-0-ignored",
    "With pad_id = 0 padding is counted: 0 counts as False, so `if pad_id` and `pad_id or ...` treat it like None.",
    "Ask for None itself: `pad_id is None`.",
    step="real",
)
def truthy_pad_id(targets, pad_id, ids):
    return targets != pad_id if pad_id else torch.ones_like(targets, dtype=torch.bool)


@mistake(
    "zero-always-padding",
    "The id 0 is left out even where pad_id is None.",
    "Without a pad_id every target is a real token, 0 included.",
    step="real",
)
def zero_is_padding(targets, pad_id, ids):
    return targets != (pad_id or 0)


@mistake(
    "mask-not-shifted",
    "Padding is looked for among the inputs, not among the targets: the mask is one position off.",
    "A pair counts if its target is real: compare `ids[:, 1:]`, not `ids[:, :-1]`, with pad_id.",
    step="real",
)
def real_inputs(targets, pad_id, ids):
    inputs = ids[:, :-1]
    return real_targets(inputs, pad_id, ids)


@mistake(
    "input-must-be-real-too",
    "Pairs whose input is padding are left out as well, and with padding in front so is the first real token.",
    "Only the target decides. Padding in front is followed by a real token, and that token is a target.",
    step="real",
)
def both_real(targets, pad_id, ids):
    return real_targets(targets, pad_id, ids) & real_targets(ids[:, :-1], pad_id, ids)


@mistake(
    "padding-alone",
    "The mask is inverted: only padding counts.",
    "True is for targets that count: `targets != pad_id`.",
    step="real",
)
def only_padding(targets, pad_id, ids):
    return torch.ones_like(targets, dtype=torch.bool) if pad_id is None else targets == pad_id


# ---------------------------------------------------------------- the mean


@mistake(
    "mean-over-padding-too",
    "Padded targets add nothing to the sum, but they still count in the mean: the sum is divided by the number of all "
    "targets.",
    "Divide by the number of targets that count: how do you get it from the mask?",
    step="average",
)
def over_all_targets(losses, real):
    return (losses * real).mean()


@mistake(
    "divided-by-all-ids",
    "The sum was divided by the number of ids, but the first token of each text is nobody's target.",
    "T ids make T - 1 pairs. Count the targets, not the ids.",
    step="average",
)
def over_all_ids(losses, real):
    return losses[real].sum() / (losses.size(0) * (losses.size(1) + 1))


@known.also("divided-by-all-ids", step="average")
def over_all_real_ids(losses, real):
    return losses[real].sum() / (real.sum() + losses.size(0))


@mistake(
    "mean-of-means",
    "A mean was taken for each text, and then the mean of these: tokens of short texts count more than those of long "
    "ones.",
    "Every real target has the same share: one sum over all of them, divided once.",
    step="average",
)
def mean_of_the_texts(losses, real):
    return ((losses * real).sum(1) / real.sum(1)).mean()


@known.also("mean-of-means", step="average")
def mean_of_the_texts_that_are_not_empty(losses, real):
    return ((losses * real).sum(1) / real.sum(1).clamp(min=1)).mean()


@mistake(
    "sum-not-mean",
    "This is a sum over the targets, not a mean: it grows with the length of the texts.",
    "Divide by the number of targets that count.",
    step="average",
)
def summed(losses, real):
    return losses[real].sum()


@known.also("sum-not-mean", step="average")
def summed_along_the_text(losses, real):
    return (losses * real).sum(1).mean()


# ---------------------------------------------------------------- the score of one pair

known(
    "no-minus",
    means="The sign is missing: the mean of log p is negative, and training would make it as low as possible.",
    hint="The loss is the mean of -log p.",
    explain=compared,
)
known.also("no-minus", sign=-1)


@mistake(
    "softmax-twice",
    "A softmax was applied before `F.cross_entropy`, which applies one itself: the loss then hardly depends on the "
    "logits.",
    "`F.cross_entropy` wants the logits as they are.",
    step="score",
)
def cross_entropy_of_probabilities(predictions, targets):
    return cross_entropy(predictions.softmax(-1), targets)


def nll(logs, targets):
    return -logs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)


@mistake(
    "no-logarithm",
    "What was averaged are the probabilities of the targets (p, -p or 1 - p), and not their logarithms.",
    "The loss at a position is -log p. `log_softmax` gives log p, which is also what `F.nll_loss` takes.",
    step="score",
)
def probabilities(predictions, targets):
    return nll(predictions.softmax(-1), targets)


@known.also("no-logarithm", step="score")
def one_minus_probabilities(predictions, targets):
    return 1 + nll(predictions.softmax(-1), targets)


known.also("no-logarithm", score=probabilities, sign=-1)


@mistake(
    "no-softmax",
    "The logits themselves were averaged: there is no softmax.",
    "The loss is -log p, and p comes from a softmax over the vocabulary.",
    step="score",
)
def raw_logits(predictions, targets):
    return nll(predictions, targets)


known.also("no-softmax", score=raw_logits, sign=-1)


def over_axis(dim):
    def score(predictions, targets):
        return nll(predictions.log_softmax(dim), targets)

    return score


@mistake(
    "softmax-over-positions",
    "The softmax runs over the positions or over the batch, not over the vocabulary.",
    "The probabilities of all tokens at one position sum to 1: the vocabulary is the last axis.",
    step="score",
)
def over_positions(predictions, targets):
    return nll(predictions.log_softmax(1), targets)


known.also("softmax-over-positions", score=over_axis(0))


@known.also("softmax-over-positions", step="score")
def over_positions_before_the_cut(predictions, targets):
    return nll(predictions.flatten(0, 1).log_softmax(0).reshape(predictions.shape), targets)


@mistake(
    "log-of-a-rounded-softmax",
    "exp was taken of the logits as they are, or a probability was formed before its logarithm: where logits are "
    "large, exp overflows or a probability is rounded to 0, and the loss is not finite.",
    "`log_softmax` and `F.cross_entropy` calculate log p without forming p.",
    step="score",
)
def log_of_softmax(predictions, targets):
    return nll(predictions.softmax(-1).log(), targets)


@known.also("log-of-a-rounded-softmax", step="score")
def log_of_exponentials(predictions, targets):
    return nll((predictions.exp() / predictions.exp().sum(-1, keepdim=True)).log(), targets)


@known.also("log-of-a-rounded-softmax", step="score")
def logsumexp_by_hand(predictions, targets):
    return predictions.exp().sum(-1).log() + nll(predictions, targets)


@known.also("log-of-a-rounded-softmax", step="score")
def exponentials_of_the_largest_logit_of_all(predictions, targets):
    return log_of_exponentials(predictions - predictions.max(), targets)


@mistake(
    "probability-cut-off",
    "The probability was kept from being 0, by a small number that is added or put in its place, before the logarithm: "
    "the loss is finite, but where logits are large "
    "it is no longer the cross-entropy, and hardly any gradient is left there.",
    "`log_softmax` and `F.cross_entropy` need no such help: they calculate log p without forming p.",
    step="score",
)
def log_with_an_epsilon(predictions, targets):
    return nll((predictions.softmax(-1) + 1e-9).log(), targets)


def add_cut_off(epsilon):
    @known.also("probability-cut-off", step="score")
    def added(predictions, targets):
        return nll((predictions.softmax(-1) + epsilon).log(), targets)


for epsilon in (1e-8, 1e-10, 1e-12):
    add_cut_off(epsilon)


# ---------------------------------------------------------------- what is returned


@known(
    "perplexity",
    means="This is the perplexity, the exponential of the mean; the loss is the mean itself.",
    hint="Leave out the last step.",
    explain=compared,
    step="average",
)
def exponential_of_the_mean(losses, real):
    return losses[real].mean().exp()


@mistake(
    "in-bits",
    "The logarithm has base 2, so the loss is in bits; here it is in nats, with the natural logarithm.",
    "`torch.log` is the natural logarithm, and `log_softmax` uses it too.",
    step="average",
)
def in_base_two(losses, real):
    return losses[real].mean() / 0.6931471805599453


@known(
    "one-loss-for-each-target",
    means="There is one number for each target, or each text; one number for all is asked for.",
    hint="End with the mean over all targets that count.",
    step="average",
)
def not_averaged(losses, real):
    return losses


@known.also("one-loss-for-each-target", step="average")
def one_for_each_text(losses, real):
    return (losses * real).sum(1) / real.sum(1)


@known.also("one-loss-for-each-target", step="average")
def zero_for_padding(losses, real):
    return (losses * real).flatten()


@known(
    "pad-id-needed",
    means="Without a pad_id the code stops: pad_id may be None, and then every target counts.",
    hint="The default of `ignore_index` is -100, the id of no token. Which one do you want where pad_id is None?",
    step="real",
)
def none_as_ignore_index(targets, pad_id, ids):
    F.cross_entropy(torch.zeros(1, 2), torch.zeros(1, dtype=torch.long), ignore_index=pad_id)
    return targets != pad_id
