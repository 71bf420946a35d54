"""Characters and their ids, by numpy, by tokenizers and by transformers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, InputError
from epochal_lab.models.annals.vocabulary import SPECIAL, Vocabulary

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
