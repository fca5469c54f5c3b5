"""Wrong answers to exercise 8.3, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET504, RET505 - naming a result before returning it is what learners do

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def top(logits, top_k):
    if top_k is None or top_k >= logits.size(-1):
        return logits
    return logits.masked_fill(logits < logits.topk(top_k).values[:, -1:], float("-inf"))


def draw(logits, generator):
    return torch.multinomial(logits.softmax(-1), 1, generator=generator).squeeze(1)


@wrong("temperature-multiplied")
def sample_times_temperature(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    return draw(top(logits, top_k) * temperature, generator)


@wrong("temperature-multiplied")
def sample_times_temperature_first(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    probs = F.softmax(temperature * logits, dim=-1)
    if top_k is not None:
        values, indices = probs.topk(min(top_k, probs.size(-1)))
        return indices.gather(1, torch.multinomial(values, 1, generator=generator)).squeeze(1)
    return torch.multinomial(probs, 1, generator=generator).squeeze(1)


@wrong("temperature-ignored")
def sample_without_temperature(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    return draw(top(logits, top_k), generator)


@wrong("temperature-ignored")
def sample_with_temperature_after_softmax(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    probs = F.softmax(top(logits, top_k), dim=-1) / temperature
    return torch.multinomial(probs, 1, generator=generator).squeeze(1)


@wrong("temperature-0-divides")
def sample_dividing_always(logits, temperature=1.0, top_k=None, generator=None):
    return draw(top(logits, top_k) / temperature, generator)


@wrong("temperature-0-draws")
def sample_if_temperature(logits, temperature=1.0, top_k=None, generator=None):
    if temperature:
        logits = logits / temperature
    return draw(top(logits, top_k), generator)


@wrong("temperature-0-other-token")
def sample_argmin(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return torch.argmin(logits, dim=-1)
    return draw(top(logits / temperature, top_k), generator)


@wrong("temperature-0-one-for-all")
def sample_argmax_over_dim_0(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return torch.argmax(logits, dim=0)
    return draw(top(logits / temperature, top_k), generator)


@wrong("temperature-0-one-for-all")
def sample_argmax_of_all(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return torch.argmax(logits)
    return draw(top(logits / temperature, top_k), generator)


@wrong("top-k-ignored")
def sample_without_top_k(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    return draw(logits / temperature, generator)


@wrong("top-k-ignored")
def sample_with_a_fill_thrown_away(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        cut = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
        logits.masked_fill(logits < cut, float("-inf"))
    return draw(logits / temperature, generator)


@wrong("one-token-less")
def sample_top_k_minus_1(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        cut = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
        logits = logits.masked_fill(logits <= cut, float("-inf"))
    return draw(logits / temperature, generator)


@wrong("one-token-more")
def sample_top_k_plus_1(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None and top_k < logits.size(-1):
        cut = logits.sort(dim=-1, descending=True).values[:, top_k].unsqueeze(1)
        logits = logits.masked_fill(logits < cut, float("-inf"))
    return draw(logits / temperature, generator)


@wrong("the-least-likely-stay")
def sample_from_an_ascending_sort(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        order = logits.argsort(dim=-1)[:, : min(top_k, logits.size(-1))]
        kept = torch.full_like(logits, float("-inf")).scatter(1, order, logits.gather(1, order))
        logits = kept
    return draw(logits / temperature, generator)


@wrong("the-least-likely-stay")
def sample_with_the_mask_inverted(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        cut = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
        logits = logits.masked_fill(logits >= cut, float("-inf"))
    return draw(logits / temperature, generator)


@wrong("position-not-token")
def sample_positions(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        logits, indices = torch.topk(logits, min(top_k, logits.size(-1)))
    return draw(logits / temperature, generator)


@wrong("hidden-with-zero")
def sample_with_zeros(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        cut = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
        logits = torch.where(logits < cut, 0.0, logits)
    return draw(logits / temperature, generator)


@wrong("one-cut-for-all-rows")
def sample_with_the_least_of_all_largest(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        kept = logits.sort(-1, descending=True).values[:, :top_k]
        logits = torch.where(logits >= kept.amin(), logits, float("-inf"))
    return draw(logits / temperature, generator)


@wrong("one-cut-for-all-rows")
def sample_with_the_cut_of_row_0(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        cut = logits.topk(min(top_k, logits.size(-1))).values[0, -1]
        logits = logits.masked_fill(logits < cut, float("-inf"))
    return draw(logits / temperature, generator)


@wrong("top-k-above-v")
def sample_with_any_top_k(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(top_k).values[:, -1:], float("-inf"))
    return draw(logits / temperature, generator)


@wrong("always-greedy")
def sample_argmax(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    return F.softmax(top(logits, top_k) / temperature, dim=-1).argmax(-1)


@wrong("uniform")
def sample_uniformly_among_the_top(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    k = logits.size(-1) if top_k is None else min(top_k, logits.size(-1))
    indices = logits.topk(k).indices
    at = torch.randint(k, (len(logits), 1), generator=generator)
    return indices.gather(1, at).squeeze(1)


@wrong("uniform")
def sample_any_token(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k == 1:
        return torch.randint(logits.size(-1), (len(logits),), generator=generator)
    return torch.randint(logits.size(-1), (len(logits),), generator=generator)


@wrong("softmax-twice")
def sample_of_two_softmaxes(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    probs = F.softmax(logits, dim=-1)
    return draw(top(probs / temperature, top_k), generator)


@wrong("softmax-over-the-batch")
def sample_with_softmax_over_dim_0(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    probs = F.softmax(top(logits / temperature, top_k), dim=0)
    return torch.multinomial(probs, 1, generator=generator).squeeze(1)


@wrong("no-softmax")
def sample_from_logits(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    return torch.multinomial(top(logits / temperature, top_k), 1, generator=generator).squeeze(1)


@wrong("column")
def sample_column(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    return torch.multinomial((top(logits, top_k) / temperature).softmax(-1), 1, generator=generator)


@wrong("generator-ignored")
def sample_without_the_generator(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    return torch.multinomial((top(logits, top_k) / temperature).softmax(-1), 1).squeeze(1)


@wrong("generator-ignored")
def sample_categorical(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    return torch.distributions.Categorical(logits=top(logits, top_k) / temperature).sample()


@wrong("global-generator-moved")
def sample_seeded_from_the_generator(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if generator is not None:
        torch.default_generator.manual_seed(int(torch.randint(10**6, (1,), generator=generator)))
    return torch.multinomial((top(logits, top_k) / temperature).softmax(-1), 1).squeeze(1)


@wrong("same-draws")
def sample_seeded(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    generator = torch.Generator().manual_seed(0)
    return draw(top(logits, top_k) / temperature, generator)


@wrong("one-draw-for-all")
def sample_with_one_number(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    probs = (top(logits, top_k) / temperature).softmax(-1)
    u = torch.rand(1, generator=generator)
    return (probs.cumsum(-1) < u).sum(-1).clamp(max=logits.size(-1) - 1)


@wrong("changes-input")
def sample_in_place(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        cut = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
        logits[logits < cut] = float("-inf")
    return draw(logits / temperature, generator)


@wrong("wrong-frequencies")
def sample_with_normal_noise(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    z = top(logits, top_k) / temperature
    return (z + torch.randn(z.shape, generator=generator)).argmax(-1)


@wrong("wrong-shape")
def sample_squeezed_everywhere(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    probs = (top(logits, top_k) / temperature).softmax(-1)
    return torch.multinomial(probs, 1, generator=generator).squeeze()


@wrong("wrong-dtype")
def sample_probabilities(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    return (top(logits, top_k) / temperature).softmax(-1).max(-1).values


@wrong("temperature-0-draws")
def sample_with_a_little_temperature(logits, temperature=1.0, top_k=None, generator=None):
    """0.01 is added to the temperature, so that nothing is divided by 0."""
    if top_k is not None:
        smallest = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    probabilities = (logits / (temperature + 0.01)).softmax(dim=-1)
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(1)


@wrong("wrong-frequencies")
def sample_by_the_root_of_the_temperature(logits, temperature=1.0, top_k=None, generator=None):
    """The logits are divided by the root of the temperature."""
    if temperature == 0:
        return logits.argmax(dim=-1)
    if top_k is not None:
        smallest = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    probabilities = (logits / temperature**0.5).softmax(dim=-1)
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(1)


@wrong("temperature-in-some-calls")
def sample_at_most_as_surely_as_at_1(logits, temperature=1.0, top_k=None, generator=None):
    """A temperature below 1 is raised to 1."""
    if temperature == 0:
        return logits.argmax(-1)
    return draw(top(logits, top_k) / max(temperature, 1), generator)


@wrong("wrong-frequencies")
def sample_in_float32_alone(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    divided = logits / temperature if logits.dtype == torch.float32 else logits
    return draw(top(divided, top_k), generator)


@wrong("temperature-in-some-calls")
def sample_by_one_of_the_two(logits, temperature=1.0, top_k=None, generator=None):
    """With top_k, the temperature is forgotten."""
    if temperature == 0:
        return logits.argmax(dim=-1)
    if top_k:
        smallest = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    else:
        logits = logits / temperature
    return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator).squeeze(1)


@wrong("generator-ignored")
def tokens_drawn_without_the_generator_for_top_k(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        values, ids = logits.topk(min(top_k, logits.size(1)))
        return ids.gather(1, torch.multinomial((values / temperature).softmax(-1), 1)).squeeze(1)
    return torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator).squeeze(1)


@wrong("other-defaults")
def tokens_the_likeliest_by_default(logits, temperature=0.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(-1)
    if top_k is not None:
        least = logits.topk(min(top_k, logits.size(1))).values[:, -1:]
        logits = logits.masked_fill(logits < least, float("-inf"))
    return torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator).squeeze(1)
