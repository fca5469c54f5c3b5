"""The explorer of positions in Python: what it accepts, what it refuses and the picture that it saves."""

import xml.etree.ElementTree as ElementTree

import torch
import torch.nn.functional as F

import explorers
import figures
from explorers import still
from explorers.base import INVITATION
from helpers import embeddings


def waves(T, C):
    return embeddings.sinusoidal_positions(T, C)


def learned(T, C):
    return torch.randn(T, C, generator=torch.Generator().manual_seed(123)).cumsum(dim=0)


def test_it_opens_with_two_positions_in_the_middle():
    assert [explorers.positions(waves(T, 4)).pair for T in (101, 9, 2)] == [[50, 58], [4, 8], [0, 1]]


def given():
    """The arguments of test_every_explorer.py."""
    return [waves(101, 128)]


TABLES_REFUSED = [
    (TypeError, "got NoneType; look", None),
    (TypeError, "must be floats, .* got torch.int64; pass the rows themselves, not ids", torch.arange(12).view(3, 4)),
    (ValueError, r"shape \(T, C\), .* got \(4,\); one row is not a table", waves(5, 4)[0]),
    (ValueError, r"shape \(T, C\), .* got \(1, 5, 4\); choose one table", waves(5, 4)[None]),
    (ValueError, r"2 to 512 positions and as many features, got \(5, 1\); pass", waves(5, 4)[:, :1]),
    (ValueError, r"got \(30522, 768\); pass a part", torch.zeros(1, 1).expand(30522, 768)),
    (ValueError, r"table must be finite, got nan at \[1, 0\]; find", [[1.0, 0.0], [float("nan"), 1.0]]),
    (ValueError, "other than 0, got zeros at position 2; leave", torch.tensor([1.0, 2, 0, 1])[:, None].expand(4, 3)),
]


TAKEN = [(waves(2, 2),), (learned(512, 512),)]
REFUSED = [(error, message, [table]) for error, message, table in TABLES_REFUSED]


# ---------------------------------------------------------------- Python: the picture that stays


def test_the_picture_is_that_of_the_opening_view():
    shown = explorers.positions(waves(101, 128)).still()
    first, second = waves(101, 128)[[50, 58]]
    below = [int((row < 0).sum()) for row in (first, second, first * second)]
    cosine = F.cosine_similarity(first, second, dim=0)
    assert shown["text/plain"] == (
        f"Two positions, feature by feature: cosine {cosine:.2f} (128 features). Numbers below 0: "
        f"position 50 {below[0]}, position 58 {below[1]}, product {below[2]}. {INVITATION}"
    )


def test_the_picture_has_the_colors_of_the_numbers():
    picture = still.strips({"first": torch.tensor([-2.0, 0, 0, 2]), "second": torch.tensor([0.3, 0.3, -0.3, 0])}, "Two")
    for side, strokes in {0.0: "M0 0h1M2 1h1", 1.0: "M3 0h1M0 1h2"}.items():
        color = "#{:02x}{:02x}{:02x}".format(*figures.SIGNED(side, bytes=True)[:3])
        assert f'<path stroke="{color}" d="{strokes}"/>' in picture.svg
    assert picture.alt == "Two (4 features). Numbers below 0: first 1, second 1."
    words = [text.text for text in ElementTree.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["Two", "first", "second", "feature", "0", "1", "2", "3", "below 0", "above 0"]
