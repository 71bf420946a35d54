"""The Arabic grammar, in layers: words, what is counted from a time, times side by side, ranges.

Words are written here as they are read: alef without hamza, yeh for alef maksura, heh for teh marbuta.
"""

from __future__ import annotations

from epochal.reading.arabic import functions  # noqa: F401 - importing them registers the rules
from epochal.reading.grammar import Rule

__all__ = ["LAYERS", "MACROS"]

#: Patterns with a name, for use in the rules.
MACROS = {
    "WORDS": "NUMBER_WORD+ (AND NUMBER_WORD+){0,3}",
    "CARDINAL": "SMALL_NUMBER | WORDS",
    "NUMBER": "SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | DECIMAL | DAY_MONTH | FRACTION | YEAR | WORDS",
    "AMOUNT": "NUMBER | FEW",
    # الثالث، الثالث عشر، الخامس والعشرين
    "NTH": "ORDINAL NUMBER_WORD? (AND ORDINAL)?",
    "DAY_NUMBER": "SMALL_NUMBER | NTH | NUMBER_WORD NUMBER_WORD?",
    # مايو، شهر مايو، مايو/أيار، أيار (مايو)
    "MONTH": 'UNIT? MONTH_NAME ("/" MONTH_NAME | "(" MONTH_NAME ")")?',
    "ANY_YEAR": '("من" | "ل" | "في")? (UNIT AL?)? YEAR',
    "IN": '"في" | "ب" | "ل" | WITHIN',
    "GLUE": '"في" | "," | "من" | "عند" | "ل" | "ب" | MONTHS_NAME | AND | "علي" | "(" | ")"',
    "FROM": '"من"',
    "TO": '"الي" | AND? "حتي" | "-"',
    "NODE": "DAY | PERIOD | TIME | MOMENT",
    "HOUR_NUMBER": "SMALL_NUMBER | NUMBER_WORD | ORDINAL",
}

