// How often topics occur over time: a line for each, of the documents that have all of its words.

import { Problem } from "./api.js";
import { ticks } from "./axis.js";
import { el, put, svg } from "./dom.js";
import { spread } from "./spread.js";
import { recordsOf } from "./timeline.js";
import { edtfRange, spanWords } from "./times.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./spread.js").Bin} Bin */
/** @typedef {{ topic: string, bins: Bin[] }} Trend */

const MOST = 4;
const TONES = ["hit", "b", "c", "a"];
const BINS = 60;
const [WIDEST, NARROWEST, HEIGHT, FOOT, HEAD] = [1000, 300, 260, 24, 10];

/**
 * @param {State} state @param {import("./timeline.js").Coverage | null} whole
 * @param {(changes: Partial<State>) => unknown} change
 */
export function trends(state, whole, change) {
  const topics = (state.topics.length ? state.topics : [state.q]).slice(0, MOST);
  const input = el("input", { id: "topics", type: "text", autocomplete: "off", value: topics.join(", "), dir: "auto" });
  const share = el("input", { id: "share", type: "checkbox" });
  const result = el("div", { class: "trends-result", "aria-live": "polite" });
  const form = el(
    "form",
    { class: "trends-form" },
    el("div", { class: "field" }, el("label", { for: "topics" }, `Topics, up to ${MOST}, with commas between them`), input),
    el("button", { type: "submit", class: "primary" }, "Draw"),
    el("label", { class: "check" }, share, "as a share of all documents"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = input.value.split(",").map((topic) => topic.trim());
    void change({ topics: given.filter(Boolean).slice(0, MOST) });
  });
  const draw = () => void show(result, topics, whole, share.checked, change);
  share.addEventListener("change", draw);
  draw();
  return el("section", { class: "trends", "aria-label": "Trends" }, form, result);
}

/**
 * @param {HTMLElement} place @param {string[]} topics @param {import("./timeline.js").Coverage | null} whole
 * @param {boolean} share @param {(changes: Partial<State>) => unknown} change
 */
async function show(place, topics, whole, share, change) {
  const range = whole && recordsOf(whole);
  if (!range) {
    put(place, el("p", { class: "empty" }, "No document has a time."));
    return;
  }
  try {
    const [all, ...found] = await Promise.all([
      spread(range, BINS),
      ...topics.map((topic) => spread(range, BINS, { q: topic, words: "all" })),
    ]);
    const drawn = found.map((bins, at) => ({ topic: topics[at], bins }));
    const value = (/** @type {Bin} */ bin, /** @type {number} */ at) =>
      share ? (all[at].count ? (100 * bin.count) / all[at].count : 0) : bin.count;
    const width = Math.min(WIDEST, Math.max(NARROWEST, place.clientWidth - 24)); // letters keep their size on a phone
    put(place, legend(drawn), picture(drawn, value, width, change), table(drawn, value, share));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    put(place, el("p", { class: "problem", role: "alert" }, `${error.title}. ${error.message}`));
  }
}

/** @param {Trend[]} drawn */
function legend(drawn) {
  return el(
    "ul",
    { class: "trend-legend" },
    drawn.map(({ topic, bins }, at) =>
      el(
        "li",
        {},
        el("span", { class: `dot tone-${TONES[at]}`, "aria-hidden": "true" }),
        el("span", { dir: "auto" }, topic),
        el("span", { class: "muted" }, ` ${bins.reduce((sum, bin) => sum + bin.count, 0).toLocaleString("en-GB")}`),
      ),
    ),
  );
}

/**
 * The lines; a click on a point leads to its documents.
 * @param {Trend[]} drawn @param {(bin: Bin, at: number) => number} value @param {number} width
 * @param {(changes: Partial<State>) => unknown} change
 */
function picture(drawn, value, width, change) {
  const bins = drawn[0].bins;
  const [start, end] = [bins[0].start, bins[bins.length - 1].end];
  const most = Math.max(1e-9, ...drawn.flatMap(({ bins: some }) => some.map(value)));
  const x = (/** @type {number} */ second) => ((second - start) / (end - start)) * width;
  const y = (/** @type {number} */ amount) => HEAD + (1 - amount / most) * (HEIGHT - HEAD);
  const lines = drawn.map(({ topic, bins: some }, line) => {
    const points = some.map((bin, at) => ({ bin, x: x((bin.start + bin.end) / 2), y: y(value(bin, at)) }));
    return svg(
      "g",
      { class: `trend tone-${TONES[line]}` },
      svg("polyline", { points: points.map((point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join(" ") }),
      points
        .filter(({ bin }) => bin.count)
        .map(({ bin, x: cx, y: cy }) => {
          const words = `${topic}, ${spanWords(bin.start, bin.end)}: ${bin.count}`;
          const open = () => void change({ q: topic, during: edtfRange(bin, "day"), look: "list", view: "", topics: [] });
          return svg("circle", { cx, cy, r: 4, on: { click: open } }, svg("title", {}, words));
        }),
    );
  });
  const labels = ticks(start, end, width / 90).map(({ at, label }) =>
    svg("text", { class: "tick-label", x: x(at), y: HEIGHT + 18, "text-anchor": "middle" }, label),
  );
  return svg(
    "svg",
    { class: "canvas trend-canvas", viewBox: `0 0 ${width} ${HEIGHT + FOOT}`, role: "img", "aria-label": "Topics over time; the table below has the figures" },
    svg("line", { class: "ground", x1: 0, x2: width, y1: HEIGHT, y2: HEIGHT }),
    svg("text", { x: 2, y: HEAD + 8 }, most < 10 && most % 1 ? most.toFixed(1) : Math.round(most)),
    labels,
    lines,
  );
}

/** @param {Trend[]} drawn @param {(bin: Bin, at: number) => number} value @param {boolean} share */
function table(drawn, value, share) {
  const filled = drawn[0].bins.map((_, at) => at).filter((at) => drawn.some(({ bins }) => bins[at].count));
  const figure = (/** @type {number} */ amount) => (share ? `${amount.toFixed(1)} %` : String(amount));
  return el(
    "details",
    { class: "trend-table" },
    el("summary", {}, "As a table"),
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Time"), drawn.map(({ topic }) => el("th", { scope: "col", dir: "auto" }, topic)))),
      el(
        "tbody",
        {},
        filled.map((at) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, spanWords(drawn[0].bins[at].start, drawn[0].bins[at].end)),
            drawn.map(({ bins }) => el("td", {}, figure(value(bins[at], at)))),
          ),
        ),
      ),
    ),
  );
}
