"""The cards of the sets (source, licence, known problems), and facts of a loaded set: sizes, copies, checksums."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from epochal.storage.records import Document
from epochal_lab.datasets.folder import file_digest
from epochal_lab.datasets.records import SetCard
from epochal_lab.datasets.sources import LoadedSet

#: By domain, the documents and questions that TEMPO's paper states.
TEMPO_SIZES: Final = MappingProxyType(
    {
        "bitcoin": (153_291, 100),
        "cardano": (87_201, 51),
        "economics": (93_756, 83),
        "genealogy": (156_228, 115),
        "history": (356_493, 801),
        "hsm": (213_818, 150),
        "iota": (10_372, 10),
        "law": (43_288, 35),
        "monero": (85_093, 65),
        "politics": (183_394, 150),
        "quant": (28_785, 34),
        "travel": (177_677, 100),
        "workplace": (64_659, 36),
    }
)

_TEMPO_NOTES: Final = (
    "The published code takes each question's mined hard negatives out of its own ranking (mode excl), so that they "
    "are hard for nobody; BM25 without that reaches about .09 instead of .108. Report both modes.",
    "About 29 in 100 documents of all domains repeat another byte for byte. A copy of a gold document that is not gold "
    "itself costs nDCG.",
    "Published averages differ in kind: nDCG is a mean over the 13 domains, the judged measures are means over all "
    "questions, and the code for steps pools steps where the paper averages them within questions first.",
    "Questions and annotations are partly by language models: about 5 in 100 questions are marked as not temporal, and "
    "about 3 in 100 have no proper class (they count as other).",
    "Only gold passages are annotated. The annotations reach the documents only with passages=true, since a system "
    "that sees them knows what is gold; which gold passage covers which period is judged from them in any case.",
)


def tempo_card(domain: str, *, steps: bool = False) -> SetCard:
    """The card of a domain of TEMPO, or of its steps."""
    own = (
        (
            "Steps without a gold document are left out, and so are questions all of whose steps are: 3,976 steps of "
            "1,605 questions stay in all domains, of about 5,669 and 1,730.",
        )
        if steps
        else ()
    )
    return SetCard(
        f"TEMPO, {domain}{', steps' if steps else ''}",
        "One question a step of a retrieval plan, against the domain's corpus."
        if steps
        else "Questions of Stack Exchange that need evidence from one or several periods, against the domain's corpus.",
        "huggingface.co/datasets/tempo26/Tempo; arXiv:2601.09523",
        "CC BY 4.0; texts from Stack Exchange (CC BY-SA) and the web",
        "en",
        own + _TEMPO_NOTES,
    )


CARDS: Final = MappingProxyType(
    {
        "chunqiutr": SetCard(
            "ChunQiuTR, rebuilt",
            "Months of the Spring and Autumn Annals by reign, year and month: records, placeholders for months without "
            "any, and later commentaries as near misses.",
            "the annals and their commentaries, with the month splits of ChunQiuTR",
            "public-domain works; the licences of the transcriptions differ",
            "lzh",
            (
                "Rebuilt: the record and query files of the paper are not published, and the wording of the questions "
                "is our own.",
                "Placeholders for months without events carry the month in their text, and nearly all of the published "
                "headline figure is earned on them. Read the event-only rows.",
                "R@K of the paper is a hit rate over about seven gold records a question; recall proper is reported "
                "beside it.",
            ),
        ),
        "zztj": SetCard(
            "Zizhi Tongjian, Annals of Qi",
            "One question a month; records with a date tag, without, or dated only where the book says so.",
            "Zizhi Tongjian, Qi Ji, as the probe of ChunQiuTR uses it",
            "public-domain work; the licences of the transcriptions differ",
            "lzh",
            (
                "With tags every record repeats its month in the words of the question: BM25 then reaches MRR .9. "
                "Without tags, or in sequence, is the harder task.",
            ),
        ),
        "tnp": SetCard(
            "Temporal Nobel Prize",
            "Who won which Nobel prize in, before, after, or between years; pages of the laureates.",
            "the test set of TS-Retriever and TMRL",
            "none stated",
            "en",
            (
                "Solvable by rule: the prize and the years of a question name its gold documents exactly. It tests "
                "whether numbers are compared, not whether time is understood.",
                "The pinned copy has 1,671 of the 3,244 questions, and the whole corpus.",
            ),
        ),
        "timeqa": SetCard(
            "TimeQA, human-written questions",
            "Questions about facts of a page in a range of years, against the paragraphs of all pages.",
            "github.com/wenhuchen/Time-Sensitive-QA",
            "BSD-3-Clause",
            "en",
            (
                "Which paragraph is gold follows from where the answer's words stand, so that other paragraphs that "
                "state the same fact do not count.",
            ),
        ),
        "re2bench/rel": SetCard(
            "Re2Bench Rel, rebuilt",
            "Facts with a period of validity asked for at one point in time, beside confusers near in time.",
            "built from TimeQA's human-written questions as Re3 describes",
            "BSD-3-Clause",
            "en",
            ("Rebuilt: the files of the paper are not published, and its count of questions cannot be reached.",),
        ),
        "re2bench/rec": SetCard(
            "Re2Bench Rec, rebuilt",
            "Versions of one document, of which the freshest at the time of asking is gold.",
            "built from Open Terms Archive, or from HoH's layout, as Re3 describes",
            "ODC-By 1.0",
            "en",
            ("Rebuilt from other documents than the paper's. Chains that return to an older text are left out.",),
        ),
        "re2bench/hyb": SetCard(
            "Re2Bench Hyb, rebuilt",
            "Forecasts for a day and a city, of which the last issued before the time of asking is gold.",
            "built from forecasts of the US National Weather Service as Re3 describes",
            "US public domain",
            "en",
            ("Rebuilt from other forecasts than the paper's; the time of fetching is taken for that of issue.",),
        ),
        "chronoqa": SetCard(
            "ChronoQA",
            "Chinese questions about time with the day on which they are asked; the chunks that answer them.",
            "ChronoQA, Chinese news of 2019 to 2024",
            "CC BY 4.0",
            "zh",
            (
                "The corpus is the gold chunks of all questions alone, without distractors: figures are higher than "
                "against all news.",
                "Most chunks begin with their date in words. Periods, and which chunk is of which, are read by rule "
                "and are no annotation of the set.",
            ),
        ),
        "scifact": SetCard(
            "SciFact",
            "Scientific claims against abstracts: no time in it. Guards general retrieval.",
            "BEIR; Wadden et al. 2020",
            "CC BY 4.0 (claims), ODC-By 1.0 (abstracts)",
            "en",
            ("Time plays no part: a temporal system should lose nothing here.",),
        ),
    }
)


#: The middle of a TEMPO id is the start of the MD5 of the document's text.
_HASHED_ID = re.compile(r"[a-z]+/(?P<digest>[0-9a-f]{8})_\d+\.txt")


@dataclass(frozen=True, slots=True)
class FileFact:
    """A file, its sha256, and what that should be where it is known."""

    name: str
    sha256: str
    pinned: str = ""

    @property
    def state(self) -> str:
        """How the file compares: `as pinned`, `differs`, or `not pinned`."""
        return "not pinned" if not self.pinned else "as pinned" if self.sha256 == self.pinned else "differs"


@dataclass(frozen=True, slots=True)
class Copies:
    """Texts that occur more than once.

    `documents` counts those whose text another before them has. `gold` has, for each gold document with copies, the
    question, the document, and the copies that are not gold for that question: finding one of those earns nothing.
    """

    of: int
    documents: int
    gold: tuple[tuple[str, str, tuple[str, ...]], ...] = ()

    @property
    def share(self) -> float:
        """Copies among all documents."""
        return self.documents / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class SetFacts:
    """What a set holds. `judged` counts judgements above 0, `unreachable` gold documents that the corpus lacks."""

    id: str
    documents: int
    questions: int
    judged: int
    splits: Mapping[str, int] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    dated_documents: int = 0
    with_now: int = 0
    with_periods: int = 0
    with_period_labels: int = 0
    with_exclusions: int = 0
    unjudged: int = 0
    unreachable: int = 0
    damaged: int = 0
    copies: Copies = field(default_factory=lambda: Copies(0, 0))
    files: tuple[FileFact, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; docs/reference/json.md explains the keys."""
        plain = ("id", "documents", "questions", "judged", "splits", "kinds", "dated_documents", "with_now")
        rest = ("with_periods", "with_period_labels", "with_exclusions", "unjudged", "unreachable", "damaged")
        record = {name: getattr(self, name) for name in (*plain, *rest)}
        record |= {"splits": dict(self.splits), "kinds": dict(self.kinds)}
        gold = [{"question": query, "document": id, "copies": list(twins)} for query, id, twins in self.copies.gold]
        record["copies"] = {"documents": self.copies.documents, "share": self.copies.share, "gold": gold}
        record["files"] = [
            {"name": file.name, "sha256": file.sha256, "pinned": file.pinned, "state": file.state}
            for file in self.files
        ]
        return {**record, "facts": dict(self.facts)}


