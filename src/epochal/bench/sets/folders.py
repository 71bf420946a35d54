"""Sets that lie in BEIR folders: published ones, built ones, and those that are built when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from epochal.bench.builders.registry import build
from epochal.bench.folder import read_folder, read_folder_manifest
from epochal.bench.records import Card
from epochal.bench.sets.base import Loaded, Source

__all__ = ["BUILT", "folder_files", "is_folder", "load_built", "load_folder", "load_published"]

#: Where built sets lie in the data folder, under their ids.
BUILT = "built"


def is_folder(path: Path) -> bool:
    """Whether a folder has a BEIR set in it.

    >>> is_folder(Path("nowhere"))
    False
    """
    return any((path / name).is_file() for name in ("corpus.jsonl", "corpus.jsonl.gz"))


def folder_files(path: Path) -> tuple[Path, ...]:
    """The files of a BEIR folder that a set is read from.

    >>> folder_files(Path("nowhere"))
    ()
    """
    names = ("corpus.jsonl", "corpus.jsonl.gz", "queries.jsonl", "queries.jsonl.gz", "periods.tsv", "manifest.json")
    return (*(path / name for name in names if (path / name).is_file()), *sorted((path / "qrels").glob("*.tsv")))


def load_folder(path: Path, id: str | None = None, card: Card | None = None) -> Loaded:
    """The set of a BEIR folder. The card is the manifest's where there is one, and the one given otherwise.

    >>> load_folder(Path("nowhere"))
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: nowhere: cannot be read: No such file or directory
    """
    made = read_folder(path, id)
    manifest = read_folder_manifest(path)
    if card is not None and manifest is None:
        made = replace(made, card=card)
    facts = {} if manifest is None else {"made by": manifest.made_by, **manifest.parameters, **manifest.facts}
    return Loaded(made, folder_files(path), facts)


def load_published(id: str, folder: str, card: Card, remedy: str, source: Source) -> Loaded:
    """The set of a folder as published, or as a builder wrote it under the set's id, which comes first.

    >>> load_published("scifact", "scifact", Card("SciFact"), "get it from BEIR", Source(Path("nowhere")))
    Traceback (most recent call last):
    ...
    epochal.bench.sets.base.SetNotThereError: the set 'scifact' is not in nowhere (looked for scifact); get it from BEIR
    """
    built = source.place(f"{BUILT}/{id}")
    return load_folder(built or source.need(id, folder, remedy), id, card)


def load_built(
    id: str, builder: str, folder: str, fixed: Mapping[str, Any], source: Source, switches: Mapping[str, Any]
) -> Loaded:
    """The set that a builder makes: the one written to `built/ID` in the data folder, or else made here and now.

    Switches that are not the builder's defaults always make it anew, since the folder may have been made with others.

    >>> load_built("zztj/tag", "zztj", "chunqiu", {"dates": "tag"}, Source(Path("nowhere")), {})
    Traceback (most recent call last):
    ...
    epochal.bench.sets.base.SetNotThereError: the set 'zztj/tag' is not in nowhere (looked for chunqiu); put its
    sources there, or build it: epochal bench build zztj --from FOLDER -o nowhere/built/zztj/tag --set dates=tag
    """
    built = source.place(f"{BUILT}/{id}")
    if built is not None and not switches:
        return load_folder(built, id)
    settings = "".join(f" --set {name}={value}" for name, value in {**fixed, **switches}.items())
    into = (source.data or Path("DATA")) / BUILT / id
    remedy = f"put its sources there, or build it: epochal bench build {builder} --from FOLDER -o {into}{settings}"
    place = source.need(id, folder, remedy)
    made, manifest = build(builder, place, **fixed, **switches)
    files = tuple(place / name for name in manifest.sources if (place / name).is_file())
    facts = {"made by": manifest.made_by, **manifest.parameters, **manifest.facts}
    return Loaded(replace(made, id=id), files, facts)
