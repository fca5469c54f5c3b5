"""Wrong answers to exercise 12.4, of the kind that learners write: the checker must reject all of them."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("no-future-hidden")
def without_the_past(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (k > q - window)


@wrong("window-on-both-sides")
def with_a_band(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (torch.abs(k - q) < window)


@wrong("future-seen")
def with_the_future(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (k - q >= 0) & (q > k - window)


@wrong("future-seen")
def with_the_future_and_a_window_that_hides_nothing(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q <= k) & (k > q - window)


@wrong("self-hidden")
def without_itself(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q > k) & (k > q - window)


@wrong("no-window")
def without_a_window(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q >= k)


@wrong("window-one-too-wide")
def with_one_more(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q >= k) & (k >= q - window)


@wrong("window-one-too-narrow")
def with_one_less(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q >= k) & (k > q - window + 1)


@wrong("outside-the-window")
def beyond_the_window(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q >= k) & (k <= q - window)


@wrong("first-positions")
def from_the_first_ones(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q >= k) & ~(k >= window)


@wrong("window-in-blocks")
def in_its_block(documents, window):
    block = torch.arange(len(documents)).div(window, rounding_mode="floor")
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q >= k) & torch.eq(block[q], block[k])


@wrong("window-counts-the-document")
def counted_in_the_document(documents, window):
    numbers = documents.tolist()
    place = torch.tensor([numbers[:i].count(n) for i, n in enumerate(numbers)])
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q >= k) & (place[k] > place[q] - window)


@wrong("documents-ignored")
def without_documents(documents, window):
    return lambda b, h, q, k: (q >= k) & (k > q - window)


@wrong("earlier-documents-seen")
def with_smaller_numbers(documents, window):
    return lambda b, h, q, k: (documents[q] - documents[k] >= 0) & (q >= k) & (k > q - window)


@wrong("document-ends-at-a-gap")
def with_numbered_runs(documents, window):
    _, counts = torch.unique_consecutive(documents, return_counts=True)
    run = torch.arange(len(counts)).repeat_interleave(counts)
    return lambda b, h, q, k: torch.eq(run[q], run[k]) & (q >= k) & (k > q - window)


@wrong("indices-compared")
def with_an_index(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], k) & (q >= k) & (k > q - window)


@wrong("other-documents")
def with_other_documents(documents, window):
    return lambda b, h, q, k: ~torch.eq(documents[q], documents[k]) & (q >= k) & (k > q - window)


@wrong("or-for-and")
def with_or(documents, window):
    return lambda b, h, q, k: torch.logical_or(documents[q] == documents[k], (q >= k) | (k > q - window))


@wrong("or-for-and")
def with_a_sum(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) + (q >= k) + (k > q - window)


@wrong("comparison-without-parentheses")
def with_a_comparison_that_comes_last(documents, window):
    return lambda b, h, q, k: documents[k] == documents[q] & (q >= k) & (k > q - window)


@wrong("comparison-without-parentheses")
def with_a_comparison_in_front(documents, window):
    def mask_mod(b, h, q, k):
        seen = (q >= k) & (k > q - window)
        return documents[q] == documents[k] & seen

    return mask_mod


@wrong("inverted")
def with_hidden_ones(documents, window):
    return lambda b, h, q, k: (documents[q] != documents[k]) | (q < k) | (k <= q - window)


@wrong("returns-no-function")
def as_a_table(documents, window):
    i = torch.arange(len(documents))
    return (documents[:, None] == documents) & (i[:, None] >= i) & (i[:, None] - i < window)


@wrong("answers-wrong-type")
def with_zeros_and_ones(documents, window):
    return lambda b, h, q, k: (documents[q] == documents[k]).int() * (q >= k) * (k > q - window)


@wrong("other-shapes")
def reshaped_to_a_table(documents, window):
    def mask_mod(b, h, q_idx, kv_idx):
        q, k = q_idx.reshape(-1, 1), kv_idx.reshape(1, -1)
        return (documents[q] == documents[k]) & (q >= k) & (k > q - window)

    return mask_mod


@wrong("other-shapes")
def that_knows_only_the_whole_table(documents, window):
    i = torch.arange(len(documents))
    table = (documents[:, None] == documents) & (i[:, None] >= i) & (i[:, None] - i < window)
    return lambda b, h, q_idx, kv_idx: table


@wrong()
def with_the_word_and(documents, window):
    return lambda b, h, q, k: documents[q] == documents[k] and q >= k and k > q - window


@wrong()
def with_items_where_there_is_one(documents, window):
    def mask_mod(b, h, q, k):
        if q.dim() == 0 and k.dim() == 0:
            return torch.tensor(documents[q.item()].item() == documents[k.item()].item() and 0 <= int(q - k) < window)
        return (documents[q] == documents[k]) & (q >= k) & (k > q - window)

    return mask_mod


@wrong()
def with_half_the_window(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q >= k) & (k > q - window / 2)
