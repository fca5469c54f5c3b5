"""Right answers to exercise 7.2, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import numpy as np
import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def pooled_by_the_formula(hidden, mask):
    real = mask.unsqueeze(-1)
    return (hidden * real).sum(dim=1) / real.sum(dim=1)


@right
def pooled_as_by_sentence_transformers(token_embeddings, attention_mask):
    input_mask_expanded = attention_mask.unsqueeze(-1).expand(token_embeddings.size()).float()
    sum_embeddings = torch.sum(token_embeddings * input_mask_expanded, 1)
    sum_mask = torch.clamp(input_mask_expanded.sum(1), min=1e-9)
    return sum_embeddings / sum_mask


@right
def pooled_item_by_item(hidden, mask):
    return torch.stack([h[m].mean(dim=0) for h, m in zip(hidden, mask, strict=True)])


@right
def pooled_by_filling(hidden, mask):
    total = hidden.masked_fill(~mask[:, :, None], 0.0).sum(1)
    return total / mask.sum(dim=1, keepdim=True)


@right
def pooled_by_einsum(hidden, mask):
    real = mask.to(hidden.dtype)
    return torch.einsum("btc,bt->bc", hidden, real) / real.sum(1)[:, None]


@right
def pooled_by_a_matrix_product(hidden, mask):
    shares = mask / mask.sum(-1, keepdim=True)
    return (shares.to(hidden.dtype).unsqueeze(1) @ hidden).squeeze(1)


@right
def pooled_by_bmm(hidden, mask):
    shares = F.normalize(mask.to(hidden), p=1, dim=1)
    return torch.bmm(hidden.transpose(1, 2), shares.unsqueeze(2))[..., 0]


@right
def pooled_by_nanmean(hidden, mask):
    return torch.where(mask[..., None], hidden, torch.nan).nanmean(dim=1)


@right
def pooled_by_attention_without_scores(hidden, mask):
    scores = torch.zeros(mask.shape, dtype=hidden.dtype).masked_fill(~mask, float("-inf"))
    return (scores.softmax(dim=1)[:, None] @ hidden).flatten(1)


@right
def pooled_by_index_add(hidden, mask):
    item, place = mask.nonzero(as_tuple=True)
    total = torch.zeros(hidden.shape[0], hidden.shape[2], dtype=hidden.dtype)
    total.index_add_(0, item, hidden[item, place])
    return total / torch.bincount(item)[:, None]


@right
def pooled_by_splitting_what_is_real(hidden, mask):
    return torch.stack([part.mean(0) for part in hidden[mask].split(mask.sum(1).tolist())])


@right
def pooled_in_three_loops(hidden, mask):
    B, T, C = hidden.shape
    result = torch.zeros(B, C, dtype=hidden.dtype)
    for b in range(B):
        count = 0
        for t in range(T):
            if mask[b, t]:
                count += 1
                for c in range(C):
                    result[b, c] += hidden[b, t, c]
        result[b] /= count
    return result


@right
def pooled_by_the_mean_mended(hidden, mask):
    T = mask.shape[1]
    return (hidden * mask[..., None]).mean(1) * (T / mask.sum(1, keepdim=True))


@right
def pooled_by_numpy(hidden, mask):
    means = [h[m].mean(axis=0) for h, m in zip(hidden.numpy(), mask.numpy(), strict=True)]
    return torch.from_numpy(np.stack(means))


@right
def pooled_by_sdpa(hidden, mask):
    query = torch.zeros_like(hidden[:, :1])
    return F.scaled_dot_product_attention(query, hidden, hidden, attn_mask=mask.unsqueeze(1)).squeeze(1)


@right
def pooled_by_shares_of_each_token(hidden, mask):
    share = torch.where(mask, 1 / mask.count_nonzero(1).unsqueeze(1), 0.0)
    return torch.mul(hidden, share[..., None]).sum(-2).to(hidden.dtype)


@right
def pooled_with_a_copy_emptied(hidden, mask):
    kept = hidden.clone()
    kept[~mask] = 0
    n = mask.long().sum(1)
    print("real tokens", n)
    return kept.sum(1) / (n.unsqueeze(1) + 1e-9)


@right
def pooled_by_running_means(hidden, mask):
    mean, n = torch.zeros_like(hidden[:, 0]), torch.zeros(len(hidden), 1, dtype=hidden.dtype)
    for t in range(hidden.size(1)):
        real = mask[:, t, None]
        n = n + real
        mean = torch.where(real, mean + (hidden[:, t] - mean) / n, mean)
    return mean


@right.limited
def pool_all_minus_the_padding(hidden, mask):
    padding = (hidden * ~mask[..., None]).sum(dim=1)
    return (hidden.sum(dim=1) - padding) / mask.sum(dim=1, keepdim=True)
