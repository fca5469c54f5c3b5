"""What is known about each exhibit: read it after your verdict.

healthy    why it is right, though it may not look so
broken     which tests show it, what it does, where something like it stood, and what repairs it
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Healthy:
    """Why an exhibit keeps its promise, and what it has been taken for."""

    because: str


@dataclass(frozen=True)
class Broken:
    """A bug.

    tests      which of them show that the promise is broken
    bug        what the code does, in one sentence
    story      who had something like it, when, and what is to be learned from it
    threads    addresses of issues or pull requests
    symptom, suspicion, remedy   for the field guide; its test is the first of `tests`
    repair     pairs of wrong and right code, which replaces it in the exhibit's source
    """

    tests: tuple
    bug: str
    story: str
    threads: tuple
    symptom: str
    suspicion: str
    remedy: str
    repair: tuple


TRUTH = {
    1: Broken(
        tests=("future",),
        bug="The mask has True for the future, and PyTorch's kernel attends where the mask is True.",
        story="rasbt/LLMs-from-scratch, the repository of a widely read book, until August 2026: the mask came from "
        "code in which True means hide. The repair came with a test that changes later tokens.",
        threads=("rasbt/LLMs-from-scratch#1061", "rasbt/LLMs-from-scratch#1062"),
        symptom="The loss is far lower than anybody expects, and the generated text is poor.",
        suspicion="a mask in which True means the opposite",
        remedy="`attn_mask=~mask`, or a mask that is named after what its True means",
        repair=(("attn_mask=mask)", "attn_mask=~mask)"),),
    ),
    2: Healthy(
        "It reads later tokens because it promised to: it is an encoder. The lowest finite number hides padding as "
        "well as -inf does, since every text has a real token."
    ),
    3: Broken(
        tests=("scale",),
        bug="The scores are divided by the root of d_model, the width of all heads together.",
        story="The notebook of Andrej Karpathy's lecture “Let's build GPT”: its repository was corrected in January "
        "2023, and the notebook still had it in March 2026. lucidrains/vit-pytorch had the same in 2021. Nothing "
        "looks wrong: with H heads, all scores are smaller by the root of H, and a model learns around it.",
        threads=("karpathy/ng-video-lecture#6", "karpathy/ng-video-lecture#55", "lucidrains/vit-pytorch#65"),
        symptom="Nothing visible; weights that are flatter than they should be, the more so the more heads there are.",
        suspicion="the width of the model under the root, in place of the width of one head",
        remedy="take the width from the queries themselves: `q.size(-1)`",
        repair=(("self.d_model**-0.5", "q.size(-1) ** -0.5"),),
    ),
    4: Broken(
        tests=("padding",),
        bug="Hidden scores become 1e-9, which is nearly 0: an ordinary score, not a very low one.",
        story="awslabs/gluonts, in its temporal fusion transformer, until April 2021: 1e-9 was meant to be -1e9.",
        threads=("awslabs/gluonts#1401",),
        symptom="What a text gives depends on the other texts of its batch: the longer they are, the more.",
        suspicion="a hidden score that is not low: 1e-9, 0, or a mask that is multiplied",
        remedy="`masked_fill(~real, -torch.inf)`, before the softmax",
        repair=(("scores, 1e-9)", "scores, -torch.inf)"),),
    ),
    5: Broken(
        tests=("heads", "permutation", "reference"),
        bug="(B, H, T, D) is reshaped to (B, T, C) without a transpose: one token gets the rows of several tokens, "
        "all of one head.",
        story="jsbaan/transformer-from-scratch until March 2026, reported in May 2025. Its training test passed: "
        "its author suspects that the task, copying, was too easy.",
        threads=("jsbaan/transformer-from-scratch#4", "jsbaan/transformer-from-scratch#6"),
        symptom="Easy tasks are learned all the same; harder ones stay worse than they should be.",
        suspicion="`view` or `reshape` across axes that do not lie next to each other in that order",
        remedy="`out.transpose(1, 2).flatten(-2)`: first put the axes in order, then join them",
        repair=(("(weights @ v).reshape(B, T, C)", "(weights @ v).transpose(1, 2).reshape(B, T, C)"),),
    ),
    6: Healthy(
        "Dividing q and k by the fourth root of D each is dividing their product by √D; the largest score is "
        "subtracted from all, which no softmax notices; `F.dropout` is told whether the module is training. Unusual, "
        "and right."
    ),
    7: Healthy(
        "Its scores are not q · k / √D, and it never said so: QK-norm divides by the lengths of query and key, and a "
        "fixed number takes the place of √D (Henry et al., 2020). A test for one formula says nothing about another."
    ),
    8: Broken(
        tests=("cache", "future"),
        bug="Where there is no past, the future is not hidden: the bias takes the place of a mask, and has none in it.",
        story="Doge in huggingface/transformers, reported in September 2026: the mask was left out for whole texts, "
        "where PyTorch's kernel can hide the future itself; but given a bias, it was never asked to. Its perplexity "
        "on a sentence was 5 where 16 is right, and with a cache it wrote another text than without.",
        threads=("huggingface/transformers#48748", "huggingface/transformers#48770"),
        symptom="The loss is too good, and generation with a cache differs from generation without.",
        suspicion="a shortcut that leaves out the mask, and a second place that counts on it",
        remedy="hide the future in the bias, whatever T and S are",
        repair=(
            (
                "mask = bias\n        if T != S:\n            future = torch.ones(T, S, dtype=torch.bool, "
                "device=x.device)"
                ".triu(1 + S - T)\n            mask = bias.masked_fill(future, -torch.inf)",
                "future = torch.ones(T, S, dtype=torch.bool, device=x.device).triu(1 + S - T)\n"
                "        mask = bias.masked_fill(future, -torch.inf)",
            ),
        ),
    ),
    9: Broken(
        tests=("gradients",),
        bug="`row = row + ...` makes a new tensor and calls it row; the summary stays zero, and the layers that "
        "feed it never learn.",
        story="INK-USC/RE-Net, reported in May 2019: a tensor of zeros that attention was meant to fill was passed "
        "on as it was, and the attention layer was never part of the forward pass. The rest of the model learned "
        "without it.",
        threads=("INK-USC/RE-Net#6",),
        symptom="Some parameters are the same after training as before.",
        suspicion="a part that is computed and dropped, `detach()`, `.data`, `no_grad`",
        remedy="collect the rows in a list, and `torch.stack` them",
        repair=(
            ("summary = torch.zeros_like(x)  # one row for each position", "rows = []"),
            ("for t, row in enumerate(summary.unbind(dim=1)):", "for t in range(x.size(1)):"),
            (
                "row = row + (weights * values[:, : t + 1]).sum(dim=1)",
                "rows.append((weights * values[:, : t + 1]).sum(dim=1))",
            ),
            ("torch.cat([x, summary], dim=-1)", "torch.cat([x, torch.stack(rows, dim=1)], dim=-1)"),
        ),
    ),
    10: Broken(
        tests=("modes",),
        bug="PyTorch's kernel drops weights whenever `dropout_p` is above 0; it does not know the module's mode.",
        story="huggingface/pytorch-image-models until October 2023, and meta-pytorch/torchtune until October 2024. "
        "In the former, the models in use had a dropout of 0, so that there was nothing to notice.",
        threads=("huggingface/pytorch-image-models#1978", "meta-pytorch/torchtune#1791", "meta-pytorch/torchtune#1803"),
        symptom="The same input gives another output each time, after `eval()`, too.",
        suspicion="dropout as a function that is not told the mode",
        remedy="`dropout_p=self.p if self.training else 0.0`",
        repair=(("dropout_p=self.p)", "dropout_p=self.p if self.training else 0.0)"),),
    ),
    11: Broken(
        tests=("future",),
        bug="The mask is that of an encoder; `is_decoder` is stored, and never asked.",
        story="Four decoders of huggingface/transformers, RoFormer, BigBird, RemBert and MegatronBert, after a "
        "refactoring, from version 5.9.0 to September 2026. Whoever reported it had seen the loss of random tokens "
        "fall to almost 0.",
        threads=("huggingface/transformers#48745", "huggingface/transformers#48760"),
        symptom="The loss falls below what the data allow: random tokens are predicted.",
        suspicion="code that serves encoders and decoders, and a switch that no longer does anything",
        remedy="add the causal mask where `is_decoder` is True, and test that switch",
        repair=(
            (
                "return real[:, None, None, :].expand(-1, -1, T, -1)  # (B, 1, T, T)",
                "mask = real[:, None, None, :].expand(-1, -1, T, -1)  # (B, 1, T, T)\n"
                "        return mask.tril() if self.is_decoder else mask",
            ),
        ),
    ),
    12: Broken(
        tests=("cache",),
        bug="The oldest keys are dropped before the new queries have read them, so that the first of several new "
        "queries find too little.",
        story="rasbt/LLMs-from-scratch, in a cache for sliding windows, corrected in April 2026. With one new token "
        "at a time there is nothing to see.",
        threads=("rasbt/LLMs-from-scratch#1013",),
        symptom="A long prompt read at once gives another text than the same prompt read token by token.",
        suspicion="a cache that is trimmed before it is read",
        remedy="attend first, then trim",
        repair=(
            ("k = torch.cat([past[0], k], dim=-2)[:, :, -self.window :]", "k = torch.cat([past[0], k], dim=-2)"),
            ("v = torch.cat([past[1], v], dim=-2)[:, :, -self.window :]", "v = torch.cat([past[1], v], dim=-2)"),
            (", (k, v)\n", ", (k[:, :, -self.window :], v[:, :, -self.window :])\n"),
        ),
    ),
    13: Broken(
        tests=("reference", "heads"),
        bug="The softmax goes over the queries: each key's weights sum to 1, and no query's do.",
        story="labmlai/annotated_deep_learning_paper_implementations, in the attention of its diffusion model, "
        "reported in September 2022. Whoever reported it trained both versions on CIFAR-10, and found no difference "
        "in quality.",
        threads=("labmlai/annotated_deep_learning_paper_implementations#146",),
        symptom="Nothing visible in training; rows of the weights do not sum to 1.",
        suspicion="`softmax(dim=...)` counted on another order of axes",
        remedy="softmax over the keys, here `dim=2`, or an order of axes in which it is the last",
        repair=(("softmax(dim=1)", "softmax(dim=2)"),),
    ),
    14: Healthy(
        "It attends first and trims afterwards, to the 4 positions that the next token can still reach. So it has no "
        "fault of exhibit 12, though it keeps less."
    ),
    15: Broken(
        tests=("permutation",),
        bug="`nn.MultiheadAttention` takes (T, B, C) unless it is told `batch_first=True`: each token reads the "
        "tokens at its own position in the other items.",
        story="IBM/TabFormer until June 2021, whose version of PyTorch did not have `batch_first` yet.",
        threads=("IBM/TabFormer#14",),
        symptom="Outputs depend on which items share a batch; with one item, attention does nothing.",
        suspicion="batch and positions in the other order",
        remedy="`batch_first=True`",
        repair=(
            (
                "nn.MultiheadAttention(d_model, num_heads)",
                "nn.MultiheadAttention(d_model, num_heads, batch_first=True)",
            ),
        ),
    ),
    16: Broken(
        tests=("dtype",),
        bug="The heads are in a plain list: the module does not know them, so no optimizer trains them, and neither "
        "`to` nor `state_dict` reaches them.",
        story="asyml/texar-pytorch, in its MergeLayer, reported in June 2019. On a CPU, with random layers that are "
        "never trained, a model still learns something.",
        threads=("asyml/texar-pytorch#72",),
        symptom="It works until the model is moved to a GPU or saved; in training it is worse than it should be.",
        suspicion="modules in a plain list or dict",
        remedy="`nn.ModuleList`",
        repair=(
            ("self.heads = [", "self.heads = nn.ModuleList("),
            ("for _ in range(num_heads)]", "for _ in range(num_heads))"),
        ),
    ),
}
