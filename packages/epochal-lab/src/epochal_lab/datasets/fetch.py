"""Download the public sets that the studies measure on: addresses, licences, checksums, and what to do by hand.

Every set is a folder below the data folder. The checksums are those of the files that the published results were
measured on. Addresses of GitHub name a commit, and their files were compared with the measured ones.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import shutil
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast
from urllib.error import HTTPError

from epochal.errors import EpochalError, UnknownNameError
from epochal.files import write_atomically

_TIMEOUT_S: Final = 60
_CHUNK_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class PublicFile:
    """A file of a set, or a folder of files where the name ends with `/`.

    `sha256` is the checksum of the measured content: of a `.gz` file unpacked, of a folder that of the lines
    `SHA256  NAME` of its files by name. `url` is a direct address, `download_sha256` the checksum of what it gives
    where that is not the measured content, and `convert` turns one into the other: `rows` (JSON Lines), `list` (a JSON
    list), `csv`, `zip:MEMBER`, `tar:FOLDER,FOLDER`. `note` says how the publisher's copy differs from the measured
    one. Without `url`, `by_hand` says where the file comes from.
    """

    name: str
    sha256: str
    url: str = ""
    download_sha256: str = ""
    convert: str = ""
    note: str = ""
    by_hand: str = ""


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A folder below the data folder, with its origin and licence."""

    name: str
    title: str
    source: str
    licence: str
    files: tuple[PublicFile, ...]


