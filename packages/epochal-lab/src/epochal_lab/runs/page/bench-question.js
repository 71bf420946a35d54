// One question of a test set: what was asked for, what is right, and what two systems found, in time and in words.

import { Problem, get } from "./api.js";
import { lanes } from "./bench-picture.js";
import { el, icon, put } from "./dom.js";
import { banner } from "./outcome.js";
import { spanWords } from "./times.js";

/** @typedef {import("./bench.js").Row} Row */
/** @typedef {import("./types.js").SpanRecord} SpanRecord */
/** @typedef {{ id: string, title: string, text: string, times: SpanRecord[] }} Shown */
/**
 * @typedef {{ id: string, text: string, periods: (SpanRecord & { words: string })[],
 *   relevant: (Shown & { rank: number | null })[], found: (Shown & { rank: number, score: number,
 *   relevant: boolean })[] }} Told
 */

/** @param {HTMLElement} place @param {Row} a @param {Row} b @param {string} id of the question; "" for none */
export async function showQuestion(place, a, b, id) {
  const shown = place.dataset.question;
  place.dataset.question = id;
  if (!id) {
    put(place);
    return;
  }
  try {
    const path = (/** @type {Row} */ row) =>
      `bench/${encodeURIComponent(row.name)}/questions/${encodeURIComponent(id)}`;
    /** @type {Told[]} */
    const [one, other] = await Promise.all([get(path(a), { k: 10 }), get(path(b), { k: 10 })]);
    put(
      place,
      el("h2", {}, one.text),
      asked(one),
      el("div", { class: "scroll bare", tabindex: "0", role: "region", "aria-label": "In time" }, lanes(one, other)),
      el("div", { class: "sides" }, side("a", a.task.system, one), side("b", b.task.system, other)),
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    put(place, banner("info", error.title, error.message));
  }
  if (shown !== undefined && shown !== id) place.focus();
}

/** @param {Told} told */
function asked(told) {
  return el(
    "p",
    { class: "muted" },
    told.periods.length ? `Asked for ${told.periods.map((item) => item.words).join("; ")}. ` : "Asks for no time. ",
    `${told.relevant.length} right ${told.relevant.length === 1 ? "document" : "documents"} shown.`,
  );
}

/** @param {"a" | "b"} tone @param {string} system @param {Told} told */
function side(tone, system, told) {
  const missed = told.relevant.filter((item) => item.rank === null || item.rank > told.found.length);
  return el(
    "section",
    { class: `side tone-${tone}`, "aria-label": `${tone.toUpperCase()}: ${system}` },
    el("h3", {}, el("span", { class: `dot tone-${tone}`, "aria-hidden": "true" }), system),
    el(
      "ol",
      {},
      told.found.map((item) =>
        el(
          "li",
          { class: item.relevant ? "right" : "" },
          el(
            "p",
            {},
            el("strong", {}, `${item.rank}. `),
            item.relevant && el("span", { class: "right-mark" }, icon("check"), "right"),
            times(item),
            el("code", {}, item.id),
          ),
          el("p", { class: "shown-text" }, item.title ? `${item.title}: ${item.text}` : item.text),
        ),
      ),
    ),
    missed.length > 0 &&
      el(
        "p",
        { class: "muted" },
        "Right, but not here: ",
        missed.map((item) => `${item.id}${item.rank ? ` (${item.rank}.)` : ""}`).join(", "),
      ),
  );
}

/** @param {Shown} item */
function times(item) {
  if (!item.times.length) return null;
  const words = item.times.slice(0, 3).map((time) => spanWords(time.start, time.end, time.span));
  return el("span", { class: "muted" }, `${words.join("; ")}${item.times.length > 3 ? " …" : ""} `);
}