_WORDS = (
    # ------------------------------------------------ what looks like time and is not
    Rule("no_time", 'SEASON "العربي"', "ثورات [الربيع العربي] كثيرة.", None),
    Rule("no_time", '("عمره" | "عمرها" | "عمري" | "عمرهم") NUMBER UNIT', "كان [عمره 80 عاما].", None),
    Rule("no_time", '"عمر" ("يناهز")? NUMBER UNIT', "توفي عن [عمر 80 عاما].", None),
    Rule("no_time", '"العمر" NUMBER UNIT', "يبلغ من [العمر 80 عاما].", None),
    # ------------------------------------------------ clock times
    Rule(
        "arabic_clock",
        "CLOCK (AM_PM | ERA) ZONE? | <HOUR_MARK SMALL_NUMBER (AM_PM | ERA) | <!(UNIT | MONTH_NAME) SMALL_NUMBER ERA",
        "وصل الساعة [3:18 ص].",
        "T03:18",
    ),
    Rule(
        "arabic_beside_today",
        'TODAY (THAT_IS | "الي")? TODAY',
        "جاء [اليوم الذي قبل البارحة].",
        "1998-03-03",
    ),
    Rule(
        "arabic_clock",
        '<HOUR_MARK CLOCK (("في" | "من")? DAYPART)? ZONE? | CLOCK (DAYPART)? ZONE?',
        "يعقد الاجتماع في الساعة [15:30].",
        "T15:30",
    ),
    Rule(
        "arabic_hour",
        "(SMALL_NUMBER | NUMBER_WORD) LESS QUARTER_HOUR !UNIT | SMALL_NUMBER LESS CARDINAL UNIT"
        " | <!ANY (SMALL_NUMBER | NUMBER_WORD) AND QUARTER_HOUR !ANY"
        " | <HOUR_MARK (SMALL_NUMBER | NTH | NUMBER_WORD{1,2}) "
        "(AND CARDINAL UNIT? | AND QUARTER_HOUR | LESS (QUARTER_HOUR | CARDINAL UNIT?))?"
        ' (("في" | "من" | "بعد")? DAYPART)? ZONE?',
        "وصل الساعة [الثالثة والنصف مساء].",
        "T15:30",
    ),
    Rule(
        "arabic_feminine_hour",
        '<((DAY | TIME | SET) "في") NTH !(UNIT | "من" | WEEKDAY | MONTH_NAME | DAYPART)'
        ' | <(DURATION ("بعد" | AGO)) NTH !(UNIT | "من" | WEEKDAY | MONTH_NAME | DAYPART)'
        ' | <ABOUT NTH !(UNIT | "من" | WEEKDAY | MONTH_NAME | DAYPART | OTHER)'
        ' | <("بعد" | AGO) NTH &("ب" CARDINAL UNIT)',
        "نلتقي غدا في [الثامنة].",
        "1998-03-06T08:00",
    ),
    Rule(
        "arabic_hour",
        '<("عند" | "حتي" | "الي" | "-") (SMALL_NUMBER | NTH) '
        "(AND CARDINAL UNIT | AND QUARTER_HOUR | LESS QUARTER_HOUR)? DAYPART",
        "وصل عند [الثالثة والربع صباحا].",
        "T03:15",
    ),
    Rule(
        "arabic_hour",
        '(SMALL_NUMBER | NUMBER_WORD) (AND CARDINAL UNIT | AND QUARTER_HOUR | LESS QUARTER_HOUR)? "ب"? DAYPART'
        " | NTH (AND CARDINAL UNIT | AND QUARTER_HOUR | LESS QUARTER_HOUR)? DAYPART",
        "وصل في [8 مساء].",
        "T20",
    ),
    Rule(
        "arabic_hour",
        "<(HOUR_MARK REFERENCE) NTH (AND CARDINAL UNIT | AND QUARTER_HOUR | LESS (QUARTER_HOUR | CARDINAL UNIT))? "
        "DAYPART? | NTH (AND CARDINAL UNIT | AND QUARTER_HOUR | LESS (QUARTER_HOUR | CARDINAL UNIT?)) "
        '!("من" | UNIT)',
        "وصل في [الثالثة إلا ربعا].",
        "T02:45",
    ),
    Rule(
        "arabic_hour",
        '<("تمام" | "عند") (SMALL_NUMBER | NTH) (AND CARDINAL UNIT | AND QUARTER_HOUR)? !(UNIT | "من")',
        "وصل في تمام [الثالثة].",
        "T03",
    ),
    Rule("arabic_last_hour", "HOUR_MARK (LAST | NEXT)", "نزل المطر في [الساعة الماضية].", "PT1H"),
    # ------------------------------------------------ dates
    Rule(
        "arabic_hijri",
        'DAY_NUMBER "من"? UNIT? HIJRI_MONTH ("من"? UNIT)? YEAR HIJRI?',
        "بدأ في [1 رمضان 1418].",
        "1997-12-31",
    ),
    Rule(
        "listed_day",
        '<!("من" | "بين" | "-") SMALL_NUMBER &(AND SMALL_NUMBER "من"? MONTH_NAME)',
        "يصل يومي [3] و4 مايو.",
        "1998-05-03",
    ),
    Rule("arabic_hijri_day", 'DAY_NUMBER "من"? UNIT? HIJRI_MONTH', "يصل في [10 ذو الحجة].", "1998-04-08"),
    Rule("arabic_hijri", "UNIT? HIJRI_MONTH UNIT? YEAR HIJRI?", "ولد في [شوال 1418 هجرية].", "1998-01-30/1998-02-27"),
    Rule(
        "arabic_hijri_month",
        "UNIT HIJRI_MONTH ANY_YEAR? | HIJRI_MONTH ANY_YEAR",
        "بدأ [رمضان 1997].",
        "1997-01-10/1997-02-08",
    ),
    Rule("arabic_hijri", "UNIT? (YEAR | THREE_DIGITS) HIJRI", "توفي [سنة 656 هجرية].", "1258-01-15/1259-01-04"),
    Rule(
        "arabic_date",
        '(TODAY | UNIT)? DAY_NUMBER "من"? MONTH ","? ANY_YEAR ERA?',
        "يعقد الاجتماع في [14 مايو 2024].",
        "2024-05-14",
    ),
    Rule(
        "date",
        'SMALL_NUMBER ("-" | "/") MONTH_NAME ("-" | "/") YEAR | SMALL_NUMBER MONTH_NAME YEAR',
        "وصل في [14-نيسان-2015].",
        "2015-04-14",
    ),
    Rule(
        "arabic_day_of_month_number",
        '(TODAY | UNIT)? (SMALL_NUMBER | NTH) "من"? UNIT (SMALL_NUMBER | ORDINAL | NUMBER_WORD)'
        " !(NUMBER_WORD | UNIT) ANY_YEAR?",
        "وصل في [الثالث من شهر عشرة].",
        "1997-10-03",
    ),
    Rule("arabic_middle_of_month", "QUARTER_HOUR MONTH ANY_YEAR?", "يصل في [نص مايو].", "1998-05"),
    Rule("arabic_month_end", "FINAL MONTH ANY_YEAR?", "يصل في [آخر مايو].", "1998-05"),
    Rule("date", "<!ANY MONTH_NAME SMALL_NUMBER !ANY", "[أيار 5]", "1998-05-05"),
    Rule("date", 'MONTH SMALL_NUMBER ","? YEAR', "[أبريل 14, 2015]", "2015-04-14"),
    Rule(
        "range_of_days",
        "MONTH_NAME FROM? SMALL_NUMBER TO SMALL_NUMBER YEAR?",
        "يغيب [أغسطس 27 إلى 29]",
        "1998-08-27/1998-08-29",
    ),
    Rule(
        "arabic_date",
        '(TODAY | UNIT)? DAY_NUMBER "من"? MONTH !YEAR (LAST | NEXT)?',
        "وصل في [الأول من مارس].",
        "1998-03-01",
    ),
    Rule("date", 'PART? MONTH ","? ANY_YEAR ERA?', "كان ذلك في [أوائل مايو 1997].", "1997-05"),
    Rule(
        "arabic_day_of_month",
        '(TODAY | UNIT)? (SMALL_NUMBER | NTH) "من" (THIS UNIT | UNIT (THIS | LAST | NEXT)?)',
        "وصل في [العاشر من الشهر الجاري].",
        "1998-03-10",
    ),
    Rule("arabic_day_number", "UNIT SMALL_NUMBER !(OTHER | UNIT | MONTH_NAME | ERA)", "يصل [يوم 20].", "1998-03-20"),
    Rule("arabic_edge", "(FINAL | ORDINAL) UNIT !(YEAR | LAST | NEXT | THIS)", "يصل [آخر الشهر].", "1998-03"),
    Rule("arabic_edge", "(FINAL | ORDINAL) UNIT (LAST | NEXT)", "يصل [أول الشهر القادم].", "1998-04"),
    Rule("numeric_date", "NUMERIC_DATE ERA?", "يسري العقد من [1/7/2024].", "2024-07-01"),
    Rule(
        "numeric_date",
        '<("في" | DAY | "من" | "الي" | "حتي" | UNIT) DAY_MONTH !(OTHER | UNIT) | DAY_MONTH &(HOUR_MARK | CLOCK)',
        "كان ذلك يوم السبت [28/2]",
        "1998-02-28",
    ),
    Rule(
        "arabic_month_number",
        "PART? UNIT (SMALL_NUMBER | ORDINAL | NUMBER_WORD) !NUMBER_WORD ANY_YEAR?",
        "كان في [الشهر التاسع سنة 1997].",
        "1997-09",
    ),
    # ------------------------------------------------ years and longer
    Rule(
        "arabic_decade",
        '(PART | UNIT)? DECADE ("من"? UNIT (LAST | NTH))?',
        "في [تسعينيات القرن الماضي] تغير كل شيء.",
        "199",
    ),
    Rule(
        "arabic_two_centuries",
        "WHOLE_DURATION ORDINAL NUMBER_WORD? AND ORDINAL NUMBER_WORD?",
        "ازدهر في [القرنين الخامس عشر والسادس عشر].",
        "14/15",
    ),
    Rule("century", "PART? UNIT (NTH | AL? SMALL_NUMBER) ERA?", "عاش في [القرن الثامن عشر] في دمشق.", "17"),
    Rule(
        "arabic_quarter", "THIS QUARTER_HOUR | QUARTER_HOUR (LAST | NEXT | THIS)", "ارتفع في [الربع الماضي].", "1997-Q4"
    ),
    Rule(
        "arabic_share",
        "(QUARTER_HOUR (ORDINAL | LAST) | ORDINAL QUARTER_HOUR)"
        ' ("من"? UNIT? YEAR | "من" UNIT !(ORDINAL | LAST | NEXT | YEAR | THIS))?',
        "ارتفع في [الربع الثالث من عام 2018].",
        "2018-Q3",
    ),
    Rule(
        "year_of_era",
        "(UNIT | ABOUT | PART)? (SMALL_NUMBER | THREE_DIGITS | LARGE_NUMBER | YEAR) ERA",
        "بدأ [466 ق.م].",
        "BC0466",
    ),
    Rule("arabic_word_year", "UNIT WORDS", "ولد [سنة ألف وتسعمئة وخمسة وأربعين].", "1945"),
    Rule("arabic_year", "PART? UNIT? AL? YEAR !(UNIT)", "في [عام 1920] ازدهر الفن.", "1920"),
    Rule(
        "year_of_unit",
        "UNIT THREE_DIGITS !(UNIT)",
        "كتب في [عام 731].",
        "0731",
    ),
    # ------------------------------------------------ sets
    Rule(
        "arabic_weekday_of_unit",
        '(ORDINAL | FINAL) (BARE_WEEKDAY | WEEKDAY | NUMBER_WORD) ("في" | "من") UNIT'
        " !(LAST | NEXT | THIS | YEAR | SMALL_NUMBER | ORDINAL | NUMBER_WORD | MONTH_NAME | HIJRI_MONTH)",
        "يصل في [آخر خميس من الشهر].",
        "1998-03-26",
    ),
    Rule(
        "arabic_nth_weekday",
        '(ORDINAL | FINAL) (BARE_WEEKDAY | NUMBER_WORD | WEEKDAY) &("من" | "في" | "ل" | "بعد")',
        "وصل في [آخر اثنين] من شهر مارس 1997.",
        "1997-03-31",
    ),
    Rule(
        "arabic_nth_weekday",
        "ORDINAL WEEKDAY | WEEKDAY ORDINAL NUMBER_WORD?",
        "كان [الثلاثاء الثالث] من سبتمبر 2014.",
        "2014-09-16",
    ),
    Rule(
        "arabic_nth_of_unit",
        '(ORDINAL | FINAL) UNIT ("في" | "من") UNIT !(LAST | NEXT | THIS | YEAR | SMALL_NUMBER | ORDINAL | NUMBER_WORD)',
        "يصل في [آخر يوم في السنة].",
        "1998-12-31",
    ),
    Rule("arabic_rolling", "ORDINAL UNIT (LAST | NEXT)", "سيتغير ذلك خلال [العشرين سنة القادمة].", "P20Y"),
    Rule(
        "ordinal_unit",
        "ORDINAL UNIT !YEAR | UNIT ORDINAL | TODAY ORDINAL",
        "في [الأسبوع الأول] من أكتوبر 1997.",
        "1997-W40",
    ),
    Rule(
        "arabic_final",
        "FINAL (CARDINAL UNIT | WHOLE_DURATION) | FINAL (UNIT? WEEKDAY | UNIT)",
        "وصل في [آخر يوم] في أكتوبر 1997.",
        "1997-10-31",
    ),
    Rule(
        "arabic_set",
        'EVERY UNIT? (BARE_WEEKDAY | WEEKDAY) | EVERY WHOLE_DURATION | CARDINAL? TIMES ("في" | "ب") (UNIT | TODAY)',
        "يأتي [كل يوم جمعة].",
        "XXXX-WXX-5",
    ),
    Rule("arabic_every_two", "EVERY UNIT? NUMBER_WORD !UNIT", "يأتي [كل يوم اثنين].", "XXXX-WXX-1"),
    Rule("every", "EVERY AMOUNT? (UNIT | WEEKDAY | MONTH_NAME | SEASON | DAYPART)", "يأتي [كل يوم].", "P1D"),
    Rule("frequency", "FREQUENCY", "تصدر المجلة [أسبوعيا].", "P1W"),
    # ------------------------------------------------ last, this, next
    Rule(
        "arabic_rolling",
        "WHOLE_DURATION (LAST | NEXT) | UNIT (AL? CARDINAL | ORDINAL | FEW)? (LAST | NEXT)"
        " | AL? CARDINAL UNIT (LAST | NEXT)",
        "ثلج كثير خلال [اليومين الماضيين].",
        "P2D",
    ),
    Rule(
        "arabic_day",
        "DAYPART? TODAY (LAST | NEXT | POINTING) | POINTING TODAY",
        "وصل في 6 يونيو 1944. في [اليوم التالي] غادر.",
        "1944-06-07",
    ),
    Rule("arabic_pointed", "UNIT POINTING | POINTING UNIT", "وصل عام 1944. في [العام التالي] غادر.", "1945"),
    Rule("unit", "THIS UNIT | UNIT THIS", "وصل [هذا العام].", "1998"),
    Rule(
        "arabic_pointed_weekday", "UNIT? WEEKDAY POINTING", "وصل في 6 يونيو 1944. [الاثنين التالي] غادر.", "1944-06-12"
    ),
    Rule(
        "arabic_weekday",
        "DAYPART? UNIT? WEEKDAY (LAST | NEXT | THIS !UNIT) | THIS WEEKDAY",
        "وصل [الجمعة الماضي].",
        "1998-02-27",
    ),
    Rule("date", "MONTH (LAST | NEXT)", "بدأ في [نوفمبر الماضي].", "1997-11"),
    Rule("season", "UNIT? SEASON (LAST | NEXT | THIS) | THIS SEASON", "وصل [الصيف الماضي].", "1997-SU"),
    Rule("holiday", "HOLIDAY ANY_YEAR? (LAST | NEXT)?", "يصل في [عيد العمال 1999].", "1999-05-01"),
    Rule("daypart", "THIS DAYPART", "وصل [هذا الصباح].", "1998-03-05TMO"),
    # ------------------------------------------------ today
    Rule("today", "(DAYPART | UNIT)? TODAY (DAYPART)?", "[أمس] نزل المطر.", "1998-03-04"),
    Rule(
        "date",
        "WEEKDAY SMALL_NUMBER"
        ' !(UNIT | MONTH_NAME | HIJRI_MONTH | ":" | "/" | "-" | AM_PM | ERA | DAYPART | OTHER | YEAR'
        ' | AND | TO | "من")',
        "يصل [الثلاثاء 17].",
        "1998-03-17",
    ),
    Rule("arabic_weekday", "DAYPART? UNIT? WEEKDAY DAYPART?", "يعقد الاجتماع يوم [الثلاثاء].", "1998-03-10"),
    Rule("season", "PART? SEASON ANY_YEAR?", "وصل في [صيف 1990].", "1990-SU"),
    # ------------------------------------------------ amounts
    Rule(
        "arabic_half_more",
        "(WHOLE_DURATION | CARDINAL? UNIT) AND QUARTER_HOUR (UNIT | HOUR_MARK)?",
        "استغرق [ساعة ونصف الساعة].",
        "PT1H30M",
    ),
    Rule("arabic_half_more", "(WHOLE_DURATION | UNIT) LESS QUARTER_HOUR", "استغرق [ساعة إلا ربعا].", "PT45M"),
    Rule("arabic_single", "UNIT NUMBER_WORD", "استغرق [ساعة واحدة].", "PT1H"),
    Rule("whole_duration", "WHOLE_DURATION !(LAST | NEXT)", "استغرق [شهرين].", "P2M"),
    Rule("duration", "(ABOUT | MORE)? AMOUNT UNIT", "استغرق [ثلاثة أشهر].", "P3M"),
    Rule(
        "arabic_this_unit",
        "WITHIN UNIT !(YEAR | SMALL_NUMBER | ORDINAL | LAST | NEXT | THIS | MONTH_NAME | POINTING"
        " | NUMBER_WORD | HIJRI_MONTH | FEW)",
        "سيصل [خلال الأسبوع].",
        "1998-W10",
    ),
    Rule("arabic_half", "QUARTER_HOUR UNIT", "استغرق [نصف ساعة].", "PT30M"),
    Rule("weekend", "<!ANY UNIT !ANY", "[نهاية الأسبوع]", "1998-W10-WE"),
    Rule(
        "arabic_one",
        '(<(AGO | "بعد" | WITHIN | ABOUT | MORE) | <(AGO MORE)) UNIT'
        " !(YEAR | SMALL_NUMBER | THREE_DIGITS | ORDINAL | LAST | NEXT | THIS | MONTH_NAME"
        " | WEEKDAY | POINTING | HIJRI_MONTH) | <!ANY UNIT !ANY | UNIT &(AND CARDINAL UNIT) | UNIT FULL"
        ' | UNIT &(("بعد" | AGO) HOLIDAY | "من" (NOW | TODAY))',
        "وصل قبل [شهر].",
        "1998-02",
    ),
    Rule(
        "weekend", '<("في" | WITHIN | AGO | "بعد" | "حتي" | "مع") UNIT', "سأغيب في [عطلة نهاية الأسبوع].", "1998-W10-WE"
    ),
    Rule("daypart", "DAYPART", "وصل [مساء].", "TEV"),
    Rule("arabic_month", "PART? MONTH", "بدأ في [نوفمبر].", "1997-11"),
    Rule("reference", "NOW", "[الآن] فات الأوان.", "PRESENT_REF"),
)

