"""The predictions of notebook 10."""

from feedback.prediction import Prediction

PREDICTIONS = (
    Prediction(
        "10.models",
        "Which of the five models keeps the most bytes for each token?",
        {
            "a": "DeepSeek-V3: it is by far the largest, and has the most layers and the most heads.",
            "b": "Llama 3 8B: it is newer than Llama 2 7B, has more parameters, and reads longer texts.",
            "c": "Llama 2 7B: all its heads have keys and values of their own, while newer models save on them.",
        },
        right="c",
        tempting={
            "a": "If each of its heads had a key and a value of its own, that would be so. With 671 billion "
            "parameters to store already, what would its makers do about the cache?",
            "b": "Longer texts make more tokens. What do they mean for a design in which each token costs half a "
            "megabyte?",
        },
        watch="Compare the bars of the two Llamas, and that of DeepSeek-V3.",
    ),
    Prediction(
        "10.time",
        "With one group in place of 32, there are as many scores as before, and as many multiplications. How long "
        "does a step take after 8,192 tokens?",
        {
            "a": "As long as before: the multiplications are what takes the time.",
            "b": "Less than half as long: what takes the time is to bring the cache from memory.",
            "c": "Longer: 32 query heads have to wait for the same keys.",
        },
        right="b",
        tempting={
            "a": "A key that has just been read is multiplied 32 times in one case, and once in the other. What is "
            "slower on your machine, a multiplication, or a number that has to come from memory first?",
            "c": "Reading does not use a key up. Can the queries of all heads be the rows of one matrix?",
        },
        watch="Compare the last times of the three lines in the next output.",
    ),
    Prediction(
        "10.pooled",
        "In every layer, MiniLM's 12 heads of keys and values become 6: each is the mean of two. Each sentence gets "
        "a new vector. How large is its cosine with the old one, on average?",
        {
            "a": "Above 0.95: twelve heads have learned much the same, so that one of two can be spared.",
            "b": "Between 0.5 and 0.9: much is lost, but the sentence can still be recognized.",
            "c": "Below 0.2: the mean of two heads is no head, so that nothing is left of the sentence.",
        },
        right="b",
        tempting={
            "a": "In notebook 05 and in notebook 07, different heads read different words. What is the mean of two "
            "keys that were made for different questions?",
            "c": "Everything else is as it was: the embeddings, the queries, the feed-forward networks, and the "
            "residual connection, to which attention only adds.",
        },
        watch="Look at the line for 6 groups.",
    ),
    Prediction(
        "10.turned",
        "There are no keys to turn. So each query is brought to the latents, and then both the moved query and the "
        "latents are turned by their positions. Which scores are those of turned keys?",
        {
            "a": "Only those of a word with itself: there, both are turned alike, and it cancels.",
            "b": "Those of words close to each other: the slower pairs have hardly turned.",
            "c": "All of them: query and latent are turned by the same angles as query and key.",
        },
        right="a",
        tempting={
            "b": "The slow pairs have hardly turned between neighbors. What about the fastest, which turns by "
            "a whole radian?",
            "c": "The angles are the same. But is turning a latent and then multiplying it by W_k the same as "
            "multiplying it first, and turning the key?",
        },
        watch="Look at a word with itself, and then at the others.",
    ),
    Prediction(
        "10.today",
        "The best possible loss is 0.88, and notebook 08's model reaches 0.93. Which loss does the decoder of today "
        "reach, with one head of keys and values in place of four?",
        {
            "a": "About the same: four query heads can still ask four questions of the same keys.",
            "b": "Above 1.2: a single head of keys cannot stand for the name, the place, the color and the food at "
            "once.",
            "c": "Below 0.89: its parts are newer, and each of them is an improvement.",
        },
        right="a",
        tempting={
            "b": "MiniLM lost much, but it was trained with twelve. What can a model do that has had one head of "
            "keys from its first step on?",
            "c": "Its parts are newer. But were they chosen for a lower loss, or for a lower price?",
        },
        watch="Compare the losses, and then the bytes for each token.",
    ),
)
