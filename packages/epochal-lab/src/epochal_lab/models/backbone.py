"""Backbones: models that turn a text into one vector, either a transformer or a table of character n-grams.

`Ngrams` is the table. It is also used next to a transformer (the "wide" part of a wide-and-deep model): rare names of
people and places tell records apart, and a small transformer that is tuned on a few thousand records blurs them. Only
n-grams that several training texts share are kept; one that occurs in a single text would only memorise that text.
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

#: How token states are pooled: the first token, the mean, the last token.
POOLINGS: Final = ("cls", "mean", "last")
_BACKBONE_FILE: Final = "backbone.json"
#: The width from which encoding in parts pays on a GPU.
_WIDE_MODEL: Final = 768
_SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_KIND: Final = "runs"
_INIT_STD: Final = 0.02


def encode_ngrams(ids: Tensor, mask: Tensor) -> Tensor:
    """Encode the n-grams of 1, 2 and 3 tokens of right-padded texts as integers; 0 for none.

    The first and last token of a text, which the tokenizer adds, give no 1-gram.
    """
    if ids.numel() and int(ids.max()) >= BASE - 1:
        raise EpochalError(f"the highest token id is {int(ids.max())}; accepted: below {BASE - 1:,}")
    length = ids.shape[1]
    keys = []
    for size in range(1, min(LONGEST, length) + 1):
        starts = length - size + 1
        total = torch.zeros_like(ids[:, :starts])
        for offset in range(size):
            total = total * BASE + ids[:, offset : offset + starts] + 1
        inside = mask[:, size - 1 :].bool()
        if size == 1:
            last = torch.cat([mask[:, 1:], torch.zeros_like(mask[:, :1])], dim=1).bool()
            inside = inside & last
            inside[:, 0] = False
        keys.append(total * inside)
    return torch.cat(keys, dim=1)


class Ngrams(nn.Module):
    """The weighted sum of the embeddings of a text's n-grams; weights are rarities, scaled to one length per text.

    The table holds up to `capacity` n-grams, chosen from texts before training (`select_ngrams`). It starts at zero, so
    that adding it does not change a model before training. `dropout` leaves n-grams out in training.
    """

    keys: Tensor
    rarity: Tensor

    def __init__(self, capacity: int, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        if capacity < 2:
            raise EpochalError(f"the capacity of the n-gram table is {capacity}; accepted: a whole number from 2")
        if not 0 <= dropout < 1:
            raise EpochalError(f"the dropout of n-grams is {dropout}; accepted: a number from 0 up to 1, not 1")
        self.capacity = capacity
        self.dropout = dropout
        self.register_buffer("keys", torch.full((capacity,), torch.iinfo(torch.long).max))
        self.register_buffer("rarity", torch.zeros(capacity))
        self.table = nn.EmbeddingBag(capacity, width, mode="sum")
        nn.init.zeros_(self.table.weight)

    def select_ngrams(self, texts: Sequence[npt.NDArray[np.integer]], min_texts: int = 3) -> int:
        """Fill the table with n-grams that occur in at least `min_texts` texts, most frequent first, and return their
        number.
        """
        per_text = []
        for text in texts:
            ids = torch.as_tensor(np.asarray(text, dtype=np.int64))[None]
            found_keys = encode_ngrams(ids, torch.ones_like(ids)).unique()
            per_text.append(found_keys[found_keys > 0].numpy())
        keys, counts = (
            np.unique(np.concatenate(per_text), return_counts=True) if per_text else (np.empty(0), np.empty(0))
        )
        order = np.argsort(-counts, kind="stable")[: self.capacity]
        order = np.sort(order[counts[order] >= min_texts])
        self.keys[: len(order)] = torch.from_numpy(keys[order].astype(np.int64))
        self.keys[len(order) :] = torch.iinfo(torch.long).max
        rarity = np.log((1 + len(texts)) / (1 + counts[order])) + 1
        self.rarity[: len(order)] = torch.from_numpy(rarity.astype(np.float32))
        return len(order)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return one row per text; a text without any n-gram of the table gets zeros."""
        rows, weights = self.look_up(ids, mask)
        if self.training and self.dropout:
            weights = weights * (torch.rand(weights.shape, device=weights.device) >= self.dropout)
        # Most entries are padding or unknown n-grams: leaving them out makes the sum ten times cheaper.
        present = weights > 0
        counts = present.sum(dim=1)
        summed: Tensor = self.table(
            rows[present], counts.cumsum(0) - counts, per_sample_weights=scale_rows(weights)[present]
        )
        return summed

    def look_up(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the table rows of the n-grams of texts, and their rarities; 0 where an n-gram is not in the table."""
        keys = encode_ngrams(ids, mask)
        rows = torch.searchsorted(self.keys, keys).clamp(max=self.capacity - 1)
        return rows, torch.where((self.keys[rows] == keys) & (keys > 0), self.rarity[rows], 0.0)


def scale_rows(weights: Tensor) -> Tensor:
    """Scale rows to one length; rows of zeros stay."""
    return LENGTH * weights / weights.square().sum(dim=1, keepdim=True).sqrt().clamp(min=1e-6)


@dataclass(frozen=True, slots=True)
class Batch:
    """Token ids and mask (1 for a token, 0 for padding), one row per text, and the total number of tokens.

    `parts`, where given, split the rows into groups whose tokens lie in the first columns: the end row of each group
    and its number of columns. Encoding group by group computes less padding.
    """

    ids: Tensor
    mask: Tensor
    tokens: int
    parts: tuple[tuple[int, int], ...] = ()

    def to(self, device: torch.device | str) -> Batch:
        ids, mask = self.ids.to(device, non_blocking=True), self.mask.to(device, non_blocking=True)
        return Batch(ids, mask, self.tokens, self.parts)


def move_padding_right(ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Move the padding of each row behind its tokens."""
    order = torch.argsort(mask, dim=1, descending=True, stable=True)
    return ids.gather(1, order), mask.gather(1, order)


def pool_states(hidden: Tensor, mask: Tensor, pooling: str) -> Tensor:
    """Pool token states to one vector per row; padding must be on the right."""
    if pooling == "cls":
        return hidden[:, 0]
    lengths = mask.sum(dim=1).clamp(min=1)
    if pooling == "mean":
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        return (hidden * weights).sum(dim=1) / lengths.unsqueeze(-1).to(hidden.dtype)
    rows = torch.arange(len(hidden), device=hidden.device)
    return hidden[rows, lengths - 1]


class Backbone(nn.Module):
    """A Hugging Face transformer with its tokenizer and a pooling."""

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
        """The number of dimensions of a vector."""
        return int(self.model.config.hidden_size)

    @property
    def padding(self) -> int:
        """The id of the padding token."""
        return int(self.tokenizer.pad_token_id or 0)

    def tokenize(self, texts: Sequence[str], max_length: int | None = None) -> Batch:
        """Tokenize texts, truncated to `max_length` tokens (default: the backbone's own limit) and padded to the
        longest.
        """
        limit = min(max_length or self.max_length, self.max_length)
        rows = self.tokenizer(list(texts), padding=True, truncation=True, max_length=limit, return_tensors="pt")
        mask = rows["attention_mask"]
        return Batch(rows["input_ids"], mask, int(mask.sum()))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return one vector per row, not normalised; padding may be on either side.

        Padding is moved to the right first, so that a token has the same position whatever else is in its batch:
        absolute positions need no care, and the pooled token is never padding.
        """
        hidden, mask = self.encode_tokens(ids, mask)
        return pool_states(hidden, mask, self.pooling)

    def encode_tokens(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the last layer's state of every token, with padding moved to the right, and the mask."""
        ids, mask = move_padding_right(ids, mask)
        return self.model(input_ids=ids, attention_mask=mask).last_hidden_state, mask

    def encode_batch(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the token states of a batch, computed part by part where that is faster; states of padding may be 0.

        A narrow model on a GPU encodes a whole batch in little more time than one kernel launch takes.
        """
        if len(batch.parts) < 2 or (batch.ids.device.type == "cuda" and self.width < _WIDE_MODEL):
            return self.encode_tokens(batch.ids, batch.mask)
        states, first, width = [], 0, batch.ids.shape[1]
        for after, columns in batch.parts:
            hidden, _ = self.encode_tokens(batch.ids[first:after, :columns], batch.mask[first:after, :columns])
            states.append(functional.pad(hidden, (0, 0, 0, width - columns)))
            first = after
        return torch.cat(states), batch.mask

    def enable_recompute(self) -> None:
        """Recompute activations in the backward pass (gradient checkpointing): less memory for one more forward pass.

        Done here because transformers supports it only for some of its models. The result of training stays the same.
        """
        lists = [module for module in self.model.modules() if isinstance(module, nn.ModuleList)]
        if not lists:
            raise EpochalError(f"the model {type(self.model).__name__} has no list of layers; accepted: one that has")
        for layer in max(lists, key=len):
            if not isinstance(layer.forward, partial):
                layer.forward = partial(_run_checkpointed, layer, layer.forward)

    def save(self, folder: Path) -> None:
        """Write the transformer, its tokenizer and its pooling in the form that `load` reads."""
        folder.mkdir(parents=True, exist_ok=True)
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        write_json(folder / _BACKBONE_FILE, {"pooling": self.pooling, "max_length": self.max_length})

    @classmethod
    def load(cls, folder: Path | str, pooling: str | None = None, max_length: int | None = None) -> Backbone:
        """Load a backbone from a folder that `save` wrote, or from any transformers folder with safetensors weights.

        `pooling` and `max_length` default to those of the folder. Nothing is downloaded, and no code of the folder is
        run.
        """
        from transformers import AutoModel, AutoTokenizer

        path = Path(folder)
        if not (path / "config.json").is_file():
            problem = "has no config.json" if path.is_dir() else "is no folder"
            raise InputError(str(path), 0, f"{problem}; accepted: a folder of transformers with config.json")
        settings = read_json(path / _BACKBONE_FILE) if (path / _BACKBONE_FILE).exists() else {}
        pooling_name = pooling or settings.get("pooling")
        if pooling_name is None:
            raise EpochalError(f"{path} does not say how it is pooled; give pooling: {', '.join(POOLINGS)}")
        for file in sorted(path.glob("*.safetensors")):
            read_metadata(file)  # reports what is wrong with a damaged file, which transformers does not
        try:
            model, report = AutoModel.from_pretrained(
                path, local_files_only=True, use_safetensors=True, output_loading_info=True
            )
            tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise InputError(str(path), 0, f"cannot be loaded by transformers: {reason}") from error
        # The pooler (a layer over the first token) is not used here, and many checkpoints lack it.
        if missing := sorted(name for name in report["missing_keys"] if not name.startswith("pooler.")):
            raise InputError(str(path), 0, f"lacks {len(missing)} tensors of the model, such as {missing[0]!r}")
        if hasattr(model, "pooler"):
            model.pooler = None
        model.float()  # the trainer lowers the precision, for computation only
        return cls(
            model,
            tokenizer,
            pooling_name,
            max_length or settings.get("max_length") or _get_max_length(model, tokenizer),
        )

    @classmethod
    def tiny(
        cls, vocab: Sequence[str], layers: int = 2, width: int = 32, *, pooling: str = "cls", max_length: int = 64
    ) -> Backbone:
        """Build a small, randomly initialised BERT with a vocabulary of a few words or characters, for tests and
        examples.

        Ids 0 to 4 are [PAD], [UNK], [CLS], [SEP] and [MASK]; the words follow in their order.
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

    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def _get_max_length(model: Any, tokenizer: Any) -> int:
    """Return the number of tokens that both the model's positions and its tokenizer allow."""
    positions = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
    return int(min(positions, tokenizer.model_max_length))


class NgramBackbone(Backbone):
    """A backbone that embeds the character n-grams which training texts share."""

    def __init__(
        self, characters: str, *, capacity: int = 40_000, width: int = 256, dropout: float = 0.0, max_length: int = 256
    ) -> None:
        nn.Module.__init__(self)
        if max_length < 3:
            raise EpochalError(f"max_length is {max_length}; accepted: a whole number from 3")
        self.characters = characters
        self._characters = Characters(characters)
        self.pooling, self.max_length = "mean", max_length
        self.table = Ngrams(capacity, width, dropout)
        # Without a transformer, vectors must differ before training.
        nn.init.normal_(self.table.table.weight, std=_INIT_STD)

    @classmethod
    def from_texts(
        cls, texts: Iterable[str], *, min_texts: int = 2, capacity: int = 40_000, width: int = 256, dropout: float = 0.0
    ) -> NgramBackbone:
        """Build a backbone with the characters and n-grams that occur in at least `min_texts` texts."""
        rows = list(texts)
        counts = Counter(sign for text in rows for sign in set("".join(text.split())))
        signs = "".join(sign for sign, count in sorted(counts.items()) if count >= min_texts)
        backbone = cls(signs, capacity=capacity, width=width, dropout=dropout)
        backbone.table.select_ngrams(
            [np.array(row) for row in backbone._characters.rows(rows, backbone.max_length)], min_texts
        )
        return backbone

    @property
    def width(self) -> int:
        """The number of dimensions of a vector."""
        return int(self.table.table.embedding_dim)

    @property
    def padding(self) -> int:
        """The id of the padding character."""
        return PAD

    def tokenize(self, texts: Sequence[str], max_length: int | None = None) -> Batch:
        """Convert texts to character ids between a start and an end id; whitespace is dropped."""
        rows = self._characters.rows(texts, min(max_length or self.max_length, self.max_length))
        longest = max(map(len, rows), default=0)
        ids = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows], dtype=torch.long)
        mask = (ids != PAD).long()
        return Batch(ids, mask, int(mask.sum()))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        vectors: Tensor = self.table(*move_padding_right(ids, mask))
        return vectors

    def save(self, folder: Path) -> None:
        """Write model.safetensors, config.json and backbone.json."""
        shape = {"most": self.table.capacity, "width": self.width, "dropout": self.table.dropout}
        save_state(
            folder, self.table, {"kind": _KIND, "characters": self.characters, "max_length": self.max_length, **shape}
        )
        write_json(folder / _BACKBONE_FILE, {"kind": _KIND, "pooling": self.pooling, "max_length": self.max_length})

    @classmethod
    def load(cls, folder: Path | str, pooling: str | None = None, max_length: int | None = None) -> NgramBackbone:
        """Load a backbone from a folder that `save` wrote; the only `pooling` is the mean."""
        if pooling not in (None, "mean"):
            raise EpochalError(f"pooling is {pooling!r}; accepted with character n-grams: mean")
        path = Path(folder)
        state = load_state(path)
        try:
            backbone = cls(
                str(state.config["characters"]),
                capacity=int(state.config["most"]),
                width=int(state.config["width"]),
                dropout=float(state.config["dropout"]),
                max_length=max_length or int(state.config["max_length"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(str(path), 0, f"has a config that lacks its shape: {error}") from error
        fill_model(backbone.table, state.tensors, path)
        return backbone


def load_backbone(folder: Path | str, pooling: str | None = None, max_length: int | None = None) -> Backbone:
    """Load the backbone of a folder: the kind that `backbone.json` names, a transformer by default."""
    own = Path(folder) / _BACKBONE_FILE
    kind = read_json(own).get("kind") if own.exists() else None
    return (NgramBackbone if kind == _KIND else Backbone).load(folder, pooling, max_length)
