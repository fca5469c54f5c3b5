"""A window and the first tokens: what a query still reads and a cache keeps; and pages that two texts share."""

import traitlets

from explorers import given, still_long
from explorers.base import Explorer
from models.cache_sizes import PUBLISHED

SHORTEST, LONGEST = 8, 64  # tokens
MOST_SINKS = 8
LARGEST_PAGE = 16  # tokens
PARTS = ("window", "pages")
TEXTS = (10, 5)  # tokens of the common prefix, and those that each text writes on, when the view opens


def long_texts(*, tokens=32, window=8, sinks=4, page_size=4, model="Llama 3 8B", show="window"):
    """See which keys a query still reads with a window, what the cache keeps, and which pages two texts share.

    Options: window counts the query's own position; sinks is how many of the first tokens are never forgotten;
             page_size is in tokens; model is one of the names in cache_sizes.PUBLISHED, and decides how many bytes a
             token costs in float16; show is the part that is seen first, "window" or "pages"
    Units:   tokens 8 to 64, window 1 to tokens, sinks 0 to 8, page_size 1 to 16
    Errors:  TypeError if a size is not a whole number; ValueError if one is too small or too large, or there is no
             such model or part
    Source:  notebook 11
    """
    given.require_size("tokens", tokens, SHORTEST, LONGEST, "each query of the text is a row of the picture")
    given.require_size("window", window, 1, tokens, "it counts the query's own position, and the text has no more")
    given.require_size("sinks", sinks, 0, MOST_SINKS, "pass how many of the first tokens are kept")
    given.require_size("page_size", page_size, 1, LARGEST_PAGE, "pass the tokens of a page")
    given.require_one_of("model", model, PUBLISHED, "pass its name as a string")
    given.require_one_of("show", show, PARTS, "pass its name as a string")
    return LongTextsExplorer(tokens, window, sinks, page_size, model, show)


class LongTextsExplorer(Explorer):
    """The view of some sizes, which are checked already."""

    script = "long_texts.js"
    tokens = traitlets.Int().tag(sync=True)
    window = traitlets.Int().tag(sync=True)
    sinks = traitlets.Int().tag(sync=True)
    page_size = traitlets.Int().tag(sync=True)
    texts = traitlets.List(traitlets.Int()).tag(sync=True)  # [the common prefix, what each text writes on]
    model = traitlets.Unicode().tag(sync=True)
    source = traitlets.Unicode().tag(sync=True)  # where the model's sizes are published
    token_bytes = traitlets.Int().tag(sync=True)  # what its cache keeps of a token, in float16
    show = traitlets.Unicode().tag(sync=True)  # the part that is seen first

    def __init__(self, tokens, window, sinks, page_size, model, show):
        super().__init__(
            tokens=tokens,
            window=window,
            sinks=sinks,
            page_size=page_size,
            texts=list(TEXTS),
            model=model,
            source=PUBLISHED[model].source,
            token_bytes=PUBLISHED[model].bytes(),
            show=show,
        )

    def picture(self):
        """The part that is seen first, as it opens."""
        if self.show == "pages":
            return still_long.pages(self.page_size, *self.texts, self.token_bytes, self.model)
        return still_long.windowed(self.tokens, self.window, self.sinks, self.token_bytes, self.model)
