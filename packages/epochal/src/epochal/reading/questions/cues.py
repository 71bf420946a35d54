"""Cues: what the words of a question say about time, before any date is read.

A cue is a name and a pattern of general English (some have a Chinese form). The rules of `understand` ask for cues by
name, and the classifier takes them as features. Every pattern matches whole words: "know" contains no "now",
"unchanged" no "changed" and "trending" no "trend".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from epochal.lazy import lazy_regex
from epochal.reading.chinese.text import plain_text
from epochal.tables import derive, read_sources
from epochal.times.axis import DAY, OPEN_END, civil_date
from epochal.times.span import Span

__all__ = ["CUES", "detect_cues", "get_present_year", "mask_years", "simplify"]

#: Traditional characters that the cues need beside those that dates are written with.
_SIMPLER = str.maketrans(
    "爲舉麼價別區發變嗎對屆報樣檔氣匯測狀電記詞誤誰賽贏趨較遷還進門",
    "为举么价别区发变吗对届报样档气汇测状电记词误谁赛赢趋较迁还进门",
)

_TITLE_YEAR = r"(?:1[0-9]{3}|20[0-9]{2}|21[0-9]{2})"
_YEAR = lazy_regex(
    rf"(?<![\w.,:$€£#-]){_TITLE_YEAR}(?![\w%]|[.,:]\d)(?!\s?(?:b\.?c|km|kg|mm|meters|metres|people|dollars)\b)", re.I
)
_DIGIT = lazy_regex(r"\d")
_ANCIENT = lazy_regex(
    r"\b\d[\d,]{0,15}\s?(?:b\.?c\.?(?:e\.?)?)(?!\w)|\bcentur(?:y|ies)\s+b\.?c|公元前|"
    r"(?<!\d)\d{1,12}\s*(?:ma|mya|million years ago)\b",
    re.I,
)
_DECADE = lazy_regex(r"\b(1[0-9]{2}0|20[0-9]0)'?s\b")
_CENTURY = lazy_regex(r"\b(\d{1,2})(?:st|nd|rd|th)[ -]centur(?:y|ies)\b", re.I)
#: "changed" and "rose" speak of change whatever the question is; "unchanged" and "exchange" do not.
_CHANGE = (
    r"(?:chang(?:e|es|ed|ing)|evol(?:ve|ves|ved|ving|ution)|develop(?:s|ed|ing)?|shift(?:s|ed|ing)?|"
    r"grow(?:s|n|ing|th)?|grew|declin(?:e|es|ed|ing)|increas(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|"
    r"ris(?:e|es|en|ing)|rose|fall(?:s|en|ing)?|fell|drop(?:s|ped)?|improv(?:e|es|ed|ing)|worsen(?:s|ed|ing)?|"
    r"transform(?:s|ed|ation)?|progress(?:es|ed|ion)?|var(?:y|ies|ied)|adapt(?:s|ed|ing)?|amend(?:s|ed)?|"
    r"revis(?:e|es|ed)|expand(?:s|ed|ing)?|spread)"
)

#: Name and pattern of every cue that is found by its words alone, in the order in which features list them.
CUES: dict[str, str] = {
    # ---- the form of the question
    "ask_when": (
        r"^(?:so |and )?when(?:'s)?\b(?! (?:to|i|you|we|a|the|it)\b)|\bwhen (?:did|was|were|is|are|does|do|"
        r"will|had|has|have|would)\b|\b(?:what|which) (?:exact |specific )?(?:year|date|day|month|decade|"
        r"century|time)\b|\bhow (?:long ago|soon|early|late)\b|\bdate of\b|\bsince when\b|\bwhat(?:'s|"
        r" is) the date\b|何时|什么时候|哪(?:一)?[年天月日]|几[年月]|多少年"
    ),
    "ask_duration": (
        r"\bhow long\b(?! ago)|\bhow (?:many|much) (?:more )?(?:seconds|minutes|hours|days|weeks|months|"
        r"years|decades|centuries|time)\b(?! ago)|\b(?:duration|length|lifespan|life span|life expectancy|"
        r"half-life) of\b|\bhow much time\b|多久|多长时间"
    ),
    "ask_order": (
        r"\b(?:which|who|what)\b.{0,80}\b(?:came|come|happened|occurred|was|were|is|started|began|died|born|"
        r"invented|built|founded|released|published)\b.{0,30}\b(?:first|earlier|earliest|later|last|older|"
        r"oldest|sooner)\b(?:,? .{1,60}\bor\b|\?*$)|\b(?:what|which|chronological|correct|right) order\b|"
        r"\border of (?:the )?events\b|\bsequence of\b|\bbefore or after\b|\b(?:earlier|later|older|younger|"
        r"sooner) than\b|\bpredat(?:e|es|ed|ing)\b|\bpostdat(?:e|es|ed)\b|更早|最早|先后|先发生|在前|在先|"
        r"同一(?:年|个?月|天|日|周)|顺序|哪个先|更晚|最晚"
    ),
    "ask_before_after": (
        r"\b(?:before|after|prior to|preceding|following|in the wake of|aftermath|leading up to|led up to|"
        r"subsequent to|in response to)\b|\b(?:preced(?:e|ed|es)|succeed(?:ed|s)?|predecessors?|successors?|"
        r"previous(?:ly)?|former(?:ly)?)\b|之前|之后|以前|以后|前任|继任"
    ),
    "ask_period": (
        r"\b(?:what|which) (?:time )?(?:period|era|epoch|age|dynasty)\b|\bwhen (?:was|is|were|"
        r"did) the\b.{0,40}\b(?:era|period|age|epoch|dynasty|renaissance|enlightenment|middle ages|"
        r"revolution|reign)\b|\b(?:what|which) years\b|\bwhat (?:is|was) (?:meant by |"
        r"considered )?the\b.{0,40}\b(?:era|period|epoch|age|dynasty)\b|\bperiod (?:known|called|"
        r"referred)\b|哪个(?:时期|时代|朝代)"
    ),
    "ask_timeline": (
        r"\btimelines?\b|\bchronolog(?:y|ical)\b|\bhistory of\b|\b(?:brief|short|full|complete) history\b|"
        r"\bevolution of\b|\bover the (?:years|decades|centuries|ages)\b|\b(?:over|through|throughout|"
        r"across) (?:time|history|the ages)\b|\bmilestones?\b|\bstages of\b|\b(?:major|key) events\b|"
        r"\borigins? (?:of|and)\b|\bhow did .{1,60} (?:come about|come to be|originate|begin)\b|"
        r"\bdevelopment of\b|\broadmap\b|\bwhat happened (?:in|during|between)\b|历史|沿革|演变|发展历程|大事记"
    ),
    "ask_still": (
        r"\b(?:is|are|does|do|has|have|was|were|can|will)\b.{0,80}\b(?:still|yet|any ?more|any longer|"
        r"no longer|ongoing|in effect|in force|up to date)\b|\bstill (?:alive|open|in use|valid|active|"
        r"available|running|being|exist|have)\b|\bstatus of\b|\bcurrent(?:ly)? (?:status|state)\b|"
        r"\bso far\b|\bto date\b|\bas of (?:now|today)\b|是否仍|还在|目前|现状|至今"
    ),
    "ask_now": (
        r"\b(?:current(?:ly)?|now|nowadays|today|tonight|at present|presently|at the moment|right now|"
        r"these days|this (?:minute|hour|morning|afternoon|evening|week|month))\b|现在|当前|今天|如今|今日"
    ),
    "ask_definition": (
        r"^(?:what(?:'s| is| are)|define|definition of|meaning of|explain)\b(?! the (?:current|latest|price|"
        r"weather|score|date|time|status))|\bmean(?:s|ing)?\b|\bsynonyms?\b|\bdefinition\b|什么是|定义"
    ),
    "ask_howto": (
        r"\bhow (?:to|do i|do you|can i|can you|should i)\b|\bways? to\b|\btips\b|\brecipes?\b|\btutorial\b|"
        r"\bguide\b|\binstructions?\b|怎么|如何"
    ),
    "ask_why": (
        r"\bwhy\b|\bcauses?(?:d)?\b|\breasons?\b|\bdue to\b|\bled to\b|\bresult(?:ed)? (?:in|of)\b|"
        r"\bconsequences?\b|\bimpacts?\b|\beffects? of\b|为什么|原因|为何"
    ),
    "ask_compare": (
        r"\bcompar(?:e|ed|es|ing|ison|isons|ative)\b|\bversus\b|\bvs\.?(?=\s)|\bdifferen(?:t|ce|ces|tly)\b|"
        r"\bthan (?:in|during|before|today|now)\b|\brelative to\b|\bthen and now\b|\bcontrast\b|比较|相比|区别|对比"
    ),
    "ask_source": (
        r"\b(?:sources?|documents?|records?|archives?|manuscripts?|evidence|proof|citations?|references?|"
        r"newspapers?|census(?:es)?|registers?|methodolog(?:y|ies)|historiograph\w+|bibliograph\w+)\b|史料|档案|"
        r"文献"
    ),
    "ask_verify": (
        r"^(?:is it true|did|was there|were there|has there|is there any evidence|are there any)\b|"
        r"\b(?:myth|true that|really|actually|authentic(?:ity)?|genuine|hoax|fact or fiction|verif(?:y|ied)|"
        r"confirmed|debunk\w*|accurate)\b|是否|真的"
    ),
    "ask_object": (
        r"\b(?:artifacts?|artefacts?|coins?|paintings?|swords?|uniforms?|photograph(?:s|ed)?|photos?|"
        r"statues?|pottery|stamps?|medals?|provenance|furniture|clock|watch|weapons?|rifles?|banknotes?|"
        r"inscriptions?|tombs?|relics?|materials?)\b|文物|器物"
    ),
    "ask_who": r"^(?:so )?who(?:'s|m|se)?\b",
    "ask_attribution": (
        r"\bwho (?:first )?(?:invented|discovered|wrote|said|coined|proposed|introduced|proved|formulated|"
        r"designed|created|founded|built|painted|composed|authored)\b|\bfirst (?:to|person|known|recorded|"
        r"use|used|mention|appearance|proof|documented)\b|\bcredited\b|\battribut\w+|\bcoined\b|谁(?:发明|首先|"
        r"第一)"
    ),
    "ask_misread": (
        r"\b(?:misconceptions?|misinterpret\w*|misunderst\w*|reenact\w*|re-enact\w*|anachronis\w+|"
        r"misattribut\w*|misquot\w*)\b|误解"
    ),
    # ---- the past
    "past_tense": (
        r"\b(?:did|was|were|had|used to|born|died|happened|occurred|became|began|ended|won|founded|invented|"
        r"discovered|built|wrote|assassinated|killed|signed|passed away|created|existed|ruled|succeeded|"
        r"preceded|came|started|led|fought)\b|曾|"
        r"发生了|过吗"
    ),
    "past_words": (
        r"\b(?:histor(?:y|ic|ical|ically)|ancient|medieval|colonial|past|formerly|originally|original|"
        r"origins?|once|ago|yesterday|last (?:night|week|month|year|decade|century)|old(?:en)? days|"
        r"back then|war|empire|dynasty|heritage|anniversary|memorial|biography|obituary|death|legacy)\b|古代|"
        r"历史|去年|昨天|以前|当年"
    ),
    "past_first": r"\b(?:who|what|when|where) (?:was|were) the first\b|\bfirst ever\b",
    "birth_death": (
        r"\b(?:born|die[ds]?|death|dead|killed|assassinated|murdered|pass(?:ed)? away|birth(?:day|place)?|"
        r"founded|established)\b"
    ),
    "winner": r"\b(?:winners?|won|results?|champions?|final score|highlights|recap|rankings?|standings?|scores?)\b",
    # ---- the present
    "recent_words": (
        r"\b(?:latest|recent(?:ly)?|new(?:est)?|breaking|updates?|updated|current(?:ly)?|today'?s?|now|"
        r"lately|up-to-date|trend(?:s|y|ing)?|just (?:announced|released)|this (?:week|month|year|season)|"
        r"past (?:few )?(?:hours?|days?|weeks?|months?))\b|最新|最近|近期|近日|今年|本周|本月"
    ),
    "market": (
        r"\b(?:prices?|stocks?|shares?|exchange rates?|rates?|quotes?|cost|costs|value|market|nasdaq|dow|"
        r"s&p|crypto(?:currency)?|bitcoin|interest rates?|mortgage|gas prices?|per (?:ounce|gallon|barrel)|"
        r"deals?|sales?|currency|euro|dollar|yen|worth|salary|salaries|wages?|fees?|trading|traded|"
        r"market cap(?:itali[sz]ation)?)\b|价格|股价|汇率"
    ),
    "news": (
        r"\b(?:news|headlines?|live|stream(?:ing)?|scores?|reports?|reaction|scandal|rumou?rs?|update|"
        r"updates|traffic|outage|attack(?:s|ed)?|shooting|earthquake|crash|arrest(?:ed)?|protest|press|"
        r"announce(?:s|d|ment)?)\b|新闻|报道|比分"
    ),
    "weather": (
        r"\b(?:weather|temperature|humidity|rain(?:fall)?|snow|storms?|hurricanes?|tornado(?:es)?|"
        r"heat ?waves?|flood(?:s|ing)?|wind(?:s| gusts?)?|air quality)\b|天气|气温"
    ),
    "tickets": (
        r"\b(?:tickets?|entries|line-?up|roster|teams?|hours|opening times?|availability|in stock|open now|"
        r"near me|store hours|draft|nominees)\b|门票"
    ),
    # ---- the future
    "future_words": (
        r"\b(?:upcoming|forthcoming|future|forecasts?|predict(?:s|ed|ion|ions)?|projections?|projected|"
        r"outlook|tomorrow|tonight|coming (?:soon|in|to|out|up|weeks?|months?|years?)|next|soon|will|"
        r"going to|plan(?:s|ned)?|planning|expected|anticipated|preview|scheduled|until when|countdown|"
        r"by 20[2-9]\d)\b|未来|明天|明年|下周|下个月|即将|预测|预计|将会|"
        r"将要|将[赢成举发出推上进有是被如怎于在]|下一?届|今后|会不会"
    ),
    "schedule": (
        r"\b(?:schedules?|calendars?|dates|fixtures?|timetable|itinerary|release dates?|premieres?|"
        r"air ?dates?|start time|kick ?-?off|tv guide|deadline|launch(?:es)? date|tour dates|playoffs?|"
        r"what time(?! period))\b|赛程|时间表|日程"
    ),
    "candidates": r"\b(?:candidates?|possible|potential|contenders?|favou?rites?|odds|election(?:s)?|hopefuls)\b",
    "holiday": (
        r"\b(?:christmas|easter|thanksgiving|halloween|new year'?s?|hanukkah|ramadan|eid|diwali|passover|"
        r"lent|labou?r day|memorial day|independence day|veterans day|(?:mother|father|valentine|president|"
        r"patrick)'?s'? ?'?s? day|day of (?:spring|summer|autumn|fall|winter)|solstice|equinox|full moon|"
        r"eclipse|super bowl|olympics|world cup|春节|中秋|festival|conference|marathon|grand prix|open|"
        r"tournament)\b"
    ),
    # ---- no time at all
    "work_words": (
        r"\b(?:lyrics|chords|movie|film|song|album|book|novel|poem|quotes|cast|trailer|episodes?|season \d+|"
        r"soundtrack|wiki(?:pedia)?|game|band|magazine|channel|website|login|download|pdf|template|"
        r"printable)\b|歌词|电影"
    ),
    "timeless": (
        r"\b(?:difference between|differences between|distance|how far|formula|calculate|convert(?:er)?|"
        r"theorem|algorithm|molecule|chemical|anatomy|symptoms?|treatment|disease|weight|height|boiling|"
        r"capital of|located|spell(?:ing)?|grammar|synonym|antonym|pronounce|does it take|types? of|"
        r"kinds? of|examples? of|purpose of|function of|prove|proof of|square root|works?)\b"
    ),
    "generic_do": (
        r"^(?:how|what|why|where|when|which|who)?\s?(?:long |much |many |often )?(?:do|does|can|should|to)\b"
    ),
    # ---- windows: the least unit of time that a question names
    "unit_minute": r"\b(?:minutes?|seconds?|real-?time|live|this moment|instant)\b",
    "unit_hour": r"\b(?:hours?|hourly|right now)\b",
    "unit_day": (
        r"\b(?:daily|today'?s?|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening)|(?:past|last|"
        r"next) (?:24 hours|day)|day)\b"
    ),
    "unit_week": r"\b(?:weeks?|weekly|weekends?|weekday)\b",
    "unit_month": r"\b(?:months?|monthly)\b",
    "unit_quarter": r"\b(?:quarters?|quarterly|seasonal(?:ly)?|this season)\b",
    "unit_year": r"\b(?:years?|yearly|annual(?:ly)?|season|fiscal)\b",
    "unit_long": r"\b(?:decades?|century|centuries|all[- ]time|ever|in history)\b",
    # ---- things that last
    "office": (
        r"\b(?:president|prime minister|chancellor|king|queen|governor|mayor|senator|minister|speaker|pope|"
        r"ceo|chief executive|chair(?:man|woman|person)?|head (?:coach|of)|coach|manager|captain|director|"
        r"chief|secretary|commissioner|leader|host)\b"
    ),
    "membership": (
        r"\b(?:plays? for|team|club|employer|employed|works? (?:for|at)|member of|political party|position|"
        r"owner|owned|headquarters|spouse|married|husband|wife|school|attended)\b"
    ),
    "superlative": (
        r"\b(?:most|highest|largest|biggest|longest|tallest|richest|oldest|youngest|fastest|best|top|record|"
        r"lowest|smallest|least|number one|#1)\b"
    ),
    "previous": r"\b(?:previous|former|before the current|predecessor)\b",
    "current": r"\bcurrent(?:ly)?\b",
    "count": r"\bhow (?:many|much)\b",
    "last_event": (
        r"\b(?:last|most recent|latest) (?:time|\w+)\b|\blast (?:won|win|hosted|made|went|got|played|used)\b"
    ),
    "next_event": r"\bnext\b|\bupcoming\b",
    "howold": r"\bhow old\b|\bage of\b|\bnet worth\b",
    "version": (
        r"\b(?:versions?|software|firmware|operating system|os|ios|android|release|patch|model|iphone|"
        r"browser)\b"
    ),
    "person_verb": (
        r"\b(?:plays?|played|sang|sings|sing|voiced|starred|stars|directed|wrote|performed) (?:in |on |"
        r"the )?"
    ),
    # ---- change
    "change": rf"\b(?<!-){_CHANGE}\b",
    "change_question": (
        rf"\bhow\b.{{0,100}}\b{_CHANGE}\b|\b(?:what|which) (?:has |have )?chang(?:es|ed)\b|\b{_CHANGE} (?:of|"
        rf"in|to)\b|\b(?:has|have|had|did)\b.{{0,60}}\b{_CHANGE}\b"
    ),
    "over_time": (
        r"\bover (?:time|the (?:past |last )?(?:\w+ )?(?:years|decades|centuries|months|weeks|days))\b|"
        r"\b(?:in|over|during|across|for) the (?:last|past) (?:\w+ ){0,2}(?:years|decades|centuries|"
        r"months)\b|\bthrough(?:out)? (?:history|the (?:ages|years|centuries|decades))\b|\bacross (?:time|"
        r"periods|eras|generations|the (?:years|decades|centuries))\b|\byear over year\b|\b(?:era|century|"
        r"decade) (?:to|by) (?:era|century|decade)\b"
    ),
    "trend_noun": (
        r"\b(?:trends? (?:in|of|for|over|since|toward|towards)|(?:long-term|historical|upward|downward|"
        r"recent|general) trends?)\b"
    ),
    "then_now": (
        r"\bthen (?:and|vs\.?|versus) (?:now|today)\b|\bnow (?:and|vs\.?|versus) then\b|\b(?:today|now|"
        r"nowadays) (?:compared|vs\.?|versus)\b|\b(?:compare[sd]?|relative) (?:to|with) (?:today|now|"
        r"the present|modern times)\b|\b(?:past and present|used to .{1,40}(?:now|today|nowadays)|"
        r"than (?:it|they) (?:used to|did|was|were)|as (?:opposed|compared) to (?:now|today|nowadays))\b|今昔"
    ),
    "frequency": r"\b(?:every|each|per|how often|annually|twice a|once a)\b",
    "numbered_work": r"\b(?:season|episode|part|chapter|volume|book|level|grade) \d+\b",
    "tonight": r"\btonight\b",
    "forecast": r"\bforecasts?\b|\boutlook\b",
}
_HAN = lazy_regex("[\u3400-\u9fff](?![?*{])")
#: A unit of a pattern: an escape, a character set, or one character.
_PIECE = lazy_regex(r"\\.|\[(?:\\.|[^\]])*\]|.", re.DOTALL)
_REPEATING = tuple("?*{")
_WORD_START = lazy_regex(r"\b\w\w?")


def get_present_year(now: Span | None) -> int | None:
    """The year that `now` ends in; None when there is no present, or it has no end."""
    return None if now is None or now.end == OPEN_END else civil_date((now.end - 1) // DAY)[0]


def simplify(text: str) -> str:
    """The text in simplified characters, of the same length, as the cues expect it."""
    return text if text.isascii() else plain_text(text).translate(_SIMPLER)


def detect_cues(text: str, now: Span | None = None) -> tuple[str, ...]:
    """The names of the cues that a text gives; years count as past, present or future against `now`."""
    return _cues(text, now)


@lru_cache(maxsize=64)  # the rules and both models ask for the same text in turn
def _cues(text: str, now: Span | None) -> tuple[str, ...]:
    plain = " ".join(text.lower().split())
    return (*_match_words(plain), *_year_cues(plain, now))


@lru_cache(maxsize=64)  # the rules and a model may have different reference times
def _match_words(plain: str) -> tuple[str, ...]:
    starts = {start for word in _WORD_START.findall(plain) for start in (word[:1], word)}
    return tuple(
        name
        for name, pattern, needed in _compile_cues(plain.isascii())
        if (needed is None or not starts.isdisjoint(needed)) and pattern.search(plain)
    )


@cache
def _compile_cues(is_ascii: bool) -> list[tuple[str, re.Pattern[str], frozenset[str] | None]]:
    """The patterns for a text, and the starts of words without which they find nothing, where that is known.

    They are lower case and so is what they are tried on, which is twice as fast.
    """
    rows = derive("cues", read_sources([Path(__file__)]), _derive_cues)["ascii" if is_ascii else "any"]
    return [(name, lazy_regex(pattern), starts and frozenset(starts)) for name, pattern, starts in rows]


def _derive_cues() -> dict[str, list[tuple[str, str, list[str] | None]]]:
    """Name, pattern and starts of words of every cue, for texts in ASCII and for any text."""
    shortened = {name: _shorten(pattern) for name, pattern in CUES.items()}
    return {
        kind: [(name, pattern, sorted(list_starts(pattern) or ()) or None) for name, pattern in patterns.items()]
        for kind, patterns in (("ascii", shortened), ("any", CUES))
    }


def list_starts(pattern: str) -> frozenset[str] | None:
    """The one or two letters with which a word must begin for a pattern to match; None where that is not plain.

    >>> sorted(list_starts(r"\\b(?:ages? ago|since)|\\boutlook\\b"))
    ['ag', 'ou', 'si']
    """
    starts: set[str] = set()
    for branch in _split_branches(pattern):
        inner = branch[2:] if branch.startswith(r"\b") else ""
        group = _find_group(inner)
        # Alternatives of a group at the start of a word all start there.
        found = list_starts("|".join(rf"\b{part}" for part in _split_branches(group))) if group else _read_start(inner)
        if found is None:
            return None
        starts |= found
    return frozenset(starts)


def _read_start(branch: str) -> set[str] | None:
    """The letters with which a branch begins: two, or one where the second may be missing or be another."""
    first, second, third = ([*_PIECE.findall(branch[:24]), "", "", ""])[:3]
    if not (first.isascii() and first.isalpha()) or second[:1] in _REPEATING:
        return None
    is_plain = second.isascii() and second.isalpha() and third[:1] not in _REPEATING
    return {first + second if is_plain else first}


def _find_group(branch: str) -> str:
    """What is in the group with which a branch begins; empty where there is none, or it may be left out."""
    if not branch.startswith("(?:"):
        return ""
    depth, place = 0, 0
    for piece in _PIECE.findall(branch):
        depth += (piece == "(") - (piece == ")")
        place += len(piece)
        if not depth:
            break
    return "" if branch[place : place + 1] in _REPEATING else branch[3 : place - 1]


def _shorten(pattern: str) -> str:
    """A pattern that finds something in the same texts without Chinese, in half the time.

    It has no alternatives that begin with a Chinese sign, and looks once for the word boundary that most of the others
    begin with.
    """
    branches = [branch for branch in _split_branches(pattern) if not _HAN.match(branch)]
    words = [branch[2:] for branch in branches if branch.startswith(r"\b")]
    others = [branch for branch in branches if not branch.startswith(r"\b")]
    return "|".join([rf"\b(?:{'|'.join(words)})", *others] if words else others)


def _split_branches(pattern: str) -> list[str]:
    """The alternatives of a pattern, split at its outermost bars."""
    branches, depth = [""], 0
    for piece in _PIECE.findall(pattern):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth:
            branches.append("")
        else:
            branches[-1] += piece
    return branches


def mask_years(text: str, now: Span | None = None) -> str:
    """The text with its years replaced by their relation to `now`; unchanged without a reference time.

    A model that was trained when "2013" lay ahead must not treat it as the future for ever.
    """
    present = get_present_year(now)
    if present is None or not _DIGIT.search(text):
        return text
    return _YEAR.sub(lambda match: f"year{_compare_year(int(match[0]), present)}", text)


def _compare_year(year: int, present: int) -> str:
    if year == present:
        return "now"
    if year == present - 1:
        return "last"
    return "past" if year < present else "next"


def _year_cues(text: str, now: Span | None) -> Iterator[str]:
    years: list[int] = []
    if _DIGIT.search(text):
        years += [int(match[0]) for match in _YEAR.finditer(text)]
        years += [int(match[1]) for match in _DECADE.finditer(text)]
        years += [int(match[1]) * 100 - 100 for match in _CENTURY.finditer(text)]
    if _ANCIENT.search(text) or any(year < 1900 for year in years):
        yield "year_ancient"
    if not years:
        yield "no_year"
        return
    yield "has_year"
    present = get_present_year(now)
    places = {_compare_year(year, present) for year in years} if present is not None else set()
    yield from sorted(f"year_{place}" for place in places)
    if _YEAR.match(text):
        yield "year_first"
