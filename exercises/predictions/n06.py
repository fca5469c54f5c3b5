"""The predictions of notebook 06."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "06.stack",
        "Twelve random vectors go through 24 untrained layers of attention, one after another. When are they alike?",
        {
            "a": "After about two layers.",
            "b": "After about twenty layers.",
            "c": "Not even after all 24 layers.",
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
        "06.order",
        "A vector has 64 features. In which of the two ways do you know its length after 24 layers exactly, and what "
        "is it?",
        {
            "a": "With post-norm, 1: the mean square of its features is 1.",
            "b": "With pre-norm, 8: what each layer reads has length 8.",
            "c": "With post-norm, 8: the squares of its features sum to 64.",
            "d": "In neither of them: each layer adds something else.",
        },
        right="c",
        tempting={
            "a": "The mean square is 1; but a length is the root of a sum. Of how many squares?",
            "b": "What a layer reads is normalized. Is what leaves it, x + f(LayerNorm(x)), normalized as well?",
            "d": "Each layer does add something. What is the last thing that happens to the vector in each of the "
            "two ways?",
        },
        watch="Ask yourself in which of the two ways the norm is the last step.",
    ),
    Prediction(
        "06.padding",
        "The second text has two words and one position of padding. Which vectors does BERT's attention give the "
        "three positions?",
        {
            "a": "The words get the vectors that they get without padding, and the padding gets zeros.",
            "b": "The words get the vectors that they get without padding, and the padding gets an ordinary vector.",
            "c": "The words get slightly different vectors than without padding, and the padding gets zeros.",
        },
        right="b",
        tempting={
            "a": "The mask hides the padding as a key. Does it keep the padding from asking, as a query? And what is "
            "added after attention?",
            "c": "A hidden key has a weight of exactly 0; what is left of it in the average of the values?",
        },
        watch="Compare the last table of the next output with the one above it, row by row.",
    ),
    Prediction(
        "06.layer",
        "Which half of a layer of BERT has more parameters?",
        {
            "a": "Attention, with its four matrices.",
            "b": "Neither: both have about the same number.",
            "c": "The feed-forward network, with its two matrices.",
        },
        right="c",
        tempting={
            "a": "The number of matrices counts less than their sizes: C x C for one kind, and for the other?",
            "b": "It would be a tidy design; count the entries of each matrix in terms of C.",
        },
        watch="Divide the two numbers that are printed by C x C = 768 x 768.",
    ),
    Prediction(
        "06.cache",
        "Seven tokens are fed in one at a time, each with the cache of those before it, and without a mask. Which "
        "vectors come out?",
        {
            "a": "All seven are those of one pass with the causal mask.",
            "b": "All seven are those of one pass without a mask.",
            "c": "Only the last is that of one pass with the causal mask.",
        },
        right="a",
        tempting={
            "b": "Without a mask attention reads whatever keys there are; which keys are there when token 3 is fed in?",
            "c": "If the vector of token 3 changed when token 4 arrives, it would be out of date. Does it, in a causal "
            "model?",
        },
        watch="The next cell compares all seven vectors with those of one pass, with the mask and without: where is "
        "the difference 0?",
    ),
)
