"""What people get wrong in exercise 8.3, sample.

An answer divides by the temperature, cuts after top_k, and draws; at temperature 0 it takes the largest logit.
"""

import torch

from exercises.e8_3_sample.draws import told
from feedback import Misconceptions


def divide(logits, temperature):
    """The right step `scale`."""
    return logits / temperature


def keep_the_largest(logits, top_k):
    """The right step `cut`: -inf outside the top_k largest logits."""
    smallest = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
    return logits.masked_fill(logits < smallest, float("-inf"))


def softmax(z):
    """The right step `weigh`."""
    return z.softmax(dim=-1)


def one_each(probabilities, generator):
    """The right step `draw`."""
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(1)


def the_largest(logits, generator):
    """The right step `greedy`: what temperature 0 gives."""
    return logits.argmax(dim=-1)


def assemble(scale=divide, cut=keep_the_largest, weigh=softmax, draw=one_each, greedy=the_largest):
    def sample(logits, temperature=1.0, top_k=None, generator=None):
        if temperature == 0 and greedy:
            return greedy(logits, generator)
        z = scale(logits, temperature)
        z = z if top_k is None else cut(z, top_k)
        return draw(weigh(z), generator)

    return sample


known = Misconceptions(assemble)


def mistake(id, means, hint, step=None):
    return known(id, means=means, hint=hint, explain=told, step=step)


# ---------------------------------------------------------------- temperature


@mistake(
    "temperature-multiplied",
    "The logits were multiplied by the temperature: a high one makes the choice safer, and a low one wilder.",
    "At a high temperature differences should matter less. Which operation makes all logits more alike?",
    step="scale",
)
def multiply(logits, temperature):
    return logits * temperature


@mistake(
    "temperature-ignored",
    "The tokens are drawn as if the temperature were 1.",
    "Divide the logits by it, before the softmax. (Probabilities that are all divided by the same number are still in "
    "the same proportion.)",
    step="scale",
)
def as_they_are(logits, temperature):
    return logits


known(
    "temperature-in-some-calls",
    means="In some calls the temperature acts as it should; in others the tokens are drawn as if it were 1.",
    hint="What decides in your code whether the logits are divided: the size of the temperature, top_k, the generator? "
    "Every temperature but 0 is divided by, in every call.",
    explain=told,
)


def add_call(ignores):
    """The tokens are drawn at temperature 1 in the calls for which `ignores(logits, temperature, top_k, generator)`."""

    @known.also("temperature-in-some-calls")
    def now_and_then(logits, temperature=1.0, top_k=None, generator=None):
        at = 1.0 if temperature and ignores(logits, temperature, top_k, generator) else temperature
        return assemble()(logits, at, top_k, generator)


for ignores in (
    lambda logits, temperature, top_k, generator: temperature < 1,
    lambda logits, temperature, top_k, generator: temperature > 1,
    lambda logits, temperature, top_k, generator: top_k is None,
    lambda logits, temperature, top_k, generator: top_k is not None,
    lambda logits, temperature, top_k, generator: generator is None,
    lambda logits, temperature, top_k, generator: generator is not None,
):
    add_call(ignores)


@mistake(
    "temperature-0-divides",
    "At temperature 0 the logits are divided by 0; what comes of it is no distribution.",
    "Temperature 0 means greedy: no division, and nothing to draw. Ask for it first.",
)
def no_exception_for_0(logits, temperature=1.0, top_k=None, generator=None):
    return assemble(greedy=None)(logits, temperature, top_k, generator)


def draw_at_1(logits, generator):
    return one_each(logits.softmax(-1), generator)


@mistake(
    "temperature-0-draws",
    "At temperature 0 your code still draws; it should take the most likely token of each row. (0 counts as False: `if "
    "temperature` is not true for it.)",
    "Temperature 0 means greedy: `if temperature == 0`, return the position of the largest logit.",
    step="greedy",
)
def without_a_temperature(logits, generator):
    return draw_at_1(logits, generator)


@mistake(
    "temperature-0-other-token",
    "At temperature 0 your code does not take the most likely token.",
    "Greedy is the position of the largest logit of each row: `logits.argmax(dim=-1)`.",
    step="greedy",
)
def the_smallest(logits, generator):
    return logits.argmin(dim=-1)


@known.also("temperature-0-other-token", step="greedy")
def always_the_first(logits, generator):
    return logits.argmax(dim=-1) * 0


@mistake(
    "temperature-0-one-for-all",
    "At temperature 0 the maximum runs over the whole batch or over its rows, not along the vocabulary.",
    "Each row has its own most likely token: `argmax(dim=-1)`.",
    step="greedy",
)
def along_the_batch(logits, generator):
    return logits.argmax(dim=0)


@known.also("temperature-0-one-for-all", step="greedy")
def over_the_whole_batch(logits, generator):
    return logits.argmax()


# ---------------------------------------------------------------- top_k


@mistake(
    "top-k-ignored",
    "Tokens outside the top_k most likely ones are drawn too: top_k has no effect, or not enough.",
    "Which logits may stay? Fill the others with -inf, and use the result of the filling.",
    step="cut",
)
def all_stay(logits, top_k):
    return logits


@mistake(
    "one-token-less",
    "Only top_k - 1 tokens can be drawn: the smallest of the top_k logits is hidden too.",
    "A logit that is equal to the smallest of the top_k must stay: `<`, not `<=`. Or is the index one off?",
    step="cut",
)
def smallest_hidden_too(logits, top_k):
    smallest = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
    return logits.masked_fill(logits <= smallest, float("-inf"))


@known.also("one-token-less", step="cut")
def smallest_hidden_but_one_stays(logits, top_k):
    return keep_the_largest(logits, max(top_k - 1, 1))


