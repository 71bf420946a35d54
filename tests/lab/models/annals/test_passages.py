"""Sentences to passages, and their file."""

from __future__ import annotations

import io
import json
import lzma
import sys
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, InputError, MissingExtraError
from epochal.reading.scripts import build_simplified_table, get_traditional_converter, is_simplified
from epochal_lab.models.annals.passages import (
    Exclusion,
    TextSource,
    clean_text,
    collect_passages,
    normalise_text,
    pack_passages,
    read_held_out_texts,
    read_passages,
    read_sources,
    split_sentences,
    write_passages,
)
from epochal_lab.models.annals.vocabulary import SPECIAL, Vocabulary

SIMPLIFIED = "元年春，晋侯会齐侯于郑，诸侯之师还。"


@given(st.lists(st.text("甲乙。", min_size=1, max_size=40), max_size=20))
def test_packing_loses_nothing_but_what_is_too_short(stream):
    result = pack_passages(stream, longest=20)
    assert all(8 <= len(passage) <= 20 for passage in result)
    # Every passage is a stretch of the whole, one after the other.
    whole, at = "".join(stream), 0
    for passage in result:
        at = whole.index(passage, at) + len(passage)
    assert len(whole) - sum(map(len, result)) <= 7 * (len(stream) + 1)


def test_each_passage_once():
    source = TextSource("a", "元年春，王正月。")
    assert collect_passages([source, source]) == ["元年春，王正月。"]


def test_scripts():
    pytest.importorskip("opencc")
    source = TextSource("a", SIMPLIFIED)
    traditional = "元年春，晉侯會齊侯于鄭，諸侯之師還。"
    assert collect_passages([source]) == [traditional]
    assert collect_passages([source], script="source") == [SIMPLIFIED]
    assert collect_passages([source], script="both") == [traditional, SIMPLIFIED]


def test_what_is_excluded_is_in_no_passage():
    sources = [TextSource("a", "元年春，王正月，公即位。夏五月，甲伯克乙于丙，不還。秋七月，大雨雹于東鄙。")]
    result = collect_passages(sources, exclusion=Exclusion(["夏五月，甲伯克乙于丙。"]))
    assert result == ["元年春，王正月，公即位。秋七月，大雨雹于東鄙。"]


@pytest.mark.parametrize("name", ["passages.txt", "passages.txt.xz"])
def test_files(tmp_path, name):
    path = tmp_path / "new" / name
    assert write_passages(path, ["元年春王正月也", "二年"]) == path.stat().st_size
    assert read_passages(path) == ["元年春王正月也", "二年"]
    with pytest.raises(InputError, match="line 1: the passage has 7 characters; accepted: up to 5"):
        read_passages(path, longest=5)


@pytest.mark.parametrize(("data", "problem"), [(b"", "holds no passage"), (b"\xff", "no whole file of passages")])
def test_what_is_no_file_of_passages(tmp_path, data, problem):
    path = tmp_path / "passages.txt"
    path.write_bytes(data)
    with pytest.raises(InputError, match=problem):
        read_passages(path)


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


def texts(*paths):
    return [source.text for source in read_sources(list(paths))]


def test_files_of_every_kind(tmp_path):
    (tmp_path / "a.txt").write_text("甲", encoding="utf-8")
    (tmp_path / "b.txt.xz").write_bytes(lzma.compress("乙".encode()))
    (tmp_path / "c.jsonl").write_text(f"{json.dumps({'text': '丙'})}\n\n{json.dumps({'text': '丁'})}\n", "utf-8")
    (tmp_path / "notes.md").write_text("戊", encoding="utf-8")
    assert texts(tmp_path) == ["甲", "乙", "丙", "丁"]
    assert texts(tmp_path / "c.jsonl", tmp_path / "a.txt") == ["丙", "丁", "甲"]


