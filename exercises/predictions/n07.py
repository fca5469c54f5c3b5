"""The predictions of notebook 07."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "07.bank",
        'Eight sentences contain "bank", four with each meaning. How alike are its vectors after six layers?',
        {
            "a": "Almost equal with the same meaning, and with different meanings no more alike than those of two "
            "different words: the context decides what the word means.",
            "b": "Alike in all pairs, and with the same meaning a little more on average: what the context adds does "
            "not replace the word.",
            "c": "Equal in all pairs: the table of embeddings has a single row for the word.",
        },
        right="b",
        tempting={
            "a": "It is how vectors in context are often described; but do six layers leave nothing of what they began "
            "with?",
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
            "c": "Much shorter: what is read so much need not carry much.",
        },
        right="c",
        tempting={
            "a": "Much attention sounds like much information, but what a token gets is the weight times the value.",
            "b": "LayerNorm rescales the vectors that go into the layer; the value is made from them by a projection.",
        },
        watch="Three lines follow, with a number for each layer: what do you get if you multiply the first two?",
    ),
    Prediction(
        "07.prune",
        "The heads that mattered least are silenced first. How many of the 72 can go before the correlation falls "
        "below 0.95?",
        {
            "a": "About 36, half of them: many heads matter little, even together.",
            "b": "About 18, a quarter: some heads are idle, and the others are needed.",
            "c": "About 6: in training every head has found a task of its own.",
        },
        right="a",
        tempting={
            "b": "A head that matters little alone may matter more once others are gone. But does the figure show a "
            "gap between idle heads and needed ones?",
            "c": "The tasks may well differ; but by how much did the similarities move when a single head was missing?",
        },
        watch="The first line says at which head it happens; the figure shows how the curves fall.",
    ),
    Prediction(
        "07.half",
        "Half of the heads are gone. How large is the model now?",
        {
            "a": "Half as large: the heads are what the model consists of.",
            "b": "About three quarters: the heads are half of each layer.",
            "c": "About nine tenths: a layer is more than its heads, and the model is more than its layers.",
        },
        right="c",
        tempting={
            "a": "You hear most about heads; but which parts of the model does no head own?",
            "b": "Half of one of two parts is a quarter; but are they equally large, and are they the whole model?",
        },
        watch="The first two lines are the shares that are left of the model and of its layers: why do they differ?",
    ),
)
