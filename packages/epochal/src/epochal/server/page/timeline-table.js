// The timeline for those who do not see it: what it shows, as tables.

import { el, put } from "./dom.js";
import { countMatches } from "./timeline-draw.js";
import { counted, spanWords } from "./times.js";

/** @typedef {import("./timeline-draw.js").Picture} Picture */

const MOST = 24;

/** Fill tables with what a picture shows. @param {HTMLElement} place @param {Picture} picture */
export function fillTables(place, picture) {
  const rows = merged(picture);
  put(
    place,
    table(
      "Documents by time, in the view",
      picture.matches.length ? ["Time", "Documents", picture.least ? "Answering, at least" : "Answering"] : ["Time", "Documents"],
      rows.map((row) => [
        spanWords(row.start, row.end),
        String(row.count),
        ...(picture.matches.length ? [String(countMatches([row], picture.matches)[0])] : []),
      ]),
    ),
    picture.bands.length > 0 &&
      table(
        "Times asked for",
        ["Time"],
        picture.bands.map((band) => [band.label]),
      ),
    picture.marks.length > 0 &&
      table(
        "Hits in time",
        ["Hit", "Time"],
        [...picture.marks]
          .sort((one, other) => (one.start ?? -Infinity) - (other.start ?? -Infinity))
          .map((mark) => [`${mark.label}. ${mark.title}`, spanWords(mark.start, mark.end)]),
      ),
  );
}

/**
 * A few sentences on what a picture shows.
 * @param {Picture} picture
 * @param {number} documents
 * @param {number} timeless hits that have no time
 */
export function summary(picture, documents, timeless) {
  const words = [`${counted(documents, "document")} over time.`];
  if (picture.bands.length)
    words.push(`Asked for: ${picture.bands.map((band) => spanWords(band.start, band.end)).join("; ")}.`);
  if (picture.marks.length) words.push(`${counted(picture.marks.length, "hit")} marked.`);
  if (timeless) words.push(timelessWords(timeless));
  return words.join(" ");
}

/** @param {number} count */
export function timelessWords(count) {
  return `${counted(count, "hit")} ${count === 1 ? "has" : "have"} no time, and no mark.`;
}

/** Bins in the view, joined so that they can be gone through. @param {Picture} picture */
function merged({ bins, view }) {
  const seen = bins.filter((bin) => bin.end > view.start && bin.start < view.end);
  const together = Math.max(1, Math.ceil(seen.length / MOST));
  const rows = [];
  for (let at = 0; at < seen.length; at += together) {
    const group = seen.slice(at, at + together);
    rows.push({
      start: group[0].start,
      end: group[group.length - 1].end,
      count: group.reduce((sum, bin) => sum + bin.count, 0),
    });
  }
  return rows;
}

/** @param {string} caption @param {string[]} heads @param {string[][]} rows */
function table(caption, heads, rows) {
  return el(
    "table",
    {},
    el("caption", {}, caption),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((head) => el("th", { scope: "col" }, head)),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map(([first, ...rest]) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, first),
          rest.map((cell) => el("td", {}, cell)),
        ),
      ),
    ),
  );
}
