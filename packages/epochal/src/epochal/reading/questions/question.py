"""The records of the question reader; `understand` fills them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from epochal.errors import EpochalError, UnknownNameError
from epochal.reading.expression import Relation, TimeExpr
from epochal.reading.questions.bounds import Edge
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.span import Span

__all__ = [
    "ANSWER_KINDS",
    "AXES",
    "FOCUSES",
    "HALF_LIFE",
    "INTENTS",
    "ORDER_KINDS",
    "REASONING_CLASSES",
    "RECENCY_CLASSES",
    "RELATIONS",
    "TEMPORAL_CLASSES",
    "Constraint",
    "Order",
    "Question",
    "StatedWindow",
    "Step",
    "Understanding",
]


Axis = Literal["content", "publication"]
#: How a constraint's span bounds what is sought; the span of "before" and "after" is already the open side.
RELATIONS: tuple[Relation, ...] = get_args(Relation)
#: Which time of a document is meant: that of its content, or of its publication.
AXES: tuple[Axis, ...] = get_args(Axis)
OrderKind = Literal["newest", "oldest", "nth", "last_before", "first_after"]
#: What a question takes of things in their order of time.
ORDER_KINDS: tuple[OrderKind, ...] = get_args(OrderKind)
#: TEMPO's temporal intents.
INTENTS = ("when", "duration", "order", "before_after", "ongoing_status", "period_definition", "timeline", "none")
#: TEMPO's temporal focuses.
#: What an answer is: a time, a length of time, a period, or something else.
ANSWER_KINDS = ("when", "how_long", "which_period", "other")
FOCUSES = ("duration", "specific_time", "recency", "change_over_time", "none")
#: NTCIR Temporalia's classes.
TEMPORAL_CLASSES = ("atemporal", "past", "recent", "future")
#: TEMPO's reasoning classes.
REASONING_CLASSES = (
    "event_analysis_and_localization",
    "time_period_contextualization",
    "origins_evolution_comparative_analysis",
    "trends_changes_and_cross_period",
    "event_verification_and_authenticity",
    "materials_artifacts_and_provenance",
    "sources_methods_and_documentation",
    "causation_analysis",
    "historical_attribution_and_context",
    "historical_misinterpretation_or_reenactment",
    "artifact_verification",
)
#: RecencyQA's classes, from the answer that is stale within the hour to the one that stays, and for each the days
#: after which half of such answers have changed; None for those that never do.
HALF_LIFE: dict[str, float | None] = {
    "An-Hour": 1 / 24,
    "A-Few-Hours": 4 / 24,
    "A-Day": 1.0,
    "A-Few-Days": 3.0,
    "A-Week": 7.0,
    "A-Few-Weeks": 21.0,
    "A-Month": 30.0,
    "A-Few-Months": 120.0,
    "A-Year": 365.0,
    "A-Few-Years": 1100.0,
    "Many-Years": 5500.0,
    "Never": None,
}
#: The names of those classes in their order.
RECENCY_CLASSES = tuple(HALF_LIFE)


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody asks, and when. `now` is the present that "last year" counts from.

    >>> Question("who won last year", Span.parse("2026-11-15")).now.edtf()
    '2026-11-15'
    """

    text: str
    now: Span | None = None


