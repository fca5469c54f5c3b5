"""The predictions of notebook 07."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "07.bank",
        'Eight sentences contain "bank", four with each meaning. How alike are its vectors after six layers?',
        {
            "a": "With the same meaning very much alike, with different meanings hardly more than two different words.",
            "b": "With the same meaning very much alike, with different meanings only a little less.",
            "c": "With the same meaning as much alike as with different meanings.",
        },
        right="b",
        tempting={
            "a": "It is how vectors in context are often described; but do six layers leave nothing of what they began "
            "with?",
            "c": "The table has one row for both meanings. But does what a word reads in six layers leave no "
            "trace in it?",
        },
        watch="Look at the means, and then at whether the ranges of the first two lines overlap.",
    ),
    Prediction(
        "07.sink",
        "In the middle layers more than half of all attention goes to `[CLS]`. How long are the values of `[CLS]` "
        "there, compared with those of other tokens?",
        {
            "a": "About twice as long.",
            "b": "About as long.",
            "c": "About a tenth as long, or less.",
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
            "a": "About 36.",
            "b": "About 18.",
            "c": "About 6.",
        },
        right="a",
        tempting={
            "b": "A head that matters little alone may matter more once others are gone. But does the figure show a "
            "gap between idle heads and needed ones?",
            "c": "Each head may have a task of its own; but by how much did the similarities move when a single "
            "head was missing?",
        },
        watch="The first line says at which head it happens; the figure shows how the curves fall.",
    ),
    Prediction(
        "07.half",
        "Half of the heads are gone. How many of its parameters does the model still have?",
        {
            "a": "About half.",
            "b": "About three quarters.",
            "c": "About nine tenths.",
        },
        right="c",
        tempting={
            "a": "You hear most about heads; but which parts of the model does no head own?",
            "b": "A layer has two halves, and attention loses half; but are the halves equally large, and are they "
            "the whole model?",
        },
        watch="The first two lines are the shares that are left of the model and of its layers: why do they differ?",
    ),
)
