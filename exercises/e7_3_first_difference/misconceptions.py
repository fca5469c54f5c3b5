"""What people get wrong in exercise 7.3, first_difference."""

import torch

from feedback import Misconceptions


def told(case):
    """What was said, and what is right."""
    said, right = (repr(answer[0]) for answer in (case.actual, case.expected))
    return f"your code says {said}, and {right} is right"


# ---------------------------------------------------------------- the right steps


def prepare(model):
    model.eval()


def watched(model):
    """The modules whose outputs are kept, with their names."""
    return list(model.named_children())


def kept(inputs, output):
    return output.clone()


def names(model, outputs):
    """In which order outputs are compared."""
    return list(outputs)


def differs(one, other):
    return (one - other).abs().max() > 1e-4


def outputs_by_name(model, x, prepare, watched, kept):
    outputs, modes = {}, {module: module.training for module in model.modules()}

    def keep(name):
        def hook(child, inputs, output):
            outputs[name] = kept(inputs, output)

        return hook

    hooks = [child.register_forward_hook(keep(name)) for name, child in watched(model)]
    try:
        prepare(model)
        with torch.no_grad():
            model(x)
    finally:
        for hook in hooks:
            hook.remove()
        for module, mode in modes.items():
            module.training = mode
    return outputs


def assemble(prepare=prepare, watched=watched, kept=kept, names=names, differs=differs):
    """An answer with these steps replaced."""

    def answer(mine, theirs, x):
        one, other = (outputs_by_name(model, x, prepare, watched, kept) for model in (mine, theirs))
        for name in names(mine, one):
            if differs(one[name], other[name]):
                return name
        return None

    return answer


known = Misconceptions(assemble)


def mistake(id, means, hint, step=None):
    """Register a misconception, of which `told` gives the names."""
    return known(id, means=means, hint=hint, explain=told, step=step)


# ---------------------------------------------------------------- which child


@mistake(
    "registration-order",
    "The children are gone through as they were registered in `__init__`; forward may run them in another order.",
    "`named_children` follows `__init__`. A forward hook is called when its child runs: keep the outputs in that "
    "order.",
    step="names",
)
def as_registered(model, outputs):
    return [name for name, _ in model.named_children() if name in outputs]


@mistake(
    "alphabetical",
    "Of the children that differ, the first in the alphabet is named, not the first that runs.",
    "A dict keeps the order in which it was filled; sorted, min and max of names go by the alphabet.",
    step="names",
)
def names_in_order(model, outputs):
    return sorted(outputs)


@mistake(
    "last-difference",
    "A later child that differs is named, such as the last, not the first: once something differs, what follows "
    "usually does too.",
    "Only the first one counts, however much the others differ.",
    step="names",
)
def last_first(model, outputs):
    return list(outputs)[::-1]


@mistake(
    "inner-modules",
    "Modules within a child were compared too, or the model as a whole: only the children themselves count.",
    "`named_modules` goes all the way down, and begins with the model itself. Which method gives the children alone?",
    step="watched",
)
def all_modules(model):
    return [(name, module) for name, module in model.named_modules() if name]


@known.also("inner-modules", step="watched")
def all_modules_and_the_model(model):
    return list(model.named_modules())


mistake(
    "name-of-the-last",
    "Every output was kept under the same name, that of the child registered last: a function made in a loop sees the "
    "loop's variable as it is in the end.",
    "Each hook needs a name of its own: make it in a function that takes the name, or write "
    "lambda module, inputs, output, name=name: ...",
)


@known.also("name-of-the-last")
def last_name_in_a_list(mine, theirs, x):
    one, other = (outputs_by_name(model, x, prepare, watched, kept) for model in (mine, theirs))
    *_, last = (name for name, _ in mine.named_children())
    return last if any(map(differs, one.values(), other.values())) else None


@known.also("name-of-the-last")
def last_name_in_a_dict(mine, theirs, x):
    one, other = (outputs_by_name(model, x, prepare, watched, kept) for model in (mine, theirs))
    *_, last = (name for name, _ in mine.named_children())
    *_, a = one.values()
    *_, b = other.values()
    return last if differs(a, b) else None


@mistake(
    "paired-by-number",
    "The children were paired by their number, first with first; the two modules may register and run them in "
    "different orders.",
    "Pair them by name: a dict from names to outputs, one for each module.",
)
def first_with_first(mine, theirs, x):
    one, other = (outputs_by_name(model, x, prepare, watched, kept) for model in (mine, theirs))
    pairs = zip(mine.named_children(), theirs.named_children(), strict=True)
    for (name, _), (paired, _) in pairs:
        if name in one and differs(one[name], other[paired]):
            return name
    return None


