from __future__ import annotations

import pytest

from epochal.errors import TimeParseError, TimeRangeError
from epochal.times.numerals import from_roman, is_roman, to_roman


def test_every_number_comes_back() -> None:
    written = [to_roman(number) for number in range(1, 4000)]
    assert len(set(written)) == 3999
    assert [from_roman(numeral) for numeral in written] == list(range(1, 4000))


@pytest.mark.parametrize(
    ("number", "numeral"),
    [
        (1, "I"),
        (4, "IV"),
        (8, "VIII"),
        (9, "IX"),
        (14, "XIV"),
        (40, "XL"),
        (90, "XC"),
        (400, "CD"),
        (944, "CMXLIV"),
        (1582, "MDLXXXII"),
        (1999, "MCMXCIX"),
        (3999, "MMMCMXCIX"),
    ],
)
def test_known_numerals(number: int, numeral: str) -> None:
    assert to_roman(number) == numeral
    assert from_roman(numeral) == number


@pytest.mark.parametrize(
    "text", ["", "IIII", "VV", "IC", "IIX", "XM", "VX", "MMMM", "ii", "Ii", " II", "II ", "12", "N", "CMC", "IXI"]
)
def test_malformed_numerals_are_refused(text: str) -> None:
    assert not is_roman(text)
    with pytest.raises(TimeParseError, match="is not a Roman numeral; accepted: I to MMMCMXCIX"):
        from_roman(text)


@pytest.mark.parametrize("number", [0, -1, 4000])
def test_numbers_without_numeral_are_refused(number: int) -> None:
    with pytest.raises(TimeRangeError, match=f"^{number} has no Roman numeral, they reach from 1 to 3999$"):
        to_roman(number)
