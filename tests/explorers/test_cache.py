"""The cache explorer in Python: what it accepts, what it refuses and the picture that it saves."""

import re

import pytest

import explorers
from explorers.base import INVITATION
from models.cache_sizes import PUBLISHED, CacheSizes

SIZES = CacheSizes(num_layers=7, num_heads=6, groups=3, d_head=5)
LARGEST = CacheSizes(num_layers=128, num_heads=128, groups=128, d_head=256, latent=4096)


def test_sizes_of_your_own_are_sent_first_and_then_the_published_ones():
    view = explorers.cache(SIZES, length=100, bytes_per_number=4)
    assert (view.name, view.length, view.bytes_per_number) == ("Your model", 100, 4)
    assert list(view.models) == ["Your model", *PUBLISHED]
    for name, sizes in {"Your model": SIZES, **PUBLISHED}.items():
        assert view.models[name] == {
            "layers": sizes.num_layers,
            "heads": sizes.num_heads,
            "groups": sizes.groups,
            "features": sizes.d_head,
            "latent": sizes.latent or 0,
            "source": sizes.source,
        }


def given():
    """The arguments of test_every_explorer.py."""
    return ()


TAKEN = [(LARGEST, 1, 1), (LARGEST, 2**20, 4), (CacheSizes(1, 1, 1, 1),)]
REFUSED = [
    (TypeError, r"model must be a name or CacheSizes, got int; make some with CacheSizes\(", (3,)),
    (ValueError, "model must be one of GPT-2, .*, got 'GPT-5'; or pass CacheSizes of your own", ("GPT-5",)),
    (TypeError, "length must be a whole number, got 8.0; pass an int", ("GPT-2", 8.0)),
    (ValueError, "length must be 1 to 1048576, got 0; pass the tokens of one text", ("GPT-2", 0)),
    (ValueError, "length must be 1 to 1048576, got 1048577", ("GPT-2", 2**20 + 1)),
    (ValueError, "bytes_per_number must be 4, 2 or 1, got 3; 2 is that of float16", ("GPT-2", 8, 3)),
    (ValueError, "d_head must be at most 256, got 257; choose a model", (CacheSizes(1, 1, 1, 257),)),
]


def test_the_picture_tells_who_shares_and_what_each_way_costs():
    assert repr(explorers.cache(SIZES, 100)) == (
        "Your model: 41 KB for 100 tokens. 6 query heads read 3 groups. Multi-head, 6 groups: 82 KB; "
        f"grouped-query, 3 groups: 41 KB; multi-query, 1 group: 13.7 KB. {INVITATION}"
    )
    assert repr(explorers.cache("DeepSeek-V3", 1000)) == (
        "DeepSeek-V3: 67 MB for 1,000 tokens. 128 query heads read a latent of 576 numbers. Multi-head, 128 groups: "
        f"3.72 GB; multi-query, 1 group: 29.8 MB; latent, 576 numbers: 67 MB. {INVITATION}"
    )


@pytest.mark.parametrize("model", ["Llama 3 8B", "DeepSeek-V3", LARGEST, CacheSizes(1, 1, 1, 1)], ids=str)
def test_the_picture_has_a_box_for_each_head_and_group_and_one_orange_bar(model):
    sizes = PUBLISHED.get(model, model) if isinstance(model, str) else model
    svg = explorers.cache(model).still()["image/svg+xml"]
    assert svg.count('height="20" fill="#0b5fa5"') == sizes.num_heads
    assert svg.count('height="20" fill="#bd5305"') == (1 if sizes.latent else sizes.groups)
    assert svg.count('height="15" fill="#bd5305"') == 1
    boxes = re.findall(r'<rect x="([\d.]+)" y="\d+" width="([\d.]+)"', svg)
    assert all(float(x) >= 0 and float(x) + float(width) <= 760 for x, width in boxes)
