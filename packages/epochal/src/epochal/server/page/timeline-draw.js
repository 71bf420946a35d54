// The picture of the timeline: what lies where, as SVG. It knows no events and asks nobody.

import { ticks } from "./axis.js";
import { barPath } from "./bars.js";
import { svg } from "./dom.js";

/** @typedef {import("./times.js").Range} Range */
/** @typedef {import("./spread.js").Bin} Bin */
/** @typedef {{ start: number | null, end: number | null, label: string, tone: string }} Band */
/**
 * @typedef {{ id: string, start: number | null, end: number | null, label: string, tone: string,
 *   title: string }} Mark
 */
/** @typedef {{ at: number, label: string, kind: "now" | "as-of" }} Line */
/** @typedef {{ ids: string[], label: string, title: string, tone: string, x: number, y: number, at: number[] }} Sign */
/**
 * @typedef {object} Picture
 * @property {number} width pixels
 * @property {Range} view
 * @property {Bin[]} bins
 * @property {Range[]} matches the times of all documents that answer
 * @property {boolean} least whether there are more of these
 * @property {Band[]} bands
 * @property {Mark[]} marks
 * @property {Line[]} lines
 * @property {Range | null} brush
 * @property {string} chosen the id of the mark that stands out
 */

const TOP = 18;
const BARS = 40;
const BASE = TOP + BARS;
const RADIUS = 9;
/** Marks have cells of this width, so that none covers another; in each there is room for two, or for a count. */
const CELL = 20;
const LANE = 19;
/** Where the axis lies, and how high the picture is: always the same, so that nothing below it moves. */
export const DEPTH = BASE + 5 + 2 * LANE;
const HEIGHT = DEPTH + 20;
const LABEL_WIDTH = 64;
const LETTER = 6.2;

/**
 * Where a second lies, in pixels.
 * @param {Picture} picture @param {number} at
 */
export function place({ view, width }, at) {
  return ((at - view.start) / (view.end - view.start)) * width;
}

/**
 * Draw a picture into an SVG element.
 * @param {SVGSVGElement} node @param {Picture} picture
 */
export function draw(node, picture) {
  node.setAttribute("viewBox", `0 0 ${picture.width} ${HEIGHT}`);
  node.replaceChildren(
    ...bandsOf(picture),
    ...barsOf(picture),
    ...axisOf(picture),
    ...brushOf(picture),
    ...linesOf(picture),
    ...marksOf(picture),
    ...beyond(picture),
  );
}

/**
 * The bin at a second.
 * @param {Bin[]} bins @param {number} at
 */
export function binAt(bins, at) {
  return bins.find((bin) => bin.start <= at && at < bin.end);
}

/**
 * How many of the documents that answer lie in each bin: where the middle of a time lies.
 * @param {Bin[]} bins @param {Range[]} matches
 */
export function countMatches(bins, matches) {
  const counts = bins.map(() => 0);
  for (const { start, end } of matches) {
    const at = bins.findIndex((bin) => bin.start <= (start + end) / 2 && (start + end) / 2 < bin.end);
    if (at >= 0) counts[at] += 1;
  }
  return counts;
}

/**
 * The pixels of a span, open ends at the rims; at least so wide.
 * @param {Picture} picture
 * @param {{ start: number | null, end: number | null }} span
 * @param {number} least
 */
function stretch(picture, { start, end }, least) {
  const left = start === null ? -20 : place(picture, start);
  const right = end === null ? picture.width + 20 : place(picture, end);
  const wide = Math.max(least, Math.min(right, picture.width + 20) - Math.max(left, -20));
  const middle = (Math.max(left, -20) + Math.min(right, picture.width + 20)) / 2;
  return { left: middle - wide / 2, wide, middle, seen: right >= 0 && left <= picture.width };
}

