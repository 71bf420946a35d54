"""A wide part beside the deep one: the runs of one to three tokens that a text has, each with numbers of its own.

Who did what is told by rare pairs and triples of characters, the names of people and places. A small transformer that
is tuned on a few thousand records blurs them; a table keeps each one by itself, as linear models over n-grams do. Only
runs that several training texts share are kept: one that a single text has can do nothing but learn it by heart, and
then nothing else of that text is learned.

A transformer that gives one vector a text, by any of three poolings, whichever side its padding is on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from epochal.errors import EpochalError, InputError
from epochal.ranking.dating.dater import BASE, LENGTH, LONGEST, PAD, Characters
from epochal_lab.models.training.checkpoint import (
    fill_model,
    load_state,
    read_json,
    read_metadata,
    save_state,
    write_json,
)

__all__ = [
    "POOLINGS",
    "Backbone",
    "Batch",
    "NgramBackbone",
    "Ngrams",
    "encode_ngrams",
    "load_backbone",
    "move_padding_right",
    "pool_states",
    "scale_rows",
]


def encode_ngrams(ids: Tensor, mask: Tensor) -> Tensor:
    """The runs of 1, 2 and 3 tokens of texts that are padded on the right, as numbers; 0 where there is none.

    The first and the last token of a text, which the tokenizer adds, are in no run of one.
    """
    if ids.numel() and int(ids.max()) >= BASE - 1:
        raise EpochalError(f"a token has the number {int(ids.max())}; accepted: below {BASE - 1:,}")
    length = ids.shape[1]
    found = []
    for size in range(1, min(LONGEST, length) + 1):
        starts = length - size + 1
        total = torch.zeros_like(ids[:, :starts])
        for place in range(size):
            total = total * BASE + ids[:, place : place + starts] + 1
        inside = mask[:, size - 1 :].bool()
        if size == 1:
            last = torch.cat([mask[:, 1:], torch.zeros_like(mask[:, :1])], dim=1).bool()
            inside = inside & last
            inside[:, 0] = False
        found.append(total * inside)
    return torch.cat(found, dim=1)


class Ngrams(nn.Module):
    """What the known runs of a text add up to, each weighed by its rarity, where a text's weights have one length.

    `most` runs are known at most. Which they are is learned from texts before training (`know`); the table begins at
    zero, so that a model without is the same as one with it. `dropout` leaves runs out in training.
    """

    keys: Tensor
    rarity: Tensor

    def __init__(self, most: int, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        if most < 2:
            raise EpochalError(f"a table of {most} runs; accepted: a whole number from 2")
        if not 0 <= dropout < 1:
            raise EpochalError(f"the dropout of runs is {dropout}; accepted: a number from 0 up to 1, not 1")
        self.most = most
        self.dropout = dropout
        self.register_buffer("keys", torch.full((most,), torch.iinfo(torch.long).max))
        self.register_buffer("rarity", torch.zeros(most))
        self.table = nn.EmbeddingBag(most, width, mode="sum")
        nn.init.zeros_(self.table.weight)

    def know(self, texts: Sequence[npt.NDArray[np.integer]], least: int = 3) -> int:
        """Keep the runs that `least` texts or more have, the most frequent first; the count of runs kept."""
        seen = []
        for text in texts:
            ids = torch.as_tensor(np.asarray(text, dtype=np.int64))[None]
            runs = encode_ngrams(ids, torch.ones_like(ids)).unique()
            seen.append(runs[runs > 0].numpy())
        keys, counts = np.unique(np.concatenate(seen), return_counts=True) if seen else (np.empty(0), np.empty(0))
        order = np.argsort(-counts, kind="stable")[: self.most]
        order = np.sort(order[counts[order] >= least])
        self.keys[: len(order)] = torch.from_numpy(keys[order].astype(np.int64))
        self.keys[len(order) :] = torch.iinfo(torch.long).max
        rarity = np.log((1 + len(texts)) / (1 + counts[order])) + 1
        self.rarity[: len(order)] = torch.from_numpy(rarity.astype(np.float32))
        return len(order)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One row a text; rows of texts without a known run are zero."""
        places, weights = self.found(ids, mask)
        if self.training and self.dropout:
            weights = weights * (torch.rand(weights.shape, device=weights.device) >= self.dropout)
        # Most places are padding or runs that are not known: leaving them out is ten times less to add up.
        known = weights > 0
        counts = known.sum(dim=1)
        summed: Tensor = self.table(
            places[known], counts.cumsum(0) - counts, per_sample_weights=scale_rows(weights)[known]
        )
        return summed

    def found(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The rows of the table that texts have, and how rare they are; 0 where a run is not known."""
        runs = encode_ngrams(ids, mask)
        places = torch.searchsorted(self.keys, runs).clamp(max=self.most - 1)
        return places, torch.where((self.keys[places] == runs) & (runs > 0), self.rarity[places], 0.0)


def scale_rows(weights: Tensor) -> Tensor:
    """Rows brought to one length, whatever a text's own is; rows of zeros stay."""
    return LENGTH * weights / weights.square().sum(dim=1, keepdim=True).sqrt().clamp(min=1e-6)


#: How the vectors of a text's tokens become one: the first token's, the mean of all, the last token's.
POOLINGS: Final = ("cls", "mean", "last")

_BACKBONE_FILE: Final = "backbone.json"
#: From how many numbers a token on a model is wide.
_WIDE_MODEL: Final = 768
_SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts as numbers: `ids` and `mask` (1 for a token, 0 for padding), one row a text; how many `tokens` in all.

    `parts`, where given, are runs of rows whose tokens all lie in the first columns: the row after the last of each,
    and how many columns those are. What is read part by part is read with less padding.
    """

    ids: Tensor
    mask: Tensor
    tokens: int
    parts: tuple[tuple[int, int], ...] = ()

    def to(self, device: torch.device | str) -> Batch:
        """The same batch on a device."""
        ids, mask = self.ids.to(device, non_blocking=True), self.mask.to(device, non_blocking=True)
        return Batch(ids, mask, self.tokens, self.parts)


def move_padding_right(ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The same rows with their tokens first, in order, and their padding last."""
    order = torch.argsort(mask, dim=1, descending=True, stable=True)
    return ids.gather(1, order), mask.gather(1, order)


def pool_states(hidden: Tensor, mask: Tensor, pooling: str) -> Tensor:
    """One vector a row from those of its tokens, where the padding is on the right."""
    if pooling == "cls":
        return hidden[:, 0]
    lengths = mask.sum(dim=1).clamp(min=1)
    if pooling == "mean":
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        return (hidden * weights).sum(dim=1) / lengths.unsqueeze(-1).to(hidden.dtype)
    rows = torch.arange(len(hidden), device=hidden.device)
    return hidden[rows, lengths - 1]


class Backbone(nn.Module):
    """A transformer of the library transformers with its tokenizer, and how its output is pooled."""

    def __init__(self, model: nn.Module, tokenizer: Any, pooling: str, max_length: int) -> None:
        super().__init__()
        if pooling not in POOLINGS:
            raise EpochalError(f"pooling is {pooling!r}; accepted: {', '.join(POOLINGS)}")
        if max_length < 1:
            raise EpochalError(f"max_length is {max_length}; accepted: a whole number from 1")
        self.model = model
        self.tokenizer = tokenizer
        self.pooling = pooling
        self.max_length = max_length

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self.model.config.hidden_size)

    @property
    def padding(self) -> int:
        """The number that stands for no token."""
        return int(self.tokenizer.pad_token_id or 0)

    def tokenize(self, texts: Sequence[str], max_length: int | None = None) -> Batch:
        """Texts as a batch, cut to `max_length` tokens (the backbone's own unless given) and padded to the longest."""
        limit = min(max_length or self.max_length, self.max_length)
        rows = self.tokenizer(list(texts), padding=True, truncation=True, max_length=limit, return_tensors="pt")
        mask = rows["attention_mask"]
        return Batch(rows["input_ids"], mask, int(mask.sum()))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One vector a row, before any normalisation; padding may be on either side.

        It is moved to the right before the transformer sees it, so that a token stands at the same place whatever
        else is in its batch: absolute positions then need no care, and the pooled token is never padding.
        """
        hidden, mask = self.states(ids, mask)
        return pool_states(hidden, mask, self.pooling)

    def states(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The vector of every token of the last layer, padding moved to the right, and the mask moved with it."""
        ids, mask = move_padding_right(ids, mask)
        return self.model(input_ids=ids, attention_mask=mask).last_hidden_state, mask

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The same of a batch, part by part where it has parts and that is quicker; what was not read is 0.

        A narrow model on a GPU reads a whole batch in little more time than it takes to begin.
        """
        if len(batch.parts) < 2 or (batch.ids.device.type == "cuda" and self.width < _WIDE_MODEL):
            return self.states(batch.ids, batch.mask)
        found, first, width = [], 0, batch.ids.shape[1]
        for after, columns in batch.parts:
            hidden, _ = self.states(batch.ids[first:after, :columns], batch.mask[first:after, :columns])
            found.append(functional.pad(hidden, (0, 0, 0, width - columns)))
            first = after
        return torch.cat(found), batch.mask

    def recompute(self) -> None:
        """Keep of each layer only what goes into it while training, and compute the rest again for its gradients.

        What is learnt stays the same, in a fraction of the memory, for the time of one more pass. It is done here since
        transformers cannot do it for all of its models.
        """
        lists = [module for module in self.model.modules() if isinstance(module, nn.ModuleList)]
        if not lists:
            raise EpochalError(f"the model {type(self.model).__name__} has no list of layers; accepted: one that has")
        for layer in max(lists, key=len):
            if not isinstance(layer.forward, partial):
                layer.forward = partial(_run_checkpointed, layer, layer.forward)

    def save(self, folder: Path) -> None:
        """Write the transformer, its tokenizer and how it is pooled, as `load` reads them."""
        folder.mkdir(parents=True, exist_ok=True)
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        write_json(folder / _BACKBONE_FILE, {"pooling": self.pooling, "max_length": self.max_length})

    @classmethod
    def load(cls, folder: Path | str, pooling: str | None = None, max_length: int | None = None) -> Backbone:
        """A backbone from a folder that `save` wrote, or one of transformers with weights as safetensors.

        `pooling` and `max_length` are those of the folder unless given. Nothing is fetched, and no code of the
        folder's is run.
        """
        from transformers import AutoModel, AutoTokenizer

        place = Path(folder)
        if not (place / "config.json").is_file():
            problem = "has no config.json" if place.is_dir() else "is no folder"
            raise InputError(str(place), 0, f"{problem}; accepted: a folder of transformers with config.json")
        told = read_json(place / _BACKBONE_FILE) if (place / _BACKBONE_FILE).exists() else {}
        how = pooling or told.get("pooling")
        if how is None:
            raise EpochalError(f"{place} does not say how it is pooled; give pooling: {', '.join(POOLINGS)}")
        for file in sorted(place.glob("*.safetensors")):
            read_metadata(file)  # says of a damaged file what is wrong with it, which transformers does not
        try:
            model, told_of = AutoModel.from_pretrained(
                place, local_files_only=True, use_safetensors=True, output_loading_info=True
            )
            tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=True)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise InputError(str(place), 0, f"cannot be loaded by transformers: {reason}") from error
        # The pooler, a layer over the first token, is used by nothing here, and many a checkpoint lacks it.
        if lacking := sorted(name for name in told_of["missing_keys"] if not name.startswith("pooler.")):
            raise InputError(str(place), 0, f"lacks {len(lacking)} tensors of the model, such as {lacking[0]!r}")
        if hasattr(model, "pooler"):
            model.pooler = None
        model.float()  # whatever the file holds: precision is the trainer's to lower, and only for computing
        return cls(model, tokenizer, how, max_length or told.get("max_length") or _get_max_length(model, tokenizer))

    @classmethod
    def tiny(
        cls, vocab: Sequence[str], layers: int = 2, width: int = 32, *, pooling: str = "cls", max_length: int = 64
    ) -> Backbone:
        """A small one that knows a few words (or characters) and nothing of them: for tests and examples.

        Its ids are those of [PAD], [UNK], [CLS], [SEP] and [MASK], 0 to 4, and then of the words in their order.
        """
        from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

        words = [*_SPECIAL, *(word for word in dict.fromkeys(vocab) if word not in _SPECIAL)]
        config = BertConfig(
            vocab_size=len(words),
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=2,
            intermediate_size=2 * width,
            max_position_embeddings=max_length,
            pad_token_id=0,
        )
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=_build_word_tokenizer(words),
            model_max_length=max_length,
            **{f"{name.strip('[]').lower()}_token": name for name in _SPECIAL},
        )
        return cls(BertModel(config, add_pooling_layer=False), tokenizer, pooling, max_length)


def _run_checkpointed(layer: nn.Module, forward: Callable[..., Any], *args: Any, **options: Any) -> Any:
    if not (layer.training and torch.is_grad_enabled()):
        return forward(*args, **options)
    return checkpoint(forward, *args, use_reentrant=False, **options)


def _build_word_tokenizer(words: Sequence[str]) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


def _get_max_length(model: Any, tokenizer: Any) -> int:
    """As many tokens as both the positions of the model and its tokenizer bear."""
    positions = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
    return int(min(positions, tokenizer.model_max_length))


_KIND: Final = "runs"
_INIT_STD: Final = 0.02


class NgramBackbone(Backbone):
    """Vectors of the runs of characters that training texts share."""

    def __init__(
        self, characters: str, *, most: int = 40_000, width: int = 256, dropout: float = 0.0, max_length: int = 256
    ) -> None:
        nn.Module.__init__(self)
        if max_length < 3:
            raise EpochalError(f"max_length is {max_length}; accepted: a whole number from 3")
        self.characters = characters
        self._numbered = Characters(characters)
        self.pooling, self.max_length = "mean", max_length
        self.table = Ngrams(most, width, dropout)
        # Unlike a table beside a transformer, this one is all there is: texts must differ before anything is learned.
        nn.init.normal_(self.table.table.weight, std=_INIT_STD)

    @classmethod
    def of(
        cls, texts: Iterable[str], *, least: int = 2, most: int = 40_000, width: int = 256, dropout: float = 0.0
    ) -> NgramBackbone:
        """One that knows the characters and the runs which `least` of the texts have."""
        kept = list(texts)
        counts = Counter(sign for text in kept for sign in set("".join(text.split())))
        signs = "".join(sign for sign, count in sorted(counts.items()) if count >= least)
        made = cls(signs, most=most, width=width, dropout=dropout)
        made.table.know([np.array(row) for row in made._numbered.rows(kept, made.max_length)], least)
        return made

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self.table.table.embedding_dim)

    @property
    def padding(self) -> int:
        """The number that stands for no character."""
        return PAD

    def tokenize(self, texts: Sequence[str], max_length: int | None = None) -> Batch:
        """Texts as numbers of characters, between one for the beginning and one for the end; blanks are left out."""
        rows = self._numbered.rows(texts, min(max_length or self.max_length, self.max_length))
        longest = max(map(len, rows), default=0)
        ids = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows], dtype=torch.long)
        mask = (ids != PAD).long()
        return Batch(ids, mask, int(mask.sum()))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One vector a row."""
        vectors: Tensor = self.table(*move_padding_right(ids, mask))
        return vectors

    def save(self, folder: Path) -> None:
        """Write model.safetensors and config.json."""
        shape = {"most": self.table.most, "width": self.width, "dropout": self.table.dropout}
        save_state(
            folder, self.table, {"kind": _KIND, "characters": self.characters, "max_length": self.max_length, **shape}
        )
        write_json(folder / _BACKBONE_FILE, {"kind": _KIND, "pooling": self.pooling, "max_length": self.max_length})

    @classmethod
    def load(cls, folder: Path | str, pooling: str | None = None, max_length: int | None = None) -> NgramBackbone:
        """One from the folder that `save` wrote; `pooling` can be the mean only."""
        if pooling not in (None, "mean"):
            raise EpochalError(f"pooling is {pooling!r}; accepted with runs of characters: mean")
        place = Path(folder)
        state = load_state(place)
        try:
            made = cls(
                str(state.config["characters"]),
                most=int(state.config["most"]),
                width=int(state.config["width"]),
                dropout=float(state.config["dropout"]),
                max_length=max_length or int(state.config["max_length"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(str(place), 0, f"has a config that lacks its shape: {error}") from error
        fill_model(made.table, state.tensors, place)
        return made


def load_backbone(folder: Path | str, pooling: str | None = None, max_length: int | None = None) -> Backbone:
    """The backbone of a folder, of whichever kind `backbone.json` names: a transformer unless it says otherwise."""
    own = Path(folder) / _BACKBONE_FILE
    kind = read_json(own).get("kind") if own.exists() else None
    return (NgramBackbone if kind == _KIND else Backbone).load(folder, pooling, max_length)
