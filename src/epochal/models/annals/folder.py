"""What training leaves behind: a folder that transformers reads, in files small enough to be carried about."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import torch

from epochal.errors import EpochalError, InputError
from epochal.models.annals.vocabulary import Vocabulary
from epochal.models.training.checkpoint import write_json

__all__ = ["SHARD", "load_model", "save_model"]

#: The most that one file of weights holds, as transformers writes it.
SHARD: Final = "14MB"


def save_model(folder: Path, model: Any, vocabulary: Vocabulary, *, half: bool = False, shard: str = SHARD) -> None:
    """Write a masked language model with its tokenizer; `half` in half precision, which takes half the room.

    >>> import tempfile
    >>> from epochal.models.annals.settings import Shape
    >>> from epochal.models.annals.task import made_model
    >>> folder, words = Path(tempfile.mkdtemp()), Vocabulary(("春", "秋"))
    >>> save_model(folder, made_model(len(words), Shape(layers=1, width=16, heads=2, inner=32)), words)
    >>> sorted(path.name for path in folder.iterdir())  # doctest: +NORMALIZE_WHITESPACE
    ['backbone.json', 'config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json', 'vocab.txt']
    """
    kind = torch.float16 if half else torch.float32
    state: dict[str, torch.Tensor] = {}
    seen: set[int] = set()
    for name, tensor in model.state_dict().items():
        if tensor.data_ptr() not in seen:  # the output layer is tied to the embeddings, and again when it is loaded
            seen.add(tensor.data_ptr())
            state[name] = tensor.detach().cpu().to(kind)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        vocabulary.save(folder, model.config.max_position_embeddings)
        config = model.config
        before, config.dtype = config.dtype, kind
        model.save_pretrained(folder, state_dict=state, max_shard_size=shard)
        config.dtype = before
    except OSError as error:
        raise EpochalError(f"cannot write the model to {folder}: {error.strerror or error}") from error
    write_json(folder / "backbone.json", {"pooling": "mean", "max_length": config.max_position_embeddings})


def load_model(folder: Path) -> tuple[Any, Vocabulary]:
    """The masked language model of a folder in float32, and its vocabulary.

    >>> load_model(Path("no/folder"))
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/folder: there is no model here; accepted: a folder with config.json and vocab.txt
    """
    from transformers import BertForMaskedLM

    if not (folder / "config.json").is_file() or not (folder / "vocab.txt").is_file():
        raise InputError(str(folder), 0, "there is no model here; accepted: a folder with config.json and vocab.txt")
    vocabulary = Vocabulary.load(folder)
    try:
        made: Any = BertForMaskedLM.from_pretrained(folder, local_files_only=True, use_safetensors=True).float()
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(str(folder), 0, f"cannot be loaded by transformers: {reason}") from error
    if made.config.vocab_size != len(vocabulary):
        problem = f"the model knows {made.config.vocab_size} tokens and vocab.txt lists {len(vocabulary)}"
        raise InputError(str(folder), 0, problem)
    return made, vocabulary
