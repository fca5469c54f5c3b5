"""What an exception means here: Python's and PyTorch's words, said again for a learner."""

import re

MEANINGS = (
    (r"cannot assign module before Module.__init__",
     "A module must be set up before it can hold others: call super().__init__() first in __init__."),
    (r"name '(\w+)' is not defined",
     "Python does not know the name {0}: is it spelled as it was defined, and has the cell that defines it "
     "been run?"),
    (r"module '([\w.]+)' has no attribute '(\w+)'",
     "{0} has nothing called {1}: look for a slip in the name."),
    (r"'NoneType' object",
     "Something here is None: a function that it came from probably ends without `return`."),
    (r"object has no attribute '(\w+)'",
     "The object has nothing called {0}: was it made in __init__ under exactly this name, or is it a slip?"),
    (r"mat1 and mat2 shapes cannot be multiplied|Expected size for first two dimensions of batch2"
     r"|size mismatch|inconsistent tensor size",
     "In a matrix product the last axis of the left side must equal the second-last of the right side: for "
     "q @ k the two last axes of k must change places first."),
    (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
     "Two tensors are combined number by number, but along one axis they have {0} and {1}: a sum or maximum "
     "along an axis keeps it only with keepdim=True, and a product of matrices is written @, not *."),
    (r"view size is not compatible",
     ".view needs the numbers in one stretch of memory; after a transpose use .reshape or .flatten."),
    (r"Negation, the `-` operator, on a bool|Subtraction, the `-` operator, with (a|two) bool",
     "A bool mask cannot be subtracted from or negated with a minus: its opposite is ~mask."),
    (r"(bool|Bool).*(not implemented|not supported)|not implemented for 'Bool'",
     "This operation does not take a bool mask: use the mask to choose (masked_fill, torch.where)."),
    (r"same dtype.*(bool|Bool)",
     "A mask of True and False cannot be part of a matrix product: multiply number by number with *, or use the mask "
     "to choose (masked_fill, torch.where)."),
    (r"(same dtype|expected scalar type|should be the same|must have the same dtype)",
     "Two tensors of different dtypes meet: make new tensors with the dtype of the input."),
    (r"value cannot be converted to type .* without overflow",
     "The fill value is too large for this dtype: take torch.finfo(scores.dtype).min, or -inf."),
    (r"Dimension out of range",
     "That axis does not exist for this input; count axes from the end: -1 is the last, -2 the one before."),
    (r"dims=?.*(not match|must be)|number of dims don't match|permute\(.*\)",
     "permute needs every axis exactly once; for the last two axes .transpose(-2, -1) suits any number."),
    (r"too many values to unpack|not enough values to unpack",
     "The input has another number of axes than you unpack: the shapes are given as (...), so count from the "
     "end with x.size(-1)."),
    (r"missing \d+ required positional|takes \d+ positional argument|takes no arguments|unexpected keyword",
     "The function or class is called with other arguments than it takes."),
    (r"Boolean value of Tensor with more than one value",
     "`if` and `and` need one truth value, and a tensor has many: use torch.where, masked_fill, & and ~."),
    (r"leaf Variable that requires grad|modified by an inplace operation",
     "A tensor that gradients need was changed in place: make a new one instead."),
    (r"Can't call numpy|can't convert",
     "NumPy cannot take this tensor; everything here can be done in torch itself."),
    (r"only (one element|integer) tensors|index .* out of (bounds|range)|out of range",
     "An index points outside the tensor: check which axis it counts, and that axis's size."),
    (r"maximum recursion depth",
     "The function calls itself without end."),
    (r"'(list|tuple|float|int|NoneType|bool)' object has no|'(list|tuple)' and|must be Tensor, not (\w+)",
     "A Python value stands where a tensor is needed."),
    (r"unsupported operand type",
     "These two kinds of thing cannot be combined: print their types just before this line."),
    (r"invalid syntax|unexpected indent", "Python could not read the code."),
)


def meaning(error):
    """One sentence on what this exception usually means, or ''."""
    for pattern, sentence in MEANINGS:
        found = re.search(pattern, str(error))
        if found:
            return sentence.format(*(group or "" for group in found.groups()))
    return ""


def first_line(error):
    """The exception's own words, cut to one line."""
    text = str(error).strip().splitlines()
    words = text[0] if text else ""
    return f"{type(error).__name__}: {words[:200]}" if words else type(error).__name__
