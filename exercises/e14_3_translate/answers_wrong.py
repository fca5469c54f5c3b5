"""Wrong answers to exercise 14.3, each with the diagnosis that it must get."""

import math

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def answer(cut, factor=math.sqrt, cut_bias=None, out=None, names="qkv"):
    """An answer from these parts; factor is applied to D."""

    def translated(theirs):
        H, C = theirs.heads, theirs.proj.in_features
        state = {"out_proj.weight": theirs.proj.weight.data, "out_proj.bias": torch.zeros(C)}
        for kind, way in (("weight", cut), ("bias", cut_bias or cut)):
            for name, part in zip(names, way(getattr(theirs.qkv, kind).data, H), strict=True):
                state[f"{name}_proj.{kind}"] = part * (factor(C // H) if name == "q" else 1)
        return state if out is None else {**state, **out(theirs)}

    return translated


def by_layer(state):
    return [(*name.split("."), w) for name, w in state.items()]


def pieces(fused, H):
    cut = fused.split(len(fused) // (3 * H))
    return tuple(torch.cat(cut[p::3]) for p in range(3))


@wrong("rows-stacked")
def translate_by_thirds(theirs):
    return answer(lambda fused, H: fused.unflatten(0, (3, -1)).unbind())(theirs)


@wrong("rows-stacked")
def translate_by_thirds_without_a_scale(theirs):
    return answer(lambda fused, H: fused.view(3, len(fused) // 3, *fused.shape[1:]), lambda D: 1)(theirs)


@wrong("bias-stacked")
def translate_with_a_bias_by_thirds(theirs):
    return answer(pieces, cut_bias=lambda bias, H: bias.unflatten(0, (3, -1)).unbind())(theirs)


@wrong("rows-alternate")
def translate_row_by_row(theirs):
    return answer(lambda fused, H: fused.unflatten(0, (-1, 3)).unbind(1))(theirs)


@wrong("heads-and-width-swapped")
def translate_with_pieces_of_num_heads(theirs):
    def cut(fused, H):
        parts = fused.split(H)
        return tuple(torch.cat(parts[p::3]) for p in range(3))

    return answer(cut)(theirs)


@wrong("another-order")
def translate_values_first(theirs):
    return answer(pieces, names="vqk")(theirs)


@wrong("another-order")
def translate_queries_and_values_exchanged(theirs):
    state = answer(pieces)(theirs)
    exchange = {"q_proj": "v_proj", "v_proj": "q_proj"}
    return {".".join([exchange.get(layer, layer), kind]): w for layer, kind, w in by_layer(state)}


@wrong("another-order")
def translate_queries_and_values_exchanged_without_a_scale(theirs):
    return answer(pieces, lambda D: 1, names="vkq")(theirs)


@wrong("biases-left-out")
def translate_weights_alone(theirs):
    state = answer(pieces)(theirs)
    return {name: w if name.endswith("weight") else torch.zeros(len(w)) for name, w in state.items()}


@wrong("weight-not-scaled")
def translate_and_scale_the_bias(theirs):
    state = answer(pieces)(theirs)
    return state | {"q_proj.weight": answer(pieces, lambda D: 1)(theirs)["q_proj.weight"]}


@wrong("no-scale")
def translate_names_alone(theirs):
    return answer(pieces, lambda D: 1)(theirs)


@wrong("scale-inverted")
def translate_and_divide(theirs):
    return answer(pieces, lambda D: D**-0.5)(theirs)


@wrong("bias-not-scaled")
def translate_and_scale_the_weight(theirs):
    state = answer(pieces)(theirs)
    D = theirs.proj.in_features // theirs.heads
    return state | {"q_proj.bias": state["q_proj.bias"] / math.sqrt(D)}


@wrong("scaled-twice")
def translate_and_scale_by_d(theirs):
    return answer(pieces, float)(theirs)


@wrong("scaled-by-d-model")
def translate_and_scale_by_the_width(theirs):
    state, C = answer(pieces, lambda D: 1)(theirs), theirs.proj.in_features
    return state | {name: state[name] * C**0.5 for name in ("q_proj.weight", "q_proj.bias")}


@wrong("scaled-by-heads")
def translate_and_scale_by_the_heads(theirs):
    state = answer(pieces, lambda D: 1)(theirs)
    return state | {name: state[name] * theirs.heads**0.5 for name in ("q_proj.weight", "q_proj.bias")}


@wrong("projection-transposed")
def translate_and_turn_the_projection(theirs):
    return answer(pieces, out=lambda theirs: {"out_proj.weight": theirs.proj.weight.detach().t()})(theirs)


@wrong("bias-invented")
def translate_with_the_last_bias(theirs):
    def values(theirs):
        return {"out_proj.bias": pieces(theirs.qkv.bias.detach(), theirs.heads)[2]}

    return answer(pieces, out=values)(theirs)


@wrong("name-missing")
def translate_without_the_last_bias(theirs):
    state = answer(pieces)(theirs)
    del state["out_proj.bias"]
    return state


@wrong("name-unknown")
def translate_and_keep_the_fused(theirs):
    return {**answer(pieces)(theirs), "qkv.weight": theirs.qkv.weight}


@wrong("shape-of-a-parameter")
def translate_with_axes_for_heads(theirs):
    state = answer(pieces)(theirs)
    return state | {"v_proj.weight": state["v_proj.weight"].unflatten(0, (theirs.heads, -1))}


@wrong("returns-wrong-type")
def translate_into_a_tuple(theirs):
    return pieces(theirs.qkv.weight, theirs.heads)


@wrong("returns-wrong-type")
def translate_without_a_return(theirs):
    answer(pieces)(theirs)


@wrong()
def translate_with_a_head_lost(theirs):
    state = answer(pieces)(theirs)
    D = theirs.proj.in_features // theirs.heads
    weight = state["v_proj.weight"].clone()
    weight[:D] = 0
    return state | {"v_proj.weight": weight}
