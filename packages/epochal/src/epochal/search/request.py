"""The options of a search, declared once, and Request: a question with its options, checked.

Every surface takes its options from `SearchOptions`: `Index.search`, the command line, the service, MCP and the
retrievers of frameworks. A new option is a field here and a line of `SearchArguments`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, get_args

from epochal.errors import EpochalError, UnknownNameError
from epochal.search.where import parse_where

if TYPE_CHECKING:
    import datetime as dt

    from typing_extensions import Self

    from epochal.ranking.pool import Scorer
    from epochal.times.filters import TimeFilter
    from epochal.times.span import Span

Sort = Literal["relevance", "newest", "oldest"]
#: The order of hits: best first, or by date among the documents on the topic.
SORTS: tuple[Sort, ...] = get_args(Sort)
Undated = Literal["neutral", "exclude", "penalise"]
#: Documents without any date where there is a query window are ranked by topic alone, left out, or demoted.
UNDATED: tuple[Undated, ...] = get_args(Undated)
#: Where options are given: `Index.search`, three commands, the HTTP service, MCP tools, retrievers of frameworks.
Surface = Literal["python", "search", "run", "answer", "service", "mcp", "retrievers"]
SURFACES: tuple[Surface, ...] = get_args(Surface)
#: Longer questions than this are texts, which take seconds to read.
MAX_QUESTION: Final = 20_000
#: Where documents lie that have a relation to a span, unless that is the span itself.
_SIDES: Final = {"before": "before", "meets": "before", "after": "after", "met_by": "after", "around": "around"}


# ---------------------------------------------------------------- times


def parse_time(value: Span | dt.date | int | str | None, name: str, now: Span | None = None) -> Span | None:
    """The span of a Span, a date, a datetime, a year or a text; `name` is what an error calls the argument.

    A text is EDTF, ISO 8601, words, or a date of any calendar; `now` is the present that "last year" counts from.
    """
    from epochal.times.span import Span

    if value is None or isinstance(value, Span):
        return value
    from epochal.reading import resolve  # not needed for a search without times

    return resolve.parse_time(value, name, now)


#: The earlier name of `parse_time`.
as_span = parse_time


# ---------------------------------------------------------------- declaring options


@dataclass(frozen=True, slots=True)
class Option:
    """How an option is described and checked on every surface.

    In `help`, names of options are in braces; a surface puts its own spelling there. A number has bounds, a choice
    its words. `alias` is an earlier name, still accepted. `left_out` gives for each surface without it the reason.
    """

    help: str
    kind: Literal["time", "number", "share", "flag", "choice", "name", "scorer", "where"]
    metavar: str = ""
    least: int = 1
    most: int | None = None
    choices: tuple[str, ...] = ()
    example: str = ""
    alias: str = ""
    left_out: Mapping[Surface, str] = field(default_factory=dict)

    def describe(self, spell: Callable[[str], str] = str) -> str:
        """The help text with the names of options as a surface spells them."""
        return self.help.format_map(_Spelling(spell))


class _Spelling(dict[str, str]):
    """The spelling of any name."""

    def __init__(self, spell: Callable[[str], str]) -> None:
        super().__init__()
        self._spell = spell

    def __missing__(self, name: str) -> str:
        return self._spell(name)


_OWN_TIMES: Final = "the questions of a test set carry their own times"
_FROM_QUESTION: Final = "an answer takes its times from the question"
_DEFAULT_RANKING: Final = "an answer ranks with the defaults"
_FEW: Final = "an assistant gets few arguments, and puts the rest into the words of the question"
_OPERATOR: Final = "how vectors and scores are compared is not an assistant's choice"


def _about(help: str, kind: Any, left_out: Mapping[Surface, str] | None = None, **about: Any) -> dict[str, Any]:
    return {"option": Option(help, kind, left_out=left_out or {}, **about)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """What goes with a question. `parse` reads what a surface was given; the constructor takes spans for times."""

    k: int = field(default=10, metadata=_about("how many hits", "number", metavar="N", most=10_000))
    offset: int = field(
        default=0,
        metadata=_about(
            "how many hits to pass over before the first",
            "number",
            {"run": "a run lists every hit", "answer": _DEFAULT_RANKING, "mcp": _FEW},
            metavar="N",
            least=0,
            most=10_000,
        ),
    )
    where: Mapping[str, Mapping[str, Any]] | None = field(
        default=None,
        metadata=_about(
            "only documents whose metadata meet these conditions, such as lang=en, lang=en,de, year>=1990 or author",
            "where",
            metavar="CONDITION",
            example="lang=en",
        ),
    )
    now: Span | None = field(
        default=None,
        metadata=_about(
            "the present that 'last year' and 'latest' count from", "time", metavar="DATE", example="2003-07-02"
        ),
    )
    as_of: Span | None = field(
        default=None,
        metadata=_about(
            "only documents published by then, and of each series the version valid then",
            "time",
            {"run": _OWN_TIMES},
            metavar="DATE",
        ),
    )
    valid_at: Span | None = field(
        default=None,
        metadata=_about(
            "only documents valid on this date", "time", {"run": _OWN_TIMES, "answer": _FROM_QUESTION}, metavar="DATE"
        ),
    )
    during: Span | None = field(
        default=None,
        metadata=_about(
            "prefer documents of this time, or whose time overlaps it",
            "time",
            {"run": _OWN_TIMES, "answer": _FROM_QUESTION},
            metavar="SPAN",
        ),
    )
    before: Span | None = field(
        default=None,
        metadata=_about(
            "prefer documents before this time", "time", {"run": _OWN_TIMES, "answer": _FROM_QUESTION}, metavar="SPAN"
        ),
    )
    after: Span | None = field(
        default=None,
        metadata=_about(
            "prefer documents after this time", "time", {"run": _OWN_TIMES, "answer": _FROM_QUESTION}, metavar="SPAN"
        ),
    )
    relation: str | None = field(
        default=None,
        metadata=_about(
            "another relation to {during}: one of Allen's such as contains or meets, or around",
            "name",
            {"run": _OWN_TIMES, "answer": _FROM_QUESTION, "mcp": _FEW},
            metavar="NAME",
            example="contains",
        ),
    )
    strict: bool = field(
        default=False,
        metadata=_about(
            "leave out what {during}, {before} and {after} exclude, and undated documents",
            "flag",
            {"run": _OWN_TIMES, "answer": _FROM_QUESTION},
        ),
    )
    sort: Sort = field(
        default="relevance",
        metadata=_about(
            "the order of hits: relevance, or newest or oldest first among documents on the topic",
            "choice",
            {"run": "a run is ranked by relevance", "answer": _DEFAULT_RANKING, "mcp": _FEW},
            metavar="ORDER",
            choices=SORTS,
        ),
    )
    min_relevance: float | None = field(
        default=None,
        metadata=_about(
            "return only hits that answer with at least this probability, from 0 to 1",
            "share",
            {"run": "a run lists every document", "answer": _DEFAULT_RANKING, "mcp": _FEW},
            metavar="P",
        ),
    )
    undated: Undated = field(
        default="neutral",
        metadata=_about(
            "documents without dates where there is a query window: neutral, exclude or penalise",
            "choice",
            {"run": _OWN_TIMES, "answer": _DEFAULT_RANKING, "mcp": _FEW},
            metavar="POLICY",
            choices=UNDATED,
        ),
    )
    time: bool = field(
        default=True,
        metadata=_about("read the times that a question states", "flag", {"answer": _FROM_QUESTION, "mcp": _FEW}),
    )
    collapse_versions: bool = field(
        default=True,
        metadata=_about(
            "collapse versions and near-duplicates into the best of them",
            "flag",
            {"run": "a run lists every version", "answer": _DEFAULT_RANKING, "mcp": _FEW},
            alias="fold",
        ),
    )
    promote_current_version: bool = field(
        default=True,
        metadata=_about(
            "rank the current version of a series before the others",
            "flag",
            {
                "run": "the default scorer promotes, a published baseline does not",
                "answer": _DEFAULT_RANKING,
                "mcp": _FEW,
            },
            alias="settle",
        ),
    )
    dims: int | None = field(
        default=None,
        metadata=_about(
            "compare the first M dimensions of each vector only",
            "number",
            {"answer": _DEFAULT_RANKING, "mcp": _OPERATOR},
            metavar="M",
        ),
    )
    shortlist: int | None = field(
        default=None,
        metadata=_about(
            "rerank the top N passages by {dims} with full vectors",
            "number",
            {"answer": _DEFAULT_RANKING, "mcp": _OPERATOR},
            metavar="N",
        ),
    )
    scorer: str | Scorer | None = field(
        default=None,
        metadata=_about(
            "what ranks the hits; the default scorer unless given",
            "scorer",
            {"answer": _DEFAULT_RANKING, "mcp": _OPERATOR},
            metavar="NAME",
            example="gate",
        ),
    )
    rerank: bool = field(
        default=False,
        metadata=_about(
            "read the question with each of the 20 best passages together, and rerank them by that",
            "flag",
            {"answer": _DEFAULT_RANKING},
        ),
    )

    @classmethod
    def parse(cls, given: Mapping[str, Any], now: Span | None = None, *, spell: Callable[[str], str] = str) -> Self:
        """Options from values as a surface has them: the one place where text becomes time.

        `now` is the present where none is given, and `spell` how the surface writes a name, for errors.
        """
        values = rename_aliases(given)
        if unknown := sorted(values.keys() - cls.__dataclass_fields__.keys()):
            accepted = ", ".join(item.name for item in fields(cls) if item.name != "question")
            hints = "".join(f"; {spell(_HINTS[name])} does that" for name in unknown if name in _HINTS)
            raise EpochalError(f"search does not know {', '.join(unknown)}{hints}; accepted: {accepted}")
        values["now"] = parse_time(values.get("now"), spell("now")) or now
        for name, option in OPTIONS.items():
            if option.kind == "time" and name != "now" and name in values:
                values[name] = parse_time(values[name], spell(name), values["now"])
        if values.get("where") is not None:
            values["where"] = parse_where(values["where"], spell("where"))
        if spell is not str:
            # An error here has the surface's spelling; one of the constructor has Python's.
            _check({**_DEFAULTS, **values}, spell)
        return cls(**values)

    def __post_init__(self) -> None:
        _check(self.to_dict(), str)

    def to_dict(self) -> dict[str, Any]:
        """The options by name, as `Index.search` takes them."""
        return {name: getattr(self, name) for name in OPTIONS}


class SearchArguments(TypedDict, total=False):
    """The options as arguments of `Index.search`; those at the end are earlier names, which warn."""

    k: int
    offset: int
    where: Mapping[str, Any] | str | None
    now: Span | dt.date | int | str | None
    as_of: Span | dt.date | int | str | None
    valid_at: Span | dt.date | int | str | None
    during: Span | dt.date | int | str | None
    before: Span | dt.date | int | str | None
    after: Span | dt.date | int | str | None
    relation: str | None
    strict: bool
    sort: Sort
    min_relevance: float | None
    undated: Undated
    time: bool
    collapse_versions: bool
    promote_current_version: bool
    dims: int | None
    shortlist: int | None
    scorer: str | Scorer | None
    rerank: bool
    fold: bool
    settle: bool


class TrendArguments(TypedDict, total=False):
    """The options of a search that `Index.trends` takes, too."""

    where: Mapping[str, Any] | str | None
    now: Span | dt.date | int | str | None
    as_of: Span | dt.date | int | str | None
    valid_at: Span | dt.date | int | str | None


#: Every option by name, in the order in which surfaces list them.
OPTIONS: Final[Mapping[str, Option]] = MappingProxyType(
    {item.name: item.metadata["option"] for item in fields(SearchOptions)}
)
_DEFAULTS: Final = {item.name: item.default for item in fields(SearchOptions)}
#: Earlier names of options, still accepted.
ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {option.alias: name for name, option in OPTIONS.items() if option.alias}
)


def list_options(surface: Surface) -> list[str]:
    """The options that a surface has."""
    return [name for name, option in OPTIONS.items() if surface not in option.left_out]


def make_field_arguments(
    names: Iterable[str],
    *,
    spell: Callable[[str], str] = str,
    notes: Mapping[str, str] = MappingProxyType({}),
    **changes: Mapping[str, Any],
) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The type of each option, and the arguments of pydantic's `Field` that describe it.

    `notes` end the description of an option; `changes` are arguments of `Field` by the name of the option.
    """
    defaults = {item.name: item.default for item in fields(SearchOptions)}
    arguments: dict[str, tuple[Any, dict[str, Any]]] = {}
    for name in names:
        option, default = OPTIONS[name], defaults[name]
        note = f"; {notes[name]}" if name in notes else ""
        about: dict[str, Any] = {"default": default, "description": option.describe(spell) + note}
        kind: Any = _JSON_TYPES.get(option.kind, str)
        if option.kind == "number":
            about["ge"] = option.least
            if option.most is not None:
                about["le"] = option.most
        if option.kind == "share":
            about.update(ge=0.0, le=1.0)
        if option.kind == "choice":
            kind = Literal[option.choices]
        if option.example:
            about["examples"] = [option.example]
        arguments[name] = (kind | None if default is None else kind, {**about, **changes.get(name, {})})
    return arguments


