"""The memory that the keys and values of a text take, and which query heads share them."""

from dataclasses import asdict, replace

import traitlets

import figures
from explorers import given
from explorers.base import Explorer
from models.cache_sizes import PUBLISHED, CacheSizes, readable

MOST = {"num_layers": 128, "num_heads": 128, "d_head": 256, "latent": 4096}
LONGEST = 2**20
WIDTHS = (4, 2, 1)  # bytes of a number
YOURS = "Your model"
UNITS = ("bytes", "KB", "MB", "GB", "TB")


def cache(model="Llama 3 8B", length=8192, bytes_per_number=2):
    """See what the keys and values of a text cost: change the groups, the other sizes of the model, and the text.

    Options: model is one of the names in cache_sizes.PUBLISHED, or CacheSizes of your own with at most 128 layers and
             heads, 256 features in a head and a latent of 4,096 numbers
    Units:   length in tokens, up to 1,048,576; a number takes 4, 2 or 1 bytes
    Errors:  TypeError if the model is neither a name nor CacheSizes, or a number is not whole; ValueError if there is
             no such model, or a number is too small or too large
    Source:  notebook 10
    """
    models = dict(PUBLISHED)
    if isinstance(model, CacheSizes):
        _require_few(model)
        models, model = {YOURS: model, **models}, YOURS
    elif not isinstance(model, str):
        raise TypeError(
            f"model must be a name or CacheSizes, got {type(model).__name__}; make some with "
            "CacheSizes(num_layers=2, num_heads=4, groups=1, d_head=16)"
        )
    given.require_one_of("model", model, models, "or pass CacheSizes of your own")
    given.require_size("length", length, 1, LONGEST, "pass the tokens of one text")
    given.require_size("bytes_per_number", bytes_per_number, 1, 4, "4 for float32, 2 for float16")
    if bytes_per_number not in WIDTHS:
        raise ValueError(f"bytes_per_number must be 4, 2 or 1, got {bytes_per_number}; 2 is that of float16")
    return CacheExplorer(models, model, length, bytes_per_number)


class CacheExplorer(Explorer):
    """The view of some models, which have been checked."""

    script = "cache.js"
    models = traitlets.Dict().tag(sync=True)  # {name: its sizes, and where they are published}
    name = traitlets.Unicode().tag(sync=True)  # the model that is shown first
    length = traitlets.Int().tag(sync=True)
    bytes_per_number = traitlets.Int().tag(sync=True)

    def __init__(self, models, name, length, bytes_per_number):
        self._sizes = models[name]
        sent = {name: asdict(sizes) for name, sizes in models.items()}
        super().__init__(models=sent, name=name, length=length, bytes_per_number=bytes_per_number)

    def picture(self):
        """The view as it opens: which query heads share keys and values, and what three ways of sharing cost."""
        sizes = self._sizes
        costs = {way: each.bytes(self.length, self.bytes_per_number) for way, each in ways(sizes).items()}
        kept = readable(sizes.bytes(self.length, self.bytes_per_number))
        title = f"{self.name}: {kept} for {_counted(self.length, 'token')}"
        unit = readable(max(costs.values())).split()[1]
        shown = [cost / 1024 ** UNITS.index(unit) for cost in costs.values()]
        drawn = figures.bars({"": shown}, [way.split(", ")[1] for way in costs], unit, title, max(shown))
        read = f"a latent of {sizes.latent} numbers" if sizes.latent else _counted(sizes.groups, "group")
        words = "; ".join(f"{way}: {readable(cost)}" for way, cost in costs.items())
        heads = _counted(sizes.num_heads, "query head")
        alt = f"{title}. {heads} read {read}. {words[0].upper()}{words[1:]}."
        return figures.Picture(drawn.svg, alt, "The bars compare ways to share keys and values.")


def ways(sizes):
    """{name: sizes} of the model with a key and a value for each head, with its groups, one group, and its latent."""
    H, G = sizes.num_heads, 1 if sizes.latent else sizes.groups
    counts = {f"multi-head, {_counted(H, 'group')}": H}
    if 1 < G < H:
        counts[f"grouped-query, {_counted(G, 'group')}"] = G
    if H > 1:
        counts["multi-query, 1 group"] = 1
    ways = {way: replace(sizes, groups=groups, latent=None) for way, groups in counts.items()}
    return ways | ({f"latent, {sizes.latent} numbers": sizes} if sizes.latent else {})


def _counted(count, what):
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _require_few(sizes):
    """Raise ValueError unless the view offers these sizes."""
    for name, most in MOST.items():
        size = getattr(sizes, name)
        if size is not None and size > most:
            raise ValueError(f"{name} must be at most {most}, got {size}; choose a model that is not as large")
