"""Another system's first documents in the order in which a language model thinks that they answer the question.

The model is asked, after its own form (Qwen3-Reranker), whether a document meets what is asked for; how likely "yes"
is against "no" orders the first `top`. What lies behind them stays behind them, in its order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epochal.bench.records import BenchQuery
from epochal.bench.specs import Spec
from epochal.bench.systems.base import Answer, Ranker, System
from epochal.bench.systems.chosen import dtype_of, dtype_option, pick_device
from epochal.bench.systems.ranks import text_of
from epochal.encoders.base import EncoderError, required
from epochal.errors import EpochalError
from epochal.index.records import Document

__all__ = ["RerankedSystem", "YesNo", "reranked_system"]

MODEL: Final = "Qwen/Qwen3-Reranker-0.6B"
#: The form on which the model was trained.
_BEFORE: Final = (
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct "
    'provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n'
)
_AFTER: Final = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
_TASK: Final = "Given a web search query, retrieve relevant passages that answer the query"


class YesNo:
    """A causal language model that says yes or no: how likely yes is, against no, for each document.

    >>> YesNo.likely.__name__
    'likely'
    """

    def __init__(
        self,
        source: str = MODEL,
        *,
        task: str = _TASK,
        tokens: int = 4096,
        device: str | None = None,
        dtype: str = "float16",
        batch: int = 8,
    ) -> None:
        who = f"reranker {source!r}"
        self._torch = required("torch", who, "train")
        transformers = required("transformers", who, "train")
        self._device = pick_device(who, device)
        option = dtype_option(transformers)
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(source, padding_side="left")
            model = transformers.AutoModelForCausalLM.from_pretrained(
                source, **{option: dtype_of(who, dtype, self._device)}
            )
        except (OSError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise EncoderError(f"{who} cannot be loaded from the hub or a folder: {reason}") from error
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._model: Any = model.to(self._device).eval()
        self._task, self._batch = task, batch
        self._words = [self._tokenizer.convert_tokens_to_ids(word) for word in ("no", "yes")]
        if None in self._words or self._tokenizer.unk_token_id in self._words:
            raise EncoderError(f"{who} has no tokens 'yes' and 'no'; accepted: a model such as {MODEL}")
        self._before, self._after = (
            self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in (_BEFORE, _AFTER)
        )
        self._most = tokens - len(self._before) - len(self._after)
        if self._most < 1:
            raise EncoderError(f"{who} may read {tokens} tokens, and its form alone has as many; give more")

    def likely(self, question: str, texts: Sequence[str]) -> list[float]:
        """For each text how likely it meets the question, from 0 to 1.

        >>> YesNo.likely.__name__
        'likely'
        """
        found: list[float] = []
        for first in range(0, len(texts), self._batch):
            part = [
                f"<Instruct>: {self._task}\n<Query>: {question}\n<Document>: {text}"
                for text in texts[first : first + self._batch]
            ]
            read = self._tokenizer(part, add_special_tokens=False, truncation=True, max_length=self._most)
            rows = [self._before + ids + self._after for ids in read["input_ids"]]
            batch = self._tokenizer.pad({"input_ids": rows}, return_tensors="pt").to(self._device)
            with self._torch.inference_mode():
                ends = self._model(**batch).logits[:, -1, self._words]
            found += self._torch.softmax(ends.float(), -1)[:, 1].cpu().tolist()
        return found


@dataclass(frozen=True, slots=True)
class RerankedSystem:
    """A system whose first `top` documents a `YesNo` puts in order; any `base` will do.

    >>> from epochal.bench.systems.registry import system
    >>> system("reranked(base=bm25-official)").name
    'reranked(base=bm25-official)'
    """

    name: str
    base: System
    source: str = MODEL
    top: int = 50
    device: str | None = None

    def __post_init__(self) -> None:
        if self.top < 1:
            raise EpochalError(f"{self.name}: top must be a whole number from 1")

    @property
    def store(self) -> str:
        """That of the system within.

        >>> from epochal.bench.systems.registry import system
        >>> system("reranked(base=bm25-official)").store
        'bm25'
        """
        return self.base.store

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Open the system within, and load the model; the texts are held for it.

        >>> RerankedSystem.open.__name__
        'open'
        """
        held = list(documents)
        judge = YesNo(self.source, device=self.device)
        with self.base.open(held, folder) as ranker:
            yield _RerankedRanker(ranker, judge, {document.id: text_of(document) for document in held}, self.top)


@dataclass(frozen=True, slots=True, eq=False)
class _RerankedRanker:
    ranker: Ranker
    judge: YesNo
    texts: dict[str, str]
    top: int

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        asked = {query.id: query for query in queries}
        for answer in self.ranker.answer(queries, max(k, self.top)):
            head, rest = answer.hits[: self.top], answer.hits[self.top :]
            likely = self.judge.likely(asked[answer.query].text, [self.texts[id] for id, _ in head])
            order = sorted(range(len(head)), key=lambda place: -likely[place])
            hits = [(head[place][0], likely[place]) for place in order]
            hits += [(id, -float(place)) for place, (id, _) in enumerate(rest, 1)]
            yield Answer(answer.query, tuple(hits[:k]), answer.facts)


def reranked_system(spec: Spec, base: System | None) -> RerankedSystem:
    """The system that a spec names, over the system of its `base`: `path` is a model, `top` how many, `device`.

    >>> reranked_system(Spec.parse("reranked"), None)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: reranked needs a system to start from; accepted: base=NAME, such as base=bm25-official
    """
    given = spec.only("base", "path", "top", "device")
    if base is None:
        raise EpochalError("reranked needs a system to start from; accepted: base=NAME, such as base=bm25-official")
    if not given.get("top", "1").isdigit():
        raise EpochalError(f"{spec}: top must be a whole number from 1")
    name = str(Spec(spec.name, {key: value for key, value in given.items() if key != "device"}))
    return RerankedSystem(name, base, given.get("path", MODEL), int(given.get("top", "50")), given.get("device"))