_JSON_TYPES: Final = {"number": int, "share": float, "flag": bool}


#: The options that do what others are called for elsewhere.
_HINTS: Final = {
    **dict.fromkeys(("limit", "top_k", "topk", "n", "n_results", "size"), "k"),
    **dict.fromkeys(("filter", "filters", "filter_by"), "where"),
    **{"since": "after", "until": "before", "between": "during", "order_by": "sort", "date": "during"},
}


def rename_aliases(given: Mapping[str, Any]) -> dict[str, Any]:
    """Replace earlier names of options by those of today, with a warning."""
    values = dict(given)
    for alias in ALIASES.keys() & values.keys():
        name = ALIASES[alias]
        if name in values:
            raise EpochalError(f"{alias} is the earlier name of {name}, and both were given; give {name} alone")
        warnings.warn(f"the search option {alias} is now called {name}", DeprecationWarning, stacklevel=4)
        values[name] = values.pop(alias)
    return values


# ---------------------------------------------------------------- checking


def _check(values: Mapping[str, Any], spell: Callable[[str], str]) -> None:
    """Refuse a wrong value in one sentence that names it as the surface does."""
    for name, option in OPTIONS.items():
        if values[name] is not _DEFAULTS[name]:
            _CHECKS[option.kind](spell(name), values[name], option, optional=name not in ("k", "offset"))
    if values["shortlist"] is not None and values["dims"] is None:
        raise EpochalError(
            f"{spell('shortlist')} {values['shortlist']} reranks passages found by their first dimensions; "
            f"give {spell('dims')} too"
        )
    if values["relation"] is not None and values["during"] is None:
        raise EpochalError(
            f"{spell('relation')} {values['relation']!r} needs a span that it relates to; give {spell('during')}"
        )
    # A condition that nothing can meet is found out here, not halfway through a search.
    _make_filters(values["during"], values["before"], values["after"], values["relation"])
    after, before = values["after"], values["before"]
    if after is not None and before is not None and after.end >= before.start:
        raise EpochalError(
            f"no time is both after {after.edtf()} and before {before.edtf()}; "
            f"give an earlier {spell('after')} or a later {spell('before')}"
        )


