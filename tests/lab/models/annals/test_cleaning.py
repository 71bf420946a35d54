"""Markup off, notes apart, sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.models.annals.passages import clean_text, normalise_text, split_sentences

MARKED = """# -*- mode: mandoku-view -*-
#+TITLE: 甲書
#+PROPERTY: JUAN 1
<pb:XX_001-1a>¶
** 1 甲公

A1.1《甲公元年》
<pb:XX_001-2a>¶

A1.1.1元年春，¶
甲子伐乙。
<pb:XX_001-3a>¶

# src: a remark 9
B1.1.2大雨，¶
丙人&KR0001;來。¶
"""
PRINTED = """# -*- mode: mandoku-view; -*-
<pb:YY_001-1a>¶
欽定四庫全書¶
　元年春甲子伐乙丙人來告乙甲(甲國名也在/乙之東北)¶
　又伐丁○夏大雨雪甲人築城于乙而還歸其師矣(城者/新作)¶
(也非/時)　秋螽¶
二年春王正月戊人來聘于甲也¶
"""


def test_a_marked_edition():
    assert clean_text(MARKED) == [["甲公。", "《甲公元年》", "元年春，甲子伐乙。", "大雨，丙人□來。"]]


def test_a_printed_edition_has_its_notes_apart():
    main, notes = clean_text(PRINTED)
    assert "".join(main) == (
        "元年春甲子伐乙丙人來告乙甲又伐丁。夏大雨雪甲人築城于乙而還歸其師矣。秋螽。二年春王正月戊人來聘于甲也。"
    )
    assert notes == ["甲國名也在乙之東北。", "城者新作也非時。"]


def test_plain_text_loses_what_editors_added():
    text = "【經】\n一、元年，春。[1]\n二、甲公薨（己卯，公元前七二二年）。\n\n乙　丙 x"
    assert clean_text(text) == [["元年，春。", "甲公薨（己卯）。", "乙丙。"]]


def test_nothing_but_markup():
    assert clean_text("# only\n<pb:a>¶\n") == []
    assert clean_text("") == []


def test_characters_that_cannot_be_written_have_one_sign():
    assert normalise_text("甲\ue123乙&KR0042;丙\ufffd") == "甲□乙□丙□"


@given(st.text("甲乙丙。！？」』，", max_size=60))
def test_sentences_put_together_are_the_text(text):
    assert "".join(split_sentences(text)) == text


@given(st.text(max_size=60))
def test_normalising_twice_is_normalising_once(text):
    assert normalise_text(normalise_text(text)) == normalise_text(text)