_LENGTHS = (Rule("durations", 'DURATION (("," | AND){1,2} DURATION){1,5}', "استغرق [سنتين وثلاثة أشهر].", "P2Y3M"),)

_COUNTED = (
    Rule("after_time", '"بعد" DURATION "من" (DAY | PERIOD)', "[بعد يومين من 5 مايو 2020] غادر.", "2020-05-07"),
    Rule("before_time", 'AGO DURATION "من" (DAY | PERIOD)', "[قبل يومين من 5 مايو 2020] غادر.", "2020-05-03"),
    Rule("ago", 'DURATION ("مضت" | "خلت" | "مضي")', "وصل [ثلاثة أيام مضت].", "1998-03-02"),
    Rule("ago", 'AGO (ABOUT | MORE)? DURATION ("من" REFERENCE)?', "وصل [منذ ثلاثة أيام].", "1998-03-02"),
    Rule(
        "later",
        '"بعد" POINTING "ب" DURATION | DURATION "بعد" POINTING',
        "وصل في 6 يونيو 1944. [بعد ذلك بيومين] غادر.",
        "1944-06-08",
    ),
    Rule("ahead", 'DURATION "من" REFERENCE', "يصل [ثلاث سنوات من الآن].", "2001"),
    Rule("arabic_from_today", 'DURATION "من" DAY', "يصل [ثلاثة أيام من اليوم].", "1998-03-08"),
    Rule("ahead", '"بعد" (ABOUT | MORE)? DURATION ("من" REFERENCE)?', "يصل [بعد أسبوع].", "1998-W11"),
    Rule("rolling", "WITHIN DURATION", "سيصل [خلال ثلاث ساعات].", "PT3H"),
    Rule("in_zone", 'TIME "ب"? OCLOCK_OF? ZONE', "وصل الساعة [4 بتوقيت غرينتش].", "T04"),
    Rule(
        "weekday_after",
        'DAY "بعد" DAY',
        "وصل [ثالث ثلاثاء بعد كريسماس 2014].",
        "2015-01-13",
    ),
    Rule("after_time", '"بعد" DAY "ب" DURATION', "وصل [بعد 5 مايو 2020 بيومين].", "2020-05-07"),
    Rule("before_time", 'AGO DAY "ب" DURATION', "وصل [قبل 5 مايو 2020 بيومين].", "2020-05-03"),
    Rule(
        "arabic_minutes_beside",
        'DURATION ("بعد" | AGO) HOUR_MARK? TIME | ("بعد" | AGO) HOUR_MARK? TIME "ب" DURATION',
        "وصل [خمس دقائق قبل الرابعة].",
        "1998-03-05T03:55",
    ),
    Rule("arabic_weekday_of_set", "<(SET AND) DAY", "يأتي كل سبت و[الأربعاء].", "XXXX-WXX-3"),
    Rule("after_time", 'DURATION "بعد" DAY', "وصل [يومين بعد 5 مايو 2020].", "2020-05-07"),
    Rule("before_time", "DURATION AGO DAY", "وصل [يومين قبل 5 مايو 2020].", "2020-05-03"),
    Rule("part_of", "PART (PERIOD | DAY)", "وصل [نهاية الشهر الماضي].", "1998-02"),
    Rule("this_part", "PART UNIT", "يغادر في [نهاية العام].", "1998"),
    Rule("about", "ABOUT HOUR_MARK? (TIME | MOMENT | PERIOD | DAY)", "يصل [حوالي الساعة 15:30].", "T15:30"),
)

