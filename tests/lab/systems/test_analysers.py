from __future__ import annotations

import pytest

from epochal_lab.systems.bm25 import stem, tokenise_han, tokenise_lucene

#: The examples in Porter's paper, step by step, with what all steps together make of them.
STEMS = """
caresses caress  ponies poni  ties ti  caress caress  cats cat  feed feed  agreed agre  plastered plaster  bled bled
motoring motor  sing sing  conflated conflat  troubled troubl  sized size  hopping hop  tanned tan  falling fall
hissing hiss  fizzed fizz  failing fail  filing file  happy happi  sky sky  relational relat  conditional condit
rational ration  valenci valenc  hesitanci hesit  digitizer digit  conformabli conform  radicalli radic
differentli differ  vileli vile  analogousli analog  vietnamization vietnam  predication predic  operator oper
feudalism feudal  decisiveness decis  hopefulness hope  callousness callous  formaliti formal  sensitiviti sensit
sensibiliti sensibl  triplicate triplic  formative form  formalize formal  electriciti electr  electrical electr
hopeful hope  goodness good  revival reviv  allowance allow  inference infer  airliner airlin  gyroscopic gyroscop
adjustable adjust  defensible defens  irritant irrit  replacement replac  adjustment adjust  dependent depend
adoption adopt  homologou homolog  communism commun  activate activ  angulariti angular  homologous homolog
effective effect  bowdlerize bowdler  probate probat  rate rate  cease ceas  controll control  roll roll
archaeology archaeolog  generalizations gener  oscillators oscil  by by  is is  yes ye  s s
""".split()


@pytest.mark.parametrize(("word", "wanted"), list(zip(STEMS[::2], STEMS[1::2], strict=True)))
def test_stems_are_porter_s(word, wanted):
    assert stem(word) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("well-known, state/federal", ["well", "known", "state", "feder"]),
        ("don't can’t John's O'Neil’S", ["don't", "can’t", "john", "o'neil"]),
        ("1,024.5 3.14; 10:30 v1.2 a.b", ["1,024.5", "3.14", "10", "30", "v1.2", "a.b"]),
        ("__init__ ___ e_mail", ["__init__", "e_mail"]),
        ("東京 tokyo ひら カタカナ", ["東", "京", "tokyo", "ひ", "ら", "カタカナ"]),
        ("The and of to", []),
        ("", []),
    ],
)
def test_words_are_parted_as_lucene_parts_them(text, wanted):
    assert tokenise_lucene(text) == wanted


def test_characters_and_pairs():
    assert tokenise_han("元 年\n春") == ["元", "年", "春", "元年", "年春"]
    assert tokenise_han("") == tokenise_han("abc、。") == ["<EMPTY>"]
    assert tokenise_han("年") == ["年"]
