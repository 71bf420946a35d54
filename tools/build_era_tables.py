"""Rebuild the era, month and character tables of epochal's Chinese calendar.

Reads the installed ``sanmiao``, ``lunardate``, ``opencc`` and ``pypinyin``
packages and ``era_facts.toml`` beside this file, and writes ``chinese.toml``,
``lunisolar.txt`` and ``han_fold.toml``. ``nengo.toml`` is kept by hand; its
years are compared with sanmiao's. ``--check`` compares without writing.
Needs Python 3.11.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import tomllib
from lunardate import LunarDate
from opencc import OpenCC
from pypinyin import Style, lazy_pinyin

HERE = Path(__file__).resolve().parent
TABLES = HERE.parent / "packages" / "epochal" / "src" / "epochal" / "times" / "calendars" / "tables"
EPOCH_JDN = 2440588  # 1970-01-01
STREAMS = (1, 2, 3, 4)
DEFAULT_STREAM = 1
MODERN_STREAM = 3
JAPAN = 133
LENGTH_CODES = {28: "a", 29: "0", 30: "1", 31: "b"}
CREDIT = "era years and month tables agree with sanmiao (MIT, D. P. Morgan)"

Facts = dict[str, Any]


@dataclass(frozen=True)
class Reign:
    """One row of chinese.toml."""

    realm: str
    ruler: str
    name: str
    first: int
    last: int | None
    stream: int
    realm_aliases: tuple[str, ...] = ()
    ruler_aliases: tuple[str, ...] = ()
    order: float = 0.0


@dataclass(frozen=True)
class Month:
    """One month of one stream: first day as Julian day number."""

    year: int
    label: str
    start: int
    days: int


@dataclass
class Source:
    """sanmiao's tables, as rows of strings."""

    eras: list[dict[str, str]] = field(default_factory=list)
    rulers: dict[int, float] = field(default_factory=dict)
    tags: dict[int, list[str]] = field(default_factory=dict)
    full_names: dict[int, str] = field(default_factory=dict)
    months: list[dict[str, str]] = field(default_factory=list)


def read_csv(name: str) -> list[dict[str, str]]:
    """One of sanmiao's data files, as rows of strings."""
    text = (resources.files("sanmiao") / "data" / name).read_text(encoding="utf-8-sig")
    return list(csv.DictReader(text.splitlines()))


def load_source() -> Source:
    """Everything wanted from sanmiao."""
    source = Source(eras=read_csv("era_table.csv"), months=read_csv("lunar_table_dump.csv"))
    for row in read_csv("ruler_table.csv"):
        person = int(float(row["person_id"]))
        source.rulers.setdefault(person, float(row["emp_start_year"] or 9999))
    for row in read_csv("ruler_tags.csv"):
        if row["era_prefix_only"] != "True":
            source.tags.setdefault(int(float(row["person_id"])), []).append(row["string"])
    for row in read_csv("rul_can_name.csv"):
        source.full_names.setdefault(int(float(row["person_id"])), row["string"])
    return source


def load_facts() -> Facts:
    """The hand-made facts beside this file."""
    facts: Facts = tomllib.loads((HERE / "era_facts.toml").read_text(encoding="utf-8"))
    return facts


def unique(items: Iterable[str], leave_out: str = "") -> tuple[str, ...]:
    """The items in order, without repeats and without the one left out."""
    return tuple(x for x in dict.fromkeys(items) if x and x != leave_out)


def realm_of(dyn: int, first: int, facts: Facts) -> dict[str, Any] | None:
    """The realm that an era of a sanmiao dynasty belongs to."""
    for realm in facts["realm"]:
        if realm.get("dyn") == dyn and first <= realm.get("until", 9999):
            return dict(realm)
    return None


