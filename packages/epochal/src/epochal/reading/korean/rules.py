"""The Korean grammar, in layers: words, what is counted from a time, times side by side, ranges."""

from __future__ import annotations

from dataclasses import replace

from epochal.reading.grammar import Rule
from epochal.reading.shared.marked import marked_clock, marked_date, marked_duration
from epochal.reading.shared.match import Match, NoTime, rule
from epochal.reading.shared.parts import Amount, Parsed, Parts, TimeUnit

__all__ = ["LAYERS", "MACROS"]

#: Hours are counted with native numbers ("세 시"), minutes and days with those of Chinese ("삼 분"): the others make
#: other words, such as "오시는" (who comes), "두 분" (two persons), "구분" (distinction).
_CHINESE = frozenset("삼 사 오 육 칠 팔 구 십 백 천 영".split())
_NATIVE = frozenset("한 하나 두 둘 세 셋 석 네 넷 넉 다섯 여섯 일곱 여덟 아홉 열 스물 스무 서른 마흔 쉰".split())
_OTHER_WORDS = frozenset({"구분", "십분", "사분", "사초", "백분", "천년"})


@rule
def korean_clock(match: Match) -> Parsed | NoTime | None:
    """An hour with what follows it; a number of Chinese by itself is no hour."""
    place = match.all("HOUR_SIGN")[0].start
    hours = [item.word for item in match.all("NUMBER_WORD") if item.start < place]
    return None if len(hours) == 1 and hours[0] in _CHINESE and hours != ["영"] else marked_clock(match)


@rule
def korean_amount(match: Match) -> Parsed | NoTime | None:
    """An amount of years, days, minutes or seconds, which numbers of Chinese count."""
    words = [item.word for item in match.items]
    numbers = match.all("NUMBER_WORD")
    is_native = bool(numbers) and numbers[-1].word in _NATIVE
    return None if is_native or "".join(words) in _OTHER_WORDS else marked_duration(match)


@rule
def doubtful_duration(match: Match) -> Parsed | NoTime | None:
    """A length in one word that is another word too, beside one that counts from now."""
    number, _, name = str(match.value("DOUBTFUL_DURATION")).partition(" ")
    return Amount(((float(number), TimeUnit.named(name)),))


@rule
def korean_turn_day(match: Match) -> Parsed | NoTime | None:
    """The last or the coming such day of a month, as news write it: "지난 15일", "오는 20일"."""
    return marked_date(match) if match.word("LAST", "NEXT") in ("지난", "오는") else None


@rule
def early_part(match: Match) -> Parsed | NoTime | None:
    """The beginning of a time, with a word that is also that for seconds: "3월 초"."""
    time = match.times[0]
    return None if time.mod or time.has_clock else replace(time, mod="START")


@rule
def this_year(match: Match) -> Parsed | NoTime | None:
    """A word for "this year" that counts before a part of it only: "올 여름"."""
    return Parts(unit=TimeUnit.named("year"), step=0)


#: Patterns with a name, for use in the rules.
MACROS = {
    "DIGITS": "SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | YEAR | DECIMAL",
    "NUMBER": "DIGITS | NUMBER_WORD+",
    "MONTH": "NUMBER MONTH_MARK | MONTH_NAME",
    "DAY_OF_MONTH": "NUMBER DAY_MARK",
    "MARK": "YEAR_MARK | DAY_MARK | MINUTE_MARK | SECOND_MARK",
    "TURN": "LAST | NEXT | THIS",
    "NODE": "DAY | PERIOD | TIME | MOMENT",
    "GLUE": '"," | OF | "(" | ")"',
    "UNTIL": 'TO | "-" | FROM',
    "HALF_DAY": "AM_PM | DAYPART",
}

