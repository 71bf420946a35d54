// The parts of a score as a small stacked bar, their legend, and their figures.

import { el, svg } from "./dom.js";

/** @typedef {import("./types.js").Hit} Hit */

const WIDTH = 160;
const HEIGHT = 8;
/** @type {Record<string, string>} */
const MEANINGS = {
  lexical: "shares words with the question",
  semantic: "means something close to the question",
  topical: "fits the question without its time words",
  alignment: "has the time asked for, beside words of the topic",
  dated: "has names and words of the time asked for, as was learned",
  worth: "reads like a record, not like talk about one",
  freshness: "is recent, as the question needs",
  topic: "has the words that the topic needs",
  order: "is placed by its date",
  forecast: "is the newest forecast",
  rerank: "was read together with the question",
  undated: "has no date",
  version: "moved by the age of its versions",
};
const COLOURED = ["lexical", "semantic", "topical", "alignment", "freshness"];

/** The class that colours a part. @param {string} name */
function colour(name) {
  return `part-${COLOURED.includes(name) ? name : "other"}`;
}

/** Parts in an order that is the same for all hits. @param {Record<string, number>} parts */
function ordered(parts) {
  const rank = (/** @type {string} */ name) => (COLOURED.indexOf(name) + COLOURED.length + 1) % (COLOURED.length + 1);
  return Object.entries(parts)
    .filter(([, value]) => value !== 0)
    .sort(([one], [other]) => rank(one) - rank(other));
}

/** The largest sum of gains among hits: what a full bar stands for. @param {Hit[]} hits */
export function fullScore(hits) {
  const gains = hits.map((hit) => Object.values(hit.parts).reduce((sum, value) => sum + Math.max(0, value), 0));
  return Math.max(1e-9, ...gains);
}

/**
 * The bar of a hit. Losses are drawn as hollow, from the right end of the gains.
 * @param {Hit} hit @param {number} full
 */
export function scoreBar(hit, full) {
  let at = 0;
  const scale = (/** @type {number} */ value) => (value / full) * WIDTH;
  const gains = ordered(hit.parts)
    .filter(([, value]) => value > 0)
    .map(([name, value]) => {
      const wide = scale(value);
      const segment = svg("rect", { class: colour(name), x: at, y: 0, width: Math.max(0, wide - 0.8), height: HEIGHT });
      at += wide;
      return segment;
    });
  const loss = Object.values(hit.parts).reduce((sum, value) => sum + Math.min(0, value), 0);
  const lost = Math.min(at, scale(-loss));
  if (lost > 1)
    gains.push(svg("rect", { class: "part-loss", x: at - lost, y: 0.5, width: lost - 0.5, height: HEIGHT - 1 }));
  const told = ordered(hit.parts)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(", ");
  return svg(
    "svg",
    {
      class: "scorebar",
      role: "img",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      "aria-label": `Score ${hit.score.toFixed(2)}: ${told || "no parts"}`,
    },
    svg("rect", { class: "track", x: 0, y: 0, width: WIDTH, height: HEIGHT }),
    gains,
  );
}

/** What each part of a hit's score is, as a list. @param {Hit} hit */
export function partList(hit) {
  return el(
    "ul",
    { class: "parts" },
    ordered(hit.parts).map(([name, value]) =>
      el(
        "li",
        {},
        el("span", { class: `swatch ${colour(name)}`, "aria-hidden": "true" }),
        el("span", { class: "part-name" }, name),
        el("span", { class: "part-value" }, figure(value)),
        el("span", { class: "part-words" }, MEANINGS[name] ?? ""),
      ),
    ),
  );
}

/** @param {number} value */
function figure(value) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}
