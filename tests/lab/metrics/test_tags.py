"""Scores against sums done by hand."""

from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal.reading.expression import TimeExpr
from epochal_lab.metrics.texts import AnnotatedText, TagCount, pair_tags, score_tags

TEXT = "Late March 1998 was wet; for two days in May, every day, from 9 to 10 pm it rained. Now 2004 2005."


def at(words: str, kind: str = "DATE", value: str = "x", mod: str = "") -> TimeExpr:
    start = TEXT.index(words)
    return TimeExpr(words, start, start + len(words), kind, value, mod=mod)


def scored(gold, system):
    return score_tags([AnnotatedText("a", TEXT, gold)], [AnnotatedText("a", TEXT, system)])


def test_by_hand():
    gold = [
        at("Late March 1998", value="1998-03", mod="END"),
        at("two days", "DURATION", "P2D"),
        at("May", value="1998-05"),
        at("every day", "SET", "P1D"),
        at("2004", value="2004"),
    ]
    system = [
        at("March 1998", value="1998-03"),  # right value, wrong extent
        at("two days", "DURATION", "P2D"),  # right
        at("May", value="1999-05"),  # wrong value
        at("day,", "DURATION", "P1D"),  # wrong extent and kind, right value
        at("10 pm", "TIME", "T22:00"),  # spurious
        at("Now", value="PRESENT_REF"),  # spurious
    ]  # 2004 is missed
    scores = scored(gold, system)
    counts = {name: (count.correct, count.gold, count.system) for name, count in scores.overall.items()}
    assert counts == {"relaxed": (4, 5, 6), "strict": (2, 5, 6), "value": (3, 5, 6), "type": (3, 5, 6)}
    relaxed = scores.overall["relaxed"]
    assert (relaxed.precision, relaxed.recall) == (4 / 6, 4 / 5)
    assert relaxed.f1 == pytest.approx(2 * (4 / 6) * (4 / 5) / (4 / 6 + 4 / 5))
    # TempEval-3: F1 of the value = F1 of the relaxed match times the accuracy among its pairs
    assert scores.overall["value"].f1 == pytest.approx(relaxed.f1 * 3 / 4)
    assert [(item.what, item.gold and item.gold.text) for item in scores.mistakes] == [
        ("extent", "Late March 1998"),
        ("value", "May"),
        ("extent", "every day"),
        ("type", "every day"),
        ("spurious", None),
        ("spurious", None),
        ("missed", "2004"),
    ]
    kinds = {kind: counts["relaxed"] for kind, counts in scores.kinds.items()}
    assert kinds == {
        "DATE": TagCount(2, gold=3, system=3),  # "Now" stands alone and is a DATE
        "DURATION": TagCount(1, gold=1, system=1),
        "SET": TagCount(1, gold=1, system=1),  # the pair counts under the gold kind
        "TIME": TagCount(0, gold=0, system=1),
    }


def test_kinds_add_up_to_the_whole():
    gold = [at("two days", "DURATION"), at("May"), at("9", "TIME")]
    system = [at("two days", "DATE"), at("2004", "SET"), at("9 to 10 pm", "TIME")]
    scores = scored(gold, system)
    for name, count in scores.overall.items():
        rows = [counts[name] for counts in scores.kinds.values()]
        assert TagCount(*(sum(getattr(row, key) for row in rows) for key in ("correct", "gold", "system"))) == count


def test_pairs_are_one_to_one():
    wide = at("2004 2005")
    assert [(one and one.text, other and other.text) for one, other in pair_tags([wide], [at("2004"), at("2005")])] == [
        ("2004 2005", "2004"),
        (None, "2005"),
    ]
    assert scored([at("2004"), at("2005")], [wide]).overall["relaxed"] == TagCount(1, gold=2, system=1)


def test_the_same_extent_is_paired_first():
    nested = [at("March 1998", value="wrong"), at("1998", value="right")]
    assert scored([at("1998", value="right")], nested).overall["value"].correct == 1


def test_a_chain_of_overlaps_is_paired_as_often_as_can_be():
    gold = [TimeExpr(TEXT[0:4], 0, 4, "DATE", "x"), TimeExpr(TEXT[5:10], 5, 10, "DATE", "x")]
    system = [TimeExpr(TEXT[2:6], 2, 6, "DATE", "x"), TimeExpr(TEXT[8:12], 8, 12, "DATE", "x")]
    assert scored(gold, system).overall["relaxed"].correct == 2


def test_touching_is_not_overlapping():
    assert scored([at("Late ")], [at("March")]).overall["relaxed"].correct == 0


def test_mod_does_not_count():
    assert scored([at("May", mod="END")], [at("May")]).mistakes == []


def test_nothing_against_nothing():
    scores = scored([], [])
    assert scores.overall["relaxed"].f1 == 0
    assert scores.record()["kinds"] == {}
    assert scores.documents == 1


def test_json_form():
    record = scored([at("May", value="1998-05"), at("2004")], [at("May", value="1999-05")]).record()
    assert record["overall"]["relaxed"] == {
        "precision": 1.0, "recall": 0.5, "f1": 0.6667, "correct": 1, "gold": 2, "system": 1,
    }  # fmt: skip
    assert record["mistakes"] == {"missed": 1, "spurious": 0, "extent": 0, "value": 1, "type": 0}
    mistake = scored([at("May")], []).mistakes[0]
    assert mistake.record()["gold"]["text"] == "May"
    assert mistake.record()["system"] is None


def test_mistakes_show_both_sides_and_the_words_around():
    (mistake,) = scored([at("May", value="1998-05", mod="MID")], [at("May", value="1999-05")]).mistakes
    assert str(mistake) == (
        "value     a: gold 'May' DATE 1998-05 MID / system 'May' DATE 1999-05 | "
        "Late March 1998 was wet; for two days in [May], every day, from 9 to 10 pm it rained. Now 2"
    )


def test_documents_must_match():
    one = AnnotatedText("a", TEXT, [])
    with pytest.raises(EpochalError, match="1 gold documents but 0"):
        score_tags([one], [])
    with pytest.raises(EpochalError, match="b: at character 5 gold has 'March 1998 was wet; ', the system 'may'"):
        score_tags([one], [AnnotatedText("b", "Late may", [])])