@known.also("paired-by-number")
def first_run_with_first_run(mine, theirs, x):
    one, other = (outputs_by_name(model, x, prepare, watched, kept) for model in (mine, theirs))
    pairs = zip(one.items(), other.values(), strict=False)
    return next((name for (name, a), b in pairs if differs(a, b)), None)


# ---------------------------------------------------------------- what is compared


@mistake(
    "inputs-compared",
    "What the children got was compared, not what they returned: so the child after the right one is named.",
    "A forward hook is called with the module, its inputs and its output.",
    step="kept",
)
def inputs_kept(inputs, output):
    return inputs[0].clone().float()


@known.also("inputs-compared")
def inputs_kept_before_the_run(mine, theirs, x):
    def inputs_by_name(model):
        found, modes = {}, {module: module.training for module in model.modules()}
        hooks = [
            child.register_forward_pre_hook(lambda m, given, name=name: found.update({name: given[0].clone().float()}))
            for name, child in model.named_children()
        ]
        try:
            model.eval()(x)
        finally:
            for hook in hooks:
                hook.remove()
            for module, mode in modes.items():
                module.training = mode
        return found

    one, other = inputs_by_name(mine), inputs_by_name(theirs)
    return next((name for name in one if differs(one[name], other[name])), None)


@mistake(
    "not-copied",
    "The outputs that you keep are those that later steps work on: one that works in place, such as h += ... or "
    "`nn.ReLU(inplace=True)`, changed them before they were compared.",
    "Keep a copy, `output.clone()`; and let the hook return nothing, or what it returns takes the output's place.",
    step="kept",
)
def kept_itself(inputs, output):
    return output


@mistake(
    "parameters-compared",
    "The parameters of the children were compared, not their outputs: equal parameters may be used in different ways, "
    "and different ones may not matter.",
    "Run both modules on x, and compare what each child returns.",
)
def parameters_compared(mine, theirs, x):
    others = dict(theirs.named_children())
    for name, child in mine.named_children():
        pairs = zip(child.parameters(), others[name].parameters(), strict=True)
        if any(differs(one, other) for one, other in pairs):
            return name
    return None


@known.also("parameters-compared")
def parameters_compared_exactly(mine, theirs, x):
    others = dict(theirs.named_children())
    for name, child in mine.named_children():
        pairs = zip(child.parameters(), others[name].parameters(), strict=True)
        if any(not torch.equal(one, other) for one, other in pairs):
            return name
    return None


@mistake(
    "results-first",
    "What the two modules return in the end was compared as well: a later child may undo a difference, and what comes "
    "after the children does not count.",
    "Only the outputs of children decide.",
)
def nothing_if_the_results_agree(mine, theirs, x):
    results = [outputs_by_name(model, x, prepare, lambda m: [("", m)], kept)[""] for model in (mine, theirs)]
    return assemble()(mine, theirs, x) if differs(*results) else None


def by_hand(feed):
    """The children called one by one in the order of registration; feed(x, output) is what the next one gets."""

    def answer(mine, theirs, x):
        others, (one, other) = dict(theirs.named_children()), (x, x)
        modes = {module: module.training for model in (mine, theirs) for module in model.modules()}
        mine.eval(), theirs.eval()
        try:
            with torch.no_grad():
                for name, child in mine.named_children():
                    a, b = child(one.clone()), others[name](other.clone())
                    if differs(a, b):
                        return name
                    one, other = feed(x, a), feed(x, b)
        finally:
            for module, mode in modes.items():
                module.training = mode
        return None

    return answer


known(
    "forward-by-hand",
    means="The children were called one by one, each with what the one before returned (or each with x). What a module "
    "does between its children, and in which order it runs them, is in its forward.",
    hint="Call the module itself, `mine(x)`, and listen to its children with forward hooks.",
    explain=told,
)
known.also("forward-by-hand")(by_hand(lambda x, output: output))
known.also("forward-by-hand")(by_hand(lambda x, output: x))


@mistake(
    "always-none",
    "None came back although a child differs.",
    "Print the outputs that you keep: one dict for each module, filled before they are compared? One number that "
    "differs is enough, and None may be returned only after the last child.",
)
def nothing_ever_differs(mine, theirs, x):
    return None


@mistake(
    "text-for-none",
    "Where nothing differs a text came back; None is asked for, without quotation marks.",
    "After the loop: return None.",
)
def empty_where_nothing_differs(mine, theirs, x):
    return assemble()(mine, theirs, x) or ""


@known.also("text-for-none")
def none_as_a_text(mine, theirs, x):
    return str(assemble()(mine, theirs, x))


