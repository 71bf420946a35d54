// What the page says of a document: its title and its dates.

import { el } from "./dom.js";
import { edtfWords, plainRange, spanWords } from "./times.js";

/** @typedef {import("./types.js").DocumentRow} DocumentRow */

const TITLE = 90;

/** What a document's title is, or how its text begins where it has none. @param {DocumentRow} document */
export function titleOf(document) {
  const title = document.title?.trim();
  if (title) return title;
  const line = document.text.replace(/\s+/g, " ").trim();
  return line.length > TITLE ? `${line.slice(0, TITLE).replace(/\s+\S*$/, "")} …` : line;
}

/** A link to the page of a document. @param {string} id @param {import("./dom.js").Child[]} children */
export function documentLink(id, ...children) {
  return el("a", { href: `document?${new URLSearchParams({ id })}`, class: "document-link" }, ...children);
}

/** A date of a document in words, and as EDTF. @param {DocumentRow["published"] | null} value */
export function dated(value) {
  if (!value) return null;
  if (typeof value === "string") return { edtf: value, words: edtfWords(value) };
  return { edtf: value.edtf, words: spanWords(value.start, value.end, value.edtf) };
}

/**
 * The range of a document's date, its signs of doubt aside; null where it has none or an end is open.
 * @param {DocumentRow["published"] | null} value
 */
export function dateRange(value) {
  if (!value) return null;
  if (typeof value === "string") return plainRange(value.replace(/[~?%]/g, ""));
  return value.start !== null && value.end !== null ? { start: value.start, end: value.end } : null;
}