_CLOCKS = (
    Rule(
        "arabic_hours_of_part",
        'FROM ORDINAL NUMBER_WORD? TO TIME | "بين" ORDINAL NUMBER_WORD? AND TIME',
        "يعمل [من الثالثة إلى الخامسة مساء].",
        "1998-03-05T15/1998-03-05T17",
    ),
    Rule(
        "arabic_hours",
        'FROM HOUR_MARK? ORDINAL NUMBER_WORD? ("الي" | "حتي" | "-") HOUR_MARK? ORDINAL NUMBER_WORD? DAYPART?'
        ' | "بين" ORDINAL NUMBER_WORD? AND ORDINAL NUMBER_WORD? !(MONTH_NAME | UNIT | "من" | ORDINAL)',
        "يعمل الجمعة [من التاسعة حتى الحادية عشرة].",
        "1998-03-06T09/1998-03-06T11",
    ),
    Rule(
        "range_of_numbers",
        'FROM? SMALL_NUMBER TO HOUR_MARK? TIME | "بين" HOUR_MARK? SMALL_NUMBER AND HOUR_MARK? TIME',
        "يعمل [من 3 إلى 4 مساء].",
        "1998-03-05T15/1998-03-05T16",
    ),
    Rule(
        "range_of_hours",
        'DAY (FROM? SMALL_NUMBER TO | "بين" HOUR_MARK? SMALL_NUMBER AND) SMALL_NUMBER'
        ' !(MONTH_NAME | UNIT | "/" | OTHER)',
        "يعمل [الجمعة من 9 إلى 11].",
        "1998-03-06T09/1998-03-06T11",
    ),
    Rule(
        "arabic_hours_to",
        '(FROM | "بين") HOUR_MARK? TIME (TO | AND) (SMALL_NUMBER | ORDINAL NUMBER_WORD?)'
        ' !(MONTH_NAME | UNIT | "من" | OTHER)',
        "يعمل [من الساعة 9 إلى 11].",
        "1998-03-05T09/1998-03-05T11",
    ),
    Rule(
        "range_of",
        'FROM? HOUR_MARK? TIME (TO) HOUR_MARK? TIME | FROM HOUR_MARK? TIME "ل" HOUR_MARK? TIME',
        "يعمل [من الساعة 9:30 إلى الساعة 11:00].",
        "1998-03-05T09:30/1998-03-05T11:00",
    ),
)

