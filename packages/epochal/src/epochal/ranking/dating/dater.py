"""Date estimation with numpy: the model that `epochal train ctd` wrote, and the date distributions that it gives.

The logits of a text are linear in its character n-grams, so only a model without deep heads is accepted: a transformer
would have to be run for every record. n-grams are looked up by integer keys; training and estimation both compute the
keys here (`run_keys`), so that they agree.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, InputError, TimeRangeError
from epochal.files import read_arrays
from epochal.ranking.dating.months import MONTHS, MonthAxis, Months, make_year_functions
from epochal.ranking.pool import Floats
from epochal.times.axis import Certainty
from epochal.times.span import Span

#: The least probability of any time.
LEAST: Final = 1e-6
_HALF: Final = 0.5
#: How many years a reported distribution is spread by, and the share that all years have in common in it.
_SPREAD: Final = 8.0
_ANY_YEAR: Final = 0.05

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class DateDistribution:
    """A row per text: the probabilities of each year of an axis and of each month of the year, and its worth.

    `worth` is the logarithm of how likely a text is to be a record at all rather than talk about one; 0 where nothing
    was learned of that.
    """

    axis: MonthAxis
    years: Matrix
    months: Matrix
    worth: Floats

    def __len__(self) -> int:
        return len(self.years)

    def __getitem__(self, places: npt.NDArray[np.int64] | slice) -> DateDistribution:
        return DateDistribution(self.axis, self.years[places], self.months[places], self.worth[places])

    @classmethod
    def unknown(cls, axis: MonthAxis, count: int) -> DateDistribution:
        """Uniform distributions for so many texts, to be replaced by `put`."""
        years = np.full((count, axis.years), 1 / axis.years, dtype=np.float32)
        return cls(axis, years, np.full((count, MONTHS), 1 / MONTHS, dtype=np.float32), np.zeros(count))

    def put(self, positions: npt.NDArray[np.int64], others: DateDistribution) -> None:
        """Replace the distributions at some positions by others."""
        self.years[positions], self.months[positions], self.worth[positions] = others.years, others.months, others.worth

    def likelihoods(self, months: Months) -> Floats:
        """The probability of some months for each text: over their years, P(year) times P(month)."""
        low, high = months.first // MONTHS, months.last // MONTHS
        every = np.arange(low * MONTHS, (high + 1) * MONTHS).reshape(-1, MONTHS)
        within = ((every >= months.first) & (every <= months.last)).astype(np.float64)
        total: Floats = ((self.years[:, low : high + 1].astype(np.float64) @ within) * self.months).sum(axis=1)
        return total

    def log_likelihoods(self, months: Months) -> Floats:
        """The logarithms of the same, each at least that of a millionth."""
        logs: Floats = np.log(self.likelihoods(months) + LEAST)
        return logs

    def spread(self) -> DateDistribution:
        """The same distributions, less certain of the year: for display, not for ranking.

        A model is too certain of the years of its training texts. The spread was chosen so that about half of the
        intervals contain the year, for texts of years that were held out.
        """
        every = np.arange(self.years.shape[1])
        around = np.exp(-np.abs(every[:, None] - every) / _SPREAD)
        around /= around.sum(axis=1, keepdims=True)
        years = (1 - _ANY_YEAR) * (self.years @ around) + _ANY_YEAR / len(every)
        return DateDistribution(self.axis, years.astype(np.float32), self.months, self.worth)

    def find_interval(self, position: int) -> Span:
        """The shortest interval of years with a probability of a half; of equally short ones the likelier."""
        whole = np.concatenate([[0.0], np.cumsum(self.years[position], dtype=np.float64)])
        # From each year on, the first one by whose end half is reached; rounding must not make its last bit be missing.
        ends = whole.searchsorted(whole[:-1] + _HALF * whole[-1] - 1e-9)
        (starts,) = np.nonzero(ends < len(whole))
        ends = np.maximum(ends[starts], starts + 1)
        best = np.lexsort((starts, whole[starts] - whole[ends], ends - starts))[0]
        first, last = (self.axis.first_year + int(year) for year in (starts[best], ends[best] - 1))
        return Span.between(Span.year(first), Span.year(last)).with_certainty(Certainty.UNCERTAIN)


#: The longest run.
LONGEST: Final = 3
#: Runs are read as numbers with this base, tokens as their digits; a token is below it, and three fit into 63 bits.
BASE: Final = 1 << 20
#: The length of a text's vector before it meets the table: with it, a rate of a few hundredths learns in a few epochs.
LENGTH: Final = 10.0
#: The numbers of padding, of characters that are not known, of the beginning and of the end; then come characters.
PAD, UNKNOWN, BEGIN, END, _FIRST = range(5)

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Characters:
    """The characters that have tokens of their own; all others share one."""

    known: str
    _numbers: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_numbers", {sign: number for number, sign in enumerate(self.known, _FIRST)})

    def rows(self, texts: Iterable[str], max_length: int | None = None) -> list[list[int]]:
        """Texts as numbers, between one for the beginning and one for the end; blanks are left out, the rest is cut."""
        most = None if max_length is None else max_length - 2
        number = self._numbers.get
        return [[BEGIN, *(number(sign, UNKNOWN) for sign in "".join(text.split())[:most]), END] for text in texts]


def run_keys(tokens: npt.NDArray[np.integer]) -> Ints:
    """The runs of 1, 2 and 3 tokens of one text, as numbers.

    The first and the last token, which represent the beginning and the end, are in no run of one.
    """
    digits = np.asarray(tokens, dtype=np.int64) + 1
    if len(digits) and int(digits.max()) >= BASE:
        raise EpochalError(f"a token has the number {int(digits.max()) - 1}; accepted: below {BASE - 1:,}")
    total, found = digits, [digits[1:-1]]
    for size in range(2, LONGEST + 1):
        total = total[:-1] * BASE + digits[size - 1 :]
        found.append(total)
    return np.concatenate(found)


_ACCEPTED: Final = "a folder that `epochal train ctd --backbone runs --set deep_heads=false` wrote"
_CONFIG: Final = "config.json"
_NOTHING: Final = np.iinfo(np.int64).max
_TINY: Final = 1e-6


@dataclass(frozen=True, slots=True)
class MixingWeights:
    """Weights of the learned component beside those of the default scorer: for passages without a time, and with one.

    `worth` is how much the worth of a text as an answer counts beside the likelihood of its time.
    """

    undated: float = 4.5
    dated: float = 0.0
    worth: float = 1.0

    def __post_init__(self) -> None:
        for name in ("undated", "dated", "worth"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value) or value < 0:
                raise EpochalError(
                    f"the mixing weight {name!r} of a date estimator is {value!r}; accepted: a number from 0"
                )


@dataclass(frozen=True, slots=True, eq=False)
class DateEstimator:
    """A table of weights by n-gram key: columns for reign, year in reign, year, month, worth.

    `common` is what all texts have in common, `functions` are those of the year, and `length` is how many characters of
    a text are read, with its beginning and its end. `has_worth` says whether the worth was learned too.
    """

    axis: MonthAxis
    characters: Characters
    keys: npt.NDArray[np.int64]
    rarity: npt.NDArray[np.float32]
    table: Matrix
    common: npt.NDArray[np.float32]
    functions: Matrix
    length: int
    mixing: MixingWeights = MixingWeights()
    has_worth: bool = True

    def __post_init__(self) -> None:
        count, width = len(self.keys), _count_columns(self.axis, self.functions)
        for name, shape in (("rarity", (count,)), ("table", (count, width)), ("common", (width,))):
            array = getattr(self, name)
            if array.shape != shape:
                raise EpochalError(
                    f"{name} of a date estimator has the shape {array.shape}; accepted with its axis: {shape}"
                )
            if not np.isfinite(array).all():
                raise EpochalError(f"{name} of a date estimator has values that are not finite")

    @classmethod
    def read(cls, folder: str | PathLike[str]) -> DateEstimator:
        """The estimator of a folder; a model with deep heads, or a damaged one, is an error."""
        path = Path(folder)
        config, backbone = _read_object(path / _CONFIG), _read_object(path / "backbone" / _CONFIG)
        if config.get("kind") != "ctd":
            raise InputError(
                fspath(path), 0, f"holds a model of kind {config.get('kind')!r}, not 'ctd'; accepted: {_ACCEPTED}"
            )
        settings = config.get("settings")
        if not isinstance(settings, dict):
            raise InputError(fspath(path / _CONFIG), 0, f"has no settings; accepted: {_ACCEPTED}")
        _check_shallow(path, settings, backbone)
        tensors = read_arrays(path / "model.safetensors")
        try:
            axis = MonthAxis.from_dict(config["axis"])
            keys = tensors["wide.keys"]
            count = int((keys < _NOTHING).sum())
            heads = [tensors[f"heads.{name}.bias"] for name in ("reign", "year", "own", "month")]
            has_worth = bool(settings.get("worth"))
            worth = tensors["worth.bias"] if has_worth else np.zeros(1)
            return cls(
                axis,
                Characters(str(backbone["characters"])),
                keys[:count],
                tensors["wide.rarity"][:count],
                tensors["wide.table.weight"][:count],
                np.concatenate([*heads, worth]).astype(np.float32),
                make_year_functions(axis.years, float(settings.get("spread", 0.0))),
                min(int(settings["record_length"]), int(backbone["max_length"])),
                MixingWeights(**config.get("beside_the_gate", {})),
                has_worth,
            )
        except (KeyError, TypeError, ValueError, EpochalError) as error:
            raise InputError(fspath(path), 0, f"holds no whole model ({error}); accepted: {_ACCEPTED}") from error

    def estimate(self, texts: Sequence[str]) -> DateDistribution:
        """The date distributions of texts."""
        flat = np.tile(self.common, (len(texts), 1))
        for number, tokens in enumerate(self.characters.rows(texts, self.length)):
            keys = run_keys(np.array(tokens, dtype=np.int64))
            at = np.minimum(self.keys.searchsorted(keys), max(len(self.keys) - 1, 0))
            at = at[self.keys[at] == keys] if len(self.keys) else at[:0]
            rare = self.rarity[at]
            flat[number] += (LENGTH / max(float(np.linalg.norm(rare)), _TINY) * rare) @ self.table[at]
        reigns, longest, own = len(self.axis.lengths), max(self.axis.lengths), self.functions.shape[1]
        reign, year, free, month = np.split(flat[:, :-1], np.cumsum([reigns, longest, own]), axis=1)
        years = reign[:, self.axis.reign_of_year] + year[:, self.axis.year_in_reign] + free @ self.functions.T
        worth = -np.logaddexp(0.0, -flat[:, -1].astype(np.float64)) if self.has_worth else np.zeros(len(texts))
        return DateDistribution(self.axis, _softmax(years), _softmax(month), worth)

    def months_of(self, span: Span) -> Months | None:
        """The months of the axis that a span has; None where it lies outside."""
        try:
            return self.axis.place([span])
        except TimeRangeError:
            return None


def _count_columns(axis: MonthAxis, functions: Matrix) -> int:
    return len(axis.lengths) + max(axis.lengths) + int(functions.shape[1]) + MONTHS + 1


def _softmax(logits: Matrix) -> Matrix:
    shares: Matrix = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def _check_shallow(path: Path, settings: Mapping[str, Any], backbone: Mapping[str, Any]) -> None:
    """Refuse a model that needs more than the table of character n-grams."""
    if settings.get("deep_heads", True):
        raise InputError(
            fspath(path),
            0,
            "reads the time of records with a transformer (deep_heads is true), which a search does not run; "
            f"accepted: {_ACCEPTED}",
        )
    if settings.get("heads") != "joint" or not settings.get("ngrams"):
        raise InputError(fspath(path), 0, f"has no table of runs that times are read of; accepted: {_ACCEPTED}")
    if backbone.get("kind") != "runs":
        tokens = f"has runs of the tokens of {backbone.get('kind')!r}, not of characters"
        raise InputError(fspath(path), 0, f"{tokens}; accepted: {_ACCEPTED}")


def _read_object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(fspath(path), 0, f"cannot be read: {error.strerror}; accepted: {_ACCEPTED}") from error
    except ValueError as error:
        raise InputError(fspath(path), 0, f"is not JSON: {error}; accepted: {_ACCEPTED}") from error
    if not isinstance(found, dict):
        raise InputError(fspath(path), 0, f"holds no object; accepted: {_ACCEPTED}")
    return found
