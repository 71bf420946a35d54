// The colours of periods: each hit has that of the period it was chosen for.

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("./types.js").Hit} Hit */

export const TONES = ["a", "b", "c"];

/** @param {Hit} hit @param {Found} found */
export function toneOf(hit, found) {
  if (!hit.period || !severalPeriods(found)) return "hit";
  const place = found.understanding.periods.findIndex((item) => item.span === hit.period?.span);
  return TONES[place] ?? "hit";
}

/** Whether a question has several periods, and not too many for colours. @param {Found} found */
export function severalPeriods({ understanding }) {
  return understanding.cross_period && understanding.periods.length > 1 && understanding.periods.length <= TONES.length;
}
