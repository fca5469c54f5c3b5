"""The predictions of notebook 04."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "04.sum",
        "A row of six weights goes through dropout 10,000 times, with p = 0.5, and what is kept is divided by 1 - p. "
        "What are the sums of the row?",
        {
            "a": "1 in every draw: the division restores what was lost.",
            "b": "1 on average, but different from draw to draw.",
            "c": "0.5 on average: half of the row is gone.",
        },
        right="b",
        tempting={
            "a": "The division is there to repair the sum; but it uses the same factor in every draw, however many "
            "weights were lost in it.",
            "c": "Without the division this would be right.",
        },
        watch="The next cell prints the mean and the range of the sums, without and with the division.",
    ),
    Prediction(
        "04.scores",
        "Half of the scores, not of the weights, are set to 0 before the softmax. Which weights are 0?",
        {
            "a": "Those of the scores that were set to 0.",
            "b": "None.",
            "c": "Those in rows where all scores were set to 0.",
        },
        right="b",
        tempting={
            "a": "A weight of 0 hides its key, and it is easy to expect the same of a score.",
            "c": "A row in which all scores are equal looks empty; what does a softmax make of equal scores?",
        },
        watch="Compute exp(0), then look at the first line of the next output.",
    ),
    Prediction(
        "04.gradient",
        "The second weight is dropped. What is the gradient of the second score?",
        {
            "a": "0: what is dropped has no influence on the output.",
            "b": "Not 0.",
            "c": "There is none: a dropped number is cut off from the graph.",
        },
        right="b",
        tempting={
            "a": "The second weight has no influence anymore; but does the second score only "
            "influence the second weight?",
            "c": "It is multiplied by 0, which is an operation like any other for autograd.",
        },
        watch="Ask what the first and the third weight would do if the second score grew, and compare with the signs.",
    ),
    Prediction(
        "04.training",
        "Which of the four calls drop nothing?",
        {
            "a": "`nn.Dropout` after `.eval()`, and `F.dropout` with `training=False`.",
            "b": "These two, and `F.dropout(ones, 0.5)`: a function is in no mode, so it does nothing by itself.",
            "c": "Only `nn.Dropout` after `.eval()`: functions always drop.",
        },
        right="a",
        tempting={
            "b": "A function has no mode of its own; its default had to be chosen by somebody.",
            "c": "A function knows nothing of your module, but it knows its arguments.",
        },
        watch="A thousand ones go in: look for the lines in which something else comes out.",
    ),
    Prediction(
        "04.first",
        "What are the sums of the first row, over 100 calls in training?",
        {
            "a": "Always 1: the weights are shares.",
            "b": "Always 0.5: the weight is there in half of the calls.",
            "c": "0 in some calls, 2 in others.",
        },
        right="c",
        tempting={
            "a": "Before dropout they are shares; but these are the weights after it.",
            "b": "A single coin cannot leave half a weight.",
        },
        watch="The last line shows every sum that occurred, once.",
    ),
    Prediction(
        "04.time",
        "With p = 0.5 half of the weights are 0. How long does attention with dropout take?",
        {
            "a": "About half as long as without.",
            "b": "About as long as without: a product with 0 is a product.",
            "c": "Longer than without.",
        },
        right="c",
        tempting={
            "a": "A product with 0 could be skipped; but a table with zeros in random places is "
            "multiplied like any other.",
            "b": "That is true of the product with the values; which other steps are there?",
        },
        watch="Compare the two times, and list what has to be done for every weight.",
    ),
)
