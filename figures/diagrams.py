"""Diagrams: the whole model, one block of it, several heads, and the layouts of fused weights."""

from dataclasses import dataclass

from matplotlib import rc_context
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from figures.style import BLUE, COLORS, FAINT, INK, LINE, PAPER, STYLE, new_figure
from figures.svg import Picture, to_svg

QUIET, FRAME = "#eef2f7", "#f8fafc"  # fills of a part, and of a frame around parts


@dataclass(frozen=True)
class Box:
    """A part of a diagram, by its middle and its size, in inches."""

    label: str
    x: float
    y: float
    width: float = 0.94
    height: float = 0.62

    @property
    def left(self):
        return self.x - self.width / 2, self.y

    @property
    def right(self):
        return self.x + self.width / 2, self.y

    @property
    def top(self):
        return self.x, self.y + self.height / 2


# ---------------------------------------------------------------- the map of the course

TOKENS = Box("tokens", 0.5, 0)
EMBEDDINGS = Box("embeddings\n+ positions", 1.72, 0, width=1.06)
ATTENTION = Box("attention", 3.07, 0)
FIRST_NORM = Box("add\n& norm", 4.18, 0, width=0.8)
FEED_FORWARD = Box("feed-\nforward", 5.26, 0, width=0.86)
SECOND_NORM = Box("add\n& norm", 6.34, 0, width=0.8)
PREDICTION = Box("prediction", 7.62, 0)
MAP = {  # part: the notebooks about it
    TOKENS: ("01",),
    EMBEDDINGS: ("01",),
    ATTENTION: ("02", "03", "04", "05"),
    FIRST_NORM: ("06",),
    FEED_FORWARD: ("06",),
    SECOND_NORM: ("06",),
    PREDICTION: ("08",),
}


def model_map(here=""):
    """The whole model from the tokens to the prediction, with the parts of one notebook marked.

    Units:  here is a notebook's number: "02" marks attention, "07" all parts, and "" none
    Errors: ValueError if no part belongs to that notebook
    Source: notebook 00; Vaswani et al. (2017), "Attention Is All You Need"
    """
    marked = [part for part, notebooks in MAP.items() if here in notebooks or here == "07"]
    if here and not marked:
        raise ValueError(f'here must be the number of a notebook about a part of the model, such as "02"; got {here!r}')
    with rc_context(STYLE):
        figure, axis = _canvas((-0.05, 8.15), (-0.98, 1.06))
        _frame(axis, 2.36, 6.86, -0.5, 0.92, "× N")
        parts = list(MAP)
        for part in parts:
            _box(axis, part, strong=part in marked)
            _below(axis, part, _range(MAP[part]), strong=part in marked)
        for one, other in zip(parts, parts[1:], strict=False):
            _arrow(axis, one.right, other.left)
        _around(axis, 2.48, FIRST_NORM)
        _around(axis, 4.7, SECOND_NORM)
        names = ", ".join(part.label.replace("-\n", "-").replace("\n", " ") for part in parts)
        return Picture(
            to_svg(figure),
            f"The whole model, from left to right: {names}. Attention, feed-forward and the two add & norm form a "
            "block that is repeated N times. One arrow leads around attention, another around feed-forward. "
            f"{_where(here, marked)}",
            f"{_where(here, marked)} Below each part is the number of its notebook.".strip(),
        )


def _where(here, marked):
    """The sentence that says which parts the notebook is about."""
    if here == "07":
        return "You are here: in notebook 07 all parts come together."
    names = list(dict.fromkeys(part.label.replace("-\n", "-").replace("\n", " ") for part in marked))
    return f"You are here, in notebook {here}: {', '.join(names)}." if here else ""


def _range(notebooks):
    return notebooks[0] if len(notebooks) == 1 else f"{notebooks[0]} to {notebooks[-1]}"


# ---------------------------------------------------------------- one block, and its attention


def bert_block():
    """One block of BERT: attention, then a feed-forward network, each followed by add & norm.

    Source: notebook 06; Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers"
    """
    with rc_context(STYLE):
        figure, axis = _canvas((0, 7.9), (-1.95, 1.1))
        _sublayer(axis, 0, "x", ("attention\nin H heads", "linear\nC to C"), "x'")
        _sublayer(axis, -1.5, "x'", ("linear\nC to 4C", "GELU", "linear\n4C to C"), "out")
        return Picture(
            to_svg(figure),
            "One block of BERT in two rows. First row: x goes through attention in H heads, a linear layer from C to "
            "C features, and dropout; x itself is added, and a layer norm gives x'. Second row: x' goes through a "
            "linear layer from C to 4C features, GELU, a linear layer back to C, and dropout; x' itself is added, and "
            "a layer norm gives out.",
            "Both rows have the same form: an arrow leads around the layers, from what went in to the plus sign.",
        )


