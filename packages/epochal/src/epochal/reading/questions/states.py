"""Questions for the state of affairs at a time, "as of today", "who was mayor on 3 May 2020", and for what is new."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from epochal.lazy import lazy_regex
from epochal.reading.expression import apply_relation
from epochal.reading.questions.constraints import Bound
from epochal.reading.questions.languages import asks_held_state, find_language, find_recent_words
from epochal.reading.questions.question import Constraint, Understanding
from epochal.times.axis import Grain
from epochal.times.span import Span

__all__ = [
    "asks_current",
    "asks_past_event",
    "asks_past_state",
    "asks_present_state",
    "asks_recent",
    "date_states",
    "find_as_of",
    "find_recent",
]

_AS_OF_NOW = lazy_regex(
    r"\bas of (?:now|right now|today|this (?:moment|writing)|the present)\b|"
    r"截[至止]到?(?:目前|现在|今[天日])",
    re.IGNORECASE,
)
#: What holds, applies or is written today: the state of affairs, which may have begun long ago.
_STATE_NOW = lazy_regex(
    r"\b(?:appl(?:y|ies)|applicable|valid|binding|in\s+(?:force|effect|use)|version|release|edition|text|wording)\s+"
    r"(?:(?:right\s+)?now|today|at\s+present)\b|"
    r"\b(?:does|do)\b(?:(?!\bdid\b)[^?.]){1,80}\b(?:say|read|require|allow|permit|provide|state)\s+"
    r"(?:(?:right\s+)?now|today|at\s+present)\b|"
    r"\b(?:is|are)\s+(?:the\s+)?current(?:\s+\w+)?\s+(?:today|now)\b|"
    r"\b(?:(?:is|are)\s+(?:currently\s+)?|currently\s+)in\s+(?:force|effect)\b|\bin\s+force\W*\Z|"
    r"\bcurrently\s+(?:say|says|read|reads|appl(?:y|ies)|valid|applicable)\b|"
    # The same of laws in other languages: "texto vigente", "en vigueur", "geltende Fassung"
    r"\b(?:texto|redacción|versión|text[oe]|version[e]?)\s+(?:vigente|actual|actuelle?|attuale)\b|\bactualmente\b|"
    r"\bactuellement\b|\battualmente\b|\ben\s+vigor\W*\Z|\ben\s+vigueur\W*\Z|\bem\s+vigor\W*\Z|\bin\s+vigore\W*\Z|"
    r"\bvigente\W*\Z|\b(?:geltende|aktuelle|gültige)\s+(?:Fassung|Version)\b",
    re.IGNORECASE,
)
#: What asks for how things stand now, in the languages that are read; "until now" and "now that" do not.
_CURRENT = lazy_regex(
    r"\b(?:currently|nowadays|presently|at\s+present|at\s+th(?:e|is)\s+(?:very\s+)?moment|these\s+days)\b"
    r"|\bat\s+(?:the\s+(?:present|current)|this)\s+(?:point\s+in\s+)?time\b"
    # Who keeps something up to date does not ask for the newest.
    r"|\b(?:is|are|most)\s+(?:(?!kept\b)[\w-]+\s+)?up[\s-]to[\s-]date\b|\ban\s+up[\s-]to[\s-]date\b"
    # An electric current and that of a river are no adjectives.
    r"|\bcurrent\s+(?!(?:in|of|and|through|from|at|across|flow|is|was)\b)\w"
    r"|(?<!until )(?<!till )(?<!by )(?<!from )(?<!up to )\b(?:right\s+)?now\b(?!\s+(?:that|and|then|on|a|the|known)\b)"
    r"|\b(?:derzeit|aktuell(?:e[rnms]?)?|momentan|zurzeit|actuel(?:le)?s?|actuellement|en\s+ce\s+moment|actual(?:es)?|actualmente"
    r"|ahora|attual[ei]|attualmente|adesso|atua(?:l|is)|atualmente|agora|huidige?|momenteel|op\s+dit\s+moment)\b"
    r"|\b(?:текущ|нынешн)\w+|\bсейчас\b|目前|当前|现任|现在|如今|现行|現在|現職|今の|현재|지금|الحالي|حاليا|الآن",
    re.IGNORECASE,
)
#: What asks for what is new without a time. "New in the town" is no "what is new in the town", and "more recent than"
#: compares.
_RECENT = lazy_regex(
    r"\bwhat(?:['’]?s|\s+is|\s+has\s+been)\s+new\b(?=\s+(?:in|with|on|at|for|from|among|around|here|there)\b|\W*\Z)"
    r"|\bwhat(?:['’]?s|\s+is)\s+the\s+news\b|\A\W*new\s+(?:in|with|at)\s|\banything\s+new\b|\bany\s+(?:new\s+)?(?:news|updates?|developments?)\b"
    r"|(?<!more )\b(?:recent|recently)\b(?![\s-]+(?:than|past|used|histor(?:y|ies)|centur(?:y|ies)))"
    r"|\b(?:lately|as\s+of\s+late|of\s+late)\b"
    r"|\bnewly\s+(?:released|published|added|issued|announced|filed|enacted)\b"
    r"|最近|近期|近[来來日况況]|有(?:[什甚][么麼]|哪些)?新(?:的)?|新(?:消息|[进進]展|[动動][态態向]|[变變]化)",
    re.IGNORECASE,
)
#: Who asks when the current bridge was built asks for what happened once.
#: German "was", which asks for a thing, opens a clause.
_PAST = lazy_regex(r"(?<=\w )was\b|\b(?:were|did|had)\b", re.IGNORECASE)
#: The same in other languages, with what may stand between an auxiliary and its subject.
_PAST_ELSEWHERE = lazy_regex(
    r"\b(?:wurden?|hat|haben|hatten?|ont|furent|a-t-(?:il|elle|on)|(?:a|ont)\s+été|fue(?:ron)?|\w{2,}(?:ó|aron|ieron)|"
    r"(?:è|sono)\s+\w+|venn(?:e|ero)|foi|foram|\w{2,}(?:ou|aram|eram)|werd(?:en)?|is|был[аои]?)\b",
    re.IGNORECASE,
)
#: In the past tense, what was the newest on a day is what was known then; "the latest forecast for 3 May" is not.
_STATE_ON_DAY = lazy_regex(
    r"\b(?:was|were)\s+(?:the\s+|then\s+)?(?:very\s+)?(?:latest|newest|most\s+recent|last|current"
    r"|up[\s-]to[\s-]date)\b|"
    r"\bcurrent\s+(?:[\w.+-]+\s+){0,3}?(?:version|release|edition|text|wording)\s+(?:on|at)\b|"
    r"\bas\s+(?:it|they)\s+(?:stood|read|applied)\s+(?:on|at)\b|\bknown\s+on\b|"
    # A text that applied, or said something, on a day did so before and after it, too.
    r"\b(?:which|what)\s+(?!candidates|applicants|people|students)[^?;]{1,60}?\s(?:applied|governed)\s+(?:on|at)\b|"
    r"\bwhat\s+(?:did|does)\s+[^?;]{0,60}?\b(?:terms(?:\s+(?:of|and)\s+\w+)?|polic(?:y|ies)|laws?|acts?|articles?|rules?|"
    r"regulations?|constitution|contract|agreement|texts?|guidelines?|code|statute|charter|manual|licen[cs]e|protocols?|"
    r"procedures?|handbook|guide|instructions|specification|standard|documentation|pathway|checklist|runbook|playbook|"
    r"price\s+list|timetable|schedule|menu|page|website|label|syllabus|faq|readme)\s+"
    r"(?:say|state|require|provide|allow|permit|prescribe|prohibit)\s+(?:on|at)\b|"
    # Whoever would have had it had what was current: "which version would I have installed on that day".
    r"\bwould\s+(?:[\w'-]+\s+){0,4}?have\s+(?:been\s+(?!built|held|born|killed)|(?:installed|used|had|got|gotten|run|"
    r"downloaded|received|bought|paid|needed|applied|governed|followed|signed|accepted|agreed)\b)",
    re.IGNORECASE,
)
#: Whoever or whatever is in a role or a place is so for some time.
_ROLE = (
    r"c[a-z]o|chief\s+\w+\s+officer|(?:vice[\s-]+)?president|(?:prime\s+)?minister|premier|chancellor|king|queen|"
    r"emperor|empress|tsar|czar|sultan|shah|pope|(?:arch)?bishop|monarch|ruler|governor|mayor|senator|ambassador|"
    r"secretary(?:[\s-]+general)?|director|head|leader|chair(?:man|woman|person)?|manager|coach|captain|commander|"
    r"owner|holder|champion|editor|principal|dean|rector|maintainer|treasurer|commissioner|attorney\s+general|"
    r"members?|partner|landlord|tenant|incumbent|headmaster|headmistress|"
    r"keeper|warden|curator|guardian|chaplain|vicar|consul|regent|superintendent|conductor|organist|librarian"
)
_PLACE = (
    r"in\s+(?:charge|office|power|command|control|place|production|service|government|operation)|at\s+the\s+helm|"
    r"on\s+the\s+(?:team|board|council|committee|staff|throne|list|market)|running|active|live|alive|"
    r"married\s+to|employed|called|owned\s+by|led\s+by|ruled\s+by|run\s+by|based|located|stationed|responsible"
)
#: What a thing has for some time.
_TRAIT = (
    r"(?:(?:interest|exchange|tax|inflation|unemployment)\s+)?rate|price|fee|tariff|salary|rent|population|headcount|"
    r"version|release|edition|firmware|build|name|status|address|capital|limit|balance|rank|ranking|owner|record|size|"
    r"membership|deadline|polic(?:y|ies)|rule|wording|text|team|squad|line-?up|composition|flag|logo|currency|"
    r"headquarters|cost|charge|fine|premium|deductible|wage|allowance|threshold|quota|fare|toll|hour|timetable|menu"
)
#: Those of them that alone, without a verb, are asked for as a state: "planning fee in March 2020"; a release is none.
_LASTING = (
    r"(?:interest|exchange|tax|inflation|unemployment)?\s*rates?|prices?|fees?|tariffs?|salary|salaries|rents?|population|"
    r"headcount|polic(?:y|ies)|rules?|deductibles?|premiums?|wages?|(?:opening|business|working|office)\s+hours|fares?|"
    r"(?:speed|age|size|weight|credit)\s+limits?|allowances?|thresholds?|requirements?|timetable|menu|ceo|mayor"
)
#: What one has, runs or holds on a day and no longer: "which meeting did they have".
_OCCASION = (
    r"meetings?|calls?|appointments?|accidents?|part(?:y|ies)|lunch(?:es)?|dinners?|breakfasts?|talks?|conversations?|"
    r"visits?|visitors?|guests?|surger(?:y|ies)|interviews?|outages?|incidents?|crash(?:es)?|match(?:es)?|games?|"
    r"sessions?|votes?|elections?|events?|concerts?|races?|marathons?|exams?|class(?:es)?|errors?|failures?|stor(?:y|ies)|"
    r"ads?|adverts?|articles?|trials?|hearings?|debates?|summits?|ceremon(?:y|ies)|press\s+conferences?|conferences?|"
    r"rall(?:y|ies)|tests?|experiments?|drills?|exercises?"
)
#: No clause of its own stands between a state and its day: "the mayor of the town that burned on 3 May 2020".
_SAME_CLAUSE = r"(?:(?!\b(?:that|which|who|whom|whose|when|where|while|after|before|if)\b)[^?;]){0,80}"
_HELD_STATE = lazy_regex(
    rf"\bwho\s+(?:was|were)\s+(?:(?:the|then|a|an|acting|interim|[\w.&-]+['’]s?)\s+){{0,2}}"
    rf"(?:(?!\w+ed\b)[\w-]+\s+){{0,2}}?(?:{_ROLE})\b{_SAME_CLAUSE}\Z|"
    rf"\b(?:was|were)\s+(?:[\w.&'’-]+\s+){{0,6}}?(?:{_PLACE})\b{_SAME_CLAUSE}\Z|"
    rf"\b(?:what|how\s+(?:high|low|large|big|much|expensive))\s+(?:was|were)\s+(?:(?:the|[\w.&-]+['’]s?)\s+)"
    rf"(?:[\w-]+\s+){{0,2}}?"
    rf"(?:{_TRAIT})s?\b{_SAME_CLAUSE}\Z|"
    rf"\b(?:which|what|how\s+(?:many|much))\s+(?!(?:\w+\s+)?(?:{_OCCASION})\b)[^?;]{{0,50}}?\bdid\s+[^?;]{{1,60}}?\b"
    rf"(?:have(?!\s+(?:to|an?)\b)|own|possess|employ|weigh|cost|support|charge)\b{_SAME_CLAUSE}\Z|"
    rf"\b(?:which|what)\s+(?:\w+\s+)?(?:{_TRAIT}|software|kernel|driver|library|database|framework|system|os|provider|plan)"
    rf"s?\b[^?;]{{0,40}}?\bdid\s+[^?;]{{1,60}}?\b(?:run|use|have|follow|offer|recommend)\b{_SAME_CLAUSE}\Z|"
    rf"\bwho\s+(?:held|owned|ruled|governed|chaired|managed|coached|captained|employed)\s+"
    rf"(?!(?:(?:the|an?|his|her|their|this|that)\s+)?(?:[\w-]+\s+)?(?:{_OCCASION})\b){_SAME_CLAUSE}\Z|"
    rf"\bwhere\s+did\s+[^?;]{{1,60}}?\b(?:live|reside|work|stand)\b{_SAME_CLAUSE}\Z|"
    rf"\bwhat\s+did\s+[^?;]{{1,60}}?\blook\s+like\b{_SAME_CLAUSE}\Z",
    re.IGNORECASE,
)
_LASTING_NOUN = lazy_regex(
    rf"\A(?!(?:wh\w+|how|did|does|do|is|are|was|were|has|had|have|can|could)\b)"
    rf"(?:the\s+)?(?:[\w.&'’-]+\s+){{0,4}}?(?:{_LASTING})(?:\s+(?:of|for|at|to|in|on)\s+[^?;]{{1,60}})?\Z",
    re.IGNORECASE,
)
#: What was said, applied or cost: "what did the policy say", "which rules applied", "how much was a glass".
_SAID_THEN = lazy_regex(
    rf"\bhow\s+much\s+(?:was|were)\s+(?:the|an?)\s{_SAME_CLAUSE}\Z|"
    rf"\b(?:which|what)\s+(?:[\w-]+\s+){{0,3}}?(?:polic(?:y|ies)|rules?|terms|laws?|limits?|fees?|rates?|tariffs?|conditions|"
    rf"requirements)\s+(?:applied|governed|(?:was|were)\s+(?:in\s+(?:force|effect)|valid)){_SAME_CLAUSE}\Z|"
    rf"\bwhat\s+(?:did|do|does)\s+[^?;]{{0,60}}?\b(?:say|state|require|provide|allow|permit|prescribe|prohibit|cost|charge)"
    rf"{_SAME_CLAUSE}\Z",
    re.IGNORECASE,
)
_HAN_SIGN = lazy_regex(r"[\u3400-\u9fff]")
#: The same in Chinese: "2020年停车费是多少", "2015年总经理是谁", "2022年7月的票价".
_HELD_HAN = lazy_regex(
    r"\A(?!.*(?:[变變]|[调調]整|[发發]生|[为為]什[么麼]|新增|上[涨漲]|下降|[涨漲]|改[为為成]))"
    r".*(?:(?:是|[为為])多少|多少[钱錢]|(?:是|由)[谁誰]|是什[么麼](?![时時]候)|如何[规規]定|怎[么麼][规規]定|"
    r"(?:[费費]用?|票[价價]|[价價]格|[税稅]率|利率|租金|工[资資]|政策|[规規]定|[标標][准準]|(?:[营營][业業]|[开開]放)[时時][间間]|限速)"
    r"[是为為呢?？]?\Z)"
)
#: What stands between a clause and its time.
_JOINT = lazy_regex(
    r"[\s,]*(?:\b(?:back\s+)?(?:in|during|on|at|for|of|around|throughout|over|as\s+of))?\s*\Z", re.IGNORECASE
)
#: What happened on the day itself, right before it: "the president elected on 4 November 2008".
_DONE = lazy_regex(
    r"\b(?!(?:employed|called|based|located|stationed|married|named|need|speed|united|seed|feed|red)\b)"
    r"(?:\w+ed|born|shot|slain|sworn\s+in|chosen|made|built|sent|seen|met|left|taken|given|held|won|lost|caught|set|begun|written)\s+\Z",
    re.IGNORECASE,
)
_ON = lazy_regex(r"on\b", re.IGNORECASE)


#: Who is in a role today, and what a thing has or costs: "What is the limit today?", but not "the weather today".
_HELD_TODAY = lazy_regex(
    rf"\b(?:who|what|which|where|how\s+\w+)(?:['’]s|\s+(?:is|are))\s+(?:(?:the|a|an|our|my|your|their|its|[\w.&-]+['’]s?)\s+)?"
    rf"(?:[\w-]+\s+){{0,3}}?(?:{_ROLE}|{_TRAIT})s?\b{_SAME_CLAUSE}\s(?:right\s+now|now|today|at\s+present)\W*\Z|"
    rf"\b(?:which|what)\s+(?:[\w-]+\s+){{0,2}}?(?:{_ROLE}|{_TRAIT})s?\s+(?:is|are)\s+(?:[\w-]+\s+){{0,3}}?"
    rf"(?:right\s+now|now|today|at\s+present)\W*\Z|"
    rf"\b(?:how\s+(?:many|much)|which|what)\s[^?;.]{{0,50}}?\b(?:does|do)\s+[^?;.]{{1,60}}?\b"
    rf"(?:have(?!\s+to\b)|own|cost|charge|support|employ|weigh|use|offer)\s+(?:now|today|at\s+present)\W*\Z",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)  # several parts of a search ask it of one question
def asks_present_state(text: str) -> bool:
    """Whether a question is for what holds, applies or is written now."""
    return _STATE_NOW.search(text) is not None or _HELD_TODAY.search(text) is not None


def asks_current(text: str) -> bool:
    """Whether a question is for how things stand now: "the current fee", "who owns it now", "derzeit"."""
    if asks_present_state(text):
        return True
    return _CURRENT.search(text) is not None and _PAST.search(text) is None


def asks_recent(text: str) -> bool:
    """Whether a question is for what is recent or new.

    >>> [asks_recent(text) for text in ("What's new in curl?", "recent floods", "a more recent text than this")]
    [True, True, False]
    """
    return find_recent(text) is not None


def find_recent(text: str) -> tuple[int, int] | None:
    """Where a question asks for what is recent or new."""
    if (found := _RECENT.search(text)) is not None:
        return found.span()
    code = find_language(text)
    return find_recent_words(text, code) if code else None


def asks_past_event(understanding: Understanding, text: str) -> bool:
    """Whether a question is for when something happened: "when was dark mode added", not "when does it open"."""
    if understanding.answer_kind != "when":
        return False
    return (_PAST_ELSEWHERE if find_language(text) else _PAST).search(text) is not None


def asks_past_state(text: str, constraints: Sequence[Constraint]) -> bool:
    """Whether a question is for what was so at a time, and may have begun before it: "the fee in March 2020"."""
    if len(constraints) != 1 or constraints[0].relation != "during" or constraints[0].evidence is None:
        return False
    evidence = constraints[0].evidence
    before, behind = text[: evidence.start_char], text[evidence.end_char :].strip(" ,?!.")
    if _HAN_SIGN.search(text):
        return _HELD_HAN.search(f"{before}{behind}") is not None
    if code := find_language(text):
        return asks_held_state(f"{before} {behind}", code)
    before = _JOINT.sub("", before).strip(" ,?!.")
    if bool(before) == bool(behind):
        return False
    clause = before or behind
    if _SAID_THEN.search(clause) or _LASTING_NOUN.search(clause):
        return True
    return not _DONE.search(f"{before} ") and _HELD_STATE.search(clause) is not None


def date_states(text: str, bounds: tuple[Bound, ...]) -> tuple[Bound, ...]:
    """The constraints; the day of "what was the newest release on 3 May 2020" is that of a state of affairs."""
    if len(bounds) != 1:
        return bounds
    bound, item = bounds[0], bounds[0].constraint
    if item.relation != "during" or item.span.coarsest_grain > Grain.DAY:
        return bounds
    if not (_STATE_ON_DAY.search(text) or _asks_held_state(text, bound)):
        return bounds
    until = apply_relation("until", item.span)
    if until is None:
        return bounds
    return (replace(bound, constraint=replace(item, relation="until", span=until), is_as_of=True),)


def _asks_held_state(text: str, bound: Bound) -> bool:
    """Whether a question is for what was so on a day: who was in a role, what a thing had, ran or cost."""
    if not _ON.match(text, bound.start_char):
        return False
    before, behind = text[: bound.start_char], text[bound.end_char :].strip(" ,?!.")
    if _DONE.search(before):
        return False
    clause = before if before.strip() else behind
    return (not before.strip() or not behind) and _HELD_STATE.search(clause) is not None


def find_as_of(text: str, bounds: Sequence[Bound], now: Span | None) -> Span | None:
    """The time whose state of affairs a question asks for: the last that is named so, or the present."""
    named = [bound.named[-1] for bound in bounds if bound.is_as_of]
    if named or now is None:
        return named[-1] if named else None
    return now if _AS_OF_NOW.search(text) or (not bounds and asks_present_state(text)) else None
