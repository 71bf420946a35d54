"""The Japanese grammar, in layers: words, what is counted from a time, times side by side, ranges."""

from __future__ import annotations

from epochal.reading.grammar import Rule
from epochal.reading.shared.amounts import rolling
from epochal.reading.shared.marked import marked_clock, marked_duration
from epochal.reading.shared.match import Match, NoTime, rule
from epochal.reading.shared.parts import Parsed, Parts, Range, Rolling

__all__ = ["LAYERS", "MACROS"]

#: The first letters of the reigns, as forms and calendars write them.
_INITIALS = {"m": "明治", "t": "大正", "s": "昭和", "h": "平成", "r": "令和"}
#: What follows 十分 as ten minutes and 一時 as one o'clock: they are "enough" and "for a while", too.
_AFTER_MINUTES = frozenset("間前後以ほくぐで過")
_AFTER_HOUR = frozenset("にかまごこ頃過前ち0123456789")


@rule
def japanese_reign_date(match: Match) -> Parsed | NoTime | None:
    """A date of a reign in digits: 令和3.7.18, H30/4/1."""
    groups = match.value("REIGN_DATE")
    start = match.tokeniser.value(_INITIALS.get(groups["reign"], groups["reign"]))
    return Parts(
        year=int(start) + int(groups["y"]), month=int(groups["m"]), day=int(groups["d"]) if groups["d"] else None
    )


@rule
def japanese_rolling(match: Match) -> Parsed | NoTime | None:
    """A number of units up to now or from now on; "この10年" is behind."""
    if match.has("ORDINAL") and match.value("ORDINAL") != -1:
        return None
    parsed = rolling(match)
    is_past = match.has("THIS", "ORDINAL", "PRIOR")
    return Rolling(-parsed.number, parsed.unit) if isinstance(parsed, Rolling) and is_past else parsed


@rule
def japanese_clock(match: Match) -> Parsed | NoTime | None:
    """An hour with what follows it; 一時 by itself is "for a while"."""
    is_vague = [item.word for item in match.items] == ["一", "時"] and match.char_after not in _AFTER_HOUR
    return None if is_vague else marked_clock(match)


@rule
def japanese_amount(match: Match) -> Parsed | NoTime | None:
    """An amount of years, minutes or seconds; 十分 by itself is "enough"."""
    is_vague = [item.word for item in match.items] == ["十", "分"] and match.char_after not in _AFTER_MINUTES
    return None if is_vague else marked_duration(match)


@rule
def japanese_left(match: Match) -> Parsed | NoTime | None:
    """An amount that is left: あと3日, 残り3日."""
    return marked_duration(match) if match.before in ("あと", "残り") else None


@rule
def japanese_age(match: Match) -> Parsed | NoTime | None:
    """A period of the country's history: 江戸時代."""
    first, last = map(int, str(match.value("AGE")).split())
    return Range(Parts(year=first), Parts(year=last))


#: Patterns with a name, for use in the rules.
MACROS = {
    "DIGITS": "SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | YEAR | DECIMAL",
    "NUMBER": "DIGITS | NUMBER_WORD{1,8}",
    "MONTH": "NUMBER MONTH_MARK",
    "DAY_OF_MONTH": "NUMBER DAY_MARK",
    "MARK": "YEAR_MARK | DAY_MARK | MINUTE_MARK | SECOND_MARK",
    "TURN": "LAST | PRIOR | NEXT | THIS",
    "NODE": "DAY | PERIOD | TIME | MOMENT",
    "GLUE": '"," | OF | "(" | ")" | "/"',
    "UNTIL": 'TO | "-" | FROM',
    "HALF_DAY": "AM_PM | DAYPART",
}

