"""The course's own answer to exercise 11.5."""

import torch


def read_pages(pages, table, length):
    """Put the tokens of one text together from the pages on which they lie.

    Shapes: pages (N, P, H, D), table a list or (n,) of page numbers -> (H, length, D)
    Source: Kwon et al. 2023; notebook 11
    """
    table = torch.as_tensor(table, dtype=torch.long, device=pages.device)
    tokens = pages[table].flatten(0, 1)[:length]  # (n, P, H, D) -> (n * P, H, D) -> (length, H, D)
    return tokens.transpose(0, 1)
