"""A made folder in the form of ChunQiuTR: six years, of which one is held out for validation and one for the test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal_lab.models.backbone import Backbone
from epochal_lab.models.ctd.data import Collection, read_collection
from epochal_lab.models.training.checkpoint import seed_all

YEARS = "元二三四五六"
MONTHS = ("正", "二", "三", "四", "五", "六", "七", "八", "九", "十", "冬", "臘")
SPLITS = ("train", "train", "val", "train", "test", "train")
VOCAB = sorted(set("魯隱公年月有何記事盟于伐來朝注曰無至" + YEARS + "".join(MONTHS)))


def write_rows(path: Path, rows: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


def make_folder(place: Path) -> Path:
    """Odd months have an event and a commentary, even ones a placeholder."""
    records, questions = [], []
    judged: dict[str, list[str]] = {"train": [], "val": [], "test": []}
    for y, year in enumerate(YEARS):
        for m, month in enumerate(MONTHS):
            key, split, times = f"1-{y + 1}-{m + 1}", SPLITS[y], [f"-0{721 - y}-{m + 1:02d}~"]
            meta = {"key": key, "split": split, "times": times, "time_id": y * 12 + m}
            if m % 2 == 0:
                records.append(
                    {"_id": f"e{key}", "text": f"{year}年{month}月公盟于", "metadata": {"type": "event", **meta}}
                )
                records.append(
                    {"_id": f"c{key}", "text": f"注曰{year}{month}", "metadata": {"type": "neg_comment", **meta}}
                )
            else:
                records.append(
                    {"_id": f"n{key}", "text": f"{year}年{month}月無事", "metadata": {"type": "no_event", **meta}}
                )
            record = {"family": "point", "gap": m % 2 == 1, "targets": [key]}
            name = f"p{key}"
            text = f"魯隱公{year}年{month}月有何事"
            questions.append({"_id": name, "text": text, "periods": times, "split": split, "annotations": record})
            judged[split].append(f"{name}\t{'n' if m % 2 else 'e'}{key}\t1")
    write_rows(place / "corpus.jsonl", records)
    write_rows(place / "queries.jsonl", questions)
    (place / "qrels").mkdir(exist_ok=True)
    for split, lines in judged.items():
        text = "".join(f"{line}\n" for line in ("query-id\tcorpus-id\tscore", *lines))
        (place / "qrels" / f"{split}.tsv").write_text(text, encoding="utf-8")
    return place


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("annals"))


@pytest.fixture(scope="session")
def collection(folder: Path) -> Collection:
    return read_collection(folder)


@pytest.fixture
def backbone() -> Backbone:
    seed_all(3)
    return Backbone.tiny(VOCAB, layers=1, width=32, pooling="mean")
