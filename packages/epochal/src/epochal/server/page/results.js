// What was found, as a list: the outcome, the cards, a button for more, and what to narrow by.

import { cards } from "./cards.js";
import { el } from "./dom.js";
import { facets } from "./facets.js";
import { outcomeBanner } from "./outcome.js";
import { toneOf } from "./tones.js";

/** @typedef {import("./types.js").Found} Found */
/**
 * @typedef {object} ListHooks
 * @property {import("./cards.js").CardHooks} cards
 * @property {(where: string[]) => void} narrow documents are to fulfil these conditions
 * @property {() => void} more the next hits are asked for
 */

export const MOST_HITS = 200;

/**
 * @param {Found} found
 * @param {{ first: string | null, last: string | null } | null} reach of the records
 * @param {{ k: number, where: string[], during: string }} asked
 * @param {ListHooks} hooks
 */
export function resultList(found, reach, { k, where, during }, hooks) {
  return [
    outcomeBanner(found, reach),
    el(
      "div",
      { class: "found" },
      el(
        "div",
        { class: "found-main" },
        found.hits.length
          ? el("ol", { class: "cards" }, cards(found, hooks.cards, { tone: (hit) => toneOf(hit, found), level: 2 }))
          : el(
              "p",
              { class: "empty" },
              during ? "No document fits. Take the filter off, or widen it." : "No document fits.",
            ),
        found.hits.length >= k &&
          k < MOST_HITS &&
          el("button", { type: "button", id: "more", class: "quiet more-hits", on: { click: hooks.more } }, "More hits"),
      ),
      facets(found, where, hooks.narrow),
    ),
  ];
}