_WORDS = (
    # ------------------------------------------------ amounts whose units could be of a date
    Rule("marked_set", "NUMBER (MARK | UNIT) EVERY", "[3日ごと]に来る。", "P3D"),
    Rule(
        "marked_set",
        "NUMBER? UNIT OF? NUMBER (TIMES | DAY_MARK) | NUMBER DAY_MARK OF? NUMBER (TIMES | UNIT)",
        "[週に3回]走る。",
        "P1W",
    ),
    Rule(
        "marked_set",
        "<!(DIGITS | NUMBER_WORD) (YEAR_MARK | MONTH_MARK) OF? NUMBER (TIMES | UNIT | DAY_MARK)",
        "彼は[年に1度]来る。",
        "P1Y",
    ),
    Rule("nth_amount", "NUMBER (MARK | UNIT) NTH_MARK", "旅の[8日目]だった。", "P8D"),
    Rule(
        "marked_duration",
        "NUMBER MARK HALF? &((ABOUT | EXTENT)? (BEFORE !PART | PRIOR | HENCE | WITHIN) | EXTENT)",
        "彼女は[3日]前に来た。",
        "1998-03-02",
    ),
    Rule(
        "marked_duration",
        "(<(LAST | PRIOR | NEXT | THIS) | <((LAST | NEXT | THIS) OF)) NUMBER MARK !(NUMBER (MONTH_MARK | HOUR_SIGN))",
        "過去[3年]の株価",
        "P3Y",
    ),
    Rule("japanese_left", "(<HENCE | <LEFT) NUMBER MARK HALF?", "試験まであと[3日]だ。", "P3D"),
    # ------------------------------------------------ clock times
    Rule(
        "japanese_clock",
        "SAME? HALF_DAY? OF? NUMBER HOUR_SIGN (NUMBER MINUTE_MARK (NUMBER SECOND_MARK)? BEFORE? | HALF)? AM_PM?",
        "会議は[午後3時30分]に始まる。",
        "T15:30",
    ),
    Rule("hour_of_half", "SMALL_NUMBER AM_PM", "会議は[3pm]に始まる。", "T15"),
    Rule("clock", "HALF_DAY? CLOCK AM_PM? ZONE?", "会議は[午後3:30]に始まる。", "T15:30"),
    # ------------------------------------------------ dates
    Rule(
        "marked_date",
        '(ERA | REIGN)? (NUMBER | FIRST) YEAR_MARK (OF | "/")? MONTH (OF? DAY_OF_MONTH | OF? PART)?',
        "[2024年5月14日]に会った。",
        "2024-05-14",
    ),
    Rule("marked_date", "REIGN (NUMBER | FIRST) YEAR_MARK PART?", "[昭和20年]に終戦を迎えた。", "1945"),
    Rule("marked_date", "NUMBER MONTH_MARK OF? DAY_OF_MONTH", "[5月14日]に会った。", "1997-05-14"),
    Rule("marked_date", "NUMBER MONTH_MARK (OF? PART)?", "[5月上旬]に会った。", "1997-05"),
    Rule(
        "marked_date",
        "ERA? (YEAR | THREE_DIGITS | NUMBER_WORD{3,8}) YEAR_MARK (OF? PART)?",
        "[1998年]に始まった。",
        "1998",
    ),
    Rule("marked_date", "ERA (SMALL_NUMBER | NUMBER_WORD+) YEAR_MARK", "[紀元前44年]に死んだ。", "BC0044"),
    Rule("marked_date", "NUMBER DAY_MARK", "[14日]に会った。", "1998-02-14"),
    Rule("date", "MONTH_NAME PART?", "[ろくがつ]に会った。", "1997-06"),
    Rule("japanese_reign_date", "REIGN_DATE", "[令和6.5.14]に会った。", "2024-05-14"),
    Rule("numeric_date", "NUMERIC_DATE", "[2024-05-14]に会った。", "2024-05-14"),
    Rule(
        "numeric_date",
        '<!ANY DAY_MONTH !(OTHER | UNIT) | <(DAY "-") DAY_MONTH'
        ' | DAY_MONTH &(WEEKDAY_SIGN | OF (CLOCK | NUMBER HOUR_SIGN) | "-" DAY_MONTH | FROM | TO)',
        "[5/14](火)",
        "1998-05-14",
    ),
    Rule("marked_decade", "NUMBER DECADE_MARK (OF? PART)?", "[1920年代]に芸術が栄えた。", "192"),
    Rule("marked_century", "ERA? NUMBER UNIT (OF? PART)?", "彼は[18世紀]の人だ。", "17"),
    Rule("japanese_age", "AGE", "[江戸時代]の文化", "1603/1868"),
    Rule("part_unit", "YEAR PART_UNIT", "[1997年末]に帰った。", "1997"),
    Rule("season", "YEAR SEASON", "[2021春]の新作", "2021-SP"),
    Rule("year", 'YEAR !("-" | UNIT | OTHER)', "結果: [1998]。", "1998"),
    Rule("ordinal_of_year", "(ORDINAL | SMALL_NUMBER) UNIT !(BEFORE | HENCE)", "[第3四半期]の売上", "1998-Q3"),
    Rule("named_half_year", "HALF_YEAR", "1997年[上半期]の売上", "1997-H1"),
    Rule("ordinal_weekday", "ORDINAL WEEKDAY", "3月の[第3火曜日]", "1998-03-17"),
    Rule("ordinal_unit", "ORDINAL UNIT", "10月の[最初の週]", "1998-W40"),
    # ------------------------------------------------ sets
    Rule("every", "FREQUENCY OF? ORDINAL OF? WEEKDAY", "[毎月第2火曜日]は休みだ。", "XXXX-WXX-2"),
    Rule("every", "FREQUENCY OF? WEEKDAY", "[毎週月曜日]は休みだ。", "XXXX-WXX-1"),
    Rule("frequency", "FREQUENCY", "[毎日]走る。", "P1D"),
    # ------------------------------------------------ last, this, next
    Rule("japanese_rolling", "(LAST | PRIOR | NEXT | THIS) OF? (NUMBER | FEW) UNIT", "[過去2週間]は雨だった。", "P2W"),
    Rule(
        "pointed_mark",
        "<!DURATION (PRIOR | NEXT | THAT | THIS) (DAY_MARK | MONTH_MARK | YEAR_MARK) | <!DURATION (NEXT | THAT) UNIT",
        "1944年6月6日に来た。[次の日]帰った。",
        "1944-06-07",
    ),
    Rule("pointed_word", "POINTED", "1944年6月6日に来た。[翌日]帰った。", "1944-06-07"),
    Rule("unit_word", "UNIT_WORD", "[先週]来た。", "1998-W09"),
    Rule("unit", "<!DURATION TURN UNIT", "[次の世紀]の芸術", "20"),
    Rule("weekday", "<!DURATION TURN WEEKDAY", "[前の金曜日]に来た。", "1998-02-27"),
    Rule(
        "season", '<!DURATION TURN SEASON | <PRIOR SEASON | SEASON &(OF | "," | ".")', "1990年の[夏]に来た。", "1990-SU"
    ),
    Rule("holiday", "HOLIDAY", "1999年の[クリスマス]", "1999-12-25"),
    Rule("part_of_this_month", "MONTH_MARK OF? PART", "[月末]に帰る。", "1998-03"),
    Rule("half_of", "MONTH_MARK OF? HALF_OF", "[月の前半]に帰る。", "1998-03-01/1998-03-15"),
    Rule("part_unit", "PART_UNIT", "[年末]に帰る。", "1998"),
    # ------------------------------------------------ today
    Rule("today", "TODAY (OF? DAYPART)?", "[昨日]雨が降った。", "1998-03-04"),
    Rule("weekday_part", "WEEKDAY OF? DAYPART !NUMBER", "[金曜日の夜]に来た。", "1998-02-27TNI"),
    Rule("weekday", "WEEKDAY", "[金曜日]に来た。", "1998-02-27"),
    Rule(
        "weekday_in_brackets",
        "<DAY WEEKDAY_SIGN | <!ANY WEEKDAY_SIGN | WEEKDAY_SIGN &(OF? (CLOCK | AM_PM | NUMBER HOUR_SIGN))",
        "5月15日[(金)]",
        "1998-05-15",
    ),
    # ------------------------------------------------ amounts
    Rule("duration", "ABOUT? (NUMBER | FEW | DAY_MONTH) UNIT HALF?", "[2時間半]かかった。", "PT2H30M"),
    Rule("japanese_amount", "NUMBER (YEAR_MARK | MINUTE_MARK | SECOND_MARK) HALF?", "[3年]かかった。", "P3Y"),
    Rule("few_units", "FEW MARK", "[数年]かかった。", "PXY"),
    Rule("whole_duration", "WHOLE_DURATION", "[半年]かかった。", "P6M"),
    Rule("weekend", "UNIT", "[週末]は休む。", "1998-W10-WE"),
    Rule(
        "daypart",
        'DAYPART &(OF | "," | TO | FROM) | <FROM DAYPART | <PRIOR DAYPART | <!ANY DAYPART !ANY',
        "[夜]に来た。",
        "TNI",
    ),
    Rule("half_of_day", "AM_PM !(NUMBER | CLOCK | OF NUMBER HOUR_SIGN)", "明日の[午後]に来る。", "1998-03-06TAF"),
    Rule("reference", "<!(DAY | PERIOD | TIME | MOMENT) NOW", "[現在]の首相", "PRESENT_REF"),
)

