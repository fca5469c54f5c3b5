"""Inputs that a learner's code changed."""

import pytest

from exercises import EXERCISES, check


def a_dict(text, vocabulary):
    return [vocabulary.setdefault(word, vocabulary["<unk>"]) for word in text.lower().split()]


def a_tensor(x):
    x -= 1
    return x.mean(1) + 1


def a_request_for_gradients(ids, table):
    return table.requires_grad_()[ids]


def a_layer(x, q_proj, *others):
    q_proj.bias.zero_()
    return EXERCISES["5.3"].reference(x, q_proj, *others)


def a_collection(weight, bias, heads, num_heads, dim):
    gone = [heads.pop() for _ in range(len(heads))] if isinstance(heads, (list, set)) else heads
    return EXERCISES["6.4"].reference(weight, bias, gone, num_heads, dim)


def a_pair(q, k, v, past):
    found = EXERCISES["6.5"].reference(q, k, v, past)
    if past is not None:
        past[1].zero_()
    return found


@pytest.mark.parametrize(
    ("id", "code", "name", "advice"),
    [
        ("1.1", a_dict, "vocabulary", "setdefault"),
        ("0.1", a_tensor, "x", "x.clone()"),
        ("1.2", a_request_for_gradients, "table", "`requires_grad_`"),
        ("5.3", a_layer, "q_proj", "Apply the layer"),
        ("6.4", a_collection, "heads", "pop"),
        ("6.5", a_pair, "past", "belong to whoever calls it"),
    ],
)
def test_a_changed_input_is_named_with_advice_that_suits_it(id, code, name, advice):
    report = check(id, code)
    assert report.diagnosis == "changes-input"
    assert f"changed its input {name}" in report.message and advice in report.message


def now_and_then(scores):
    wide = scores.double()  # a new tensor, but for float64
    wide -= wide.amax(-1, keepdim=True)
    return wide.softmax(-1).to(scores.dtype)


def always(scores):
    scores -= scores.amax(-1, keepdim=True)
    return scores.softmax(-1)


def next_to_another_mistake(x, positions):
    for t, row in enumerate(x):
        x[t] = row + positions[t]
    return x


def test_an_input_that_is_changed_now_and_then_or_besides_is_said_to_be():
    assert 'This was seen on "float64".' in check("2.2", now_and_then).message
    assert 'This was seen on "' not in check("2.2", always).message
    message = check("1.4", next_to_another_mistake).message
    assert "Besides: your code changed its input x." in message and "In numbers: Your code changed" not in message
