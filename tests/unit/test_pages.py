"""The paged cache: what texts read is what was written, however they are started, continued, forked and freed."""

from random import Random

import pytest
import torch

from helpers.pages import PagedCache, read_pages
from tests.unit.refusals import require_refused
from tests.unit.tensors import random

N, P, G, D = 11, 3, 2, 5


def cache(num_pages=N):
    return PagedCache(num_pages, P, G, D, dtype=torch.float64)


def tokens(count, seed):
    return random(G, count, D, seed=seed), random(G, count, D, seed=seed + 1000)


def joined(*parts):
    return tuple(torch.cat(x, dim=1) for x in zip(*parts, strict=True))


def require_equal(found, expected):
    assert all(map(torch.equal, found, expected))


def test_a_fork_shares_all_pages_until_one_of_both_writes():
    made, prefix, one, two = cache(), tokens(7, seed=0), tokens(1, seed=1), tokens(4, seed=2)
    first = made.start()
    made.append(first, *prefix)
    second = made.fork(first)
    made.append(second, *tokens(0, seed=0))  # nothing to write: still shared
    assert made.tables[first] == made.tables[second] and len(made.free_pages) == N - 3
    made.append(second, *two)  # 7 tokens fill one third of the last page: copied, then written on
    assert made.tables[first][:2] == made.tables[second][:2] and made.tables[first][2] != made.tables[second][2]
    require_equal(made.read(first), prefix)
    last = made.tables[first][2]
    made.append(first, *one)  # nobody shares its last page now: no copy
    assert made.tables[first][2] == last
    require_equal(made.read(second), joined(prefix, two))
    full = made.start()
    made.append(full, *tokens(6, seed=0))
    other = made.fork(full)
    made.append(other, *one)
    assert made.tables[other][:2] == made.tables[full], "a full page is never copied"
    for text in (first, second, other, full):
        made.free(text)
    assert made.free_pages == list(range(N)) and not made.tables and not made.lengths
    assert made.start() not in (first, second, full, other)


def test_a_full_cache_refuses_and_stays_as_it_was():
    made = cache(3)
    first = made.start()
    made.append(first, *tokens(7, seed=0))
    second = made.fork(first)
    state = made.keys.clone(), made.values.clone(), made.uses[:], [*made.tables[second]], made.lengths[second]
    with pytest.raises(RuntimeError, match="must be at least 1 for this, got 0; free a text"):
        made.append(second, *tokens(1, seed=1))  # the copy finds no page
    found = made.keys, made.values, made.uses, made.tables[second], made.lengths[second]
    assert all(torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b for a, b in zip(found, state, strict=True))
    made.free(first)
    made.append(second, *tokens(2, seed=1))
    require_equal(made.read(second), joined(tokens(7, seed=0), tokens(2, seed=1)))


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_starting_writing_forking_and_freeing(seed):
    draw, made, texts = Random(seed), cache(), {}
    for step in range(60):
        what = draw.choice(["start", "append", "append", "append", "fork", "free"])
        text = draw.choice([*texts]) if texts else None
        if what == "start" or text is None:
            texts[made.start()] = tokens(0, seed=0)
        elif what == "fork":
            texts[made.fork(text)] = texts[text]
        elif what == "free":
            made.free(text)
            del texts[text]
        else:
            new = tokens(draw.randint(0, 5), seed=step)
            try:
                made.append(text, *new)
            except RuntimeError:
                assert len(made.free_pages) < 3
            else:
                texts[text] = joined(texts[text], new)
        listed = [page for table in made.tables.values() for page in table]
        assert made.uses == [listed.count(page) for page in range(N)]
        for text, expected in texts.items():
            require_equal(made.read(text), expected)
            assert len(made.tables[text]) == -(-made.lengths[text] // P)


def test_the_store_has_no_gradients():
    made, (k, v) = cache(), tokens(4, seed=0)
    text = made.start()
    made.append(text, k.requires_grad_(), v)
    assert not made.keys.requires_grad and torch.equal(made.read(text)[0], k.detach())


PAGES = torch.zeros(4, 3, 2, 5)


def started(k, v):
    made = cache()
    made.append(made.start(), k, v)


def test_errors_are_one_sentence():
    sizes = {"num_pages": N, "page_size": P, "groups": G, "d_head": D}
    k, _ = tokens(1, seed=0)
    require_refused(
        ("ValueError: length must be at most 6, what 2 pages of 3 tokens hold", lambda: read_pages(PAGES, [0, 1], 7)),
        ("ValueError: length must be at least 0, got -1", lambda: read_pages(PAGES, [], -1)),
        ("TypeError: table must be a list or a tensor (M,) of whole numbers", lambda: read_pages(PAGES, 3, 2)),
        ("TypeError: got tensor", lambda: read_pages(PAGES, torch.tensor([1.0]), 2)),
        ("TypeError: got tensor", lambda: read_pages(PAGES, torch.tensor([[1]]), 2)),
        ("ValueError: numbers of pages from 0 to 3, got 4", lambda: read_pages(PAGES, [0, 4], 2)),
        ("ValueError: numbers of pages from 0 to 3, got -1", lambda: read_pages(PAGES, torch.tensor([-1, 0]), 2)),
        ("ValueError: pages must be (N, P, G, D), got (3, 2, 5)", lambda: read_pages(PAGES[0], [0], 2)),
        *(
            (f"ValueError: {name} must be at least 1, got 0", lambda name=name: PagedCache(**(sizes | {name: 0})))
            for name in sizes
        ),
        ("KeyError: text must be a number that start or fork returned and that is not", lambda: cache().read(0)),
        ("KeyError: text must be", lambda: cache().fork(3)),
        ("KeyError: text must be", lambda: cache().free(3)),
        ("KeyError: text must be", lambda: cache().append(3, *tokens(1, seed=0))),
        ("TypeError: pages, k and v must share one dtype", lambda: started(PAGES[0, :2], PAGES[0, :2])),
        ("ValueError: T is 1 in k and 2 in v", lambda: started(k, tokens(2, seed=0)[0])),
        ("ValueError: G is 2 in pages and 1 in k", lambda: started(k[:1], k[:1])),
    )
