"""What people get wrong in dropout itself, whatever it is applied to: wrong steps `drop(x, p, generator=None)`."""

import torch

from exercises.common.dropout.steps import dropout, keep
from feedback import Misconceptions


def dropout_mistakes(explainer):
    """The catalog, in words for one exercise: `explainer` is its DropoutExplainer."""
    known = Misconceptions()
    add_wrong_scales(known, explainer)
    add_wrong_shares(known, explainer)
    add_wrong_draws(known, explainer)
    add_counted_shares(known, explainer)
    return known


def add_wrong_scales(known, explainer):
    """The right numbers became 0, and what was kept has another size."""
    numbers, p_name = explainer.noun, explainer.p_name

    @known(
        "not-scaled",
        means=f"The right share of the {numbers} became 0, but those kept were not divided by 1 - {p_name}: on "
        "average the result is too small.",
        hint=f"A share of 1 - {p_name} is left. What must each of them be divided by, so that on average the sum "
        "stays what it was?",
        explain=explainer.averaged,
        step="drop",
    )
    def not_scaled(x, p, generator=None):
        return x * keep(x, p, generator)

    @known(
        "times-one-minus-p",
        means=f"What was kept was multiplied by 1 - {p_name} instead of divided by it.",
        hint="Some numbers are lost; those left must become larger to make up for it.",
        explain=explainer.averaged,
        step="drop",
    )
    def times_the_share_kept(x, p, generator=None):
        return x * keep(x, p, generator) * (1 - p)

    @known(
        "divided-by-p",
        means=f"What was kept was divided by {p_name} instead of 1 - {p_name}.",
        hint=f"{p_name} is the share that is lost; what is left is a share of 1 - {p_name}. (For {p_name} = 0.5 the "
        "two are the same.)",
        explain=explainer.averaged,
        step="drop",
    )
    def divided_by_p(x, p, generator=None):
        return x * keep(x, p, generator) / p

    @known.also("divided-by-p", step="drop")
    def divided_by_p_unless_it_is_0(x, p, generator=None):
        return x * keep(x, p, generator) / p if p else x.clone()


def add_wrong_shares(known, explainer):
    """p is taken for the share that stays."""
    p_name = explainer.p_name

    @known(
        "share-turned-around",
        means=f"The wrong numbers were kept: a share of 1 - {p_name} became 0, and a share of {p_name} stayed.",
        hint=f"{p_name} is the probability of becoming 0. Which of your numbers should stay?",
        explain=explainer.counted,
        step="drop",
    )
    def kept_below_p(x, p, generator=None):
        return x * ~keep(x, p, generator) / (1 - p)

    @known.also("share-turned-around", step="drop")
    def kept_below_p_not_scaled(x, p, generator=None):
        return x * ~keep(x, p, generator)

    @known(
        "p-kept",
        means=f"{p_name} was read as the probability of staying: a share of {p_name} was kept, and "
        f"divided by {p_name}.",
        hint=f"In PyTorch, dropout is given the probability of becoming 0: a share of 1 - {p_name} stays.",
        explain=explainer.counted,
        step="drop",
    )
    def kept_with_probability_p(x, p, generator=None):
        return x * ~keep(x, p, generator) / p

    @known.also("p-kept", step="drop")
    def kept_with_probability_p_unless_it_is_0(x, p, generator=None):
        return x * ~keep(x, p, generator) / p if p else x * 0


