"""The predictions of notebook 01."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "01.gradient",
        'After looking up "one journey one step": which of the seven rows of the table have a gradient other than 0?',
        {
            "a": "All seven: the table is one parameter, and `backward()` reaches all of it.",
            "b": 'Those of "one", "journey" and "step", all three the same.',
            "c": 'Those of "one", "journey" and "step", and that of "one" is the largest.',
            "d": "None: taking rows is not a computation, so there is nothing to differentiate.",
        },
        right="c",
        tempting={
            "a": "The gradient does have the shape of the whole table; but would the sum change if a row that nobody "
            "took changed a little?",
            "b": "Each of the three words is in the text; but how often is each row in the sum?",
            "d": "A lookup copies numbers, and it looks as if a copy had no slope; but what happens to the copy when "
            "the row moves by 0.1?",
        },
        watch="Ask of each row how much the sum would grow if a single number in that row grew by 1.",
    ),
    Prediction(
        "01.bank",
        'How does MiniLM\'s table hold the two senses of "bank", the one by the river and the one with the money?',
        {
            "a": "In two rows, one for each sense; the sentence decides which of them is taken.",
            "b": "In a single row, whatever the sentence is about.",
            "c": 'In no row of its own: a word with several senses is split into pieces, such as "ban" and "##k".',
        },
        right="b",
        tempting={
            "a": "A dictionary would have two entries; but what is a row of the table found by, and what has the "
            "sentence to do with it?",
            "c": "Words are split into pieces; but was it their meaning that decided where, or the list of pieces?",
        },
        watch='Look at the neighbors that are listed for "bank": which sense are they about?',
    ),
    Prediction(
        "01.order",
        '"dog bites man" and "man bites dog": does attention give "dog" the same vector in both?',
        {
            "a": 'No: in one sentence "dog" comes first and in the other last, so it reads the others differently.',
            "b": "Yes, the same.",
            "c": "Nearly the same: the other two words are the same, but they are on its other side.",
        },
        right="b",
        tempting={
            "a": "To a reader the two dogs are quite different; but what does attention get to compare: the words, or "
            "where they are?",
            "c": "Left and right matter to a reader; but has attention been told on which side a word is?",
        },
        watch="Compare the two lines number by number.",
    ),
)
