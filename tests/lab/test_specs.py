from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.metrics.measure import Spec

WORDS = st.text(st.characters(blacklist_characters="(),=", blacklist_categories=("Z", "C")), min_size=1, max_size=8)


@given(WORDS, st.dictionaries(WORDS, WORDS, max_size=4))
def test_what_is_printed_is_parsed_back(name: str, settings: dict[str, str]) -> None:
    spec = Spec(name, settings)
    assert Spec.parse(str(spec)) == spec


@pytest.mark.parametrize("text", ["", "a(", "a)", "a(b)", "a(b=)", "a(=b)", "a(b=c, b=d)", "a b", "(b=c)", "a(b=c)d"])
def test_other_texts_are_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(EpochalError, match=r"accepted: NAME or NAME\(key=value"):
        Spec.parse(text)


def test_an_unknown_setting_is_named() -> None:
    with pytest.raises(EpochalError, match="bm25 has no setting 'colour'; accepted: encoder, time"):
        Spec.parse("bm25(colour=red)").only("encoder", "time")