_WORDS = (
    # ------------------------------------------------ amounts whose units could be of a date
    Rule("marked_set", "NUMBER (MARK | UNIT) EVERY", "[3일마다] 온다.", "P3D"),
    Rule(
        "marked_set",
        "(WHOLE_DURATION | NUMBER? UNIT | NUMBER (DAY_MARK | YEAR_MARK)) OF NUMBER (TIMES | DAY_MARK | UNIT)",
        "[일주일에 세 번] 달린다.",
        "P1W",
    ),
    Rule("nth_amount", "(NUMBER (MARK | UNIT) | WHOLE_DURATION) NTH_MARK", "여행 [8일째] 였다.", "P8D"),
    Rule(
        "marked_duration",
        "NUMBER MARK HALF? &(ABOUT? (BEFORE | UP_TO | HENCE | WITHIN))",
        "그녀는 [3일] 전에 왔다.",
        "1998-03-02",
    ),
    Rule("korean_turn_day", "(LAST | NEXT) SMALL_NUMBER DAY_MARK", "[지난 2일] 발표했다.", "1998-03-02"),
    Rule(
        "marked_duration",
        "<(LAST | NEXT) NUMBER MARK !(NUMBER (MONTH_MARK | HOUR_SIGN))",
        "지난 [3년] 주가가 올랐다.",
        "P3Y",
    ),
    Rule(
        "doubtful_duration",
        "<(LAST | NEXT) DOUBTFUL_DURATION | DOUBTFUL_DURATION &(BEFORE | UP_TO | HENCE | WITHIN | EVERY)",
        "그녀는 [이주] 전에 왔다.",
        "1998-W08",
    ),
    # ------------------------------------------------ clock times
    Rule(
        "korean_clock",
        "HALF_DAY? NUMBER HOUR_SIGN (NUMBER MINUTE_MARK (BEFORE | NUMBER SECOND_MARK)? | HALF)?",
        "회의는 [오후 3시 30분] 이다.",
        "T15:30",
    ),
    Rule("hour_of_half", "SMALL_NUMBER AM_PM", "회의는 [3pm] 이다.", "T15"),
    Rule("clock", "HALF_DAY? CLOCK AM_PM? ZONE?", "회의는 [오후 3:30] 이다.", "T15:30"),
    # ------------------------------------------------ dates
    Rule(
        "marked_date",
        "ERA? (DIGITS | NUMBER_WORD{2,7}) YEAR_MARK MONTH (DAY_OF_MONTH | PART)?",
        "[2024년 5월 14일] 에 만났다.",
        "2024-05-14",
    ),
    Rule("marked_date", "(LAST | NEXT) NUMBER MONTH_MARK (DAY_OF_MONTH | PART)?", "[지난 11월] 발표했다.", "1997-11"),
    Rule("marked_date", "MONTH DAY_OF_MONTH", "[5월 14일] 에 만났다.", "1997-05-14"),
    Rule("marked_date", "DIGITS MONTH_MARK PART?", "[5월] 에 만났다.", "1997-05"),
    Rule(
        "marked_date",
        "ERA? (YEAR | THREE_DIGITS | NUMBER_WORD{3,7}) YEAR_MARK PART? !BEFORE",
        "[1998년] 에 시작했다.",
        "1998",
    ),
    Rule("marked_date", "ERA (SMALL_NUMBER | NUMBER_WORD+) YEAR_MARK", "[기원전 44년] 에 죽었다.", "BC0044"),
    Rule("marked_date", "SMALL_NUMBER DAY_MARK", "[14일] 에 만났다.", "1998-02-14"),
    Rule("date", "MONTH_NAME PART?", "[유월] 에 만났다.", "1997-06"),
    Rule("numeric_date", "NUMERIC_DATE", "[2024-05-14] 에 만났다.", "2024-05-14"),
    Rule("numeric_date", '<!ANY DAY_MONTH !(OTHER | UNIT) | DAY_MONTH &"("', "[5/14](화)", "1998-05-14"),
    Rule("marked_decade", "(DIGITS | NUMBER_WORD+) DECADE_MARK PART?", "[1920년대] 에 예술이 꽃피었다.", "192"),
    Rule("marked_century", "ERA? NUMBER UNIT PART?", "그는 [18세기] 사람이다.", "17"),
    Rule("year", 'YEAR !("-" | UNIT | OTHER)', "결과: [1998].", "1998"),
    Rule("ordinal_of_year", "(SMALL_NUMBER | ORDINAL) UNIT !(BEFORE | HENCE)", "[3분기] 매출이 늘었다.", "1998-Q3"),
    Rule("named_half_year", "HALF_YEAR", "1997년 [상반기] 매출이 늘었다.", "1997-H1"),
    Rule("ordinal_weekday", "ORDINAL WEEKDAY", "3월 [셋째 화요일]", "1998-03-17"),
    Rule("ordinal_unit", "ORDINAL UNIT", "10월 [첫째 주]", "1998-W40"),
    # ------------------------------------------------ sets
    Rule("every", "FREQUENCY WEEKDAY EVERY? | WEEKDAY EVERY", "[매주 월요일] 에 쉰다.", "XXXX-WXX-1"),
    Rule("frequency", "FREQUENCY", "[매일] 운동한다.", "P1D"),
    # ------------------------------------------------ last, this, next
    Rule("rolling", "(LAST | NEXT) (NUMBER | FEW) UNIT", "[지난 2주] 동안 비가 왔다.", "P2W"),
    Rule("pointed_word", "POINTED", "1944년 6월 6일 에 왔다. [다음날] 갔다.", "1944-06-07"),
    Rule(
        "this_year",
        "THIS_YEAR &(SEASON | HALF_YEAR | PART_UNIT | HOLIDAY | NUMBER MONTH_MARK | SMALL_NUMBER UNIT)",
        "[올] 여름 에 왔다.",
        "1998-SU",
    ),
    Rule("unit_word", "UNIT_WORD", "[지난주] 에 왔다.", "1998-W09"),
    Rule("unit", "TURN UNIT", "[이번 세기] 의 예술", "19"),
    Rule("weekday", "TURN WEEKDAY", "[지난 금요일] 에 왔다.", "1998-02-27"),
    Rule("season", "TURN? SEASON", "1990년 [여름] 에 왔다.", "1990-SU"),
    Rule("holiday", "HOLIDAY", "1999년 [크리스마스]", "1999-12-25"),
    Rule("part_unit", "PART_UNIT", "[연말] 에 간다.", "1998"),
    # ------------------------------------------------ today
    Rule("today", "TODAY DAYPART?", "[어제] 비가 왔다.", "1998-03-04"),
    Rule("weekday_part", "WEEKDAY DAYPART !NUMBER", "[금요일 저녁] 에 왔다.", "1998-02-27TEV"),
    Rule("weekday", "WEEKDAY", "[금요일] 에 왔다.", "1998-02-27"),
    Rule(
        "weekday_in_brackets",
        "<DAY WEEKDAY_SIGN | <!ANY WEEKDAY_SIGN | WEEKDAY_SIGN &(CLOCK | AM_PM | NUMBER HOUR_SIGN)",
        "5월 15일[(금)]",
        "1998-05-15",
    ),
    # ------------------------------------------------ amounts
    Rule("duration", "ABOUT? (NUMBER | FEW | DAY_MONTH) UNIT HALF?", "[두 시간 반] 걸렸다.", "PT2H30M"),
    Rule(
        "korean_amount",
        "(SMALL_NUMBER | NUMBER_WORD+) (YEAR_MARK | MINUTE_MARK | SECOND_MARK)",
        "[3년] 걸렸다.",
        "P3Y",
    ),
    Rule("whole_duration", "WHOLE_DURATION", "[사흘] 걸렸다.", "P3D"),
    Rule("weekend", "UNIT", "[주말] 에 쉰다.", "1998-W10-WE"),
    Rule("daypart", "DAYPART", "[저녁] 에 왔다.", "TEV"),
    Rule("half_of_day", "AM_PM !(NUMBER | CLOCK)", "내일 [오후] 에 온다.", "1998-03-06TAF"),
    Rule("reference", "<!(DAY | PERIOD | TIME | MOMENT) NOW", "[지금] 간다.", "PRESENT_REF"),
)

