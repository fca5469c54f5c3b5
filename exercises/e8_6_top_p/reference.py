"""The course's answer to exercise 8.6."""


def top_p(logits, p):
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)  # (B, V) each
    before = probabilities.cumsum(dim=-1) - probabilities  # what the more likely tokens sum to
    outside = before >= p  # enough without this token
    return logits.masked_fill(outside.scatter(-1, order, outside), float("-inf"))
