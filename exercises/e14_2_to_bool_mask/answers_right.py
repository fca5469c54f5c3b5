"""Right answers to exercise 14.2, in many styles: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def converted_by_cases(mask, convention):
    match convention:
        case "hidden":
            return mask.logical_not()
        case "added":
            return mask > -1
        case "padding":
            return mask.bool().unsqueeze(1).unsqueeze(1)


@right
def converted_by_a_dict(mask, convention):
    ways = {
        "hidden": lambda: mask == False,  # noqa: E712
        "added": lambda: mask >= 0,
        "padding": lambda: (mask != 0).view(len(mask), 1, 1, -1),
    }
    return ways[convention]()


@right
def converted_by_exponentials(mask, convention):
    if convention == "added":
        return mask.exp() > 0.5
    if convention == "hidden":
        return ~mask
    B, S = mask.shape
    return (mask > 0).reshape(B, 1, 1, S)


@right
def converted_by_the_hidden_entries(mask, convention):
    hidden = {"hidden": mask, "added": mask < 0, "padding": mask == 0}[convention]
    keep = ~hidden
    return keep[:, None, None, :] if convention == "padding" else keep


@right
def converted_by_filling(mask, convention):
    keep = torch.ones(mask.shape, dtype=torch.bool, device=mask.device)
    if convention == "padding":
        keep[mask == 0] = False
        return torch.unflatten(keep, 0, (-1, 1, 1))
    keep[mask != 0] = False  # True, or a number below 0
    return keep


@right
def converted_by_where(mask, convention):
    yes, no = torch.tensor(True), torch.tensor(False)
    if convention == "hidden":
        return torch.where(mask, no, yes)
    if convention == "added":
        return torch.where(mask < -100, no, yes)
    return torch.where(mask.to(torch.int64) == 1, yes, no)[:, None, None]


@right
def converted_by_xor(mask, convention):
    flipped = convention != "padding"
    keep = mask.bool() ^ flipped
    return keep if flipped else keep[:, None].unsqueeze(-2)
