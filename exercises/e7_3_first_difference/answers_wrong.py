"""Wrong answers to exercise 7.3, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504, B023 - no return at the end, names before a return, loop variables in hooks: as learners do

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def outputs_of(model, x, modules=None, copy=torch.clone, mode=False):
    """A right recording of outputs, of which one thing can be wrong."""
    outputs, handles = {}, []
    modes = {module: module.training for module in model.modules()}
    for name, child in modules(model) if modules else model.named_children():

        def hook(module, inputs, output, name=name):
            outputs[name] = copy(output)

        handles.append(child.register_forward_hook(hook))
    try:
        if mode is not None:
            model.train(mode)
        model(x)
    finally:
        for handle in handles:
            handle.remove()
        for module, was in modes.items():
            module.training = was
    return outputs


def far(a, b):
    return (a - b).abs().max() > 1e-4


def first_far(one, other, far=far):
    for name in one:
        if far(one[name], other[name]):
            return name
    return None


def by(far, **options):
    """An answer that compares two outputs by far(a, b)."""

    def answer(mine, theirs, x):
        return first_far(outputs_of(mine, x, **options), outputs_of(theirs, x, **options), far)

    answer.__name__ = f"difference_{far.__name__}"
    return answer


def itself(output):
    return output


@wrong("equal-or-not")
@by
def not_equal(a, b):
    return not torch.equal(a, b)


@wrong("equal-or-not")
@by
def allclose_by_default(a, b):
    return not torch.allclose(a, b)


@wrong("equal-or-not")
@by
def beyond_a_millionth(a, b):
    return (a - b).abs().max() > 1e-6


@wrong("too-tolerant")
@by
def beyond_a_thousandth(a, b):
    return (a - b).abs().max() > 1e-3


@wrong("too-tolerant")
@by
def beyond_a_hundredth(a, b):
    return (a - b).abs().max() > 1e-2


@wrong("relative")
@by
def beyond_a_relative_tolerance(a, b):
    return not torch.allclose(a, b, rtol=1e-4)


@wrong("wrong-name")
@by
def beyond_a_share_of_the_largest(a, b):
    return (a - b).abs().max() > 1e-4 * b.abs().max()


@wrong("mean-difference")
@by
def mean_of_the_differences(a, b):
    return (a - b).abs().mean() > 1e-4


@wrong("summed-difference")
@by
def norm_of_the_difference(a, b):
    return torch.norm(a - b) > 1e-4


@wrong("summed-difference")
@by
def sum_of_the_differences(a, b):
    return (a - b).abs().sum() > 1e-4


@wrong("sign-kept")
@by
def without_abs(a, b):
    return (a - b).max() > 1e-4


@wrong("sign-kept")
@by
def without_abs_the_other_way(a, b):
    return (b - a).max() > 1e-4


@wrong("first-agreement")
@by
def allclose_without_not(a, b):
    return torch.allclose(a, b, rtol=0, atol=1e-4)


@wrong("summed-difference")
@by
def sum_of_signed_differences(a, b):
    return abs((a - b).sum()) > 1e-4


def mean_squared(a, b):
    return ((a - b) ** 2).mean() > 1e-4


wrong("too-tolerant")(by(mean_squared))


@wrong("not-in-evaluation")
def difference_in_any_mode(mine, theirs, x):
    return first_far(outputs_of(mine, x, mode=None), outputs_of(theirs, x, mode=None))


@wrong("not-in-evaluation")
def difference_of_mine_in_evaluation(mine, theirs, x):
    return first_far(outputs_of(mine, x), outputs_of(theirs, x, mode=None))


@wrong("not-copied")
def difference_without_copies(mine, theirs, x):
    return first_far(outputs_of(mine, x, copy=itself), outputs_of(theirs, x, copy=itself))


@wrong("not-copied")
def difference_of_detached(mine, theirs, x):
    return first_far(outputs_of(mine, x, copy=torch.detach), outputs_of(theirs, x, copy=torch.detach))


@wrong("inner-modules")
def difference_of_all_modules(mine, theirs, x):
    def modules(model):
        return model.named_modules()

    return first_far(outputs_of(mine, x, modules), outputs_of(theirs, x, modules))


@wrong("inner-modules")
def difference_of_leaves(mine, theirs, x):
    def modules(model):
        return [(name, module) for name, module in model.named_modules() if not len(list(module.children()))]

    return first_far(outputs_of(mine, x, modules), outputs_of(theirs, x, modules))


@wrong("registration-order")
def difference_as_registered(mine, theirs, x):
    one, other = outputs_of(mine, x), outputs_of(theirs, x)
    for name, _ in mine.named_children():
        if name in one and far(one[name], other[name]):
            return name


@wrong()
def difference_of_children_that_never_run(mine, theirs, x):
    one, other = outputs_of(mine, x), outputs_of(theirs, x)
    for name, _ in mine.named_children():
        if far(one[name], other[name]):
            return name


@wrong("last-difference")
def difference_overwritten(mine, theirs, x):
    one, other = outputs_of(mine, x), outputs_of(theirs, x)
    found = None
    for name in one:
        if far(one[name], other[name]):
            found = name
    return found


def outputs_by_late_name(model, x):
    outputs, handles = [], []
    modes = {module: module.training for module in model.modules()}
    for name, child in model.named_children():
        handles.append(child.register_forward_hook(lambda m, i, output: outputs.append((name, output.clone()))))
    try:
        model.eval()(x)
    finally:
        for handle in handles:
            handle.remove()
        for module, was in modes.items():
            module.training = was
    return outputs


@wrong("name-of-the-last")
def difference_with_a_late_name(mine, theirs, x):
    for (name, a), (_, b) in zip(outputs_by_late_name(mine, x), outputs_by_late_name(theirs, x), strict=True):
        if far(a, b):
            return name
    return None


@wrong()
def difference_with_a_late_name_in_a_dict(mine, theirs, x):
    return first_far(dict(outputs_by_late_name(mine, x)), dict(outputs_by_late_name(theirs, x)))


@wrong("paired-by-number")
def difference_by_number(mine, theirs, x):
    one, other = outputs_of(mine, x), outputs_of(theirs, x)
    for (name, _), (paired, _) in zip(mine.named_children(), theirs.named_children(), strict=True):
        if name in one and far(one[name], other[paired]):
            return name


@wrong("paired-by-number")
def difference_of_the_nth_that_ran(mine, theirs, x):
    one, other = list(outputs_of(mine, x).items()), list(outputs_of(theirs, x).values())
    for number, (name, output) in enumerate(one):
        if far(output, other[number]):
            return name


@wrong("inputs-compared")
def difference_of_inputs(mine, theirs, x):
    found = []
    for model in (mine, theirs):
        inputs, handles, modes = {}, [], {module: module.training for module in model.modules()}
        for name, child in model.named_children():
            handles.append(
                child.register_forward_pre_hook(lambda m, args, name=name: inputs.update({name: args[0].clone()}))
            )
        try:
            model.eval()(x)
        finally:
            for handle in handles:
                handle.remove()
            for module, was in modes.items():
                module.training = was
        found.append(inputs)
    return first_far(*found)


@wrong("parameters-compared")
def difference_of_parameters(mine, theirs, x):
    for name, child in mine.named_children():
        other = dict(theirs.named_children())[name].state_dict()
        if any(far(value, other[key]) for key, value in child.state_dict().items()):
            return name
    return None


@wrong("results-first")
def difference_if_the_results_differ(mine, theirs, x):
    def whole(model):
        return [("", model)]

    if not far(outputs_of(mine, x, whole)[""], outputs_of(theirs, x, whole)[""]):
        return None
    return first_far(outputs_of(mine, x), outputs_of(theirs, x))


def children_in_turn(mine, theirs, x, feed):
    modes = {module: module.training for model in (mine, theirs) for module in model.modules()}
    mine.eval(), theirs.eval()
    one = other = x
    try:
        for name, child in mine.named_children():
            a, b = child(one.clone()), getattr(theirs, name)(other.clone())
            if far(a, b):
                return name
            one, other = feed(x, a), feed(x, b)
    finally:
        for module, was in modes.items():
            module.training = was
    return None


@wrong("forward-by-hand")
def difference_by_hand(mine, theirs, x):
    return children_in_turn(mine, theirs, x, lambda x, output: output)


@wrong("forward-by-hand")
def difference_of_each_child_on_x(mine, theirs, x):
    return children_in_turn(mine, theirs, x, lambda x, output: x)


@wrong("always-none")
def difference_in_one_dict(mine, theirs, x):
    outputs = {}
    outputs.update(outputs_of(mine, x))
    one = outputs
    outputs.update(outputs_of(theirs, x))
    return first_far(one, outputs)


@wrong("always-none")
def difference_printed(mine, theirs, x):
    print(first_far(outputs_of(mine, x), outputs_of(theirs, x)))


@wrong("text-for-none")
def difference_or_nothing(mine, theirs, x):
    return first_far(outputs_of(mine, x), outputs_of(theirs, x)) or ""


@wrong("text-for-none")
def difference_or_the_word_none(mine, theirs, x):
    return str(first_far(outputs_of(mine, x), outputs_of(theirs, x)))


@wrong("text-for-none")
def difference_or_none_in_quotation_marks(mine, theirs, x):
    return first_far(outputs_of(mine, x), outputs_of(theirs, x)) or "none"


@wrong("never-none")
def difference_or_the_last(mine, theirs, x):
    one, other = outputs_of(mine, x), outputs_of(theirs, x)
    for name in one:
        if far(one[name], other[name]):
            break
    return name


@wrong("never-none")
def largest_difference(mine, theirs, x):
    one, other = outputs_of(mine, x), outputs_of(theirs, x)
    sizes = {name: (one[name] - other[name]).abs().max().item() for name in one}
    return max(sizes, key=sizes.get)


@wrong("returns-wrong-type")
def difference_and_its_size(mine, theirs, x):
    one, other = outputs_of(mine, x), outputs_of(theirs, x)
    name = first_far(one, other)
    return name, 0.0 if name is None else (one[name] - other[name]).abs().max().item()


@wrong("returns-wrong-type")
def difference_as_a_number(mine, theirs, x):
    one, other = outputs_of(mine, x), outputs_of(theirs, x)
    name = first_far(one, other)
    return None if name is None else list(one).index(name)


@wrong("returns-wrong-type")
def difference_as_a_module(mine, theirs, x):
    name = first_far(outputs_of(mine, x), outputs_of(theirs, x))
    return None if name is None else getattr(mine, name)


@wrong("returns-wrong-type")
def all_differences(mine, theirs, x):
    one, other = outputs_of(mine, x), outputs_of(theirs, x)
    return [name for name in one if far(one[name], other[name])]


# ---------------------------------------------------------------- hooks and modes


class Careless:
    """A right answer but for what it leaves behind; `finish` cleans up, in any case or only after a good run."""

    always = True

    def prepare(self, model):
        model.eval()

    def finish(self, model, handles, modes):
        for handle in handles:
            handle.remove()
        for module, was in modes.items():
            module.training = was

    def outputs(self, model, x):
        outputs, handles = {}, []
        modes = {module: module.training for module in model.modules()}
        for name, child in model.named_children():
            handles.append(child.register_forward_hook(lambda m, i, o, name=name: outputs.update({name: o.clone()})))
        self.prepare(model)
        try:
            model(x)
        except Exception:
            if self.always:
                self.finish(model, handles, modes)
            raise
        self.finish(model, handles, modes)
        return outputs


def careless(kind):
    def answer(mine, theirs, x):
        return first_far(kind().outputs(mine, x), kind().outputs(theirs, x))

    answer.__name__ = f"difference_{kind.__name__}"
    return answer


@wrong("hooks-left")
@careless
class LeavesHooks(Careless):
    def finish(self, model, handles, modes):
        super().finish(model, [], modes)


@wrong("hooks-left")
@careless
class RemovesTheLastHook(Careless):
    def finish(self, model, handles, modes):
        super().finish(model, handles[-1:], modes)


@wrong("hooks-left-after-an-exception")
@careless
class CleansUpAfterAGoodRun(Careless):
    always = False


@wrong("other-hooks-removed")
@careless
class ClearsAllHooks(Careless):
    def finish(self, model, handles, modes):
        for module in model.modules():
            module._forward_hooks.clear()
        super().finish(model, [], modes)


@wrong("modes-changed")
@careless
class StaysInEvaluation(Careless):
    def finish(self, model, handles, modes):
        super().finish(model, handles, {})


@wrong("modes-changed")
@careless
class EndsInTraining(Careless):
    def finish(self, model, handles, modes):
        super().finish(model, handles, {})
        model.train()


@wrong("modes-changed")
@careless
class RemembersOneMode(Careless):
    def finish(self, model, handles, modes):
        super().finish(model, handles, {})
        model.train(modes[model])


@wrong("modes-changed")
@careless
class RemembersTheModesOfChildren(Careless):
    def finish(self, model, handles, modes):
        super().finish(model, handles, {})
        model.train(modes[model])
        for child in model.children():
            child.train(modes[child])


@wrong("run-in-training")
def difference_after_a_run_in_training(mine, theirs, x):
    mine(x), theirs(x)
    return first_far(outputs_of(mine, x), outputs_of(theirs, x))


@wrong("modes-changed-after-an-exception")
def difference_with_modes_after_the_try(mine, theirs, x):
    """Hooks are removed in finally, and the modes put back after it."""

    def run(model):
        kept, modes = {}, {part: part.training for part in model.modules()}
        model.eval()
        handles = [
            child.register_forward_hook(lambda part, inputs, output, name=name: kept.update({name: output.clone()}))
            for name, child in model.named_children()
        ]
        try:
            with torch.no_grad():
                model(x)
        finally:
            for handle in handles:
                handle.remove()
        for part, mode in modes.items():
            part.training = mode
        return kept

    one, other = run(mine), run(theirs)
    return next((name for name in one if (one[name] - other[name]).abs().max() > 1e-4), None)


@wrong("exception-swallowed")
def difference_that_returns_none_after_an_exception(mine, theirs, x):
    try:
        return first_far(outputs_of(mine, x), outputs_of(theirs, x))
    except Exception as error:
        print(f"cannot compare: {error}")
        return None


@wrong("exception-swallowed")
def difference_with_an_exception_of_its_own(mine, theirs, x):
    try:
        return first_far(outputs_of(mine, x), outputs_of(theirs, x))
    except Exception as error:
        raise ValueError(f"cannot compare: {error}") from error


@wrong("exception-swallowed")
def difference_of_what_ran(mine, theirs, x):
    """Each run is in a try of its own, whose `return` in `finally` ends the exception."""

    def run(model):
        kept, modes = {}, {part: part.training for part in model.modules()}
        handles = [
            child.register_forward_hook(lambda part, inputs, output, name=name: kept.update({name: output.clone()}))
            for name, child in model.named_children()
        ]
        try:
            model.eval()(x)
        finally:
            for handle in handles:
                handle.remove()
            for part, mode in modes.items():
                part.training = mode
            return kept  # noqa: B012 - as learners do

    one, other = run(mine), run(theirs)
    return next((name for name in one if name in other and (one[name] - other[name]).abs().max() > 1e-4), None)


@wrong("alphabetical")
def difference_first_in_the_alphabet(mine, theirs, x):
    one, other = outputs_of(mine, x), outputs_of(theirs, x)
    return min((name for name in one if far(one[name], other[name])), default=None)
