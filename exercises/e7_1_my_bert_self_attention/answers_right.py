"""Right answers to exercise 7.1, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

from exercises.common.heads.answers_parts import cut, join
from feedback.bank import RightAnswers

right = RightAnswers()


Attended = namedtuple("Attended", ["out", "weights"])


class QueryKeyValue(nn.Module):
    """What several of the classes below begin with."""

    def __init__(self, config):
        super().__init__()
        C = config.hidden_size
        self.num_heads = config.num_attention_heads
        self.query, self.key, self.value = nn.Linear(C, C), nn.Linear(C, C), nn.Linear(C, C)

    def heads(self, x):
        return (cut(layer(x), self.num_heads) for layer in (self.query, self.key, self.value))


@right
class BertByTheFormula(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        B, T, C = x.shape
        q = self.query(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        k = self.key(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        v = self.value(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return (weights @ v).transpose(1, 2).reshape(B, T, C), weights


@right
class BertAsInTransformers(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = int(config.hidden_size / config.num_attention_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.query = nn.Linear(config.hidden_size, self.all_head_size)
        self.key = nn.Linear(config.hidden_size, self.all_head_size)
        self.value = nn.Linear(config.hidden_size, self.all_head_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.view(*new_x_shape).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask=None, head_mask=None):
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            attention_scores = attention_scores + (1.0 - attention_mask.to(attention_scores.dtype)) * -10000.0
        attention_probs = self.dropout(nn.Softmax(dim=-1)(attention_scores))
        if head_mask is not None:
            attention_probs = attention_probs * head_mask
        context_layer = torch.matmul(attention_probs, value_layer).permute(0, 2, 1, 3).contiguous()
        return context_layer.view(*context_layer.size()[:-2], self.all_head_size), attention_probs


@right
class BertWithTheMaskByName(QueryKeyValue):
    def forward(self, x, *, mask=None):
        q, k, v = self.heads(x)
        scores = q @ k.mT * q.size(-1) ** -0.5
        weights = (scores if mask is None else scores.where(mask, -math.inf)).softmax(-1)
        return join(weights @ v), weights


@right
class BertByEinsum(nn.Module):
    def __init__(self, config):
        super(BertByEinsum, self).__init__()
        self.config = config
        for name in ["query", "key", "value"]:
            self.add_module(name, nn.Linear(in_features=config.hidden_size, out_features=config.hidden_size, bias=True))

    def forward(self, x, mask=None):
        q, k, v = (
            layer(x).unflatten(-1, (self.config.num_attention_heads, -1))
            for layer in (self.query, self.key, self.value)
        )
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), -1e9)
        weights = scores.softmax(-1)
        return torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2), weights


@right
class BertByALoopOverHeads(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.query(x), self.key(x), self.value(x)
        D = x.shape[-1] // self.num_heads
        if mask is not None:
            mask = mask.expand(len(x), self.num_heads, x.size(1), x.size(1))
        outs, weights = [], []
        for h in range(self.num_heads):
            part = slice(h * D, (h + 1) * D)
            scores = q[..., part] @ k[..., part].transpose(1, 2) / math.sqrt(D)
            if mask is not None:
                scores[~mask[:, h]] = -torch.inf
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v[..., part])
            weights.append(w)
        return torch.cat(outs, dim=-1), torch.stack(weights, dim=1)


@right.limited
class BertBySdpa(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        return join(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)), scores.softmax(-1)


@right
class BertByOneMatrixProduct(QueryKeyValue):
    def forward(self, x, mask=None):
        layers = (self.query, self.key, self.value)
        weight, bias = torch.cat([m.weight for m in layers]), torch.cat([m.bias for m in layers])
        q, k, v = F.linear(x, weight, bias).view(*x.shape[:2], 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        hidden = torch.zeros((), dtype=x.dtype) if mask is None else torch.zeros(mask.shape, dtype=x.dtype)
        if mask is not None:
            hidden = hidden.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(q @ k.mT / math.sqrt(q.size(-1)) + hidden, -1)
        return join(weights @ v), weights


@right
class BertWithHeadsInTheBatch(QueryKeyValue):
    def forward(self, x, mask=None):
        B, T, C = x.shape
        H = self.num_heads
        q, k, v = (z.reshape(B * H, T, C // H) for z in self.heads(x))
        scores = torch.baddbmm(torch.zeros(1, dtype=x.dtype), q, k.transpose(1, 2), beta=0, alpha=(C // H) ** -0.5)
        if mask is not None:
            scores = scores.masked_fill(~mask.expand(B, H, T, T).reshape(B * H, T, T), -1e9)
        weights = scores.softmax(2)
        return join(torch.bmm(weights, v).view(B, H, T, -1)), weights.view(B, H, T, T)


@right
class BertItemByItem(QueryKeyValue):
    def forward(self, x, mask=None):
        T, C = x.shape[1:]
        full = torch.ones(T, T, dtype=torch.bool) if mask is None else mask
        outs, weights = [], []
        for item, visible in zip(x, full.expand(len(x), self.num_heads, T, T), strict=True):
            q, k, v = (
                layer(item).view(T, self.num_heads, -1).transpose(0, 1) for layer in (self.query, self.key, self.value)
            )
            w = (q @ k.mT / (C // self.num_heads) ** 0.5).masked_fill(~visible, -1e9).softmax(-1)
            outs.append((w @ v).transpose(0, 1).reshape(T, C))
            weights.append(w)
        return torch.stack(outs), torch.stack(weights)


@right.limited
class BertByRenormalizing(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
        if mask is not None:
            weights = weights * mask
            weights = weights / weights.sum(-1, keepdim=True)
        return Attended(join(weights @ v), weights)


@right
class BertThatCallsAFunction(QueryKeyValue):
    @staticmethod
    def attend(q, k, v, mask):
        return attention_with_mask(q, k, v, mask)

    def forward(self, x, mask=None, verbose=False):
        out, weights = self.attend(*self.heads(x), mask)
        return join(out), weights


def attention_with_mask(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = torch.softmax(scores if mask is None else torch.where(mask, scores, -math.inf), dim=-1)
    return weights @ v, weights


@right
class BertThatKeepsWhatItSaw(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.seen = None
        self.register_buffer("scale", torch.tensor(config.head_size**-0.5))
        for layer in (self.query, self.key, self.value):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        scores = self.scale * q @ k.mT
        if mask is not None:
            scores.masked_fill_(~mask, float("-inf"))
        self.seen = scores.softmax(-1)
        print("weights", self.seen.shape)
        return join(self.seen @ v), self.seen


@right
class BertWithDropoutInTraining(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.p = config.attention_probs_dropout_prob

    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
        weights = F.dropout(scores.softmax(-1), self.p, training=self.training)
        return join(weights @ v), weights


@right
class BertWithLayersUnderTwoNames(nn.Module):
    def __init__(self, config):
        super().__init__()
        C, self.H = config.hidden_size, config.num_attention_heads
        self.layers = nn.ModuleList(nn.Linear(C, C) for _ in range(3))
        self.query, self.key, self.value = self.layers

    def forward(self, x, mask=None):
        q, k, v = (torch.stack(layer(x).chunk(self.H, -1), 1) for layer in self.layers)
        scores = (q[:, :, :, None] * k[:, :, None]).sum(-1) / math.sqrt(q.shape[-1])
        shifted = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        exponentials = (shifted - shifted.amax(-1, keepdim=True)).exp()
        weights = exponentials / exponentials.sum(-1, keepdim=True)
        return torch.cat((weights @ v).unbind(1), dim=-1), weights


@right
class BertInFloat64(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = (z.double() for z in self.heads(x))
        scores = q @ k.mT / math.sqrt(q.size(-1))
        weights = (scores if mask is None else scores.masked_fill(~mask, -1e300)).softmax(-1)
        return join(weights @ v).to(x.dtype), weights.to(x.dtype)


@right
class BertByTorchsOwnFunction(QueryKeyValue):
    def forward(self, x, mask=None):
        B, T, C = x.shape
        blocked = None
        if mask is not None:
            blocked = ~mask.expand(B, self.num_heads, T, T).reshape(B * self.num_heads, T, T)
        z = x.transpose(0, 1)
        out, weights = F.multi_head_attention_forward(
            z,
            z,
            z,
            C,
            self.num_heads,
            None,
            torch.cat([self.query.bias, self.key.bias, self.value.bias]),
            None,
            None,
            False,
            0.0,
            torch.eye(C, dtype=x.dtype),
            None,
            training=False,
            attn_mask=blocked,
            use_separate_proj_weight=True,
            q_proj_weight=self.query.weight,
            k_proj_weight=self.key.weight,
            v_proj_weight=self.value.weight,
            average_attn_weights=False,
        )
        return out.transpose(0, 1), weights
