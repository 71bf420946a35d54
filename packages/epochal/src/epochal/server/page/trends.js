// How often topics occur over time: a line for each, of the documents that pass the relevance floor of a search.

import { Problem } from "./api.js";
import { ticks } from "./axis.js";
import { el, put, svg } from "./dom.js";
import { spread } from "./spread.js";
import { recordsOf } from "./timeline.js";
import { counted, edtfRange, spanWords } from "./times.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./spread.js").Bin} Bin */
/** @typedef {import("./spread.js").Told} Told */
/** @typedef {{ topic: string, told: Told, bins: Bin[] }} Trend */

const MOST = 4;
const TONES = ["hit", "b", "c", "a"];
const BINS = 60;
/** Months of about forty years, or so many years, are still apart on a wide screen. */
const MOST_UNITS = 480;
/** @type {[string, string][]} */
const UNITS = [
  ["", "what fits"],
  ["year", "year"],
  ["month", "month"],
];
const [WIDEST, NARROWEST, HEIGHT, FOOT, HEAD] = [1000, 300, 260, 24, 10];

/**
 * @param {State} state @param {import("./timeline.js").Coverage | null} whole
 * @param {{ name: string, title: string }[]} reigns calendars by whose reigns documents can be counted
 * @param {(changes: Partial<State>) => unknown} change
 */
export function trends(state, whole, reigns, change) {
  const topics = (state.topics.length ? state.topics : [state.q]).slice(0, MOST);
  const input = el("input", { id: "topics", type: "text", autocomplete: "off", value: topics.join(", "), dir: "auto" });
  const share = el("input", { id: "share", type: "checkbox" });
  const units = [...UNITS, ...reigns.map(({ name, title }) => [name, `reign: ${title}`])];
  const by = el("select", { id: "by" }, units.map(([value, words]) => el("option", { value }, words)));
  by.value = units.some(([value]) => value === state.by) ? state.by : "";
  by.addEventListener("change", () => void change({ by: by.value }));
  const result = el("div", { class: "trends-result", "aria-live": "polite" });
  const form = el(
    "form",
    { class: "trends-form" },
    el("div", { class: "field" }, el("label", { for: "topics" }, `Topics, up to ${MOST}, with commas between them`), input),
    el("div", { class: "field narrow" }, el("label", { for: "by" }, "By"), by),
    el("button", { type: "submit", class: "primary" }, "Draw"),
    el("label", { class: "check" }, share, "as a share of all documents"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = input.value.split(",").map((topic) => topic.trim());
    void change({ topics: given.filter(Boolean).slice(0, MOST) });
  });
  const range = whole && recordsOf(whole);
  const counts = range && countTopics(range, topics, by.value, filters(state));
  const draw = () => void show(result, topics, counts, share.checked, change);
  share.addEventListener("change", draw);
  draw();
  return el("section", { class: "trends", "aria-label": "Trends" }, form, result);
}

/**
 * All documents over time, and those of each topic.
 * @param {import("./times.js").Range} range @param {string[]} topics @param {string} by
 * @param {Record<string, string>} kept which documents count at all
 */
function countTopics(range, topics, by, kept) {
  const most = by ? MOST_UNITS : BINS;
  const which = [{}, ...topics.map((q) => ({ q, words: "relevant" }))];
  return Promise.all(which.map((some) => spread(range, most, { by, ...kept, ...some })));
}

