"""What looks like a time and is none: identifiers, versions, numbered things, amounts, products, titles and names."""

from __future__ import annotations

import re

from epochal.lazy import lazy_regex
from epochal.reading.english.lexicon import get_codes
from epochal.reading.english.tokens import EnglishTokens

__all__ = [
    "NAME_LEADS",
    "YEAR_CUES",
    "is_attached",
    "is_compound",
    "is_named_after_day",
    "is_named_unit",
    "is_numbered",
    "is_one_of_many",
    "is_part_of_name",
    "is_person",
    "is_year_number",
]

#: Words before a number of three or four digits that make it a year.
YEAR_CUES = {"-", "after", "and", "around", "before", "between", "by", "during", "from", "in", "of", "–", "as"}
YEAR_CUES |= {
    "term",
    "since",
    "till",
    "to",
    "until",
    "circa",
    "ca",
    "year",
    "anno",
    "early",
    "late",
    "mid",
    "or",
    "through",
}
#: Words that tell of the dates of a life or a work: "born 1555", "d. 1350", "fl. 1480".
_LIFE = {"abt", "active", "aft", "b", "bap", "bef", "bet", "born", "bur", "buried", "built", "c", "completed", "d"}
_LIFE |= {
    "dated",
    "died",
    "est",
    "fl",
    "founded",
    "m",
    "marr",
    "painted",
    "printed",
    "published",
    "r",
    "reigned",
    "ruled",
}
_LIFE |= {"carved", "cast", "copied", "erected", "flourished", "made", "woven"}
_LIFE |= {"ruled", "signed", "written", "bc", "ad", "anno", "domini", "lord"}

#: Words behind which a number counts things of a kind: a room, a port, a law, a size.
_NUMBERED = set(
    "bugs issues prs pulls tickets account airbus alarm album apartment apt art article articles asteroid batch "
    "boeing book box bug build bus cabin case cases catalog cell channel chapter class code column commit device dial "
    "directive doc docket document dvd entry ep episode episodes equation error exercise exit ext extension fig "
    "figure file film flight folio form frame gate gh highway hotline hymn id index interstate invoice iso issue item "
    "job junction kernel key level line lines agent agents apartments chapters exercises figures rooms tables volumes "
    "badge berth din ieee locomotive module modules raum seite sala zimmer chambre habitación locker lot mile model "
    "movie nm no node novel nr number office op opus order p page pages paragraph part passport patent pep pid pin "
    "platform port pp pr problem process proposition psalm pull question receipt record ref regulation release "
    "resolution rev revision rfc room route row rule score sec section sections serial size sku snapshot slide slot "
    "socket song sonnet squadron ssn status statute step suite table task team tel thread ticket track train unit usc "
    "user verse version vol volume voucher windows worker zip § aisle bay bin booth cabinet carton compartment "
    "container crate drawer folder jar lane lanes mailbox pallet rack sample samples shelf specimen stall tag "
    "terminal token vial wagon ward".split()
)
#: Makers and series whose products are numbered like years.
_SERIES = set(
    "bmw canon casio core corsair dell exchange fiat forbes fortune geforce honda ibm intel lexus mazda mercedes "
    "nikkei nikon nokia peugeot porsche radeon renault rover russell server sharepoint skoda studio suzuki topix "
    "toyota volvo xerox xperia".split()
)
#: What is counted, where a number stands before it.
_COUNTED = set(
    "acres aircraft amp amps barrels bit bits bushels byte bytes calories cars casualties cattle cc characters cm "
    "civilians "
    "copies cubic g dead degrees dollars ducats employees episodes euros feet florins frames ft gallons gb ghz "
    "grams guilders guns hectares homes horses houses hp hz inches items jobs kb kcal kg kilograms kilometers "
    "kilometres km km² knots kw lb lbs lines liters litres livres m marks mb megabytes men meters metres mg mhz "
    "miles milliseconds ml mm ms nm others oz pages pcs peasants people percent pesos pixels planes points pounds "
    "ppm prisoners prs psi px rounds rpm rupees samples sec shares sheep shillings ships soldiers square stg "
    "students subjects tanks tb times tokens tonnes tons total troops units usd used vehicles villages volts "
    "btu cfm crowns dinars dpi emails entries fps francs grit guests inhabitants kbps kronor kr lumens mah mbps "
    "nits patients pieces places pupils reais residents riyals roubles rubles seats zloty "
    "votes warships watts women words workers wounded yards yen yuan "
    "gw hpa kpa kwh mbar mpa mw mwh".split()
)
#: What a year is joined to by a hyphen; anything else is counted or measured.
_DATING = frozenset(
    "and based born bound built calendar class cohort dated date early ed edition election end era established founded "
    "issue issued is late levels level like made mid minted model now olympic only onward onwards or period plus poll "
    "present printed published registered released season series started style through til till to today type until "
    "version vintage war".split()
)
_STREETS = {"avenue", "street", "st", "road", "rd", "blvd", "boulevard", "drive", "lane", "ave", "square"}
_SIGNS = {"$", "£", "€", "#", "№", "+", "=", "*", "@", "~", "<", ">", "¥"}
#: What may be joined to a year by a hyphen before it; anything else in front makes it part of a name or code.
_PREFIXES = {"mid", "early", "late", "pre", "post", "since", "til", "circa", "ca", "c", "until", "spring", "summer"}
_PREFIXES |= {"autumn", "fall", "winter", "january", "february", "march", "april", "may", "june", "july", "august"}
_PREFIXES |= {"september", "october", "november", "december", "the", "in", "and", "to"}
_DETERMINERS = {
    "the",
    "a",
    "an",
    "his",
    "her",
    "its",
    "their",
    "our",
    "my",
    "this",
    "that",
    "s",
    "each",
    "every",
    "no",
    "your",
}
_PLURAL = lazy_regex(r"[a-z]{3,}[^su\W]s|[a-z]+men|people")
_TITLED = lazy_regex(r"\s*\(\s*(?:novel|film|book|album|song)")


