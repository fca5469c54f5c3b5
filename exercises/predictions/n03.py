"""The predictions of notebook 03."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "03.leak",
        "The text is pure noise, and every position may read every other. What loss does the model reach?",
        {
            "a": "About 2.1: noise cannot be predicted, so no model can do better than log 8.",
            "b": "Far less than 2.1: there is a way to know the next token.",
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
        "03.order",
        "With the causal mask, what does attention give for the six words in reverse order?",
        {
            "a": "The same six outputs in reverse order: a mask hides keys, it does not number them.",
            "b": "The same six outputs in reverse order, but for the first and the last: one sees one word, one all.",
            "c": "Other outputs: in reverse order each word may read other words than before.",
        },
        right="c",
        tempting={
            "a": "No position enters the scores, but does the word in row 1 see the same words as before?",
            "b": "They change, but so may the others. Which words may the third one read, before and after?",
        },
        watch="The next output says by how much each of the six words moves, without a mask and with it.",
    ),
    Prediction(
        "03.padding",
        "A causal model, and no padding mask. Where may the padding be without changing the outputs of the real words?",
        {
            "a": "Nowhere: without a padding mask, real words read padding.",
            "b": "At the end, but not in front: at the end it is the future of the real words.",
            "c": "In front, but not at the end: in front it is out of the way.",
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
    Prediction(
        "03.empty",
        "The hidden scores are filled with -inf, and the loss comes from row 0 alone. What is the gradient of the "
        "values?",
        {
            "a": "nan for all three values: row 1 takes part in the backward pass, even if its own gradient is 0.",
            "b": "Three ordinary numbers: a row that the loss does not look at has no part in the gradient.",
            "c": "0 for all three values: nothing flows back through a nan.",
        },
        right="a",
        tempting={
            "b": "It would be so if row 1 were left out of the matrix product. Is it? And what is 0 times nan?",
            "c": "A nan does not stop anything: whatever it is multiplied with or added to becomes nan as well.",
        },
        watch="Look at the first column of the next output, and at its first line.",
    ),
    Prediction(
        "03.suspects",
        "Which of these four let the future leak into the past?",
        {
            "a": "The first two: in the other two, every weight above the diagonal is 0.",
            "b": "The first alone: the second one hides the future but for a single token.",
            "c": "The first three: in the third, each weight is divided by a sum that holds later queries.",
        },
        right="c",
        tempting={
            "a": "It is true of the weights that they multiply. By which sum has each of these weights been divided?",
            "b": "A single token is the answer that the model has to guess: position i must not read position i + 1.",
        },
        watch="Look at the first number of each line of the output below: a model that hides the future has a 0 there.",
    ),
)
