from drills.text import words

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("inside-words")
def cut_at_the_word(text, word):
    return len(text.split(word)) - 1


@wrong("at-most-once")
def in_a_set(text, word):
    return len({each for each in words(text) if each == word})


@wrong("all-words")
def spaces(text, word):
    return text.count(" ") + 1


@wrong("other-words")
def unequal(text, word):
    return sum(each != word for each in words(text))


@wrong()
def one_too_many(text, word):
    return words(text).count(word) + 1
