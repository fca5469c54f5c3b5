"""What people get wrong in exercise 12.4, document_window."""

import torch

from exercises.common import explainers
from feedback import Misconceptions

WINDOW = "Write down for window = 1 and window = 2 which positions query 5 sees."
DIRECTION = "Which of the two indices is the key's, and where does it stand if it is not later?"


# ---------------------------------------------------------------- the right steps


def same(documents, q_idx, kv_idx):
    """Whether both are in one document."""
    return documents[q_idx] == documents[kv_idx]


def not_later(q_idx, kv_idx):
    return kv_idx <= q_idx


def near(q_idx, kv_idx, window, documents):
    return q_idx - kv_idx < window


def combine(same, not_later, near):
    return same & not_later & near


def finish(mask_mod, documents):
    return mask_mod


def function_from(same=same, not_later=not_later, near=near, combine=combine, finish=finish):
    """document_window(documents, window) made of these steps."""

    def document_window(documents, window):
        def mask_mod(b, h, q_idx, kv_idx):
            return combine(
                same(documents, q_idx, kv_idx), not_later(q_idx, kv_idx), near(q_idx, kv_idx, window, documents)
            )

        return finish(mask_mod, documents)

    return document_window


known = Misconceptions(function_from)


# ---------------------------------------------------------------- the past


@known(
    "no-future-hidden",
    means="Later keys are seen: no comparison hides them.",
    hint="`q_idx - kv_idx < window` is also true where the key is later.",
    explain=explainers.true_at,
    step="not_later",
)
def always(q_idx, kv_idx):
    return (kv_idx <= q_idx) | True


def on_both_sides(q_idx, kv_idx, window, documents):
    return (q_idx - kv_idx).abs() < window


known(
    "window-on-both-sides",
    means="The window reaches as far into the future as into the past.",
    hint="The `window` latest positions end at the query.",
    explain=explainers.true_at,
)
known.also("window-on-both-sides", not_later=always, near=on_both_sides)


@known(
    "future-seen",
    means="Queries see later keys in place of earlier ones.",
    hint=DIRECTION,
    explain=explainers.true_at,
    step="not_later",
)
def later(q_idx, kv_idx):
    return kv_idx >= q_idx


def near_ahead(q_idx, kv_idx, window, documents):
    return kv_idx - q_idx < window


known.also("future-seen", not_later=later, near=near_ahead)


@known(
    "self-hidden",
    means="A query does not see its own position.",
    hint="Not later includes the same position.",
    explain=explainers.true_at,
    step="not_later",
)
def strictly_earlier(q_idx, kv_idx):
    return kv_idx < q_idx


# ---------------------------------------------------------------- the window


@known(
    "no-window",
    means="The window is not used: a query sees everything before it in its document.",
    hint=WINDOW,
    explain=explainers.true_at,
    step="near",
)
def unlimited(q_idx, kv_idx, window, documents):
    return q_idx >= q_idx


@known(
    "window-one-too-wide",
    means="The window is one position too wide: it counts the positions before the query, and not the query itself.",
    hint=WINDOW,
    explain=explainers.true_at,
    step="near",
)
def up_to_the_window(q_idx, kv_idx, window, documents):
    return q_idx - kv_idx <= window


@known(
    "window-one-too-narrow",
    means="The window is one position too narrow.",
    hint=WINDOW,
    explain=explainers.true_at,
    step="near",
)
def below_the_window(q_idx, kv_idx, window, documents):
    return q_idx - kv_idx < window - 1


@known(
    "outside-the-window",
    means="What is seen is what lies outside the window.",
    hint=WINDOW,
    explain=explainers.true_at,
    step="near",
)
def far(q_idx, kv_idx, window, documents):
    return q_idx - kv_idx >= window


@known(
    "first-positions",
    means="What is seen are the first `window` positions of all, not the latest ones.",
    hint="The window moves along with the query.",
    explain=explainers.true_at,
    step="near",
)
def first_ones(q_idx, kv_idx, window, documents):
    return kv_idx < window


@known(
    "window-in-blocks",
    means="The positions were cut into blocks of `window`, and a query sees its own block.",
    hint="The window moves along with the query.",
    explain=explainers.true_at,
    step="near",
)
def in_blocks(q_idx, kv_idx, window, documents):
    return q_idx // window == kv_idx // window


