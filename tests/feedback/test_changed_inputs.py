"""Inputs that a learner's code changed."""

from exercises import EXERCISES, check


def test_a_changed_dict_gets_advice_about_dicts():
    def code(text, vocabulary):
        return [vocabulary.setdefault(word, vocabulary["<unk>"]) for word in text.lower().split()]

    report = check("1.1", code)
    assert report.diagnosis == "changes-input"
    assert "changed its input vocabulary" in report.message and "setdefault" in report.message


def test_a_changed_input_is_named():
    def code(x):
        x -= 1
        return x.mean(1) + 1

    report = check("0.1", code)
    assert report.diagnosis == "changes-input" and "input x" in report.message


def test_an_input_that_is_changed_now_and_then_is_said_to_be():
    def code(scores):
        wide = scores.double()  # a new tensor, but for float64
        wide -= wide.amax(-1, keepdim=True)
        return wide.softmax(-1).to(scores.dtype)

    def always(scores):
        scores -= scores.amax(-1, keepdim=True)
        return scores.softmax(-1)

    assert 'This was seen on "' not in check("2.2", always).message
    assert 'This was seen on "float64".' in check("2.2", code).message


def test_a_request_for_gradients_changes_an_input():
    def code(ids, table):
        return table.requires_grad_()[ids]

    report = check("1.2", code)
    assert report.diagnosis == "changes-input" and "`requires_grad_`" in report.message


def test_a_changed_layer_is_named():
    def code(x, q_proj, *others):
        q_proj.bias.zero_()
        return EXERCISES["5.3"].reference(x, q_proj, *others)

    report = check("5.3", code)
    assert report.diagnosis == "changes-input" and "input q_proj" in report.message


def test_a_changed_collection_gets_advice_about_collections():
    def code(weight, bias, heads, num_heads, dim):
        gone = [heads.pop() for _ in range(len(heads))] if isinstance(heads, (list, set)) else heads
        return EXERCISES["6.4"].reference(weight, bias, gone, num_heads, dim)

    report = check("6.4", code)
    assert report.diagnosis == "changes-input"
    assert "changed its input heads" in report.message and "pop" in report.message


def test_a_changed_pair_of_tensors_is_named():
    def code(q, k, v, past):
        found = EXERCISES["6.5"].reference(q, k, v, past)
        if past is not None:
            past[1].zero_()
        return found

    report = check("6.5", code)
    assert report.diagnosis == "changes-input" and "changed its input past" in report.message


def test_a_changed_input_is_reported_next_to_the_mistake():
    def code(x, positions):
        for t, row in enumerate(x):
            x[t] = row + positions[t]
        return x

    message = check("1.4", code).message
    assert "Besides: your code changed its input x." in message and "In numbers: Your code changed" not in message
