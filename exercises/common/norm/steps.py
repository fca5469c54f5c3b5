"""Layer norm in steps that can be replaced by wrong ones."""


def prepare(x, weight, bias):
    """What is normalized."""
    return x


def center(x):
    return x - x.mean(dim=-1, keepdim=True)


def spread(x):
    """The variance."""
    return x.var(dim=-1, unbiased=False, keepdim=True)


def divide(centered, variance, eps):
    return centered / (variance + eps).sqrt()


def stretch(z, weight, bias):
    return z * weight + bias


def norm_from(prepare=prepare, center=center, spread=spread, divide=divide, stretch=stretch, whole=None):
    """norm(x, weight, bias, eps) made of these steps; `whole` replaces them all."""

    def norm(x, weight, bias, eps):
        prepared = prepare(x, weight, bias)
        return stretch(divide(center(prepared), spread(prepared), eps), weight, bias)

    return whole or norm


layer_norm = norm_from()  # what a right answer to exercise 6.1 gives
