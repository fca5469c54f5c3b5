"""The predictions of notebook 13."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "13.curves",
        "Three layers fill in missing words. One is healthy, and two have a bug that stood in a published "
        "repository. How far apart are "
        "their last losses?",
        {
            "a": "The healthy one is lower by more than 0.5: a bug costs quality.",
            "b": "All three lie within a few tenths of each other.",
            "c": "The two with a bug learn nothing: their losses stay where they began.",
        },
        right="b",
        tempting={
            "a": "A bug changes what is computed. But what adapts to that in training?",
            "c": "Somebody published them, after training them. Would they have published a flat curve?",
        },
        watch="Compare the last column.",
    ),
    Prediction(
        "13.encoder",
        "Two of the four exhibits promise not to read what comes later. Of how many of the four does `test_future` "
        "complain?",
        {
            "a": "At most two: only who has made that promise can break it.",
            "b": "At least two: the other two fail it in any case.",
            "c": "None: a leak would have been seen before anything was published.",
        },
        right="b",
        tempting={
            "a": "Does the test know what an exhibit has promised?",
            "c": "By whom? The shapes were right, nothing raised, and the loss was low.",
        },
        watch="Read the row `future`, and then the promises.",
    ),
)
