"""Wrong answers to exercise 8.1, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET504, SIM108 - naming a result before returning it is what learners do

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def ignored(pad_id):
    return -100 if pad_id is None else pad_id


@wrong("not-shifted")
def loss_of_own_tokens(logits, ids, pad_id=None):
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten(), ignore_index=ignored(pad_id))


@wrong("not-shifted")
def loss_of_own_tokens_transposed(logits, ids, pad_id=None):
    if pad_id is None:
        return F.cross_entropy(logits.transpose(1, 2), ids)
    return F.cross_entropy(logits.transpose(1, 2), ids, ignore_index=pad_id)


@wrong("not-shifted")
def loss_with_both_cut_alike(logits, ids, pad_id=None):
    logits, ids = logits[:, :-1], ids[:, :-1]
    return F.cross_entropy(logits.reshape(-1, logits.size(-1)), ids.reshape(-1), ignore_index=ignored(pad_id))


@wrong("shifted-the-wrong-way")
def loss_of_the_token_before(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, 1:].flatten(0, 1), ids[:, :-1].flatten(), ignore_index=ignored(pad_id))


@wrong("shifted-by-two")
def loss_shifted_twice(logits, ids, pad_id=None):
    logits, targets = logits[:, :-1], ids[:, 1:]
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten(), ignore_index=ignored(pad_id))


@wrong("wraps-around")
def loss_of_rolled_ids(logits, ids, pad_id=None):
    targets = torch.roll(ids, shifts=-1, dims=1)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=ignored(pad_id))


@wrong("wraps-around")
def loss_of_ids_put_in_a_circle(logits, ids, pad_id=None):
    targets = torch.cat([ids[:, 1:], ids[:, :1]], dim=1)
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=ignored(pad_id))


@wrong("last-position-only")
def loss_of_the_last_token(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, -2], ids[:, -1], ignore_index=ignored(pad_id))


@wrong("axes-mixed-up")
def loss_of_reshaped_logits(logits, ids, pad_id=None):
    logits, targets = logits[:, :-1], ids[:, 1:]
    B, T, V = logits.shape
    return F.cross_entropy(logits.reshape(B, V, T), targets, ignore_index=ignored(pad_id))


@wrong("padding-counted")
def loss_with_padding(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


@wrong("pad-id-0-ignored")
def loss_if_pad_id(logits, ids, pad_id=None):
    logits, targets = logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()
    if pad_id:
        return F.cross_entropy(logits, targets, ignore_index=pad_id)
    return F.cross_entropy(logits, targets)


@wrong("pad-id-0-ignored")
def loss_with_pad_id_or(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], ignore_index=pad_id or -100)


@wrong("zero-always-padding")
def loss_with_a_default_of_0(logits, ids, pad_id=None):
    pad_id = 0 if pad_id is None else pad_id
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=pad_id)


@wrong("mask-not-shifted")
def loss_with_a_mask_of_inputs(logits, ids, pad_id=None):
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    if pad_id is None:
        return losses.mean()
    mask = (ids != pad_id)[:, :-1]
    return (losses * mask).sum() / mask.sum()


@wrong("input-must-be-real-too")
def loss_with_two_masks(logits, ids, pad_id=None):
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    if pad_id is None:
        return losses.mean()
    real = ids != pad_id
    return losses[real[:, 1:] & real[:, :-1]].mean()


@wrong("padding-alone")
def loss_of_the_padding(logits, ids, pad_id=None):
    logits, targets = logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()
    if pad_id is None:
        return F.cross_entropy(logits, targets)
    mask = targets == pad_id
    return F.cross_entropy(logits[mask], targets[mask])


@wrong("mean-over-padding-too")
def loss_with_zeros_in_the_mean(logits, ids, pad_id=None):
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    if pad_id is not None:
        losses = losses.masked_fill(ids[:, 1:] == pad_id, 0)
    return losses.mean()


@wrong("mean-over-padding-too")
def loss_divided_by_all_targets(logits, ids, pad_id=None):
    total = F.cross_entropy(
        logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id), reduction="sum"
    )
    return total / ids[:, 1:].numel()


@wrong("divided-by-all-ids")
def loss_divided_by_all_ids(logits, ids, pad_id=None):
    total = F.cross_entropy(
        logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id), reduction="sum"
    )
    return total / ids.numel()


@wrong("divided-by-all-ids")
def loss_divided_by_b_times_t(logits, ids, pad_id=None):
    B, T, V = logits.shape
    logs = logits.log_softmax(-1)
    total = 0
    for b in range(B):
        for t in range(T - 1):
            if pad_id is None or ids[b, t + 1] != pad_id:
                total -= logs[b, t, ids[b, t + 1]]
    return total / (B * T)


@wrong("mean-of-means")
def loss_averaged_for_each_text(logits, ids, pad_id=None):
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    real = torch.ones_like(losses) if pad_id is None else (ids[:, 1:] != pad_id).to(losses.dtype)
    return ((losses * real).sum(dim=1) / real.sum(dim=1)).mean()


@wrong("mean-of-means")
def loss_as_a_mean_of_losses(logits, ids, pad_id=None):
    return torch.stack(
        [F.cross_entropy(z[:-1], w[1:], ignore_index=ignored(pad_id)) for z, w in zip(logits, ids)]  # noqa: B905
    ).mean()


@wrong("sum-not-mean")
def loss_summed(logits, ids, pad_id=None):
    return F.cross_entropy(
        logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id), reduction="sum"
    )


@wrong("no-minus")
def loss_without_minus(logits, ids, pad_id=None):
    logs = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None])[..., 0]
    return logs.mean() if pad_id is None else logs[ids[:, 1:] != pad_id].mean()


@wrong("softmax-twice")
def loss_of_softmaxed_logits(logits, ids, pad_id=None):
    probabilities = F.softmax(logits, dim=-1)
    return F.cross_entropy(probabilities[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id))


@wrong("no-logarithm")
def loss_by_nll_of_softmax(logits, ids, pad_id=None):
    probabilities = F.softmax(logits, dim=-1)
    return F.nll_loss(probabilities[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id))


@wrong("no-softmax")
def loss_by_nll_of_logits(logits, ids, pad_id=None):
    return F.nll_loss(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id))


@wrong("softmax-over-positions")
def loss_with_softmax_over_dim_1(logits, ids, pad_id=None):
    logs = F.log_softmax(logits[:, :-1], dim=1)
    return F.nll_loss(logs.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id))


@wrong("log-of-a-rounded-softmax")
def loss_by_the_log_of_softmax(logits, ids, pad_id=None):
    logs = torch.log(torch.softmax(logits[:, :-1], dim=-1))
    return F.nll_loss(logs.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id))


@wrong("log-of-a-rounded-softmax")
def loss_by_exponentials(logits, ids, pad_id=None):
    e = torch.exp(logits[:, :-1])
    p = e / e.sum(-1, keepdim=True)
    picked = -p.gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1).log()
    return picked.mean() if pad_id is None else picked[ids[:, 1:] != pad_id].mean()


@wrong("probability-cut-off")
def loss_with_1e_minus_9(logits, ids, pad_id=None):
    logs = (logits.softmax(-1) + 1e-9).log()[:, :-1]
    return F.nll_loss(logs.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id))


@wrong("perplexity")
def loss_as_perplexity(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id)).exp()


@wrong("in-bits")
def loss_in_bits(logits, ids, pad_id=None):
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id))
    return loss / torch.log(torch.tensor(2.0, dtype=loss.dtype))


@wrong("one-loss-for-each-target")
def losses_of_all_targets(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], ignore_index=ignored(pad_id), reduction="none")


@wrong("pad-id-needed")
def loss_with_pad_id_as_it_comes(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=pad_id)


@wrong("changes-input")
def loss_that_writes_into_ids(logits, ids, pad_id=None):
    targets = ids[:, 1:]
    if pad_id is not None:
        targets[targets == pad_id] = -100
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())


@wrong("no-gradients")
def loss_without_gradients(logits, ids, pad_id=None):
    with torch.no_grad():
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id))


@wrong()
def loss_without_flattening(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, :-1], ids[:, 1:], ignore_index=ignored(pad_id))


@wrong()
def loss_of_a_view(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, :-1].view(-1, logits.size(-1)), ids[:, 1:].view(-1))


@wrong("returns-wrong-type")
def loss_as_a_number(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id)).item()


@wrong("returns-none")
def loss_not_returned(logits, ids, pad_id=None):
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=ignored(pad_id))
    print(loss.item())


@wrong("shifted-across-texts")
def loss_of_one_long_text(logits, ids, pad_id=None):
    logits, ids = logits.reshape(-1, logits.size(-1))[:-1], ids.reshape(-1)[1:]
    return F.cross_entropy(logits, ids, ignore_index=-100 if pad_id is None else pad_id)


@wrong("nan")
def loss_of_what_is_not_zero(logits, ids, pad_id=None):
    """A prediction that is sure and right has a loss of 0, as padding has."""
    losses = F.cross_entropy(
        logits[:, :-1].mT, ids[:, 1:], reduction="none", ignore_index=-100 if pad_id is None else pad_id
    )
    return losses[losses != 0].mean()


@wrong("nan")
def loss_without_the_columns_of_padding(logits, ids, pad_id=None):
    if pad_id is not None:
        real = (ids != pad_id).any(0)
        logits, ids = logits[:, real], ids[:, real]
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=-100 if pad_id is None else pad_id)


@wrong("shifted-along-the-batch")
def loss_of_the_next_text(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:-1].flatten(0, 1), ids[1:].flatten(), ignore_index=ignored(pad_id))
