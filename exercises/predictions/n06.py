"""The predictions of notebook 06."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "06.stack",
        "Twelve random vectors go through 24 untrained layers of attention, one after another. When are they alike?",
        {
            "a": "After about two layers.",
            "b": "Only near the end, after 20 layers or so.",
            "c": "Never: random parameters keep random vectors apart.",
        },
        right="a",
        tempting={
            "b": "One average leaves some differences, so many layers seem necessary; but how even are the weights of "
            "an untrained layer?",
            "c": "A random matrix alone would keep different vectors different, but each output is an average.",
        },
        watch="Compare the line of attention alone with the one below it, where x is added in each layer.",
    ),
    Prediction(
        "06.layer",
        "Which half of a layer of BERT has more parameters?",
        {
            "a": "Attention: it has four matrices, and the feed-forward network two.",
            "b": "The feed-forward network.",
            "c": "Both have the same number.",
        },
        right="b",
        tempting={
            "a": "The number of matrices counts less than their sizes: C x C for one kind, and for the other?",
            "c": "It would be a tidy design; count the entries of each matrix in terms of C.",
        },
        watch="Divide the two numbers that are printed by C x C = 768 x 768.",
    ),
    Prediction(
        "06.cache",
        "Seven tokens are fed one at a time, each with the cache of those before, and no mask is passed. Is the result "
        "that of one causal pass?",
        {
            "a": "No: without a mask every token would also read the future.",
            "b": "Only for the last token; the vectors of the earlier ones are out of date.",
            "c": "Yes, for all seven tokens.",
        },
        right="c",
        tempting={
            "a": "Without a mask attention reads whatever keys there are; which keys are there when token 3 is fed?",
            "b": "In one layer that is not causal it would be so; what about token 3 changes when token 4 arrives?",
        },
        watch="The next cell compares all seven vectors, and prints the shape of the last weights and of the cache.",
    ),
)