_COUNTED = (
    Rule("durations", "DURATION DURATION", "[2年3ヶ月]かかった。", "P2Y3M"),
    Rule("rolling", "DURATION WITHIN", "[2週間以内]に来る。", "P2W"),
    Rule("japanese_rolling", "(LAST | PRIOR | NEXT | THIS | ORDINAL) OF? DURATION", "[過去3年]の株価", "P3Y"),
    Rule(
        "after_time", "(DAY | PERIOD) (FROM | OF) DURATION EXTENT? HENCE", "[5月5日から2週間後]に来る。", "1998-05-19"
    ),
    Rule("before_time", "(DAY | PERIOD) OF DURATION BEFORE", "[5月5日の2日前]に来る。", "1998-05-03"),
    Rule("ago", "NOW_FROM? DURATION (ABOUT | EXTENT)? (BEFORE | PRIOR)", "彼女は[3日前]に来た。", "1998-03-02"),
    Rule("ahead", "NOW_FROM? DURATION (ABOUT | EXTENT)? HENCE", "彼女は[2週間後]に来る。", "1998-W12"),
    Rule("about", "(TIME | MOMENT | PERIOD | DAY) (ABOUT | EXTENT)", "[3時ごろ]来る。", "T03"),
    Rule("half_of", "PERIOD OF? HALF_OF", "[1997年の前半]に来た。", "1997-H1"),
    Rule("part_of", "(PERIOD | DAY) OF? PART", "[先月の終わり]に来た。", "1998-02"),
)