#: Signs before and behind numbers that may join them to others.
_JOINED_BEFORE = frozenset("`/#_.+=@\\~&:[-–")
_JOINED_BEHIND = frozenset("`_@\\#.:=/-")


def is_attached(tokens: EnglishTokens, first: int, last: int) -> bool:
    """Whether signs join the tokens `[first, last)` to letters or digits, as in CVE-2021-3711 or key:1998."""
    text, start, end = tokens.text, tokens.start(first), tokens.end(last - 1)
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before not in _JOINED_BEFORE and after not in _JOINED_BEHIND:
        return False
    if before == "`" or after == "`":
        return True  # code
    if before and before in "/#_.+=@\\~&" and not (before == "." and _is_end_of_word(text, start)):
        return True
    if before in (":", "[") and text[start - 2 : start - 1].isalnum():
        return True
    if before in ("-", "–") and start > 1:
        joined = text[start - 2]
        if joined.isalpha() and before == "-" and tokens.words[first - 2] not in _PREFIXES:
            return True
        other = tokens.start(first - 2) if first > 1 else 0
        if joined.isdigit() and other > 1 and text[other - 1] == "-" and text[other - 2].isalnum():
            return True  # the last part of CVE-2014-1829
        if joined.isdigit() and not tokens.is_class(first - 2, "YEAR", "DECADE"):
            return before == "-" or not tokens.is_class(first - 2, "THREE_DIGITS")  # 555-2014
    if after in ("_", "@", "\\", "#") or (after in (".", ":", "=", "/") and text[end + 1 : end + 2].isalnum()):
        return True
    if after == "-" and text[end + 1 : end + 2].isdigit():
        return re.match(r"-(?:\d{4}|\d\d)(?![\w-])", text[end : end + 7]) is None
    if after != "-" or not text[end + 1 : end + 2].isupper():
        return False
    return text[end + 2 : end + 3].isdigit() or not text[end + 2 : end + 3].isalpha()  # 2019-E4, 2023-B