@dataclass(frozen=True, slots=True)
class Constraint:
    """A time that the answer must have: its `span`, the `relation` that it was stated by, and which time is meant.

    One that does not `bind` comes from the name of an event that is the topic itself: "causes of the Korean War". With
    an `edge` it is the time at which something began or ended ("the contract ended in 2018"), or all of which it lasted
    ("throughout 2018"); `edge_span` is that time where it is not the span: what is "starting in 2015" goes on.

    >>> Constraint("since", Span.parse("2017/..")).to_dict()["span"]
    '2017/..'
    """

    relation: Relation
    span: Span
    axis: Axis = "content"
    evidence: TimeExpr | None = None
    binds: bool = True
    edge: Edge | None = None
    edge_span: Span | None = None

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise UnknownNameError("relation", self.relation, RELATIONS)
        if self.axis not in AXES:
            raise UnknownNameError("axis", self.axis, AXES)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> sorted(Constraint("during", Span.year(2019), "publication").to_dict())
        ['axis', 'edge', 'end', 'evidence', 'relation', 'span', 'start']
        """
        evidence = self.evidence
        return {
            "relation": self.relation,
            "axis": self.axis,
            "edge": self.edge,
            **span_to_dict(self.span),
            "evidence": None
            if evidence is None
            else {
                "text": evidence.text,
                "start": evidence.start_char,
                "end": evidence.end_char,
                "confidence": evidence.confidence,
            },
        }


@dataclass(frozen=True, slots=True)
class Order:
    """Which of several things a question takes, by their order in time.

    `newest` and `oldest` take the last or the first `n`, `nth` the one at place `n`, counted from the end where
    `from_end` says so. `last_before` and `first_after` count from `anchor`, towards the past or the future.

    >>> Order("last_before", anchor=Span.year(1912)).to_dict()
    {'kind': 'last_before', 'n': 1, 'from_end': False, 'anchor': '1912'}
    """

    kind: OrderKind
    n: int = 1
    from_end: bool = False
    anchor: Span | None = None

    def __post_init__(self) -> None:
        if self.kind not in ORDER_KINDS:
            raise UnknownNameError("order", self.kind, ORDER_KINDS)
        if self.n < 1:
            raise EpochalError(f"the place in an order must be at least 1, but is {self.n}")
        if self.kind in ("last_before", "first_after") and self.anchor is None:
            raise EpochalError(f"an order of kind {self.kind!r} needs an anchor, the time that it counts from")

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; `anchor` is EDTF, or null.

        >>> Order("nth", 2, from_end=True).to_dict()
        {'kind': 'nth', 'n': 2, 'from_end': True, 'anchor': None}
        """
        return {
            "kind": self.kind,
            "n": self.n,
            "from_end": self.from_end,
            "anchor": None if self.anchor is None else self.anchor.edtf(),
        }


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a plan: what to look for, and in which period; None for any.

    >>> Step(1, "Find how fees stood in 2017.", Span.year(2017)).to_dict()
    {'step': 1, 'action': 'Find how fees stood in 2017.', 'period': '2017'}
    """

    number: int
    action: str
    period: Span | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; TEMPO's `retrieval_plan` has the same `step` and `action`.

        >>> Step(1, "Explain the change.").to_dict()["period"] is None
        True
        """
        return {
            "step": self.number,
            "action": self.action,
            "period": None if self.period is None else self.period.edtf(),
        }


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a question asks of time.

    `constraints` bound the answer, `periods` are the times that it must cover (chronological), `topic` is the question
    without its time words, `plan` the steps that answer it, `anchors` the times it names in words, and `variants` the
    rewritings of TEMPO (strip, temporal_only, normalized). `half_life` is in days, None where nothing goes stale.
    `order` is the place in time that is asked for ("latest", "the second"), `as_of` the date whose state of affairs is
    ("as of 2017"), `not_understood` the words that sound like time and were not used, and `answer_kind` what an answer
    is: a time (when), a length (how_long), a period (which_period), or other.

    >>> Understanding("none", "atemporal", "Never").is_temporal
    False
    """

    intent: str
    temporal_class: str
    recency: str
    half_life: float | None = None
    reasoning_class: str = ""
    constraints: tuple[Constraint, ...] = ()
    periods: tuple[Span, ...] = ()
    cross_period: bool = False
    topic: str = ""
    plan: tuple[Step, ...] = ()
    anchors: tuple[str, ...] = ()
    granularity: str = "unknown"
    expressions: tuple[TimeExpr, ...] = ()
    variants: tuple[tuple[str, str], ...] = ()
    temporal_focus: str = "none"
    order: Order | None = None
    as_of: Span | None = None
    not_understood: tuple[str, ...] = ()
    answer_kind: str = "other"
    #: Whether it asks for what is new, and for no time.
    asks_recent: bool = False

    def __post_init__(self) -> None:
        for kind, value, known in (
            ("intent", self.intent, INTENTS),
            ("temporal class", self.temporal_class, TEMPORAL_CLASSES),
            ("recency class", self.recency, RECENCY_CLASSES),
            ("reasoning class", self.reasoning_class, ("", *REASONING_CLASSES)),
            ("temporal focus", self.temporal_focus, FOCUSES),
            ("answer kind", self.answer_kind, ANSWER_KINDS),
        ):
            if value not in known:
                raise UnknownNameError(kind, value, known)
        if list(self.periods) != sorted(self.periods, key=lambda span: (span.start, span.end)):
            raise EpochalError("periods must be in chronological order")

    @property
    def is_temporal(self) -> bool:
        """Whether time matters to the question: it has an intent, a focus or a constraint, or asks what is to come.

        >>> Understanding("when", "past", "Never").is_temporal, Understanding("none", "future", "A-Year").is_temporal
        (True, True)
        """
        return (
            self.temporal_class == "future"
            or self.intent != "none"
            or self.temporal_focus != "none"
            or bool(self.constraints)
            or self.order is not None
            or self.asks_recent
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are stable.

        >>> list(Understanding("when", "past", "Never").to_dict())[:6]
        ['intent', 'temporal_class', 'recency', 'constraints', 'periods', 'order']
        """
        return {
            "intent": self.intent,
            "temporal_class": self.temporal_class,
            "recency": self.recency,
            "constraints": [item.to_dict() for item in self.constraints],
            "periods": [period_to_dict(item) for item in self.periods],
            "order": None if self.order is None else self.order.to_dict(),
            "as_of": None if self.as_of is None else self.as_of.edtf(),
            "plan": [item.to_dict() for item in self.plan],
            "not_understood": list(self.not_understood),
            "topic": self.topic,
            "anchors": list(self.anchors),
            "granularity": self.granularity,
            "cross_period": self.cross_period,
            "reasoning_class": self.reasoning_class,
            "half_life": self.half_life,
            "is_temporal": self.is_temporal,
            "temporal_focus": self.temporal_focus,
            "variants": dict(self.variants),
            "answer_kind": self.answer_kind,
        }


def span_to_dict(span: Span) -> dict[str, Any]:
    """A span as JSON has it: EDTF text, and the axis seconds of its ends, None where open."""
    return {
        "span": span.edtf(),
        "start": None if span.start == OPEN_START else span.start,
        "end": None if span.end == OPEN_END else span.end,
    }


def period_to_dict(span: Span) -> dict[str, Any]:
    """A period as JSON has it: the span, and words for people."""
    return span_to_dict(span) | {"words": span.describe()}


@dataclass(frozen=True, slots=True)
class StatedWindow:
    """A window, the relation it was stated by, and where its words start and end, those of its anchor among them.

    `goes_on` says that what the words name may be named more finely right behind them: 次年三月.
    """

    relation: Relation
    span: Span
    start: int
    end: int
    goes_on: bool = False
