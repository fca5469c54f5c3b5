"""Which layer of a block is which, in answers to exercise 8.2.

Names and the order of registration are free: layers are recognized by their kind and shape, and the two norms by the
order in which they run.
"""

from torch import nn

from exercises.common.heads.inputs import PROJECTIONS
from feedback import ContractViolation


def layers_of(module, numbers):
    """{name: layer} of a block, with its norms as a list.

    Errors: ContractViolation
    """
    parts = _projections(module)
    others = [layer for layer in module.modules() if isinstance(layer, nn.Linear) and layer not in parts.values()]
    wanted = {"expand": (numbers.d_ff, numbers.d_model), "contract": (numbers.d_model, numbers.d_ff)}
    for name, shape in wanted.items():
        fitting = [layer for layer in others if tuple(layer.weight.shape) == shape]
        if len(fitting) != 1 or len(others) != 2:
            raise ContractViolation("feed-forward-layers", _about_feed_forward(others, numbers))
        parts[name] = fitting[0]
    for layer in parts.values():
        if layer.bias is None:
            raise ContractViolation(
                "no-bias", "A layer of your block has no bias; here each has one, as is the default: no bias=False."
            )
    norms = _norms(module, numbers)
    _require_no_others(module, [*norms, *parts.values()])
    return parts | {"norms": norms}


def _projections(module):
    found = [
        part for part in module.modules() if all(isinstance(getattr(part, n, None), nn.Linear) for n in PROJECTIONS)
    ]
    if len(found) == 1:
        return {name: getattr(found[0], name) for name in PROJECTIONS}
    own = ", ".join(name for name, _ in module.named_children()) or "no layers at all"
    raise ContractViolation(
        "no-attention" if not found else "two-attentions",
        f"The block needs one `MultiHeadAttention(d_model, num_heads)`, made in __init__; yours has {len(found)}. "
        f"(Its own layers: {own}.)",
    )


def _about_feed_forward(others, numbers):
    shapes = ", ".join(f"nn.Linear({layer.in_features}, {layer.out_features})" for layer in others)
    shapes = shapes or "none (a plain list hides its layers: give each a name of its own, or use nn.ModuleList)"
    return (
        f"The feed-forward network has two layers, nn.Linear(d_model, d_ff) and nn.Linear(d_ff, d_model). Built with "
        f"d_model = {numbers.d_model} and d_ff = {numbers.d_ff}, your block has {shapes}."
    )


def _norms(module, numbers):
    norms = [part for part in module.modules() if isinstance(part, nn.LayerNorm)]
    if len(norms) != 2:
        raise ContractViolation(
            "number-of-norms",
            f"The block needs two `nn.LayerNorm(d_model)`, one for each sublayer; yours has {len(norms)}."
            + ("" if norms else " (Layers in a plain list are not registered: `nn.ModuleList` registers them.)"),
        )
    for norm in norms:
        if tuple(norm.normalized_shape) != (numbers.d_model,) or norm.weight is None or norm.bias is None:
            raise ContractViolation("another-norm", f"A norm should be nn.LayerNorm(d_model), yours has {norm!r}.")
        if norm.eps != 1e-5:
            raise ContractViolation(
                "another-eps", f"A norm of your block has eps = {norm.eps:g}; the default, 1e-05, is meant here."
            )
    return norms


def _require_no_others(module, layers):
    known = {id(parameter) for layer in layers for parameter in layer.parameters()}
    others = [name for name, parameter in module.named_parameters() if id(parameter) not in known]
    if others:
        raise ContractViolation(
            "extra-parameters",
            "Besides attention, two norms and two layers of the feed-forward network, your block has parameters that "
            f"are not asked for: {', '.join(others[:3])}.",
        )
