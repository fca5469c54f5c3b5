"""Tables of calls that must raise an error, each with words of the message."""


def require_refused(*cases):
    """Require each call to raise one sentence that has these words, or ends with them if a $ follows.

    cases: ("ValueError: window must be at least 1, got 0", the call), any number of them
    """
    wrong = [fault for expected, call in cases if (fault := _fault(expected, call))]
    assert not wrong, "\n".join(wrong)


def _fault(expected, call):
    """What is wrong with the error that the call raises, or "" if nothing is."""
    kind, words = expected.split(": ", 1)
    try:
        call()
    except Exception as error:
        text = str(error)
        if type(error).__name__ != kind or words not in f"{text}$":
            return f"expected {expected!r}, got {type(error).__name__}: {text}"
        is_sentence = "\n" not in text and ". " not in text and len(text) < 330
        return "" if is_sentence else f"more than one sentence: {text}"
    return f"expected {expected!r}, got no error"
