"""The predictions of notebook 14."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "14.fused",
        "The rows of a fused weight lie head by head, and somebody cuts it into three equal blocks of rows, for q, k "
        "and v. What happens?",
        {
            "a": "An error is raised.",
            "b": "It runs, and the output is right.",
            "c": "It runs, and the output is another one.",
        },
        right="c",
        tempting={
            "a": "An error would be welcome, but how many rows does a third of the weight have, and how many columns?",
            "b": "Every row is used once, and the order of terms in a sum does not matter. But is a row of the weight "
            "a term, or a feature with a task of its own?",
        },
        watch="Look for an error first, and then at how far the two outputs are apart.",
    ),
    Prediction(
        "14.golden",
        "In one of these cases ours must differ from theirs. In which?",
        {
            "a": "`padding_mask`",
            "b": "`fully_masked_item`",
            "c": "`cross_attention_past`",
            "d": "`prune_heads_1_3`",
        },
        right="b",
        tempting={
            "a": "Theirs adds the lowest float. What is the exponential of such a score, next to one that is visible?",
            "c": "The second step of the list says what theirs does; ours does the same.",
            "d": "The numbers of the heads matter when another is to be removed later. Here both remove the same two.",
        },
        watch="The next cell counts the items that agree; the table after it names the one that does not.",
    ),
    Prediction(
        "14.heads",
        "The head mask has the shape (H,), and there happen to be as many keys as heads. What does the product "
        "silence?",
        {
            "a": "A key, in every head.",
            "b": "A head, for all keys.",
            "c": "Nothing, and the product raises an error.",
        },
        right="a",
        tempting={
            "b": "That is what the numbers are meant for. But what does broadcasting know of their meaning?",
            "c": "Missing axes are filled in, on one side. When does broadcasting refuse?",
        },
        watch="Compare the lists of True and False in the first two lines with those in the last two.",
    ),
    Prediction(
        "14.distance",
        "Which distance does each of the seven keys seem to have from the new token?",
        {
            "a": "From 6 down to 0.",
            "b": "From 0 down to -6.",
            "c": "0, all of them.",
        },
        right="c",
        tempting={
            "a": "That would be the right numbering. But what does `hidden_states` hold in this call?",
            "b": "The query is taken for the first indeed. But from where to where are the keys numbered?",
        },
        watch="See whose results for the seventh token depend on the cache, and what the last line says about theirs.",
    ),
    Prediction(
        "14.order",
        "Two sentences of five words, (B, T, C), are fed to a module that expects (T, B, C). Then sentence 1 is "
        "changed. What does the output for sentence 0 do?",
        {
            "a": "It stays the same.",
            "b": "It changes.",
            "c": "There is none, and the module raises an error.",
        },
        right="b",
        tempting={
            "a": "The sentences of a batch should not read each other. But which axis does this module take for "
            "that of the batch?",
            "c": "A module is built for a number of features, not for a number of items or words.",
        },
        watch="Look at how far sentence 0, which is item 0, moves in each of the two lines.",
    ),
)