@known(
    "window-counts-the-document",
    means="The window counts only positions of the query's own document, so that it reaches further back where others "
    "stand in between.",
    hint="The `window` latest positions are counted in the whole row.",
    explain=explainers.true_at,
    step="near",
)
def within_the_document(q_idx, kv_idx, window, documents):
    own = documents[:, None] == documents
    rank = (own & torch.ones_like(own).tril()).sum(dim=1)
    return rank[q_idx] - rank[kv_idx] < window


# ---------------------------------------------------------------- the documents


@known(
    "documents-ignored",
    means="The documents are not used: a query sees other texts.",
    hint="`documents[q_idx]` is the document of the query.",
    explain=explainers.true_at,
    step="same",
)
def any_document(documents, q_idx, kv_idx):
    return (q_idx == kv_idx) | True


@known(
    "earlier-documents-seen",
    means="A query also sees documents with a smaller number.",
    hint="Numbers of documents are names: they have no order. Which comparison asks for the same one?",
    explain=explainers.true_at,
    step="same",
)
def not_above(documents, q_idx, kv_idx):
    return documents[kv_idx] <= documents[q_idx]


@known.also("earlier-documents-seen", step="same")
def not_below(documents, q_idx, kv_idx):
    return documents[kv_idx] >= documents[q_idx]


@known(
    "document-ends-at-a-gap",
    means="A document was taken to end where another begins: it may go on later under the same number.",
    hint="Equal numbers mean one document, wherever they stand.",
    explain=explainers.true_at,
    step="same",
)
def same_run(documents, q_idx, kv_idx):
    run = torch.cat([documents.new_zeros(1), (documents[1:] != documents[:-1]).long().cumsum(0)])
    return run[q_idx] == run[kv_idx]


@known(
    "indices-compared",
    means="The number of a document was compared with an index.",
    hint="Two numbers of documents are compared: that of the query and that of the key.",
    explain=explainers.true_at,
    step="same",
)
def document_with_index(documents, q_idx, kv_idx):
    return documents[q_idx] == kv_idx


@known.also("indices-compared", step="same")
def index_with_document(documents, q_idx, kv_idx):
    return q_idx == documents[kv_idx]


@known(
    "other-documents",
    means="A query sees only other documents.",
    hint="Which comparison asks for the same document?",
    explain=explainers.true_at,
    step="same",
)
def different(documents, q_idx, kv_idx):
    return documents[q_idx] != documents[kv_idx]


# ---------------------------------------------------------------- all together


@known(
    "or-for-and",
    means="It is enough for a key to pass one of the tests: they were joined by `|` or `+`.",
    hint="Must a key pass all three, or one of them?",
    explain=explainers.true_at,
    step="combine",
)
def any_of_the_three(same, not_later, near):
    return same | not_later | near


@known.also("or-for-and", step="combine")
def document_or_window(same, not_later, near):
    return not_later & (same | near)


@known.also("or-for-and", step="combine")
def document_or_the_rest(same, not_later, near):
    return same | (not_later & near)


@known(
    "comparison-without-parentheses",
    means="`&` binds more tightly than `==`: the number of a document was first joined with the other tests, and "
    "compared afterwards.",
    hint="Put each comparison in parentheses, and then join them by `&`.",
    explain=explainers.true_at,
)
def compared_last(documents, window):
    def mask_mod(b, h, q_idx, kv_idx):
        return documents[q_idx] == documents[kv_idx] & (kv_idx <= q_idx) & (q_idx - kv_idx < window)

    return mask_mod


@known.also("comparison-without-parentheses")
def compared_in_between(documents, window):
    def mask_mod(b, h, q_idx, kv_idx):
        return (kv_idx <= q_idx) & documents[q_idx] == documents[kv_idx] & (q_idx - kv_idx < window)

    return mask_mod


@known.also("comparison-without-parentheses")
def compared_at_the_end(documents, window):
    def mask_mod(b, h, q_idx, kv_idx):
        return (kv_idx <= q_idx) & (q_idx - kv_idx < window) & documents[q_idx] == documents[kv_idx]

    return mask_mod


@known(
    "inverted",
    means="True and False are the wrong way around: your function is True for what should be hidden.",
    hint="In a mask function, True = may attend.",
    explain=explainers.true_at,
    step="combine",
)
def hidden_ones(same, not_later, near):
    return ~(same & not_later & near)
