"""The whole of self-attention in one figure."""

from matplotlib import rc_context
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from figures.style import FAINT, INK, LINE, PAPER, SIGNED, STYLE, WEIGHTS, new_figure, rounded
from figures.svg import Picture, to_svg


def attention_flow(x, q, k, v, scores, weights, out):
    """The matrices of self-attention in their true proportions, from x on the left to out on the right.

    Shapes: x (T, d_in), q, k (T, D), v (T, Dv), scores and weights (T, T), out (T, Dv)
    Units:  weights on a scale from 0 to 1, all others blue above 0 and orange below
    Errors: ValueError if a tensor has not two axes
    Source: notebook 02
    """
    apart = len(x) + 3.2  # from the middle of one row of matrices to the next
    places = {
        "x": (x, 0, 0),
        "q": (q, 8, -apart),
        "k": (k, 8, 0),
        "v": (v, 8, apart),
        "scores = q @ kᵀ / √D": (scores, 15.5, -apart / 2),
        "weights": (weights, 27, -apart / 2),
        "out = weights @ v": (out, 38.5, 0),
    }
    with rc_context(STYLE):
        figure, axis = new_figure(9, 5.6)
        ends = {
            name: _matrix(axis, rounded(values), left, middle, name) for name, (values, left, middle) in places.items()
        }
        for start, end, label in (
            ("x", "q", "W_query"),
            ("x", "k", "W_key"),
            ("x", "v", "W_value"),
            ("q", "scores = q @ kᵀ / √D", ""),
            ("k", "scores = q @ kᵀ / √D", ""),
            ("scores = q @ kᵀ / √D", "weights", "softmax"),
            ("weights", "out = weights @ v", ""),
            ("v", "out = weights @ v", ""),
        ):
            _link(axis, ends[start][1], ends[end][0], label)
        axis.set(xlim=(-0.5, 41.5), ylim=(1.5 * len(x) + 4.9, -1.5 * len(x) - 4.9), aspect="equal")
        axis.set_axis_off()
        named = {"x": x, "q": q, "k": k, "v": v, "scores": scores, "weights": weights, "out": out}
        shapes = ", ".join(f"{name} {tuple(values.shape)}" for name, values in named.items())
        return Picture(
            to_svg(figure),
            f"Self-attention from left to right. Shapes: {shapes}. "
            "q, k and v are projections of x; q and k give the scores; a softmax over "
            "each row gives the weights; weights @ v is out.",
            "Follow the arrows: q and k meet in the scores, and v joins only after the softmax.",
        )


def _link(axis, start, end, label):
    """An arrow from one matrix to the next, with the name of what happens on the way."""
    (x0, y0), (x1, y1) = start, end
    axis.annotate("", (x1 - 0.3, y1), (x0 + 0.3, y0), arrowprops={"arrowstyle": "-|>", "color": LINE, "lw": 1.2})
    axis.text(
        (x0 + x1) / 2,
        (y0 + y1) / 2 - 0.4,
        label,
        ha="center",
        va="bottom",
        fontsize=8.5,
        color=INK,
        bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1},
    )


def _matrix(axis, values, left, middle, name):
    """One small colored matrix, its name above, its shape below; returns the middles of its left and right side."""
    if values.dim() != 2:
        raise ValueError(f"{name} must have two axes, got shape {tuple(values.shape)}")
    rows, wide = values.shape
    top = middle - rows / 2
    scale, colors = (Normalize(0, 1), WEIGHTS) if name == "weights" else (Normalize(-1, 1), SIGNED)
    for i in range(rows):
        for j in range(wide):
            axis.add_patch(
                Rectangle(
                    (left + j, top + i),
                    1,
                    1,
                    facecolor=colors(scale(float(values[i, j]))),
                    edgecolor="#cfd5de",
                    linewidth=0.6,
                )
            )
    axis.text(left + wide / 2, top - 0.35, name, ha="center", va="bottom", fontweight="bold", fontsize=9.5)
    axis.text(left + wide / 2, top + rows + 0.35, f"({rows}, {wide})", ha="center", va="top", fontsize=8.5, color=FAINT)
    return (left, middle), (left + wide, middle)
