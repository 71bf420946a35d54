"""Sets by id: TEMPO, rebuilt and published sets, those of installed packages, any BEIR folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.datasets.builders import build, builder, builder_names
from epochal_lab.datasets.cards import CARDS, TEMPO_SIZES, tempo_card
from epochal_lab.datasets.folder import read_folder, read_folder_manifest
from epochal_lab.datasets.published import SWITCHES as CHRONOQA_SWITCHES
from epochal_lab.datasets.published import load_chronoqa
from epochal_lab.datasets.records import BenchSet, SetCard, Switch
from epochal_lab.datasets.sources import Fetch, LoadedSet, SetEntry, Source, data_folder
from epochal_lab.datasets.tempo import STEP_SWITCHES, load_tempo, load_tempo_steps
from epochal_lab.datasets.tempo import SWITCHES as TEMPO_SWITCHES
from epochal_lab.datasets.tempo_files import DOMAINS, Files, tempo_hub

#: Where built sets lie in the data folder, under their ids.
BUILT = "built"


def is_folder(path: Path) -> bool:
    """Whether a folder has a BEIR set in it."""
    return any((path / name).is_file() for name in ("corpus.jsonl", "corpus.jsonl.gz"))


def folder_files(path: Path) -> tuple[Path, ...]:
    """The files of a BEIR folder that a set is read from."""
    names = ("corpus.jsonl", "corpus.jsonl.gz", "queries.jsonl", "queries.jsonl.gz", "periods.tsv", "manifest.json")
    return (*(path / name for name in names if (path / name).is_file()), *sorted((path / "qrels").glob("*.tsv")))


def load_folder(path: Path, id: str | None = None, card: SetCard | None = None) -> LoadedSet:
    """The set of a BEIR folder. The card is the manifest's where there is one, and the one given otherwise."""
    bench_set = read_folder(path, id)
    manifest = read_folder_manifest(path)
    if card is not None and manifest is None:
        bench_set = replace(bench_set, card=card)
    facts = {} if manifest is None else {"made by": manifest.made_by, **manifest.parameters, **manifest.facts}
    return LoadedSet(bench_set, folder_files(path), facts)


def load_published(id: str, folder: str, card: SetCard, remedy: str, source: Source) -> LoadedSet:
    """The set of a folder as published, or as a builder wrote it under the set's id, which comes first."""
    built = source.find(f"{BUILT}/{id}")
    return load_folder(built or source.require(id, folder, remedy), id, card)


def load_built(
    id: str, builder: str, folder: str, fixed: Mapping[str, Any], source: Source, switches: Mapping[str, Any]
) -> LoadedSet:
    """The set that a builder makes: the one written to `built/ID` in the data folder, or else made here and now.

    Switches that are not the builder's defaults always make it again, since the folder may have been made with others.
    """
    built = source.find(f"{BUILT}/{id}")
    if built is not None and not switches:
        return load_folder(built, id)
    settings = "".join(f" --set {name}={value}" for name, value in {**fixed, **switches}.items())
    into = (source.data or Path("DATA")) / BUILT / id
    remedy = f"put its sources there, or build it: epochal bench build {builder} --from FOLDER -o {into}{settings}"
    root = source.require(id, folder, remedy)
    bench_set, manifest = build(builder, root, **fixed, **switches)
    files = tuple(root / name for name in manifest.sources if (root / name).is_file())
    facts = {"made by": manifest.made_by, **manifest.parameters, **manifest.facts}
    return LoadedSet(replace(bench_set, id=id), files, facts)


#: Where installed packages offer sets: an entry point is a `SetEntry`, and is named by its id.
GROUP = "epochal.datasets"

