"""The predictions of notebook 12."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "12.order",
        "Ten results are merged one after the other, as they arrive. How much does the outcome depend on the order?",
        {
            "a": "Visibly: the last result counts half, the one before a quarter, and so on.",
            "b": "Not at all, but for rounding.",
            "c": "out does not depend on it, but lse grows with every merge.",
        },
        right="b",
        tempting={
            "a": "So it would be if a merge were the mean of its two sides. By what does yours weigh them?",
            "c": "lse does grow with every merge, since keys are added. Does a sum depend on the order of its terms?",
        },
        watch="Compare the largest difference with the size of the numbers in out.",
    ),
    Prediction(
        "12.time",
        "For 4,096 tokens, how long does the fused kernel take, compared with the explicit path?",
        {
            "a": "Longer: it does the same products, and corrects its sums as well.",
            "b": "About as long: the products take nearly all of the time, and they are the same.",
            "c": "Clearly less: it never writes the table to memory, nor reads it back.",
        },
        right="c",
        tempting={
            "a": "It does more arithmetic. Is arithmetic what a processor has to wait for?",
            "b": "The products are the same. But how often does a number of the table travel between processor and "
            "memory, if each step is an operation of its own?",
        },
        watch="Compare the last times of the lines in the next output.",
    ),
    Prediction(
        "12.kept",
        "How much does autograd keep for your tiled attention, with a text of 2,048 tokens?",
        {
            "a": "As little as for the fused kernel: a tile's scores are forgotten before the next tile is read.",
            "b": "One tile: that of the last step, which the backward pass begins with.",
            "c": "At least as much as for the explicit path: every tile of weights.",
        },
        right="c",
        tempting={
            "a": "Your variables are assigned again with each tile. Is that enough for a tensor to be freed, if the "
            "backward pass is going to read it?",
            "b": "The backward pass begins with the last step. Which steps come after that one?",
        },
        watch="Compare the tiles with the two other lines.",
    ),
    Prediction(
        "12.sum",
        "A row has 1,000 equal scores, so that each adds exp(0) = 1 to the sum, one key after the other. Where does "
        "the sum end in bfloat16?",
        {
            "a": "At 1,000: whole numbers are exact.",
            "b": "Near 1,000: each step is rounded, sometimes up and sometimes down, so that the errors cancel.",
            "c": "Far below 1,000: from some point on, adding 1 changes nothing.",
        },
        right="c",
        tempting={
            "a": "Bfloat16 can hold this number. Can it hold all whole numbers on the way there?",
            "b": "They cancel if rounding up is as likely as rounding down. What if the same sum is rounded down "
            "every time?",
        },
        watch="Compare the two lines.",
    ),
    Prediction(
        "12.again",
        "Each of the 8 keys has been written twice, with two values. Which value does the state answer with?",
        {
            "a": "With the new one: it was written last.",
            "b": "With the old one: its place was taken.",
            "c": "With neither: half of the answers are nearer to the old value, half to the new one.",
        },
        right="c",
        tempting={
            "a": "In a dictionary, yes. What does a sum know of the order in which its terms came?",
            "b": "There are no places that could be taken: each token is added to the same matrix.",
        },
        watch="Compare the two shares.",
    ),
)