_CLOCKS = (Rule("range_of", "TIME UNTIL TIME TO?", "[9:30から11:00まで]", "1998-03-05T09:30/1998-03-05T11:00"),)

_JOINED = (
    Rule(
        "join",
        "(DAY | PERIOD | TIME | MOMENT) GLUE{0,2} (DAY | PERIOD | TIME | MOMENT)",
        "[5月15日金曜日]",
        "1998-05-15",
    ),
)

_RANGES = (
    Rule("set_and_time", "SET GLUE{0,2} TIME", "[毎週月曜日午後4時]に始まる。", "XXXX-WXX-1T16:00"),
    Rule("range_of", "NODE UNTIL NODE TO?", "[5月4日から5月6日まで]", "1998-05-04/1998-05-06"),
    Rule("since", "NODE (FROM | SINCE)", "[14時から]開く。", "1998-03-05T14/.."),
    Rule("since", 'NODE "-" !ANY', "[2021年～]", "2021/.."),
    Rule("until", "NODE (TO | UP_TO) | TIME BEFORE", "[11時まで]開く。", "../1998-03-05T11"),
)

_DAYS = (Rule("join", "DAY GLUE{0,2} RANGE", "[金曜日9:30から11:00]", "1998-03-06T09:30/1998-03-06T11:00"),)

#: The rules, layer by layer.
LAYERS = (_WORDS, _COUNTED, _CLOCKS, _JOINED, _JOINED, _RANGES, _DAYS)