def describe(loaded: LoadedSet, pinned: Mapping[str, str] | None = None) -> SetFacts:
    """What a set holds; its documents are gone through once, its files a second time for their sha256.

    >>> documents = (Document("d1", "Rain."), Document("d2", "Rain."))
    >>> from epochal_lab.datasets.records import BenchQuery, BenchSet
    >>> bench_set = BenchSet("own", documents, (BenchQuery("q1", "Rain?"),), {"q1": {"d1": 1, "d9": 1}})
    >>> description = describe(LoadedSet(bench_set))
    >>> description.unreachable, description.copies.documents, description.copies.gold
    (1, 1, (('q1', 'd1', ('d2',)),))
    """
    bench_set = loaded.bench_set
    index = _TextIndex(bench_set.documents)
    gold = {query: [id for id, score in judged.items() if score > 0] for query, judged in bench_set.qrels.items()}
    return SetFacts(
        bench_set.id,
        index.documents,
        len(bench_set.queries),
        sum(map(len, gold.values())),
        Counter(query.split for query in bench_set.queries),
        Counter(query.kind for query in bench_set.queries if query.kind),
        index.dated,
        sum(query.now is not None for query in bench_set.queries),
        sum(bool(query.periods) for query in bench_set.queries),
        len(bench_set.period_qrels),
        sum(bool(query.excluded) for query in bench_set.queries),
        sum(not gold.get(query.id) for query in bench_set.queries),
        len({id for ids in gold.values() for id in ids} - index.by_id.keys()),
        index.damaged,
        index.find_copies(gold),
        tuple(_make_file_fact(path, loaded.files, pinned or {}) for path in loaded.files),
        dict(loaded.facts),
    )