def _sublayer(axis, y, start, layers, end):
    """One row with the norm at its end: layers, dropout, the residual connection, and the norm."""
    step = (5.0 - 1.35) / len(layers)
    parts = [Box(label, 1.35 + step * (i + 0.5) - 0.15, y, width=1.0) for i, label in enumerate(layers)]
    dropout, plus = Box("dropout", 5.3, y, width=0.8), Box("+", 6.15, y, width=0.34, height=0.34)
    _row(axis, start, [*parts, dropout, plus, Box("layer\nnorm", 6.95, y, width=0.7)], plus, end)


def _row(axis, start, boxes, plus, end):
    """Boxes from left to right, with arrows between them, and a residual connection around all before `plus`."""
    y, previous = plus.y, (0.45, plus.y)
    axis.text(0.3, y, start, ha="center", va="center", fontsize=10, fontweight="bold")
    for box in boxes:
        _box(axis, box, strong=box.label not in ("GELU", "dropout", "+", "layer\nnorm"))
        _arrow(axis, previous, box.left)
        previous = box.right
    _around(axis, 0.75, plus, height=0.75)
    _arrow(axis, previous, (7.55, y))
    axis.text(7.74, y, end, ha="center", va="center", fontsize=10, fontweight="bold")


def decoder_block():
    """One block of a decoder: a norm, then causal attention, then the sum; the same again with a feed-forward network.

    Source: notebook 08; Radford et al. (2019), "Language Models are Unsupervised Multitask Learners"
    """
    with rc_context(STYLE):
        figure, axis = _canvas((0, 7.9), (-1.95, 1.1))
        _pre_norm_sublayer(axis, 0, "x", ("causal multi-\nhead attention",), "x'")
        _pre_norm_sublayer(axis, -1.5, "x'", ("linear\nC to 4C", "GELU", "linear\n4C to C"), "out")
        return Picture(
            to_svg(figure),
            "One block of a decoder in two rows. First row: x goes through a layer norm and causal multi-head "
            "attention; x itself is added, which gives x'. Second row: x' goes through a layer norm, a linear layer "
            "from C to 4C features, GELU, and a linear layer back to C; x' itself is added, which gives out. x, x' and "
            "out have the shape (B, T, C).",
            "The norm comes first, and the line above is never normalized: from x to out, parts are only added to it.",
        )


def _pre_norm_sublayer(axis, y, start, layers, end):
    """One row with the norm at its beginning: the norm, layers, and the residual connection around both."""
    norm, plus = Box("layer\nnorm", 1.5, y, width=0.7), Box("+", 6.75, y, width=0.34, height=0.34)
    step = 4.2 / len(layers)
    parts = [Box(label, 2.2 + step * (i + 0.5), y, width=1.15) for i, label in enumerate(layers)]
    _row(axis, start, [norm, *parts, plus], plus, end)


def multi_head_attention(num_heads=3):
    """The steps of multi-head attention, with the shape after each of them.

    Units:  num_heads is how many heads are drawn, 2 to 4
    Errors: ValueError for another number of heads
    Source: notebook 05; Vaswani et al. (2017), "Attention Is All You Need"
    """
    if num_heads not in (2, 3, 4):
        raise ValueError(f"num_heads must be 2, 3 or 4, so that the heads can be drawn apart; got {num_heads!r}")
    with rc_context(STYLE):
        figure, axis = _canvas((0, 8.1), (-1.75, 1.5))
        axis.text(0.25, 0, "x", ha="center", va="center", fontsize=10, fontweight="bold")
        merge, out = Box("merge\nheads", 5.75, 0, width=0.8), Box("out_proj", 6.9, 0, width=0.85)
        for y, name in ((0.95, "q"), (0, "k"), (-0.95, "v")):
            project, split = Box(f"{name}_proj", 1.1, y, width=0.85), Box("split\nheads", 2.35, y, width=0.8)
            _box(axis, project, strong=True)
            _box(axis, split)
            _arrow(axis, (0.38, 0), project.left)
            _arrow(axis, project.right, split.left)
            for head in _heads(num_heads):
                _arrow(axis, split.right, head.left, alpha=0.55)
        for i, head in enumerate(_heads(num_heads)):
            _box(axis, Box(f"head {i}:\nattention", head.x, head.y, head.width, head.height), strong=True)
            _arrow(axis, head.right, merge.left)
        _box(axis, merge)
        _box(axis, out, strong=True)
        _arrow(axis, merge.right, out.left)
        _arrow(axis, out.right, (7.72, 0))
        axis.text(7.88, 0, "out", ha="center", va="center", fontsize=10, fontweight="bold")
        for x, shape in (
            (0.3, "(B, T, C)"),
            (1.1, "(B, T, C)"),
            (2.35, "(B, H, T, D)"),
            (4.2, "(B, H, T, D)"),
            (5.75, "(B, T, C)"),
            (6.9, "(B, T, C)"),
        ):
            axis.text(x, -1.55, shape, ha="center", va="center", fontsize=8, color=FAINT)
        return Picture(
            to_svg(figure),
            "Multi-head attention from left to right: three layers, q_proj, k_proj and v_proj, project x (B, T, C). "
            f"Each result is split into heads, (B, H, T, D). Each of the {num_heads} heads drawn here gets its part "
            "of q, k and v and attends on its own. The heads are merged to (B, T, C), and out_proj mixes them.",
            "Every projection reads all of x; it is the projected q, k and v that are cut into heads.",
        )


