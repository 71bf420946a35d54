"""Records and questions as numpy: vectors with and without the context, and places; and the gallery of a mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from epochal.errors import EpochalError
from epochal.models.ctd.gallery import Gallery
from epochal.models.ctd.model import CTD, Side, check_mode
from epochal.models.ctd.texts import Texts
from epochal.models.training.batches import batches_by_length
from epochal.models.training.device import autocast

__all__ = ["Vectors", "encoded", "gallery_of", "question_vectors"]

Floats = npt.NDArray[np.float32]

#: Cells of the table of the bias: forty a month on an axis of 255 years, so that rounding does not show.
RESOLUTION = 1 << 17
_TOKENS = 1 << 16


@dataclass(frozen=True, slots=True)
class Vectors:
    """Texts as they are searched by: `bare` of the encoder alone, `full` with the context, and places on the axis.

    >>> Vectors(np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32), None).bare.shape
    (2, 2)
    """

    bare: Floats
    full: Floats
    places: Floats | None


@torch.no_grad()
def encoded(model: CTD, texts: Texts, side: Side, precision: str = "fp32") -> Vectors:
    """All texts as vectors of one side, in batches of texts of similar length.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.ctd.axis import MonthAxis
    >>> from epochal.models.ctd.settings import CTDSettings
    >>> from epochal.models.ctd.texts import tokenized
    >>> tiny = CTD(Backbone.tiny(["rain"]), MonthAxis.lu(), CTDSettings.official())
    >>> encoded(tiny, tokenized(tiny.backbone, ["rain", "rain rain"], 8), "record").full.shape
    (2, 32)
    """
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    bare: Floats = np.zeros((len(texts), model.backbone.width), np.float32)
    full: Floats | None = None
    places: Floats | None = None
    groups = batches_by_length(texts.lengths.tolist(), max_tokens=_TOKENS, seed=0, epoch=0)
    for rows in groups:
        batch = texts.batch(rows).to(device)
        with autocast(precision, device):
            made = model(batch.ids, batch.mask, side)
        bare[rows] = model.temporal.vectors(made, side, context=False).cpu().numpy()
        here = model.temporal.vectors(made, side).cpu().numpy()
        if full is None:
            full = np.zeros((len(texts), here.shape[1]), np.float32)
        full[rows] = here
        if made.place is not None:
            places = np.zeros(len(texts), np.float32) if places is None else places
            places[rows] = made.place.cpu().numpy()
    model.train(was_training)
    return Vectors(bare, bare if full is None else full, places)


def gallery_of(model: CTD, records: Vectors, mode: str) -> Gallery:
    """The records as a gallery that is searched in a mode.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.ctd.axis import MonthAxis
    >>> from epochal.models.ctd.settings import CTDSettings
    >>> tiny = CTD(Backbone.tiny(["rain"]), MonthAxis.lu(), CTDSettings.baseline("ft"))
    >>> vectors = np.eye(2, 32, dtype=np.float32)
    >>> gallery_of(tiny, Vectors(vectors, vectors, None), "enc_only").scale
    20.0
    """
    check_mode(mode)
    scale = 1 / model.settings.temperature
    if mode == "enc_only":
        return Gallery(records.bare, scale=scale)
    bias = model.temporal.bias
    if mode == "ctx" or bias is None:
        return Gallery(records.full, scale=scale)
    if records.places is None:
        raise EpochalError("the bias needs places on the axis, and the model has no heads that read them")
    return Gallery(records.full, records.places, bias.table(RESOLUTION), scale)


def question_vectors(model: CTD, questions: Vectors, mode: str, mix: float = 1.0) -> Floats:
    """The questions' vectors for a mode; `mix` weighs the words against the time where both stand side by side.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.ctd.axis import MonthAxis
    >>> from epochal.models.ctd.settings import CTDSettings
    >>> tiny = CTD(Backbone.tiny(["rain"]), MonthAxis.lu(), CTDSettings.improved())
    >>> made = question_vectors(tiny, Vectors(np.ones((1, 32)), np.ones((1, 40)), None), "ctx", mix=0.5)
    >>> made[0, 30:34].tolist()
    [0.5, 0.5, 1.0, 1.0]
    """
    check_mode(mode)
    if mode == "enc_only":
        return questions.bare
    width = model.backbone.width
    if mix == 1.0 or questions.full.shape[1] == width:
        return questions.full
    mixed: Floats = questions.full.copy()
    mixed[:, :width] *= mix
    return mixed
