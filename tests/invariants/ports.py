"""Ports of other models, with replaceable steps: `attention.scale = lambda D: 1.0`."""

import torch
import torch.nn.functional as F
from torch import nn

from helpers.decoder import Decoder, DecoderConfig
from helpers.relative_positions import rotate_halves
from helpers.today import TodayConfig, TodayDecoder


def fill(model, seed=0):
    """Fill the model with parameters large enough that every step matters; weights of norms are around 1."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        size = 0.5 if parameter.dim() == 1 else 1.2 * parameter.size(-1) ** -0.5
        numbers = size * torch.randn(parameter.shape, generator=generator)
        is_norm = parameter.dim() == 1 and name.endswith("weight")
        parameter.data = (1 + 0.4 * numbers if is_norm else numbers).to(parameter.dtype)
    return model.eval()


class PortedAttention(nn.Module):
    """Attention in explicit steps."""

    def __init__(self, width, heads, groups=None, bias=True, turn=None):
        super().__init__()
        self.n_heads, self.turn = heads, turn
        narrow = width // heads * (groups or heads)
        self.wq, self.wo = nn.Linear(width, width, bias=bias), nn.Linear(width, width, bias=bias)
        self.wk, self.wv = nn.Linear(width, narrow, bias=bias), nn.Linear(width, narrow, bias=bias)

    def forward(self, x, visible=None):
        q, k, v = self.project(x)
        q, k, v = (self.split(part, part.size(-1) * self.n_heads // q.size(-1)) for part in (q, k, v))
        if self.turn:
            q, k = self.turned(q, k)
        k, v = self.repeat(k), self.repeat(v)
        scores = q @ k.transpose(-2, -1) * self.scale(q.size(-1))
        return self.wo(self.merge(self.normalize(self.hide(scores, visible)) @ v))

    def project(self, x):
        return self.wq(x), self.wk(x), self.wv(x)

    def split(self, x, heads):
        B, T, C = x.shape
        return x.view(B, T, heads, C // heads).transpose(1, 2)

    def turned(self, q, k):
        places = torch.arange(q.size(-2))
        return self.turn(q, places), self.turn(k, places)

    def repeat(self, x):
        return x.repeat_interleave(self.n_heads // x.size(1), dim=1)

    def scale(self, D):
        return D**-0.5

    def hide(self, scores, visible):
        return scores if visible is None else scores.masked_fill(~visible, float("-inf"))

    def normalize(self, scores):
        return scores.softmax(-1)

    def merge(self, x):
        return x.transpose(1, 2).flatten(2)


class FusedAttention(PortedAttention):
    """q, k and v from one layer, as in GPT-2."""

    def __init__(self, width, heads):
        super().__init__(width, heads)
        del self.wq, self.wk, self.wv
        self.c_attn = nn.Linear(width, 3 * width)

    def project(self, x):
        return self.c_attn(x).chunk(3, dim=-1)


class PortedBlock(nn.Module):
    """Attention and a feed-forward network, with norms before them (pre-norm) or after."""

    def __init__(self, attention, feed_forward, norms, before):
        super().__init__()
        self.att, self.ffn, (self.ln1, self.ln2), self.before = attention, feed_forward, norms, before

    def forward(self, x, visible=None):
        if self.before:
            x = self.add(x, self.att(self.ln1(x), visible))
            return self.add_last(x, self.ffn(self.ln2(x)))
        x = self.ln1(self.add(x, self.att(x, visible)))
        return self.ln2(self.add_last(x, self.ffn(x)))

    def add(self, x, change):
        return x + change

    def add_last(self, x, change):
        return x + change


class Wide(nn.Module):
    """A feed-forward network whose activation is a function, not a module."""

    def __init__(self, width, wide, act=F.gelu):
        super().__init__()
        self.up, self.down, self.act = nn.Linear(width, wide), nn.Linear(wide, width), act

    def forward(self, x):
        return self.down(self.act(self.up(x)))


class Gated(nn.Module):
    def __init__(self, width, wide):
        super().__init__()
        self.gate_proj, self.up_proj = (nn.Linear(width, wide, bias=False) for _ in range(2))
        self.down_proj = nn.Linear(wide, width, bias=False)

    def forward(self, x):
        return self.down_proj(self.join(self.gate_proj(x), self.up_proj(x)))

    def join(self, gate, up):
        return F.silu(gate) * up


class PortedRMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight, self.variance_epsilon = nn.Parameter(torch.ones(width)), 1e-6

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.variance_epsilon) * self.weight


class PortedModel(nn.Module):
    """Token embeddings, blocks, a norm and tied logits; with position embeddings if `table` is not 0."""

    def __init__(self, vocabulary, width, blocks, norm, table=0):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(table, width) if table else None
        self.h, self.ln_f = nn.ModuleList(blocks), norm

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.h:
            x = block(x, self.visible(ids.size(1)))
        return self.head(self.ln_f(x))

    def embed(self, ids):
        x = self.wte(ids)
        return x if self.wpe is None else x + self.wpe(self.places(ids))

    def places(self, ids):
        return torch.arange(ids.size(1))

    def visible(self, T):
        return torch.ones(T, T, dtype=torch.bool).tril()

    def head(self, x):
        return x @ self.wte.weight.T


def two_norms(width, eps=1e-5):
    return nn.LayerNorm(width, eps=eps), nn.LayerNorm(width, eps=eps)


def torch_block(width, heads, wide, before, act=F.gelu, attention=PortedAttention):
    return PortedBlock(attention(width, heads), Wide(width, wide, act), two_norms(width), before)


def llama_block(width, heads, groups, feed_forward):
    attention = PortedAttention(width, heads, groups, bias=False, turn=rotate_halves)
    return PortedBlock(attention, feed_forward, (PortedRMSNorm(width), PortedRMSNorm(width)), True)


# ---------------------------------------------------------------- numbers


def drawn(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def noise(*shape):
    return drawn(9, *shape)


def ids(high, *shape, seed=41):
    return torch.randint(1, high, shape, generator=torch.Generator().manual_seed(seed))


def load(mine, theirs, names=()):
    """Load the parameters of theirs into mine.

    names: {part of a name in theirs: its replacement in mine}; a replacement with {qkv} splits one tensor of theirs
    into three layers; several tensors of theirs with the same new name are concatenated
    """
    found = {}
    for name, tensor in theirs.state_dict().items():
        for old, new in dict(names).items():
            name = name.replace(old, new)
        for letter, part in zip("qkv", tensor.chunk(3), strict=True) if "{qkv}" in name else [("", tensor)]:
            found.setdefault(name.replace("{qkv}", letter), []).append(part)
    mine.load_state_dict({name: torch.cat(parts) for name, parts in found.items()})


# Names in torch's layers and in our decoders, and the corresponding names in a PortedBlock or PortedModel.
TORCHS = {"self_attn.in_proj_": "att.w{qkv}.", "self_attn.out_proj": "att.wo", "norm": "ln"}
TORCHS |= {"linear1": "ffn.up", "linear2": "ffn.down"}
OURS = {"tokens": "wte", "positions": "wpe", "blocks": "h", "attention": "att", "out_proj": "wo"}
OURS |= {"norm1": "ln1", "norm2": "ln2", "norm": "ln_f"}
APART = {"q_proj": "wq", "k_proj": "wk", "v_proj": "wv", "out_proj": "wo"}


# ---------------------------------------------------------------- pairs: mine, theirs


def encoder_pair(before=False):
    """A port of torch's TransformerEncoderLayer."""
    options = {"batch_first": True, "norm_first": before, "activation": "gelu", "dropout": 0.1}
    theirs = fill(nn.TransformerEncoderLayer(12, 3, 20, **options), 1)
    mine = torch_block(12, 3, 20, before)
    load(mine, theirs, TORCHS)
    return mine.eval(), theirs


def decoder_pair(width=12):
    """A port of notebook 08's decoder, in the style of GPT-2."""
    theirs = fill(Decoder(DecoderConfig(29, 16, width, 3, 2, 20)), 2)
    blocks = [torch_block(width, 3, 20, True, attention=FusedAttention) for _ in range(2)]
    mine = PortedModel(29, width, blocks, nn.LayerNorm(width), 16)
    fused = dict.fromkeys(("q_proj", "k_proj", "v_proj"), "c_attn")
    load(mine, theirs, OURS | fused | {"feed_forward.0": "ffn.up", "feed_forward.2": "ffn.down"})
    return mine.eval(), theirs


def today_pair(heads=3):
    """A port of notebook 10's decoder, in the style of Llama."""
    theirs = fill(TodayDecoder(TodayConfig(29, 24, heads, 3, 2, 20)), 3)
    blocks = [llama_block(24, heads, 3, Gated(24, 20)) for _ in range(2)]
    mine = PortedModel(29, 24, blocks, PortedRMSNorm(24))
    names = {f"feed_forward.{name}": f"ffn.{name}_proj" for name in ("gate", "up", "down")}
    load(mine, theirs, OURS | APART | names)
    return mine.eval(), theirs