@dataclass(frozen=True, slots=True)
class FetchResult:
    """What became of a file. `state` is `as measured`, `as published`, `fetched`, `to fetch`, `by hand` or `failed`.

    `message` says what to do where `ok` is false, and what to know otherwise.
    """

    name: str
    state: str
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether the file can be used, or could be fetched."""
        return self.state not in ("by hand", "failed")


def find_public_set(name: str, sets: Mapping[str, PublicSet] | None = None) -> PublicSet:
    """The set of that name. An id of `epochal bench list` gives the set that it is read or built from.

    >>> find_public_set("re2bench/rel").name
    'timeqa'
    """
    accepted = PUBLIC_SETS if sets is None else sets
    if name in accepted:
        return accepted[name]
    first = name.partition("/")[0]
    if first == "tempo":
        raise EpochalError("TEMPO is read from the Hugging Face hub: epochal bench run tempo/DOMAIN --hub ...")
    folder = _FOLDERS.get(name, _FOLDERS.get(first, first))
    if folder not in accepted:
        raise UnknownNameError("public set", name, accepted)
    return accepted[folder]


def fetch_set(public_set: PublicSet, data: Path, *, dry_run: bool = False) -> Iterator[FetchResult]:
    """Verify the files of a set that are in the data folder, and download the others, one after the other."""
    for file in public_set.files:
        path = data / public_set.name / file.name
        if path.exists():
            yield _verify(file, path)
        elif not file.url:
            yield FetchResult(file.name, "by hand", f"{file.by_hand}; save it as {path}")
        elif dry_run:
            yield FetchResult(file.name, "to fetch", file.url)
        else:
            try:
                yield _download(file, path, data)
            except (OSError, HTTPException) as error:
                yield FetchResult(file.name, "failed", _explain_failure(file, path, error))


def hash_content(path: Path) -> str:
    """The checksum of a file or a folder, as `PublicFile.sha256` has it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "rain.txt.gz")
    >>> with gzip.open(path, "wb") as file:
    ...     _ = file.write(b"rain")
    >>> hash_content(path) == hashlib.sha256(b"rain").hexdigest()
    True
    """
    if path.is_dir():
        lines = (f"{hash_content(item)}  {item.name}\n" for item in sorted(path.iterdir()) if item.is_file())
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        return _hash(cast("IO[bytes]", file))


def _hash(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()


def _verify(file: PublicFile, path: Path) -> FetchResult:
    try:
        sha256 = hash_content(path)
    except (OSError, EOFError) as error:
        return FetchResult(file.name, "failed", f"{path} cannot be read ({error}); delete it and fetch it again")
    if sha256 == file.sha256:
        return FetchResult(file.name, "as measured")
    if file.note:
        return FetchResult(file.name, "as published", file.note)
    return FetchResult(
        file.name,
        "failed",
        f"{path} is not the file that was measured on (sha256 {sha256}, expected {file.sha256}); delete it and fetch "
        "it again",
    )


def _download(file: PublicFile, path: Path, data: Path) -> FetchResult:
    """Download to a temporary file, check it, convert it, check the result, and only then put it in its place."""
    data.mkdir(parents=True, exist_ok=True)
    expected = file.download_sha256 or ("" if file.convert else file.sha256)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=data) as folder:
        raw, target = Path(folder, "download"), Path(folder, path.name)
        request = urllib.request.Request(file.url, headers={"User-Agent": "epochal-bench-fetch"})
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response, raw.open("wb") as out:
            shutil.copyfileobj(response, out)
        with raw.open("rb") as download:
            sha256 = _hash(download)
        if expected and sha256 != expected:
            problem = f"{file.url} gave another file than the one that was measured on (sha256 {sha256}, expected"
            return FetchResult(file.name, "failed", f"{problem} {expected}); nothing was written")
        try:
            _convert(file, raw, target)
        except (KeyError, ValueError, csv.Error, tarfile.TarError, zipfile.BadZipFile) as error:
            return FetchResult(file.name, "failed", f"{file.url} has another form than expected ({error})")
        result = _verify(file, target)
        if not result.ok:
            problem = f"{file.url} gave other contents than those that were measured on; nothing was written"
            return FetchResult(file.name, "failed", problem)
        path.parent.mkdir(parents=True, exist_ok=True)
        target.rename(path)
    return FetchResult(file.name, "fetched", result.message)


def _convert(file: PublicFile, raw: Path, target: Path) -> None:
    kind, _, inside = file.convert.partition(":")
    if kind == "tar":
        _unpack_folders(raw, tuple(inside.split(",")), target)
    elif kind == "zip":
        with zipfile.ZipFile(raw) as archive, archive.open(inside) as member:
            _write(target, member)
    elif kind == "rows":
        _write_rows(target, (json.loads(line) for line in raw.read_text(encoding="utf-8").splitlines()))
    elif kind == "list":
        _write_rows(target, json.loads(raw.read_text(encoding="utf-8")))
    elif kind == "csv":
        with raw.open(encoding="utf-8-sig", newline="") as table:
            _write_rows(target, csv.DictReader(table))
    else:
        with raw.open("rb") as download:
            _write(target, download)


def _write(target: Path, source: IO[bytes]) -> None:
    with write_atomically(target) as out:
        if target.suffix == ".gz":  # without name and time, so that equal contents give equal bytes
            with gzip.GzipFile("", "wb", fileobj=out, mtime=0) as packed:
                shutil.copyfileobj(source, packed)
        else:
            shutil.copyfileobj(source, out)


def _write_rows(target: Path, rows: Iterator[object] | csv.DictReader[str]) -> None:
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    _write(target, io.BytesIO(text.encode()))


def _unpack_folders(raw: Path, folders: tuple[str, ...], target: Path) -> None:
    """The TimeML files that lie directly in these folders of an archive; its top folder is not part of their names."""
    target.mkdir()
    with tarfile.open(raw) as archive:
        for member in archive:
            path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if member.isfile() and str(path.parent) in folders and path.suffix == ".tml" and path.name[0] != ".":
                content = archive.extractfile(member)
                assert content is not None  # a plain file has contents
                (target / path.name).write_bytes(content.read())


def _explain_failure(file: PublicFile, path: Path, error: Exception) -> str:
    # Of `URLError` the reason says more, of its child `HTTPError` the whole ("HTTP Error 404: Not Found") does.
    why = error if isinstance(error, HTTPError) else getattr(error, "reason", "") or error or type(error).__name__
    if file.convert or path.suffix == ".gz":
        remedy = f"run the same command where there is a network, and copy {path} from there"
    else:
        remedy = f"download it elsewhere and save it as {path}"
    return f"{file.url} could not be downloaded ({why}); {remedy}"


def _make_github_url(repository: str, commit: str, path: str) -> str:
    return f"https://raw.githubusercontent.com/{repository}/{commit}/{path}"


def _make_archive_url(repository: str, commit: str) -> str:
    return f"https://github.com/{repository}/archive/{commit}.tar.gz"


_TSM: Final = ("seungyoonee/TSM", "5006065d28f1d94595c14bf2f30a53794b5ac262")
_TS_RETRIEVER: Final = ("crisi7/TS-Retriever", "ea3fcb4dcf87fe2bdf731b208ed57ca4ab89da44")
_TIMEQA: Final = ("wenhuchen/Time-Sensitive-QA", "38b05989070c1168b2bef3d5a2656afeeba763dc")
_CHUNQIUTR: Final = ("xbdxwyh/ChunQiuTR", "c0d3e5aa039ce24516eaa33ceedea2c54711fcec")
_SYNTIME: Final = ("xszhong/syntime", "1aef302b7d0682f2cd5f834b79ce267edfeb3cfa")
_TEMPEVAL: Final = ("jspotter/TempEval-3", "7687471af8c0c81ee7f54edb618c6cd15c0f5dcc")
_CHRONOQA: Final = ("czy1999/ChronoQA", "66685364eb12df01b9462fed20d41adc8c281036")
_RECENCYQA: Final = ("DataScienceUIBK/RecencyQA", "2d460b552182509fc5592e24f2b1d6edc9cee683")
_SCIFACT: Final = {
    "url": "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/scifact.zip",
    "download_sha256": "536e14446a0ba56ed1398ab1055f39fe852686ecad24a6306c80c490fa8e0165",
    "note": "BEIR's own copy; the measured one has the same documents and the 300 queries of its test part, written "
    "differently",
}
_TNP_PART: Final = "the whole set of 3,244 queries; 1,671 of them were measured on"
_BUILD_TIMEQA: Final = (
    "build it from human_annotated_train.json (epochal bench build timeqa --from DATA/timeqa -o FOLDER) and copy it "
    "from there"
)
_PILOT: Final = "copy it from the pilot data of RETECO, an excerpt of huggingface.co/datasets/tempo26/Tempo"

_SETS: Final = (
    PublicSet(
        "tnp",
        "Temporal Nobel Prize",
        "github.com/seungyoonee/TSM and github.com/crisi7/TS-Retriever",
        "none stated",
        (
            PublicFile(
                "corpus.jsonl",
                "94edb45c5dce7f6b393bd8853f2df044863eec4534f1af3c09dc31869764e4a0",
                _make_github_url(*_TSM, "dataset/test/nobel_prize/corpus.jsonl"),
                "773fcfb8a17f9ca280bdc6632cee600ed06c58fd736dab7383f1485dcbea1a24",
                "rows",
            ),
            PublicFile(
                "queries.jsonl",
                "cba226eec9db20231cf80d8a2654daf0f24297c2e01b176a4ea0e89429ca434b",
                _make_github_url(*_TSM, "dataset/test/nobel_prize/queries.jsonl"),
                "8ef03d3795ee43af90a46453acee112f449e2e26f373fdbfd49aeb1e642f9dc5",
                note=_TNP_PART,
            ),
            PublicFile(
                "qrels/test.tsv",
                "87fd42abfe4988a79af461f54edfdd28ee971c3aef835de6b6faa0eac12ffe17",
                _make_github_url(*_TSM, "dataset/test/nobel_prize/qrels/test.tsv"),
                "ba1e129e99562102e9aa42eaeb38d88fed821a21a490a25f4c0841cbc4a8f060",
                note=_TNP_PART,
            ),
            PublicFile(
                "dev_triples.jsonl",
                "9ca6df38dacd0a12ec4fe8557170c49c2f270f358fca4dc867607638415fa79d",
                _make_github_url(*_TS_RETRIEVER, "train/dataset/sft/contriever_finetune_eval_v3.jsonl"),
            ),
        ),
    ),
    PublicSet(
        "timeqa",
        "TimeQA, human-written questions, and rows by time specifier",
        "github.com/wenhuchen/Time-Sensitive-QA; rows by time specifier from github.com/seungyoonee/TSM",
        "BSD-3-Clause",
        (
            PublicFile(
                "LICENSE",
                "ba5d7b48847d18655a1a552dc6ec6b44bd7f5782b1a775e293f65250f3dd7440",
                _make_github_url(*_TIMEQA, "LICENSE"),
            ),
            PublicFile(
                "human_annotated_train.json",
                "99eec0514569ecbdea087ae3751a1e7d5ae0e45fcf82f9b4e9226f30967939b5",
                _make_github_url(*_TIMEQA, "dataset/human_annotated_train.json"),
            ),
            PublicFile(
                "relations.json",
                "37471b7ef67e7606b4867a0c89f0f1e12acd29e9d5c6984008b76e2e6ee5bd17",
                _make_github_url(*_TIMEQA, "relations.json"),
            ),
            *(
                PublicFile(
                    f"shards/{name}.jsonl.gz",
                    sha256,
                    _make_github_url(*_TSM, f"dataset/train/TimeQA/{name}.jsonl"),
                    sha256,
                )
                for name, sha256 in (
                    ("dev_after", "f0ae794310c86ab2983cadf19ba192a82b67afab12741108d05b145dbd71529f"),
                    ("dev_before", "f5d5b849be97ab8b4c2931fb78cb7063defbe24cf1e28ae05a02a83434efbefc"),
                    ("dev_in_early", "b3cfb8a7a7e0321d43d4487c735c25ae660b47e5250adee36e3ff5fbd3f85067"),
                    ("dev_in_late", "c2e3f474f025552cab2e26ed67934cd11937bd0608e3120efe67ce9ea416c48f"),
                )
            ),
            *(
                PublicFile(
                    f"human_train_beir/{name}",
                    sha256,
                    by_hand=_BUILD_TIMEQA,
                    note="built from human_annotated_train.json, with fields that the measured copy has not",
                )
                for name, sha256 in (
                    ("corpus.jsonl.gz", "a37de366d23695ae64ddeb566a4995b88a444657071e42f93cfb7a1b9e0a3233"),
                    ("queries.jsonl", "f0b9d58aec349ad588dc0a3d31013881cbfe5e574c8054485054065c5f2cd191"),
                    ("qrels/test.tsv", "ce5daf5fdddec5102d209d8ec99eecb15909157f750e16bc116e489ecde9e04e"),
                )
            ),
        ),
    ),
    PublicSet(
        "forecasts",
        "Forecasts of the US National Weather Service and of NOAA's NDFD",
        "www.weather.gov/documentation/services-web-api; "
        "www.ncei.noaa.gov/products/weather-climate-models/national-digital-forecast-database",
        "US public domain",
        (
            PublicFile(
                "nws_2021.jsonl.gz",
                "a355f23d55fb3f804f23c7b095d91f8610e82a8025c98ed3d9d23e50ce14b755",
                by_hand="no publisher keeps past forecast texts at one address; rows are answers of the weather "
                "service's API of 2021 with city, fetched_at, start, end, name, temperature, shortForecast and "
                "detailedForecast",
            ),
            PublicFile(
                "ndfd_2014.jsonl.gz",
                "b0edb94f79ae26dfe23187fc795c6fbe2420011e8145920e1194ae2eb136c95e",
                by_hand="order the archived values of 2014 from NOAA's National Digital Forecast Database and write "
                "them as JSON Lines with their time of issue",
            ),
        ),
    ),
    PublicSet(
        "terms",
        "Versions of terms of service",
        "github.com/OpenTermsArchive/contrib-versions",
        "ODC-By 1.0",
        (
            PublicFile(
                "versions.jsonl.gz",
                "1c8a8e1a043ff07ee0f78406c803f6fb0645aa214872b0a681c78edbef80fb9f",
                by_hand="clone github.com/OpenTermsArchive/contrib-versions and write versions of its files as JSON "
                "Lines with doc, service, type, version, of, date, commit and text",
            ),
        ),
    ),
    PublicSet(
        "current_events",
        "News items of Wikipedia's Portal:Current events, 2002 to 2026",
        "en.wikipedia.org/wiki/Portal:Current_events",
        "CC BY-SA 4.0",
        (
            PublicFile(
                "events.jsonl.gz",
                "f3eabee87e77bfd25c7f1f9f6e4813886213ec910cf536942b21102d50738f9d",
                by_hand="take the items of en.wikipedia.org/wiki/Portal:Current_events by day and write them as JSON "
                "Lines with date, category and text",
            ),
        ),
    ),
    PublicSet(
        "chunqiu",
        "The Spring and Autumn Annals, their commentaries, and the Annals of Qi",
        "github.com/xbdxwyh/ChunQiuTR, github.com/kanripo, github.com/NiuTrans/Classical-Modern",
        "public-domain works; the licences of the transcriptions differ",
        (
            PublicFile(
                "time_splits_by_month_v1.json",
                "f1bd8ba7aa5a988cf12a853d2e2bd7bfa3d52b592207da7567fee091ba00eed3",
                _make_github_url(*_CHUNQIUTR, "dataset/time_splits_by_month_v1.json"),
            ),
            PublicFile(
                "zztj_qiji.jsonl",
                "5b6d96729cde195dafa2c2c1e136ad83268cf5bd27013a91b688e6275823fb33",
                _make_github_url(*_CHUNQIUTR, "dataset/zztj-qiji-part-demo.jsonl"),
            ),
            PublicFile(
                "entries.jsonl",
                "74be8ffd683debd3b7a2b47cc75b8b494999188848d4af63f20b0e5a1adabe44",
                by_hand="parse the annals and the three commentaries into entries with src, id, gong, year, kind, "
                "text, month, month_basis, key and split, as docs/evaluate/chunqiutr.md describes",
            ),
            PublicFile(
                "kanripo_layers.tar.xz",
                "f9453af30c5290b4594db6552adeb4691dfd0e6db270a043e45b6dfd04ae0009",
                by_hand="pack the folders KR1e... (commentaries on the annals) of the Kanseki Repository, "
                "github.com/kanripo, as one archive",
                note="packed from other revisions than the measured copy",
            ),
            PublicFile(
                "niutrans_guwen.tar.xz",
                "77c9e97d7c563ff0c8d410bbc71010ba0e5ff94393e1f5f4accfb25704b943ac",
                by_hand="pack the books of the three commentaries from github.com/NiuTrans/Classical-Modern as one "
                "archive",
                note="packed from other revisions than the measured copy",
            ),
        ),
    ),
    PublicSet(
        "timex",
        "TimeML gold: TimeBank and AQUAINT, WikiWars, tweets",
        "github.com/jspotter/TempEval-3 (a copy of TempEval-3's TBAQ-cleaned), github.com/xszhong/syntime",
        "research corpora: evaluation only",
        (
            PublicFile(
                "tbaq/",
                "2861becb34e856c9be1eaa3d68bc5cadd3848add1f9b36f9613e4d2f0a6deaaf",
                _make_archive_url(*_TEMPEVAL),
                convert="tar:data/TBAQ-cleaned/AQUAINT,data/TBAQ-cleaned/TimeBank",
            ),
            PublicFile(
                "wikiwars-train/",
                "3f92da7e5b423a35e9dd43d442cd67fff4eaa5d79eb3be5cb8406e1d139ea588",
                _make_archive_url(*_SYNTIME),
                convert="tar:syntime/resources/wikiwars/trainingset/tml",
            ),
            PublicFile(
                "tweets-train/",
                "9af4e97a973506bc0ab6f1ff67c6f07a038f9aae0d7551ba9822d2ff62e6563c",
                _make_archive_url(*_SYNTIME),
                convert="tar:syntime/resources/tweets/trainingset/tml",
            ),
        ),
    ),
    PublicSet(
        "tqic",
        "NTCIR Temporalia: query intent",
        "github.com/filannim/Temporalia-TQIC",
        "Apache-2.0",
        (
            PublicFile(
                "queries.jsonl",
                "830afb0406b6ab5c2912790c52985a4f925be70e04a96cf765d220bf39ee9885",
                by_hand="take query and class of reproduce/full_data_gold.csv in github.com/filannim/Temporalia-TQIC "
                "and write them as JSON Lines with query and class; 176 of them were measured on",
                note="other queries than the 176 that were measured on",
            ),
        ),
    ),
    PublicSet(
        "recencyqa",
        "RecencyQA: how fast an answer goes stale",
        "github.com/DataScienceUIBK/RecencyQA",
        "MIT",
        (
            PublicFile(
                "questions.jsonl.gz",
                "5269b68564308861d17602b97cf7b483a9801d25ab508541160a36a9a9603e56",
                _make_github_url(*_RECENCYQA, "Dataset/RecencyQA.json"),
                "a01793d7dec23b549465781afbca5c9a793d6e465329571235df5221e4eb3721",
                "list",
                note="the whole set of 4,031 questions; 2,975 of them were measured on",
            ),
        ),
    ),
    PublicSet(
        "chronoqa",
        "ChronoQA: Chinese questions with dated chunks",
        "github.com/czy1999/ChronoQA",
        "CC BY 4.0",
        (
            PublicFile(
                "questions.jsonl.gz",
                "810d4a4b66d20236bcf7e9d8adf8ba0e8897bd165553621c3efaa596cacf91bf",
                _make_github_url(*_CHRONOQA, "chronoqa.csv"),
                "981b5bc6fca4c7f03cb62fa36df7d11f78310d798fba18cacd73e40ffdf8d1f9",
                "csv",
                note="the whole set of 5,176 questions; 2,636 of them were measured on",
            ),
        ),
    ),
    PublicSet(
        "scifact",
        "SciFact of BEIR",
        "public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/scifact.zip",
        "CC BY 4.0 (claims), ODC-By 1.0 (abstracts)",
        (
            PublicFile(
                "corpus.jsonl.gz",
                "459affab2e1b825d1d70b43edafb647f018f89ba6aac1f647e2c3ea8957700ff",
                convert="zip:scifact/corpus.jsonl",
                **_SCIFACT,
            ),
            PublicFile(
                "queries.jsonl",
                "fcae2ad6f9ea33f15857f87e24086dd33e5a9523b79feb7a19dd545660be9212",
                convert="zip:scifact/queries.jsonl",
                **_SCIFACT,
            ),
            PublicFile(
                "qrels/test.tsv",
                "68c0ac63f1c24b9e8ce497649694f09b2d0850bab7ec2b103cc66996f5f8b3a3",
                convert="zip:scifact/qrels/test.tsv",
                **_SCIFACT,
            ),
        ),
    ),
    PublicSet(
        "tempo_sample",
        "TEMPO's files in the published layout: 5 questions, 26 documents",
        "huggingface.co/datasets/tempo26/Tempo (pilot data of RETECO)",
        "CC BY 4.0; texts from Stack Exchange (CC BY-SA)",
        tuple(
            PublicFile(name, sha256, by_hand=_PILOT)
            for name, sha256 in (
                ("benchmark.jsonl", "e5cbcf92a9ee826009ef2035e56a3d5899290bf40309d72d190055aa9778168a"),
                ("documents.jsonl", "2e27f09da6126cd6c2a2dc99760f1c41df35d13afb17e3ea5126d17832e2de19"),
                ("examples.jsonl", "f4030e4a3d9f692427c60d109ff07421531ba211a7e239a37308b4621d3b4769"),
                ("qrels.txt", "c0810b56fc2a6fa72a7ecedcc53ffc2887e2081469060956699cac8994300750"),
                ("steps.jsonl", "b774a91daf706a7bea1807da62cc003277a0325583f3bb5b4d955e2d24479b01"),
            )
        ),
    ),
)
#: The public sets by name.
PUBLIC_SETS: Final[Mapping[str, PublicSet]] = {item.name: item for item in _SETS}
#: Ids of `epochal bench list` (or how they begin) by the public set that they are read or built from.
_FOLDERS: Final = {
    "chunqiutr": "chunqiu",
    "zztj": "chunqiu",
    "re2bench/rel": "timeqa",
    "re2bench/rec": "terms",
    "re2bench/hyb": "forecasts",
}
