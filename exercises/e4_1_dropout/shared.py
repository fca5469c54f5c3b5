"""What the statement and the misconceptions of 4.1 share."""

from exercises.common.random_zeros import Told


def _x(case):
    x, p = case.args[:2]
    return x, case.actual, p


_OF_X = Told(_x, "numbers", "torch.rand(x.shape, ...)")