#: Requests for a number, at the start of a sentence.
_KEYED = {"call", "dial", "phone", "press", "ring", "text", "type"}
_SENTENCE_ENDS = {".", "!", "?", ":", ";", ",", "and", "or", "to", "then", "please"}


def _is_end_of_word(text: str, start: int) -> bool:
    """Whether the full stop before an offset ends a word without a space after it: "Technology.In", "c.1340"."""
    return text[start - 2 : start - 1].isalpha()


_COUNTERS = {"id", "index", "limit", "line", "lines", "page", "pages", "port", "ports", "row", "rows", "size", "value"}
#: What is set to a number.
_SETTINGS = _COUNTERS | {"count", "height", "retries", "timeout", "width"}
#: What is a number of its own: "the PIN is 2015".
_CODED = {"code", "count", "elo", "ext", "extension", "id", "number", "passcode", "password", "pin", "port", "rating"}
_CODED |= {"room", "score", "sum", "total"}
#: What sets the title of a work off from its kind.
_OPENING, _CLOSING = {",", '"', "“", "'", "‘", "("}, {",", '"', "”", "'", "’", ")"}
_WORKS = {"album", "book", "film", "movie", "novel", "play", "record", "single", "song"}
#: The length of the name of a link before its number.
_MAX_LABEL = 12
#: How many tokens back a list of numbers is followed.
_LISTED = 16


def is_numbered(tokens: EnglishTokens, first: int, last: int, *, in_list: bool = True) -> bool:
    """Whether the words around a number, and those before its list, say that it counts or numbers something."""
    words, text, end = tokens.words, tokens.text, tokens.end(last - 1)
    before = words[first - 1] if first else ""
    after = words[last] if last < len(words) else ""
    if before == "." and first > 1 and words[first - 2] in _NUMBERED and words[first - 2] not in ("m", "office"):
        return True  # p. 1901, no. 1998
    if before in _NUMBERED or before in _SERIES or before in _SIGNS or after in _COUNTED:
        return True
    if before == ":" and first > 2 and words[first - 2] in _QUOTES and words[first - 3] not in _DATED_KEYS:
        return True  # "uid":2001
    start = tokens.start(first)
    if text[max(0, start - _MAX_LABEL) : start].rstrip().rpartition("_")[2].lower() in _NUMBERED:
        return True  # "_issue 2017:" is the name of a link
    if before == "request" and first > 1 and words[first - 2] in ("merge", "pull"):
        return True
    if first > 1 and words[first - 2] in _LINES and len(before) <= 3 and text[start - 2 : start - 1].isupper():
        return True  # flight BA 2026
    if (
        after == "-"
        and text[end + 1 : end + 2].islower()
        and words[last + 1 : last + 2]
        and words[last + 1] not in _DATING
    ):
        return True  # a 2048-bit key, a 2025-lumen lamp
    if first > 1 and before == ":" and words[first - 2] in _NUMBERED:
        return True  # tickets: 2141
    if first > 1 and before in _OPENING and after in _CLOSING and words[first - 2] in _WORKS:
        return True  # her album, 1989, and the novel "1984"
    if before in ("is", "was") and first > 1 and words[first - 2] in _CODED:
        return True  # the extension is 2015
    if before in _KEYED and (first == 1 or words[first - 2] in _SENTENCE_ENDS):
        return True  # Type 2000 on the keypad
    if before == "to" and first > 1 and words[first - 2] in _SETTINGS:
        return True  # set the timeout to 1800
    if before == "from" and first > 1 and words[first - 2] in _COUNTERS and tokens.is_class(last, "TO"):
        return True  # the port from 1900 to 2048
    place = first
    while (
        in_list
        and 0 <= first - place < _LISTED
        and tokens.is_class(place - 1, "AND", ",", "-", "TO")
        and tokens.is_class(place - 2, "YEAR")
    ):
        place -= 2
    if place < first and is_numbered(tokens, place, place + 1, in_list=False):
        return True  # Visual Studio 2017 and 2019
    if before in ("at", "with") and not (after.isalpha() and text[end : end + 1] == " "):
        return before == "at" or not _is_compared(tokens, first - 1)  # closed at 1950, exited with 2001
    if (
        tokens.is_class(first - 1, "SMALL_NUMBER", "THREE_DIGITS", "LARGE_NUMBER")
        and text[tokens.start(first) - 1] == " "
    ):
        return True
    if text[end : end + 2] == " K" and not text[end + 2 : end + 3].isalnum():
        return True  # 1900 K
    if text[end : end + 1] in {"%", "°", "x", "×"} or not _STREETS.isdisjoint(words[last : last + 3]):
        return True
    if before == "s" and first > 2 and words[first - 2] in "'’" and text[tokens.start(first - 3)].isupper():
        # "Orwell's 1984" is a book, "Britain's 1945 election" is not.
        return not (after.isalpha() and text[end : end + 1] == " " and after not in _FOLLOWING)
    if before.isalpha() and before not in YEAR_CUES and before not in _DETERMINERS and _PLURAL.fullmatch(after):
        is_verb = tokens.is_class(first - 1, "OTHER") and not text[tokens.start(first - 1)].isupper()
        return is_verb and text[end : end + 1] == " " and before not in _LIFE  # "had 1500 horses"
    return _TITLED.match(text[end : end + 12]) is not None


