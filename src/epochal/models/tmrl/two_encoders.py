"""TempRetriever, a baseline: one encoder for the text and one for its time expressions, fused to one vector.

Abdallah et al., 2025. `ewi` multiplies the two vectors number by number, `fs` puts them side by side. Vectors are made
of length 1 before they are fused where the settings say so, and fused vectors are compared by their cosine.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from epochal.models.backbone import Backbone
from epochal.models.tmrl.network import Encoded, Network, Side
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.tmrl.texts import TextBatch
from epochal.models.training.checkpoint import write_json

__all__ = ["TempRetriever"]


class TempRetriever(Network):
    """Two backbones that begin alike, all of them trained.

    A batch without times is read by the encoder of texts alone, as for questions that state none.

    >>> made = TempRetriever(Backbone.tiny(["rain"], width=8), TMRLSettings.named("tempretriever-fs"))
    >>> made.width
    16
    """

    def __init__(self, backbone: Backbone, settings: TMRLSettings) -> None:
        super().__init__()
        self.text = backbone
        self.time = deepcopy(backbone)
        self.settings = settings

    @property
    def width(self) -> int:
        """That of the backbone, or twice as much where the two vectors stand side by side.

        >>> TempRetriever(Backbone.tiny(["rain"], width=8), TMRLSettings.named("tempretriever-ewi")).width
        8
        """
        return self.text.width * (2 if self.settings.method == "tempretriever-fs" else 1)

    @property
    def reader(self) -> Backbone:
        """The encoder of texts.

        >>> TempRetriever(Backbone.tiny(["rain"]), TMRLSettings.named("tempretriever-ewi")).reader.pooling
        'cls'
        """
        return self.text

    def encode(self, batch: TextBatch, side: Side) -> Encoded:
        """Texts and their times as one vector each.

        >>> from epochal.models.tmrl.texts import timed_texts
        >>> made = TempRetriever(Backbone.tiny(["rain"], width=8), TMRLSettings.named("tempretriever-fs"))
        >>> texts = timed_texts(made.reader, ["rain"], [[(0, 4)]], times=True)
        >>> made.encode(texts.batch([0]), "question").vectors.shape
        torch.Size([1, 16])
        """
        text = self._unit(self.text(batch.texts.ids, batch.texts.mask))
        if batch.times is None:
            return Encoded(text)
        time = self._unit(self.time(batch.times.ids, batch.times.mask))
        both = torch.cat([text, time], dim=-1) if self.settings.method == "tempretriever-fs" else text * time
        return Encoded(both)

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write both backbones, and how they are fused.

        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp())
        >>> TempRetriever(Backbone.tiny(["rain"]), TMRLSettings.named("tempretriever-ewi")).save(place, {})
        >>> sorted(path.name for path in place.iterdir())
        ['fusion.json', 'text', 'time']
        """
        self.text.save(folder / "text")
        self.time.save(folder / "time")
        write_json(folder / "fusion.json", {"kind": self.settings.method, "settings": self.settings.to_dict(), **facts})

    def _unit(self, vectors: Tensor) -> Tensor:
        return functional.normalize(vectors.float(), dim=-1) if self.settings.normalise else vectors.float()