#: Sets that builders make: id, builder, folder of the sources, and the switches that the id represents.
_BUILT: Final[tuple[tuple[str, str, str, Mapping[str, Any]], ...]] = (
    ("chunqiutr/traditional", "chunqiutr", "chunqiu", {"script": "traditional"}),
    ("chunqiutr/simplified", "chunqiutr", "chunqiu", {"script": "simplified"}),
    ("zztj/tag", "zztj", "chunqiu", {"dates": "tag"}),
    ("zztj/none", "zztj", "chunqiu", {"dates": "none"}),
    ("zztj/sequence", "zztj", "chunqiu", {"dates": "sequence"}),
    ("re2bench/rel", "re2bench/rel", "timeqa", {}),
    ("re2bench/rec", "re2bench/rec", "terms", {}),
    ("re2bench/hyb", "re2bench/hyb", "forecasts", {}),
)
_COPIES: Final[Mapping[str, Mapping[str, str]]] = {
    "tnp": {
        "corpus.jsonl": "94edb45c5dce7f6b393bd8853f2df044863eec4534f1af3c09dc31869764e4a0",
        "queries.jsonl": "cba226eec9db20231cf80d8a2654daf0f24297c2e01b176a4ea0e89429ca434b",
        "qrels/test.tsv": "87fd42abfe4988a79af461f54edfdd28ee971c3aef835de6b6faa0eac12ffe17",
    },
    "timeqa/human_train": {
        "corpus.jsonl.gz": "252cd8b9976dd39502f21452543a09597af64bfad34449e8a1274a611a1dac31",
        "queries.jsonl": "f0b9d58aec349ad588dc0a3d31013881cbfe5e574c8054485054065c5f2cd191",
        "qrels/test.tsv": "ce5daf5fdddec5102d209d8ec99eecb15909157f750e16bc116e489ecde9e04e",
    },
    "chronoqa": {"questions.jsonl.gz": "21de9e006e862791494dab25d1193d0a51ea87e8ead4981600136d60faca8e3f"},
    "scifact": {
        "corpus.jsonl.gz": "852dd216a5a01f4d10c87e009586e9017e151c26c5992fc60057b05807a9eb1e",
        "queries.jsonl": "fcae2ad6f9ea33f15857f87e24086dd33e5a9523b79feb7a19dd545660be9212",
        "qrels/test.tsv": "68c0ac63f1c24b9e8ce497649694f09b2d0850bab7ec2b103cc66996f5f8b3a3",
    },
}
_TIMEQA: Final = "get the human-annotated file of Time-Sensitive-QA and build it: epochal bench build timeqa"


def entries(data: Path | None = None) -> dict[str, SetEntry]:
    """All sets that have an id, in the order in which they are listed.

    After those that Epochal knows come those of installed packages, and those that lie in `built` in the data folder.

    >>> list(entries())[:2], "zztj/sequence" in entries()
    (['tempo/bitcoin', 'tempo/bitcoin/steps'], True)
    """
    sets = {item.id: item for item in (*_list_tempo_sets(), *_list_built_sets(), *_list_published_sets())}
    for point in entry_points(group=GROUP):
        if point.name in sets:
            raise EpochalError(f"two packages offer a set called {point.name!r}; uninstall one of them")
        offered = point.load()
        if not isinstance(offered, SetEntry) or offered.id != point.name:
            raise EpochalError(f"the set {point.name!r} of an installed package is no SetEntry of that id")
        sets[point.name] = offered
    for manifest in sorted((data / BUILT).rglob("manifest.json")) if data is not None else ():
        id = manifest.parent.relative_to(data / BUILT).as_posix() if data is not None else ""
        if id not in sets:
            sets[id] = _make_folder_entry(id, manifest.parent, f"{BUILT}/{id}")
    return sets


def entry(id: str, data: Path | None = None) -> SetEntry:
    """The row of a set, or that of a BEIR folder, whose path is its id."""
    known = entries(data)
    if id in known:
        return known[id]
    if is_folder(Path(id)):
        return _make_folder_entry(None, Path(id), "")
    domains = f"{', '.join(DOMAINS[:-1])} or {DOMAINS[-1]}"
    rest = [name for name in known if not name.startswith("tempo/")]
    output = ["tempo/DOMAIN", f"tempo/DOMAIN/steps (DOMAIN is {domains})", *rest, "or the path of a BEIR folder"]
    raise UnknownNameError("set", id, output)


def is_available(row: SetEntry, data: Path | None) -> bool:
    """Whether the files of a set, or the sources that it is built from, are in the data folder. They are not opened."""
    source = Source(data)
    if row.id.startswith("tempo/"):
        config = "steps" if row.id.endswith("/steps") else "examples"
        return Files.find(source, config, row.id.split("/")[1]) is not None
    return source.find(f"{BUILT}/{row.id}", *([row.folder] if row.folder else [])) is not None


