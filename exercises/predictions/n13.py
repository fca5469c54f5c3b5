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
        "Two of the four exhibits promise not to read what comes later, and one of these two has a leak. About how "
        "many of the four does "
        "`test_future` complain?",
        {
            "a": "About one: the one with the leak.",
            "b": "About three: the leak, and the two that read in both directions.",
            "c": "About two: those that promise not to read it.",
        },
        right="b",
        tempting={
            "a": "Does the test know what an exhibit has promised?",
            "c": "A test is asked of all four. What will an encoder's outputs do when the text grows?",
        },
        watch="Read the row `future`, and then the promises.",
    ),
    Prediction(
        "13.leaks",
        "The stories' grammar knows the best possible loss for the next word: 1.23. Eight exhibits were trained on "
        "it, four of them with a bug that lets "
        "later tokens in or too few earlier ones, or is elsewhere. Does any loss fall far below 1.23?",
        {
            "a": "No: nothing can be better than the best possible loss.",
            "b": "Yes: those that read the next word before they predict it.",
            "c": "Yes, all: a model that is trained for long enough learns the stories by heart.",
        },
        right="b",
        tempting={
            "a": "That holds for whoever reads only the words before. Who does not?",
            "c": "Each batch has new stories. What is there to learn by heart?",
        },
        watch="Look for losses below the best possible one.",
    ),
)
