"""What the table across the papers has beside its own measurements: what rows knew, and rows of papers and studies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from _record import RESULTS, ROOT, Row

from epochal_lab.datasets.records import BenchSet
from epochal_lab.datasets.timed.corpora import load_corpus
from epochal_lab.runs.tables import published_rows
from epochal_lab.runs.tasks import Task

TRAINING = ROOT / "packages/epochal/src/epochal/ranking/weights/relevance-training.json"
#: The corpora of `epochal train scorer` by the sets that share their documents or questions.
CORPORA: Mapping[str, str] = {
    "tnp": "tnp",
    "timeqa/human_train": "timeqa",
    "re2bench/rel": "timeqa",
    "re2bench/rec": "terms",
    "re2bench/hyb": "forecasts",
    "chronoqa": "chronoqa",
    "chunqiutr/traditional": "annals",
    "scifact": "scifact",
}
#: Sets that are a corpus as it is, so that questions of the one may be questions of the other.
SAME_QUESTIONS = ("tnp", "timeqa/human_train", "chronoqa", "scifact")
#: The rows of papers that are shown: baselines of words, models as they come, and what the paper proposes.
SHOWN = re.compile(r"BM25.*|.*TMRL|.* zero-shot|CTD-.*|.* CTD|.* FT|Re3|BGE-M3|tempRALM|TempRetriever|TSM")
TRAINED = "trained on this set"
#: The column of the overview by the beginning of a system's name; the first that fits counts.
FAMILIES: Mapping[str, str] = {
    "bm25": "BM25",
    "shortcut-year": "year match",
    "shortcut-newest": "newest first",
    "plain": "hybrid",
    "dense(encoder=epochal-tmrl)": "TMRL",
    "CTD as published, trained here": "CTD",
    "Re3 as published, trained here": "Re3",
    "epochal": "engine",
}


@cache
def list_trained_corpora() -> frozenset[str]:
    """The corpora that the weights which ship were fitted to, by the file beside them."""
    record = json.loads(TRAINING.read_text(encoding="utf-8"))
    return frozenset(row.get("left_out") or row["corpus"] for row in record["corpora"])


def is_trained_on(name: str) -> bool:
    """Whether the weights of the engine were fitted to questions about the documents of a set."""
    return CORPORA.get(name.partition("(")[0]) in list_trained_corpora()


def find_training_questions(name: str, data: Path) -> frozenset[str]:
    """The questions of a set that the weights of the engine may have been fitted to."""
    if name not in SAME_QUESTIONS or not is_trained_on(name):
        return frozenset()
    seed = json.loads(TRAINING.read_text(encoding="utf-8"))["seed"]
    corpus = load_corpus(CORPORA[name], data=data, seed=seed).select("train")
    return frozenset(question.text for question in corpus.questions)


def find_family(system: str) -> str | None:
    """The column of the overview that a row is in; None where it is in none."""
    found = next((family for start, family in FAMILIES.items() if system.startswith(start)), None)
    if found == "engine" and "sequence=" in system:
        return "engine, in sequence, types known" if "only=type" in system else "engine, in sequence"
    return found


def list_information(system: str, set_id: str, bench_set: BenchSet) -> list[str]:
    """What a system of ours used beside the question of a set, which may have switches."""
    used = ["text"]
    name = system.partition("(")[0]
    first = next(iter(bench_set.documents), None)
    if name in ("epochal", "shortcut-newest") and first is not None and first.published is not None:
        used.append("publication date")
    if name == "epochal" and any(query.now is not None for query in bench_set.queries):
        used.append("reference time")
    if "sequence=" in system:
        used.append("order of records")
    if "only=type" in system:
        used.append("record type")
    fitted = name == "epochal" and is_trained_on(set_id)
    # Of the mixtures of adapters the one that ships was chosen on these sets.
    chosen = "encoder=epochal-tmrl" in system and set_id in ("tnp", "timeqa/human_train", "scifact")
    if fitted or chosen:
        used.append(TRAINED)
    return used


def list_published(task: Task) -> Iterator[Row]:
    """The rows that papers print of a set."""
    for item in published_rows(task):
        if ("hit@1" in item.measures or "nDCG@10" in item.measures) and SHOWN.fullmatch(item.system):
            yield {
                "set": task.set, "mode": task.protocol or "–", "system": f"{item.system} ({item.name}, {item.table})",
                "used": ["as published, on their build"], "published": True, **item.measures,
            }  # fmt: skip


# ---------------------------------------------------------------- models that other studies trained


def read_recorded() -> list[Row]:
    """The rows of models of the papers that were trained here, each from the record of its own study."""
    return [*_read_ctd(), *_read_re3(), *_read_tmrl()]


def _read_rows(study: str) -> list[Row]:
    rows: list[Row] = json.loads((RESULTS / f"{study}.json").read_text(encoding="utf-8"))["rows"]
    return rows


def _make_row(name: str, mode: str, system: str, used: list[str], row: Row, study: str) -> Row:
    measures = {key: row[key]["mean"] for key in ("nDCG@10", "hit@1", "R@100", "MRR@10") if key in row}
    questions = row.get("count", row.get("questions"))
    return {"set": name, "mode": mode, "system": f"{system} ({study}.json)", "used": used,
            **({"questions": questions} if isinstance(questions, int) else {}), **measures}  # fmt: skip


def _read_ctd() -> Iterator[Row]:
    names = {
        ("ft", "enc_only"): "the encoder of CTD, fine-tuned alone",
        ("official", "ctx+bias"): "CTD as published, trained here",
        ("improved", "ctx"): "CTD improved, trained here",
    }
    for row in _read_rows("ctd_retrieval"):
        name = names.get((row["model"], row["search"]))
        if name is not None and row["questions"] == "all":
            used = ["text", TRAINED]
            yield _make_row("chunqiutr/traditional", row["mode"], name, used, row, "ctd_retrieval")


def _read_re3() -> Iterator[Row]:
    names = {"Re3 parity": "Re3 as published, trained here", "Re3 improved": "Re3 improved, trained here"}
    for row in _read_rows("re3_retrieval"):
        if row["part"] == "systems" and row["system"] in names:
            dates = [] if row["set"] == "rel" else ["publication date", "reference time"]
            used = ["text", *dates, TRAINED]
            yield _make_row(f"re2bench/{row['set']}", "–", names[row["system"]], used, row, "re3_retrieval")


def _read_tmrl() -> Iterator[Row]:
    names = {"tmrl": "TMRL, trained here", "zero-shot": "the encoder of TMRL as it comes"}
    sets = {"tnp": "tnp", "timeqa": "timeqa/human_train", "scifact": "scifact"}
    for row in _read_rows("tmrl_retrieval"):
        whole = row["dims"] == 384 and row["backbone"] == "gte-small" and row["rows"] == "train"
        if whole and row["model"] in names:
            system = f"{names[row['model']]}, gte-small"
            yield _make_row(sets[row["set"]], "–", system, ["text"], row, "tmrl_retrieval")
