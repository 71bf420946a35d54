"""The rows of the calendars that rest on `convertdate`: names, marks, the shape of a year and the day it starts on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module

from epochal.tables import read_text
from epochal.times.axis import day_number

#: The months of a year of so many days: their numbers and lengths, in the order of the year.
Shape = Callable[[int], tuple[tuple[int, int], ...]]


@dataclass(frozen=True, eq=False, kw_only=True)
class CalendarRow:
    """What one calendar differs in from the others.

    `months` has the spellings of each month, parted by "|", the one that is written first. `mark` is written after
    the year; it, and each of `marks`, is enough to recognise a text, and `weak_marks` are so only beside the name of
    a month. Marks in capitals are read with dots too, but not in small letters. `new_year` gives the Julian day (at
    midnight) on which a year starts. `needs_mark` says that the names of the months alone recognise nothing.
    """

    name: str
    title: str
    adjective: str
    months: tuple[str, ...]
    shape: Shape
    new_year: Callable[[int], float]
    last_year: int
    mark: str
    marks: tuple[str, ...] = ()
    weak_marks: tuple[str, ...] = ()
    needs_mark: bool = False
    #: Below this, a year on its own is written after its mark: "10 AM" would be a time of day.
    first_plain_year: int = 1
    #: Spellings that a month has only in years with a month more than usual.
    leap_year_names: tuple[tuple[int, str], ...] = ()
    is_roman: bool = False


def _get_julian_date(module: str, month: int, year: int) -> float:
    return float(import_module(f"convertdate.{module}").to_jd(year, month, 1))


def _get_ethiopian_new_year(year: int) -> float:
    # The Coptic year, counted from another epoch.
    return _get_julian_date("coptic", 1, year - 276)


@cache
def _load_equinox_years() -> dict[str, tuple[int, int, str]]:
    """For each calendar the Gregorian year and month in which year 1 starts, and a digit for the day of each year."""
    years: dict[str, tuple[int, int, str]] = {}
    name = ""
    for line in read_text("equinoxes.txt", __package__).splitlines():
        if line[0].isalpha():
            name, first, month = line.split()
            years[name] = (int(first), int(month), "")
        elif line[0].isdigit():
            years[name] = (*years[name][:2], years[name][2] + line)
    return years


def _get_equinox_new_year(name: str, year: int) -> float:
    """The day that the table has; computing the equinoxes takes longer than all else that a date needs."""
    first, month, digits = _load_equinox_years()[name]
    return day_number(first + year - 1, month, _FIRST_EQUINOX_DAY + int(digits[year - 1])) + _JULIAN_DAY_OF_1970


#: The earliest day of the month in the table of equinoxes.
_FIRST_EQUINOX_DAY = 19
_JULIAN_DAY_OF_1970 = 2_440_587.5


def compute_equinox_new_year(name: str, year: int) -> float:
    """The Julian day on which a year starts, as `convertdate` computes it: what the table was made from."""
    if name == "persian":
        # What `persian.to_jd` comes to for 1 Farvardin, without the ten other equinoxes that it computes on the way.
        return float(import_module("convertdate.persian").equinox_jd(year + 621)) + 0.5
    return _get_julian_date(name, 1, year)


def _make_fixed_months(lengths: tuple[int, ...], days: int) -> tuple[tuple[int, int], ...]:
    """Months of fixed lengths; the one of length 0 takes the days that are left."""
    rest = days - sum(lengths)
    return tuple((number, length or rest) for number, length in enumerate(lengths, 1))


def _make_hebrew_months(days: int) -> tuple[tuple[int, int], ...]:
    """From Tishri (7) to Elul (6); the length of the year says which months are long and whether there are 13."""
    is_leap, last_digit = days > 360, days % 10
    heshvan, kislev = 29 + (last_digit == 5), 30 - (last_digit == 3)
    winter = ((7, 30), (8, heshvan), (9, kislev), (10, 29), (11, 30), (12, 30 if is_leap else 29))
    return (*winter, *(((13, 29),) if is_leap else ()), (1, 30), (2, 29), (3, 30), (4, 29), (5, 30), (6, 29))


ROWS: tuple[CalendarRow, ...] = (
    CalendarRow(
        name="hebrew",
        title="Hebrew (year from Tishri, months numbered from Nisan)",
        adjective="Hebrew",
        months=(
            "Nisan|Nissan",
            "Iyar|Iyyar",
            "Sivan|Siwan",
            "Tammuz|Tamuz",
            "Av|Ab|Menachem Av",
            "Elul|Ellul",
            "Tishri|Tishrei|Tishre",
            "Heshvan|Cheshvan|Marheshvan|Marcheshvan|Mar-Heshvan|Mar-Cheshvan",
            "Kislev|Chislev|Kislew",
            "Tevet|Teveth|Tebet|Tebeth",
            "Shevat|Shvat|Shebat|Sebat",
            "Adar",
            "Adar II|Adar Bet|Adar Beth|Adar B|Adar Sheni|Veadar|Ve-Adar|Adar",
        ),
        leap_year_names=((12, "Adar I|Adar Aleph|Adar Alef|Adar A|Adar Rishon"),),
        shape=_make_hebrew_months,
        new_year=partial(_get_julian_date, "hebrew", 7),
        last_year=9999,
        mark="AM",
        marks=("Anno Mundi",),
        first_plain_year=100,
    ),
    CalendarRow(
        name="islamic",
        title="Islamic (tabular, civil epoch)",
        adjective="Islamic",
        months=(
            "Muharram|al-Muharram|Moharram|محرم",
            "Safar|صفر",
            "Rabi' al-Awwal|Rabi I|Rabi' ul-Awwal|Rabi' al-Ula|Rabi' al-Aww|ربيع الأول",
            "Rabi' al-Thani|Rabi II|Rabi' ath-Thani|Rabi' al-Akhir|Rabi' ul-Akhir|Rabi' us-Sani|Rabi' al-Sani"
            "|ربيع الآخر|ربيع الثاني",
            "Jumada al-Ula|Jumada I|Jumada al-Awwal|Jumada'l-Ula|Jumada al-Oula|Jumadi al-Awwal|Jamadi ul-Awwal"
            "|جمادى الأولى",
            "Jumada al-Akhirah|Jumada II|Jumada al-Akhira|Jumada al-Thani|Jumada ath-Thani|Jumada al-Thaniyah"
            "|Jumada ath-Thaniyah|Jumada al-Thaniya|Jumada'l-Akhira|Jumadi al-Thani|Jamadi us-Sani|Jamadi"
            " ul-Akhir|جمادى الآخرة|جمادى الثانية",
            "Rajab|رجب",
            "Sha'ban|Shaaban|شعبان",
            "Ramadan|Ramadhan|Ramazan|Ramzan|رمضان",
            "Shawwal|Shawal|شوال",
            "Dhu al-Qa'dah|Dhu'l-Qa'dah|Dhu al-Qa'da|Dhu'l-Qa'da|Dhu al-Qi'dah|Dhul-Qi'dah|Zu al-Qa'dah"
            "|Zulqadah|Zilqada|ذو القعدة|ذي القعدة",
            "Dhu al-Hijjah|Dhu'l-Hijjah|Dhu al-Hijja|Dhu'l-Hijja|Zu al-Hijjah|Zul-Hijjah|Zulhijja|Zilhijja|ذو"
            " الحجة|ذي الحجة",
        ),
        shape=partial(_make_fixed_months, (30, 29, 30, 29, 30, 29, 30, 29, 30, 29, 30, 0)),
        new_year=partial(_get_julian_date, "islamic", 1),
        last_year=9999,
        mark="AH",
        marks=("Anno Hegirae", "Hijri"),
        weak_marks=("H",),
    ),
    CalendarRow(
        name="persian",
        title="Persian Solar Hijri (new year by the equinox at Tehran)",
        adjective="Persian",
        months=(
            "Farvardin|Farwardin|فروردین",
            "Ordibehesht|Urdibehesht|اردیبهشت",
            "Khordad|Khurdad|خرداد",
            "Tir|تیر",
            "Mordad|Amordad|Murdad|مرداد|امرداد",
            "Shahrivar|Shahriwar|شهریور",
            "Mehr|Mihr|مهر",
            "Aban|آبان",
            "Azar|آذر",
            "Dey|دی",
            "Bahman|بهمن",
            "Esfand|Isfand|Espand|اسفند",
        ),
        shape=partial(_make_fixed_months, (31, 31, 31, 31, 31, 31, 30, 30, 30, 30, 30, 0)),
        new_year=partial(_get_equinox_new_year, "persian"),
        last_year=2377,
        mark="SH",
        marks=("AP", "Anno Persico", "Solar Hijri", "AHS"),
    ),
    CalendarRow(
        name="french_republican",
        title="French Republican (new year by the autumn equinox)",
        adjective="French Republican",
        months=(
            *("Vendémiaire", "Brumaire", "Frimaire", "Nivôse", "Pluviôse", "Ventôse"),
            *("Germinal", "Floréal", "Prairial", "Messidor", "Thermidor|Fervidor", "Fructidor"),
            "Sansculottides|Sans-culottides|jour complémentaire|jours complémentaires|complementary day"
            "|complementary days",
        ),
        shape=partial(_make_fixed_months, (30,) * 12 + (0,)),
        new_year=partial(_get_equinox_new_year, "french_republican"),
        last_year=1208,
        mark="an",
        is_roman=True,
    ),
    CalendarRow(
        name="indian_civil",
        title="Indian national calendar (Saka era)",
        adjective="Indian national",
        months=(
            "Chaitra|Caitra",
            "Vaishakha|Vaisakha|Baisakha",
            "Jyeshtha|Jyaishtha|Jyaistha",
            "Ashadha|Asadha|Ashada",
            "Shravana|Sravana",
            "Bhadrapada|Bhadra|Bhadon",
            "Ashvina|Ashwin|Ashvin|Asvina|Ashwina",
            "Kartika|Karttika|Kartik",
            "Margashirsha|Margasirsa|Agrahayana",
            "Pausha|Pausa|Paush",
            "Magha",
            "Phalguna|Phalgun",
        ),
        shape=partial(_make_fixed_months, (0, 31, 31, 31, 31, 31, 30, 30, 30, 30, 30, 30)),
        new_year=partial(_get_julian_date, "indian_civil", 1),
        last_year=9999,
        mark="Saka",
        marks=("Śaka", "Shaka", "Saka Era", "Shaka Era", "Saka Samvat"),
        needs_mark=True,  # lunisolar Hindu calendars have months of the same names
    ),
    CalendarRow(
        name="coptic",
        title="Coptic (Era of the Martyrs)",
        adjective="Coptic",
        months=(
            "Thout|Thoout|Thoth|Tout|Tut",
            "Paopi|Baba|Babah|Phaophi",
            "Hathor|Hator|Hatur|Athyr",
            "Koiak|Kiahk|Kiyahk|Choiak|Khoiak",
            "Tobi|Tubah|Touba|Tybi",
            "Meshir|Amshir|Mechir",
            "Paremhat|Baramhat|Phamenoth",
            "Parmouti|Paremoude|Baramouda|Baramudah|Pharmouthi",
            "Pashons|Bashans|Pachons",
            "Paoni|Baounah|Ba'unah|Payni",
            "Epip|Abib|Epiphi|Epeiph",
            "Mesori|Mesra|Misra|Mesore",
            "Pi Kogi Enavot|Pi Kogi|Nasie|al-Nasi|Nasi|Little Month|Epagomenal Days",
        ),
        shape=partial(_make_fixed_months, (30,) * 12 + (0,)),
        new_year=partial(_get_julian_date, "coptic", 1),
        last_year=9999,
        mark="Anno Martyrum",
        marks=("EM", "Era of the Martyrs", "Era of Martyrs"),
        weak_marks=("AM",),
    ),
    CalendarRow(
        name="ethiopian",
        title="Ethiopian (Amete Mihret)",
        adjective="Ethiopian",
        months=(
            "Meskerem|Mäskäräm|መስከረም",
            "Tikimt|Tikemt|Teqemt|Tekemt|ጥቅምት",
            "Hidar|Hedar|ኅዳር|ህዳር",
            "Tahsas|Tahisas|ታኅሣሥ|ታህሳስ",
            "Tir|Ter|ጥር",
            "Yekatit|Yakatit|የካቲት",
            "Megabit|Maggabit|መጋቢት",
            "Miyazya|Miazia|Miyazia|Miyaziya|ሚያዝያ",
            "Ginbot|Genbot|ግንቦት",
            "Sene|Sane|ሰኔ",
            "Hamle|ሐምሌ",
            "Nehase|Nehasse|Nahase|ነሐሴ",
            "Pagume|Pagumen|Pagumiene|ጳጉሜን|ጳጉሜ",
        ),
        shape=partial(_make_fixed_months, (30,) * 12 + (0,)),
        new_year=_get_ethiopian_new_year,
        last_year=9999,
        mark="Amete Mihret",
        marks=("EC", "Ethiopian Era", "Ethiopian calendar"),
    ),
    CalendarRow(
        name="armenian",
        title="Armenian (moveable year of 365 days)",
        adjective="Armenian",
        months=(
            "Nawasard|Navasard",
            "Hori",
            "Sahmi",
            "Tre",
            "Kaghots|Kalots|Kałoc",
            "Arats|Arac",
            "Mehekan|Mehekani",
            "Areg",
            "Ahekan|Ahekani",
            "Mareri",
            "Margats|Margac",
            "Hrotits|Hrotic",
            "Aweleats|Aweleac|Avelyats",
        ),
        shape=partial(_make_fixed_months, (30,) * 12 + (0,)),
        new_year=partial(_get_julian_date, "armenian", 1),
        last_year=9999,
        mark="Armenian Era",
        weak_marks=("AE",),
    ),
    CalendarRow(
        name="bahai",
        title="Bahá'í (Badí', new year by the equinox at Tehran)",
        adjective="Bahá'í",
        months=(
            "Bahá|Splendour|Splendor",
            "Jalál|Glory",
            "Jamál|Beauty",
            "'Aẓamat|Grandeur",
            "Núr|Light",
            "Raḥmat|Mercy",
            "Kalimát|Words",
            "Kamál|Perfection",
            "Asmá'|Names",
            "'Izzat|Might",
            "Mashíyyat|Will",
            "'Ilm|Knowledge",
            "Qudrat|Power",
            "Qawl|Speech",
            "Masá'il|Questions",
            "Sharaf|Honour|Honor",
            "Sulṭán|Sovereignty",
            "Mulk|Dominion",
            "Ayyám-i-Há|Days of Há|Intercalary Days",
            "'Alá'|Loftiness",
        ),
        shape=partial(_make_fixed_months, (19,) * 18 + (0, 19)),
        new_year=partial(_get_equinox_new_year, "bahai"),
        last_year=1156,
        mark="BE",
        marks=("Bahá'í Era", "Badí'"),
        needs_mark=True,  # the names of its months are also words and people's names
    ),
    CalendarRow(
        name="positivist",
        title="Positivist (Comte)",
        adjective="Positivist",
        months=(
            *("Moses", "Homer", "Aristotle", "Archimedes", "Caesar", "Saint Paul|St. Paul|St Paul", "Charlemagne"),
            *("Dante", "Gutenberg", "Shakespeare", "Descartes", "Frederic|Frederick|Frederick II", "Bichat"),
            "Complementary Days|Complementary Day",
        ),
        shape=partial(_make_fixed_months, (28,) * 13 + (0,)),
        new_year=partial(_get_julian_date, "positivist", 1),
        last_year=9999,
        mark="(Positivist)",
        needs_mark=True,  # its months have people's names
    ),
)