def ruler_names(person: int, dyn: int, source: Source, facts: Facts) -> tuple[str, tuple[str, ...]]:
    """The usual short name of a ruler and the other names worth knowing."""
    known = facts["rulers"].get(str(person))
    if known:
        return known[0], tuple(known[1:])
    tags = source.tags.get(person, [])
    full = source.full_names.get(person, "")
    temple = [t for t in tags if len(t) == 2 and t[-1] in "宗祖"]
    posthumous = [t for t in tags if t[-1] == "帝" and 2 <= len(t) <= 3 and t[-2] not in "皇宗"]
    posthumous.sort(key=len)
    titles = [t for t in tags if len(t) <= 4 and t[-1] in "王公侯主后"]
    personal = [t for t in tags if len(t) <= 5 and full.endswith(t) and t[-1] not in "帝宗祖王公侯主"]
    leading = temple + posthumous if dyn >= 97 else posthumous + temple
    names = unique(leading + titles[:1] + personal[:1]) or unique([full])
    return (names[0], names[1:]) if names else ("", ())


def source_reigns(source: Source, facts: Facts) -> Iterator[Reign]:
    """sanmiao's rows with drops and fixes applied, one per ruler and era."""
    drops, fixes = set(facts["drop"]["rows"]), facts["fix"]
    unused = drops | set(fixes)
    for row in source.eras:
        dyn, first = int(row["dyn_id"]), int(float(row["era_start_year"]))
        realm = realm_of(dyn, first, facts)
        if realm is None or not row["era_end_year"]:
            continue
        key = f"{realm['name']} {row['era_name'] or '*'} {first}"
        unused.discard(key)
        if key in drops:
            continue
        person = int(float(row["ruler_id"]))
        ruler, others = ruler_names(person, dyn, source, facts)
        reign = Reign(
            realm=realm["name"],
            ruler=ruler,
            name=row["era_name"],
            first=first,
            last=int(float(row["era_end_year"])),
            stream=int(float(row["cal_stream"])),
            realm_aliases=tuple(realm.get("aliases", ())),
            ruler_aliases=others,
            order=source.rulers.get(person, 9999.0),
        )
        change: Facts = {k: tuple(v) if isinstance(v, list) else v for k, v in fixes.get(key, {}).items()}
        yield replace(reign, **change)
    if unused:
        raise ValueError(f"no such rows: {sorted(unused)}")


def merge(reigns: Iterable[Reign]) -> list[Reign]:
    """Join the rows of one era that ran on under several rulers."""
    groups: dict[tuple[str, str, int], list[Reign]] = {}
    for reign in reigns:
        rulers = reign.ruler if not reign.name else ""
        groups.setdefault((reign.realm, reign.name + rulers, reign.first), []).append(reign)
    merged = []
    for group in groups.values():
        group.sort(key=lambda r: (r.order, r.last or 9999))
        head = group[0]
        others = [n for r in group for n in (r.ruler, *r.ruler_aliases)]
        last = max(r.last for r in group if r.last is not None)
        merged.append(replace(head, last=last, ruler_aliases=unique(others, head.ruler)))
    return merged


def added_reigns(facts: Facts, known: list[Reign]) -> Iterator[Reign]:
    """The rows that sanmiao lacks."""
    streams = {r.realm: r.stream for r in known} | facts["streams"]
    aliases = {r["name"]: tuple(r.get("aliases", ())) for r in facts["realm"]}
    for realm, ruler, name, first, last, others in facts["add"]["rows"]:
        yield Reign(
            realm=realm,
            ruler=ruler,
            name=name,
            first=first,
            last=None if last == 9999 else last,
            stream=streams.get(realm, DEFAULT_STREAM),
            realm_aliases=aliases[realm],
            ruler_aliases=tuple(others),
        )


