"""The words of a question without its times: how rare, how ordinary and how name-like each of them is.

A learned model tells words that a text must have to answer ("curl", "CVE-2023-38545") from those of the frame of a
question ("changed", "newest"). Here are the features that it sees before any candidate is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.lazy import lazy_regex
from epochal.ranking.pool import Floats, Pool
from epochal.ranking.script_words import HAN, HANGUL, KATAKANA, UNPARTED, WORD, find_words
from epochal.ranking.terms import blank_dates
from epochal.ranking.word_lists import (
    LISTS,
    MIN_STEM,
    load_more,
    load_ordinary,
    load_place_forms,
    load_ranks,
    load_stems,
    load_verb_forms,
    rank_listed,
)
from epochal.reading.bound_words import BINDING
from epochal.reading.questions.ordering import blank_order
from epochal.reading.shared.detect import detect_language
from epochal.storage.text import analyse, analyse_word

__all__ = [
    "FUNCTION_WORD",
    "WORD_COLUMNS",
    "WORD_FEATURES",
    "QueryWords",
    "find_placed",
    "is_dotted",
    "is_identifier",
    "is_ordinary",
    "is_predicate",
    "is_text_kind",
    "list_other_forms",
    "measure_rarity",
    "read_query_words",
]

#: The features of a word, and the sign that a weight must have: what cannot make a word less salient has 1.
WORD_FEATURES: Final[Mapping[str, int]] = {
    "rarity": 1,  # inverse passage frequency, as a share of that of a word in one passage
    "relative_rarity": 1,  # the same beside the rarest word of the question that the index has
    "common": -1,  # its rank among the frequent words of the language; names have none
    "uncommon": 1,  # not among them: a name, or a rare word in English, of which there is a dictionary, too
    "ordinary": -1,  # in a dictionary without names
    "capital": 1,  # a capital letter, not at the beginning
    "small": -1,  # small letters, in a question that has capital ones elsewhere
    "digit": 1,
    "identifier": 1,  # letters with digits, or signs inside: CVE-2023-1, gcc-12, v2.0
    "share": 1,  # of the words of the question: each of few says more
    "in_head": 1,  # some candidate has it in its title, series or metadata
    "head_share": 1,  # of the candidates that have it, those that have it there
    "beside_name": -1,  # another word, which no dictionary has, is all of some candidate's title, series or metadata
    "field": 1,  # it is all of some candidate's title, series or value of metadata, but for numbers: requests 2.9
    "predicate": -1,  # by its form it says what somebody did or what was done, in English
    "text_kind": -1,  # a kind of text or a part of one: what is looked for, and not what it is about
}
#: How common a word is that has a function in a sentence and no meaning of its own: the first 150 or so.
FUNCTION_WORD: Final = 0.6
#: How common a small word of another language is taken to be that the documents lack, and no dictionary has: "regía".
_UNLISTED: Final = 0.5
#: How common a word is that is less frequent than those of the list, and not rare.
_FAIRLY_COMMON: Final = 0.3
_POSSESSIVE: Final = lazy_regex(r"['’]s$")
_INNER_SIGN: Final = lazy_regex(r"\w[.+/:\-]\w")
#: What is between something and the place where it is or happens, and the articles that may follow, by language.
_AT: Final[Mapping[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "de": "in im bei vor auf",
        "en": "in at near off",
        "es": "en",
        "fr": "en à au aux dans",
        "it": "a ad in nel nella nei nelle negli",
        "nl": "in bij op",
        "pt": "em no na nos nas",
    }.items()
}
_ARTICLES: Final = frozenset("the a an el la los las le les l il lo gli der die das den dem de het o os as".split())
#: Words that order and bound times: they are read as such, and no text needs them to answer.
_TIME_WORDS: Final = frozenset(
    "newest latest oldest earliest first last final recent recently current currently now today present presently "
    "onward onwards since until till before after prior preceding previous previously earlier later next following ago "
    "during between already yet so far date dated dating ever very most second third fourth fifth period periods "
    "timeframe timespan time times span day daytime night nighttime overnight morning afternoon evening noon midday "
    "midnight tonight weekend".split()
) | frozenset(word for words in BINDING.values() for word in words.split())
#: What is left of "didn't" and "we'll" before or behind the sign.
_CONTRACTED: Final = frozenset(
    "ain aren couldn didn doesn don hadn hasn haven isn ll shouldn ve wasn weren won wouldn".split()
)
#: Kinds of texts and parts of them, and of what is laid down in them, in the languages whose frequent words are known.
_TEXT_KINDS: Final = frozenset(
    token
    for word in (
        "announcement article bulletin changelog chapter clause communiqué copy document dossier draft edition "
        "entry essay excerpt extract file filing forecast headline issue item journal leaflet log manual memo "
        "message minutes news note notice page paper paragraph passage post publication record release report "
        "section sentence statement story summary text transcript update upload version volume wording "
        "policy rule regulation guideline guidance instruction procedure requirement schedule timetable rota overview "
        "Richtlinie Regel Regelung Vorschrift Anweisung Zeitplan Übersicht règle règlement consigne norma reglamento "
        "instrucción regola regolamento istruzione regra regulamento instrução regel voorschrift reglement правило "
        "مقال مقالة وثيقة نص نسخة خبر أخبار تقرير صفحة فصل سجل "
        "Artikel Dokument Fassung Ausgabe Nachricht Meldung Notiz Bericht Seite Eintrag Veröffentlichung Abschnitt "
        "Kapitel Absatz Protokoll Mitteilung Vorhersage Wortlaut "
        "Meldungen Nachrichten Berichte Seiten Einträge Mitteilungen Dokumente Regeln Richtlinien Vorschriften "
        "artículo documento texto versión redacción edición noticia nota informe apartado página boletín registro "
        "entrada comunicado publicación sección capítulo párrafo pronóstico "
        "texte rédaction édition nouvelle actualité rapport entrée registre parution chapitre alinéa paragraphe "
        "prévision libellé "
        "articolo testo versione redazione edizione notizia rapporto pagina bollettino voce pubblicazione sezione "
        "capitolo paragrafo comma previsione "
        "articoli documenti testi notizie rapporti pagine regole "
        "tekst versie uitgave bericht nieuws notitie verslag pagina vermelding publicatie hoofdstuk voorspelling "
        "berichten artikelen documenten verslagen regels "
        "artigo versão redação edição notícia relatório boletim registo publicação secção seção parágrafo previsão "
        "статья документ текст версия редакция издание новость заметка отчёт доклад страница запись публикация раздел "
        "новости новостей новостях статьи статей документы документов сообщения сообщений "
        "глава параграф сообщение прогноз "
        "新闻 消息 报道 报导 动态 资讯 信息 公告 通告 通知 文章 文件 文档 记录 纪录 内容 版本 条款 "
        "条文 章节 段落 帖子 页面 更新 说明 报告 声明 简报 日志 公报 政策 规定 规则 规章 条例 法规 "
        "ニュース 記事 情報 報道 お知らせ レポート 報告 文書 資料 項目 ページ 内容 動向 発表 "
        "뉴스 소식 기사 보도 정보 문서 자료 보고서 보고 공지 글 내용 동향 "
        "指南 指引 流程 情况 新聞 報道 報導 動態 資訊 訊息 記錄 內容 條款 條文 報告 聲明 簡報 日誌 "
        "公報 規定 規則 條例 法規 情況"
    ).split()
    for token in analyse(word)
)
#: From this share of words with capitals on, a question is written like a title.
_TITLE_CASE: Final = 0.7
#: Languages that write every noun with a capital.
_NOUN_CAPITALS: Final = ("de",)
#: Letters of each part of a compound.
_MIN_PART: Final = 3
#: Words of a question beyond this many are not read.
_MAX_WORDS: Final = 40


@dataclass(frozen=True, slots=True, eq=False)
class QueryWords:
    """The words of a question without its times, as written, with the tokens of each and their passage frequency.

    What is found out about them is filled in, step by step: the arrays change until it is complete.
    """

    words: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]
    frequencies: Floats
    features: Floats
    #: How surely each says what kind of thing all documents are (`epochal.ranking.kinds`).
    kinds: Floats
    language: str = "en"
    #: What stands for words that no document has (`epochal.ranking.near_words`).
    near: dict[str, str] = field(default_factory=dict)

    @property
    def unknown(self) -> Floats:
        """1 for each word that no passage has."""
        return np.asarray(self.frequencies == 0, dtype=np.float64)

    def get(self, feature: str) -> Floats:
        """One feature of every word."""
        return np.asarray(self.features[:, WORD_COLUMNS[feature]])

    def fill_in_rarity(self, passages: int) -> None:
        """Set the features that say in how few of so many passages each word is."""
        for feature, values in zip(_RARITY, measure_rarity(self.frequencies, passages), strict=True):
            self.features[:, WORD_COLUMNS[feature]] = values


_RARITY: Final = ("rarity", "relative_rarity")
#: The column of each feature.
WORD_COLUMNS: Final = {name: column for column, name in enumerate(WORD_FEATURES)}


def find_placed(words: QueryWords) -> npt.NDArray[np.bool_]:
    """Which words are something that is, or happens, at a place, or the place: "crash in Turkey", "fog off the Cape".

    Not where a word of the question is all of some document's title, series or value of metadata: who bears the name
    of a package is about it, whether or not the text speaks of "bugs in requests".
    """
    placed = np.zeros(len(words.words), dtype=np.bool_)
    spoken = [word.lower() for word in words.words]
    prepositions = _AT.get(words.language, _AT["en"])
    if prepositions.isdisjoint(spoken) or (words.get("field") > 0).any():
        return placed
    has_meaning = (words.get("common") < FUNCTION_WORD) & (words.get("text_kind") == 0) & (words.get("predicate") == 0)
    is_noun = has_meaning & (words.get("ordinary") > 0)
    if words.language in _NOUN_CAPITALS:
        is_noun &= words.get("capital") > 0  # "Was steht in der Satzung?"
    is_name = (words.get("capital") > 0) | ((words.get("ordinary") == 0) & (words.get("common") < FUNCTION_WORD))
    for at in range(1, len(placed) - 1):
        name = at + 1 + (spoken[at + 1] in _ARTICLES)
        if spoken[at] in prepositions and is_noun[at - 1] and name < len(placed) and is_name[name]:
            placed[[at - 1, name]] = True
    return placed


def read_query_words(pool: Pool) -> QueryWords:
    """The words of the question of a pool, with the features that need no candidates."""
    text = pool.question if pool.understanding.order is None else blank_order(pool.question)
    text = blank_dates(pool.view, text, pool.times)
    for item in pool.times:
        text = text[: item.start_char] + " " * (item.end_char - item.start_char) + text[item.end_char :]
    words: list[str] = []
    tokens: list[tuple[str, ...]] = []
    starts: list[int] = []
    for found, start in islice(find_words(pool.view, text), _MAX_WORDS):
        word = _POSSESSIVE.sub("", found)
        read = tuple(dict.fromkeys(analyse_word(word)))
        if UNPARTED.match(word):
            # A pair of characters says more than each of them; a single one is all there is.
            read = tuple(token for token in read if len(token) > 1) or read
        if read and word not in words:
            words.append(word)
            tokens.append(read)
            starts.append(start)
    frequency = pool.view.get_document_frequencies({token for read in tokens for token in read})
    frequencies = [min(frequency.get(token, 0) for token in read) for read in tokens]
    language = detect_language(pool.question).code
    described = _describe_words(pool.question, language, words, tokens, starts)
    meaning = [item for item in described if item["common"] < FUNCTION_WORD and not item["text_kind"]]
    for word, read, rarest, features in zip(words, tokens, frequencies, described, strict=True):
        # A compound that the documents have is a word like others; one that they lack may be a name: photoshop.
        is_unlisted = not rarest and language != "en" and word.isalpha()
        if word.islower() and (is_compound(word) if rarest else is_unlisted):
            features["ordinary"] = 1.0
            # The only word with a meaning is the topic.
            if is_unlisted and len(meaning) > 1:
                features["common"] = max(features["common"], _UNLISTED)
        if rarest and language == "en" and features["ordinary"] and load_more().issuperset(read):
            # Who asks for bugs of something does not need the word; what no document has says more.
            features["common"], features["uncommon"] = _FAIRLY_COMMON, 0.0
    rows = [[features.get(name, 0.0) for name in WORD_FEATURES] for features in described]
    read_words = QueryWords(
        tuple(words),
        tuple(tokens),
        np.array(frequencies, dtype=np.float64),
        np.array(rows, dtype=np.float64).reshape(len(words), len(WORD_FEATURES)),
        np.zeros(len(words)),
        language,
    )
    if words:
        read_words.fill_in_rarity(pool.view.passage_count)
    return read_words


def is_identifier(word: str) -> bool:
    """Whether a word has digits and signs, so that its tokens say little: 2.2.1, CVE-2023-38545."""
    return not word.isalnum() and any(sign.isdigit() for sign in word)


def is_dotted(word: str) -> bool:
    """Whether a word is a name of parts with a dot between them: Next.js, ASP.NET; U.S. and e.g. are not."""
    parts = word.split(".")
    return len(parts) > 1 and all(len(part) > 1 and part.isalpha() for part in parts)


def is_ordinary(tokens: Sequence[str]) -> bool:
    """Whether the tokens of a word are in a dictionary without names."""
    return load_ordinary().issuperset(tokens)


def is_text_kind(word: str) -> bool:
    """Whether a word is a kind of text or a part of one: "notes", "chapter"."""
    return _TEXT_KINDS.issuperset(analyse(word))


def list_other_forms(word: str) -> tuple[str, ...]:
    """Other forms of an English word that no ending tells, either way: Italy and Italian, "buy" and "bought".

    A word with a capital is no verb: Rose is a name.
    """
    return load_place_forms().get(word.lower(), ()) or load_verb_forms().get(word, ())


def is_inflected(word: str, language: str) -> bool:
    """Whether a word of a language without a dictionary begins like a frequent one: establecía like establece."""
    return (
        language in LISTS
        and len(word) > MIN_STEM
        and word.lower()[: max(MIN_STEM, len(word) - 4)] in load_stems(language)
    )


@lru_cache(maxsize=4096)
def is_compound(word: str) -> bool:
    """Whether a word is made of two that are in a dictionary: changelog, workaround."""
    ordinary = load_ordinary()
    if not word.isascii() or not word.isalpha() or len(word) < 2 * _MIN_PART:
        return False
    return any(
        ordinary.issuperset((*analyse_word(word[:place]), *analyse_word(word[place:])))
        for place in range(_MIN_PART, len(word) - _MIN_PART + 1)
    )


def measure_rarity(frequencies: Floats, passages: int) -> tuple[Floats, Floats]:
    """How rare words are that so many of the passages have, and how rare beside the rarest; 0 for what none has."""
    rarity = np.log((passages + 2) / (frequencies + 1)) / math.log(passages + 2)
    rarity = np.minimum(np.where(frequencies > 0, np.maximum(rarity, 0.0), 0.0), 1.0)
    return rarity, rarity / max(float(rarity.max(initial=0.0)), 1e-9)


def _describe_words(
    question: str, language: str, words: Sequence[str], tokens: Sequence[tuple[str, ...]], starts: Sequence[int]
) -> list[dict[str, float]]:
    """The features of each word that it has by itself and in its question."""
    first = next((match.start() for match in WORD.finditer(question)), 0)
    inner = [
        any(sign.isupper() for sign in (word if start != first else word[1:])) and word != "I"
        for word, start in zip(words, starts, strict=True)
    ]
    if sum(inner) > max(_TITLE_CASE * len(inner), 2):
        inner = [False] * len(inner)  # "Latest News About the Election": capitals say nothing
    lists = [load_ranks(name) for name in dict.fromkeys(("en", language)) if name in LISTS]
    has_capitals = any(inner)
    described: list[dict[str, float]] = []
    for row, (word, read) in enumerate(zip(words, tokens, strict=True)):
        code, has_digit = _get_list(word, language), not word.isalpha() and any(sign.isdigit() for sign in word)
        common, is_listed = rank_listed(word, code) if code else (0.0, False)
        if not code:
            common = max(min(ranks.get(token, 0.0) for token in read) for ranks in lists)
        is_letter = len(word) == 1 and word.isalpha() and not inner[row] and not code
        if word.lower() in _TIME_WORDS or word.lower() in _CONTRACTED or is_letter:
            common = 1.0
        is_ordinary = not has_digit and load_ordinary().issuperset(read)
        is_capital = inner[row] and language not in _NOUN_CAPITALS
        if is_capital:
            is_ordinary = False  # CUPS is a name, cups are not
        if common < FUNCTION_WORD and (is_capital or (language == "en" and not is_ordinary and not code)):
            common = 0.0  # however often Italy is spoken of, it is no other country
        features: dict[str, float] = {
            "common": common,
            "uncommon": not common and (is_capital or language == "en" or bool(code)),
            "ordinary": is_ordinary
            or is_listed
            or (not inner[row] and language != "en" and (common > 0 or is_inflected(word, language))),
            "capital": inner[row],
            "small": word.islower() and not code and has_capitals,
            "digit": has_digit,
            "identifier": bool(_INNER_SIGN.search(word)) or (has_digit and any(sign.isalpha() for sign in word)),
            "share": 1.0 / len(words),
            "predicate": language == "en" and not inner[row] and is_predicate(question, word, starts[row]),
            "text_kind": not is_capital and _TEXT_KINDS.issuperset(read),
        }
        described.append(features)
    return described


def _get_list(word: str, language: str) -> str:
    """The language whose list of words has a word in its script: that of a question in Chinese characters; or none."""
    if HAN.match(word):
        return "ja" if language == "ja" else "zh"
    return "ja" if KATAKANA.match(word) else "ko" if HANGUL.match(word) else ""


#: Words before a noun or an adjective, after which a past participle is no predicate: "the related article".
_BEFORE_NOUNS: Final = frozenset(
    "a an the of about on in for from by with at to regarding concerning any some no this that these those his her its "
    "their my our your all every each new other which what".split()
)
_BE: Final = frozenset("am is are was were be been being".split())
_LAST_WORD: Final = lazy_regex(r"(\w+)\W*\Z")


def is_predicate(question: str, word: str, start: int) -> bool:
    """Whether an English word says what was done, or what somebody did: "was prescribed", "who owned", "is running"."""
    if not word.islower():
        return False
    found = _LAST_WORD.search(question, max(0, start - 30), start)
    before = found[1].lower() if found else ""
    if word.endswith("ed") and not word.endswith("eed") and len(word) > MIN_STEM:
        return before not in _BEFORE_NOUNS
    return before in ("who", "whom") or (word.endswith("ing") and before in _BE)