@mistake(
    "one-token-more",
    "top_k + 1 tokens can be drawn.",
    "Sorted from the largest down, the top_k largest have the indices 0 to top_k - 1. Which one is your threshold?",
    step="cut",
)
def one_more_stays(logits, top_k):
    return keep_the_largest(logits, top_k + 1)


@known.also("one-token-more", step="cut")
def one_more_or_out_of_range(logits, top_k):
    smallest = logits.sort(descending=True).values[:, top_k : top_k + 1]
    return logits.masked_fill(logits < smallest, float("-inf"))


@known.also("one-token-more", step="cut")
def one_more_or_an_error(logits, top_k):
    smallest = logits.sort(descending=True).values[:, top_k]
    return logits.masked_fill(logits < smallest[:, None], float("-inf"))


@mistake(
    "the-least-likely-stay",
    "The wrong tokens are hidden: the least likely ones can be drawn, the most likely ones cannot.",
    "Which end do you keep, and what does True mean in your mask? `topk` gives the largest, `sort` begins with the "
    "smallest.",
    step="cut",
)
def smallest_stay(logits, top_k):
    return -keep_the_largest(-logits, top_k).masked_fill(
        keep_the_largest(-logits, top_k) == -float("inf"), float("inf")
    )


@known.also("the-least-likely-stay", step="cut")
def others_stay(logits, top_k):
    kept = keep_the_largest(logits, top_k) > -float("inf")
    return logits.masked_fill(kept, float("-inf"))


@mistake(
    "position-not-token",
    "You return positions among the top_k: 0 is the most likely token, whatever its id.",
    "`topk` returns values and indices. The draw gives a position; which id is at that position of the indices?",
)
def position_in_top_k(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        logits = logits.topk(min(top_k, logits.size(-1))).values
    return one_each((logits / temperature).softmax(-1), generator)


@mistake(
    "hidden-with-zero",
    "Logits outside the top_k became 0, which is a logit like any other: such tokens can still be drawn.",
    "Which logit has the probability 0?",
    step="cut",
)
def filled_with_zero(logits, top_k):
    return keep_the_largest(logits, top_k).nan_to_num(neginf=0.0)


@mistake(
    "one-cut-for-all-rows",
    "All rows are cut at the same logit; each row has its own top_k.",
    "The threshold has the shape (B, 1): one for each row. Which line takes one number out of the whole batch?",
    step="cut",
)
def cut_of_the_first_row(logits, top_k):
    smallest = logits[0].topk(min(top_k, logits.size(-1))).values[-1]
    return logits.masked_fill(logits < smallest, float("-inf"))


@known.also("one-cut-for-all-rows", step="cut")
def lowest_cut_of_all(logits, top_k):
    return logits.masked_fill(logits < logits.topk(min(top_k, logits.size(-1))).values.min(), float("-inf"))


@mistake(
    "top-k-above-v",
    "A top_k above the number of tokens stops the code; it should mean all of them.",
    "There are V tokens to choose from: `min(top_k, logits.size(-1))`.",
    step="cut",
)
def as_many_as_asked(logits, top_k):
    smallest = logits.topk(top_k).values[:, -1:]
    return logits.masked_fill(logits < smallest, float("-inf"))


@known.also("top-k-above-v", step="cut")
def looked_up_after_sorting(logits, top_k):
    smallest = logits.sort(descending=True).values[:, top_k - 1]
    return logits.masked_fill(logits < smallest[:, None], float("-inf"))


# ---------------------------------------------------------------- the draw


@mistake(
    "always-greedy",
    "Nothing is drawn: your code always takes the most likely token.",
    "At temperature 1 a token with the probability 0.3 should come in 3 of 10 draws: `torch.multinomial` does that.",
    step="draw",
)
def argmax_of_all(probabilities, generator):
    return probabilities.argmax(-1)


@mistake(
    "uniform",
    "Every token that may be drawn is equally likely: the probabilities are not used.",
    "`torch.multinomial` draws with the probabilities that it is given; `torch.randint` knows none.",
    step="draw",
)
def all_alike(probabilities, generator):
    return one_each((probabilities > 0).double(), generator)


@known.also("uniform", step="draw")
def all_of_the_vocabulary_alike(probabilities, generator):
    return one_each(torch.ones_like(probabilities), generator)


@mistake(
    "softmax-twice",
    "There are two softmaxes, one on top of the other; the second makes all probabilities more alike.",
    "What comes out of the first softmax are the probabilities already.",
    step="weigh",
)
def two_softmaxes(z):
    return z.softmax(-1).softmax(-1)


@known.also("softmax-twice")
def temperature_between_two_softmaxes(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    return assemble()(logits.softmax(-1), temperature, top_k, generator)


@mistake(
    "softmax-over-the-batch",
    "The softmax runs over the rows of the batch, not along the vocabulary.",
    "The probabilities of all tokens in one row sum to 1: `dim=-1`.",
    step="weigh",
)
def over_rows(z):
    return z.softmax(dim=0)


@mistake(
    "no-softmax",
    "The logits themselves were taken for probabilities; they may be negative, and do not sum to 1.",
    "A softmax turns logits into probabilities.",
    step="weigh",
)
def logits_as_probabilities(z):
    return z


@known(
    "column",
    means="The ids came as a column, (B, 1); (B,) is asked for.",
    hint="`torch.multinomial(probabilities, 1)` draws one id for each row, and keeps an axis for it. Which method "
    "removes an axis of size 1?",
    step="draw",
)
def not_squeezed(probabilities, generator):
    return torch.multinomial(probabilities, 1, generator=generator)