#: Names of fields that hold a year.
_DATED_KEYS = {"born", "date", "died", "founded", "issued", "published", "released", "since", "year", "years", "yr"}


#: What two or three letters and a number name: flight BA 2026, train ICE 1998.
_LINES = {"flight", "flights", "train", "trains", "vessel", "bus"}


def _is_compared(tokens: EnglishTokens, place: int) -> bool:
    """Whether "with" at a place compares one year with another: "1979 with 2022", "compared with 2001"."""
    low = max(0, place - _COMPARISON)
    before = tokens.words[low:place]
    return get_codes("IN", "YEAR") in tokens.codes[low:place] or any(word.startswith(_COMPARING) for word in before)


#: How many tokens back another year is looked for.
_COMPARISON = 8
_COMPARING = ("compar", "contrast")
_FOLLOWING = {"and", "or", "is", "was", "in", "as", "but", "by", "to", "with", "at", "for", "on", "has", "had", "were"}


def is_year_number(tokens: EnglishTokens, first: int, last: int, number: int) -> bool:
    """Whether a number is used as a year. Before 1600 something must say so: a preposition, a dash, parentheses."""
    if is_attached(tokens, first, last) or is_numbered(tokens, first, last):
        return False
    if number >= 1600:
        return True
    words = tokens.words
    before = words[first - 1] if first else ""
    after = words[last] if last < len(words) else ""
    if after == "to" and before in _LIFE and tokens.is_class(last + 1, "YEAR"):
        return _is_range_end(tokens, last + 1, number) and not _counts(tokens, last + 2)
    if before in YEAR_CUES or before in _LIFE or (before == "." and first > 1 and words[first - 2] in _LIFE):
        return not _counts(tokens, last) or before in ("in", "circa", "ca", "since", "until", "year", "by")
    if after in ("-", "–", "—") and tokens.is_class(
        last + 1, "YEAR", "SMALL_NUMBER", "THREE_DIGITS", "NEARLY", "OTHER"
    ):
        return _is_range_end(tokens, last + 1, number)
    return before == "(" and after in (")", ",", ";", "-", "–", "?") and number > 31


def _is_range_end(tokens: EnglishTokens, place: int, number: int) -> bool:
    word = tokens.words[place]
    if word in ("c", "ca", "circa"):
        return True
    if not word.isdigit():
        return False
    return number < int(word) <= number + 200 or (len(word) == 2 and number % 100 < int(word))