def find_copies(documents: Iterable[Document], gold: Mapping[str, Iterable[str]]) -> Copies:
    """The texts that repeat, and the copies of gold documents that are not gold, by question."""
    return _TextIndex(documents).find_copies(gold)


class _TextIndex:
    """One pass over documents: by the digest of their texts, whose they are."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents = self.dated = self.damaged = 0
        self.by_text: dict[bytes, list[str]] = {}
        self.by_id: dict[str, bytes] = {}
        for document in documents:
            text = document.text.encode()
            key = hashlib.blake2b(document.title.encode() + b"\0" + text, digest_size=16).digest()
            self.by_text.setdefault(key, []).append(document.id)
            self.by_id[document.id] = key
            self.documents += 1
            self.dated += document.published is not None or "times" in document.meta
            match = _HASHED_ID.fullmatch(document.id)
            self.damaged += (
                match is not None and hashlib.md5(text, usedforsecurity=False).hexdigest()[:8] != match["digest"]
            )

    def find_copies(self, gold: Mapping[str, Iterable[str]]) -> Copies:
        copies = []
        for query, ids in gold.items():
            own_ids = set(ids)
            for id in ids:
                twins = (
                    [other for other in self.by_text[self.by_id[id]] if other not in own_ids]
                    if id in self.by_id
                    else []
                )
                if twins:
                    copies.append((query, id, tuple(twins)))
        return Copies(self.documents, self.documents - len(self.by_text), tuple(copies))


def _make_file_fact(path: Path, files: tuple[Path, ...], pinned: Mapping[str, str]) -> FileFact:
    """The names of pinned files are those within the folder of the set: the end of the path tells which it is."""
    known = next((sha for name, sha in pinned.items() if path.as_posix().endswith(f"/{name}")), "")
    root = os.path.commonpath([file.resolve().parent for file in files])
    return FileFact(path.resolve().relative_to(root).as_posix(), file_digest(path), known)
