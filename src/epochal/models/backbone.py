"""A transformer that gives one vector a text, by any of three poolings, whichever side its padding is on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from epochal.errors import EpochalError, InputError
from epochal.models.ngrams import Ngrams
from epochal.models.training.checkpoint import fill, load_state, read_json, read_metadata, save_state, write_json
from epochal.ranking.dating.runs import PAD, Characters

__all__ = ["POOLINGS", "Backbone", "Batch", "RunsBackbone", "load_backbone", "pooled", "right_padded"]

#: How the vectors of a text's tokens become one: the first token's, the mean of all, the last token's.
POOLINGS: Final = ("cls", "mean", "last")

_OWN: Final = "backbone.json"
#: From how many numbers a token on a model is wide.
_WIDE: Final = 768
_SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts as numbers: `ids` and `mask` (1 for a token, 0 for padding), one row a text; how many `tokens` in all.

    `parts`, where given, are runs of rows whose tokens all lie in the first columns: the row after the last of each,
    and how many columns those are. What is read part by part is read with less padding.

    >>> Batch(torch.ones(1, 2, dtype=torch.long), torch.ones(1, 2, dtype=torch.long), 2).to("cpu").tokens
    2
    """

    ids: Tensor
    mask: Tensor
    tokens: int
    parts: tuple[tuple[int, int], ...] = ()

    def to(self, device: torch.device | str) -> Batch:
        """The same batch on a device.

        >>> rows = torch.ones(1, 2, dtype=torch.long)
        >>> Batch(rows, rows, 2).to("cpu").ids.device.type
        'cpu'
        """
        ids, mask = self.ids.to(device, non_blocking=True), self.mask.to(device, non_blocking=True)
        return Batch(ids, mask, self.tokens, self.parts)


