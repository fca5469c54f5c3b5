"""The predictions of notebook 09."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "09.shift",
        "Every word gets the next row of the table: row 1 instead of 0, row 2 instead of 1, and so on. How often is "
        "the first choice still right?",
        {
            "a": "Always: the words, their order and all distances are the same as before.",
            "b": "Nearly always: rows that are neighbors are nearly alike, so that one row further hardly matters.",
            "c": "Less than two times in three: in training, no story began at row 1.",
        },
        right="c",
        tempting={
            "a": "They are; but is there a number in the model that says how far apart two words are?",
            "b": "That is so for the waves of notebook 01. But who told a learned table that row 5 comes after row 4?",
        },
        watch="Compare the first two lines of the next output.",
    ),
    Prediction(
        "09.both",
        "Query and key both move on by 1,000 positions, so that they stand at 1,007 and 1,004. What happens to their "
        "score?",
        {
            "a": "It becomes an arbitrary number: after 500 radians, each of the two may point anywhere.",
            "b": "It falls to nearly 0: the further a word is from the beginning, the less it counts.",
            "c": "It stays as it is: both have been turned further by the same angle.",
        },
        right="c",
        tempting={
            "a": "Each of them points somewhere else than before. Does a dot product see where two arrows point, or "
            "how they lie to each other?",
            "b": "The length of an arrow does not change when it turns. What else could make the score small?",
        },
        watch="Compare the lines of the next output that have the same distance.",
    ),
    Prediction(
        "09.slow",
        "The query and the key are the same. By its own score alone, which pair can tell a distance of 44 from a "
        "distance of 0?",
        {
            "a": "The fastest: in 44 positions it has turned further than all the others.",
            "b": "Some of those in between: they have turned visibly, and are not back where they began.",
            "c": "The slowest: it is the only one that does not come around within the text.",
        },
        right="b",
        tempting={
            "a": "It has turned by 44 radians. How many full turns is that, and what is left over?",
            "c": "It does not come around. By which angle has it turned at 44, and what is the cosine of that?",
        },
        watch="In the column for 44, look for numbers that are well below 1.",
    ),
    Prediction(
        "09.cache",
        "Five words have been read, and their keys, turned, are in the cache. Now the sixth word comes. What has to be "
        "done to the five keys?",
        {
            "a": "Each is turned by one more position: it is now one position further from the newest word.",
            "b": "Nothing: each stays at the position where it was turned.",
            "c": "They are turned again from what the projection gave, as the text is now six words long.",
        },
        right="b",
        tempting={
            "a": "It is one position further away. But the new query has a position, too: what has already been turned "
            "by one more?",
            "c": "The angle of a key is its position times the speeds of the pairs. Does the length of the text occur "
            "in it?",
        },
        watch="The next output compares the sixth word's result with that of all six in one call.",
    ),
    Prediction(
        "09.longer",
        "Which of the two reads back stories of 256 words nearly as well as those of 64?",
        {
            "a": "ALiBi alone: its penalty keeps growing as before, while rotary pairs meet new angles.",
            "b": "Rotary alone: under ALiBi's penalty, distant words are no longer read.",
            "c": "Both: each knows only distances, and neither has a last position.",
            "d": "Neither: no model reads texts longer than those it was trained on.",
        },
        right="a",
        tempting={
            "b": "The penalty of the steepest head is large at 200 words. But how large is that of the flattest, and "
            "how far back must a story be read?",
            "c": "Neither has a last position. But are all distances in 256 words among those of 64?",
            "d": "Something has to be new in a longer text. What is it with rotary positions, and what with ALiBi?",
        },
        watch="Compare the columns of the next output.",
    ),
)
