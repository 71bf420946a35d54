"""Texts set side by side: places are found again whatever stands in between, and never run backwards."""

from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.datasets.chunqiutr.negatives import Sides, drop_pronunciation, items, notes, parts, plain, printed

# Characters that never repeat, so that every stretch is found.
TEXT = "".join(chr(0x4E00 + 7 * number) for number in range(200))


@given(st.lists(st.tuples(st.integers(1, 199), st.integers(1, 30)), max_size=8, unique_by=lambda item: item[0]))
def test_a_place_is_found_again_behind_whatever_was_put_in(inserted):
    copy, wanted, last = "", [], 0
    for place, size in sorted(inserted):
        copy += TEXT[last:place]
        wanted.append((len(copy), place))
        copy += "龘" * size
        last = place
    sides = Sides(TEXT, copy + TEXT[last:])
    for at, place in wanted:
        found = sides.place(at)
        # A piece shorter than any stretch that is looked for is not found, only what stands before it.
        assert (
            found is None
            or place - 2 - sum(1 for other, _ in inserted if place - 3 < other < place) * 2 <= found <= place
        )


@given(st.text(alphabet="甲乙丙丁", max_size=60), st.text(alphabet="甲乙丙丁", max_size=60))
def test_places_never_run_backwards(text, copy):
    sides = Sides(text, copy)
    found = [place for at in range(len(copy) + 1) if (place := sides.place(at)) is not None]
    assert found == sorted(found)
    assert all(0 < place <= len(text) for place in found)
    assert 0.0 <= sides.share <= 1.0


def test_what_is_far_from_anything_known_has_no_place():
    sides = Sides(TEXT, TEXT[:50] + "龘" * 100 + TEXT[50:])
    assert sides.place(60, reach=20) == 50
    assert sides.place(120, reach=20) is None
    assert sides.place(0) is None


def test_variants_and_marks_do_not_matter():
    assert plain("鄭伯，克段。") == plain("郑伯克段")


def test_a_note_goes_on_over_lines_and_pages():
    text = "# a head¶\n三月盟(一/二)¶\n<pb:X_001-1a>¶\n(三/四)于蔑(五/)¶\n"
    assert [(note.text, note.at) for note in notes(text)] == [("一二三四", 3), ("五", 5)]
    assert printed(text) == "三月盟于蔑"


def test_sounds_and_stock_phrases_are_left_out():
    assert drop_pronunciation("魯地也蔑亡結切") == "魯地也"
    assert drop_pronunciation("魯地也") == "魯地也"
    assert parts("無文") == ["無文"]
    assert parts("注正義曰甲也正義曰乙也") == ["甲也", "乙也"]


def test_sections_have_a_heading_of_one_or_more_lines():
    found = list(items("序¶\n　　甲(元/年)¶\n　　乙(二/年)¶\n一二¶\n三¶\n", "　　"))
    assert [(item.title, item.note, item.text) for item in found] == [("", "", "序"), ("甲乙", "元年二年", "一二三")]
