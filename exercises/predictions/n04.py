"""The predictions of notebook 04."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "04.noise",
        "The model is trained, without dropout, on a few texts of random tokens. How do its losses compare with log 8?",
        {
            "a": "Both about log 8, on these texts and on new ones: nothing can be learned from noise.",
            "b": "Below log 8 on these texts and about log 8 on new ones: there it is back to guessing.",
            "c": "Below log 8 on these texts and far above it on new ones: it is sure of what does not hold there.",
        },
        right="c",
        tempting={
            "a": "There is no rule to learn, but is a rule needed to do well on texts that one has seen 200 times?",
            "b": "A model that knew what it does not know would guess evenly. Has anything taught it when to do so?",
        },
        watch="Compare the first two numbers with the third, which is dropout 0.0 on new texts.",
    ),
    Prediction(
        "04.sum",
        "A row of six weights goes through dropout 10,000 times, with p = 0.5, and what is kept is divided by 1 - "
        "p. What are the sums of the row?",
        {
            "a": "1 on average, but different from draw to draw: the coins do not always drop half.",
            "b": "1 in every draw: the division restores what was lost.",
            "c": "0.5 on average: half of the row is gone.",
        },
        right="a",
        tempting={
            "b": "The division is there to repair the sum; but it uses the same factor in every draw, however many "
            "weights were lost in it.",
            "c": "Without the division this would be right.",
        },
        watch="The next cell prints the mean and the range of the sums, without and with the division.",
    ),
    Prediction(
        "04.scores",
        "Half of the scores, not of the weights, are set to 0 before the softmax. Which weights are 0?",
        {
            "a": "Those of the scores that were set to 0: a score of 0 asks for a weight of 0.",
            "b": "Those in rows where all scores were set to 0: nothing is left to share.",
            "c": "None: every score has an exponential above 0.",
        },
        right="c",
        tempting={
            "a": "A weight of 0 hides its key, and it is easy to expect the same of a score.",
            "b": "A row in which all scores are equal looks empty; what does a softmax make of equal scores?",
        },
        watch="Compute exp(0), then look at the first line of the next output.",
    ),
    Prediction(
        "04.gradient",
        "The second weight is dropped. What is the gradient of the second score?",
        {
            "a": "Not 0: it takes part in the sum that the other weights are divided by.",
            "b": "0: what is dropped has no influence on the output.",
            "c": "There is none: a dropped number is cut off from the graph.",
        },
        right="a",
        tempting={
            "b": "The second weight has no influence anymore; but does the second score only influence the second "
            "weight?",
            "c": "It is multiplied by 0, which is an operation like any other for autograd.",
        },
        watch="Ask what the first and the third weight would do if the second score grew, and compare with the signs.",
    ),
    Prediction(
        "04.time",
        "With p = 0.5 half of the weights are 0. How long does attention with dropout take?",
        {
            "a": "About half as long as without: what is 0 need not be multiplied.",
            "b": "About as long as without: a product with 0 is a product.",
            "c": "Longer than without: the coins have to be tossed, and nothing is skipped.",
        },
        right="c",
        tempting={
            "a": "A product with 0 could be skipped; but a table with zeros in random places is multiplied like any "
            "other.",
            "b": "That is true of the product with the values; which other steps are there?",
        },
        watch="Compare the two times, and list what has to be done for every weight.",
    ),
)