_JOINED = (
    Rule("arabic_share", 'QUARTER_HOUR ORDINAL "من" PERIOD', "في [النصف الأول من القرن الثامن عشر].", "1700/1749"),
    Rule(
        "join",
        "(DAY | PERIOD | TIME | MOMENT) GLUE{0,2} HOUR_MARK? (DAY | PERIOD | TIME | MOMENT)",
        "[الجمعة 18 يوليو 2014].",
        "2014-07-18",
    ),
)

_RANGES = (
    Rule("set_and_time", "SET GLUE{0,2} HOUR_MARK? TIME", "يأتي [كل يوم جمعة الساعة 15:30].", "XXXX-WXX-5T15:30"),
    Rule("range_of", "FROM? NODE TO (NODE | REFERENCE)", "يغيب [من 4 مايو إلى 6 مايو].", "1998-05-04/1998-05-06"),
    Rule(
        "range_of",
        '"بين" HOUR_MARK? TIME AND HOUR_MARK TIME',
        "يعمل [بين الساعة 4 والساعة 6].",
        "1998-03-05T04/1998-03-05T06",
    ),
    Rule("range_of", '"بين" NODE AND NODE', "كان الجو جافا [بين مارس ومايو 1997].", "1997-03/1997-05"),
    Rule(
        "range_of_numbers",
        "FROM? (SMALL_NUMBER | NTH) TO (DAY | MOMENT)",
        "يغيب [من 4 إلى 6 مايو].",
        "1998-05-04/1998-05-06",
    ),
    Rule(
        "range_of_numbers",
        '"بين" (SMALL_NUMBER | ORDINAL) AND (DAY | MOMENT)',
        "يغيب [بين 4 و6 مايو].",
        "1998-05-04/1998-05-06",
    ),
    Rule("arabic_bound", '("من" | "بعد" | AGO) HOUR_MARK? TIME', "نعمل [بعد الساعة 14:00].", "1998-03-05T14:00/.."),
    Rule("until", '"حتي" HOUR_MARK? TIME', "نعمل [حتى الساعة 11:00].", "../1998-03-05T11:00"),
)

_DAYS = (
    Rule("join", "DAY GLUE{0,2} RANGE", "[الجمعة من 9:30 إلى 11:00]", "1998-03-06T09:30/1998-03-06T11:00"),
    Rule("join", "RANGE GLUE{0,2} DAY", "[من 9:30 إلى 11:00 الجمعة]", "1998-03-06T09:30/1998-03-06T11:00"),
)

#: The rules, layer by layer.
LAYERS = (_WORDS, _LENGTHS, _COUNTED, _CLOCKS, _JOINED, _RANGES, _DAYS)
