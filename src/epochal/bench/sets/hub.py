"""Files of data sets from the Hugging Face hub, at pinned revisions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from epochal.bench.sets.base import Fetch
from epochal.errors import EpochalError, MissingExtraError

__all__ = ["hub_fetch"]


def hub_fetch(repository: str, revisions: Mapping[str, str], cache: Path | None = None) -> Fetch:
    """Something that fetches the files of a data set, each folder at its own revision; "" is that of all others.

    Nothing is fetched before a file is asked for, and one that was fetched before is taken from the hub's own cache.

    >>> fetch = hub_fetch("tempo26/Tempo", {"": "f9df06c05688225e37701974d23c8e3c5d4efaf6"})
    """

    def fetch(name: str) -> Path:
        revision = revisions.get(name.partition("/")[0], revisions[""])
        return _download(repository, name, revision, cache)

    return fetch


def _download(repository: str, name: str, revision: str, cache: Path | None) -> Path:
    hub = _hub()
    try:
        found = hub.hf_hub_download(repository, name, repo_type="dataset", revision=revision, cache_dir=cache)
    except (OSError, ValueError, hub.errors.EntryNotFoundError) as error:
        # Most of the hub's own errors are OSErrors: no such repository, no such revision, no connection.
        why = str(error).strip().partition("\n")[0]
        raise EpochalError(f"{name} of {repository} at {revision[:8]} could not be fetched: {why}") from None
    return Path(found)


def _hub() -> Any:
    try:
        import huggingface_hub  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtraError("loading from the hub", "huggingface_hub", "hub") from None
    return huggingface_hub