def _counts(tokens: EnglishTokens, place: int) -> bool:
    """Whether a plural follows, as in "around 600 warships"."""
    if not tokens.is_class(place, "OTHER"):
        return False
    word = tokens.words[place]
    return len(word) > 4 and word.endswith("s") and tokens.text[tokens.start(place)].islower()


def is_compound(tokens: EnglishTokens, last: int) -> bool:
    """Whether the noun behind a day or a night makes it a kind of that: the day job, the night shift."""
    return last < len(tokens.words) and tokens.words[last] in _DAY_COMPOUNDS


_DAY_COMPOUNDS = {"care", "job", "jobs", "laborer", "laborers", "nurse", "nurses", "nursery", "owl", "school", "shift"}
_DAY_COMPOUNDS |= {"shifts", "sky", "trader", "traders", "trip", "trips", "vision", "watchman"}


def is_one_of_many(tokens: EnglishTokens, first: int, last: int) -> bool:
    """Whether a weekday or season is any one within a time: "a Monday in June 2022", "some summers of the 1960s"."""
    article = tokens.words[first] if tokens.words[first] in _ANY_ONE else tokens.words[first - 1] if first else ""
    if article not in _ANY_ONE or not tokens.is_class(last, "of", "IN"):
        return False
    behind = last + 1 + tokens.is_class(last + 1, "the", "EARLY")
    return tokens.is_class(behind, "YEAR", "DECADE", "MONTH_NAME", "THIS", "LAST", "NEXT") or (
        behind < len(tokens.words) and tokens.words[behind].endswith("ties")  # the nineties
    )


_ANY_ONE = {"a", "any", "each", "every", "one", "some"}


def is_part_of_name(tokens: EnglishTokens, first: int, last: int) -> bool:
    """Whether words of time are part of a name, by their capitals: the Arab Spring, Saturday Night Live.

    A word with a capital before or behind them does it, where the words of time have capitals themselves and the
    text is not written in capitals throughout.
    """
    text = tokens.text
    if _is_work(tokens, first, last):
        return True
    if last - first == 2 and tokens.is_class(first, "the") and tokens.is_class(first + 1, "DAYPART"):
        first += 1  # the Evening Standard
    noun = tokens.start(last - 1)
    has_article = last > 1 and tokens.is_class(last - 2, "A") and tokens.is_class(last - 1, "DAYPART")
    if has_article and _has_capital(text, noun) and not text[noun : noun + 3].isupper():
        return True  # A Night at the Opera
    if not all(
        _has_capital(text, tokens.start(place)) for place in range(first, last) if tokens.words[place].isalpha()
    ):
        return False
    end = tokens.end(last - 1)
    if text[tokens.start(last - 1) : end].isupper():
        return False
    if last < len(tokens.words) and text[end : tokens.start(last)] == " " and _has_capital(text, tokens.start(last)):
        if _is_proper_name(tokens, first, last):
            return True
        has_article = tokens.words[max(0, first - 1)] == "the"
        return tokens.words[last] in _SHOWS or (
            has_article and tokens.is_class(last, "OTHER") and tokens.is_class(last - 1, "UNIT", "DAYPART")
        )
    if not first or not tokens.is_class(first - 1, "OTHER") or tokens.is_class(first, "UNIT"):
        return False
    word = text[tokens.start(first - 1) : tokens.end(first - 1)]
    if word.lower() in _DETERMINERS or not word[0].isupper() or not word[1:].islower():
        return False
    return text[tokens.end(first - 1) : tokens.start(first)] == " "


def _is_work(tokens: EnglishTokens, first: int, last: int) -> bool:
    """Whether a part of the day begins the name of a work: "the loan of Sunset over Lake", "Midnight in Paris"."""
    if last - first != 1 or not tokens.is_class(first, "DAYPART") or last + 1 >= len(tokens.words):
        return False
    text, both = tokens.text, tokens.text[tokens.start(first) : tokens.end(last)]
    behind = tokens.start(last + 1)
    is_name = tokens.is_class(last + 1, "OTHER") and text[behind].isupper()
    if not first:
        return both[1:].islower() and tokens.words[last] in ("over", "under") and is_name
    return (
        both[0].isupper()
        and both[1:].islower()
        and tokens.words[first] != "overnight"
        and tokens.words[first - 1] not in _TIME_PREPOSITIONS
        and text[tokens.end(first - 1)] == " "
        and tokens.words[last] in _JOINTS
        and (is_name or (tokens.is_class(last + 1, "the") and tokens.is_class(last + 2, "OTHER")))
    )


