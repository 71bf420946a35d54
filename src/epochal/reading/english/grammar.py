"""The grammar of English time expressions, written over the one-letter codes of the lexicon.

Each rule is a name and a regular expression over codes; rules are tried in order at each place, so that longer and
more telling forms stand before shorter ones. A rule `name` is worked out by the function of that name in the modules
of this folder.
"""

from __future__ import annotations

import re

from epochal.reading.english.first_codes import first_codes

__all__ = ["GAP", "RULES", "STARTS", "TRIGGER"]

#: What parts stretches of codes, and what makes one worth looking at: a word that speaks of time by itself.
GAP = "."
TRIGGER = re.compile(r"[A-Z]|itl")

# A number: digits, words, "twenty-five", "one hundred", "two and a half".
_NUM = r"(?:[nmO][rw]?|w(?:-?w){0,5}|I)(?:-?&-?a-?r)?"
_MANY = rf"(?:{_NUM}|aw(?!-)|a?q(?:f(?:t|h)?)?|a?r(?:a|-)?|a)"
# "the early", "mid-", "the beginning of", "the latter part of"
_PRE = r"(?:t?e(?!-)i?|e-|t?u?bf|te6f)"
_M = r"M;?"
_YEAR = r"(?:Y|'n)"
# "about", "more than", "up to", "at least"
_ABOUT = r"(?:N%|\^z|i=|c)"
_SHIFT = r"(?:t?lU|hU|xU|tU)"

