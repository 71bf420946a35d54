// A passage with the words that state its times and those of the question marked, cut to be read at a glance.

import { el } from "./dom.js";

/** @typedef {import("./types.js").Hit} Hit */
/** @typedef {"" | "time" | "word"} Kind */
/** @typedef {{ text: string, kind: Kind }} Piece */
/** @typedef {{ start: number, end: number, kind: Kind }} Mark  characters from the beginning of the text */

const ROOM = 420;
const WORD = 30;

/**
 * The passage of a hit as pieces, its times and the words of the question marked.
 * @param {Hit} hit @param {[number, number][]} words
 * @param {boolean} whole or cut to the part around what supports it
 */
export function pieces(hit, words, whole) {
  const signs = Array.from(hit.passage);
  const times = hit.times
    .filter((item) => item.provenance === "stated" && item.start_char >= hit.passage_start)
    .map((item) => mark(item.start_char - hit.passage_start, item.end_char - hit.passage_start, "time"));
  const marks = [...times, ...words.map(([start, end]) => mark(start, end, "word"))];
  const [support] = hit.evidence.filter((item) => item.start_char >= hit.passage_start);
  const middle = support ? mark(support.start_char - hit.passage_start, support.end_char - hit.passage_start, "") : marks[0];
  const first = measureHeading(hit.passage, hit.document.title ?? "");
  const [from, high] = whole ? [0, signs.length] : around(signs, middle ?? mark(0, 0, ""));
  const low = Math.max(from, first);
  const found = cutPieces(signs, marks, low, high);
  if (low > first) found.unshift({ text: "… ", kind: "" });
  if (high < signs.length) found.push({ text: " …", kind: "" });
  return { pieces: found, cut: low > first || high < signs.length };
}

/**
 * How many characters at the start of a passage are not displayed: the marks of a Markdown heading, or all of the title.
 * @param {string} passage @param {string} title
 */
export function measureHeading(passage, title) {
  const heading = /^(\s*#{1,6}[ \t]+)([^\n]*?)[ \t#]*(?:\n\s*|$)/.exec(passage);
  if (!heading) return 0;
  const repeats = heading[2].trim() === title.trim() && heading[0].length < passage.length;
  return Array.from(repeats ? heading[0] : heading[1]).length;
}

/**
 * A text with marks as pieces. The server counts characters, not UTF-16 units. Of marks that meet, the first stays.
 * @param {string[]} signs @param {Mark[]} marks @param {number} [low] @param {number} [high]
 */
export function cutPieces(signs, marks, low = 0, high = signs.length) {
  /** @type {Piece[]} */
  const found = [];
  const add = (/** @type {number} */ start, /** @type {number} */ end, /** @type {Kind} */ kind) => {
    if (end > start) found.push({ text: signs.slice(start, end).join(""), kind });
  };
  /** @type {Mark[]} */
  const kept = [];
  for (const item of marks) {
    const inside = item.start >= low && item.end <= high && item.start < item.end;
    if (inside && !kept.some((other) => item.start < other.end && other.start < item.end)) kept.push(item);
  }
  let at = low;
  for (const { start, end, kind } of kept.sort((one, other) => one.start - other.start)) {
    add(at, start, "");
    add(start, end, kind);
    at = end;
  }
  add(at, high, "");
  return found;
}

/** @param {number} start @param {number} end @param {Kind} kind @returns {Mark} */
function mark(start, end, kind) {
  return { start, end, kind };
}

/**
 * From where to where a passage is shown around a mark, at the bounds of words.
 * @param {string[]} signs @param {Mark} mark
 */
function around(signs, { start, end }) {
  if (signs.length <= ROOM * 1.25) return [0, signs.length];
  const before = Math.max(0, Math.min(start - ROOM / 3, signs.length - ROOM));
  const low = before === 0 ? 0 : nextSpace(signs, Math.floor(before), 1);
  const high = Math.min(signs.length, Math.max(low + ROOM, end + WORD));
  return [low, high === signs.length ? high : nextSpace(signs, high, -1)];
}

/**
 * The bound of a word near a place; the place itself in scripts that part no words.
 * @param {string[]} signs
 * @param {number} from
 * @param {1 | -1} step
 */
function nextSpace(signs, from, step) {
  for (let at = from; at > 0 && at < signs.length && Math.abs(at - from) < WORD; at += step) {
    if (/\s/.test(signs[at])) return step > 0 ? at + 1 : at;
  }
  return from;
}

/** @param {Piece[]} found */
export function pieceNodes(found) {
  return found.map(({ text, kind }) => (kind ? el("mark", { class: kind }, text) : document.createTextNode(text)));
}