@known.also("text-for-none")
def none_as_a_text_in_lowercase(mine, theirs, x):
    return assemble()(mine, theirs, x) or "none"


@mistake(
    "never-none",
    "A child is named even where no output differs.",
    "What does your code return where the loop ends without a difference? None is asked for.",
)
def last_where_nothing_differs(mine, theirs, x):
    *_, last = outputs_by_name(mine, x, prepare, watched, kept)
    return assemble()(mine, theirs, x) or last


@known.also("never-none")
def first_where_nothing_differs(mine, theirs, x):
    first, *_ = outputs_by_name(mine, x, prepare, watched, kept)
    return assemble()(mine, theirs, x) or first


@known.also("never-none")
def the_largest_difference(mine, theirs, x):
    one, other = (outputs_by_name(model, x, prepare, watched, kept) for model in (mine, theirs))
    return max(one, key=lambda name: float((one[name] - other[name]).abs().max()))


# ---------------------------------------------------------------- the mode


@mistake(
    "not-in-evaluation",
    "The modules were run in the mode in which they came: with dropout in training, two runs differ by chance alone.",
    "`model.eval()` before the run; and remember the mode of each submodule, to put it back afterwards.",
    step="prepare",
)
def as_it_came(model):
    pass


# ---------------------------------------------------------------- how far apart


@mistake(
    "equal-or-not",
    "Differences of less than 1e-4 count; only larger ones should. Two right implementations differ by rounding.",
    "Compare the largest difference with 1e-4: is `(a - b).abs().max()` above it?",
    step="differs",
)
def not_equal(one, other):
    return not torch.equal(one, other)


@known.also("equal-or-not", step="differs")
def beyond_the_default_tolerances(one, other):
    return not torch.allclose(one, other)


def add_tolerance(id, tolerance):
    @known.also(id, step="differs")
    def beyond(one, other):
        return (one - other).abs().max() > tolerance


add_tolerance("equal-or-not", 1e-6)

mistake(
    "too-tolerant",
    "Differences of more than 1e-4 were passed over.",
    "Is your tolerance 1e-4? And is it the largest difference that you compare with it, without regard to its sign?",
)
for tolerance in (1e-3, 1e-2, 0.2):
    add_tolerance("too-tolerant", tolerance)


@mistake(
    "relative",
    "The tolerance is a share of the numbers: the larger they are, the larger a difference is passed over.",
    "`torch.allclose(a, b)` allows rtol * |b| as well, unless it is given `rtol=0`.",
    step="differs",
)
def beyond_a_share(one, other):
    return not torch.allclose(one.float(), other.float(), rtol=1e-4, atol=0)


@known.also("relative", step="differs")
def beyond_the_share_by_default(one, other):
    return not torch.allclose(one.float(), other.float(), atol=1e-4)


@known.also("relative", step="differs")
def beyond_a_share_and_more(one, other):
    return not torch.allclose(one.float(), other.float(), rtol=1e-4, atol=1e-4)


@known.also("relative", step="differs")
def beyond_a_share_of_a_thousandth(one, other):
    return not torch.allclose(one.float(), other.float(), rtol=1e-3, atol=1e-4)


mistake(
    "mean-difference",
    "The differences were averaged, so one wrong number among many right ones is lost.",
    "The largest of the differences decides: `.max()`, not `.mean()`.",
)


@known.also("mean-difference", step="differs")
def on_average(one, other):
    return (one - other).abs().mean() > 1e-4


@mistake(
    "summed-difference",
    "Many small differences, of rounding, count as a large one: they were added up (or their squares, as in a norm), "
    "or the numbers were rounded, some up and some down, before they were compared.",
    "The largest of the differences decides: `.max()`.",
    step="differs",
)
def summed(one, other):
    return (one - other).abs().sum() > 1e-4


@known.also("summed-difference", step="differs")
def summed_with_their_signs(one, other):
    return (one - other).sum().abs() > 1e-4


@mistake(
    "sign-kept",
    "A difference below 0 was passed over: the largest of (mine - theirs) is not the largest in size.",
    "Put .abs() before .max().",
    step="differs",
)
def largest_with_its_sign(one, other):
    return (one - other).max() > 1e-4


@known.also("sign-kept", step="differs")
def largest_with_the_other_sign(one, other):
    return (other - one).max() > 1e-4


@mistake(
    "first-agreement",
    "The condition is the wrong way around: the first child whose outputs agree is named.",
    "Return the name where the difference is larger than 1e-4.",
    step="differs",
)
def agrees(one, other):
    return (one - other).abs().max() <= 1e-4
