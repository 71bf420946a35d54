// How the documents are spread over a stretch of time. The server counts equal stretches; they are asked for so that
// each is a day or a week, or as near to a month or a year as equal ones can be.

import { get } from "./api.js";
import { DAY, dateOf, edtfOf, secondOf, unitStart } from "./times.js";

/** @typedef {import("./times.js").Range} Range */
/**
 * @typedef {{ start: number, end: number, count: number,
 *   rough: boolean }} Bin  rough where a day or two may lie in the next one
 */
/** @typedef {{ from: number, to: number, bins: number, rough: "" | "month" | "year" }} Request */
/**
 * @typedef {{ first: string | null, last: string | null, usual?: Range | null, documents: number,
 *   bins: { start: number, end: number, count: number }[] }} Told
 */

const MOST = 1000;

/** From when to when there are documents at all. @returns {Promise<Told>} */
export function reach() {
  return get("coverage", { bins: 1 });
}

/**
 * @param {Range} range @param {number} most how many bins there is room for
 * @param {Record<string, string>} [which] documents to count, as the server takes it; all unless given
 * @returns {Promise<Bin[]>}
 */
export async function spread(range, most, which = {}) {
  const { from, to, bins, rough } = request(range, Math.min(most, MOST));
  const told = await get("coverage", { from: edtfOf(from, "day"), to: edtfOf(to - DAY, "day"), bins, ...which });
  return told.bins.map((/** @type {Told["bins"][number]} */ bin) => ({
    start: nearest(bin.start, rough),
    end: nearest(bin.end, rough),
    count: bin.count,
    rough: rough !== "",
  }));
}

/** @param {Range} range @param {number} most @returns {Request} */
function request(range, most) {
  const from = unitStart(range.start, "day");
  const days = Math.ceil((range.end - from) / DAY);
  if (days <= most) return { from, to: from + days * DAY, bins: days, rough: "" };
  const weeks = Math.ceil(days / 7);
  if (weeks <= most) return { from, to: from + weeks * 7 * DAY, bins: weeks, rough: "" };
  const first = dateOf(range.start).year;
  const years = dateOf(range.end - 1).year - first + 1;
  if (years * 12 <= most)
    return { from: secondOf(first), to: secondOf(first + years), bins: years * 12, rough: "month" };
  let step = 1;
  for (let turn = 0; years / step > most - 1; turn += 1) step *= [2, 2.5, 2][turn % 3];
  const start = Math.floor(first / step) * step;
  const bins = Math.ceil((first + years - start) / step);
  return { from: secondOf(start), to: secondOf(start + bins * step), bins, rough: "year" };
}

/** The beginning of the unit that an edge was meant for. @param {number} edge @param {Request["rough"]} rough */
function nearest(edge, rough) {
  if (!rough) return edge;
  return unitStart(edge + (rough === "month" ? 15 : 183) * DAY, rough);
}
