"""The Japanese grammar, in layers: words, what is counted from a time, times side by side, ranges."""

from __future__ import annotations

from epochal.reading.grammar import Rule

__all__ = ["LAYERS", "MACROS"]

#: Patterns with a name, for use in the rules.
MACROS = {
    "DIGITS": "SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | YEAR | DECIMAL",
    "NUMBER": "DIGITS | NUMBER_WORD{1,8}",
    "MONTH": "NUMBER MONTH_MARK",
    "DAY_OF_MONTH": "NUMBER DAY_MARK",
    "MARK": "YEAR_MARK | DAY_MARK | MINUTE_MARK | SECOND_MARK",
    "TURN": "LAST | NEXT | THIS",
    "NODE": "DAY | PERIOD | TIME | MOMENT",
    "GLUE": '"," | OF | "(" | ")" | "/"',
    "UNTIL": 'TO | "-" | FROM',
    "HALF_DAY": "AM_PM | DAYPART",
}

_WORDS = (
    # ------------------------------------------------ amounts whose units could be of a date
    Rule(
        "marked_duration",
        "NUMBER MARK HALF? &(ABOUT? (BEFORE | HENCE | WITHIN))",
        "彼女は[3日]前に来た。",
        "1998-03-02",
    ),
    Rule("marked_duration", "<(LAST | NEXT) NUMBER MARK !(NUMBER (MONTH_MARK | HOUR_SIGN))", "過去[3年]の株価", "P3Y"),
    # ------------------------------------------------ clock times
    Rule(
        "marked_clock",
        "HALF_DAY? OF? NUMBER HOUR_SIGN (NUMBER MINUTE_MARK (NUMBER SECOND_MARK)? BEFORE? | HALF)? AM_PM?",
        "会議は[午後3時30分]に始まる。",
        "T15:30",
    ),
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
    Rule("numeric_date", "NUMERIC_DATE", "[2024-05-14]に会った。", "2024-05-14"),
    Rule(
        "numeric_date",
        '<!ANY DAY_MONTH !(OTHER | UNIT) | DAY_MONTH &("(" | OF (CLOCK | NUMBER HOUR_SIGN))',
        "[5/14](火)",
        "1998-05-14",
    ),
    Rule("marked_decade", "NUMBER DECADE_MARK (OF? PART)?", "[1920年代]に芸術が栄えた。", "192"),
    Rule("marked_century", "ERA? NUMBER UNIT (OF? PART)?", "彼は[18世紀]の人だ。", "17"),
    Rule("part_unit", "YEAR PART_UNIT", "[1997年末]に帰った。", "1997"),
    Rule("season", "YEAR SEASON", "[2021春]の新作", "2021-SP"),
    Rule("year", 'YEAR !("-" | UNIT | OTHER)', "結果: [1998]。", "1998"),
    Rule("ordinal_of_year", "(ORDINAL | SMALL_NUMBER) UNIT !(BEFORE | HENCE)", "[第3四半期]の売上", "1998-Q3"),
    Rule("named_half_year", "HALF_YEAR", "1997年[上半期]の売上", "1997-H1"),
    Rule("ordinal_weekday", "ORDINAL WEEKDAY", "3月の[第3火曜日]", "1998-03-17"),
    Rule("ordinal_unit", "ORDINAL UNIT", "10月の[最初の週]", "1998-W41"),
    # ------------------------------------------------ sets
    Rule("every", "FREQUENCY WEEKDAY", "[毎週月曜日]は休みだ。", "XXXX-WXX-1"),
    Rule("frequency", "FREQUENCY", "[毎日]走る。", "P1D"),
    # ------------------------------------------------ last, this, next
    Rule("rolling", "(LAST | NEXT) (NUMBER | FEW) UNIT", "[過去2週間]は雨だった。", "P2W"),
    Rule("pointed_word", "POINTED", "1944年6月6日に来た。[翌日]帰った。", "1944-06-07"),
    Rule("unit_word", "UNIT_WORD", "[先週]来た。", "1998-W09"),
    Rule("unit", "TURN UNIT", "[次の世紀]の芸術", "20"),
    Rule("weekday", "TURN WEEKDAY", "[前の金曜日]に来た。", "1998-02-27"),
    Rule("season", 'TURN SEASON | SEASON &(OF | "," | ".")', "1990年の[夏]に来た。", "1990-SU"),
    Rule("holiday", "HOLIDAY", "1999年の[クリスマス]", "1999-12-25"),
    Rule("part_of_this_month", "MONTH_MARK PART", "[月末]に帰る。", "1998-03"),
    Rule("part_unit", "PART_UNIT", "[年末]に帰る。", "1998"),
    # ------------------------------------------------ today
    Rule("today", "TODAY (OF? DAYPART)?", "[昨日]雨が降った。", "1998-03-04"),
    Rule("weekday_part", "WEEKDAY OF? DAYPART !NUMBER", "[金曜日の夜]に来た。", "1998-02-27TNI"),
    Rule("weekday", "WEEKDAY", "[金曜日]に来た。", "1998-02-27"),
    Rule("weekday_in_brackets", '<"(" (WEEKDAY_SIGN | MONTH_MARK | DAY_MARK) &")"', "5月15日([金])", "1998-05-15"),
    # ------------------------------------------------ amounts
    Rule("duration", "ABOUT? (NUMBER | FEW) UNIT HALF?", "[2時間半]かかった。", "PT2H30M"),
    Rule("marked_duration", "NUMBER (YEAR_MARK | MINUTE_MARK | SECOND_MARK) HALF?", "[3年]かかった。", "P3Y"),
    Rule("whole_duration", "WHOLE_DURATION", "[半年]かかった。", "P6M"),
    Rule("weekend", "UNIT", "[週末]は休む。", "1998-W10-WE"),
    Rule("daypart", "DAYPART &OF", "[夜]に来た。", "TNI"),
    Rule("reference", "NOW", "[現在]の首相", "PRESENT_REF"),
)

_COUNTED = (
    Rule("durations", "DURATION DURATION", "[2年3ヶ月]かかった。", "P2Y3M"),
    Rule("rolling", "DURATION WITHIN", "[2週間以内]に来る。", "P2W"),
    Rule("rolling", "(LAST | NEXT) DURATION", "[過去3年]の株価", "P3Y"),
    Rule("ago", "DURATION ABOUT? BEFORE", "彼女は[3日前]に来た。", "1998-03-02"),
    Rule("ahead", "DURATION ABOUT? HENCE", "彼女は[2週間後]に来る。", "1998-W12"),
    Rule("about", "(TIME | MOMENT | PERIOD | DAY) ABOUT", "[3時ごろ]来る。", "T03"),
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
    Rule("range_of", "NODE UNTIL NODE TO?", "[5月4日から5月6日まで]", "1998-05-04/1998-05-06"),
    Rule("since", "TIME FROM", "[14時から]開く。", "1998-03-05T14/.."),
    Rule("until", "TIME (TO | BEFORE)", "[11時まで]開く。", "../1998-03-05T11"),
)

_DAYS = (Rule("join", "DAY GLUE{0,2} RANGE", "[金曜日9:30から11:00]", "1998-03-06T09:30/1998-03-06T11:00"),)

#: The rules, layer by layer.
LAYERS = (_WORDS, _COUNTED, _CLOCKS, _JOINED, _JOINED, _RANGES, _DAYS)
