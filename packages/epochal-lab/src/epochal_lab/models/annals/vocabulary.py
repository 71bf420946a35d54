"""Characters and their tokenizer, the shape of a model, and the settings of its tasks. Needs no torch."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.errors import EpochalError, InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: The first five ids, in this order.
SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
#: Characters of modern questions that old texts may lack: they get ids, and are learned with the questions.
QUESTION_CHARACTERS: Final = "的了嗎呢吧麼們這那哪個裡找些很被把給啊件樣還沒0123456789"
_UNKNOWN: Final = SPECIAL.index("[UNK]")
_WIDE: Final = tuple(zip(",;:?!()", "，；：？！（）", strict=True))


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The size of a model: by default 14 million parameters with 9,000 characters."""

    layers: int = 6
    width: int = 384
    heads: int = 12
    inner: int = 1536
    positions: int = 256
    dropout: float = 0.1

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads", "inner"):
            if getattr(self, name) < 1:
                raise EpochalError(f"{name} is {getattr(self, name)}; accepted: a whole number from 1")
        if self.positions < 16:
            raise EpochalError(f"positions is {self.positions}; accepted: a whole number from 16")
        if self.width % self.heads:
            raise EpochalError(
                f"a width of {self.width} cannot be shared by {self.heads} heads; give a multiple of {self.heads}"
            )
        if not 0 <= self.dropout < 1:
            raise EpochalError(f"dropout is {self.dropout}; accepted: a number from 0, below 1")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """What is masked, and the lengths that the model reads.

    `rate` of all characters are masked, in spans of mean length `span` (1: single characters). A share `short` of the
    batches has its passages cut into pieces of 62 characters, so that the model reads short texts too. `held_out` is
    the share of passages to evaluate on. In the second task, two spans of up to `longest_span` characters of one
    passage are contrasted at `temperature`, plus `covered` times the first task's loss.
    """

    rate: float = 0.15
    span: float = 3.0
    short: float = 0.25
    held_out: float = 0.01
    longest_span: int = 64
    temperature: float = 0.05
    covered: float = 0.3

    def __post_init__(self) -> None:
        _check("rate", self.rate, 0 < self.rate <= 0.5, "a number above 0, at most 0.5")
        _check("span", self.span, 1 <= self.span <= 8, "a number from 1 to 8")
        _check("short", self.short, 0 <= self.short <= 1, "a share from 0 to 1")
        _check("held_out", self.held_out, 0 < self.held_out <= 0.5, "a share above 0, at most 0.5")
        _check("longest_span", self.longest_span, self.longest_span >= 8, "a whole number from 8")
        _check("temperature", self.temperature, self.temperature > 0, "a number above 0")
        _check("covered", self.covered, self.covered >= 0, "a number from 0")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def _check(name: str, value: float, holds: bool, accepted: str) -> None:
    if not holds:
        raise EpochalError(f"{name} is {value}; accepted: {accepted}")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Characters in the order of their ids, which follow those of `SPECIAL`."""

    characters: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(set(self.characters)) < len(self.characters) or any(len(one) != 1 for one in self.characters):
            raise EpochalError("a vocabulary holds single characters, each of them once")

    @classmethod
    def from_texts(cls, texts: Iterable[str], least: int = 2, *, also: str = QUESTION_CHARACTERS) -> Vocabulary:
        """Build the vocabulary of characters that occur at least `least` times, most frequent first, followed by
        `also`.
        """
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(text)
        # Ties in Unicode order, so that the same texts give the same ids in any order.
        ranked = sorted((one for one, count in counts.items() if count >= least), key=lambda one: (-counts[one], one))
        return cls(tuple(dict.fromkeys([*ranked, *also])))

    def __len__(self) -> int:
        return len(SPECIAL) + len(self.characters)

    def rows(self, texts: Sequence[str], width: int) -> npt.NDArray[np.int32]:
        """Return the ids of texts, one row per text, without [CLS] and [SEP], truncated or padded with zeros to a
        width.
        """
        import numpy as np

        table = np.full(0x110000, _UNKNOWN, np.int32)
        table[[ord(one) for one in self.characters]] = np.arange(len(SPECIAL), len(self), dtype=np.int32)
        rows = np.zeros((len(texts), width), np.int32)
        for row, text in enumerate(texts):
            points = np.frombuffer(text[:width].encode("utf-32-le"), np.uint32)
            rows[row, : len(points)] = table[points]
        return rows

    def tokenizer(self, longest: int | None = None) -> Any:
        """Build a tokenizer (library tokenizers): one token per character, between [CLS] and [SEP], blanks dropped."""
        from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

        ids = {token: number for number, token in enumerate((*SPECIAL, *self.characters))}
        tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
        tokenizer.add_special_tokens(list(SPECIAL))
        # NFC unifies the compatibility forms of Han characters and leaves wide marks as they are, unlike NFKC.
        steps = [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), "")]
        tokenizer.normalizer = normalizers.Sequence(
            steps + [normalizers.Replace(narrow, wide) for narrow, wide in _WIDE]
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[(token, SPECIAL.index(token)) for token in ("[CLS]", "[SEP]")],
        )
        if longest is not None:
            tokenizer.enable_truncation(longest)
        return tokenizer

    def save(self, folder: Path, longest: int = 256) -> None:
        """Write vocab.txt, tokenizer.json and tokenizer_config.json for transformers and tokenizers."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "vocab.txt").write_text("".join(f"{one}\n" for one in (*SPECIAL, *self.characters)), "utf-8")
            self.tokenizer().save(str(folder / "tokenizer.json"))
            (folder / "tokenizer_config.json").write_text(
                f"{json.dumps(_build_tokenizer_config(longest), indent=2)}\n", "utf-8"
            )
        except OSError as error:
            raise EpochalError(f"cannot write the vocabulary to {folder}: {error.strerror}") from error

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Load the vocabulary of a vocab.txt, or of a folder that has one."""
        file = path / "vocab.txt" if path.is_dir() else path
        try:
            lines = file.read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise InputError(str(file), 0, f"the vocabulary cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InputError(str(file), 0, f"byte {error.start} is not UTF-8; accepted: text in UTF-8") from error
        tokens = [line for line in lines if line]
        if tuple(tokens[: len(SPECIAL)]) != SPECIAL:
            raise InputError(str(file), 1, f"a vocabulary begins with {', '.join(SPECIAL)}, a line each")
        for number, token in enumerate(tokens, 1):
            if number > len(SPECIAL) and len(token) != 1:
                raise InputError(str(file), number, f"{token[:40]!r} is no single character")
        return cls(tuple(tokens[len(SPECIAL) :]))


def _build_tokenizer_config(longest: int) -> dict[str, Any]:
    named = {f"{token.strip('[]').lower()}_token": token for token in SPECIAL}
    return {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": longest, "padding_side": "right", **named}