def chinese_reigns(source: Source, facts: Facts) -> list[Reign]:
    """All rows of chinese.toml, in order."""
    reigns = merge(source_reigns(source, facts))
    reigns += list(added_reigns(facts, reigns))
    named = set(facts["era_as_name"]["realms"])
    reigns = [
        replace(r, ruler_aliases=unique([*r.ruler_aliases, r.name + "帝"], r.ruler)) if r.realm in named else r
        for r in reigns
    ]
    keys = [(r.realm, r.ruler, r.name) for r in reigns]
    doubled = {k for k in keys if keys.count(k) > 1}
    if doubled:
        raise ValueError(f"not unique: {sorted(doubled)}")
    return sorted(reigns, key=lambda r: (r.first, r.realm, r.last or 9999, r.name, r.ruler))


def pinyin(han: str, facts: Facts) -> tuple[str, tuple[str, ...]]:
    """One word of toneless pinyin, and the other usual spellings."""
    words = [
        facts["pinyin"].get(char, word)
        for char, word in zip(han, lazy_pinyin(han, style=Style.NORMAL, v_to_u=True), strict=True)
    ]
    plain = "".join(words).capitalize()
    marked = words[0] + "".join(("'" if w[0] in "aeo" else "") + w for w in words[1:])
    main = marked[:1].upper() + marked[1:]
    others = [plain]
    if len(words) == 4:
        others.append(" ".join("".join(words[i : i + 2]).capitalize() for i in (0, 2)))
    return main, unique(others, main)


def quoted(text: str) -> str:
    """A TOML string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quoted_list(items: Iterable[str]) -> str:
    """A TOML array of strings."""
    return "[" + ", ".join(quoted(x) for x in items) + "]"


def chinese_toml(reigns: list[Reign], facts: Facts) -> str:
    """The text of chinese.toml."""
    head = f'title = "Chinese imperial eras", years = "lunisolar", stream = {DEFAULT_STREAM}, text = "han"'
    lines = [
        "# Chinese imperial eras. Years are astronomical (0 = 1 BCE).",
        f"# Written by tools/build_era_tables.py; {CREDIT},",
        "# apart from the fixes listed in tools/era_facts.toml.",
        "",
        f'calendar = {{ name = "chinese", {head} }}',
        "",
        "reign = [",
    ]
    for r in reigns:
        latin, others = pinyin(r.name or r.ruler, facts)
        row = [f"realm = {quoted(r.realm)}", f"ruler = {quoted(r.ruler)}", f"name = {quoted(r.name)}"]
        row.append(f"first = {r.first}")
        row += [f"last = {r.last}"] if r.last is not None else []
        row.append(f"latin = {quoted(latin)}")
        row += [f"latin_aliases = {quoted_list(others)}"] if others else []
        if r.realm in facts["civil"]["realms"]:
            row.append("civil = true")
        elif r.stream != DEFAULT_STREAM:
            row.append(f"stream = {r.stream}")
        row += [f"realm_aliases = {quoted_list(r.realm_aliases)}"] if r.realm_aliases else []
        row += [f"ruler_aliases = {quoted_list(r.ruler_aliases)}"] if r.ruler_aliases else []
        lines.append(f"    {{ {', '.join(row)} }},")
    lines.append("]")
    return "\n".join(lines) + "\n"


def source_months(source: Source, facts: Facts) -> dict[int, list[Month]]:
    """Every stream's months in order of their first day, labels repaired."""
    fixes = facts["months"]
    relabel = {tuple(map(int, x.split()[:2])): x.split()[2:] for x in fixes["relabel"]}
    length = {tuple(map(int, x.split()[:2])): int(x.split()[2]) for x in fixes["length"]}
    cut = {tuple(map(int, x.split())) for x in fixes["cut"]}
    late = {(stream, start) for stream in (1, 2) for start in fixes["late"]}
    streams: dict[int, list[Month]] = {s: [] for s in STREAMS}
    for row in source.months:
        stream, year = int(row["cal_stream"]), int(row["ind_year"])
        if stream not in streams or (stream, year) in cut:
            continue
        start = int(float(row["nmd_jdn"]) + 0.5)
        label = row["month"] + ("L" if row["intercalary"] == "1" else "")
        if (stream, start) in relabel:
            year_text, label = relabel[stream, start]
            year = int(year_text)
        days = length.get((stream, start), int(float(row["max_day"])))
        start += (stream, start) in late
        streams[stream].append(Month(year, label, start, days))
    for item in fixes["copy"]:
        stream, year, other = map(int, item.split())
        copied = [m for m in streams[other] if m.year == year]
        streams[stream] = [m for m in streams[stream] if m.year != year] + copied
    return {s: close_gaps(sorted(ms, key=lambda m: m.start)) for s, ms in streams.items()}


