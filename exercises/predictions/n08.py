"""The predictions of notebook 08."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "08.pairs",
        "A text of 64 tokens goes through a causal model once. How many of its predictions can be scored?",
        {
            "a": "One: what comes after the last token.",
            "b": "63.",
            "c": "64, one at each position.",
        },
        right="b",
        tempting={
            "a": "It is the one that is used for writing. But what do the logits at the other positions say?",
            "c": "There are logits at each of the 64 positions; but does each of them have its token in the text?",
        },
        watch="Count the rows of the figure, and the tokens of its text, <start> included.",
    ),
    Prediction(
        "08.uniform",
        "A model finds each of the 76 tokens equally likely, always. What is its cross-entropy loss?",
        {
            "a": "1/76, the probability of each token.",
            "b": "75/76, the share of wrong guesses.",
            "c": "log 76, about 4.3.",
        },
        right="c",
        tempting={
            "a": "That is the probability p which it gives to the right token; the loss is a function of p.",
            "b": "That would be an error rate. The cross-entropy asks how probable the right token was, not whether it "
            "was the first choice.",
        },
        watch="The first line has the loss of such a model, computed with logits that are all 0.",
    ),
    Prediction(
        "08.plateau",
        "What is the loss for that food, if a model knows which three are in the story, but not whose?",
        {
            "a": "Near 0: the three are known.",
            "b": "log 3, about 1.1.",
            "c": "log 8, about 2.1: there are eight foods.",
        },
        right="b",
        tempting={
            "a": "It would be 0 if the one were known. How probable is each, if it may be any of the three?",
            "c": "That is the loss of a model that only knows that a food comes next.",
        },
        watch="In the figure below the training, compare the curves with the line at log 3.",
    ),
    Prediction(
        "08.temperature",
        "The temperature goes down from 1 to 0.5. What happens to the probabilities?",
        {
            "a": "All of them shrink to half.",
            "b": "The most likely word becomes still more likely; the order of all words stays.",
            "c": "They come closer together, and the order may change.",
        },
        right="b",
        tempting={
            "a": "The logits are divided by the temperature, but after the softmax the probabilities sum to 1 again.",
            "c": "A lower temperature sounds like less of everything; but what does dividing by 0.5 do to the distance "
            "between two logits?",
        },
        watch="Compare the bars of one word at the three temperatures, and then the order of the words in each color.",
    ),
    Prediction(
        "08.cache",
        "The cache holds 10 tokens, and one new token is fed by itself. Which row of the table of positions is added?",
        {
            "a": "Row 0: it is the only token that is fed.",
            "b": "Row 10.",
            "c": "None: the cached keys hold the positions already.",
        },
        right="b",
        tempting={
            "a": "Its place in the tensor is 0; but the logits must be those of the whole text. Where is it there?",
            "c": "The cached keys hold the positions of the earlier tokens, not that of the new one.",
        },
        watch="The logits of each token that is fed by itself are compared with those of one pass over the whole text.",
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
