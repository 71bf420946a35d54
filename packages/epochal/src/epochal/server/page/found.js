// What was found, as bands, marks and lines of the timeline.

import { markId } from "./cards.js";
import { periodOf } from "./compare.js";
import { dateRange, titleOf } from "./documents.js";
import { plainRange, spanWords } from "./times.js";
import { TONES, severalPeriods, toneOf } from "./tones.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("./types.js").Hit} Hit */
/** @typedef {import("./timeline-draw.js").Band} Band */
/** @typedef {import("./timeline-draw.js").Mark} Mark */
/** @typedef {import("./timeline-draw.js").Line} Line */

/**
 * What the timeline shows of an answer, or of the sides of a comparison.
 * @param {{ period: string, found: Found }[]} sides
 */
export function pictured(sides) {
  const compared = sides.length > 1;
  /** @type {Band[]} */
  const bands = compared
    ? sides.map(({ period, found }, place) => band(periodOf(found, period), TONES[place]))
    : askedBands(sides[0].found);
  /** @type {Mark[]} */
  const marks = sides.flatMap(({ found }, side) =>
    found.hits.flatMap((hit, place) => {
      const time = timeOf(hit);
      const prefix = compared ? TONES[side] : "";
      const tone = compared ? TONES[side] : toneOf(hit, found);
      return time
        ? [{ id: markId(prefix, place + 1), label: String(place + 1), tone, title: titleOf(hit.document), ...time }]
        : [];
    }),
  );
  const matches = sides.flatMap(({ found }) => found.overview.times.map(([start, end]) => ({ start, end })));
  const least = sides.some(({ found }) => found.total_is_lower_bound);
  return { matches, least, bands, marks, lines: lines(sides[0].found) };
}

/** @param {Found} found */
function askedBands(found) {
  const { periods, constraints } = found.understanding;
  const several = severalPeriods(found);
  const named = new Set(periods.map((item) => item.span));
  return [
    ...periods.map((item, place) => band(item, several ? TONES[place] : "asked")),
    ...constraints.filter((item) => !named.has(item.span)).map((item) => band(item, "asked")),
  ];
}

/** @param {import("./types.js").SpanRecord} span @param {string} tone @returns {Band} */
function band(span, tone) {
  return { start: span.start, end: span.end, label: spanWords(span.start, span.end, span.span), tone };
}

/** When a hit lies: the time that supports it, its date, or the best time that it states. @param {Hit} hit */
export function timeOf(hit) {
  const [evidence] = hit.evidence;
  if (evidence) return { start: evidence.start, end: evidence.end };
  const [time] = hit.times;
  return (
    dateRange(hit.document.published) ??
    dateRange(hit.document.valid) ??
    (time ? { start: time.start, end: time.end } : null)
  );
}

/** The present, and the day from which the index is seen. @param {Found} found @returns {Line[]} */
function lines(found) {
  /** @type {Line[]} */
  const drawn = [];
  const now = found.now ? plainRange(found.now.replace(/T.*/, "")) : null;
  const asOf = found.applied.find((step) => step.name === "as_of")?.span;
  if (now) drawn.push({ at: now.start, label: "now", kind: "now" });
  if (asOf && asOf.end !== null)
    drawn.push({ at: asOf.end, label: `as of ${spanWords(asOf.start, asOf.end, asOf.span)}`, kind: "as-of" });
  return drawn;
}
