"""The predictions of notebook 07."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "07.bank",
        'Two sentences contain "bank". After six layers, how alike are its two vectors?',
        {
            "a": "With the same meaning almost equal, with different meanings no more alike than two different words.",
            "b": "Alike in both cases; with the same meaning a little more, on average.",
            "c": "Equal in both cases: the table of embeddings has a single row for the word.",
        },
        right="b",
        tempting={
            "a": "It is how vectors in context are often described; but what was this model trained to tell apart?",
            "c": "The table has one row, indeed, but six layers of attention come after it.",
        },
        watch="Three lines follow: look at the means, and then at whether the ranges of the first two overlap.",
    ),
    Prediction(
        "07.sink",
        "In the middle layers more than half of all attention goes to `[CLS]`. How long are the values of `[CLS]` "
        "there, compared with those of other tokens?",
        {
            "a": "Longer: what is read so much must carry much.",
            "b": "About as long: LayerNorm gives all vectors about the same length.",
            "c": "Much shorter.",
        },
        right="c",
        tempting={
            "a": "Much attention sounds like much information, but what a token gets is the weight times the value.",
            "b": "LayerNorm rescales the vectors that go into the layer; the value is made from them by a projection.",
        },
        watch="A ratio of 1 means equally long: compare it with 1 from layer to layer.",
    ),
    Prediction(
        "07.half",
        "Half of the heads are gone. How large is the model now?",
        {
            "a": "Half as large.",
            "b": "About three quarters.",
            "c": "About nine tenths.",
        },
        right="c",
        tempting={
            "a": "You hear most about heads; but which parts of the model does no head own?",
            "b": "Half of one of two parts is a quarter; but are they equally large, and are they the whole model?",
        },
        watch="Two shares are printed, that of the layers and that of the whole model: why is the second one larger?",
    ),
)
