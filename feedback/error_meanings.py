"""What exceptions mean: Python's and PyTorch's messages in words that lead a learner on.

The first pattern that is found in "NameOfTheError: its message" speaks; {0} and {1} are what its groups caught.
"""

LAYERS = "Linear|Dropout|Embedding|LayerNorm|ModuleList|Sequential"

MEANINGS = {
    r"cannot assign (module|buffer|parameter)s? before Module.__init__": (
        "A module must be set up before it can hold a {0}: call `super().__init__()` first in `__init__`."
    ),
    (
        r"'super' object has no attribute|descriptor '__init__' of 'super'"
        r"|object has no attribute '_(modules|parameters|buffers)'"
    ): (
        "Is `super().__init__()` called, with parentheses after super and two underscores on each side, before "
        "anything else in `__init__`?"
    ),
    r"name '(\w+)' is not defined": (
        "Python does not know the name {0}: is it spelled as it was defined, and has the cell that defines it been "
        "run? (A class reaches what its `__init__` got or made through self; a function has only its arguments.)"
    ),
    r"local variable '(\w+)'|cannot access local variable '(\w+)'": (
        "A variable is used before anything was put into it: does the line that fills it come later, or in an `if`?"
    ),
    r"module '([\w.]+)' has no attribute '(\w+)'": "{0} has nothing called {1}: look for a slip in the name.",
    r"pop from an empty": "There is nothing left to take out: the collection may be empty from the start.",
    r"^KeyError: tensor\(": "A dict finds a tensor only if it is the very same object: look up its number, `x.item()`.",
    r"^KeyError": (
        "A dict was asked for a key that it does not hold: `d.get(key, other)` gives the other then. Is the key "
        "spelled exactly as in the dict?"
    ),
    r"unhashable type: 'list'": (
        "A dict is asked for one key at a time, and here it got a whole list: go through the list in a loop."
    ),
    r"'dict' object is not callable": (
        "A dict is looked up with square brackets, `d[key]`, or with `d.get(key, other)`."
    ),
    r"(list|string) indices must be integers.* not '?str": (
        "Only a dict can be looked up with a word; in a {0} every place has a number. Is this the dict, and not "
        "something else?"
    ),
    r"'builtin_function_or_method' object has no attribute '(\w+)'": (
        "A method is called with parentheses, also one without arguments: `x.lower()`, not `x.lower`."
    ),
    r"'(?:tuple|frozenset)' object has no attribute '(pop|remove|append|add|discard|sort)'": (
        "A tuple or a frozenset cannot be changed, and has no .{0}. `list(...)` makes a list of it, which has."
    ),
    (
        r"'(frozen)?set' object (is not subscriptable|has no attribute)|infer dtype of (frozen)?set|"
        r"\(got (frozen)?set\)"
    ): (
        "A set has no order, and no places to look up: `list(...)` or `sorted(...)` makes a list of it; `in` asks "
        "whether something is in it."
    ),
    r"'tuple' object does not support item assignment": "A tuple cannot be changed: make a new one, (a, b).",
    r"'list' object has no attribute '(lower|split|strip|replace)'": (
        "A list of words has no .{0}; a text has, and so has each word of the list."
    ),
    r"'dict' object has no attribute '(\w+)'": "A dict has no .{0}: `d[key]` and `d.get(key, other)` look up a key.",
    r"'NoneType' object|non-iterable NoneType": (
        "Something here is None: an argument that may be None, or what came from a function that returns nothing, "
        "such as `append` and `sort`, which change the list itself, or one that ends without `return`."
    ),
    r"'tuple' object has no attribute '(\w+)'": (
        "A tuple has no .{0}; the tensors in it may have: `pair[0]` is the first. (`torch.stack` makes one tensor of "
        "several.)"
    ),
    r"'list' object has no attribute '(\w+)'": (
        "A Python list has no .{0}: make a tensor of it first, with `torch.stack` or `torch.tensor`."
    ),
    r"'(float|int)' object is not callable": (
        "A number is not called, and `self.dropout = dropout` keeps a number: `nn.Dropout(dropout)` makes a layer. (A"
        " product is written with *.)"
    ),
    r"instances of 'Dropout|must be float, not Dropout": (
        "`F.dropout` takes a number, and this is a layer: call the layer itself, `self.dropout(x)`."
    ),
    rf"(?:operand type.*|must be Tensor, not )\b({LAYERS})\b|'({LAYERS})' object is not (?:subscriptable|iterable)": (
        "A layer is called like a function: `self.layer(x)`. Its matrix is `self.layer.weight`."
    ),
    (
        r"(cat|stack|concat)\(\)(?:: argument 'tensors' .*must be tuple of Tensors, not \w+|"
        r" received .*got \(Tensor, )"
    ): ("torch.{0} takes one list of tensors: torch.{0}([a, b], `dim=`...). Of a generator, `list(...)` makes one."),
    r"rand\w*\(\).*_C\.Generator|'torch\._C\.Generator' object": (
        "A generator does not draw by itself, and is given by name: `torch.rand(shape, generator=generator)`."
    ),
    r"(max|min)\(\) (?:arg is an empty|iterable argument is empty)": (
        "Python's {0} needs something to look at, and here there is nothing: the collection is empty."
    ),
    r"softmax\(\) (?:missing|.*got \(\))": (
        "softmax must be told along which axis the results are to sum to 1: `softmax(dim=-1)`."
    ),
    r"transpose\(\)(?: missing|: argument 'dim0'| .*got \((?:int)?\))": (
        "transpose exchanges two axes, and must be told which: `.transpose(-2, -1)` takes the last two."
    ),
    r"mean\(\): (?:could not infer|input dtype)|std and var only support": (
        "A bool has no mean, and neither has a whole number: put `.float()` before it, or count with `.sum()`."
    ),
    r"only supports boolean masks|expects? a boolean mask": (
        "`masked_fill` fills where a mask is True, and this one holds numbers. Which of them stand where it is to "
        "fill? `mask == 0` is True at the zeros, `mask.bool()` at all others."
    ),
    r"'(int|float)' object has no attribute '(\w+)'": (
        "This is a plain Python number, and has no .{1}; for numbers there are `math.sqrt`, ** and the like."
    ),
    r"return_types\.\w+": (
        "`max(dim=...)` and `min(dim=...)` return two things, values and indices: take `.values`, or use amax and amin."
    ),
    r"'builtin_function_or_method' object is not subscriptable|'method' object is not subscriptable": (
        "A method is called with parentheses: `x.size(-1)`, not `x.size[-1]`."
    ),
    r"'torch.Size' object is not callable": "`x.shape` is a tuple: take one size with square brackets, `x.shape[-1]`.",
    r"must be real number, not (\S+)": (
        "One plain number is needed here, got {0}: for a shape choose one size, `x.size(-1)`; for a tensor use its "
        "own methods, such as `.sqrt()`."
    ),
    (
        r"tuple of ints, ?(but got|not) float|must be int, not float|indices \(got float\)|"
        r"'float' object cannot be interpreted|slice indices must be integers"
    ): ("A size must be a whole number: divide with //, which gives one, not with /."),
    r"unary ~: 'NoneType'|must be Tensor, not NoneType|\(NoneType, |(: 'Tensor' and|'int' and) 'NoneType'": (
        "Something here is None. What may be None is used only where it `is not None`."
    ),
    r"cannot be interpreted as an integer|only integer tensors of a single element": (
        "One whole number is needed here, and this is a tensor of several numbers, or of a float: go through it, or "
        "compare all of it at once; `int(x)` makes a whole number of a single one."
    ),
    r"only one element tensors|cannot be converted to Scalar|to a (Python )?scalar|must be Number, not Tensor": (
        "One plain number is needed here, and this is a tensor of several: `.item()` takes out a single one, and "
        "torch's own functions, such as `x.exp()` instead of `math.exp(x)`, take them all."
    ),
    r"sqrt\(\): argument 'input'.*must be Tensor": (
        "`torch.sqrt` takes a tensor; for a plain number there is `math.sqrt`."
    ),
    r"must be Number, not str": "A number is needed: write `float('-inf')`, not the word in quotes.",
    r"invalid for input of size|shape '.*' is invalid": (
        "The new shape has more or fewer places than there are numbers: multiply its sizes and compare."
    ),
    r"view size is not compatible": (
        "`.view` needs the numbers in one stretch of memory; after a transpose or slice, use `.reshape` or "
        "`.flatten`. (`.contiguous()` returns a new tensor: keep it.)"
    ),
    r"einsum\(\): subscript \w+ has size": (
        "One letter stands for axes of different sizes here. Print the shapes of both inputs, and write each axis's "
        "size under its letter."
    ),
    r"einsum\(\)": (
        "In einsum every axis of every input needs exactly one letter, and ... stands for all axes in front."
    ),
    r"1D tensors expected": "`torch.dot` takes two vectors; for matrices there is @.",
    r"must be a matrix|2D tensors expected|batch[12] must be a 3D tensor": (
        "`torch.mm` takes two axes and `torch.bmm` three; @ takes any number."
    ),
    r"stack expects each tensor to be equal size": (
        "Tensors that are stacked must have the same shape: print the shape of each."
    ),
    r"Sizes of tensors must match except in dimension (\d+)": (
        "Tensors that are joined along axis {0} may differ along this axis alone: print the shape of each. Is it the "
        "axis that is to grow?"
    ),
    r"expected a non-empty list of Tensors": "There is nothing to join here: the list is empty.",
    r"Expected dtype int32 or int64 for index": (
        "`index_select` takes whole numbers, and here it got others. (`torch.tensor` of an empty list holds floats, "
        "unless `dtype=torch.long` is given.)"
    ),
    r"mixed dtype": "The weights of a layer and its input have different dtypes. (A new layer has weights in float32.)",
    r"shape of the mask .* does not match": (
        "Choosing with [mask] needs a mask of exactly this shape: stretch it first, with `mask.expand(x.shape)`. Or "
        "does it belong to the other axis, `x[:, mask]`?"
    ),
    r"same dtype.*(bool|Bool)": (
        "A mask of True and False cannot be part of a matrix product: multiply number by number with *, or use the "
        "mask to choose (`masked_fill`, `torch.where`)."
    ),
    r"same dtype|expected scalar type|should be the same|must have the same dtype": (
        "Two tensors of different dtypes meet: make new tensors with the dtype of the input. (A copy of a layer's "
        "weight, or a layer made in forward, does not follow its module.)"
    ),
    r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)": (
        "Two tensors meet number by number, and along one axis they have {0} and {1}. Write both shapes below each "
        "other, aligned on the right. `keepdim=True` keeps a summed axis, `x[:, None]` puts in one of size 1. In a "
        "product with @ the axes in front must agree in the same way."
    ),
    r"Negation, the `-` operator, on a bool|Subtraction, the `-` operator, with (a|two) bool": (
        "A bool mask cannot be subtracted from, or negated with a minus: its opposite is `~mask`."
    ),
    r"(bool|Bool).*(not implemented|not supported)|not implemented for 'Bool'": (
        "This operation does not take a bool mask: use the mask to choose (`masked_fill`, `torch.where`)."
    ),
    r"value cannot be converted to type .* without overflow": (
        "The fill value is too large for this dtype: take `torch.finfo(scores.dtype).min`, or -inf."
    ),
    r"Dimension out of range": (
        "That axis does not exist for this input, which has fewer: print its shape. Counted from the end, -1 is the "
        "last axis."
    ),
    r"expand\(.*number of sizes": (
        "expand removes no axis, and this tensor has more axes than the shape that you ask for. Leave expand out, "
        "since what fits is broadcast anyway, or give it all sizes: `mask.expand(x.shape)`."
    ),
    r"same number of dimensions": (
        "These tensors need equally many axes: print the shape of each. Has one of them lost an axis (`keepdim=True` "
        "keeps it), or gained one?"
    ),
    r"number of dim|dims=?.*(not match|must be)|permute\(": (
        "permute needs every axis exactly once; for the last two axes `.transpose(-2, -1)` suits any number of axes."
    ),
    r"(too many|not enough) values to unpack": (
        "There are more things to unpack than names, or fewer: a shape may have more axes than you expect, or fewer, "
        "as that of a mask. `x.size(-1)` counts from the end."
    ),
    r"masked_fill_?\(\)[\s\S]*invalid combination": (
        "`x.masked_fill(where, value)` takes two things by position: a bool tensor that is True where x is to be "
        "filled, then one number, such as `float('-inf')`."
    ),
    r"unexpected keyword argument '(axis|keepdims|k|use_bias)'": (
        "Something is called with `{0}`, which it does not take. In torch the axis is called dim, keepdim is one "
        "word, tril has diagonal, `nn.Linear` has bias."
    ),
    r"unexpected keyword|got an unexpected|invalid combination of arguments": (
        "Something is called with arguments that it does not take: compare their names, kinds and order with those in"
        " its definition."
    ),
    r"missing \d+ required positional|takes .* positional arguments?|takes no arguments": (
        "Something is called with other arguments than it takes: how many, and in which order? In a class, every "
        "method needs self first."
    ),
    r"Boolean value of Tensor with more than one value": (
        "One truth value is needed here, and a tensor has many. `if mask is not None` asks whether there is one; to "
        "choose number by number there are `torch.where`, `masked_fill`, ~, and & with each comparison in "
        "parentheses."
    ),
    r"does not require grad": (
        "The result is cut off from the input, so no gradient can flow back: stay in torch, without detach, `.data`, "
        "numpy, tolist or `no_grad`."
    ),
    r"that requires grad.*numpy|Can't call numpy|can't convert": (
        "NumPy cannot take this tensor; everything here can be done in torch itself."
    ),
    r"modified by an inplace operation|leaf Variable that requires grad": (
        "A tensor that gradients need was changed in place, by +=, `x[...] = ...` or a method that ends in _: make a "
        "new one instead."
    ),
    r"tensors used as indices must be|scalar types: (Long|Int)": (
        "Rows are looked up with whole numbers, and this is another kind: are table and ids in their places? (/ gives"
        " floats; // gives whole numbers.)"
    ),
    r"0-d tensor|0-dim tensor|tensor has no dimensions": (
        "A single number, a 0-d tensor, has no axes: it has no length, and cannot be looped over or indexed."
    ),
    r"Index is supposed to be a vector": "`index_select` takes ids with one axis; `x[ids]` takes any number of axes.",
    r"Class values must be smaller": (
        "`one_hot` was told of fewer classes than the ids need: one for each row of the table."
    ),
    r"(sin|cos|exp|log|pow)\(\): argument.*must be Tensor": (
        "torch.{0} takes a tensor; for a plain number there is math.{0}."
    ),
    r"expanded size of the tensor .* must match": (
        "A tensor is stretched to another shape, by expand or because it is written into a place of that shape. Only "
        "axes of size 1 can be stretched: print both shapes."
    ),
    r"index .* out of (bounds|range)|out of range|out of DATA bounds": (
        "An index points outside: check which axis it counts, and that axis's size (in `x.shape[i]`, how many axes "
        "there are)."
    ),
    r"maximum recursion depth": "The function calls itself without end.",
    r"must be Tensor, not (\w+)|argument '\w+' .*must be Tensor, not (\w+)": (
        "A tensor is needed here, and a plain Python value came."
    ),
    r"bitwise_xor|unsupported operand type\(s\) for \^": "In Python `^` is not a power: write `**`.",
    r"Integers to negative integer powers": (
        "A whole number cannot be raised to a negative power of whole numbers: begin with a float, `10000.0`."
    ),
    r"must be \w+, not method": (
        "A method was given where its result, or another attribute, belongs: `self.train` sets the mode, and "
        "`self.training` says which one it is."
    ),
    r"unsupported operand type": "These two kinds of thing cannot be combined: print their types before this line.",
    r"t\(\) expects a tensor with": "`.t()` takes at most two axes; `.transpose(-2, -1)` any number.",
    r"'Tensor' object is not callable": (
        "A tensor is not called: `k.T` has no brackets after it, and `x[...]` has square ones."
    ),
    r"bad operand type for unary ~|bitwise_not|operator\.invert": (
        "~ turns around True and False: apply it to a bool mask, before any `.to(dtype)`, or put `.bool()` before it."
    ),
    r"SystemExit": "`exit()` and `quit()` end the whole program: end a function with return.",
}