def add_wrong_draws(known, explainer):
    """Other numbers are drawn, or more of them, or none."""
    numbers, p_name = explainer.noun, explainer.p_name

    @known(
        "dropped-twice",
        means=f"Dropout was applied twice, with two draws: more {numbers} became 0 than {p_name} says, and the rest "
        "was scaled twice.",
        hint="One draw, one mask, one division.",
        explain=explainer.counted,
        step="drop",
    )
    def dropped_twice(x, p, generator=None):
        return dropout(dropout(x, p, generator), p, generator)

    @known(
        "normal-not-uniform",
        means=f"As many numbers became 0 as normal numbers lie below {p_name}, as if randn had been used.",
        hint=f"torch.rand draws uniformly from 0 to 1, so a share of {p_name} lies below {p_name}. randn does not.",
        explain=explainer.counted,
        step="drop",
    )
    def compared_normal_numbers(x, p, generator=None):
        return x * (torch.randn(x.shape, generator=generator) >= p) / (1 - p)

    @known.also("normal-not-uniform", step="drop")
    def compared_normal_numbers_not_scaled(x, p, generator=None):
        return x * (torch.randn(x.shape, generator=generator) >= p)

    @known(
        "always-half",
        means=f"Half of the {numbers} became 0, whatever {p_name} is.",
        hint=f"Where does {p_name} enter your draw? (F.dropout drops half unless p is given, and so do "
        "torch.randint(0, 2, ...) and a rounded torch.rand.)",
        explain=explainer.counted,
        step="drop",
    )
    def a_coin(x, p, generator=None):
        return x * keep(x, 0.5, generator)

    @known.also("always-half", step="drop")
    def a_coin_divided_by_the_share_asked_for(x, p, generator=None):
        return a_coin(x, p, generator) / (1 - p)

    @known.also("always-half", step="drop")
    def a_coin_times_2(x, p, generator=None):
        return a_coin(x, p, generator) * 2

    @known(
        "only-with-a-generator",
        means="Without a generator nothing was dropped.",
        hint="`generator=None` asks for torch's global generator, and `torch.rand(shape, generator=None)` draws "
        "with it: no special case is needed.",
        explain=explainer.counted,
        step="drop",
    )
    def untouched_without_a_generator(x, p, generator=None):
        return x.clone() if generator is None else dropout(x, p, generator)


def add_counted_shares(known, explainer):
    """What was kept is divided by a share that was counted, or by a sum."""
    p_name = explainer.p_name

    @known(
        "counted-share",
        means=f"What was kept was divided by the share that happened to stay, not by 1 - {p_name}.",
        hint=f"Each number should keep its expectation whatever happens to the others. 1 - {p_name} is known before "
        "drawing.",
        explain=explainer.scaled,
        step="drop",
    )
    def divided_by_the_share_that_stayed(x, p, generator=None):
        kept = keep(x, p, generator).to(x.dtype)
        return x * kept / kept.mean()

    @known.also("counted-share", step="drop")
    def each_row_divided_by_the_share_that_stayed(x, p, generator=None):
        kept = keep(x, p, generator).to(x.dtype)
        return x * kept / kept.mean(-1, keepdim=True)

    @known(
        "renormalized",
        means="Each row was made to sum to 1 again after dropout.",
        hint=f"Divide by 1 - {p_name} and by nothing else: a row may then sum to more or less than before, and on "
        "average it sums to the same.",
        explain=explainer.scaled,
        step="drop",
    )
    def rows_made_to_sum_to_1(x, p, generator=None):
        dropped = x * keep(x, p, generator)
        return dropped / dropped.sum(-1, keepdim=True)

    @known.also("renormalized", step="drop")
    def rows_made_to_sum_to_1_unless_empty(x, p, generator=None):
        dropped = x * keep(x, p, generator)
        return dropped / (dropped.sum(-1, keepdim=True) + 1e-9)


def include_mistakes_of_a_layer(known, dropouts):
    """Let a module whose dropout is a layer, nn.Dropout, have these mistakes, in words that fit a layer."""
    known.include(
        dropouts,
        "dropped-twice",
        "share-turned-around",
        "p-kept",
        "always-half",
        "not-scaled",
        "renormalized",
        means={
            "p-kept": "A share of 1 - dropout of the weights became 0, and a share of dropout stayed.",
            "renormalized": "The weights that were left after dropout were made to sum to 1 again (or dropout came "
            "before the softmax, as a score of -inf).",
        },
        hints={
            "dropped-twice": "How many times does your code drop? `nn.Dropout` alone is enough.",
            "p-kept": "`nn.Dropout(p)` takes the probability of becoming 0: pass dropout to it as it is.",
            "always-half": "Which p is your dropout given? Without one, `nn.Dropout()` and `F.dropout` drop half.",
            "not-scaled": "`nn.Dropout` does both, and nothing in evaluation.",
            "renormalized": "Mask and softmax first, dropout last: then a row may sum to more or less than 1, and to 1 "
            "on average.",
        },
    )
