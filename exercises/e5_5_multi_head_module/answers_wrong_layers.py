"""Wrong answers to exercise 5.5: which layer is applied to what, and what x reads."""

import math

import torch

from exercises.common.heads.answers_parts import cut, join
from exercises.e5_5_multi_head_module.answers_base import FourLayers
from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("no-out-proj")
class MultiHeadWithoutOutProj(FourLayers):
    def mix(self, weights, v):
        return join(weights @ v)


@wrong("residual")
class MultiHeadResidual(FourLayers):
    def forward(self, x, context=None, mask=None):
        out, weights = super().forward(x, context, mask)
        return x + out, weights


@wrong("values-and-out-exchanged")
class MultiHeadValuesByOutProj(FourLayers):
    def heads(self, x, context):
        q, k, _ = super().heads(x, context)
        return q, k, cut(self.out_proj(x if context is None else context), self.num_heads)

    def mix(self, weights, v):
        return self.v_proj(join(weights @ v))


class Used(FourLayers):
    """Other layers, of x and of the context, than those asked for."""

    def used(self, x, context):
        return self.q_proj(x), self.k_proj(context), self.v_proj(context)

    def heads(self, x, context):
        return (cut(z, self.num_heads) for z in self.used(x, x if context is None else context))


def used(used):
    """A class in which used(self, x, context) gives queries, keys and values."""
    return type(f"MultiHead_{used.__name__}", (Used,), {"used": used})


@wrong("context-ignored")
@used
def context_ignored(self, x, context):
    return self.q_proj(x), self.k_proj(x), self.v_proj(x)


@wrong("keys-from-x")
@used
def keys_from_x(self, x, context):
    return self.q_proj(x), self.k_proj(x), self.v_proj(context)


@wrong("values-from-x")
@used
def values_from_x(self, x, context):
    return self.q_proj(x), self.k_proj(context), self.v_proj(x)


@wrong("queries-from-context")
@used
def queries_from_context(self, x, context):
    return self.q_proj(context), self.k_proj(context), self.v_proj(context)


@wrong("context-asks")
@used
def context_asks(self, x, context):
    return self.q_proj(context), self.k_proj(x), self.v_proj(x)


@wrong("query-layer-for-all")
@used
def one_layer_for_all(self, x, context):
    return self.q_proj(x), self.q_proj(context), self.q_proj(context)


@wrong("query-layer-twice")
@used
def query_layer_twice(self, x, context):
    return self.q_proj(x), self.q_proj(context), self.v_proj(context)


@wrong("key-layer-twice")
@used
def key_layer_twice(self, x, context):
    return self.k_proj(x), self.k_proj(context), self.v_proj(context)


@wrong("layers-exchanged")
@used
def layers_exchanged(self, x, context):
    return self.k_proj(x), self.q_proj(context), self.v_proj(context)


@wrong("keys-as-values")
@used
def keys_as_values(self, x, context):
    return self.q_proj(x), self.k_proj(context), self.k_proj(context)


@wrong("values-as-keys")
@used
def values_as_keys(self, x, context):
    return self.q_proj(x), self.v_proj(context), self.v_proj(context)


@wrong("keys-and-values-exchanged")
@used
def keys_and_values_exchanged(self, x, context):
    return self.q_proj(x), self.v_proj(context), self.k_proj(context)


@wrong("layer-skipped")
@used
def values_not_projected(self, x, context):
    return self.q_proj(x), self.k_proj(context), context


@wrong("reads-both")
@used
def reads_both(self, x, context):
    read = x if context is x else torch.cat([x, context], dim=1)
    return self.q_proj(x), self.k_proj(read), self.v_proj(read)


@wrong("context-asks-keeping-values")
class MultiHeadKeysAsk(FourLayers):
    def scores(self, q, k):
        return k @ q.transpose(-2, -1) / math.sqrt(q.size(-1))


@wrong("bias-forgotten")
@used
def without_biases(self, x, context):
    return x @ self.q_proj.weight.T, context @ self.k_proj.weight.T, context @ self.v_proj.weight.T


@wrong("weight-as-it-is")
@used
def weights_as_they_are(self, x, context):
    layers = ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context))
    return (z @ layer.weight + layer.bias for layer, z in layers)


@wrong("context-needed")
class MultiHeadContextNeeded(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = (
            cut(layer(z), self.num_heads)
            for layer, z in ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context))
        )
        weights = self.dropout(self.weights(q, k, mask))
        return self.mix(weights, v), weights


@wrong()
class MultiHeadContextOrX(FourLayers):
    def forward(self, x, context=None, mask=None):
        return super().forward(x, context or x, mask)


@wrong("context-never-none")
class MultiHeadContextTheWrongWayAround(FourLayers):
    def heads(self, x, context):
        if context is not None:
            context = x
        layers = ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context))
        return (cut(layer(z), self.num_heads) for layer, z in layers)
