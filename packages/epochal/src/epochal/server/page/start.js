// What the page says before anything is asked: what the index holds, and questions that it can answer.

import { el } from "./dom.js";
import { DAY, counted, edtfWords, plainRange, spanWords, unitStart } from "./times.js";

/** @typedef {import("./spread.js").Bin} Bin */
/** @typedef {import("./types.js").Info} Info */

const YEAR = 366 * DAY;

/** The name of the index and its size, for the head of the page. @param {Info} info */
export function heldWords({ title, documents }) {
  return [title, counted(documents, "document")].filter(Boolean).join(" · ");
}

/** @param {Info} info @param {Bin[]} bins */
export function welcome(info, bins) {
  const asked = [...info.examples, ...timeQuestions(info, bins)];
  return el(
    "div",
    { class: "welcome" },
    el("h2", { dir: "auto" }, info.title),
    el("p", {}, `${held(info)}.`),
    el(
      "p",
      {},
      "Ask in plain words, with a time or without one. A time in the question moves documents to the front; ",
      "a filter on the timeline leaves the others out.",
    ),
    asked.length > 0 &&
      el(
        "ul",
        { class: "examples", "aria-label": "To begin with" },
        asked.map((question) =>
          el("li", {}, el("a", { href: `./?${new URLSearchParams({ q: question })}`, dir: "auto" }, question)),
        ),
      ),
  );
}

/** What the index holds, in words. @param {Info} info */
function held({ documents, first, last, language }) {
  const from = first && edtfWords(first);
  const to = last && edtfWords(last);
  const time = from && to ? (from === to ? ` of ${from}` : ` from ${from} to ${to}`) : "";
  return `${counted(documents, "document")}${time}${language && `, mostly in ${language}`}`;
}

/** Questions about times that the index has; the latest is asked of living collections only. @param {Info} info @param {Bin[]} bins */
function timeQuestions({ language, last }, bins) {
  const filled = bins.filter((bin) => bin.count);
  if (!filled.length || (language && language !== "English")) return [];
  const busiest = filled.reduce((best, bin) => (bin.count > best.count ? bin : best));
  const end = last ? plainRange(last.replace(/[~?%]/g, ""))?.end : undefined;
  const lives = end !== undefined && end > Date.now() / 1000 - 2 * YEAR;
  const whole = spanWords(busiest.start, busiest.end);
  // Nobody asks for a week from one date to another, but for its year.
  const isWeek = whole.includes(" to ") && busiest.end - busiest.start <= 7 * DAY;
  const words = isWeek ? spanWords(unitStart(busiest.start, "year"), unitStart(busiest.start, "year", 1)) : whole;
  const lead = words.includes(" to ") ? "from" : !isWeek && busiest.end - busiest.start <= DAY ? "on" : "in";
  return [`What happened ${lead} ${words}?`, ...(lives ? ["What is the latest?"] : [])];
}
