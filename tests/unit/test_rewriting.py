"""Numbers in words, and the ids that notebook 08's encoder and decoder read and write."""

import random

import pytest

from models.rewriting import WORDS, digits, draw_numbers, in_words, pairs


def test_a_number_is_said_in_words():
    for number, words in {
        0: "zero",
        17: "seventeen",
        40: "forty",
        305: "three hundred five",
        1000: "one thousand",
        90_012: "ninety thousand twelve",
        642_917: "six hundred forty two thousand nine hundred seventeen",
    }.items():
        assert in_words(number) == words.split()


def test_ids_are_padded_on_the_right_and_read_back():
    source, target = pairs([642_917, 42])
    assert source.shape == (2, 8) and target.shape == (2, 8)
    assert [WORDS[id] for id in source[1]] == ["forty", "two", *["<pad>"] * 6]
    assert digits(target) == ["642917", "42"]


def test_numbers_of_every_length_are_drawn_equally_often():
    numbers = draw_numbers(random.Random(0), 6000)
    assert min(numbers) >= 0 and 100_000 <= max(numbers) < 1_000_000
    single = sum(number < 10 for number in numbers)  # 1,000 drawn as one digit, 111 others
    assert single == pytest.approx(1111, rel=0.1)
