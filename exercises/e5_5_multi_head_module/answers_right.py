"""Right answers to exercise 5.5, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

from exercises.common.heads.answers_parts import cut, join
from exercises.e5_5_multi_head_module.answers_base import FourLayers
from feedback.bank import RightAnswers
from helpers import attention, heads

right = RightAnswers()
Attended = namedtuple("Attended", ["out", "weights"])


@right
class MultiHeadByTheFormula(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super(MultiHeadByTheFormula, self).__init__()
        assert d_model % num_heads == 0
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_head = d_model // num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, context=None, mask=None):
        if context is None:
            context = x
        B, T, _ = x.shape
        S = context.shape[1]
        q = self.q_proj(x).view(B, T, self.num_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(context).view(B, S, self.num_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(context).view(B, S, self.num_heads, self.d_head).transpose(1, 2)
        scores = q @ k.transpose(2, 3) / self.d_head**0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        out = (weights @ v).transpose(1, 2).contiguous().view(B, T, self.d_model)
        return self.out_proj(out), weights


right(FourLayers)


@right
class MultiHeadByTheHelpers(FourLayers):
    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        q, k, v = (
            heads.split_heads(z, self.num_heads) for z in (self.q_proj(x), self.k_proj(context), self.v_proj(context))
        )
        out, weights = attention.dot_product_attention(q, k, v, mask, self.dropout)
        return self.out_proj(heads.merge_heads(out)), weights


@right
class MultiHeadOfTheCourse(heads.MultiHeadAttention):
    def forward(self, x, context=None, mask=None):
        return super().forward(x, context, mask, need_weights=True)


@right
class MultiHeadByEinsum(FourLayers):
    def forward(self, x, kv=None, attn_mask=None):
        kv = x if kv is None else kv
        q = self.q_proj(x).unflatten(-1, (self.num_heads, -1))
        k, v = (layer(kv).unflatten(-1, (self.num_heads, -1)) for layer in (self.k_proj, self.v_proj))
        scores = torch.einsum("bthd,bshd->bhts", q, k) * q.shape[-1] ** -0.5
        if attn_mask is not None:
            scores = torch.where(attn_mask, scores, torch.finfo(scores.dtype).min)
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        return self.out_proj(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2)), weights


@right
class MultiHeadByALoopOverHeads(FourLayers):
    def forward(self, x, context=None, mask=None):
        source = context if context is not None else x
        q, k, v = self.q_proj(x), self.k_proj(source), self.v_proj(source)
        D = x.size(-1) // self.num_heads
        outs, all_weights = [], []
        full = None if mask is None else mask.expand(x.size(0), self.num_heads, x.size(1), source.size(1))
        for h in range(self.num_heads):
            part = slice(h * D, (h + 1) * D)
            scores = q[..., part] @ k[..., part].mT / math.sqrt(D)
            if full is not None:
                scores = scores.masked_fill(~full[:, h], -torch.inf)
            weights = self.dropout(scores.softmax(-1))
            outs.append(weights @ v[..., part])
            all_weights.append(weights)
        return self.out_proj(torch.cat(outs, -1)), torch.stack(all_weights, dim=1)


@right
class MultiHeadByChunks(FourLayers):
    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        q, k, v = (
            torch.stack(z.chunk(self.num_heads, dim=-1), dim=1)
            for z in (self.q_proj(x), self.k_proj(context), self.v_proj(context))
        )
        weights = self.dropout(self.weights(q, k, mask))
        return self.out_proj(torch.cat((weights @ v).unbind(1), dim=-1)), weights


@right
class MultiHeadByTheFusedPath(FourLayers):
    """The fused function for out, and the weights next to it, where nothing is dropped."""

    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        weights = self.weights(q, k, mask)
        if self.training and self.p > 0:
            weights = self.dropout(weights)
            return self.mix(weights, v), weights
        visible = mask if mask is None else torch.atleast_2d(mask)
        return self.out_proj(join(F.scaled_dot_product_attention(q, k, v, attn_mask=visible))), weights


@right
class MultiHeadByTheFusedPathWithWeightsToLookAt(MultiHeadByTheFusedPath):
    def weights(self, q, k, mask):
        weights = super().weights(q, k, mask)
        return weights if self.training and self.p > 0 else weights.detach()


@right
class MultiHeadByTheFusedPathOnTheIdentity(FourLayers):
    """The fused function, dropout included: applied to the identity it gives the weights."""

    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        S = k.size(-2)
        eye = torch.eye(S, dtype=x.dtype, device=x.device).expand(*k.shape[:2], S, S)
        visible = None if mask is None else mask.expand(x.size(0), self.num_heads, x.size(1), S)
        weights = F.scaled_dot_product_attention(q, k, eye, visible, dropout_p=self.p if self.training else 0.0)
        return self.mix(weights, v), weights


@right
class MultiHeadByTorchsOwnFunction(FourLayers):
    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        B, T, C = x.shape
        blocked = None
        if mask is not None:
            blocked = ~mask.expand(B, self.num_heads, T, context.size(1)).flatten(0, 1)
        out, weights = F.multi_head_attention_forward(
            x.transpose(0, 1),
            context.transpose(0, 1),
            context.transpose(0, 1),
            C,
            self.num_heads,
            None,
            torch.cat([self.q_proj.bias, self.k_proj.bias, self.v_proj.bias]),
            None,
            None,
            False,
            self.p,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            attn_mask=blocked,
            use_separate_proj_weight=True,
            q_proj_weight=self.q_proj.weight,
            k_proj_weight=self.k_proj.weight,
            v_proj_weight=self.v_proj.weight,
            average_attn_weights=False,
        )
        return out.transpose(0, 1), weights


@right
class MultiHeadByStackedLayers(FourLayers):
    def heads(self, x, context):
        layers = (self.q_proj, self.k_proj, self.v_proj)
        weight, bias = (torch.cat([getattr(layer, name) for layer in layers]) for name in ("weight", "bias"))
        C = x.size(-1)
        q = F.linear(x, weight[:C], bias[:C])
        k, v = F.linear(x if context is None else context, weight[C:], bias[C:]).chunk(2, dim=-1)
        return cut(q, self.num_heads), cut(k, self.num_heads), cut(v, self.num_heads)


@right.limited
class MultiHeadByRenormalizing(FourLayers):
    def weights(self, q, k, mask):
        weights = self.scores(q, k).softmax(-1)
        if mask is None:
            return weights
        weights = weights * mask
        return weights / weights.sum(-1, keepdim=True)


@right
class MultiHeadWithAnAdditiveMask(FourLayers):
    def hide(self, scores, mask):
        if mask is None:
            return scores
        return scores + scores.new_zeros(mask.shape).masked_fill(~mask, float("-inf"))


@right
class MultiHeadWithMinusABillion(FourLayers):
    def hide(self, scores, mask):
        return scores if mask is None else scores + (1.0 - mask.to(scores.dtype)) * -1e9


@right
class MultiHeadWithAMaskAlways(FourLayers):
    def hide(self, scores, mask):
        if mask is None:
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        return scores.masked_fill(mask.logical_not(), -math.inf)


@right
class MultiHeadDroppedByHand(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        weights = self.weights(q, k, mask)
        if self.training and self.p > 0:
            weights = weights * (torch.rand_like(weights) >= self.p) / (1 - self.p)
        return self.mix(weights, v), weights


@right
class MultiHeadWithHeadsInTheBatch(FourLayers):
    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        (B, T, C), S, H = x.shape, context.size(1), self.num_heads
        q, k, v = (z.reshape(B * H, -1, C // H) for z in self.heads(x, context))
        scores = torch.baddbmm(q.new_zeros(1), q, k.transpose(1, 2), beta=0, alpha=(C // H) ** -0.5)
        if mask is not None:
            scores = scores.masked_fill(~mask.expand(B, H, T, S).reshape(B * H, T, S), -1e9)
        weights = self.dropout(scores.softmax(2))
        out = torch.bmm(weights, v).view(B, H, T, -1)
        return self.out_proj(join(out)), weights.view(B, H, T, S)


@right
class MultiHeadItemByItem(FourLayers):
    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        T, S = x.size(1), context.size(1)
        visible = [None] * len(x) if mask is None else mask.expand(len(x), self.num_heads, T, S)
        outs, all_weights = [], []
        for item, read, seen in zip(x, context, visible, strict=True):
            q, k, v = self.heads(item[None], read[None])
            weights = self.dropout(self.weights(q, k, seen))
            outs.append(self.mix(weights, v)[0])
            all_weights.append(weights[0])
        return torch.stack(outs), torch.stack(all_weights)


@right
class MultiHeadThatKeepsItsWeights(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        for layer in (self.q_proj, self.k_proj, self.v_proj, self.out_proj):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.register_buffer("scale", torch.tensor((d_model // num_heads) ** -0.5))
        self.attn = None

    def forward(self, x, context=None, mask=None, verbose=False):
        q, k, v = self.heads(x, context)
        self.attn = self.dropout(self.hide(q @ k.mT * self.scale, mask).softmax(-1))
        print("weights", tuple(self.attn.shape))
        return Attended(self.mix(self.attn, v), self.attn)


@right
class MultiHeadWithTheQueryScaledInPlace(FourLayers):
    def scores(self, q, k):
        q = q / math.sqrt(q.size(-1))
        scores = torch.matmul(q, k.permute(0, 1, 3, 2))
        scores -= scores.amax(-1, keepdim=True).detach()
        return scores

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill_(~mask, float("-inf"))


@right
class MultiHeadWithLayersInALoop(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.h, self.drop = num_heads, nn.Dropout(p=dropout)
        for name in ["q_proj", "k_proj", "v_proj", "out_proj"]:
            self.add_module(name, nn.Linear(in_features=d_model, out_features=d_model, bias=True))
        self.softmax = nn.Softmax(dim=-1)

    def attend(self, q, k, v, mask):
        scores = (q[:, :, :, None] * k[:, :, None]).sum(-1) / torch.tensor(q.size(-1)).sqrt()
        if mask is not None:
            scores = scores.masked_fill(mask.bool() == False, torch.tensor(float("-inf")))  # noqa: E712
        weights = self.drop(self.softmax(scores))
        return torch.matmul(weights, v), weights

    def forward(self, query, context=None, mask=None):
        if context is None:
            context = query
        q = cut(self.q_proj(query), self.h)
        k = cut(self.k_proj(context), self.h)
        v = cut(self.v_proj(context), self.h)
        heads, weights = self.attend(q, k, v, mask)
        return self.out_proj(join(heads)), weights


@right
class MultiHeadQueryByQuery(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        B, H, T, D = q.shape
        full = None if mask is None else mask.expand(B, H, T, k.size(2))
        rows = []
        for t in range(T):
            scores = (q[:, :, t, None] * k).sum(-1) / D**0.5
            rows.append((scores if full is None else scores.masked_fill(~full[:, :, t], -1e30)).softmax(-1))
        weights = self.dropout(torch.stack(rows, dim=2))
        return self.mix(weights, v), weights


@right
class MultiHeadWithOutProjSummedOverHeads(FourLayers):
    def mix(self, weights, v):
        per_head = self.out_proj.weight.unflatten(1, (self.num_heads, -1))
        return torch.einsum("bhtd,chd->btc", weights @ v, per_head) + self.out_proj.bias


@right
class MultiHeadInFloat64(FourLayers):
    def weights(self, q, k, mask):
        return super().weights(q.double(), k.double(), mask).to(q.dtype)
