"""PyTorch's numbers for the unit tests of the scripts, which run without Python.

python -m tests.explorers.record_numbers      writes explorers/test/torch.json
"""

import json
from pathlib import Path

import torch
import torch.nn.functional as F

from explorers.cache import cache
from explorers.dropout import coins
from explorers.next_token import parts
from explorers.still_long import page_tables, reads, spans
from helpers import masks
from helpers.decoder import Decoder, DecoderConfig, keep_top_k, keep_top_p
from helpers.relative_positions import rotate_pairs
from helpers.tiled import tiles
from models.cache_sizes import PUBLISHED, readable

FILE = Path(__file__).parents[2] / "explorers" / "test" / "torch.json"
INF = float("inf")


def record():
    """All cases, as what JSON can hold: NaN and infinite numbers are strings."""
    return _as_json(
        {
            "softmax": _softmax(),
            "written": _written(),
            "coins": _coins(),
            "masks": _masks(),
            "positions": _positions(),
            "transposed": _transposed(),
            "rotation": _rotation(),
            "scaling": _scaling(),
            "cache": _cache(),
            "longTexts": _long_texts(),
            "tiles": _tiles(),
            "tilesRead": _tiles_read(),
            "halves": _halves(),
            "gelu": _gelu(),
            "distribution": _distribution(),
            "decoders": [_decoder(6), _decoder(0)],
        }
    )


def _random(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(123))


def _softmax():
    rows = [
        [1.0, 2.0, 3.0],
        [1000.0, 999.0, -1000.0],
        [-INF, 0.5, 0.25],
        [-INF, -INF],
        [7.0],
        (4 * _random(16)).tolist(),
    ]
    return [{"scores": row, "weights": torch.tensor(row).softmax(0)} for row in rows]


def _written():
    """Numbers with two and with four decimals, as Python and PyTorch print them."""
    values = [0.0, 1.0, 0.12345, -0.12345, 0.00004, -0.00004, 12.3456, 99.94, -99.94]
    return [
        {
            "value": value,
            "brief": f"{value:.2f}".replace("-0.00", "0.00"),
            "precise": f"{value:.4f}".replace("-0.0000", "0.0000"),
        }
        for value in values
    ]


def _coins():
    return [
        {"seed": seed, "draw": draw, "T": T, "numbers": coins(seed, draw, T).flatten()}
        for seed, draw, T in ((1, 1, 3), (1, 10_000, 3), (0, 2, 2), (2**32 - 1, 7, 4))
    ]


def _masks():
    """One row of scores and every method, also where nothing may be seen."""
    scores = 2 * _random(5)
    cases = []
    for seen in ([1, 1, 0, 0, 0], [0, 1, 1, 0, 1], [0] * 5, [1] * 5):
        mask = torch.tensor(seen).bool()
        kept = scores.softmax(0) * mask
        cases.append(
            {
                "scores": scores,
                "seen": seen,
                "weights": {
                    "multiply": kept,
                    "renormalize": kept / kept.sum(),
                    "finite": scores.masked_fill(~mask, -1e9).softmax(0),
                    "infinite": scores.masked_fill(~mask, -INF).softmax(0),
                    "safe": masks.masked_softmax(scores, mask),
                    "times": (scores + (1 - mask.float()) * -INF).softmax(0),
                },
            }
        )
    return cases


def _positions():
    table = _random(7, 4).cumsum(0)
    cosines = F.cosine_similarity(table.double()[:, None], table.double()[None], dim=-1)
    distances = [cosines.diagonal(apart) for apart in range(len(table))]
    square = table.double().square()
    return {
        "table": table.flatten(),
        "T": 7,
        "C": 4,
        "cosines": cosines.flatten(),
        "byDistance": [{"least": each.min(), "most": each.max(), "mean": each.mean()} for each in distances],
        "reaches": {
            "most": square.max().sqrt(),
            "value": min(square.max().sqrt(), 3 * square.mean().sqrt()),
            "product": min(square.max(), 3 * square.mean()),
        },
    }


