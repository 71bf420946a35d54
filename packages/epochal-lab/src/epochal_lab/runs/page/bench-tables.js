// Tables of the measurements: the systems of a set, and two of them question by question.

import { barPath } from "./bars.js";
import { el, icon, svg } from "./dom.js";
import { counted } from "./times.js";

/** @typedef {import("./bench.js").Row} Row */
/** @typedef {import("./bench.js").Choice} Choice */
/** @typedef {{ id: string, a: number, b: number, gain: number }} Pair */

const PAGE = 12;
const WIDTH = 720;
const HEIGHT = 90;
const EQUAL = 1e-9;

/**
 * The systems of a set, best first by a measure.
 * @param {Row[]} rows @param {string[]} measures @param {string} measure
 * @param {{ a: Row | null, b: Row | null }} picked
 * @param {(side: "a" | "b", name: string) => void} pick
 */
export function systemsTable(rows, measures, measure, picked, pick) {
  const ordered = [...rows].sort((one, other) => (other.measures[measure] ?? -1) - (one.measures[measure] ?? -1));
  const best = Object.fromEntries(
    measures.map((name) => [name, Math.max(...rows.map((row) => row.measures[name] ?? -Infinity))]),
  );
  const radio = (/** @type {"a" | "b"} */ side, /** @type {Row} */ row) =>
    el(
      "td",
      { class: "pick-cell" },
      el("input", {
        type: "radio",
        name: side,
        value: row.name,
        checked: picked[side] === row,
        "aria-label": `${side.toUpperCase()}: ${row.task.system}`,
        on: { change: () => pick(side, row.name) },
      }),
    );
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Systems and measures" },
    el(
      "table",
      { class: "figures" },
      el(
        "caption",
        {},
        rows.length ? `${counted(rows[0].queries, "question")}, ${counted(rows[0].documents, "document")}` : "",
      ),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, el("span", { class: "dot tone-a", "aria-hidden": "true" }), "A"),
          el("th", { scope: "col" }, el("span", { class: "dot tone-b", "aria-hidden": "true" }), "B"),
          el("th", { scope: "col" }, "System"),
          measures.map((name) =>
            el("th", { scope: "col", class: "number", "aria-sort": name === measure ? "descending" : null }, name),
          ),
          el("th", { scope: "col", class: "number" }, "p50 ms"),
        ),
      ),
      el(
        "tbody",
        {},
        ordered.map((row) =>
          el(
            "tr",
            {},
            radio("a", row),
            radio("b", row),
            el("th", { scope: "row" }, row.task.system),
            measures.map((name) =>
              el(
                "td",
                { class: row.measures[name] === best[name] ? "number best" : "number" },
                figure(row.measures[name]),
              ),
            ),
            el("td", { class: "number" }, row.latency_ms.p50 === undefined ? "–" : row.latency_ms.p50.toFixed(1)),
          ),
        ),
      ),
    ),
  );
}

/**
 * Values of two systems by question, the largest differences first.
 * @param {Record<string, number | null>} one
 * @param {Record<string, number | null>} other
 * @returns {Pair[]}
 */
export function versus(one, other) {
  return Object.keys(one)
    .filter((id) => one[id] !== null && other[id] !== null && other[id] !== undefined)
    .map((id) => ({ id, a: Number(one[id]), b: Number(other[id]), gain: Number(one[id]) - Number(other[id]) }))
    .sort(
      (left, right) =>
        Math.abs(right.gain) - Math.abs(left.gain) || left.id.localeCompare(right.id, "en", { numeric: true }),
    );
}

/**
 * Two systems, question by question.
 * @param {{ a: string, b: string, measure: string, pairs: Pair[], texts: Record<string, string>, choice: Choice }} told
 * @param {(changes: Partial<Choice>) => void} choose
 */
