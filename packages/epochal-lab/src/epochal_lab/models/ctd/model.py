"""The CTD model (a backbone, time heads, a context and a bias by distance), its losses and its folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError, InputError
from epochal.ranking.dating.months import MonthAxis
from epochal_lab.models.backbone import Backbone, Ngrams, load_backbone, move_padding_right
from epochal_lab.models.ctd.context import AddContext, ConcatContext, LikelihoodContext, RelativeBias, TimeContext
from epochal_lab.models.ctd.heads import JointHeads, LevelHeads, PartTensors, TimeHeads
from epochal_lab.models.ctd.settings import CTDSettings
from epochal_lab.models.texts import CollectionTokens, tokenize_texts
from epochal_lab.models.training.checkpoint import fill_model, load_state, save_state

#: The score of a masked pair; finite, so that gradients are defined.
_MASKED = -1e9

#: Search with the bare encoder, with the context, and also with the bias.
SEARCH_MODES: Final = ("enc_only", "ctx", "ctx+bias")
Side = Literal["question", "record"]
_KIND: Final = "ctd"


def build_overlap_mask(first: Tensor, last: Tensor, record_first: Tensor, record_last: Tensor) -> Tensor:
    """Return which record (column) shares a month with a question (row); a row without any gets its own record."""
    mask = (first[:, None] <= record_last[None, :]) & (record_first[None, :] <= last[:, None])
    lonely = ~mask.any(dim=1)
    own = torch.eye(*mask.shape, dtype=torch.bool, device=mask.device)
    return mask | (own & lonely[:, None])


def multi_positive_loss(scores: Tensor, mask: Tensor, negatives: Tensor | None = None) -> Tensor:
    """Half the loss of questions over records and hard negatives, half that of records over questions.

    `scores` is B x B; `negatives` holds the scores of each question with all hard negatives, which are never positive
    and count on the questions' side only. A side's loss is the mean of -log(sum of positives / sum of all).
    """
    every = scores if negatives is None else torch.cat([scores, negatives], dim=1)
    return 0.5 * (
        _compute_one_sided_loss(scores, mask, every)
        + _compute_one_sided_loss(scores.T, _add_own_pairs(mask.T), scores.T)
    )


def symmetric_loss(scores: Tensor, negatives: Tensor | None = None) -> Tensor:
    """The usual symmetric contrastive loss, in which only the record of its own row is right for a question."""
    labels = torch.arange(len(scores), device=scores.device)
    every = scores if negatives is None else torch.cat([scores, negatives], dim=1)
    return 0.5 * (functional.cross_entropy(every, labels) + functional.cross_entropy(scores.T, labels))


def time_loss(logits: Sequence[Tensor], targets: Sequence[Tensor], weights: Tensor | None = None) -> Tensor:
    """The cross-entropy of predicted times with their targets: the mean over the parts and over the texts."""
    total = torch.zeros((), device=logits[0].device)
    for part, target in zip(logits, targets, strict=True):
        entropy = -(target * part.float().log_softmax(dim=-1)).sum(dim=-1)
        if weights is None:
            total = total + entropy.mean()
        else:
            total = total + (entropy * weights).sum() / weights.sum().clamp(min=1e-9)
    return total / len(logits)


def _compute_one_sided_loss(scores: Tensor, mask: Tensor, every: Tensor) -> Tensor:
    right = scores.masked_fill(~mask, _MASKED).logsumexp(dim=1)
    return (every.logsumexp(dim=1) - right).mean()


def _add_own_pairs(mask: Tensor) -> Tensor:
    """Add its own question to a record that no question asks for."""
    lonely = ~mask.any(dim=1)
    return mask | (torch.eye(*mask.shape, dtype=torch.bool, device=mask.device) & lonely[:, None])


@dataclass(frozen=True, slots=True)
class CTDOutput:
    """The output for texts: hidden vectors, logits of their times, positions on the axis, and logits of being an answer
    (`worth`).
    """

    hidden: Tensor
    logits: PartTensors | None
    position: Tensor | None
    worth: Tensor | None

    def __getitem__(self, rows: slice) -> CTDOutput:
        logits = None if self.logits is None else tuple(part[rows] for part in self.logits)
        position = None if self.position is None else self.position[rows]
        return CTDOutput(self.hidden[rows], logits, position, None if self.worth is None else self.worth[rows])


class TemporalLayers(nn.Module):
    """Everything but the backbone; works on hidden vectors."""

    heads: TimeHeads | None
    question_heads: TimeHeads | None
    context: TimeContext | None
    bias: RelativeBias | None
    worth: nn.Linear | None
    wide: Ngrams | None

    def __init__(self, width: int, axis: MonthAxis, settings: CTDSettings, years: int) -> None:
        super().__init__()
        self.settings = settings
        # A buffer, because a safetensors file without any tensor cannot be read.
        self.register_buffer("temperature", torch.tensor(settings.temperature))
        self.heads = self.question_heads = self.context = self.bias = self.worth = self.wide = None
        if settings.heads == "levels":
            self.heads = LevelHeads(width, axis, years, settings.smoothing)
        elif settings.heads == "joint":
            joint = self.heads = JointHeads(width, axis, settings.spread, settings.sigma)
            if settings.ngrams:
                # The table predicts the outputs of the heads' layers and the answer value: a linear model.
                self.wide = Ngrams(settings.ngrams, sum(one.out_features for one in joint.linear_layers()) + 1)
            if settings.question_heads:
                self.question_heads = JointHeads(width, axis, own=False)
        if self.heads is not None and settings.context in ("add", "concat"):
            kind = AddContext if settings.context == "add" else ConcatContext
            self.context = kind(self.heads, width, settings.time_width, settings.full_codes)
        elif settings.context == "likelihood":
            self.context = LikelihoodContext(axis.years)
        if settings.bias:
            self.bias = RelativeBias(settings.bias_width, axis.months if settings.full_codes else None)
        if settings.worth:
            self.worth = nn.Linear(width, 1)

    def get_heads(self, side: Side) -> TimeHeads | None:
        """Return the heads for questions or records; they are the same unless questions have their own."""
        return self.question_heads if side == "question" and self.question_heads is not None else self.heads

    def forward(self, hidden: Tensor, side: Side, wide: Tensor | None = None) -> CTDOutput:
        """Compute the output for hidden vectors of one side; `wide` is what the n-gram table adds."""
        heads = self.get_heads(side)
        read = hidden if wide is None or self.settings.deep_heads else torch.zeros_like(hidden)
        logits = None if heads is None else heads(read) if wide is None else heads(read, wide[:, :-1])
        position = None if heads is None or logits is None else heads.locate(logits)
        worth = None if self.worth is None else self.worth(read).squeeze(-1)
        if worth is not None and wide is not None:
            worth = worth + wide[:, -1]
        return CTDOutput(hidden, logits, position, worth)

    def compute_vectors(self, encoded: CTDOutput, side: Side, *, context: bool = True) -> Tensor:
        """Return the vectors whose inner product, divided by the temperature, is the score without the bias."""
        if self.context is None or encoded.logits is None or not context:
            return functional.normalize(encoded.hidden, dim=-1)
        if side == "question":
            return self.context.encode_question(encoded.hidden, encoded.logits, self.settings.temperature)
        return self.context.encode_record(encoded.hidden, encoded.logits, encoded.worth)

    def compute_scores(self, questions: CTDOutput, records: CTDOutput, *, bias: bool = True) -> Tensor:
        """Return the score of each question (row) with each record (column)."""
        scored = (
            self.compute_vectors(questions, "question")
            @ self.compute_vectors(records, "record").T
            / self.settings.temperature
        )
        if bias and self.bias is not None and questions.position is not None and records.position is not None:
            scored = scored + self.bias(questions.position, records.position)
        return scored


class CTD(nn.Module):
    """A backbone with temporal layers.

    `years` is the number of years of the longest reign among the records, the width of the published heads.

    >>> tiny = CTD(Backbone.tiny(["rain", "fell"]), MonthAxis.lu(), CTDSettings.official())
    >>> batch = tiny.backbone.tokenize(["rain fell", "rain"])
    >>> tiny(batch.ids, batch.mask, "record").position.shape
    torch.Size([2])
    """

    def __init__(self, backbone: Backbone, axis: MonthAxis, settings: CTDSettings, years: int | None = None) -> None:
        super().__init__()
        self.backbone = backbone
        self.axis = axis
        self.settings = settings
        self.years = max(axis.lengths) if years is None else years
        self.temporal = TemporalLayers(backbone.width, axis, settings, self.years)

    def forward(self, ids: Tensor, mask: Tensor, side: Side) -> CTDOutput:
        """Compute the output for texts of one side. Everything after the backbone is computed in float32."""
        hidden = self.backbone(ids, mask)
        with torch.autocast(hidden.device.type, enabled=False):
            table = self.temporal.wide if side == "record" else None
            wide = None if table is None else table(*move_padding_right(ids, mask))
            encoded: CTDOutput = self.temporal(hidden.float(), side, wide)
            return encoded

    def tokenize(self, questions: Sequence[str], records: Sequence[str]) -> CollectionTokens:
        """Tokenize questions, with their prefix, and records, truncated to the lengths of the settings."""
        settings = self.settings
        prefixed = [settings.question_prefix + text for text in questions]
        return CollectionTokens(
            tokenize_texts(self.backbone, prefixed, settings.question_length),
            tokenize_texts(self.backbone, records, settings.record_length),
        )

    def save(self, folder: Path, facts: dict[str, Any] | None = None) -> None:
        """Write model.safetensors, config.json and backbone/; `facts` are added to the configuration.

        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp())
        >>> CTD(Backbone.tiny(["rain"]), MonthAxis.lu(), CTDSettings.improved()).save(place)
        >>> CTD.load(place).settings == CTDSettings.improved()
        True
        """
        self.backbone.save(folder / "backbone")
        config = {
            "kind": _KIND,
            "settings": self.settings.to_dict(),
            "axis": self.axis.to_dict(),
            "years": self.years,
            **(facts or {}),
        }
        save_state(folder, self.temporal, config)

    @classmethod
    def load(cls, folder: Path | str) -> CTD:
        """Load a model from a folder that `save` wrote.

        >>> CTD.load("no/such/folder")
        Traceback (most recent call last):
        ...
        epochal.errors.InputError: no/such/folder/config.json: cannot be read: No such file or directory
        """
        path = Path(folder)
        state = load_state(path)
        if state.config.get("kind") != _KIND:
            raise InputError(str(path), 0, f"holds a model of kind {state.config.get('kind')!r}; accepted: {_KIND!r}")
        try:
            settings = CTDSettings.from_dict(state.config["settings"])
            axis, years = MonthAxis.from_dict(state.config["axis"]), int(state.config["years"])
        except (KeyError, TypeError) as error:
            raise InputError(str(path), 0, f"has a config without its axis, settings or years: {error}") from error
        model = cls(load_backbone(path / "backbone"), axis, settings, years)
        fill_model(model.temporal, state.tensors, path)
        return model


def check_search_mode(mode: str) -> None:
    """Raise an error for an unknown search mode."""
    if mode not in SEARCH_MODES:
        raise EpochalError(f"the mode of search is {mode!r}; accepted: {', '.join(SEARCH_MODES)}")
