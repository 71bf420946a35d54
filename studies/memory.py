"""Does a memory find the turns that answer, say when, and say no? LoCoMo, beside other ways to search a conversation.

Reads `locomo` from the data folder (EPOCHAL_DATA). Weights and thresholds of the memory were chosen on conversations 26
and 43; conversations 41, 47 and 49 were never looked at, only scored.

Turns. R@10 is the share of a question's evidence among the first ten turns, hit@1 whether the first is evidence.
Rivals are given the same turns, each with the name of its speaker: BM25; the dot products of static vectors and of
MiniLM; the sum of BM25 and MiniLM, each divided by its best (hybrid); that plus a recency that halves in 30 days, as
generative agents score their memories; sessions ranked as whole texts by the hybrid, then the turns of each in its
order; and the search of the engine without the memory.

Dates. Questions whose answer is a day, a month or a year: right if the first time of the answer, as coarse as the
answer that is expected, is that one.

Answers. Whether the probability of a recall separates questions with an answer from those without (AUROC); for the
engine and for BM25 and the hybrid the probability, or the best score, of their first hit.

Dates are also scored as they were before two rules of the scorer were added (`strict`): there a day without a year is
the next one after the question, and "early August" is the whole answer.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _data import find_data
from _record import VECTOR_CACHE, Row, compare_scores, format_interval, save

from epochal import Document, Index, Span
from epochal.encoders import CachedEncoder, Encoder, encoder
from epochal.memory import Memory, Recall
from epochal.reading.tagger import tag
from epochal.times import Grain
from epochal_lab.datasets.conversations import (
    LOCOMO_CHOOSE,
    LOCOMO_REPORT,
    Conversation,
    MemoryQuestion,
    load_locomo,
)
from epochal_lab.metrics.significance import auroc, bootstrap_mean

SEED = 27
DEPTH = 10
HALF_LIFE_DAYS = 30
KINDS = ("temporal", "single-hop", "multi-hop", "open")
#: The turns of a question by a system, best first, and how sure it is that they answer.
Answers = dict[str, tuple[list[str], float]]
Floats = np.ndarray


def open_encoder(name: str) -> Encoder:
    """The encoder of that name, which keeps its vectors from run to run."""
    return CachedEncoder(encoder(name), VECTOR_CACHE)


def rank_with_memory(conversation: Conversation, name: str) -> tuple[Answers, dict[str, Recall]]:
    """What the memory recalls, with the encoder of that name."""
    recalled = {}
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, encoder=open_encoder(name)) as memory:
        memory.remember_many(
            {"id": turn.id, "text": turn.text, "at": turn.at, "speaker": turn.speaker, "session": turn.session}
            for turn in conversation.turns
        )
        for question in conversation.questions:
            recalled[question.id] = memory.recall(question.text, now=question.now, k=DEPTH)
    return {id: (list(item.ids), item.probability) for id, item in recalled.items()}, recalled


def rank_with_rivals(conversation: Conversation) -> dict[str, Answers]:
    """What the rivals find among the same turns."""
    texts = [f"{turn.speaker}: {turn.text}" for turn in conversation.turns]
    questions = [question.text for question in conversation.questions]
    dense = {name: encode_both(name, texts, questions) for name in ("static", "minilm")}
    found: dict[str, Answers] = defaultdict(dict)
    documents = [
        Document(turn.id, text, published=turn.at) for turn, text in zip(conversation.turns, texts, strict=True)
    ]
    sessions = [turn.session for turn in conversation.turns]
    with (
        tempfile.TemporaryDirectory() as folder,
        Index.create(Path(folder) / "index", encoder=open_encoder("minilm")) as index,
    ):
        index.add(documents)
        view = index.view()
        ids = [item.id for item in view.get_documents(view.get_document_rows(view.alive))]
        assert ids == [turn.id for turn in conversation.turns]
        for place, question in enumerate(conversation.questions):
            words = view.score_words(question.text, view.alive)
            scores = {"BM25": words, **{name: values[place] for name, values in dense.items()}}
            hybrid = scale(words) + scale(scores["minilm"])
            scores["hybrid"] = hybrid
            scores["hybrid with recency"] = hybrid + measure_recency(conversation, question)
            scores["sessions"] = rank_sessions(hybrid, sessions)
            for name, values in scores.items():
                best = np.argsort(-values, kind="stable")[:DEPTH]
                found[name][question.id] = [ids[at] for at in best], float(values.max())
            response = index.search(question.text, k=DEPTH, now=question.now)
            hits = [hit.id for hit in response]
            found["search of the engine"][question.id] = hits, response.probability or 0.0
    return found


def encode_both(name: str, texts: Sequence[str], questions: Sequence[str]) -> Floats:
    """The dot products of each question with all texts."""
    model = open_encoder(name)
    return np.asarray(model.encode_queries(questions) @ model.encode_documents(texts).T)


def scale(values: Floats) -> Floats:
    """The values divided by the best of them."""
    return values / values.max() if values.max() > 0 else values


def measure_recency(conversation: Conversation, question: MemoryQuestion) -> Floats:
    """1 for what was said when the question is put, half of it for what was said thirty days before."""
    days = np.array([(question.now.start - turn.at.start) / 86_400 for turn in conversation.turns])
    return np.asarray(0.5 ** (np.maximum(days, 0.0) / HALF_LIFE_DAYS))


def rank_sessions(scores: Floats, sessions: Sequence[str]) -> Floats:
    """Scores by which whole sessions follow each other, by their mean, and the turns of each by their own."""
    names = np.array(sessions)
    result = np.zeros(len(scores))
    for name in dict.fromkeys(sessions):
        own = names == name
        result[own] = 100 * np.sort(scores[own])[-5:].mean() + scores[own] / (1 + scores.max())
    return result


def score_turns(answers: Answers, questions: Sequence[MemoryQuestion]) -> dict[str, dict[str, float]]:
    """R@10 and hit@1 by question, of those that have evidence and an answer."""
    recall, hit = {}, {}
    for question in questions:
        if question.evidence and question.is_answerable:
            found = answers[question.id][0]
            recall[question.id] = len(set(found) & set(question.evidence)) / len(set(question.evidence))
            hit[question.id] = float(bool(found) and found[0] in question.evidence)
    return {"R@10": recall, "hit@1": hit}


def read_expected_time(question: MemoryQuestion, *, strict: bool = False) -> Span | None:
    """The day, month or year that is the whole answer to a question; None for other answers.

    "13 August" is the last one before the question is put; "early August" is neither a day nor a month.
    """
    answer = question.answer.strip(" .")
    found = [item for item in tag(answer, question.now) if item.text.strip(" .,") == answer]
    if question.kind != "temporal" or len(found) != 1 or found[0].span is None:
        return None
    span = found[0].span
    relative = any(word in answer.lower() for word in ("before", "after", "ago", "last", "next"))
    if relative or span.grain not in (Grain.DAY, Grain.MONTH, Grain.YEAR):
        return None
    if strict:
        return span
    if "year" in found[0].carried and span.start >= question.now.end:
        span = span.shift(-1, Grain.YEAR)
    unit = Span.unit(span.start, span.grain)
    return None if (unit.start, unit.end) != (span.start, span.end) else unit


def is_right(found: Span, expected: Span) -> bool:
    """Whether a time, as coarse as the one that is expected, is that one."""
    return found.grain <= expected.grain and not found.is_open and Span.unit(found.start, expected.grain) == expected


def measure_dates(recalled: dict[str, Recall], questions: Sequence[MemoryQuestion]) -> dict[str, Row]:
    """How many dates are right, by the grain of the expected one; and of all as the strict scorer has it."""
    right: dict[str, list[float]] = defaultdict(list)
    for question in questions:
        times = recalled[question.id].times
        for strict in (False, True):
            if (expected := read_expected_time(question, strict=strict)) is not None:
                value = float(bool(times) and is_right(times[0].span, expected))
                for name in ("strict",) if strict else (expected.grain.name.lower(), "all"):
                    right[name].append(value)
    return {
        grain: {"questions": len(values), "right": round(float(np.mean(values)), 4)} for grain, values in right.items()
    }


def measure_group(group: str, names: Sequence[str]) -> list[Row]:
    """The rows of a group of conversations."""
    conversations = load_locomo(names)
    questions = [question for item in conversations for question in item.questions]
    systems: dict[str, Answers] = defaultdict(dict)
    recalled: dict[str, dict[str, Recall]] = defaultdict(dict)
    for conversation in conversations:
        for encoder_name in ("minilm", "static"):
            answers, found = rank_with_memory(conversation, encoder_name)
            systems[f"memory, {encoder_name}"] |= answers
            recalled[encoder_name] |= found
        for name, answers in rank_with_rivals(conversation).items():
            systems[name] |= answers
        print(group, conversation.id, "done", flush=True)
    kinds = {question.id: question.kind for question in questions}
    ours = score_turns(systems["memory, minilm"], questions)
    rows: list[Row] = []
    for system, answers in systems.items():
        scores = score_turns(answers, questions)
        for kind in KINDS:
            row: Row = {"group": group, "system": system, "kind": kind}
            for measure, values in scores.items():
                selected = {id: value for id, value in values.items() if kinds[id] == kind}
                row["questions"] = len(selected)
                row[measure] = format_interval(bootstrap_mean(list(selected.values()), seed=SEED))
                if system != "memory, minilm":
                    base = {id: ours[measure][id] for id in selected}
                    row[f"memory ahead in {measure}"] = compare_scores(base, selected, SEED)
            rows.append(row)
        labels = [question.is_answerable for question in questions]
        values = [answers[question.id][1] for question in questions]
        rows.append({"group": group, "system": system, "what": "answerable", "AUROC": round(auroc(values, labels), 4)})
    for encoder_name, found in recalled.items():
        for grain, measured in measure_dates(found, questions).items():
            rows.append(
                {"group": group, "system": f"memory, {encoder_name}", "what": "dates", "grain": grain, **measured}
            )
        outcomes = {
            kind: [found[q.id].outcome == "recorded" for q in questions if q.is_answerable == kind]
            for kind in (True, False)
        }
        rows.append(
            {
                "group": group,
                "system": f"memory, {encoder_name}",
                "what": "outcome",
                "false none": round(1 - float(np.mean(outcomes[True])), 4),
                "false recorded": round(float(np.mean(outcomes[False])), 4),
            }
        )
    return rows


def main() -> None:
    """Measure both groups of conversations."""
    find_data("locomo")
    rows = measure_group("choose", LOCOMO_CHOOSE) + measure_group("report", LOCOMO_REPORT)
    save(
        "memory",
        "Does a memory find the turns that answer, say when, and say no?",
        "LoCoMo: conversations 26 and 43 for choosing, 41, 47 and 49 for reporting",
        SEED,
        rows,
    )


if __name__ == "__main__":
    main()
