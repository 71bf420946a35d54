// How the documents are spread over a stretch of time, in days, weeks, months or years.

import { COVERAGE, get } from "./api.js";
import { DAY, edtfOf, unitStart } from "./times.js";

/** @typedef {import("./times.js").Range} Range */
/** @typedef {{ start: number, end: number, count: number, name?: string }} Bin a bin; that of a reign has its name */
/**
 * @typedef {{ first: string | null, last: string | null, usual?: Range | null, documents: number, undated: number,
 *   counted: string, is_lower_bound: boolean, bins: Bin[] }} Told
 */

const MOST = 1000;

/** From when to when there are documents at all, and how many where. @returns {Promise<Told>} */
export function reach() {
  return get(COVERAGE);
}

/**
 * @param {Range} range @param {number} most how many bins there is room for
 * @param {Record<string, string>} [which] documents to count, as the server takes it; all unless given
 * @returns {Promise<Told>}
 */
export function spread(range, most, which = {}) {
  const from = edtfOf(unitStart(range.start, "day"), "day");
  const to = edtfOf(unitStart(range.end + DAY - 1, "day") - DAY, "day");
  return get("coverage", { from, to, bins: Math.min(most, MOST), calendar: "true", ...which });
}
