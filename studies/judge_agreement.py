"""Does the judge without a language model agree with labels that follow from gold annotations?

    python studies/judge_agreement.py          measure on the half of each set that was not fitted on
    python studies/judge_agreement.py --fit    fit the calibration on the other halves, and write the weights

Makes the table of judges in docs/results/judges.md. Reads timeqa, tnp and chronoqa from EPOCHAL_DATA. Labels, each a
yes or no for a question's period and a document:

    timeqa, other periods   paragraphs with the answer, against those with the answer for another period of the same
                            relation of the same page, where the two periods overlap by no more than an end
    timeqa, whole page      the same against up to 15 other paragraphs of the page, which nobody has labelled
    tnp                     the laureates of the question, against laureates of the years around, those of the same
                            prize who were born or died within the period, and those of other prizes in the same years
    chronoqa, dated         the gold chunk whose own date lies in the period, against chunks with similar words, and
                            chunks of the same month
    chronoqa, no time named the same for questions that ask when: there is no period, only relevance is judged

Questions are assigned to halves by a checksum of their page, their prize or their first gold chunk. Wrong documents of
tnp and chronoqa are sampled from both halves.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import random
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from _data import find_data
from _material import read_rows
from _record import ROOT, Row, save

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.storage.text import analyse
from epochal.times import Grain, Span
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.judges.evidence import Background, read_temporal_needs
from epochal_lab.judges.spans import (
    Calibration,
    CalibrationSample,
    SpanJudge,
    fit_calibration,
    load_default_calibration,
)
from epochal_lab.metrics.significance import ConfidenceInterval, auroc, bootstrap_statistic, cohen_kappa

WEIGHTS = ROOT / "packages" / "epochal-lab" / "src" / "epochal_lab" / "judges" / "weights" / "spans.json"
SEED = 20261115
_CHUNK_DATE = re.compile(r"((?:19|20)\d\d)年(?:(\d{1,2})月)?(?:(\d{1,2})日)?")
_PRIZE = re.compile(r"The Nobel (.*?)(\d{4})\.")


class Pair(NamedTuple):
    query: BenchQuery
    document: Document
    label: bool
    half: int


def assign_half(text: str) -> int:
    return zlib.crc32(text.encode()) % 2


@cache
def make_query(id: str, text: str, now: Span | None = None) -> BenchQuery:
    """A question with the periods that it names."""
    plain = BenchQuery(id, text, now)
    return BenchQuery(id, text, now, read_temporal_needs(plain).periods)


def read_timeqa(whole_page: bool) -> Iterator[Pair]:
    pages = json.loads(find_data("timeqa/human_annotated_train.json").read_text(encoding="utf-8"))
    rng = random.Random(SEED)
    for page in pages:
        paragraphs, title = page["paras"], page["paras"][0]
        questions = [make_query(f"{page['index']}@{at}", text) for at, (text, _) in enumerate(page["questions"])]
        gold = [{answer["para"] for answer in answers if answer["answer"]} for _, answers in page["questions"]]
        for query, answered in zip(questions, gold, strict=True):
            if not answered or len(query.periods) != 1:
                continue
            if whole_page:
                rest = [at for at, text in enumerate(paragraphs) if len(text.split()) > 3 and at not in answered]
                others = set(rng.sample(rest, min(15, len(rest))))
            else:
                others = {
                    at
                    for other, match in zip(questions, gold, strict=True)
                    for at in match - answered
                    if all(are_disjoint(query.periods[0], span) for span in other.periods)
                }
            for at in sorted(answered | others):
                document = Document(f"{page['link']}@{at}", paragraphs[at], title)
                yield Pair(query, document, at in answered, assign_half(page["link"]))


def are_disjoint(one: Span, other: Span) -> bool:
    """Whether two periods overlap by no more than an end: one ends in the year or month in which the other begins."""
    overlap = min(one.end, other.end) - max(one.start, other.start)
    # A grain is as long as its mean unit: some years and months are longer.
    return overlap <= 1.05 * max(one.coarsest_grain.seconds, other.coarsest_grain.seconds)


def get_years(span: Span) -> tuple[int, int]:
    return int(Span.unit(span.start, Grain.YEAR).edtf()), int(Span.unit(span.end - 1, Grain.YEAR).edtf())


def read_tnp(most: int) -> Iterator[Pair]:
    rng = random.Random(SEED)
    folder = find_data("tnp")
    documents, prizes, lives = {}, {}, {}
    for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        prize = _PRIZE.search(row["text"])
        if prize is None:
            continue
        documents[row["_id"]] = Document(row["_id"], row["text"])
        prizes[row["_id"]] = prize[1].strip(), int(prize[2])
        lives[row["_id"]] = {int(year) for year in re.findall(r"\b\d{4}\b", row["text"][prize.end() :])}
    gold: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        gold[query].add(document)
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rng.sample(rows, len(rows))[:most]:
        query = make_query(row["_id"], row["text"])
        answered = sorted(gold[query.id] & documents.keys())
        if not answered or len(query.periods) != 1:
            continue
        first, last = get_years(query.periods[0])
        category = Counter(prizes[name][0] for name in answered).most_common(1)[0][0]
        rest = [name for name in documents if name not in gold[query.id]]
        groups = (
            [name for name in rest if prizes[name][0] == category and first - 6 <= prizes[name][1] <= last + 6],
            [
                name
                for name in rest
                if prizes[name][0] == category and any(first <= year <= last for year in lives[name])
            ],
            [name for name in rest if prizes[name][0] != category and first <= prizes[name][1] <= last],
        )
        others = {name for group in groups for name in rng.sample(group, min(4, len(group)))}
        for name in sorted({*rng.sample(answered, min(6, len(answered))), *others}):
            yield Pair(query, documents[name], name in gold[query.id], assign_half(category))


def select_chronoqa(dated: bool) -> Iterator[Pair]:
    yield from (pair for pair in read_chronoqa() if bool(pair.query.periods) == dated)


@cache
def read_chronoqa() -> tuple[Pair, ...]:
    """Each question with its gold chunks, and up to six that are not gold."""
    pairs = []
    rows = list(read_rows("chronoqa/questions.jsonl.gz"))
    texts = dict.fromkeys(text for row in rows for text in get_gold_chunks(row))
    names = {text: f"chunk {number}" for number, text in enumerate(texts)}
    words = {text: frozenset(analyse(text)) for text in names}
    holders: dict[str, list[str]] = defaultdict(list)
    months: dict[str, list[str]] = defaultdict(list)
    for text, tokens in words.items():
        for word in tokens:
            holders[word].append(text)
        if (date := read_chunk_date(text)) is not None:
            months[date.edtf()[:7]].append(text)
    rng = random.Random(SEED)
    for row in rows:
        query = make_query(row[""], row["question"], read_question_date(row["question_date"]))
        gold = get_gold_chunks(row)
        if not gold:
            continue
        near = find_similar(frozenset(analyse(row["question"])), holders, len(names), set(gold))
        same = [
            text for text in gold if (date := read_chunk_date(text)) is not None for text in months[date.edtf()[:7]]
        ]
        rest = sorted(set(same) - {*gold, *near})
        for text in [*gold, *near, *rng.sample(rest, min(3, len(rest)))]:
            pairs.append(Pair(query, Document(names[text], text), text in gold, assign_half(gold[0])))
    return tuple(pairs)


def read_question_date(text: str) -> Span:
    return Span.parse("-".join(part.zfill(2) for part in text.split("-")))


def get_gold_chunks(row: Row) -> list[str]:
    """The gold chunks of a question that are sentences, not mere dates."""
    return [text for text in ast.literal_eval(row["golden_chunks"]) if len(text) >= 20]


def read_chunk_date(text: str) -> Span | None:
    """The date that a chunk starts with, read without our tagger."""
    match = _CHUNK_DATE.match(text)
    if match is None:
        return None
    parts = [match[1], *(part.zfill(2) for part in match.groups()[1:] if part)]
    try:
        return Span.parse("-".join(parts))
    except EpochalError:
        return None  # a thirty-first of June


def find_similar(words: frozenset[str], holders: dict[str, list[str]], count: int, gold: set[str]) -> list[str]:
    """The three texts with the most words of a question, rare words counting more."""
    scores: Counter[str] = Counter()
    for word in sorted(word for word in words if len(holders.get(word, ())) < count / 10):
        for text in holders.get(word, ()):
            scores[text] += math.log(count / len(holders[word]))  # type: ignore[assignment]
    return [text for text, _ in scores.most_common(3 + len(gold)) if text not in gold][:3]


SETS: dict[str, Callable[[], Iterator[Pair]]] = {
    "timeqa, other periods": lambda: read_timeqa(whole_page=False),
    "timeqa, whole page": lambda: read_timeqa(whole_page=True),
    "tnp": lambda: read_tnp(800),
    "chronoqa, dated": lambda: select_chronoqa(dated=True),
    "chronoqa, no time named": lambda: select_chronoqa(dated=False),
}


class Examples(NamedTuple):
    """The verdicts of a set: features, labels, the question and the half of each."""

    features: np.ndarray
    labels: np.ndarray
    overlap: np.ndarray
    questions: np.ndarray
    halves: np.ndarray
    open: int

    def sample(self, name: str, half: int) -> CalibrationSample:
        return CalibrationSample(name, self.features[self.halves == half], self.labels[self.halves == half])


def collect_examples(pairs: list[Pair], background: Background | None) -> Examples:
    judge = SpanJudge(background)
    rows, undecided = [], 0
    for query, document, label, half in pairs:
        result = judge.find_evidence(query, document)
        if result is None or result.whole is None:
            undecided += 1
            continue
        match = result.whole
        rows.append((match.features, label, bool(match.features[0] > 0.25), query.id, half))
    features, labels, overlap, questions, halves = zip(*rows, strict=True)
    return Examples(
        np.array(features), np.array(labels), np.array(overlap), np.array(questions), np.array(halves), undecided
    )


def measure_half(examples: Examples, half: int, calibration: Calibration | None) -> Row:
    selected = examples.halves == half
    labels, questions = examples.labels[selected], examples.questions[selected].tolist()
    row: Row = {"questions": len(set(questions)), "answers": len(labels), "yes": int(labels.sum())}
    if calibration is None:
        verdicts, scores = examples.overlap[selected], None
    else:
        scores = calibration.predict_rows(examples.features[selected])
        verdicts = scores >= calibration.threshold
    found = int((verdicts & labels).sum())
    row["precision"] = round(found / max(int(verdicts.sum()), 1), 3)
    row["recall"] = round(found / max(int(labels.sum()), 1), 3)
    row["kappa"] = round(cohen_kappa(verdicts, labels), 3)
    row["kappa interval"] = format_bounds(bootstrap_statistic(cohen_kappa, (verdicts, labels), questions, seed=SEED))
    if scores is not None:
        row["auroc"] = round(auroc(scores, labels), 3)
        row["auroc interval"] = format_bounds(bootstrap_statistic(auroc, (scores, labels), questions, seed=SEED))
    return row


def format_bounds(interval: ConfidenceInterval) -> list[float]:
    return [round(interval.low, 3), round(interval.high, 3)]


def make_provenance(examples: dict[str, Examples]) -> Row:
    fitted = {name: f"{len(match.sample(name, 0).labels):,} answers" for name, match in examples.items()}
    return {"command": "python studies/judge_agreement.py --fit", "fitted on half of": fitted}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true", help="fit the calibration and write the weights")
    arguments = parser.parse_args(argv)
    examples, bare = {}, {}
    for name, pairs in SETS.items():
        judged = list(pairs())
        background = Background.of({pair.document.id: pair.document for pair in judged}.values())
        examples[name], bare[name] = collect_examples(judged, background), collect_examples(judged, None)
    samples = {name: match.sample(name, 0) for name, match in examples.items()}
    if arguments.fit:
        fitted = fit_calibration(list(samples.values()), make_provenance(examples))
        WEIGHTS.write_text(json.dumps(fitted.to_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        print(WEIGHTS.read_text(encoding="utf-8"))
        return
    rows = []
    for name, match in examples.items():
        others = [sample for other, sample in samples.items() if other.partition(",")[0] != name.partition(",")[0]]
        for judge, answers, calibration in (
            ("any time that overlaps", match, None),
            ("spans without a background", bare[name], load_default_calibration()),
            ("spans, fitted on the other data sets", match, fit_calibration(others)),
            ("spans", match, load_default_calibration()),
        ):
            rows.append({"set": name, "judge": judge, **measure_half(answers, 1, calibration)})
    save(
        "judge_agreement",
        "Does the judge without a language model agree with labels that follow from gold annotations?",
        "TimeQA human-annotated train (320 pages), Temporal Nobel Prize (800 questions), ChronoQA (2,636 questions)",
        SEED,
        rows,
        note="Weights and threshold of 'spans' were fitted on the other half of each set, and those of the "
        "row above it on halves of the other data sets alone. The features were chosen with both halves in view. "
        "Intervals are 95 % of 1,000 bootstrap samples of questions.",
        unheard={name: match.open for name, match in examples.items()},
    )


if __name__ == "__main__":
    main()
