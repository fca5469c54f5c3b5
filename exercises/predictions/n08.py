"""The predictions of notebook 08."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "08.pairs",
        "A text of 64 tokens goes through a causal model once. How many of its predictions can be scored?",
        {
            "a": "63.",
            "b": "64.",
            "c": "1.",
        },
        right="a",
        tempting={
            "b": "There are logits at each of the 64 positions; but does each of them have its token in the text?",
            "c": "What comes after the last token is what is used for writing. But what do the logits at the other "
            "positions say?",
        },
        watch="Count the rows of the figure, and the tokens of its text, <start> included.",
    ),
    Prediction(
        "08.plateau",
        "What is the loss for that food, if a model knows which three are in the story, but not which one comes?",
        {
            "a": "Near 0.",
            "b": "About 2.1, which is log 8.",
            "c": "About 1.1, which is log 3.",
        },
        right="c",
        tempting={
            "a": "It would be 0 if the one were known. How probable is each, if it may be any of the three?",
            "b": "That is the loss of a model that only knows that one of the eight foods comes next.",
        },
        watch="In the figure below the training, compare the curves with the line at log 3.",
    ),
    Prediction(
        "08.penalty",
        "Temperature 1 with a repetition penalty of 1.2: what becomes of the sentences?",
        {
            "a": "They are as true as without it, and more varied.",
            "b": "They are less often true, and more varied.",
            "c": "They are more often true, and less varied.",
        },
        right="b",
        tempting={
            "a": "That is what the penalty is made for. But which words does a true sentence of this story consist of?",
            "c": "The penalty lowers the logits of words that are in the text. Where did the false sentences get "
            "theirs?",
        },
        watch="Compare the line with the penalty with the line for temperature 1 above it, in the table before.",
    ),
    Prediction(
        "08.layers",
        "One model has a single layer with four heads, another has two such layers. Who learns to name what came after "
        "the previous occurrence?",
        {
            "a": "Only the one with two layers: it takes two steps, one after the other.",
            "b": "Both: one head can look for its own token and read what is next to it.",
            "c": "Neither: random strings cannot be predicted.",
        },
        right="a",
        tempting={
            "b": "A query can find the position of its own token; but the value that is read there is that position's. "
            "How could a key know what its neighbor is?",
            "c": "In the first round they cannot; but once the tokens repeat, is the next one still open?",
        },
        watch="Compare the shares of right predictions in the middle of the training and at its end.",
    ),
    Prediction(
        "08.heldout",
        "A model reads the same 134 kB of text almost 30 times, and its loss on them keeps falling. What does the "
        "loss on the held-out paragraphs do?",
        {
            "a": "It falls as long as the other one does, but stays above it.",
            "b": "It stays where it was.",
            "c": "It falls at first, then rises.",
        },
        right="c",
        tempting={
            "a": "What is learned of English helps with both. But what else can be learned from a text that is read so "
            "often?",
            "b": "It has never seen these paragraphs; but are their words and phrases found nowhere else?",
        },
        watch="Compare the two curves in the first figure below, at first and at the end.",
    ),
)
