"""The predictions of notebook 03."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "03.leak",
        "The text is pure noise, and every position may read every other. What loss does the model reach?",
        {
            "a": "About 2.1: noise cannot be predicted, so no model can do better than log 8.",
            "b": "Far less than 2.1.",
            "c": "More than 2.1: a model that reads everything gets confused.",
        },
        right="b",
        tempting={
            "a": "It is true of an honest guess, but is the model guessing? List what each position may read.",
            "c": "More to read may hurt, but a model can learn to ignore what does not help.",
        },
        watch="Look at the loss of each position, and ask yourself what is different about the last one.",
    ),
    Prediction(
        "03.padding",
        "A causal model, and no padding mask. Where may the padding be without changing the outputs of the real words?",
        {
            "a": "Nowhere: without a padding mask, real words read padding.",
            "b": "At the end, but not in front.",
            "c": "In front, but not at the end.",
            "d": "On either side, as long as the vector of the padding is all zeros.",
        },
        right="b",
        tempting={
            "a": "It is what a padding mask is for; but which keys does the causal mask leave to a real word?",
            "c": "In front sounds as if it were out of the way; but is it the past or the future of the words?",
            "d": "A vector of zeros sounds like nothing at all; but which score does it get, and what is exp(0)?",
        },
        watch="Compare the first two lines of the next output.",
    ),
)
