// The times of a hit, each with where it comes from: words of its text, a text before it, or an estimate.

import { documentLink } from "./documents.js";
import { el } from "./dom.js";
import { spanWords } from "./times.js";

/** @typedef {import("./types.js").Hit} Hit */
/** @typedef {import("./types.js").HitTime} HitTime */

const MOST = 4;
/** From this match on a time is one that was asked for. */
const FITS = 0.5;

/** The times of a hit as a list; null where it has none but the dates in its head. @param {Hit} hit */
export function timeList(hit) {
  const known = new Map();
  for (const time of hit.times) {
    if (time.provenance === "published" || time.provenance === "valid" || isPlain(time)) continue;
    const key = `${time.span} ${time.provenance}`;
    if (!known.has(key)) known.set(key, time);
  }
  const times = [...known.values()];
  if (!times.length) return null;
  return el(
    "ul",
    { class: "card-times" },
    times.slice(0, MOST).map(timeItem),
    times.length > MOST && el("li", { class: "muted" }, `and ${times.length - MOST} more`),
  );
}

/** Whether the text itself says the time in full: it is marked there. @param {HitTime} time */
function isPlain({ provenance, text, start, end, span }) {
  const words = text.replace(/\s+/g, " ").trim().toLowerCase();
  return provenance === "stated" && (!words || words === spanWords(start, end, span).toLowerCase());
}

/** @param {HitTime} time */
function timeItem(time) {
  const words = spanWords(time.start, time.end, time.span);
  const match = time.match === null ? "" : `; matches the time asked for by ${Math.round(100 * time.match)} %`;
  return el(
    "li",
    { class: (time.match ?? 0) >= FITS ? "fits" : "", title: `${time.span}${match}` },
    time.provenance === "stated" && [el("q", { dir: "auto" }, time.text), el("span", { class: "arrow" }, "→")],
    el("strong", {}, words),
    time.provenance !== "stated" && origin(time),
  );
}


/** @param {HitTime} time */
function origin({ provenance, text, source }) {
  if (provenance !== "carried") return [el("span", { class: "muted" }, "estimated from its words")];
  return [
    el("span", { class: "muted" }, "carried over", text && ` from “${text}”`, source && " in "),
    source && documentLink(source, source),
  ];
}
