// Where the ticks of a time axis stand and what they say, from days to many centuries.

import { DAY, dateOf, monthName, secondOf, yearWords } from "./times.js";

/** @typedef {import("./times.js").Grain} Grain */
/** @typedef {{ at: number, label: string, strong: boolean }} Tick */

const YEAR = 365.2425 * DAY;
const MONTH = YEAR / 12;

/**
 * Ticks of an axis, at most about `most` of them.
 * @param {number} start seconds @param {number} end @param {number} most
 * @returns {Tick[]}
 */
export function ticks(start, end, most) {
  const size = (end - start) / Math.max(1, most);
  for (const days of [1, 2, 5, 10]) if (size <= days * DAY * 1.02) return dayTicks(start, end, days);
  for (const months of [1, 2, 3, 6]) if (size <= months * MONTH) return monthTicks(start, end, months);
  return yearTicks(start, end, roundYears(size / YEAR));
}

/**
 * The finest unit that a pointer can aim at where a pixel is so many seconds.
 * @param {number} perPixel @returns {Grain}
 */
export function aim(perPixel) {
  const room = perPixel * 3;
  if (room <= DAY) return "day";
  if (room <= MONTH) return "month";
  if (room <= YEAR) return "year";
  return room <= 10 * YEAR ? "decade" : "century";
}

/** The least of 1, 2, 5, 10, 20, ... that is at least so many. @param {number} years */
function roundYears(years) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, years)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= years - 1e-9) ?? 10 * power;
}

/** @param {number} start @param {number} end @param {number} step */
function dayTicks(start, end, step) {
  const found = [];
  for (let at = Math.ceil(start / DAY) * DAY; at < end; at += DAY) {
    const { year, month, day } = dateOf(at);
    // Steps begin anew each month, and none stands so near its end that two labels would touch.
    if ((day - 1) % step !== 0 || (step > 2 && day > 29) || (step === 2 && day === 31)) continue;
    const label = day > 1 ? String(day) : month > 1 ? monthName(month) : yearWords(year);
    found.push({ at, label: step === 1 && day > 1 ? `${day} ${monthName(month)}` : label, strong: day === 1 });
  }
  return found;
}

/** @param {number} start @param {number} end @param {number} step */
function monthTicks(start, end, step) {
  const found = [];
  const first = dateOf(start).year;
  for (let months = 0; ; months += step) {
    const at = secondOf(first, 1 + months);
    if (at >= end) return found;
    if (at < start) continue;
    const { year, month } = dateOf(at);
    found.push({ at, label: month === 1 ? yearWords(year) : monthName(month), strong: month === 1 });
  }
}

/**
 * BCE years are counted from 1 too, so that 500 BCE, and not 501, is a round year.
 * @param {number} start @param {number} end @param {number} step
 */
function yearTicks(start, end, step) {
  /** @type {Tick[]} */
  const found = [];
  const add = (/** @type {number} */ year) => {
    const at = secondOf(year);
    if (at >= start && at < end) found.push({ at, label: yearWords(year), strong: false });
  };
  const first = dateOf(start).year;
  const last = dateOf(end).year;
  for (let before = Math.ceil((1 - first) / step) * step; before > 0; before -= step) {
    if (1 - before <= last) add(1 - before);
  }
  if (first <= 1 && step > 1 && last > 0) add(1);
  for (let year = Math.max(step, Math.ceil(first / step) * step); year <= last; year += step) add(year);
  return found;
}
