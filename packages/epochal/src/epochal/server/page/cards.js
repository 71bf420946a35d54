// The hits of a search as cards: what a document says, when, why it has its rank, and its newer versions.

import { timeList } from "./card-times.js";
import { dated, documentLink } from "./documents.js";
import { el, icon, put } from "./dom.js";
import { pieceNodes, pieces } from "./evidence.js";
import { fullScore, partList, scoreBar } from "./scorebar.js";
import { versionNotes } from "./versions.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("./types.js").Hit} Hit */
/**
 * @typedef {object} CardHooks
 * @property {(id: string) => void} chosen the pointer or the focus is on a card
 * @property {(hit: Hit) => unknown} copy a citation is to be copied
 * @property {(chain: HTMLElement, hit: Hit) => unknown} chain the versions of a hit are to be shown
 */

/**
 * What was found as list items.
 * @param {Found} found @param {CardHooks} hooks
 * @param {{ tone: (hit: Hit) => string, prefix?: string, level: 2 | 3 }} look
 */
export function cards({ hits, overview }, hooks, { tone, prefix = "", level }) {
  const full = fullScore(hits);
  return hits.map((hit, place) =>
    el(
      "li",
      {},
      card(hit, place + 1, hooks, { tone: tone(hit), prefix, level, full, words: overview.words[place] ?? [] }),
    ),
  );
}

/** The id of the mark on the timeline that a card goes with. @param {string} prefix @param {number} rank */
export function markId(prefix, rank) {
  return `${prefix}${rank}`;
}

/**
 * @param {Hit} hit @param {number} rank @param {CardHooks} hooks
 * @param {{ tone: string, prefix: string, level: 2 | 3, full: number, words: [number, number][] }} look
 */
function card(hit, rank, hooks, { tone, prefix, level, full, words }) {
  const id = markId(prefix, rank);
  const heading = /** @type {"h2" | "h3"} */ (`h${level}`);
  const published = dated(hit.document.published);
  const valid = dated(hit.document.valid);
  const name = `card-${id}`;
  const title = hit.document.title?.trim() || (published ?? valid)?.words || hit.id;
  const dates = title !== (published ?? valid)?.words;
  return el(
    "article",
    {
      class: "card",
      id: name,
      tabindex: "-1",
      "aria-labelledby": `${name}-title`,
      "data-rank": id,
      on: { pointerenter: () => hooks.chosen(id), focusin: () => hooks.chosen(id) },
    },
    el(
      "header",
      { class: "card-head" },
      el("span", { class: `rank tone-${tone}`, "aria-hidden": "true" }, rank),
      el(
        "div",
        { class: "card-title" },
        el(
          heading,
          { id: `${name}-title`, dir: "auto" },
          el("span", { class: "unseen-text" }, `${rank}. `),
          documentLink(hit.id, title),
        ),
        el(
          "p",
          { class: "card-meta" },
          dates && published && el("time", { title: published.edtf }, published.words),
          valid &&
            (dates || published) &&
            el("span", {}, `holds ${/^(since|until) /.test(valid.words) ? "" : "in "}${valid.words}`),
          !published && !valid && el("span", {}, "no date of publication"),
          title !== hit.id && el("code", { class: "doc-id" }, hit.id),
        ),
      ),
    ),
    passage(hit, words),
    timeList(hit),
    versionNotes(hit, hooks.chain),
    el(
      "footer",
      { class: "card-foot" },
      el(
        "details",
        { class: "why" },
        el(
          "summary",
          {},
          scoreBar(hit, full),
          el("span", { class: "score" }, hit.score.toFixed(2)),
          el("span", { class: "why-word" }, "Why"),
        ),
        partList(hit),
      ),
      el(
        "button",
        { type: "button", class: "quiet copy", on: { click: () => hooks.copy(hit) } },
        icon("quote"),
        "Copy citation",
      ),
    ),
  );
}

/** @param {Hit} hit @param {[number, number][]} words */
function passage(hit, words) {
  const { pieces: shown, cut } = pieces(hit, words, false);
  const text = el("p", { class: "passage", dir: "auto" }, pieceNodes(shown));
  if (!cut) return text;
  const button = el("button", { type: "button", class: "quiet more", "aria-expanded": "false" }, "Whole passage");
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Less" : "Whole passage";
    put(text, pieceNodes(pieces(hit, words, open).pieces));
  });
  return el("div", {}, text, button);
}
