"""The course's answer to exercise 7.3."""

import torch


def first_difference(mine, theirs, x):
    def outputs_of_children(model):
        outputs, modes = {}, {module: module.training for module in model.modules()}

        def keep(name):
            def hook(child, inputs, output):
                outputs[name] = output.clone()  # a later step may change it in place

            return hook

        hooks = [child.register_forward_hook(keep(name)) for name, child in model.named_children()]
        try:
            model.eval()
            with torch.no_grad():
                model(x.clone())  # a child may work in place
        finally:
            for hook in hooks:
                hook.remove()
            for module, mode in modes.items():
                module.training = mode
        return outputs

    one, other = outputs_of_children(mine), outputs_of_children(theirs)
    for name in one:  # in the order of execution
        if not (one[name] - other[name]).abs().max() <= 1e-4:  # NaN differs, too: no comparison with it is true
            return name
    return None
