// What the page says before anything is asked: how to ask, with questions that this index can answer.

import { el } from "./dom.js";
import { spanWords } from "./times.js";

/** @typedef {import("./spread.js").Bin} Bin */

/** @param {Bin[]} bins */
export function welcome(bins) {
  const asked = examples(bins);
  return el(
    "div",
    { class: "welcome" },
    el(
      "p",
      {},
      "Ask in plain words, with a time or without one. A time in the question moves documents to the front; ",
      "a filter on the timeline leaves the others out.",
    ),
    asked.length > 0 &&
      el(
        "ul",
        { class: "examples" },
        asked.map((question) => el("li", {}, el("a", { href: `/?${new URLSearchParams({ q: question })}` }, question))),
      ),
  );
}

/** @param {Bin[]} bins */
function examples(bins) {
  const held = bins.filter((bin) => bin.count);
  if (!held.length) return [];
  const busiest = held.reduce((best, bin) => (bin.count > best.count ? bin : best));
  const middle = held[Math.floor(held.length / 2)];
  const last = held[held.length - 1];
  const [one, other] = [middle, last].map((bin) => spanWords(bin.start, bin.end));
  return [
    `What happened in ${spanWords(busiest.start, busiest.end)}?`,
    ...(one === other ? [] : [`What changed between ${one} and ${other}?`]),
    "What is the latest?",
  ];
}