/** The filters of a search, as counting takes them. @param {State} state */
function filters({ now, as_of, valid_at, where }) {
  /** @type {Map<string, string[]>} */
  const fields = new Map();
  for (const condition of where) {
    const cut = condition.indexOf("=");
    const [name, value] = [condition.slice(0, cut), condition.slice(cut + 1)];
    fields.set(name, [...(fields.get(name) ?? []), /[,"']/.test(value) ? JSON.stringify(value) : value]);
  }
  const conditions = [...fields].map(([name, values]) => `${name}=${values.join(",")}`).join(";");
  const given = Object.entries({ now, as_of, valid_at, where: conditions });
  return Object.fromEntries(given.filter(([, value]) => value));
}

/**
 * @param {HTMLElement} place @param {string[]} topics @param {Promise<Told[]> | null} counts
 * @param {boolean} share @param {(changes: Partial<State>) => unknown} change
 */
async function show(place, topics, counts, share, change) {
  if (!counts) {
    put(place, el("p", { class: "empty" }, "No document has a time."));
    return;
  }
  try {
    const [{ bins: all }, ...found] = await counts;
    if (!all.length) {
      put(place, el("p", { class: "empty" }, "No document has a time in these reigns."));
      return;
    }
    const drawn = found.map((told, at) => ({ topic: topics[at], told, bins: told.bins }));
    const value = (/** @type {Bin} */ bin, /** @type {number} */ at) =>
      share ? (all[at].count ? (100 * bin.count) / all[at].count : 0) : bin.count;
    const width = Math.min(WIDEST, Math.max(NARROWEST, place.clientWidth - 24)); // letters keep their size on a phone
    const open = (/** @type {string} */ topic, /** @type {Bin} */ bin) =>
      void change({ q: topic, during: edtfRange(bin, "day"), look: "list", view: "", topics: [] });
    put(place, legend(drawn), notes(drawn), picture(drawn, value, width, open), table(drawn, value, share, open));
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
    drawn.map(({ topic, told }, at) =>
      el(
        "li",
        {},
        el("span", { class: `dot tone-${TONES[at]}`, "aria-hidden": "true" }),
        el("span", { dir: "auto" }, topic),
        el("span", { class: "muted" }, ` ${told.is_lower_bound ? "at least " : ""}${told.documents.toLocaleString("en-GB")}`),
      ),
    ),
  );
}

/**
 * What there is to know of the counts: documents without a time, and topics of too many documents to weigh each.
 * @param {Trend[]} drawn
 */
function notes(drawn) {
  const some = drawn.flatMap(({ topic, told }) => {
    const name = `“${topic}”`;
    const timeless = told.undated && `${name}: ${counted(told.undated, "document")} without a time cannot be drawn.`;
    const frequent = `${name} is in too many documents to weigh each: those are counted that have all of its words.`;
    const more = `${name}: the best documents were weighed; there are likely more.`;
    return [timeless, told.counted === "words" ? frequent : told.is_lower_bound && more].filter(Boolean);
  });
  return some.length > 0 && el("ul", { class: "trend-notes muted" }, some.map((words) => el("li", { dir: "auto" }, words)));
}

/**
 * The lines; a click on a point leads to its documents.
 * @param {Trend[]} drawn @param {(bin: Bin, at: number) => number} value @param {number} width
 * @param {(topic: string, bin: Bin) => void} open shows the documents of a topic in a bin
 */
function picture(drawn, value, width, open) {
  const bins = drawn[0].bins;
  const [start, end] = [bins[0].start, Math.max(...bins.map((bin) => bin.end))];
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
          const words = `${topic}, ${binWords(bin)}: ${bin.count}`;
          return svg("circle", { cx, cy, r: 4, on: { click: () => open(topic, bin) } }, svg("title", {}, words));
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

/** The time of a bin, behind the name of its reign. @param {Bin} bin */
function binWords({ name, start, end }) {
  return name ? `${name} (${spanWords(start, end)})` : spanWords(start, end);
}

/**
 * The figures; each leads to its documents, also by the keyboard.
 * @param {Trend[]} drawn @param {(bin: Bin, at: number) => number} value @param {boolean} share
 * @param {(topic: string, bin: Bin) => void} open
 */
function table(drawn, value, share, open) {
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
            el("th", { scope: "row" }, binWords(drawn[0].bins[at])),
            drawn.map(({ topic, bins }) => {
              const [words, click] = [figure(value(bins[at], at)), () => open(topic, bins[at])];
              return el("td", {}, bins[at].count ? el("button", { type: "button", class: "quiet", on: { click } }, words) : words);
            }),
          ),
        ),
      ),
    ),
  );
}