def test_an_archive_without_its_translations(tmp_path):
    path = tmp_path / "a.tar.xz"
    with tarfile.open(path, "w:xz") as archive:
        for name, text in (
            ("二/source.txt", "乙"),
            ("一/text.txt", "甲"),
            ("一/target.txt", "新"),
            ("一/bitext.txt", "新"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    matches = list(read_sources([path]))
    assert [source.text for source in matches] == ["甲", "乙"]
    assert matches[0].name == f"{path}:一/text.txt"


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.txt", b"\xff\xfe", "byte 0 is not UTF-8"),
        ("a.txt.xz", b"no xz", "no whole .xz file"),
        ("a.tar.xz", b"no tar", "no whole tar archive"),
        ("a.jsonl", b"{", "line 1: the row is no JSON"),
        ("a.jsonl", b'{"text": "x"}\n{"words": 1}', "line 2: the row has no text"),
        ("a.pdf", b"", ".pdf is not read"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, name, data, problem):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=problem) as caught:
        texts(path)
    assert str(path) in str(caught.value)


def test_a_folder_without_texts(tmp_path):
    with pytest.raises(InputError, match=r"holds no \.txt"):
        texts(tmp_path)


RECORD = "甲子，乙侯伐丙，丁人救之。"


def test_a_record_over_two_sentences():
    result = Exclusion([RECORD]).filter(["元年春。", "甲子乙侯伐丙。", "丁人救之。", "秋大水。"])
    assert result == ["元年春。", "秋大水。"]


def test_part_of_a_record_counts_only_if_reported():
    stream = ["乙侯伐丙，丁人救之，不及。"]
    assert Exclusion([RECORD]).filter(stream) == stream
    assert Exclusion([RECORD], 8, whole=False).filter(stream) == []


def test_short_records_are_in_everything_and_stay():
    assert Exclusion(["大水。"]).filter(["秋，大水。"]) == ["秋，大水。"]
    assert len(Exclusion(["大水。", RECORD])) == 1


def test_in_a_print_without_marks_only_the_place_is_cut_out():
    before, after = "天" * 100, "地" * 100
    left = Exclusion([RECORD]).filter([f"{before}甲子乙侯伐丙丁人救之{after}"])
    assert left == ["天" * 84, "地" * 84]


def test_variants_are_folded():
    assert (
        Exclusion(["甲子会于某地而还也"], fold=lambda text: text.replace("會", "会")).filter(["甲子會于某地而还也"])
        == []
    )


def test_a_fold_that_changes_lengths_is_refused():
    with pytest.raises(EpochalError, match="one to one"):
        Exclusion([RECORD], fold=lambda text: text * 2).filter(["甲"])
    with pytest.raises(EpochalError, match="give 2 or more"):
        Exclusion([RECORD], run=1)


@given(st.lists(st.text("甲乙，", min_size=1, max_size=12), max_size=8), st.text("甲乙", min_size=4, max_size=6))
def test_no_short_sentence_keeps_a_record(stream, record):
    retained = Exclusion([record], run=4).filter(stream)
    assert not any(record in sentence.replace("，", "") for sentence in retained)
    assert all(sentence in stream for sentence in retained)


def test_records_are_chosen_by_their_metadata(tmp_path):
    path = tmp_path / "corpus.jsonl"
    facts = [("event", "test"), ("comment", "test"), ("event", "train")]
    rows = [{"text": f"{kind} {split}", "metadata": {"type": kind, "split": split}} for kind, split in facts]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert read_held_out_texts(path, {"type": {"event"}, "split": {"val", "test"}}) == ["event test"]
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: the row has no text"):
        read_held_out_texts(path, {})
    with pytest.raises(InputError, match="cannot be read"):
        read_held_out_texts(tmp_path / "none.jsonl", {})


WORDS = Vocabulary(tuple("春夏秋冬，。？\U00020000"))


@given(st.text("春夏秋冬，。？\U00020000梅x", max_size=20))
def test_the_tokenizer_and_the_rows_agree(text):
    ids = WORDS.tokenizer().encode(text).ids
    assert ids[0] == SPECIAL.index("[CLS]")
    assert ids[-1] == SPECIAL.index("[SEP]")
    assert [*ids[1:-1], *[0] * (20 - len(text))] == WORDS.rows([text], 20)[0].tolist()


def test_saved_and_loaded(tmp_path):
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer

    WORDS.save(tmp_path, longest=6)
    assert Vocabulary.load(tmp_path) == Vocabulary.load(tmp_path / "vocab.txt") == WORDS
    ids = Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode("春, 冬?").ids
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path, local_files_only=True)
    assert loaded("春, 冬?")["input_ids"] == ids == [2, 5, 9, 8, 11, 3]
    assert loaded(["春" * 9], truncation=True)["input_ids"] == [[2, 5, 5, 5, 5, 3]]
    batch = loaded(["春", "春夏"], padding=True)
    assert batch["input_ids"] == [[2, 5, 3, 0], [2, 5, 6, 3]]
    assert batch["attention_mask"] == [[1, 1, 1, 0], [1, 1, 1, 1]]
    assert (loaded.mask_token_id, loaded.unk_token_id, len(loaded)) == (4, 1, len(WORDS))


def test_special_tokens_in_a_text_are_no_more_than_they_look():
    # As with every BERT tokenizer, whoever writes [MASK] means it.
    assert WORDS.tokenizer().encode("春[MASK]").ids == [2, 5, 4, 3]


def test_compatibility_forms_are_unified():
    words = Vocabulary(("六",))
    assert words.tokenizer().encode("\uf9d1").ids == [2, 5, 3]


def test_the_same_texts_in_any_order_give_the_same_ids():
    assert Vocabulary.from_texts(["春秋", "秋冬"]) == Vocabulary.from_texts(["秋冬", "春秋"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [("春\n", "line 1: a vocabulary begins with"), ("\n".join((*SPECIAL, "春秋")), "line 6: '春秋' is no single")],
)
def test_what_is_no_vocabulary(tmp_path, text, problem):
    path = tmp_path / "vocab.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        Vocabulary.load(path)


def test_a_character_twice():
    with pytest.raises(EpochalError, match="each of them once"):
        Vocabulary(("春", "春"))


def test_scripts_are_distinguished():
    assert is_simplified("晋侯会诸侯于郑，师还。")
    assert not is_simplified("晉侯會諸侯于鄭，師還。")
    assert not is_simplified("")


def test_old_words_stay():
    pytest.importorskip("opencc")
    assert get_traditional_converter()("会于郑，诗云，余一人") == "會于鄭，詩云，余一人"


def test_one_form_for_comparison():
    pytest.importorskip("opencc")
    table = build_simplified_table("會会鄭為爲")
    assert "會会鄭為爲".translate(table) == "会会郑为为"


def test_a_missing_converter_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "opencc", None)
    with pytest.raises(MissingExtraError, match=r"epochal\[chinese\]"):
        get_traditional_converter()
