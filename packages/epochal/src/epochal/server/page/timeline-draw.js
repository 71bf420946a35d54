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
/**
 * @typedef {object} Picture
 * @property {number} width pixels
 * @property {Range} view
 * @property {Bin[]} bins
 * @property {Band[]} bands
 * @property {Mark[]} marks
 * @property {Line[]} lines
 * @property {Range | null} brush
 * @property {string} chosen the id of the mark that stands out
 */

export const TOP = 22;
const BARS = 84;
export const BASE = TOP + BARS;
const LANE = 21;
const LANES = 4;
const AXIS = 26;
const RADIUS = 9;
const LABEL_WIDTH = 64;

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
  const lanes = laned(picture);
  const depth = BASE + 6 + Math.max(1, ...lanes.map((mark) => mark.lane + 1)) * LANE;
  const height = depth + AXIS;
  node.setAttribute("viewBox", `0 0 ${picture.width} ${height}`);
  node.setAttribute("height", String(height));
  node.replaceChildren(
    ...bandsOf(picture, depth),
    ...barsOf(picture),
    ...axisOf(picture, depth),
    ...brushOf(picture, depth),
    ...linesOf(picture, depth),
    ...marksOf(picture, lanes),
    ...beyond(picture, depth),
  );
  return { height, depth };
}

/**
 * The bin at a second.
 * @param {Bin[]} bins @param {number} at
 */
export function binAt(bins, at) {
  return bins.find((bin) => bin.start <= at && at < bin.end);
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

/** @param {Picture} picture @param {number} depth */
function bandsOf(picture, depth) {
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
        height: depth - TOP + 4,
        rx: 2,
      }),
      ...(shown
        ? [svg("text", { class: `band-label tone-${band.tone}`, x: at, y: 12, "text-anchor": "middle" }, band.label)]
        : []),
    ];
  });
}

/** @param {Picture} picture */
function barsOf(picture) {
  const seen = picture.bins.filter((bin) => bin.count && bin.end > picture.view.start && bin.start < picture.view.end);
  const most = Math.max(1, ...seen.map((bin) => bin.count));
  const path = (/** @type {Bin[]} */ bins) =>
    bins
      .map((bin) => {
        const left = place(picture, bin.start);
        const wide = place(picture, bin.end) - left;
        const gap = wide > 4 ? 1 : 0;
        const high = Math.max(1.5, (bin.count / most) * (BARS - 6));
        return barPath(left, BASE, Math.max(0.8, wide - gap), high);
      })
      .join("");
  const { brush } = picture;
  const inside = brush ? seen.filter((bin) => bin.end > brush.start && bin.start < brush.end) : [];
  return [
    svg("path", { class: brush ? "bars faint" : "bars", d: path(seen) }),
    ...(inside.length ? [svg("path", { class: "bars", d: path(inside) })] : []),
    svg("line", { class: "ground", x1: 0, x2: picture.width, y1: BASE, y2: BASE }),
  ];
}

/** @param {Picture} picture @param {number} depth */
function axisOf(picture, depth) {
  const { view, width } = picture;
  return ticks(view.start, view.end, width / LABEL_WIDTH)
    .flatMap(({ at, label, strong }) => {
      const x = place(picture, at);
      return [
        svg("line", { class: "tick", x1: x, x2: x, y1: depth, y2: depth + 5 }),
        ...(x > 12 && x < width - 12
          ? [
              svg(
                "text",
                { class: strong ? "tick-label strong" : "tick-label", x, y: depth + 18, "text-anchor": "middle" },
                label,
              ),
            ]
          : []),
      ];
    })
    .concat(svg("line", { class: "rule", x1: 0, x2: width, y1: depth, y2: depth }));
}

/** @param {Picture} picture @param {number} depth */
function brushOf(picture, depth) {
  if (!picture.brush) return [];
  const left = place(picture, picture.brush.start);
  const wide = Math.max(2, place(picture, picture.brush.end) - left);
  return [svg("rect", { class: "brush", x: left, y: TOP - 4, width: wide, height: depth - TOP + 4 })];
}