def _check_time(name: str, value: Any, option: Option, *, optional: bool) -> None:
    from epochal.times.span import Span

    if value is not None and not isinstance(value, Span):
        raise EpochalError(f"{name} must be a Span or None, but is {_show(value)}")


def _check_number(name: str, value: Any, option: Option, *, optional: bool) -> None:
    if value is None and optional:
        return
    whole = isinstance(value, int) and not isinstance(value, bool)
    if option.most is not None:
        if not whole or not option.least <= value <= option.most:
            raise EpochalError(f"{name} must be from {option.least} to {option.most:,}, but is {_show(value)}")
    elif not whole or value < option.least:
        raise EpochalError(f"{name} must be a whole number from {option.least} or None, but is {_show(value)}")


def _check_flag(name: str, value: Any, option: Option, *, optional: bool) -> None:
    if not isinstance(value, bool):
        raise EpochalError(f"{name} must be True or False, but is {_show(value)}")


def _check_share(name: str, value: Any, option: Option, *, optional: bool) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1):
        raise EpochalError(f"{name} must be a number from 0 to 1 or None, but is {_show(value)}")


#: How an error calls the values of a choice.
_CHOICE_NAMES: Final = {"undated": "policy for undated documents", "sort": "order of hits"}


def _check_choice(name: str, value: Any, option: Option, *, optional: bool) -> None:
    if value not in option.choices:
        raise UnknownNameError(_CHOICE_NAMES.get(name.lstrip("-"), name), value, option.choices)