def open_set(
    id: str,
    data: str | os.PathLike[str] | None = None,
    *,
    hub: bool = False,
    fetch: Fetch | None = None,
    switches: Mapping[str, Any] | None = None,
) -> LoadedSet:
    """A set with the files that it was read from, and what came to light while reading. Arguments are those of `load`.

    >>> open_set("scifact", hub=True)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the set 'scifact' is not loaded from the hub; accepted with hub: tempo/DOMAIN and
    tempo/DOMAIN/steps
    """
    folder = data_folder(data)
    row = entry(id, folder)
    if (hub or fetch is not None) and not id.startswith("tempo/"):
        accepted = "tempo/DOMAIN and tempo/DOMAIN/steps"
        raise EpochalError(f"the set {id!r} is not loaded from the hub; accepted with hub: {accepted}")
    settings = row.settings(switches or {})
    source = Source(folder, fetch or (tempo_hub() if hub else None))
    return row.load(source, settings)


def load(
    id: str,
    data: str | os.PathLike[str] | None = None,
    *,
    hub: bool = False,
    fetch: Fetch | None = None,
    **switches: Any,
) -> BenchSet:
    """The set of that id, or the BEIR folder of that path.

    `data` is the folder that holds data sets; without it, the one that the variable EPOCHAL_DATA names. With `hub`,
    TEMPO's files come from the Hugging Face hub at pinned revisions, and with `fetch` from wherever that function
    brings them. Switches are those of the set, as `epochal bench info` lists them.

    >>> import tempfile
    >>> load("scifact", tempfile.mkdtemp())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal_lab.datasets.sources.MissingSetError: the set 'scifact' is not in ... (looked for scifact); get
    scifact.zip of BEIR ...
    """
    return open_set(id, data, hub=hub, fetch=fetch, switches=switches).bench_set


def _make_folder_entry(id: str | None, path: Path, folder: str) -> SetEntry:
    manifest = read_folder_manifest(path)
    card = SetCard(path.resolve().name) if manifest is None else manifest.card
    name = str(path) if id is None else id
    return SetEntry(name, card, lambda source, switches: load_folder(path, id), folder=folder)


def _list_tempo_sets() -> list[SetEntry]:
    sets = []
    for domain in DOMAINS:
        whole, parts = tempo_card(domain), tempo_card(domain, steps=True)
        load_whole = partial(load_tempo, domain, whole)
        load_parts = partial(load_tempo_steps, domain, parts)
        sizes = TEMPO_SIZES[domain]
        sets.append(SetEntry(f"tempo/{domain}", whole, load_whole, TEMPO_SWITCHES, sizes, "tempo"))
        sets.append(SetEntry(f"tempo/{domain}/steps", parts, load_parts, STEP_SWITCHES, None, "tempo"))
    return sets


def _list_built_sets() -> list[SetEntry]:
    known = builder_names()
    sets = []
    for id, name, folder, fixed in _BUILT:
        rest = tuple(item for item in builder(name).switches if item.name not in fixed) if name in known else ()
        card = CARDS[id if id in CARDS else id.partition("/")[0]]
        sets.append(SetEntry(id, card, _make_loader(id, name, folder, fixed, rest), rest, None, folder))
    return sets


def _make_loader(
    id: str, name: str, folder: str, fixed: Mapping[str, Any], switches: tuple[Switch, ...]
) -> Callable[[Source, Mapping[str, Any]], LoadedSet]:
    usual = {switch.name: switch.default for switch in switches}

    def make(source: Source, settings: Mapping[str, Any]) -> LoadedSet:
        changed = {key: value for key, value in settings.items() if value != usual[key]}
        return load_built(id, name, folder, fixed, source, changed)

    return make


def _list_published_sets() -> list[SetEntry]:
    beir = "get scifact.zip of BEIR and unpack it there"
    tnp = "get the test files of TS-Retriever in BEIR's form and put them there"
    return [
        _make_published_entry("tnp", "tnp", "tnp", tnp, (989, 3_244)),
        _make_published_entry("timeqa/human_train", "timeqa", "timeqa/human_train_beir", _TIMEQA, (15_491, 982)),
        SetEntry(
            "chronoqa",
            CARDS["chronoqa"],
            partial(load_chronoqa, CARDS["chronoqa"]),
            CHRONOQA_SWITCHES,
            (3_470, 2_636),
            "chronoqa",
            _COPIES["chronoqa"],
        ),
        _make_published_entry("scifact", "scifact", "scifact", beir, (5_183, 300)),
    ]


def _make_published_entry(id: str, card: str, folder: str, remedy: str, sizes: tuple[int, int]) -> SetEntry:
    def read(source: Source, switches: Mapping[str, Any]) -> LoadedSet:
        return load_published(id, folder, CARDS[card], remedy, source)

    return SetEntry(id, CARDS[card], read, (), sizes, folder, _COPIES[id])