_TIME_PREPOSITIONS = {"after", "around", "at", "before", "by", "from", "since", "till", "to", "until", "between"}
_JOINTS = {"at", "by", "in", "of", "on", "over", "under", "with"}
#: What is called after a feast, and is no time: an Easter egg, a Christmas tree.
_FESTIVE = frozenset(
    "bunny cake card cards carol carols costume costumes cracker crackers egg eggs island islands lights lily ornament "
    "ornaments pudding seals stocking stockings tree trees turkey wreath".split()
)
#: Weekdays in the names of songs, films and people.
_LYRICAL = {"blue", "freaky", "gloomy", "manic", "ruby", "stormy"}
_CALLED_AFTER_DAYS = {("wednesday", "addams"), ("tuesday", "weld"), ("november", "rain"), ("september", "song")}
#: What makes a name of words of time with a capital behind them: "the song November Rain".
_WORKS_BEFORE = _WORKS | {"anthem", "band", "episode", "musical", "newspaper", "painting", "sitcom", "track", "trio"}


def is_named_after_day(tokens: EnglishTokens, first: int, last: int) -> bool:
    """Whether a weekday, a month or a feast names a newspaper, a work, a person or a thing: the Sunday Times.

    >>> from epochal.reading.english.tokens import tokenise
    >>> texts = ("The Sunday Times", "On Sunday we sang", "an Easter egg")
    >>> [is_named_after_day(tokenise(text), 1, 2) for text in texts]
    [True, False, True]
    """
    words, text = tokens.words, tokens.text
    if not _has_capital(text, tokens.start(last - 1)):
        return False
    before = words[first - 1] if first else ""
    if before in _LYRICAL and _has_capital(text, tokens.start(first - 1)):
        return True
    if last >= len(words) or text[tokens.end(last - 1) : tokens.start(last)] != " ":
        return False
    word = words[last]
    if tokens.is_class(last - 1, "HOLIDAY") and word in _FESTIVE:
        return True
    following = text[tokens.start(last) : tokens.end(last)]
    if not following[0].isupper() or not following[1:].islower():
        return False
    if (words[last - 1], word) in _CALLED_AFTER_DAYS or before in _WORKS_BEFORE:
        return True
    is_adverbial = before in ("on", "by", "until", "since", "last", "next", "this", "for", "from", "in", ",")
    # "The Sunday World Cup final" is on a Sunday.
    goes_on = (
        last + 1 < len(words) and tokens.is_class(last + 1, "OTHER") and _has_capital(text, tokens.start(last + 1))
    )
    return word in _PAPERS and not is_adverbial and not goes_on


#: What follows the words of time in names of newspapers, clubs and programmes.
_PAPERS = {"books", "circle", "club", "chronicle", "dispatch", "express", "football", "gazette", "group", "herald"}
_PAPERS |= {"independent", "lectures", "mail", "mercury", "mirror", "people", "post", "review", "society", "star"}
_PAPERS |= {"sun", "telegraph", "times", "tribune", "world"}


def is_named_unit(tokens: EnglishTokens, place: int) -> bool:
    """Whether a unit with a capital is part of a name: Green Day, Century 21, a Quarter Pounder.

    A headline, in which every word has a capital, has no names by that.
    """
    text, words = tokens.text, tokens.words
    if not _has_capital(text, tokens.start(place)) or text[tokens.start(place) : tokens.end(place)].isupper():
        return False
    if place and words[place - 1] in _FIRST_NAMES_OF_DAY and _has_capital(text, tokens.start(place - 1)):
        return True
    if place + 1 >= len(words) or text[tokens.end(place) : tokens.start(place + 1)] not in ("", " "):
        return False
    following = text[tokens.start(place + 1)]
    if following.isdigit():
        return True
    is_headline = place > 0 and _has_capital(text, tokens.start(place - 1))
    return following.isupper() and place > 0 and not is_headline and tokens.is_class(place + 1, "OTHER")