def right_padded(ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The same rows with their tokens first, in order, and their padding last.

    >>> ids, mask = right_padded(torch.tensor([[0, 0, 5, 6]]), torch.tensor([[0, 0, 1, 1]]))
    >>> ids.tolist(), mask.tolist()
    ([[5, 6, 0, 0]], [[1, 1, 0, 0]])
    """
    order = torch.argsort(mask, dim=1, descending=True, stable=True)
    return ids.gather(1, order), mask.gather(1, order)


def pooled(hidden: Tensor, mask: Tensor, pooling: str) -> Tensor:
    """One vector a row from those of its tokens, where the padding is on the right.

    >>> hidden = torch.tensor([[[1.0], [2.0], [9.0]]])
    >>> [pooled(hidden, torch.tensor([[1, 1, 0]]), how).item() for how in POOLINGS]
    [1.0, 1.5, 2.0]
    """
    if pooling == "cls":
        return hidden[:, 0]
    lengths = mask.sum(dim=1).clamp(min=1)
    if pooling == "mean":
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        return (hidden * weights).sum(dim=1) / lengths.unsqueeze(-1).to(hidden.dtype)
    rows = torch.arange(len(hidden), device=hidden.device)
    return hidden[rows, lengths - 1]


class Backbone(nn.Module):
    """A transformer of the library transformers with its tokenizer, and how its output is pooled.

    >>> tiny = Backbone.tiny(["rain", "fell"], pooling="mean")
    >>> batch = tiny.tokenize(["rain fell", "rain"])
    >>> batch.tokens, tuple(tiny(batch.ids, batch.mask).shape)
    (7, (2, 32))
    """

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
        """How many numbers a vector has.

        >>> Backbone.tiny(["rain"], width=16).width
        16
        """
        return int(self.model.config.hidden_size)

    @property
    def padding(self) -> int:
        """The number that stands for no token.

        >>> Backbone.tiny(["rain"]).padding
        0
        """
        return int(self.tokenizer.pad_token_id or 0)

    def tokenize(self, texts: Sequence[str], max_length: int | None = None) -> Batch:
        """Texts as a batch, cut to `max_length` tokens (the backbone's own unless given) and padded to the longest.

        >>> Backbone.tiny(["rain", "fell"]).tokenize(["rain rain fell"], max_length=3).mask.tolist()
        [[1, 1, 1]]
        """
        limit = min(max_length or self.max_length, self.max_length)
        rows = self.tokenizer(list(texts), padding=True, truncation=True, max_length=limit, return_tensors="pt")
        mask = rows["attention_mask"]
        return Batch(rows["input_ids"], mask, int(mask.sum()))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One vector a row, before any normalisation; padding may be on either side.

        It is moved to the right before the transformer sees it, so that a token stands at the same place whatever
        else is in its batch: absolute positions then need no care, and the pooled token is never padding.

        >>> tiny = Backbone.tiny(["rain", "fell"], pooling="last").eval()
        >>> left, right = torch.tensor([[0, 2, 5, 3]]), torch.tensor([[2, 5, 3, 0]])
        >>> torch.equal(tiny(left, (left > 0).long()), tiny(right, (right > 0).long()))
        True
        """
        hidden, mask = self.states(ids, mask)
        return pooled(hidden, mask, self.pooling)

    def states(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The vector of every token of the last layer, padding moved to the right, and the mask moved with it.

        >>> tiny = Backbone.tiny(["rain", "fell"], pooling="mean").eval()
        >>> batch = tiny.tokenize(["rain fell", "rain"])
        >>> hidden, mask = tiny.states(batch.ids, batch.mask)
        >>> tuple(hidden.shape), torch.equal(pooled(hidden, mask, "mean"), tiny(batch.ids, batch.mask))
        ((2, 4, 32), True)
        """
        ids, mask = right_padded(ids, mask)
        return self.model(input_ids=ids, attention_mask=mask).last_hidden_state, mask

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The same of a batch, part by part where it has parts and that is quicker; what was not read is 0.

        A narrow model on a GPU reads a whole batch in little more time than it takes to begin.

        >>> tiny = Backbone.tiny(["rain", "fell"], pooling="mean").eval()
        >>> whole = tiny.tokenize(["rain fell", "rain"])
        >>> hidden, mask = tiny.read(Batch(whole.ids, whole.mask, whole.tokens, parts=((1, 4), (2, 3))))
        >>> torch.allclose(pooled(hidden, mask, "mean"), tiny(whole.ids, whole.mask), atol=1e-6)
        True
        """
        if len(batch.parts) < 2 or (batch.ids.device.type == "cuda" and self.width < _WIDE):
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

        >>> tiny = Backbone.tiny(["rain"])
        >>> tiny.recompute()
        >>> tiny(*torch.ones(2, 1, 3, dtype=torch.long)).sum().backward()
        """
        lists = [module for module in self.model.modules() if isinstance(module, nn.ModuleList)]
        if not lists:
            raise EpochalError(f"the model {type(self.model).__name__} has no list of layers; accepted: one that has")
        for layer in max(lists, key=len):
            if not isinstance(layer.forward, partial):
                layer.forward = partial(_checkpointed, layer, layer.forward)

    def save(self, folder: Path) -> None:
        """Write the transformer, its tokenizer and how it is pooled, as `load` reads them.

        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> Backbone.tiny(["rain"], pooling="mean").save(folder)
        >>> Backbone.load(folder).pooling
        'mean'
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        write_json(folder / _OWN, {"pooling": self.pooling, "max_length": self.max_length})

    @classmethod
    def load(cls, folder: Path | str, pooling: str | None = None, max_length: int | None = None) -> Backbone:
        """A backbone from a folder that `save` wrote, or one of transformers with weights as safetensors.

        `pooling` and `max_length` are those of the folder unless given. Nothing is fetched, and no code of the
        folder's is run.

        >>> Backbone.load("no/such/folder", pooling="cls")
        Traceback (most recent call last):
        ...
        epochal.errors.InputError: no/such/folder: is no folder; accepted: a folder of transformers with config.json
        """
        from transformers import AutoModel, AutoTokenizer

        place = Path(folder)
        if not (place / "config.json").is_file():
            problem = "has no config.json" if place.is_dir() else "is no folder"
            raise InputError(str(place), 0, f"{problem}; accepted: a folder of transformers with config.json")
        told = read_json(place / _OWN) if (place / _OWN).exists() else {}
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
        return cls(model, tokenizer, how, max_length or told.get("max_length") or _longest(model, tokenizer))

    @classmethod
    def tiny(
        cls, vocab: Sequence[str], layers: int = 2, width: int = 32, *, pooling: str = "cls", max_length: int = 64
    ) -> Backbone:
        """A small one that knows a few words (or characters) and nothing of them: for tests and examples.

        Its ids are those of [PAD], [UNK], [CLS], [SEP] and [MASK], 0 to 4, and then of the words in their order.

        >>> Backbone.tiny(["雨", "rain"]).tokenize(["Rain 雨"]).ids.tolist()
        [[2, 6, 5, 3]]
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
            tokenizer_object=_word_tokenizer(words),
            model_max_length=max_length,
            **{f"{name.strip('[]').lower()}_token": name for name in _SPECIAL},
        )
        return cls(BertModel(config, add_pooling_layer=False), tokenizer, pooling, max_length)


def _checkpointed(layer: nn.Module, forward: Callable[..., Any], *args: Any, **options: Any) -> Any:
    if not (layer.training and torch.is_grad_enabled()):
        return forward(*args, **options)
    return checkpoint(forward, *args, use_reentrant=False, **options)


def _word_tokenizer(words: Sequence[str]) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


def _longest(model: Any, tokenizer: Any) -> int:
    """As many tokens as both the positions of the model and its tokenizer bear."""
    positions = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
    return int(min(positions, tokenizer.model_max_length))


_KIND: Final = "runs"
_SPREAD: Final = 0.02


class RunsBackbone(Backbone):
    """Vectors of the runs of characters that training texts share.

    >>> runs = RunsBackbone.of(["春秋春", "春秋冬"], width=8)
    >>> batch = runs.tokenize(["春秋春", "夏"])
    >>> batch.ids.tolist(), tuple(runs(batch.ids, batch.mask).shape)
    ([[2, 4, 5, 4, 3], [2, 1, 3, 0, 0]], (2, 8))
    """

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
        nn.init.normal_(self.table.table.weight, std=_SPREAD)

    @classmethod
    def of(
        cls, texts: Iterable[str], *, least: int = 2, most: int = 40_000, width: int = 256, dropout: float = 0.0
    ) -> RunsBackbone:
        """One that knows the characters and the runs which `least` of the texts have.

        >>> RunsBackbone.of(["春秋", "春夏"]).characters
        '春'
        """
        kept = list(texts)
        counts = Counter(sign for text in kept for sign in set("".join(text.split())))
        signs = "".join(sign for sign, count in sorted(counts.items()) if count >= least)
        made = cls(signs, most=most, width=width, dropout=dropout)
        made.table.know([np.array(row) for row in made._numbered.rows(kept, made.max_length)], least)
        return made

    @property
    def width(self) -> int:
        """How many numbers a vector has.

        >>> RunsBackbone("春", width=16).width
        16
        """
        return int(self.table.table.embedding_dim)

    @property
    def padding(self) -> int:
        """The number that stands for no character.

        >>> RunsBackbone("春").padding
        0
        """
        return PAD

    def tokenize(self, texts: Sequence[str], max_length: int | None = None) -> Batch:
        """Texts as numbers of characters, between one for the beginning and one for the end; blanks are left out.

        >>> RunsBackbone("春秋").tokenize(["春 秋秋"], max_length=4).ids.tolist()
        [[2, 4, 5, 3]]
        """
        rows = self._numbered.rows(texts, min(max_length or self.max_length, self.max_length))
        longest = max(map(len, rows), default=0)
        ids = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows], dtype=torch.long)
        mask = (ids != PAD).long()
        return Batch(ids, mask, int(mask.sum()))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One vector a row.

        >>> runs = RunsBackbone.of(["春秋", "春秋"]).eval()
        >>> left, right = torch.tensor([[0, 2, 4, 3]]), torch.tensor([[2, 4, 3, 0]])
        >>> torch.equal(runs(left, (left > 0).long()), runs(right, (right > 0).long()))
        True
        """
        vectors: Tensor = self.table(*right_padded(ids, mask))
        return vectors

    def save(self, folder: Path) -> None:
        """Write model.safetensors and config.json.

        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp())
        >>> RunsBackbone("春秋", most=100, width=8).save(place)
        >>> load_backbone(place).width
        8
        """
        shape = {"most": self.table.most, "width": self.width, "dropout": self.table.dropout}
        save_state(
            folder, self.table, {"kind": _KIND, "characters": self.characters, "max_length": self.max_length, **shape}
        )
        write_json(folder / _OWN, {"kind": _KIND, "pooling": self.pooling, "max_length": self.max_length})

    @classmethod
    def load(cls, folder: Path | str, pooling: str | None = None, max_length: int | None = None) -> RunsBackbone:
        """One from the folder that `save` wrote; `pooling` can be the mean only.

        >>> RunsBackbone.load("no/such/folder")
        Traceback (most recent call last):
        ...
        epochal.errors.InputError: no/such/folder/config.json: cannot be read: No such file or directory
        """
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
        fill(made.table, state.tensors, place)
        return made


def load_backbone(folder: Path | str, pooling: str | None = None, max_length: int | None = None) -> Backbone:
    """The backbone of a folder, of whichever kind `backbone.json` names: a transformer unless it says otherwise.

    >>> load_backbone("no/such/folder", pooling="cls")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/folder: is no folder; accepted: a folder of transformers with config.json
    """
    own = Path(folder) / _OWN
    kind = read_json(own).get("kind") if own.exists() else None
    return (RunsBackbone if kind == _KIND else Backbone).load(folder, pooling, max_length)
