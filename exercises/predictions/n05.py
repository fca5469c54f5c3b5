"""The predictions of notebook 05."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "05.average",
        "One average of both neighbors, and a linear layer behind it. How often does the model with one head name "
        "both neighbors correctly?",
        {
            "a": "Less than half of the time: a linear layer cannot tell from one average which token was on which "
            "side.",
            "b": "Nearly always: both tokens are in the average, and training finds out how to tell them apart.",
            "c": "Hardly ever: the average of two tokens is neither of them.",
        },
        right="a",
        tempting={
            "b": "Both are in it. But a linear layer must not prefer the same token for both answers, and it sees "
            "one mixture.",
            "c": "A sum of two vectors can be taken apart, as notebook 01 showed with words and positions. What is "
            "missing here?",
        },
        watch="Compare the three numbers in the lines of one head, and then the lines with each other.",
    ),
    Prediction(
        "05.features",
        "Two heads read x, which has three features for each word. Which features does head 1 read?",
        {
            "a": "Its own part of them, the second one: the features are shared out among the heads.",
            "b": "Those that head 0 leaves: heads specialize.",
            "c": "All of them: its matrices take in all three.",
        },
        right="c",
        tempting={
            "a": "Something is cut into parts in multi-head attention; look at the shape of the matrices in `pair` "
            "to see what goes into each head.",
            "b": "Trained heads often do different things, but that does not decide what they are given.",
        },
        watch="The next cell changes one feature of x after the other: note which heads move.",
    ),
    Prediction(
        "05.view",
        "x holds three tokens of four features. After `x.view(2, 3, 2)`, with 2 heads of 3 rows, what does head 0 "
        "hold?",
        {
            "a": "All of token 0 and half of token 1: the first six numbers, as they stand.",
            "b": "The first two features of the tokens 0, 1 and 2: the shape says 2 heads, 3 tokens, 2 features.",
            "c": "Nothing: the call raises an error, because the axes are in the wrong order.",
        },
        right="a",
        tempting={
            "b": "The shape (2, 3, 2) reads like 2 heads, 3 tokens, 2 features; but a shape does not say which "
            "number goes where.",
            "c": "It would be good if it did; but the sizes fit, and the numbers of x lie in memory row by row: "
            "`view` asks for no more.",
        },
        watch="Read the numbers of x row by row, from left to right, and fill head 0 in the same order.",
    ),
    Prediction(
        "05.loss",
        "The tokens are random, so the best honest loss is log 8 = 2.1. What does the model with the wrong split "
        "reach?",
        {
            "a": "More than 2.1: with mixed tokens it can learn nothing.",
            "b": "2.1: the causal mask is right, and noise is noise.",
            "c": "Less than 2.1 at some positions: the mixed tokens give something away.",
        },
        right="c",
        tempting={
            "a": "A bug should do harm; but where nothing can be learned, what is there to harm? Ask what the "
            "mixing could give away.",
            "b": "The mask is right for rows; ask which tokens the rows hold.",
        },
        watch="Compare the two lines position by position, and remember what a loss below that of the best guess "
        "means.",
    ),
    Prediction(
        "05.count",
        "With d_model = 24, how does the number of parameters change from 1 head to 8 heads?",
        {
            "a": "It grows eightfold: each head has matrices of its own.",
            "b": "It shrinks: thinner heads need less.",
            "c": "It stays the same: there are more heads, and each has less.",
        },
        right="c",
        tempting={
            "a": "Each head does have matrices of its own; how large is each of them?",
            "b": "Each head does need less; how many heads are there?",
        },
        watch="Multiply the number of heads by the features of each.",
    ),
)
