// One question on a time axis: rows for what was asked for, for what is right, and for what each system found.

import { ticks } from "./axis.js";
import { svg } from "./dom.js";
import { DAY, spanWords } from "./times.js";

/** @typedef {import("./types.js").SpanRecord} SpanRecord */
/** @typedef {import("./bench-question.js").Told} Told */
/** @typedef {{ label: string, title: string, span: SpanRecord, right: boolean }} Item */
/** @typedef {{ label: string, tone: string, items: Item[] }} Lane */

const WIDTH = 860;
const LEFT = 64;
const RIGHT = WIDTH - 8;
const ROW = 22;
const GAP = 8;
const LABEL_WIDTH = 80;
const LEAST = 8;
const NUMBERED = 18;

/** The picture of what two systems found; null where nothing has a time. @param {Told} one @param {Told} other */
export function lanes(one, other) {
  /** @type {Lane[]} */
  const rows = [
    {
      label: "asked",
      tone: "asked",
      items: one.periods.map((span) => ({ label: "", title: span.words, span, right: false })),
    },
    { label: "right", tone: "hit", items: one.relevant.flatMap((item) => items(item, one, "", true)) },
    { label: "A", tone: "a", items: one.found.flatMap((item) => items(item, one, String(item.rank), item.relevant)) },
    { label: "B", tone: "b", items: other.found.flatMap((item) => items(item, one, String(item.rank), item.relevant)) },
  ];
  const edges = edgesOf(rows);
  if (!edges.length) return null;
  const { low, high } = usual(edgesOf(rows.slice(0, 2)), edges);
  const place = (/** @type {number} */ at) => LEFT + ((at - low) / (high - low)) * (RIGHT - LEFT);
  let depth = 0;
  const drawn = rows.map((row) => {
    const { node, deep } = lane(row, depth, place);
    depth += deep;
    return node;
  });
  return svg(
    "svg",
    { class: "lanes", viewBox: `0 0 ${WIDTH} ${depth + 26}`, role: "img", "aria-label": rows.map(words).join(". ") },
    drawn,
    ticks(low, high, (RIGHT - LEFT) / LABEL_WIDTH).flatMap(({ at, label }) => [
      svg("line", { class: "tick", x1: place(at), x2: place(at), y1: depth, y2: depth + 5 }),
      svg("text", { x: place(at), y: depth + 18, "text-anchor": "middle" }, label),
    ]),
    svg("line", { class: "rule", x1: LEFT, x2: RIGHT, y1: depth, y2: depth }),
  );
}

/**
 * A document by the one of its times that comes nearest to what is asked for.
 * @param {{ id: string, times: SpanRecord[] }} shown
 * @param {Told} told
 * @param {string} label
 * @param {boolean} right
 * @returns {Item[]}
 */
function items(shown, told, label, right) {
  const far = (/** @type {SpanRecord} */ time) =>
    Math.min(
      ...told.periods.map((period) =>
        Math.max(
          0,
          (period.start ?? -Infinity) - (time.end ?? Infinity) + 1,
          (time.start ?? -Infinity) - (period.end ?? Infinity) + 1,
        ),
      ),
      Infinity,
    );
  const [span] = [...shown.times].sort((one, other) => (far(one) < far(other) ? -1 : far(one) > far(other) ? 1 : 0));
  return span ? [{ label, title: shown.id, span, right }] : [];
}

/** @param {Lane[]} rows */
function edgesOf(rows) {
  return rows.flatMap((row) => row.items.flatMap(({ span }) => [span.start, span.end])).filter((edge) => edge !== null);
}

/**
 * From where to where to draw: around what is asked for and right, and most of what was found.
 * @param {number[]} core
 * @param {number[]} edges
 */
function usual(core, edges) {
  const sorted = [...edges].sort((one, other) => one - other);
  const cut = Math.floor(sorted.length * 0.05);
  const low = Math.min(sorted[cut], ...core);
  const high = Math.max(sorted[sorted.length - 1 - cut], low + DAY, ...core);
  const room = (high - low) * 0.04;
  return { low: low - room, high: high + room };
}

/** @param {Lane} row */
function words(row) {
  const told = row.items.map(({ span, label }) => `${label} ${spanWords(span.start, span.end, span.span)}`.trim());
  return `${row.label}: ${told.join("; ") || "no time"}`;
}

/**
 * The items of a row, under each other where they would cover one another.
 * @param {Lane} row
 * @param {number} top
 * @param {(at: number) => number} place
 */
function lane(row, top, place) {
  /** @type {number[]} */
  const taken = [];
  const boxes = row.items
    .flatMap((item) => {
      const left = Math.max(LEFT, item.span.start === null ? LEFT : place(item.span.start));
      const right = Math.min(RIGHT, item.span.end === null ? RIGHT : place(item.span.end));
      return right < LEFT || left > RIGHT
        ? []
        : [{ ...item, left, wide: Math.max(item.label ? NUMBERED : LEAST, right - left) }];
    })
    .sort((one, other) => one.left - other.left)
    .map((item) => {
      const free = taken.findIndex((end) => end <= item.left);
      const at = free < 0 ? taken.length : free;
      taken[at] = item.left + item.wide + 2;
      return { ...item, y: top + GAP / 2 + at * ROW };
    });
  const node = svg(
    "g",
    { class: `lane tone-${row.tone}` },
    svg("text", { class: "lane-label", x: 0, y: top + GAP / 2 + 14 }, row.label),
    boxes.map(({ label, title, span, right, left, wide, y }) =>
      svg(
        "g",
        { class: right ? "right" : "" },
        svg("title", {}, `${title}: ${spanWords(span.start, span.end, span.span)}`),
        svg("rect", { x: left, y, width: wide, height: ROW - 3, rx: 4 }),
        label && svg("text", { class: "rank-label", x: left + wide / 2, y: y + 13.5, "text-anchor": "middle" }, label),
      ),
    ),
  );
  return { node, deep: Math.max(1, taken.length) * ROW + GAP };
}