/** @param {Picture} picture */
function bandsOf(picture) {
  let taken = -Infinity;
  return picture.bands.flatMap((band) => {
    const { left, wide, middle, seen } = stretch(picture, band, 4);
    if (!seen) return [];
    const half = band.label.length * 3.4 + 4;
    const at = Math.min(Math.max(middle, half), picture.width - half);
    const shown = at - half > taken;
    if (shown) taken = at + half;
    return [
      svg("rect", {
        class: `band tone-${band.tone}`,
        x: left,
        y: TOP - 4,
        width: wide,
        height: DEPTH - TOP + 4,
        rx: 2,
      }),
      ...(shown
        ? [svg("text", { class: `band-label tone-${band.tone}`, x: at, y: 12, "text-anchor": "middle" }, band.label)]
        : []),
    ];
  });
}

/** All documents behind, those that answer in front; few of many would not be seen on one scale. @param {Picture} picture */
function barsOf(picture) {
  const { brush, bins, matches } = picture;
  const path = (/** @type {Bin[]} */ some, /** @type {number} */ least) => {
    const seen = some.filter((bin) => bin.count && bin.end > picture.view.start && bin.start < picture.view.end);
    const most = Math.max(1, ...seen.map((bin) => bin.count));
    return seen
      .map((bin) => {
        const left = place(picture, bin.start);
        const wide = place(picture, bin.end) - left;
        return barPath(left, BASE, Math.max(least, wide > 4 ? wide - 1 : wide), Math.max(2, (bin.count / most) * BARS));
      })
      .join("");
  };
  const inside = brush && !matches.length ? bins.filter((bin) => bin.end > brush.start && bin.start < brush.end) : [];
  const counts = countMatches(bins, matches);
  return [
    svg("path", { class: brush || matches.length ? "bars faint" : "bars", d: path(bins, 0.8) }),
    ...(inside.length ? [svg("path", { class: "bars", d: path(inside, 0.8) })] : []),
    ...(matches.length
      ? [
          svg("path", {
            class: "bars matched",
            d: path(
              bins.map((bin, at) => ({ ...bin, count: counts[at] })),
              2,
            ),
          }),
        ]
      : []),
    svg("line", { class: "ground", x1: 0, x2: picture.width, y1: BASE, y2: BASE }),
  ];
}

/** @param {Picture} picture */
function axisOf(picture) {
  const { view, width } = picture;
  let taken = -LETTER;
  return ticks(view.start, view.end, width / LABEL_WIDTH)
    .flatMap(({ at, label, strong }) => {
      const x = place(picture, at);
      const half = (label.length * LETTER) / 2;
      const shown = x - half > taken + LETTER && x - half >= 0 && x + half <= width;
      if (shown) taken = x + half;
      return [
        svg("line", { class: "tick", x1: x, x2: x, y1: DEPTH, y2: DEPTH + 5 }),
        ...(shown
          ? [
              svg(
                "text",
                { class: strong ? "tick-label strong" : "tick-label", x, y: DEPTH + 16, "text-anchor": "middle" },
                label,
              ),
            ]
          : []),
      ];
    })
    .concat(svg("line", { class: "rule", x1: 0, x2: width, y1: DEPTH, y2: DEPTH }));
}

/** @param {Picture} picture */
function brushOf(picture) {
  if (!picture.brush) return [];
  const left = place(picture, picture.brush.start);
  const wide = Math.max(2, place(picture, picture.brush.end) - left);
  return [svg("rect", { class: "brush", x: left, y: TOP - 4, width: wide, height: DEPTH - TOP + 4 })];
}

