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
        "While the model trains, its loss for that food falls. At which line does it stop first?",
        {
            "a": "At log 3, about 1.1: one of the three foods of the story.",
            "b": "At log 8, about 2.1: one of all eight foods.",
            "c": "At neither: it falls steadily toward 0.",
        },
        right="b",
        tempting={
            "a": "For that the model has to look back into the story. Is there something that it can learn sooner?",
            "c": "It would have to find the one food at once. What can it learn without reading back?",
        },
        watch="In the figure below the training, compare the curves with the two lines.",
    ),
    Prediction(
        "08.layers",
        "One model has a single layer with four heads, another has two such layers. Who learns to name what came after "
        "the previous occurrence?",
        {
            "a": "Both.",
            "b": "Neither.",
            "c": "Only the one with two layers.",
        },
        right="c",
        tempting={
            "a": "A query can find the position of its own token; but the value that is read there is that position's. "
            "How could a key know what its neighbor is?",
            "b": "In the first round they cannot; but once the tokens repeat, is the next one still open?",
        },
        watch="Compare the shares of right predictions in the middle of the training and at its end.",
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
        watch="Compare the line with the penalty with the line for temperature 1 in section 4.",
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
