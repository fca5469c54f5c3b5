"""A small language model at work: the words that it expects next, and what each of its heads reads."""

import copy

import torch
import traitlets

import figures
from explorers import given
from explorers.base import Explorer
from helpers.decoder import Decoder

MOST_PARAMETERS, MOST_HEADS, MOST_WORDS = 500_000, 32, 10_000
MOST_BARS = 5


def next_token(model, words, ids):
    """See what a decoder expects next: type words or click them, change the temperature, silence a head.

    The model runs in the browser, with its parameters rounded to float16. The first token, for instance the <start>
    of a story, always stays; the reader can change all others.

    Shapes: model, a helpers.decoder.Decoder, up to 32 heads and 500,000 parameters; words, one for each of its V ids,
            all different; ids (T,), the beginning of the text, 1 <= T <= context_length
    Errors: TypeError if model is no Decoder, words are not strings or ids not whole numbers; ValueError if they do not
            match, the model is too large, or a parameter does not fit float16
    Source: notebook 08
    """
    _require_model(model)
    words = _words(words, model.config.vocab_size)
    return NextTokenExplorer(model, words, _ids(ids, model.config))


class NextTokenExplorer(Explorer):
    """The view of one model and one beginning, which have been checked."""

    script = "next_token.js"
    sizes = traitlets.Dict().tag(sync=True)
    parameters = traitlets.Bytes().tag(sync=True)  # float16, little-endian, in the order of Decoder.parameters()
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    ids = traitlets.List(traitlets.Int()).tag(sync=True)

    head = traitlets.Int().tag(sync=True)  # the head that is chosen when the view opens, counted over all layers

    def __init__(self, model, words, ids):
        self._model = _rounded(model).double()  # so that the picture is the same on every machine
        head = _reads_guess(self._model, ids)
        super().__init__(sizes=_sizes(model.config), parameters=_sent(model), words=words, ids=ids, head=head)

    @torch.no_grad()
    def picture(self):
        """The view as it opens: what one head reads at the last word, and the next words."""
        logits, weights = self._model.look(torch.tensor([self.ids]))
        probabilities = logits[0, -1].softmax(-1)  # (V,)
        most = probabilities.topk(min(MOST_BARS, len(self.words)))
        guesses = [self.words[i] for i in most.indices.tolist()]
        text = [self.words[id] for id in self.ids]
        title = f"The most likely words after “{text[-1]}”"
        drawn = figures.bars({"": most.values}, guesses, "probability", title)
        layer, head = divmod(self.head, self.sizes["heads"])
        read = weights[layer][0, head, -1]  # (T,)
        j = int(read.argmax())
        caption = (
            f"Layer {layer}, head {head} reads “{text[j]}” (position {j}) most: {float(read[j]):.2f}. "
            f"The model expects “{guesses[0]}” with {most.values[0]:.2f}."
        )
        return figures.Picture(drawn.svg, f"{title}. The text: {' '.join(text)}. {caption}", caption)


@torch.no_grad()
def _reads_guess(model, ids):
    """The head that gives the most weight to earlier occurrences of the word that the model expects next.

    Shapes: ids (T,) -> a number from 0 to L * H - 1
    """
    logits, weights = model.look(torch.tensor([ids]))
    heads = torch.cat([layer[0, :, -1] for layer in weights])  # (L * H, T): what each reads at the last word
    same = torch.tensor(ids) == logits[0, -1].argmax()  # (T,)
    return int((heads * same).sum(-1).argmax())


def _sizes(config):
    return {
        "vocabulary": config.vocab_size,
        "positions": config.context_length,
        "width": config.d_model,
        "heads": config.num_heads,
        "layers": config.num_layers,
        "inner": config.d_ff,
    }


def _sent(model):
    """The parameters as bytes, in float16, which halves the size; the course's models are stored in it, too.

    Errors: ValueError if a parameter is NaN, infinite or beyond float16
    """
    numbers = torch.cat([given.numbers("parameters", part).flatten() for part in model.parameters()]).half()
    if not numbers.isfinite().all():
        raise ValueError(
            f"the model's parameters must fit float16, got {int((~numbers.isfinite()).sum())} that are NaN, infinite "
            "or beyond ±65,504; look for the step of the training that made them"
        )
    return numbers.numpy().astype("<f2").tobytes()


def _rounded(model):
    """A copy of the model as it runs in the browser: without dropout, with parameters rounded to float16."""
    model = copy.deepcopy(model).cpu().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half())
    return model


# ---------------------------------------------------------------- arguments


def _require_model(model):
    if not isinstance(model, Decoder):
        raise TypeError(
            f"model must be a Decoder, got {type(model).__name__}; pass a helpers.decoder.Decoder, "
            "for instance story_model.load()"
        )
    config, count = model.config, sum(part.numel() for part in model.parameters())
    if count > MOST_PARAMETERS:
        raise ValueError(
            f"model must have at most {MOST_PARAMETERS:,} parameters, got {count:,}; the browser computes it again "
            "for every word, so pass a smaller one"
        )
    if config.num_layers * config.num_heads > MOST_HEADS:
        raise ValueError(
            f"model must have at most {MOST_HEADS} heads, got {config.num_layers} layers of {config.num_heads}; "
            "pass a smaller one"
        )


def _words(words, count):
    words = given.words("words", words, MOST_WORDS)
    if len(words) != count:
        raise ValueError(
            f"words must be {count}, one for each id of the model, got {len(words)}; pass its vocabulary, id by id"
        )
    if len(set(words)) < len(words):
        twice = next(word for i, word in enumerate(words) if word in words[:i])
        raise ValueError(f"words must all be different, got {twice!r} twice; pass each word once, at its id")
    return words


def _ids(ids, config):
    """The ids as a list of ints."""
    try:
        ids = torch.as_tensor(ids)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(
            f"ids must be a list of whole numbers, got {type(ids).__name__}; turn words into ids first, "
            "for instance with stories.encode"
        ) from None
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(f"ids must be whole numbers, got {ids.dtype}; turn words into ids with the vocabulary")
    if ids.dim() != 1:
        raise ValueError(f"ids must have shape (T,), got {tuple(ids.shape)}; pass one text, for instance ids[0]")
    if not 1 <= len(ids) <= config.context_length:
        raise ValueError(
            f"ids must be 1 to {config.context_length}, the positions of the model, got {len(ids)}; "
            "pass a part of the text"
        )
    ids = ids.tolist()
    for position, id in enumerate(ids):
        if not 0 <= id < config.vocab_size:
            raise ValueError(
                f"ids must lie between 0 and {config.vocab_size - 1}, got {id} at position {position}; "
                "take the words from the model's own vocabulary"
            )
    return ids
