"""Numbers in words, which the encoder and the decoder of notebook 08 rewrite in digits: three hundred five is 305.

The parameters come with the course, since another machine would train other ones: training magnifies rounding errors.
"""

from pathlib import Path

import torch
from torch.nn.utils.rnn import pad_sequence

from models.training import load_trained

SMALL = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
WORDS = ["<pad>", *SMALL, *TENS, "hundred", "thousand"]
SIGNS = ["<pad>", "<start>", "<end>", *"0123456789"]

FILE = Path(__file__).resolve().parents[1] / "data" / "rewriting.safetensors"
SHA256 = "72aa0c8ade826bb6c97e4f5d35575b86d1d3e934819b138926596bb82e7a1418"


def in_words(number):
    """Spell a number from 0 to 999,999 as a list of words.

    Source: notebook 08
    """
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = in_words(number % size) if number % size else []
            return [*in_words(number // size), name, *rest]
    if number < 20:
        return [SMALL[number]]
    return [TENS[number // 10 - 2], *([SMALL[number % 10]] if number % 10 else [])]


def draw_numbers(draw, size):
    """Draw `size` numbers with a random.Random: first the most digits that each may have, one to six, then the number.

    Source: notebook 08
    """
    return [draw.randrange(10 ** draw.randint(1, 6)) for _ in range(size)]


def pairs(numbers):
    """Encode numbers as ids, in words and in signs; 0 is padding, on the right.

    Shapes: B numbers -> source (B, S) and target (B, T), which begins with <start> and ends with <end>
    Source: notebook 08
    """
    words = [[WORDS.index(word) for word in in_words(number)] for number in numbers]
    signs = [[SIGNS.index(sign) for sign in ("<start>", *str(number), "<end>")] for number in numbers]
    return tuple(pad_sequence([torch.tensor(row) for row in rows], batch_first=True) for rows in (words, signs))


def digits(target):
    """Decode the digits in each row of ids, up to <end>.

    Shapes: target (B, T), which begins with <start> -> a list of B strings
    Source: notebook 08
    """
    return ["".join(SIGNS[id] for id in row[1:]).partition("<")[0] for row in target.tolist()]


def load(model):
    """Load the parameters that come with the course into notebook 08's model, after verifying their file.

    Errors: FileNotFoundError if the file is missing; ValueError if it is not the one that was recorded
    Source: notebook 08; `python -m tools.record.rewriting`
    """
    return load_trained(model, FILE, SHA256, "the model that rewrites numbers")
