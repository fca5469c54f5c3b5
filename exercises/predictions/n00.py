"""The predictions of notebook 00."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "00.trap",
        "For `x = [[1, 3], [5, 5]]`: which way of dividing gives two rows that sum to 1?",
        {
            "a": "Both: `keepdim` only changes how the sums are printed.",
            "b": "Only `x / x.sum(dim=1)`.",
            "c": "Only `x / x.sum(dim=1, keepdim=True)`.",
            "d": "Only the second runs at all: the first raises an error, because the shapes do not fit.",
        },
        right="c",
        tempting={
            "a": "Both hold the same two sums, so they look interchangeable; but write (2, 2) and (2,) one below the "
            "other, aligned on the right.",
            "b": "One sum for each row sounds right; but with which axis of `x` does a shape of (2,) line up?",
            "d": "Different shapes often end in an error; but do (2, 2) and (2,) not fit, when aligned on the right?",
        },
        watch="Look at each line that is printed: are the sums 1, as they should be?",
    ),
    Prediction(
        "00.view",
        "What is the second row of `x.view(3, 2)`, and what is the second row of `x.transpose(0, 1)`?",
        {
            "a": "[1, 4] in both: they do the same.",
            "b": "[2, 3] in both: they do the same.",
            "c": "[2, 3] in the view, [1, 4] in the transpose.",
            "d": "[1, 4] in the view, [2, 3] in the transpose.",
        },
        right="c",
        tempting={
            "a": "Both results have the shape (3, 2), but a shape does not say which number goes where.",
            "b": "Both results have the shape (3, 2); but when columns become rows, which numbers share a row?",
            "d": "The two names are easy to mix up; which of them reads on along the rows?",
        },
        watch="Follow the numbers 2 and 3: they were in different rows.",
    ),
)
