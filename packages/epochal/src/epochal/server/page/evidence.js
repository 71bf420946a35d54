// A passage with the words that state its time marked, cut to a length that can be read at a glance.

import { el } from "./dom.js";

/** @typedef {import("./types.js").Hit} Hit */
/** @typedef {{ text: string, marked: boolean }} Piece */

const ROOM = 420;
const WORD = 30;

/**
 * The passage of a hit as pieces, the evidence marked. The server counts characters, not UTF-16 units.
 * @param {Hit} hit @param {boolean} whole or cut to the part around the evidence
 * @returns {{ pieces: Piece[], cut: boolean }}
 */
export function pieces(hit, whole) {
  const signs = Array.from(hit.passage);
  const marks = hit.evidence
    .filter((item) => item.start_char >= 0)
    .map((item) => [item.start_char - hit.passage_start, item.end_char - hit.passage_start])
    .filter(([start, end]) => start >= 0 && end <= signs.length && start < end);
  const [low, high] = whole ? [0, signs.length] : around(signs, marks[0] ?? [0, 0]);
  /** @type {Piece[]} */
  const found = [];
  const add = (/** @type {number} */ start, /** @type {number} */ end, /** @type {boolean} */ marked) => {
    if (end > start) found.push({ text: signs.slice(start, end).join(""), marked });
  };
  let at = low;
  for (const [start, end] of marks) {
    if (start < at || end > high) continue;
    add(at, start, false);
    add(start, end, true);
    at = end;
  }
  add(at, high, false);
  if (low > 0) found.unshift({ text: "… ", marked: false });
  if (high < signs.length) found.push({ text: " …", marked: false });
  return { pieces: found, cut: low > 0 || high < signs.length };
}

/**
 * From where to where a passage is shown around a mark, at the bounds of words.
 * @param {string[]} signs
 * @param {number[]} mark
 */
function around(signs, [start, end]) {
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
export function passageNodes(found) {
  return found.map(({ text, marked }) => (marked ? el("mark", {}, text) : document.createTextNode(text)));
}