def _transposed():
    x = torch.arange(24)
    return {"A": 2, "B": 3, "D": 4, "line": x, "transposed": x.view(2, 3, 4).transpose(0, 1).flatten()}


def _rotation():
    """Each pair's score at some distances, by helpers.relative_positions; the key stands at position 5."""
    q, k = _random(2, 8).double()
    distances, base, at = [0, 1, 3, 64], 500.0, 5
    turned_k = rotate_pairs(k[None], torch.tensor([at]), base)  # (1, D)
    turned_q = rotate_pairs(q.expand(len(distances), -1), torch.tensor(distances) + at, base)  # (distances, D)
    products = (turned_q * turned_k).unflatten(-1, (-1, 2))  # (distances, D / 2, 2)
    return {"q": q, "k": k, "base": base, "distances": distances, "scores": list(products.sum(dim=-1))}


def _scaling():
    q, k = _random(3, 8), _random(5, 8)
    widths = [1, 3, 8]
    scores = [(q.double()[:, :d] @ k.double()[:, :d].mT).flatten() for d in widths]
    weights = _random(6).softmax(0)
    return {
        "q": q.flatten(),
        "k": k.flatten(),
        "axes": [3, 5, 8],
        "widths": widths,
        "scores": scores,
        "spreads": [each.std() for each in scores],
        "weights": weights,
        "largest": weights.max(),
        "slope": 1 - weights.square().sum(),
    }