export function comparedTable({ a, b, measure, pairs, texts, choice }, choose) {
  const ahead = pairs.filter((pair) => pair.gain > EQUAL);
  const behind = pairs.filter((pair) => pair.gain < -EQUAL);
  const shown = choice.only === "a" ? ahead : choice.only === "b" ? behind : pairs;
  const pages = Math.max(1, Math.ceil(shown.length / PAGE));
  const page = Math.min(Math.max(0, choice.page), pages - 1);
  const mean = (/** @type {"a" | "b"} */ side) =>
    pairs.reduce((sum, pair) => sum + pair[side], 0) / Math.max(1, pairs.length);
  const filter = (/** @type {string} */ only, /** @type {string} */ words) =>
    el(
      "button",
      {
        type: "button",
        class: "quiet",
        "aria-pressed": String(choice.only === only),
        on: { click: () => choose({ only, page: 0 }) },
      },
      words,
    );
  return el(
    "div",
    { class: "versus" },
    el(
      "h2",
      {},
      el("span", { class: "dot tone-a", "aria-hidden": "true" }),
      a,
      el("span", { class: "muted" }, " against "),
      el("span", { class: "dot tone-b", "aria-hidden": "true" }),
      b,
    ),
    el(
      "p",
      {},
      `${measure}: ${mean("a").toFixed(3)} against ${mean("b").toFixed(3)}`,
      ` over ${counted(pairs.length, "question")} that both answered; A is ahead in ${ahead.length},`,
      ` B in ${behind.length}, equal in ${pairs.length - ahead.length - behind.length}.`,
    ),
    differences(pairs),
    el(
      "div",
      { class: "only", role: "group", "aria-label": "Which questions" },
      filter("", "All"),
      filter("a", "A ahead"),
      filter("b", "B ahead"),
    ),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Questions" },
      el(
        "table",
        { class: "figures questions" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["Question", "A", "B", "A − B"].map((head, place) =>
              el("th", { scope: "col", class: place ? "number" : "" }, head),
            ),
          ),
        ),
        el(
          "tbody",
          {},
          shown
            .slice(page * PAGE, (page + 1) * PAGE)
            .map((pair) =>
              el(
                "tr",
                { class: pair.id === choice.question ? "here" : "" },
                el(
                  "th",
                  { scope: "row" },
                  el(
                    "button",
                    { type: "button", class: "link", on: { click: () => choose({ question: pair.id }) } },
                    texts[pair.id] ?? pair.id,
                  ),
                  texts[pair.id] && el("code", {}, pair.id),
                ),
                el("td", { class: "number" }, figure(pair.a)),
                el("td", { class: "number" }, figure(pair.b)),
                el(
                  "td",
                  { class: pair.gain > EQUAL ? "number ahead" : pair.gain < -EQUAL ? "number behind" : "number" },
                  signed(pair.gain),
                ),
              ),
            ),
        ),
      ),
    ),
    el(
      "div",
      { class: "pages" },
      el(
        "button",
        { type: "button", class: "quiet", disabled: page === 0, on: { click: () => choose({ page: page - 1 }) } },
        icon("left"),
        "Before",
      ),
      el("span", { class: "muted" }, `${page + 1} of ${pages}`),
      el(
        "button",
        {
          type: "button",
          class: "quiet",
          disabled: page >= pages - 1,
          on: { click: () => choose({ page: page + 1 }) },
        },
        "After",
        icon("right"),
      ),
    ),
  );
}

/** All differences in a row, from A's largest lead to B's. @param {Pair[]} pairs */
function differences(pairs) {
  const gains = pairs.map((pair) => pair.gain).sort((one, other) => other - one);
  const most = Math.max(EQUAL, ...gains.map(Math.abs));
  const step = WIDTH / Math.max(1, gains.length);
  const area = (/** @type {(gain: number) => boolean} */ kept) =>
    gains
      .map((gain, place) => {
        const high = (gain / most) * (HEIGHT / 2 - 4);
        return kept(gain) ? barPath(place * step, HEIGHT / 2, Math.max(step, 0.4), high) : "";
      })
      .join("");
  return svg(
    "svg",
    {
      class: "differences",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": "Differences of all questions, from the largest lead of A to that of B",
    },
    svg("path", { class: "tone-a", d: area((gain) => gain > EQUAL) }),
    svg("path", { class: "tone-b", d: area((gain) => gain < -EQUAL) }),
    svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
  );
}

/** @param {number | null | undefined} value */
function figure(value) {
  return value === null || value === undefined ? "–" : value.toFixed(3);
}

/** @param {number} value */
function signed(value) {
  if (Math.abs(value) <= EQUAL) return "0";
  return `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(3)}`;
}