_PATTERNS: tuple[tuple[str, str], ...] = (
    # ------------------------------------------------ what looks like time and is not
    ("age", rf"a?[th]?{_NUM}-?U-?d"),
    # ------------------------------------------------ ranges and lists of days: each number is its own date
    ("days_before_month", rf"t?[no](?=(?:-|z|&|,)t?[no](?:(?:-|&|,)[no]){{0,6}}f?{_M}(?!n[^Y]))"),
    ("days_after_month", rf"(?<=M[no][-&])[no](?!{_M}|U)|(?<=M;[no][-&])[no](?!{_M}|U)"),
    # ------------------------------------------------ full dates
    ("clock_of", rf"(?:{_M}[no],?(?:Y,?)?|[no]f?{_M},?(?:Y,?)?)(?:CZ?|nZ)y?"),
    ("full_date", rf"(?:W;?,?|X;?,)?(?:{_PRE})?t?[no](?:f|-)?{_M}-?,?{_YEAR}E?"),
    ("full_date", rf"(?:W;?,?|X;?,)?{_M}t?[no],?{_YEAR}E?"),
    ("bc_day", rf"(?:{_M}[no],?|[no]f?{_M}|{_M}),?[nmOY]E"),
    ("numeric_date", r"(?:W;?,?)?A"),
    ("month_of_year", rf"(?:{_PRE})?{_M}(?:,|f|-)?(?:t?UfY|Y|'n)E?"),
    ("month", rf"tUf{_M}(?!,?[noY])"),
    ("month_shifted", rf"(?:{_PRE})?{_M}(?:[no],?)?f?(?:[lxh]U|hsU|tsU)"),
    ("month_shifted", rf"(?:{_PRE})?[no]f?{_M}f(?:hs?U|tsU)"),
    ("month_day", rf"(?:W;?,?|X;?,)?t?of?{_M}(?!,?Y)"),
    ("month_day", rf"(?:W;?,?|X;?,)?(?:{_PRE})?{_M}t?[no](?![-:]?U)"),
    ("month_day", rf"(?:W;?,?|X;?,)?(?:{_PRE})?[no]f?{_M}"),
    ("weekday_day", r"Wto"),
    # ------------------------------------------------ times of day
    ("clock", rf"(?:[nw]Zy?|CZ?y?|[Ym]y)(?:,|i)?(?:[hxl]?[WX];?(?:,{_M}[no])?|K|h?P|itP|{_M}[no](?:,?Y)?)?"),
    ("clock_of", r"(?:[hxl]?[WX];?,?|K,?)(?:CZ?|nZ)y?"),
    ("day_part_of", rf"(?:{_PRE})?t?e?PU?f(?:W;?,?)?(?:{_M}[no]|[no]f?{_M})(?:,?Y)?"),
    ("day_part", r"n?t?(?:e-?)?P(?:i?h?W|K)(?!P)|nP"),
    ("day_part", rf"(?!-)(?:{_PRE}|j)?(?:[hlxta]?W|K|[thlxa]?[xsl]?u?U?)e?-?P(?:f[WK])?"),
    # ------------------------------------------------ years, decades, centuries
    ("bc_year", rf"(?:c;?)?(?:{_PRE})?[nmYO]E"),
    ("bc_year", r"(?:c;?)?E[nmYO]"),
    ("bc_year", rf"(?:{_PRE})?[nmYO](?=[-z&][nmYO]E)"),
    ("season_of_year", rf"(?:{_PRE})?t?[SF](?:,|f)?(?:t?UfY|Y|'n|hU|lU|xU|[nmO](?=E))E?"),
    ("named_day", r"(?:2(?:'_)?U|3U'_[U5])(?:,?Y)?"),
    ("half_of_year", rf"t?[ole]-?r(?:f(?:Y|{_SHIFT})|{_SHIFT})"),
    ("fiscal_year", r"t?kU?(?:'n|Y)"),
    ("quarter_of_year", r"t?Yo-?U|(?:hU|lU|xU)'_ok?-?U"),
    ("quarter_of_year", rf"(?:{_PRE})?t?(?:Q|ok?-?U)(?:f|,)?(?:t?k?U?Y|'n|lU|hU|xU)"),
    ("spelled_year", r"Iw(?:-?w)?"),
    ("year_in_words", r"tUw(?:-?w){1,3}"),
    ("decade", rf"(?:{_PRE}|te-)?t?(?:I-?)?'?DE?"),
    ("century", rf"(?:{_PRE})?t?o(?:[&z]o)?UE?(?!f[MWS]|-4)"),
    ("regnal_year", r"Ln"),
    ("year_period", r"tY[TU]"),
    ("year", rf"(?:{_PRE}|c;?)?(?:tU)?YE?"),
    ("second_year", r"(?<=Y-)n(?![U-])"),
    ("era_year", rf"(?:{_PRE})?O"),
    # ------------------------------------------------ today and what is counted from it
    ("deictic_day", rf"(?:{_PRE}|j)?(?:tUBK|K)"),
    ("unit_ago", rf"{_ABOUT}?{_MANY}-?[uN]?U(?:&{_MANY}U)?g"),
    ("unit_ago", r"c?Ug"),
    ("unit_later", rf"{_ABOUT}?{_MANY}-?[uN]?Uj"),
    ("unit_later", r"c?Uj"),
    ("unit_before", r"tUB(?=[,;])"),
    ("unit_year_before", r"(?:ts?(?=U-[jg][TUonw]))?U-[jg](?:o-?U|[TU]|[nw]U)?"),
    ("shifted_unit", rf"(?:j|{_PRE})?t?[hlxs][lesu]?(?:M;?|S|F|H)(?:[no](?!U))?(?:,?Y)?"),
    ("month_day", rf"(?:h?[hx])W;?,{_M}t?[no](?![-:]?U)"),
    ("shifted_weekday", rf"(?:j|{_PRE})?t?h?[hlx][WX]"),
    ("past_units", rf"t(?:s{_NUM}-?|{_NUM}[lx])U"),
    ("past_units", rf"[th]?[os]?(?:[lx](?:{_MANY}|o)|h{_NUM})-?[Nuks]{{0,3}}U"),
    ("first_units", rf"t[ob]{_NUM}-?u?U"),
    ("shifted_unit", rf"(?:j|e|{_PRE})?t?[hlxs][lxskeuo]?k?U"),
    ("same_period", r"t?[hslx](?:s|Y|U-?[jg])?T"),
    ("unit_ordinal", r"k?o-U"),
    ("unit_ordinal", rf"t?k?ol?U(?!-4)(?:f(?:{_SHIFT}|Y|{_M}))?"),
    # ------------------------------------------------ sets
    ("every", rf"v(?:{_MANY}|o|N|u)?-?(?:U|W|X|M;?|S|P|H|WP)"),
    ("frequency", r"V"),
    # ------------------------------------------------ durations
    ("duration", rf"(?:{_NUM}|q|r)-(?:[Nuks]-?){{0,3}}U"),
    ("duration", r"aU&ar"),
    (
        "duration",
        rf"{_ABOUT}?(?:t(?!(?:{_NUM}|q|r)-))?(?:{_MANY}(?:z{_NUM})?)-?[Nuks]{{0,3}}-?U(?!-[jg4])"
        rf"(?:,?&?{_NUM}U(?![gjt-]))?",
    ),
    ("some_units", r"cU(?!-)"),
    ("glued_duration", r"J|U-4"),
    ("year_end", r"t?U-?b(?!f)"),
    ("numbered_unit", r"Un(?![UMZC:-])"),
    ("unit_alone", r"[je]itU"),
    ("unit_alone", rf"(?:{_PRE}[th]?|t|a)?[uksN]?U(?!-[jg4z])"),
    # ------------------------------------------------ single words
    ("month", rf"(?:{_PRE})?M;?"),
    ("weekday", rf"(?:{_PRE}|j)?a?W"),
    ("season", rf"(?:{_PRE})?[tah]?S"),
    ("holiday", rf"(?:{_PRE})?[thlx]?HU?(?:,?Y)?"),
    ("quarter_of_year", rf"(?:{_PRE})?Q"),
    ("reference", r"(?:t?[seu]|!|t|N)?R"),
    ("the_past", r"(?<=i)tl(?![a-zA-Z])"),
)

#: The rules in order: name and pattern.
RULES = tuple((name, re.compile(pattern)) for name, pattern in _PATTERNS)
#: For each code that may start an expression: all rules that may start with it, at once. The group `r12` is rule 12's.
STARTS: dict[str, re.Pattern[str]] = {
    code: re.compile(
        "|".join(f"(?P<r{n}>{pattern})" for n, (_, pattern) in enumerate(_PATTERNS) if code in first_codes(pattern))
    )
    for code in sorted(set().union(*(first_codes(pattern) for _, pattern in _PATTERNS)))
}
