from collections import Counter

from drills.text import words

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def by_comparing(text, word):
    return sum(each == word for each in words(text))


@right
def by_a_loop(text, word):
    number = 0
    for each in words(text):
        if each == word:
            number += 1
    return number


@right
def by_a_counter(text, word):
    return Counter(words(text))[word]


@right
def by_spaces(text, word):
    return f" {text} ".replace(" ", "  ").count(f" {word} ")
