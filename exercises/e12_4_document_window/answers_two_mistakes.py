"""Answers to exercise 12.4 with two mistakes at once: naming either is true, naming a third is not."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("no-window", "documents-ignored")
def only_causal(documents, window):
    return lambda b, h, q, k: torch.ge(q, k)


@both("no-window", "no-future-hidden")
def only_documents(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k])


@both("self-hidden", "window-one-too-wide")
def before_itself(documents, window):
    return lambda b, h, q, k: torch.eq(documents[q], documents[k]) & (q > k) & (q - k <= window)


@both("documents-ignored", "window-one-too-wide")
def any_text_one_more(documents, window):
    return lambda b, h, q, k: (q >= k) & (k >= q - window)


@both("document-ends-at-a-gap", "no-window")
def runs_without_a_window(documents, window):
    run = torch.cat([torch.zeros(1), documents.diff().ne(0).cumsum(0)])
    return lambda b, h, q, k: torch.eq(run[q], run[k]) & (q >= k)
