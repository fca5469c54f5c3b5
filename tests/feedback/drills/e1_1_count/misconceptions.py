from drills.text import words

from feedback import Misconceptions

known = Misconceptions()


@known("inside-words", means="The word is also counted inside other words.", hint="What is between two spaces?")
def inside_words(text, word):
    return text.count(word)


@known("at-most-once", means="The word is counted once, however often it occurs.", hint="What does `in` tell?")
def at_most_once(text, word):
    return int(word in words(text))


@known("all-words", means="All words are counted.", hint="What is `word` for?")
def all_words(text, word):
    return len(words(text))


@known("other-words", means="The other words are counted.", hint="When does your count grow?")
def other_words(text, word):
    return len(words(text)) - words(text).count(word)
