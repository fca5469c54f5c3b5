"""The predictions of notebook 11."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "11.order",
        "Twelve tokens come in two pieces of six, with a window of 4. Keys are trimmed to the window first, and then "
        "the new queries attend. Which rows are wrong?",
        {
            "a": "None: what is trimmed lies outside of the window.",
            "b": "Only those of the second piece that still need keys of the first.",
            "c": "All but the last row of each piece.",
        },
        right="c",
        tempting={
            "a": "Outside of whose window? Each query of a piece has its own.",
            "b": "The second piece needs some keys of the first, and they are gone. But which keys of its own piece "
            "has the trimming left to the first query?",
        },
        watch="Read the counts, and then each row of the two masks.",
    ),
    Prediction(
        "11.stack",
        "Three layers have a window of 4. On how many of the 40 inputs does the last output depend?",
        {
            "a": "4: no layer sees further than its window.",
            "b": "10: each layer adds the three positions before.",
            "c": "12: three windows of 4.",
            "d": "40: information spreads to all of them.",
        },
        right="b",
        tempting={
            "a": "The keys of the second layer are outputs of the first. What have those seen?",
            "c": "Do two windows that follow each other overlap? Draw two layers.",
            "d": "Each layer takes it further. How far, with a layer for each step?",
        },
        watch="Compare the counts from layer to layer.",
    ),
    Prediction(
        "11.first",
        "Now the first token is hidden from all queries. How close are the vectors of the sentences to the old ones?",
        {
            "a": "A cosine above 0.95: its values are short, so hardly anything is missing.",
            "b": "Between 0.4 and 0.8: its half of the attention goes to other tokens.",
            "c": "Below 0.2: half of what the heads read is gone, and the sentence with it.",
        },
        right="b",
        tempting={
            "a": "Little is missing, that is true. But the weights of a row sum to 1: what becomes of the half that "
            "the first token took?",
            "c": "The other tokens are still there, and so are the residual connections. What do the heads read "
            "instead?",
        },
        watch="Compare the first line with the last: what did the first token give to the others?",
    ),
    Prediction(
        "11.cap",
        "Keys are hidden first and scores capped afterwards. Who notices, with the cap of 50?",
        {
            "a": "Everyone: the first token gives most of its weight to tokens that it must not see.",
            "b": "Nobody: -inf stays -inf under the cap.",
            "c": "Hardly anyone: hidden tokens get some weight, but very little.",
        },
        right="c",
        tempting={
            "a": "A hidden score becomes -50. How large is its exponential, next to that of a score around 0?",
            "b": "What is tanh of minus infinity? And what is that, times the cap?",
        },
        watch="Look at the exponents, from the largest cap to the smallest.",
    ),
    Prediction(
        "11.missed",
        "Two layers read the story with the latest 64 positions, and miss about one in ten of the words that have to "
        "be read back. Which ones?",
        {
            "a": "About one in ten, however long ago they were last said: with fewer keys, all gets less certain.",
            "b": "Nearly all that were last said before the window, and few of the others.",
            "c": "Nearly all that were last said more than twice the window ago, and few of the others.",
        },
        right="b",
        tempting={
            "a": "What was said within the window can still be read. Why should it be missed as often as the rest?",
            "c": "Two layers can reach nearly that far. Has this model learned to pass words on from window to window?",
        },
        watch="Compare the second line with the fourth, in the column for the latest.",
    ),
)
