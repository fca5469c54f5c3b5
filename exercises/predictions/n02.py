"""The predictions of notebook 02."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "02.axis",
        "What happens if we write `dim=0` instead of `dim=-1` in the softmax of the scores?",
        {
            "a": "Nothing that matters: a softmax makes every row and every column sum to 1.",
            "b": "PyTorch raises an error, because the shape no longer fits.",
            "c": "The shape stays, but the rows no longer sum to 1.",
        },
        right="c",
        tempting={
            "a": "The scores are a square, symmetric table, so rows and columns look interchangeable.",
            "b": "A wrong axis often ends in a shape error, and it would be good if that always happened.",
        },
        watch="The next cell adds up each row, first with one `dim` and then with the other: "
        "ask yourself with which of the two the rows are shares.",
    ),
    Prediction(
        "02.overflow",
        "Exponentials, divided by their sum, for the scores 1000, 1001 and 999: which shares come out?",
        {
            "a": "1 for the largest score and 0 for the others.",
            "b": "None: the result is no number at all.",
            "c": "The same as for the scores 0, 1 and -1: only differences count.",
        },
        right="b",
        tempting={
            "a": "Large scores often make a softmax sharp, but what counts is a score's lead: 1001 leads by 1.",
            "c": "On paper this is true, and you will use it in a moment; but here the exponentials come first.",
        },
        watch="Compare the exponentials with the largest number that float32 can hold.",
    ),
    Prediction(
        "02.slope",
        "Without scaling and with D = 512, how do the 2,000 rows of weights react when each query moves by 1%?",
        {
            "a": "All rows change a lot: the scores are large, so a percent of them is much.",
            "b": "All rows stay nearly the same: where one weight is almost 1, it stays almost 1.",
            "c": "Many rows stay the same, and some change a lot.",
        },
        right="c",
        tempting={
            "a": "A large score does move by more, but what does a softmax whose largest weight is 0.999 make of it?",
            "b": "It is true of a row with a clear winner, but does every row have one?",
        },
        watch="Compare the median of the rows with the largest of them, line by line.",
    ),
    Prediction(
        "02.order",
        "The second sentence of the batch is the first one in reverse order. What does attention give for "
        '"journey" there?',
        {
            "a": "The same vector as in the first sentence.",
            "b": "A different vector: it now has other neighbors on its left and on its right.",
            "c": "The reverse of its vector: its features change places too.",
        },
        right="a",
        tempting={
            "b": "It is what a reader of sentences expects; look for the place in the formula where a position enters.",
            "c": "Something is flipped, so something in the output should be; but which axis of x does `flip(0)`, in "
            "the next cell, turn?",
        },
        watch="The last line of the next cell compares the second output with the first one in reverse, and stays "
        "silent only if they agree.",
    ),
)
