"""A method from rows to a trained network: the one way that the command and scripts over many methods go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import torch

from epochal.errors import EpochalError
from epochal.models.backbone import Backbone
from epochal.models.tmrl.encoding import encoded
from epochal.models.tmrl.merging import mean_state, rows_by_specifier
from epochal.models.tmrl.methods import made_network
from epochal.models.tmrl.network import Network, Single
from epochal.models.tmrl.router import QueryRouter, RoutedRetriever, fit_router
from epochal.models.tmrl.rows import TemporalRow
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.tmrl.task import TMRLTask
from epochal.models.tmrl.texts import timed_texts
from epochal.models.training.device import chosen_device
from epochal.models.training.seeds import generator, seed_all
from epochal.models.training.settings import TrainSettings
from epochal.models.training.trainer import TrainRun, train

__all__ = ["Adapted", "Fit", "adapted", "fitted"]

#: Trains a task, in a folder or in none; the text says what is trained.
Fit = Callable[[TMRLTask, TrainSettings, Path | None, str], TrainRun]

#: The most questions of a time that the router is fitted to.
_ROUTED: Final = 5000


@dataclass(frozen=True, slots=True)
class Adapted:
    """A network that was trained, and the runs that did it by name: none for zero-shot, one for each part of TSM.

    >>> from epochal.models.tmrl.settings import TMRLSettings
    >>> Adapted(made_network(Backbone.tiny(["rain"]), TMRLSettings.named("zero-shot")), {}).runs
    {}
    """

    network: Network
    runs: dict[str, TrainRun]


def adapted(
    make: Callable[[], Backbone],
    rows: Sequence[TemporalRow],
    dev: Sequence[TemporalRow],
    settings: TMRLSettings,
    training: TrainSettings,
    folder: Path | None = None,
    *,
    plain: Sequence[str] = (),
    fit: Fit | None = None,
) -> Adapted:
    """Train a method on rows over a backbone that `make` makes, anew each time that it is called.

    The run is kept in `folder`, if any. `plain` are questions that ask of no time, which the router of Ts-Retriever
    is fitted to; `fit` trains in the place of the trainer itself, to show how far it is.

    >>> from epochal.models.tmrl.rows import TemporalQuestion
    >>> rows = [TemporalRow(word, word, (), (TemporalQuestion(word),)) for word in ("rain", "snow")]
    >>> training = TrainSettings(epochs=1, device="cpu", metric="hit@1", lower_is_better=False)
    >>> made = adapted(lambda: Backbone.tiny(["rain", "snow"]), rows, rows, TMRLSettings.named("lora"), training)
    >>> made.runs["lora"].steps
    1
    """
    if settings.method == "zero-shot":
        return Adapted(made_network(make(), settings).to(chosen_device(training.device)).eval(), {})
    if settings.method == "tsm":
        return _merged(make, rows, dev, settings, training, folder, fit)
    network, run = fitted(make, rows, dev, settings, training, folder, fit=fit)
    if isinstance(network, RoutedRetriever):
        _fit_router(network, rows, plain, training)
    return Adapted(network, {settings.method: run})


def fitted(
    make: Callable[[], Backbone],
    rows: Sequence[TemporalRow],
    dev: Sequence[TemporalRow],
    settings: TMRLSettings,
    training: TrainSettings,
    folder: Path | None = None,
    label: str = "",
    *,
    fit: Fit | None = None,
) -> tuple[Network, TrainRun]:
    """One network of a method and the run that trained it: of TSM, what one specifier's rows make.

    Without `dev` the loss of training decides which parameters are the best.

    >>> from epochal.models.tmrl.rows import TemporalQuestion
    >>> rows = [TemporalRow(word, word, (), (TemporalQuestion(word),)) for word in ("rain", "snow")]
    >>> training = TrainSettings(epochs=1, device="cpu", metric="hit@1", lower_is_better=False)
    >>> _, run = fitted(lambda: Backbone.tiny(["rain", "snow"]), rows, rows, TMRLSettings.named("tsm"), training)
    >>> run.steps
    1
    """
    if not dev and training.metric != "loss":
        training = replace(training, metric="loss", lower_is_better=True)
    seed_all(training.seed)
    network = made_network(make(), settings)
    task = TMRLTask(network, rows, dev, seed=training.seed, precision=training.precision)
    return network, (fit or _plain_fit)(task, training, folder, label or settings.method)


def _plain_fit(task: TMRLTask, training: TrainSettings, folder: Path | None, label: str) -> TrainRun:
    return train(task, training, folder)


def _merged(
    make: Callable[[], Backbone],
    rows: Sequence[TemporalRow],
    dev: Sequence[TemporalRow],
    settings: TMRLSettings,
    training: TrainSettings,
    folder: Path | None,
    fit: Fit | None,
) -> Adapted:
    """TSM: a model for each specifier from the same beginning, and the mean of their weights."""
    parts = rows_by_specifier(rows)
    if not parts:
        raise EpochalError(f"none of {len(rows):,} rows has a question with a time specifier; accepted: one or more")
    runs, states = {}, []
    for name, some in parts.items():
        place = None if folder is None else folder / name
        network, runs[name] = fitted(make, some, dev, settings, training, place, f"{settings.method} {name}", fit=fit)
        states.append({key: value.detach().cpu().clone() for key, value in network.state_dict().items()})
    whole: Network = Single(make(), settings)
    whole.load_state_dict(mean_state(states))
    return Adapted(whole.to(chosen_device(training.device)).eval(), runs)


@torch.no_grad()
def _fit_router(
    network: RoutedRetriever, rows: Sequence[TemporalRow], plain: Sequence[str], training: TrainSettings
) -> None:
    if not plain:
        raise EpochalError("the router needs questions that ask of no time; give some, or set router to false")
    asked = list(dict.fromkeys(one.text for row in rows for one in row.positives))
    chosen = generator(training.seed, len(asked)).permutation(len(asked))[:_ROUTED]
    vectors = []
    for texts in ([asked[place] for place in chosen], list(plain)):
        made = timed_texts(
            network.reader, texts, prefix=network.settings.question_prefix, max_length=network.settings.max_length
        )
        # Passages are what the untouched encoder reads; a question goes through it the same way.
        vectors.append(encoded(network, made, "passage", training.precision))
    device = vectors[0].device
    network.router = QueryRouter(network.width).to(device)
    fit_router(network.router, *vectors)
    network.router.requires_grad_(False)
