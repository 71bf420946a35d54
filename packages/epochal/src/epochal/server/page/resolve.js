// Times that people type, in words or as EDTF, to spans. The server reads them, in any of its calendars.

import { Problem, get } from "./api.js";
import { edtfOf, plainRange } from "./times.js";

/** @typedef {import("./types.js").SpanRecord} SpanRecord */
/** @typedef {"in" | "before" | "after" | "since" | "until"} Relation */

export const RELATIONS = /** @type {const} */ (["in", "before", "after", "since", "until"]);

/** @typedef {SpanRecord & { words: string, calendar: string }} Reading */

/**
 * The spans that a text may stand for, several where eras share a name; a problem where it cannot be read.
 * @param {string} text @param {string} now
 * @returns {Promise<Reading[]>}
 */
export async function readings(text, now) {
  const { readings: found, problem } = await readTime(text, now);
  if (problem) throw new Problem("Not a time", problem, 422);
  return found;
}

/**
 * The same, with a sentence where it cannot be read.
 * @param {string} text @param {string} now @returns {Promise<{ readings: Reading[], problem: string }>}
 */
export async function readTime(text, now) {
  const told = await get("when", { expr: text.trim(), now, check: "true" });
  const found = new Map();
  for (const item of told.readings) {
    found.set(item.edtf, {
      span: item.edtf,
      start: item.start,
      end: item.end,
      words: item.words,
      calendar: item.calendar,
    });
  }
  return { readings: [...found.values()], problem: told.problem ?? "" };
}

/**
 * The range of an EDTF text; plain ones without the server, null where an end is open.
 * @param {string} edtf @returns {Promise<import("./times.js").Range | null>}
 */
export async function rangeOf(edtf) {
  const plain = plainRange(edtf);
  if (plain || !edtf) return plain;
  const [first] = await readings(edtf, "");
  return first && first.start !== null && first.end !== null ? { start: first.start, end: first.end } : null;
}

/**
 * The EDTF text of what stands in a relation to a span.
 * @param {SpanRecord} span @param {Relation} relation
 */
export function related({ span, start, end }, relation) {
  if (relation === "before" && start !== null) return `../${edtfOf(start - 1, "day")}`;
  if (relation === "until" && end !== null) return `../${edtfOf(end - 1, "day")}`;
  if (relation === "since" && start !== null) return `${edtfOf(start, "day")}/..`;
  if (relation === "after" && end !== null) return `${edtfOf(end, "day")}/..`;
  return span;
}
