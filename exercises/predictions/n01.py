"""The predictions of notebook 01."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "01.gradient",
        'After looking up "one journey one step" and adding up all the numbers: how do the gradients of the rows '
        "compare?",
        {
            "a": "Every row of the table has the same: the table is one parameter.",
            "b": 'That of "one" is larger than those of "journey" and "step".',
            "c": 'Those of "one", "journey" and "step" are the same, and the other rows have none.',
            "d": "They are as different as the rows themselves: a row of larger numbers has a larger gradient.",
        },
        right="b",
        tempting={
            "a": "The gradient does have the shape of the whole table; but would the sum change if a row that "
            "nobody took changed a little?",
            "c": "Each of the three words is in the text; but how often is each row in the sum?",
            "d": "A larger number adds more to the sum; but how much more does the sum become if it grows by 1?",
        },
        watch="Ask of each row how much the sum would grow if a single number in that row grew by 1.",
    ),
    Prediction(
        "01.bank",
        'How does MiniLM\'s table hold the two senses of "bank", the one by the river and the one with the money?',
        {
            "a": "In two rows, one for each sense; the sentence decides which of them is taken.",
            "b": 'In no row of its own: a word with several senses is split into pieces, such as "ban" and "##k".',
            "c": "In a single row: a row is found by the word alone, whatever the sentence is about.",
        },
        right="c",
        tempting={
            "a": "A dictionary would have two entries; but what is a row of the table found by, and what has the "
            "sentence to do with it?",
            "b": "Words are split into pieces; but was it their meaning that decided where, or the list of pieces?",
        },
        watch="The next output begins with the ids of two texts: look for the one that stands for the bank.",
    ),
    Prediction(
        "01.order",
        '"dog bites man" and "man bites dog": does attention give "dog" the same vector in both?',
        {
            "a": 'No: in one sentence "dog" comes first and in the other last, so it reads the others differently.',
            "b": "Yes, the same: in both it compares itself with the same three vectors.",
            "c": "Nearly the same: the other two words are the same, but they are on its other side.",
        },
        right="b",
        tempting={
            "a": "To a reader the two dogs are quite different; but what does attention get to compare: the words, "
            "or where they are?",
            "c": "Left and right matter to a reader; but has attention been told on which side a word is?",
        },
        watch="Compare the two lines number by number.",
    ),
    Prediction(
        "01.apart",
        "A word and a position are added, and each is looked for as the row nearest to the sum. How often are both "
        "found?",
        {
            "a": "In most, if there are many features: in many dimensions, random rows hardly get in each other's way.",
            "b": "In most, if there are few features: the fewer numbers are added, the less is mixed up.",
            "c": "In next to none: a sum does not say what was added, however many features there are.",
        },
        right="a",
        tempting={
            "b": "Fewer numbers, fewer sums. But with two features, how many of the 20,000 sums lie close together?",
            "c": "It is true of 8, and of 5 + 3. But how many of the 20,000 pairs come close to one row of numbers?",
        },
        watch="Follow the shares down the lines of the next output, from C = 2 to C = 128.",
    ),
    Prediction(
        "01.vector",
        'MiniLM\'s first attention reads "bank" in "the bank of the river". In which other text does it read the '
        "same vector?",
        {
            "a": 'In "we sat on the bank of the river": there, too, it is the bank of a river.',
            "b": 'In neither: "the bank lent me money" is about money, and in the other text "bank" comes later.',
            "c": 'In "the bank lent me money": there, too, "bank" is the second word.',
        },
        right="c",
        tempting={
            "a": "It is the same meaning. But which three rows are added for this token, and which of them knows "
            "about rivers?",
            "b": "A reader tells them apart. But which three rows are added, and which of them knows about money?",
        },
        watch="The last word of each line says whether the two vectors are the same, number by number.",
    ),
)