/** @param {Picture} picture */
function linesOf(picture) {
  return picture.lines.flatMap(({ at, label, kind }) => {
    const x = place(picture, at);
    const unseen =
      kind === "as-of" && x < picture.width
        ? [
            svg("rect", {
              class: "unseen",
              x: Math.max(0, x),
              y: TOP - 4,
              width: picture.width - Math.max(0, x),
              height: DEPTH - TOP + 4,
            }),
          ]
        : [];
    if (x < 0 || x > picture.width) return unseen;
    const room = label.length * 6.4 + 8;
    const right = x + room < picture.width;
    return [
      ...unseen,
      svg("line", { class: `line ${kind}`, x1: x, x2: x, y1: TOP - 4, y2: DEPTH }),
      svg(
        "text",
        {
          class: `line-label ${kind}`,
          x: right ? x + 5 : x - 5,
          y: TOP + 6,
          "text-anchor": right ? "start" : "end",
        },
        label,
      ),
    ];
  });
}

/**
 * Marks in cells, the best of each on top; where there are more than two, a sign that counts them.
 * @param {Picture} picture @returns {Sign[]}
 */
function signsOf(picture) {
  const cells = new Map();
  const last = Math.floor(picture.width / CELL) - 1;
  for (const mark of picture.marks) {
    const { middle, seen } = stretch(picture, mark, 0);
    if (!seen || middle < 0 || middle > picture.width) continue;
    const cell = Math.min(last, Math.floor(middle / CELL));
    cells.set(cell, [...(cells.get(cell) ?? []), { ...mark, middle }]);
  }
  return [...cells].flatMap(([cell, marks]) => {
    const x = (cell + 0.5) * CELL;
    const sign = (/** @type {any[]} */ some, /** @type {number} */ lane) => ({
      ids: some.map((mark) => mark.id),
      label: some.length > 1 ? `×${some.length}` : some[0].label,
      title: some.map((mark) => `${mark.label}. ${mark.title}`).join("\n"),
      tone: some[0].tone,
      x,
      y: BASE + 5 + lane * LANE + RADIUS + 0.5,
      at: some.map((mark) => mark.middle),
    });
    return marks.length > 2 ? [sign(marks, 0)] : marks.map((/** @type {any} */ mark, /** @type {number} */ lane) => sign([mark], lane));
  });
}

/** @param {Picture} picture */
function marksOf(picture) {
  const signs = signsOf(picture);
  const reaches = picture.marks.flatMap((mark) => {
    const { left, wide, seen } = stretch(picture, mark, 0);
    // A stretch that fills the view says nothing of where in it something lies.
    if (!seen || wide < 2 * RADIUS + 4 || wide >= picture.width) return [];
    return [svg("rect", { class: `reach tone-${mark.tone}`, x: left, y: BASE + 1, width: wide, height: 4, rx: 2 })];
  });
  const leaders = signs.map(({ at, tone, x, y }) =>
    svg("path", { class: `leader tone-${tone}`, d: at.map((middle) => `M${middle} ${BASE}v3L${x} ${y}`).join("") }),
  );
  return [
    ...reaches,
    ...leaders,
    ...signs.map(({ ids, label, title, tone, x, y }) => {
      const kind = `${ids.length > 1 ? " many" : ""}${ids.includes(picture.chosen) ? " chosen" : ""}`;
      return svg(
        "g",
        { class: `hit tone-${tone}${kind}`, "data-mark": ids.join(" ") },
        svg("title", {}, title),
        svg("circle", { cx: x, cy: y, r: RADIUS }),
        svg("text", { x, y: y + 3.5, "text-anchor": "middle" }, label),
      );
    }),
  ];
}

/**
 * How many marks lie outside of the view, at the rim behind which they lie.
 * @param {Picture} picture
 */
function beyond(picture) {
  const before = picture.marks.filter((mark) => mark.end !== null && mark.end <= picture.view.start).length;
  const after = picture.marks.filter((mark) => mark.start !== null && mark.start >= picture.view.end).length;
  return [
    ...(before ? [svg("text", { class: "beyond", x: 2, y: DEPTH - 7 }, `◂ ${before}`)] : []),
    ...(after
      ? [svg("text", { class: "beyond", x: picture.width - 2, y: DEPTH - 7, "text-anchor": "end" }, `${after} ▸`)]
      : []),
  ];
}