def _heads(count):
    """The boxes of the heads, one below the other."""
    return [Box("", 4.2, (count - 1) * 0.45 - 0.9 * i, width=1.0, height=0.6) for i in range(count)]


STACKED = ("q 0", "q 1", "k 0", "k 1", "v 0", "v 1")  # a letter for the projection, a number for the head
INTERLEAVED = ("q 0", "k 0", "v 0", "q 1", "k 1", "v 1")


def fused_layouts():
    """Where q, k and v of two heads are in one fused weight: stacked, interleaved, and transposed.

    Source: notebook 14
    """
    with rc_context(STYLE):
        figure, axis = _canvas((0, 7.6), (-0.1, 2.9))
        for left, title, pieces in ((0.75, "stacked", STACKED), (2.95, "interleaved", INTERLEAVED)):
            for i, piece in enumerate(pieces):
                _piece(axis, piece, left, 2.0 - 0.4 * i, 1.2, 0.4)
            _title(axis, left + 0.6, title, "(3C, C)")
        for i, piece in enumerate(STACKED):
            _piece(axis, piece, 5.0 + 0.4 * i, 1.2, 0.4, 1.2)
        _title(axis, 6.2, "transposed", "(C, 3C)")
        axis.text(0.65, 1.2, "D rows\neach", ha="right", va="center", fontsize=9, color=FAINT)
        axis.text(6.2, 1.05, "D columns each", ha="center", va="top", fontsize=9, color=FAINT)
        return Picture(
            to_svg(figure),
            "Three fused weights of two heads, each cut into six pieces. "
            f"Stacked, from top to bottom: {', '.join(STACKED)}. "
            f"Interleaved, from top to bottom: {', '.join(INTERLEAVED)}. "
            f"Transposed, from left to right: {', '.join(STACKED)}.",
            "The letter and the color name the projection, the number names the head.",
        )


def _piece(axis, label, left, bottom, width, height):
    """The rows or columns of one projection and one head."""
    color = COLORS["qkv".index(label[0])]
    axis.add_patch(Rectangle((left, bottom), width, height, facecolor=color, edgecolor=PAPER, linewidth=1.5))
    place = left + width / 2, bottom + height / 2
    axis.text(*place, label, ha="center", va="center", fontsize=9.5, color=PAPER)


def _title(axis, x, title, shape):
    axis.text(x, 2.72, title, ha="center", va="center", fontsize=11.5, fontweight="bold")
    axis.text(x, 2.52, shape, ha="center", va="center", fontsize=9, color=FAINT)


# ---------------------------------------------------------------- drawing


def _canvas(across, up):
    """An axis in inches without ticks."""
    figure, axis = new_figure(across[1] - across[0], up[1] - up[0])
    axis.set(xlim=across, ylim=up, aspect="equal")
    axis.set_axis_off()
    return figure, axis


def _rounded(axis, left, bottom, width, height, **options):
    style = "round,pad=0,rounding_size=0.09"
    axis.add_patch(FancyBboxPatch((left, bottom), width, height, boxstyle=style, **options))


def _box(axis, box, strong=False, fill=QUIET):
    corner = box.x - box.width / 2, box.y - box.height / 2
    edge = BLUE if strong else LINE
    _rounded(axis, *corner, box.width, box.height, facecolor=BLUE if strong else fill, edgecolor=edge, linewidth=1)
    axis.text(box.x, box.y, box.label, ha="center", va="center", fontsize=9, color=PAPER if strong else INK)


def _frame(axis, left, right, bottom, top, label):
    """A frame around several boxes, with a label in its upper left corner."""
    _rounded(
        axis, left, bottom, right - left, top - bottom, facecolor=FRAME, edgecolor=LINE, linewidth=1, linestyle="--"
    )
    axis.text(left + 0.12, top - 0.08, label, ha="left", va="top", fontsize=9.5, fontweight="bold")


def _below(axis, box, label, strong=False):
    weight, color = ("bold", INK) if strong else ("normal", FAINT)
    axis.text(box.x, -0.68, label, ha="center", va="top", fontsize=8.5, color=color, fontweight=weight)


def _arrow(axis, start, end, **options):
    arrow = FancyArrowPatch(
        start, end, arrowstyle="-|>", mutation_scale=9, color=INK, linewidth=1, shrinkA=1, shrinkB=1, **options
    )
    axis.add_patch(arrow)


def _around(axis, start, norm, height=0.62):
    """A residual connection: from the arrow at `start` over the next box into the top of `norm`."""
    (x, y), above = norm.top, norm.y + height
    axis.plot([start, start, x], [norm.y, above, above], color=INK, linewidth=1, solid_joinstyle="round")
    _arrow(axis, (x, above), (x, y))