def _check_name(name: str, value: Any, option: Option, *, optional: bool) -> None:
    if value is not None and not isinstance(value, str):
        raise EpochalError(f"{name} must be a text such as {option.example!r}, but is {_show(value)}")


def _check_scorer(name: str, value: Any, option: Option, *, optional: bool) -> None:
    if value is not None and not isinstance(value, str) and not hasattr(value, "score"):
        raise EpochalError(f"{name} must be a name or have a name and a method score, but is {_show(value)}")


def _check_where(name: str, value: Any, option: Option, *, optional: bool) -> None:
    if value is not None:
        parse_where(value, name)


_CHECKS: Final[Mapping[str, Callable[..., None]]] = {
    "where": _check_where,
    "time": _check_time,
    "number": _check_number,
    "share": _check_share,
    "flag": _check_flag,
    "choice": _check_choice,
    "name": _check_name,
    "scorer": _check_scorer,
}


def _show(value: object) -> str:
    """A value for an error, which stays one line of moderate length."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


# ---------------------------------------------------------------- the request


@dataclass(frozen=True, slots=True)
class Request(SearchOptions):
    """A question and its options.

    `during`, `before` and `after` are times that the answer must have; they move documents, and with `strict` they
    leave out what is known to lie elsewhere or nowhere.

    >>> Request("tariffs", during=1998)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: during must be a Span or None, but is 1998
    """

    question: str

    def __post_init__(self) -> None:
        if not isinstance(self.question, str) or not self.question.strip():
            hint = "; search_many takes several" if isinstance(self.question, list | tuple) else ""
            raise EpochalError(f"a question must be a text that is not empty, but is {_show(self.question)}{hint}")
        if len(self.question) > MAX_QUESTION:
            raise EpochalError(
                f"a question may have up to {MAX_QUESTION:,} characters, but has {len(self.question):,}; shorten it"
            )
        SearchOptions.__post_init__(self)

    @property
    def depth(self) -> int:
        """How many hits are needed: those that are passed over, and those that are returned."""
        return self.offset + self.k

    @property
    def filters(self) -> tuple[tuple[TimeFilter, Span], ...]:
        """The conditions that `during`, `before`, `after` and `relation` state, each with the span it looks in."""
        return _make_filters(self.during, self.before, self.after, self.relation)

    @property
    def query_spans(self) -> tuple[Span, ...]:
        """The spans that the answer should lie in: the intersection of those conditions, or each where it is empty.

        >>> from epochal.times import Span
        >>> Request("tariffs", after=Span.year(1990), before=Span.year(2000)).query_spans
        (Span.parse('1991/1999'),)
        """
        spans = tuple(span for _, span in self.filters)
        common: Span | None = spans[0] if spans else None
        for span in spans[1:]:
            common = None if common is None else common & span
        return spans if common is None else (common,)


def _make_filters(
    during: Span | None, before: Span | None, after: Span | None, relation: str | None
) -> tuple[tuple[TimeFilter, Span], ...]:
    if during is None and before is None and after is None:
        return ()
    from epochal.times import filters
    from epochal.times.kernels import get_target_span

    conditions: list[tuple[TimeFilter, Span]] = []
    if during is not None:
        condition = filters.overlaps(during) if relation is None else filters.build_filter(relation, during)
        conditions.append((condition, get_target_span(during, _SIDES.get(relation or "", "during"))))
    if before is not None:
        conditions.append((filters.before(before), get_target_span(before, "before")))
    if after is not None:
        conditions.append((filters.after(after), get_target_span(after, "after")))
    return tuple(conditions)
