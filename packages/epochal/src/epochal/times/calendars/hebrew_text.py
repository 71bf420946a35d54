"""Dates in Hebrew letters: numbers as letters, and the names of the months."""

from __future__ import annotations

from epochal.lazy import lazy_regex

_VALUES: dict[str, int] = dict(
    zip("אבגדהוזחטיכלמנסעפצקרשת", (*range(1, 10), *range(10, 100, 10), 100, 200, 300, 400), strict=True)
)
_FINALS = str.maketrans("ךםןףץ", "כמנפצ")
_MONTHS = {
    "ניסן": "Nisan",
    "אייר": "Iyar",
    "סיון": "Sivan",
    "סיוון": "Sivan",
    "תמוז": "Tammuz",
    "אב": "Av",
    "אלול": "Elul",
    "תשרי": "Tishri",
    "חשון": "Heshvan",
    "חשוון": "Heshvan",
    "מרחשון": "Heshvan",
    "מרחשוון": "Heshvan",
    "כסלו": "Kislev",
    "טבת": "Tevet",
    "שבט": "Shevat",
    "אדר": "Adar",
    "אדר א": "Adar I",
    "אדר ב": "Adar II",
}
_MARKS = lazy_regex("[\"'״׳“”‘’]")
_DATE = lazy_regex(r"(?:(?P<day>[א-ת]{1,2}|\d{1,2}) )?ב?(?P<month>[א-ת]{2,7}(?: [אב])?),? (?P<year>[א-ת]{2,6}|\d{4})")


def spell_hebrew_date(text: str) -> str | None:
    """The date in Latin letters, as the Hebrew calendar reads it; None where the text is no Hebrew date.

    Years without thousands are of the sixth millennium.
    """
    plain = _MARKS.sub("", " ".join(text.split()))
    match = _DATE.fullmatch(plain)
    if match is None:
        return None
    month = _MONTHS.get(match["month"])
    if month is None:
        return None
    year = int(match["year"]) if match["year"].isdecimal() else _parse_letters(match["year"])
    if year < 1000:
        year += 5000
    if match["day"] is None:
        return f"{month} {year}"
    day = int(match["day"]) if match["day"].isdecimal() else _parse_letters(match["day"])
    return f"{day} {month} {year}"


def _parse_letters(word: str) -> int:
    letters = word.translate(_FINALS)
    if len(letters) > 3 and letters[0] == "ה":  # the thousands
        return 5000 + sum(_VALUES[letter] for letter in letters[1:])
    return sum(_VALUES[letter] for letter in letters)
