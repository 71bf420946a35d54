// What is said above the hits: what became of the time asked for, what was done about time, what was left out.

import { el, icon } from "./dom.js";
import { counted, edtfWords, spanWords } from "./times.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("./timeline.js").Coverage} Coverage */

/**
 * A banner where nothing is recorded, the time is not covered or the topic unknown; null where there is nothing to say.
 * @param {Found} found @param {Coverage | null} whole
 */
export function outcomeBanner(found, whole) {
  if (found.outcome === "topic_unknown") {
    const words = found.unknown_words.map((word) => `“${word}”`).join(", ");
    const reason = words ? `: no document has ${words}` : "";
    return banner("none", "Topic unknown", `The index has nothing on this at any time${reason}.`);
  }
  if (found.outcome !== "none_recorded" && found.outcome !== "not_covered") return null;
  const asked = askedWords(found);
  const nearest = found.hits.length ? " What comes nearest follows." : "";
  if (found.outcome === "none_recorded") {
    return banner(
      "none",
      "None recorded",
      `The index has records of ${asked}, but none of them answers this.${nearest}`,
    );
  }
  const { first, last } = whole ?? {};
  const [from, to] = [edtfWords(first ?? ""), edtfWords(last ?? "")];
  const reached = first === last ? `its dated documents are all of ${from}` : `they reach from ${from} to ${to}`;
  const reach =
    first && last
      ? `The index has no records of ${asked}; ${reached}.`
      : `The index holds no dated documents, so it says nothing about ${asked}.`;
  return banner("uncovered", "Not covered", `${reach}${nearest}`);
}

/** @param {string} kind @param {string} title @param {string} words */
export function banner(kind, title, words) {
  const sign = kind === "problem" ? "warning" : kind === "none" ? "none" : kind === "uncovered" ? "gap" : "info";
  return el(
    "div",
    { class: `banner ${kind}`, role: kind === "problem" ? "alert" : null },
    icon(sign),
    el("p", {}, el("strong", {}, `${title}. `), words),
  );
}

/** The time that was asked for, in words. @param {Found} found */
function askedWords(found) {
  const spans = found.applied
    .filter((item) => item.span && item.name !== "as_of")
    .map((item) => /** @type {any} */ (item.span));
  const used = spans.length ? spans : found.understanding.constraints;
  const words = [...new Set(used.map((item) => spanWords(item.start, item.end, item.span)))];
  if (!words.length) return "the time asked about";
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** What was done about time, and what was left out. @param {Found} found */
export function account(found) {
  const hidden = Object.entries(found.hidden).sort((one, other) => other[1] - one[1]);
  const total = hidden.reduce((sum, [, count]) => sum + count, 0);
  if (!found.applied.length && !total) return null;
  return el(
    "details",
    { class: "account" },
    el(
      "summary",
      {},
      [
        found.applied.length ? `${counted(found.applied.length, "step")} applied` : "",
        total ? `${counted(total, "document")} hidden` : "",
      ]
        .filter(Boolean)
        .join(", "),
    ),
    el(
      "ul",
      {},
      found.applied.map((step) =>
        el("li", {}, step.sentence, step.strict && el("span", { class: "tag" }, "leaves out")),
      ),
      hidden.map(([reason, count]) =>
        el("li", { class: "hidden-count" }, `${counted(count, "document")} hidden: ${reason}`),
      ),
    ),
  );
}

/** How much was found, for the line above the hits and for screen readers. @param {Found} found */
export function countWords({ hits, total, total_is_lower_bound: least, took_ms: took }) {
  const time = ` in ${took < 10 ? took.toFixed(1) : Math.round(took)} ms`;
  if (!hits.length) return `No hit${time}`;
  if (total === null) return `${counted(hits.length, "hit")}${time}`;
  if (total === 0) return `Nothing surely answers; the nearest ${hits.length === 1 ? "one" : hits.length} in${time.slice(3)}`;
  const answering = `${counted(total, "document")} ${total === 1 ? "answers" : "answer"}`;
  return `${least ? "At least " : ""}${answering}, ${counted(hits.length, "hit")}${time}`;
}
