"""The characters a model knows, by frequency, and the tokenizer that turns texts into their numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, InputError

__all__ = ["ASKED", "SPECIAL", "Vocabulary"]

#: The first five ids, in this order.
SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
#: Characters of modern questions that old texts may lack: they have a place, and are learnt with the questions.
ASKED: Final = "的了嗎呢吧麼們這那哪個裡找些很被把給啊件樣還沒0123456789"
_UNKNOWN: Final = SPECIAL.index("[UNK]")
_WIDE: Final = tuple(zip(",;:?!()", "，；：？！（）", strict=True))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Characters in the order of their ids, which begin after those of `SPECIAL`.

    >>> words = Vocabulary.of(["元年春，王正月。", "二年春，王二月。"], least=2, also="")
    >>> "".join(words.characters)
    '。二年春月王，'
    >>> words.rows(["春月夏"], 4).tolist()
    [[8, 9, 1, 0]]
    """

    characters: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(set(self.characters)) < len(self.characters) or any(len(one) != 1 for one in self.characters):
            raise EpochalError("a vocabulary holds single characters, each of them once")

    @classmethod
    def of(cls, texts: Iterable[str], least: int = 2, *, also: str = ASKED) -> Vocabulary:
        """The characters that occur at least so often, the frequent ones first, and then those that are wanted besides.

        >>> Vocabulary.of(["春秋春"], least=1, also="嗎").characters
        ('春', '秋', '嗎')
        """
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(text)
        # Characters of one count in the order of Unicode, so that the same texts give the same ids in any order.
        ranked = sorted((one for one, count in counts.items() if count >= least), key=lambda one: (-counts[one], one))
        return cls(tuple(dict.fromkeys([*ranked, *also])))

    def __len__(self) -> int:
        return len(SPECIAL) + len(self.characters)

    def rows(self, texts: Sequence[str], width: int) -> npt.NDArray[np.int32]:
        """The ids of texts, one row a text, without [CLS] and [SEP], cut or padded with zeros to a width.

        >>> Vocabulary(("春", "秋")).rows(["春秋", ""], 3).tolist()
        [[5, 6, 0], [0, 0, 0]]
        """
        table = np.full(0x110000, _UNKNOWN, np.int32)
        table[[ord(one) for one in self.characters]] = np.arange(len(SPECIAL), len(self), dtype=np.int32)
        found = np.zeros((len(texts), width), np.int32)
        for row, text in enumerate(texts):
            points = np.frombuffer(text[:width].encode("utf-32-le"), np.uint32)
            found[row, : len(points)] = table[points]
        return found

    def tokenizer(self, longest: int | None = None) -> Any:
        """A tokenizer of the library tokenizers: a character a token, between [CLS] and [SEP], blanks dropped.

        >>> Vocabulary(("春", "，", "王")).tokenizer().encode("春 , 王?").tokens
        ['[CLS]', '春', '，', '王', '[UNK]', '[SEP]']
        """
        from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

        ids = {token: number for number, token in enumerate((*SPECIAL, *self.characters))}
        made = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
        made.add_special_tokens(list(SPECIAL))
        # NFC unifies the compatibility forms of Han characters and leaves wide marks as they are, unlike NFKC.
        steps = [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), "")]
        made.normalizer = normalizers.Sequence(steps + [normalizers.Replace(narrow, wide) for narrow, wide in _WIDE])
        made.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[(token, SPECIAL.index(token)) for token in ("[CLS]", "[SEP]")],
        )
        if longest is not None:
            made.enable_truncation(longest)
        return made

    def save(self, folder: Path, longest: int = 256) -> None:
        """Write vocab.txt, tokenizer.json and tokenizer_config.json, as transformers and tokenizers read them.

        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> Vocabulary(("春", "秋")).save(folder)
        >>> Vocabulary.load(folder).characters
        ('春', '秋')
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "vocab.txt").write_text("".join(f"{one}\n" for one in (*SPECIAL, *self.characters)), "utf-8")
            self.tokenizer().save(str(folder / "tokenizer.json"))
            (folder / "tokenizer_config.json").write_text(f"{json.dumps(_config(longest), indent=2)}\n", "utf-8")
        except OSError as error:
            raise EpochalError(f"cannot write the vocabulary to {folder}: {error.strerror}") from error

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """The vocabulary of a vocab.txt, or of a folder that has one.

        >>> Vocabulary.load(Path("no/vocab.txt"))
        Traceback (most recent call last):
        ...
        epochal.errors.InputError: no/vocab.txt: the vocabulary cannot be read: No such file or directory
        """
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


def _config(longest: int) -> dict[str, Any]:
    named = {f"{token.strip('[]').lower()}_token": token for token in SPECIAL}
    return {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": longest, "padding_side": "right", **named}
