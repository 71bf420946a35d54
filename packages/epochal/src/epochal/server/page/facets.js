// What the documents that answer have in their metadata, to narrow the hits by; and what they are narrowed by.

import { dropButton, el } from "./dom.js";

/** @typedef {import("./types.js").Found} Found */

/** From this width on there is room beside the hits. */
const WIDE = window.matchMedia("(min-width: 64rem)");

/**
 * The fields to narrow by; null where there are none.
 * @param {Found} found @param {string[]} where @param {(where: string[]) => void} change
 */
export function facets(found, where, change) {
  const fields = Object.entries(found.overview.fields);
  if (!fields.length) return null;
  return el(
    "details",
    { class: "facets", open: WIDE.matches },
    el("summary", {}, "Narrow"),
    fields.map(([name, values]) =>
      el(
        "section",
        { "aria-label": name },
        el("h3", {}, name),
        el(
          "ul",
          {},
          values.map(({ value, count }) => {
            const condition = `${name}=${value}`;
            const chosen = where.includes(condition);
            const next = chosen ? where.filter((other) => other !== condition) : [...where, condition];
            return el(
              "li",
              {},
              el(
                "button",
                { type: "button", class: "facet", "aria-pressed": String(chosen), on: { click: () => change(next) } },
                el("span", { class: "facet-value", dir: "auto" }, String(value)),
                el("span", { class: "facet-count" }, count),
              ),
            );
          }),
        ),
      ),
    ),
  );
}

/** What the hits are narrowed by, as chips. @param {string[]} where @param {(where: string[]) => void} change */
export function whereChips(where, change) {
  return where.map((condition) => {
    const words = condition.replace("=", ": ");
    return el(
      "li",
      {},
      el(
        "span",
        { class: "chip time" },
        el("span", { class: "chip-main" }, words),
        dropButton(words, () => change(where.filter((other) => other !== condition))),
      ),
    );
  });
}