_COUNTED = (
    Rule("durations", "DURATION DURATION", "[2년 3개월] 걸렸다.", "P2Y3M"),
    Rule("rolling", "DURATION WITHIN", "[2주 이내] 에 온다.", "P2W"),
    Rule("rolling", "(LAST | NEXT) DURATION", "[지난 3년] 주가가 올랐다.", "P3Y"),
    Rule("after_time", "(DAY | PERIOD) FROM DURATION HENCE", "[5월 5일 부터 2주 후] 에 온다.", "1998-05-19"),
    Rule("before_time", "DAY DURATION BEFORE", "[5월 5일 이틀 전] 에 온다.", "1998-05-03"),
    Rule("after_time", "DAY DURATION HENCE", "[5월 5일 이틀 후] 에 온다.", "1998-05-07"),
    Rule("ago", "DURATION ABOUT? (BEFORE | UP_TO)", "그녀는 [3일 전] 에 왔다.", "1998-03-02"),
    Rule("ahead", "DURATION ABOUT? HENCE", "그녀는 [2주 후] 에 온다.", "1998-W12"),
    Rule("about", "(TIME | MOMENT | PERIOD | DAY) ABOUT", "[3시 쯤] 온다.", "T03"),
    Rule("early_part", "PERIOD SECOND_MARK", "[지난달 초] 에 왔다.", "1998-02"),
    Rule("half_of", "PERIOD OF? HALF_OF", "[1997년 전반] 에 왔다.", "1997-H1"),
    Rule("part_of", "(PERIOD | DAY) OF? PART", "[지난달 말] 에 왔다.", "1998-02"),
)

_CLOCKS = (Rule("range_of", "TIME UNTIL TIME TO?", "[9:30 부터 11:00 까지]", "1998-03-05T09:30/1998-03-05T11:00"),)

_JOINED = (
    Rule(
        "join",
        "(DAY | PERIOD | TIME | MOMENT) GLUE{0,2} (DAY | PERIOD | TIME | MOMENT)",
        "[5월 15일 금요일]",
        "1998-05-15",
    ),
)

_RANGES = (
    Rule("set_and_time", "SET GLUE{0,2} TIME", "[매주 월요일 오후 4시] 에 시작한다.", "XXXX-WXX-1T16:00"),
    Rule("range_of", "NODE UNTIL NODE TO?", "[5월 4일 부터 5월 6일 까지]", "1998-05-04/1998-05-06"),
    Rule("since", "NODE (FROM | SINCE | HENCE)", "[14시 부터] 연다.", "1998-03-05T14/.."),
    Rule("until", "NODE (TO | UP_TO) | TIME BEFORE", "[11시 까지] 연다.", "../1998-03-05T11"),
)

_DAYS = (Rule("join", "DAY GLUE{0,2} RANGE", "[금요일 9:30 부터 11:00]", "1998-03-06T09:30/1998-03-06T11:00"),)

#: The rules, layer by layer.
LAYERS = (_WORDS, _COUNTED, _CLOCKS, _JOINED, _JOINED, _RANGES, _DAYS)