_FIRST_NAMES_OF_DAY = {"doris", "green", "judgement", "judgment"}


def _is_proper_name(tokens: EnglishTokens, first: int, last: int) -> bool:
    """Whether a season or a part of the day, which have no capitals, is a first name: Summer Glau, Midnight Oil.

    The word behind it has a capital and is no word of time, and what follows that has none, as it would in a heading.
    """
    if last - first != 1 or not tokens.is_class(first, "SEASON", "DAYPART") or not tokens.is_class(last, "OTHER"):
        return False
    text, behind = tokens.text, last + 1
    is_word = text[tokens.start(last) : tokens.end(last)][1:].islower()
    return is_word and behind < len(tokens.words) and text[tokens.start(behind)].islower()


#: What makes the word of time behind it a person: "Dr. Summer", "my sister April", "he married June".
_TITLES = frozenset("mr mrs ms miss dr prof sir lady aunt aunty auntie uncle sister".split())
_KIN = frozenset(
    "aunt boyfriend brother colleague cousin daughter father friend girlfriend grandmother husband mother mum mom "
    "neighbor neighbour niece roommate sister son twin uncle wife".split()
)
_MEETING = frozenset("adored asked called hugged introduced kissed loved married met named nicknamed thanked".split())
_QUOTES = ('"', "“", "”")
_NAMING = frozenset("baptised baptized called christened named nicknamed".split())
_PRONOUNS = frozenset("her him it me them".split())
#: What stands right before the name of a person, if that is a word of time.
NAME_LEADS = _TITLES | _PRONOUNS | {".", *_QUOTES}
#: What a person does who is called June.
_SPEAKING = frozenset(
    "asked giggled grinned knows laughed loves nodded replied said says shrugged sighed smiled thinks told wants "
    "whispered who".split()
)


def is_person(tokens: EnglishTokens, first: int, last: int) -> bool:
    """Whether a month, a season or a weekday with a capital is the name of somebody, by the words around it.

    >>> from epochal.reading.english.tokens import tokenise
    >>> [is_person(tokenise(text), 1, 2) for text in ("met June there", "In June we met")]
    [True, False]
    """
    if last - first != 1 or not _has_capital(tokens.text, tokens.start(first)):
        return False
    words = tokens.words
    if tokens.text[tokens.start(first) - 1 : tokens.start(first)] in _QUOTES and first:
        return tokens.text[tokens.end(first) : tokens.end(first) + 1] in _QUOTES  # codename "Winter"
    before, behind = words[max(0, first - 2) : first], words[last : last + 6]
    near = before[-2] if before[-1:] == ["."] and len(before) > 1 else before[-1] if before else ""
    if near in _TITLES:
        return True
    if before[-1:] and before[-1] in _PRONOUNS:
        return len(before) > 1 and before[-2] in _NAMING
    if tokens.is_class(first, "WEEKDAY"):
        return False
    if near in _MEETING or near in _KIN:
        return True
    if behind[:1] and behind[0] in _SPEAKING:
        return True
    if behind[:1] in (["is"], ["was"]) or (behind[:1] and behind[0] in "'’" and behind[1:2] == ["s"]):
        return not _KIN.isdisjoint(behind[1:5])
    return False


#: What follows the words of time in names of broadcasts, films and treaties.
_SHOWS = {
    "standard",
    "star",
    "news",
    "times",
    "accords",
    "agreement",
    "america",
    "club",
    "fever",
    "football",
    "lights",
    "live",
    "massacre",
    "post",
    "show",
}


def _has_capital(text: str, start: int) -> bool:
    return text[start].isupper()
