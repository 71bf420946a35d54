"""Run a method from rows to a trained network, and the bundled MiniLM as a backbone.

The backbone's weights are dequantised from int8: an adapter is trained over the weights that it is merged into when the
encoder is loaded, and nothing has to be downloaded for training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from epochal.encoders.bundled import MAX_TOKENS, data_file
from epochal.encoders.onnx_weights import Constant, dequantise, read_constants
from epochal.errors import EpochalError
from epochal_lab.datasets.augment.rows import TemporalRow
from epochal_lab.models.backbone import Backbone
from epochal_lab.models.tmrl.adapter import average_states, group_by_specifier
from epochal_lab.models.tmrl.batches import tokenize_timed
from epochal_lab.models.tmrl.evaluate import encode_texts
from epochal_lab.models.tmrl.network import (
    QueryRouter,
    RoutedRetriever,
    SingleEncoder,
    TMRLNetwork,
    build_network,
    fit_router,
)
from epochal_lab.models.tmrl.settings import TMRLSettings
from epochal_lab.models.tmrl.task import TMRLTask
from epochal_lab.models.training.checkpoint import make_generator, seed_all
from epochal_lab.models.training.device import select_device
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.trainer import TrainRun, train

#: Its name in place of a folder.
BUNDLED: Final = "minilm"

_HEADS: Final = 12
_PACKED: Final = ("query", "key", "value")

#: Trains a task, in a folder or None; the text is a label of the run.
FitFunction = Callable[[TMRLTask, TrainSettings, Path | None, str], TrainRun]
#: The maximum number of questions with a time that the router is fitted to.
_MAX_ROUTER_QUESTIONS: Final = 5000


def load_bundled_backbone(max_length: int = MAX_TOKENS) -> Backbone:
    """Load a backbone with the weights of the default encoder, mean-pooled."""
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    stored = read_constants(data_file("minilm", "model.int8.onnx").read_bytes())
    words = stored["words"].array.astype(np.float32) * stored["words.scale"].array
    positions = stored["positions"].array
    layers = sum(name.endswith(".inner.weight") for name in stored)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=words.shape[1],
        num_hidden_layers=layers,
        num_attention_heads=_HEADS,
        intermediate_size=stored["0.inner.weight"].array.shape[1],
        max_position_embeddings=len(positions),
        type_vocab_size=1,
        pad_token_id=0,
    )
    state: dict[str, Any] = {
        "embeddings.word_embeddings.weight": words,
        "embeddings.position_embeddings.weight": positions,
        # The only token type embedding was added to the positions when the file was written.
        "embeddings.token_type_embeddings.weight": np.zeros((1, words.shape[1]), np.float32),
        "embeddings.LayerNorm.weight": stored["embeddings.gamma"].array,
        "embeddings.LayerNorm.bias": stored["embeddings.beta"].array,
    }
    for index in range(layers):
        state |= _read_layer(stored, index)
    model = BertModel(config, add_pooling_layer=False)
    model.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in state.items()})
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(data_file("minilm", "tokenizer.json")),
        model_max_length=len(positions),
        **{f"{name.lower()}_token": f"[{name}]" for name in ("PAD", "UNK", "CLS", "SEP", "MASK")},
    )
    return Backbone(model, tokenizer, "mean", min(max_length, len(positions)))


def _read_layer(stored: dict[str, Constant], index: int) -> dict[str, Any]:
    prefix = f"encoder.layer.{index}."
    names = {
        "mixed": ("attention.output.dense", f"{prefix}attention.output.bias"),
        "inner": ("intermediate.dense", f"{index}.inner.bias"),
        "outer": ("output.dense", f"{prefix}output.bias"),
    }
    packed = np.split(_read_weight(stored, f"{index}.attention"), 3, axis=1)
    biases = np.split(stored[f"{index}.attention.bias"].array, 3)
    state: dict[str, Any] = {}
    for part, weight, bias in zip(_PACKED, packed, biases, strict=True):
        state |= {f"{prefix}attention.self.{part}.weight": weight.T, f"{prefix}attention.self.{part}.bias": bias}
    for name, (layer, offset) in names.items():
        state |= {
            f"{prefix}{layer}.weight": _read_weight(stored, f"{index}.{name}").T,
            f"{prefix}{layer}.bias": stored[offset].array,
        }
    for layer in ("attention.output", "output"):
        state[f"{prefix}{layer}.LayerNorm.weight"] = stored[f"{prefix}{layer}.gamma"].array
        state[f"{prefix}{layer}.LayerNorm.bias"] = stored[f"{prefix}{layer}.beta"].array
    return state


def _read_weight(stored: dict[str, Constant], name: str) -> Any:
    return dequantise(stored[f"{name}.weight"].array, stored[f"{name}.scale"].array)


@dataclass(frozen=True, slots=True)
class AdaptResult:
    """A trained network, and its runs by name: none for zero-shot, one per specifier for TSM."""

    network: TMRLNetwork
    runs: dict[str, TrainRun]


def adapt(
    make: Callable[[], Backbone],
    rows: Sequence[TemporalRow],
    dev: Sequence[TemporalRow],
    settings: TMRLSettings,
    training: TrainSettings,
    folder: Path | None = None,
    *,
    plain: Sequence[str] = (),
    fit: FitFunction | None = None,
) -> AdaptResult:
    """Train a method on rows, over a backbone that `make` builds again at each call.

    The run is kept in `folder`, if any. `plain` are questions without a time, for the router of Ts-Retriever; `fit`
    replaces the trainer, for example to report progress.

    >>> from epochal_lab.datasets.augment.rows import TemporalQuestion
    >>> rows = [TemporalRow(word, word, (), (TemporalQuestion(word),)) for word in ("rain", "snow")]
    >>> training = TrainSettings(epochs=1, device="cpu", metric="hit@1", lower_is_better=False)
    >>> made = adapt(lambda: Backbone.tiny(["rain", "snow"]), rows, rows, TMRLSettings.from_name("lora"), training)
    >>> made.runs["lora"].steps
    1
    """
    if settings.method == "zero-shot":
        return AdaptResult(build_network(make(), settings).to(select_device(training.device)).eval(), {})
    if settings.method == "tsm":
        return _train_tsm(make, rows, dev, settings, training, folder, fit)
    network, run = train_network(make, rows, dev, settings, training, folder, fit=fit)
    if isinstance(network, RoutedRetriever):
        _fit_router(network, rows, plain, training)
    return AdaptResult(network, {settings.method: run})


def train_network(
    make: Callable[[], Backbone],
    rows: Sequence[TemporalRow],
    dev: Sequence[TemporalRow],
    settings: TMRLSettings,
    training: TrainSettings,
    folder: Path | None = None,
    label: str = "",
    *,
    fit: FitFunction | None = None,
) -> tuple[TMRLNetwork, TrainRun]:
    """Train one network of a method, and return it with its run: for TSM, that of one specifier.

    Without `dev` the training loss decides which parameters are best.
    """
    if not dev and training.metric != "loss":
        training = replace(training, metric="loss", lower_is_better=True)
    seed_all(training.seed)
    network = build_network(make(), settings)
    task = TMRLTask(network, rows, dev, seed=training.seed, precision=training.precision)
    return network, (fit or _train_plainly)(task, training, folder, label or settings.method)


def _train_plainly(task: TMRLTask, training: TrainSettings, folder: Path | None, label: str) -> TrainRun:
    return train(task, training, folder)


def _train_tsm(
    make: Callable[[], Backbone],
    rows: Sequence[TemporalRow],
    dev: Sequence[TemporalRow],
    settings: TMRLSettings,
    training: TrainSettings,
    folder: Path | None,
    fit: FitFunction | None,
) -> AdaptResult:
    """Train TSM: one model per specifier from the same start, and the mean of their weights."""
    parts = group_by_specifier(rows)
    if not parts:
        raise EpochalError(f"none of {len(rows):,} rows has a question with a time specifier; accepted: one or more")
    runs, states = {}, []
    for name, some in parts.items():
        run_folder = None if folder is None else folder / name
        network, runs[name] = train_network(
            make, some, dev, settings, training, run_folder, f"{settings.method} {name}", fit=fit
        )
        states.append({key: value.detach().cpu().clone() for key, value in network.state_dict().items()})
    whole: TMRLNetwork = SingleEncoder(make(), settings)
    whole.load_state_dict(average_states(states))
    return AdaptResult(whole.to(select_device(training.device)).eval(), runs)


@torch.no_grad()
def _fit_router(
    network: RoutedRetriever, rows: Sequence[TemporalRow], plain: Sequence[str], training: TrainSettings
) -> None:
    if not plain:
        raise EpochalError("the router needs questions that ask of no time; give some, or set router to false")
    questions = list(dict.fromkeys(one.text for row in rows for one in row.positives))
    selected = make_generator(training.seed, len(questions)).permutation(len(questions))[:_MAX_ROUTER_QUESTIONS]
    vectors = []
    for texts in ([questions[index] for index in selected], list(plain)):
        tokenized = tokenize_timed(
            network.reader, texts, prefix=network.settings.question_prefix, max_length=network.settings.max_length
        )
        # The side "passage" uses the original encoder, which the router looks at.
        vectors.append(encode_texts(network, tokenized, "passage", training.precision))
    device = vectors[0].device
    network.router = QueryRouter(network.width).to(device)
    fit_router(network.router, *vectors)
    network.router.requires_grad_(False)