/** @param {Picture} picture @param {number} depth */
function linesOf(picture, depth) {
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
              height: depth - TOP + 4,
            }),
          ]
        : [];
    if (x < 0 || x > picture.width) return unseen;
    const room = label.length * 6.4 + 8;
    const right = x + room < picture.width;
    return [
      ...unseen,
      svg("line", { class: `line ${kind}`, x1: x, x2: x, y1: TOP - 4, y2: depth }),
      svg(
        "text",
        {
          class: `line-label ${kind}`,
          x: right ? x + 5 : x - 5,
          y: BASE - BARS + 8,
          "text-anchor": right ? "start" : "end",
        },
        label,
      ),
    ];
  });
}

/**
 * Marks in rows, the best first: each as near to its time as it can stand without covering another.
 * @param {Picture} picture
 */
function laned(picture) {
  /** @type {number[][]} */
  const taken = Array.from({ length: LANES }, () => []);
  const size = 2 * RADIUS + 1;
  const free = (/** @type {number} */ lane, /** @type {number} */ x) =>
    taken[lane].every((other) => Math.abs(other - x) >= size);
  return picture.marks
    .map((mark) => ({ ...mark, ...stretch(picture, mark, 2 * RADIUS) }))
    .filter((mark) => mark.middle > -RADIUS && mark.middle < picture.width + RADIUS && mark.seen)
    .map((mark) => {
      let best = { lane: 0, x: mark.middle, cost: Infinity };
      for (let lane = 0; lane < LANES; lane += 1) {
        const places = [mark.middle, ...taken[lane].flatMap((other) => [other - size, other + size])];
        for (const x of places.filter((at) => at >= RADIUS && at <= picture.width - RADIUS && free(lane, at))) {
          const cost = Math.abs(x - mark.middle) + lane * size * 0.6;
          if (cost < best.cost) best = { lane, x, cost };
        }
      }
      taken[best.lane].push(best.x);
      return { ...mark, lane: best.lane, x: best.x };
    });
}

/** @param {Picture} picture @param {ReturnType<typeof laned>} lanes */
function marksOf(picture, lanes) {
  const leaders = lanes.map((mark) => {
    const y = BASE + 6 + mark.lane * LANE + RADIUS + 1;
    return svg("path", { class: `leader tone-${mark.tone}`, d: `M${mark.middle} ${BASE}v5L${mark.x} ${y}` });
  });
  return [
    ...leaders,
    ...lanes.map((mark) => {
      const y = BASE + 6 + mark.lane * LANE + RADIUS + 1;
      const chosen = mark.id === picture.chosen ? " chosen" : "";
      return svg(
        "g",
        { class: `hit tone-${mark.tone}${chosen}`, "data-mark": mark.id },
        svg("title", {}, mark.title),
        // A stretch that fills the view says nothing of where in it something lies.
        ...(mark.wide > 2 * RADIUS + 4 && mark.wide < picture.width
          ? [svg("rect", { class: "reach", x: mark.left, y: BASE + 1, width: mark.wide, height: 4, rx: 2 })]
          : []),
        svg("circle", { cx: mark.x, cy: y, r: RADIUS }),
        svg("text", { x: mark.x, y: y + 3.5, "text-anchor": "middle" }, mark.label),
      );
    }),
  ];
}

/**
 * How many marks lie outside of the view, at the rim behind which they lie.
 * @param {Picture} picture
 * @param {number} depth
 */
function beyond(picture, depth) {
  const before = picture.marks.filter((mark) => mark.end !== null && mark.end <= picture.view.start).length;
  const after = picture.marks.filter((mark) => mark.start !== null && mark.start >= picture.view.end).length;
  return [
    ...(before ? [svg("text", { class: "beyond", x: 2, y: depth - 7 }, `◂ ${before}`)] : []),
    ...(after
      ? [svg("text", { class: "beyond", x: picture.width - 2, y: depth - 7, "text-anchor": "end" }, `${after} ▸`)]
      : []),
  ];
}