def close_gaps(months: list[Month]) -> list[Month]:
    """Let a month run to the next one where both are of one unbroken series."""
    done = []
    for this, following in zip(months, [*months[1:], None], strict=True):
        gap = following.start - this.start if following else 0
        done.append(replace(this, days=gap) if gap in LENGTH_CODES else this)
    return done


def year_line(stream: int, year: int, months: list[Month]) -> str:
    """One line of lunisolar.txt."""
    labels = [m.label for m in months]
    leaps = [x[:-1] for x in labels if x.endswith("L")]
    if len(leaps) > 1:
        raise ValueError(f"stream {stream}, year {year}: {labels}")
    plain = [str(n) for n in range(1, 13)]
    if leaps:
        plain.insert(int(leaps[0]), leaps[0] + "L")
    for this, following in pairwise(months):
        if this.start + this.days != following.start:
            raise ValueError(f"stream {stream}, year {year}: gap after month {this.label}")
    lengths = "".join(LENGTH_CODES[m.days] for m in months)
    line = f"{stream} {year} {months[0].start - EPOCH_JDN} {leaps[0] if leaps else 0} {lengths}"
    return line if labels == plain else f"{line} {','.join(labels)}"


def modern_lines(after: int, facts: Facts) -> Iterator[str]:
    """Years that sanmiao does not reach, from lunardate."""
    extra = facts["months"]["extra"]
    final = int(extra.split()[1])
    shifts = {tuple(map(int, x.split()[:2])): int(x.split()[2]) for x in facts["months"]["shift"]}
    epoch = date(1970, 1, 1).toordinal()
    for year in range(after, final):
        leap = LunarDate.leap_month_for_year(year) or 0
        order = [(n, False) for n in range(1, 13)]
        if leap:
            order.insert(leap, (leap, True))
        starts = [LunarDate(year, n, 1, x).to_solar_date().toordinal() for n, x in order]
        for i, (n, intercalary) in enumerate(order):
            starts[i] += 0 if intercalary else shifts.get((year, n), 0)
        if year + 1 < final:
            starts.append(LunarDate(year + 1, 1, 1).to_solar_date().toordinal())
        else:
            starts.append(int(extra.split()[2]) + epoch)
        lengths = "".join(LENGTH_CODES[b - a] for a, b in pairwise(starts))
        yield f"{MODERN_STREAM} {year} {starts[0] - epoch} {leap} {lengths}"
    yield extra


LUNISOLAR_HEAD = f"""\
# Lunisolar years: one line per stream and year, in order.
# Written by tools/build_era_tables.py; {CREDIT},
# apart from the repairs listed in tools/era_facts.toml;
# stream 3 from 1912 on follows the modern Chinese calendar (lunardate).
#
# stream year first_day leap lengths [months]
#   stream     1: Qin to Chen, then Liao and Jin; 2: Wu, then Northern Wei to Northern Qi;
#              3: Shu, then Western Wei and Sui to the present; 4: Japan
#   year       astronomical (0 = 1 BCE)
#   first_day  of the year's first month, in days from 1970-01-01 (proleptic Gregorian)
#   leap       number of the month that is repeated as intercalary, 0 if none
#   lengths    one character per month in calendar order: 0 = 29 days, 1 = 30 days, a = 28, b = 31
#   months     only where the months are not 1 to 12 in order (with the intercalary one after its
#              namesake): the numbers in calendar order, L = intercalary. 13 and 14 stand for the
#              months called la and yi (third in order) of the years 690-700, which began with the
#              eleventh month, then called zheng (1). A number that comes twice is meant in the
#              later place unless the era named had ended by then.
"""


