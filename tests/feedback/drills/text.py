"""What the learners of this course are given."""


def words(text):
    if not isinstance(text, str):
        raise TypeError(f"words takes a text, got {type(text).__name__}: hand in the text itself")
    return text.split()
