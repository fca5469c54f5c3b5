"""Draw site/static/card.png, which is shown where somebody shares a link: `python -m tools.site.card`."""

from matplotlib.figure import Figure

from exercises import EXERCISES
from exercises.n02_single_head_attention.pronouns import features
from figures import INK, WEIGHTS
from helpers.attention import dot_product_attention
from tools.site.prepare import PAGES

SENTENCE = "the king lost the ball but he found it again for the queen"
DOTS = 100  # per inch: 1200 x 630 pixels, the size that such pictures have


def draw(path):
    words, weights = SENTENCE.split(), pronoun_weights()
    figure = Figure(figsize=(12, 6.3), dpi=DOTS, facecolor="#f7fafd")
    axis = figure.add_axes((0.53, 0.06, 0.45, 0.76))
    axis.imshow(weights, cmap=WEIGHTS, vmin=0, vmax=1)
    axis.set_xticks(range(len(words)), words, rotation=45, ha="left", rotation_mode="anchor", color=INK, fontsize=15)
    axis.set_yticks(range(len(words)), words, color=INK, fontsize=15)
    axis.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axis.spines[:].set_visible(False)
    figure.text(0.05, 0.56, "Attention\nby Hand", color=INK, fontsize=52, weight="bold", linespacing=1.15)
    figure.text(0.052, 0.36, "Build the attention mechanism yourself,\nin PyTorch, one exercise at a time.",
                color=INK, fontsize=18, linespacing=1.5)  # fmt: skip
    figure.savefig(path, metadata={"Software": None})


def pronoun_weights():
    """The attention that exercise 2.6 sets by hand.

    Shapes: -> (T, T)
    """
    W_query, W_key = EXERCISES["2.6"].reference()
    x = features(SENTENCE)
    return dot_product_attention(x @ W_query, x @ W_key, x)[1]


if __name__ == "__main__":
    draw(PAGES / "static" / "card.png")