def lunisolar_txt(source: Source, facts: Facts) -> str:
    """The text of lunisolar.txt."""
    lines = []
    for stream, months in source_months(source, facts).items():
        years: dict[int, list[Month]] = {}
        for month in months:
            years.setdefault(month.year, []).append(month)
        lines += [year_line(stream, y, years[y]) for y in sorted(years)]
        if stream == MODERN_STREAM:
            lines += list(modern_lines(max(years) + 1, facts))
    return LUNISOLAR_HEAD + "\n".join(lines) + "\n"


def fold_pairs(texts: Iterable[str], facts: Facts) -> dict[str, str]:
    """Every traditional or variant character of the texts and its simplified form."""
    simplify = OpenCC("t2s").convert
    fold = facts["han_fold"]
    chars = {c for c in "".join(texts) + fold["extra"] if c >= "\u3400"}
    pairs = {c: simplify(c) for c in chars if c not in fold["keep"]} | fold["variants"]
    return {c: s for c, s in sorted(pairs.items()) if len(s) == 1 and s != c}


def han_fold_toml(pairs: dict[str, str]) -> str:
    """The text of han_fold.toml."""
    return (
        "# Traditional and variant characters of the era tables and of dates, and their\n"
        "# simplified forms, position by position.\n"
        f"# Written by tools/build_era_tables.py; {CREDIT}.\n\n"
        f"traditional = {quoted(''.join(pairs))}\n"
        f"simplified = {quoted(''.join(pairs.values()))}\n"
    )


def nengo_problems(source: Source, table: Facts, pairs: dict[str, str]) -> list[str]:
    """Rows of nengo.toml whose years sanmiao gives otherwise."""
    fold = str.maketrans(pairs)
    known: dict[str, set[tuple[int, int]]] = {}
    for row in source.eras:
        if int(row["dyn_id"]) == JAPAN and row["era_name"]:
            span = (int(float(row["era_start_year"])), int(float(row["era_end_year"])))
            known.setdefault(row["era_name"].translate(fold), set()).add(span)
    problems = []
    for reign in table["reign"]:
        spans = known.get(reign["name"].translate(fold), set())
        if spans and (reign["first"], reign.get("last")) not in spans:
            problems.append(f"{reign['name']} {reign['first']}-{reign.get('last')}: {sorted(spans)}")
    missing = set(known) - {r["name"].translate(fold) for r in table["reign"]}
    return problems + [f"not in nengo.toml: {name}" for name in sorted(missing)]


def main() -> int:
    """Write or compare the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    check = parser.parse_args().check
    source, facts = load_source(), load_facts()
    nengo_text = (TABLES / "nengo.toml").read_text(encoding="utf-8")
    chinese = chinese_toml(chinese_reigns(source, facts), facts)
    pairs = fold_pairs([chinese, nengo_text], facts)
    files = {
        "chinese.toml": chinese,
        "lunisolar.txt": lunisolar_txt(source, facts),
        "han_fold.toml": han_fold_toml(pairs),
    }
    stale = 0
    for name, text in files.items():
        path = TABLES / name
        same = path.exists() and path.read_text(encoding="utf-8") == text
        stale += not same
        if not (same or check):
            path.write_text(text, encoding="utf-8")
        print(f"{name}: {'unchanged' if same else 'differs' if check else 'written'}")
    for problem in nengo_problems(source, tomllib.loads(nengo_text), pairs):
        print(f"nengo.toml and sanmiao differ: {problem}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