def _cache():
    """What each published model keeps of a token, and numbers of bytes as they are written."""
    sent = cache().models
    numbers = [{"sizes": sent[name], "numbers": sizes.numbers()} for name, sizes in PUBLISHED.items()]
    counts = [1, 1023, 1024, 70_272, 2**20 - 1, 17 * 2**17, 999 * 2**30 // 10, 2**45]
    return {"numbers": numbers, "written": [{"count": count, "text": readable(count)} for count in counts]}


def _long_texts():
    """What each query of 12 reads, itself and through layers; what a cache holds; the pages of two texts."""
    T, read, slots, pages = 12, [], [], []
    for window, sinks in ((1, 0), (1, 2), (3, 0), (4, 1), (2, 8), (12, 8)):
        for layers in (1, 3):
            reached = torch.linalg.matrix_power(reads(T, window, sinks).double(), layers) > 0  # (T, T)
            told = [spans(row.nonzero()[:, 0].tolist()) for row in reached]
            read.append({"window": window, "sinks": sinks, "layers": layers, "told": told})
        for position in (2, 11):
            held, left = [None] * (sinks + window), [None] * (sinks + window)
            for p in range(position + 1):  # as they are written, one after the other
                slot = p if p < sinks else sinks + (p - sinks) % window
                held[slot], left[slot] = p, held[slot]
            slots.append({"window": window, "sinks": sinks, "position": position, "held": held, "left": left})
    for size, prefix, written in (
        (4, 10, 5),
        (4, 8, 5),
        (4, 8, 0),
        (4, 9, 0),
        (1, 3, 2),
        (16, 5, 3),
        (16, 5, 12),
        (7, 24, 1),
    ):
        tables = page_tables(size, prefix, written)
        pages.append({"size": size, "prefix": prefix, "written": written, "tables": list(tables)})
    return {"reads": read, "slots": slots, "pages": pages}


def _tiles():
    """The state after each tile, by softmax and logsumexp of the keys read so far, and the result of the whole row."""
    values, cases = _random(7, 2).double(), []
    rows = [
        (2 * _random(7)).tolist(),
        [0.5] * 7,
        [1000.0, -1000.0, 999.0, 3.0, 1001.0, 0.0, 1000.5],
        [-INF, -INF, 1.0, -INF, 2.0, 0.0, -INF],
        [-INF] * 7,
    ]
    for scores in torch.tensor(rows).double():
        weights = masks.masked_softmax(scores, scores > -INF)
        whole = {"weights": weights, "out": weights @ values, "lse": scores.logsumexp(dim=-1)}
        ends = {tile: [min(start + tile, 7) for start in range(0, 7, tile)] for tile in (1, 3, 9)}
        states = [[_state(scores[:end], values[:end]) for end in ends[tile]] for tile in ends]
        cases.append({"scores": scores, "whole": whole, "tiles": list(ends), "states": states})
    return {"values": list(values), "cases": cases}


def _state(scores, values):
    """The largest of the scores read so far, the sum of exp(score - largest), and that of exp times the values."""
    largest = scores.max()
    powers = (scores - largest).exp() if largest > -INF else torch.zeros_like(scores)
    return {"m": largest, "l": powers.sum(), "out": powers @ values}


def _tiles_read():
    """Which tiles helpers.tiled reads."""
    cases = [(12, 12, 4, True), (12, 12, 5, True), (3, 7, 2, False), (5, 5, 9, True), (1, 4, 1, False)]
    return [
        {
            "T": T,
            "S": S,
            "tile": tile,
            "causal": causal,
            "read": [
                {"rows": [row.start, row.stop], "columns": [[part.start, part.stop] for part in columns]}
                for row, columns in tiles(T, S, tile, causal)
            ],
        }
        for T, S, tile, causal in cases
    ]


def _halves():
    """float16 as its bits and as numbers: both zeros' neighbors, the smallest, the largest, and numbers between."""
    numbers = torch.tensor([0.0, 2.0**-24, -(2.0**-24), 1023 * 2.0**-24, 2.0**-14, 1.0, -1.5, 0.1, 65504.0, -65504.0])
    numbers = torch.cat([numbers, _random(4)]).half()
    return {"bits": numbers.view(torch.int16).int() & 0xFFFF, "numbers": numbers.float()}


def _gelu():
    x = torch.linspace(-6, 6, 25)
    return {"x": x, "gelu": F.gelu(x)}


def _distribution():
    """The probabilities that sample() draws from."""
    logits, cases = 2 * _random(6), []
    for temperature, top_k, top_p in ((1.0, 6, 1.0), (0.5, 6, 1.0), (2.0, 3, 1.0), (1.0, 6, 0.7), (1.5, 4, 0.6)):
        kept = keep_top_k(logits / temperature, top_k)
        kept = kept if top_p == 1 else keep_top_p(kept, top_p)
        settings = {"temperature": temperature, "topK": top_k, "topP": top_p}
        cases.append({"settings": settings, "probabilities": kept.softmax(-1)})
    return {"logits": logits, "cases": cases}


@torch.no_grad()
def _decoder(d_ff):
    """A small decoder with random parameters, a text, and what becomes of it when one head is silenced."""
    config = DecoderConfig(5, context_length=6, d_model=4, num_heads=2, num_layers=2, d_ff=d_ff)
    model = Decoder(config)
    generator = torch.Generator().manual_seed(d_ff)
    for part in model.parameters():
        part.copy_(0.8 * torch.randn(part.shape, generator=generator))
    ids = torch.tensor([[4, 0, 2, 2, 1]])
    logits, weights = model.look(ids)
    silenced, _ = model(ids, head_mask=torch.tensor([[1, 0], [1, 1]]))
    return {
        "sizes": {"vocabulary": 5, "positions": 6, "width": 4, "heads": 2, "layers": 2, "inner": d_ff},
        "parameters": torch.cat([part.flatten() for part in parts(model)]),
        "ids": ids[0],
        "logits": logits[0],
        "weights": torch.cat([layer[0] for layer in weights]),  # (L * H, T, T)
        "silenced": silenced[0],
    }


def _as_json(value):
    if isinstance(value, torch.Tensor):
        return _as_json(value.tolist())
    if isinstance(value, dict):
        return {name: _as_json(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_as_json(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.9g}") if abs(value) < INF else str(value)
    return value


if __name__ == "__main__":
    FILE.write_text(json.dumps(record(), indent=1) + "\n", encoding="utf-8")
