"""The predictions of notebook 02."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "02.axis",
        "What happens if we write `dim=0` instead of `dim=-1` in the softmax of the scores?",
        {
            "a": "Nothing that matters: a softmax makes every row and every column sum to 1.",
            "b": "PyTorch raises an error, because the shape no longer fits.",
            "c": "The rows no longer sum to 1, and nothing tells us: the shape is the same.",
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
            "a": "1 for the largest score and 0 for the others: exponentials this large are far apart.",
            "b": "None at all: a float cannot hold exponentials this large.",
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
        "02.cards",
        "After 400 steps of training without the division by √D, what has become of the three heads?",
        {
            "a": "They have learned the task, but later than with the division.",
            "b": "They are where they began.",
            "c": "They have learned it just as fast.",
        },
        right="a",
        tempting={
            "b": "A row in which one card takes nearly everything hardly reacts. But is every row like that?",
            "c": "The division is a constant, and a smaller W_query does the same. But a head has to get there first.",
        },
        watch="Compare the two halves of the next output, line by line, and not only their last lines.",
    ),
    Prediction(
        "02.slope",
        "Without scaling and with D = 512, how do the 2,000 rows of weights react when each query moves by 1%?",
        {
            "a": "All of them change a lot.",
            "b": "All of them stay nearly the same.",
            "c": "Many stay nearly the same, and some change a lot.",
        },
        right="c",
        tempting={
            "a": "A large score does move by more, but what does a softmax whose largest weight is 0.999 make of it?",
            "b": "It is true of a row with a clear winner, but does every row have one?",
        },
        watch="Compare the median of the rows with the largest of them, line by line.",
    ),
)
