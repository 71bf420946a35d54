"""Where TEMPO's files lie: in folders of Parquet files as published, as JSON Lines, or on the hub."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epochal.bench.sets.base import Fetch, SetNotThereError, Source
from epochal.bench.sets.hub import hub_fetch
from epochal.bench.sets.rows import listed, rows

__all__ = ["DOMAINS", "REASONING", "REPOSITORY", "REVISIONS", "Files", "tempo_hub"]

#: The thirteen domains, in the order of the official code.
DOMAINS: Final = (
    *("bitcoin", "cardano", "economics", "genealogy", "history", "hsm", "iota"),
    *("law", "monero", "politics", "quant", "travel", "workplace"),
)
#: Configs whose questions have a language model's reasoning after them.
REASONING: Final = ("qwen72b_reason", "gpt4o_reason", "deepseek_reason", "llama70b_reason")
REPOSITORY: Final = "tempo26/Tempo"
#: By config, the revision that is read; the later one of `examples` adds `negative_ids`.
REVISIONS: Final = {
    "": "f9df06c05688225e37701974d23c8e3c5d4efaf6",
    "examples": "1dba7027d0afa628993c6dd794e9b68c657a6fac",
}
_ENDINGS: Final = (".parquet", ".jsonl", ".jsonl.gz")


def tempo_hub() -> Fetch:
    """What fetches TEMPO's files from the hub, at the pinned revisions.

    >>> callable(tempo_hub())
    True
    """
    return hub_fetch(REPOSITORY, REVISIONS)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one config of one domain; `mixed` when they hold other domains too.

    >>> Files((), mixed=False).paths
    ()
    """

    paths: tuple[Path, ...]
    mixed: bool

    def rows(self, domain: str, key: str) -> Iterator[tuple[Path, int, dict[str, Any]]]:
        """The rows of the domain, with file and line. In mixed files the ids under `key` tell whose a row is.

        >>> list(Files((), mixed=True).rows("law", "gold_ids"))
        []
        """
        for path in self.paths:
            for line, row in rows(path):
                ids = [row.get(key)] if key == "id" else listed(row.get(key)) or []
                if not self.mixed or any(str(id).startswith(f"{domain}/") for id in ids):
                    yield path, line, row

    @classmethod
    def find(cls, source: Source, config: str, domain: str) -> Files | None:
        """The files in the data folder, or those that are fetched; None where the folder has none.

        >>> Files.find(Source(Path("nowhere")), "steps", "law") is None
        True
        """
        if source.fetch is not None:
            return cls((source.fetch(f"{config}/{domain}.parquet"),), mixed=False)
        if source.data is None:
            return None
        for root in (source.data / "tempo", source.data):
            for ending in _ENDINGS:
                if (single := root / config / f"{domain}{ending}").is_file():
                    return cls((single,), mixed=False)
                if shards := sorted((root / config).glob(f"{domain}-*-of-*{ending}")):
                    return cls(tuple(shards), mixed=False)
            for ending in _ENDINGS:
                if (whole := root / f"{config}{ending}").is_file():
                    return cls((whole,), mixed=True)
        return None

    @classmethod
    def need(cls, source: Source, config: str, domain: str, id: str) -> Files:
        """The files, or one sentence on how to come by them.

        >>> Files.need(Source(), "steps", "law", "tempo/law/steps")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        epochal.bench.sets.base.SetNotThereError: the set 'tempo/law/steps' needs a data folder with
        tempo/steps/law.parquet ...
        """
        found = cls.find(source, config, domain)
        if found is None:
            name = f"tempo/{config}/{domain}.parquet"
            lacks = f"is not in {source.data}: it lacks {name}" if source.data else f"needs a data folder with {name}"
            raise SetNotThereError(
                f"the set {id!r} {lacks} (or .jsonl, or tempo/{config}.jsonl for all domains); get the folders of "
                f"{REPOSITORY} from huggingface.co/datasets, or load it with --hub (hub=True)"
            )
        return found
