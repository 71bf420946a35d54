"""Training a Re3 model: pools in, a folder with a model that any search can use out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from epochal.errors import EpochalError
from epochal.models.re3.beside import Held, fit_beside
from epochal.models.re3.pools import Pools
from epochal.models.re3.task import Re3Task, useful
from epochal.models.training.seeds import seed_all
from epochal.models.training.settings import TrainSettings
from epochal.models.training.trainer import Progress, TrainRun, train
from epochal.ranking.learned.folder import Re3Model, write_model
from epochal.ranking.learned.settings import Re3Settings

__all__ = ["Trained", "repeats", "train_re3"]

#: A small set is gone over up to so many times an epoch, that a large one does not drown it.
_MOST_REPEATS: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A trained model, and the run that it came from.

    >>> Trained.__slots__
    ('model', 'run')
    """

    model: Re3Model
    run: TrainRun


def repeats(sizes: Sequence[int]) -> list[int]:
    """How often an epoch goes over each of several sets, by their sizes.

    >>> repeats([443, 1632, 2500])
    [4, 1, 1]
    """
    largest = max(sizes, default=0)
    return [max(1, min(_MOST_REPEATS, largest // size)) if size else 1 for size in sizes]


def train_re3(
    settings: Re3Settings,
    training: TrainSettings,
    sets: Sequence[Pools],
    dev: Sequence[Pools],
    folder: Path | None = None,
    *,
    dropout: float = 0.0,
    held: Sequence[Held] = (),
    progress: Progress | None = None,
    resume: bool = False,
) -> Trained:
    """Train on sets, choose the best parameters on `dev`, and write the model's folder.

    The folder gets model.safetensors and config.json, and in run/ what the trainer keeps. `held` are the development
    questions again, with their indexes, to choose the weight beside the gate by; without them it is 0.

    >>> train_re3(Re3Settings.parity(), TrainSettings(), [], [])
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: Re3 needs questions to train on and others to choose by, but was given 0 and 0 sets
    """
    if not sets or not dev:
        raise EpochalError(
            f"Re3 needs questions to train on and others to choose by, but was given {len(sets)} and {len(dev)} sets"
        )
    names = sorted({pools.encoder for pools in (*sets, *dev)})
    if len(names) > 1:
        raise EpochalError(f"the sets were indexed with {', '.join(names)}; accepted: one encoder for all")
    seed_all(training.seed)
    task = Re3Task(settings, sets, dev, dropout=dropout, repeat=repeats([len(useful(pools)) for pools in sets]))
    run = train(task, training, None if folder is None else folder / "run", progress=progress, resume=resume)
    network = task.model.cpu().numpy()
    model = Re3Model(network, names[0])
    if held:
        model = replace(model, beside=fit_beside(model, held))
    if folder is not None:
        write_model(
            folder,
            model,
            questions=sum(len(pools) for pools in sets),
            best={name: round(value, 4) for name, value in run.best.items()},
            training=training.to_dict(),
            timestamp_dropout=dropout,
        )
    return Trained(model, run)
