"""What people get wrong in exercise 5.3, multi_head_attention."""

from exercises.common import explainers
from exercises.common.attention.mistakes import MIX_MISTAKES, SCALE_MISTAKES, SOFTMAX_MISTAKES, over_queries, unscaled
from exercises.common.attention.steps import multi_head_from
from exercises.common.heads.layer_mistakes import (
    BY_HAND_MISTAKES,
    OUT_PROJ_MISTAKES,
    add_out_proj_by_hand,
    layers_mixed_up,
)
from exercises.common.heads.mistakes import HEAD_MISTAKES
from exercises.common.masks.mistakes import MASK_MISTAKES
from exercises.e5_3_multi_head_attention.reference import multi_head_attention
from feedback import Misconceptions


def assemble(**steps):
    """An answer to 5.3 with these steps replaced."""
    attend = multi_head_from(**steps)

    def answer(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
        return attend(x, x, (q_proj, k_proj, v_proj, out_proj), num_heads, mask)

    return answer


known = Misconceptions(assemble)
known.include(HEAD_MISTAKES)
known.include(OUT_PROJ_MISTAKES)
known.include(SCALE_MISTAKES, hints={"no-scale": "D is the width of one head: after the split, `q.size(-1)`."})
known.include(SOFTMAX_MISTAKES, "over-queries", "over-heads", "over-batch", "no-softmax")
known.also("over-queries", softmax=over_queries, scale=unscaled)
known.include(MIX_MISTAKES, "scores-returned", "weights-transposed", "mixed-by-scores", "only-out", "swapped-pair")
known.include(layers_mixed_up("q_proj", "k_proj", "v_proj"))
known.include(BY_HAND_MISTAKES)
add_out_proj_by_hand(known)


@known(
    "values-and-out-exchanged",
    means="The weights are right, but `v_proj` and `out_proj` have changed places.",
    hint="`v_proj` makes the values, which the weights mix; `out_proj` comes last.",
    explain=explainers.out_alone,
)
def values_by_out_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    return multi_head_attention(x, q_proj, k_proj, out_proj, v_proj, num_heads, mask)


known.include(MASK_MISTAKES)
known.include(MIX_MISTAKES, "mask-for-out-only", "mask-for-weights-only")
