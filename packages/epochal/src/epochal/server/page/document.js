// The page of a document: its text with its times marked, what is known of it, its neighbours and its versions.

import { Problem, get } from "./api.js";
import { showDifference } from "./difference.js";
import { dated, documentLink, titleOf } from "./documents.js";
import { byId, el, put, svg } from "./dom.js";
import { cutPieces, pieceNodes } from "./evidence.js";
import { recall } from "./memory.js";
import { draw } from "./timeline-draw.js";
import { DAY, edtfWords, spanWords } from "./times.js";
import { versionStrip } from "./version-strip.js";

/** @typedef {import("./types.js").SpanRecord & { words: string, axis: string, text: string, start_char: number,
 *   end_char: number }} DocumentTime */
/** @typedef {import("./types.js").Version} Version */
/** @typedef {{ document: import("./types.js").DocumentRow, times: DocumentTime[], series: Version[],
 *   previous: Version | null, next: Version | null }} Told */

const WIDTH = 300;

async function open() {
  const given = new URLSearchParams(location.search);
  const id = given.get("id") ?? "";
  const [from, to] = [given.get("from") ?? "", given.get("to") ?? ""];
  byId("back").href = `./${recall("search", { tab: true })}`;
  try {
    /** @type {Told} */
    const told = await get(`documents/${encodeURIComponent(id)}`);
    // What stands above comes first, so that nothing moves.
    if (told.series.length > 1) {
      put(byId("versions"), ...versionStrip(told.series, id));
      byId("versions").hidden = false;
      await showDifference(byId("difference"), told.series, { id, from, to, side: given.get("view") !== "inline" });
    }
    show(told);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    byId("title").textContent = error.title;
    put(byId("text"), el("p", { class: "problem", role: "alert" }, error.message));
  }
}

/** @param {Told} told */
function show({ document: row, times, previous, next }) {
  const title = titleOf(row);
  document.title = `${title} – Epochal`;
  byId("title").textContent = title;
  const [published, valid] = [dated(row.published), dated(row.valid)];
  put(
    byId("dates"),
    published && el("time", { title: published.edtf }, published.words),
    valid && el("span", {}, `holds ${/^(since|until) /.test(valid.words) ? "" : "in "}${valid.words}`),
    !published && !valid && el("span", {}, "no date of publication"),
    el("code", {}, row.id),
  );
  const marks = times.map((time) => ({ start: time.start_char, end: time.end_char, kind: /** @type {const} */ ("time") }));
  put(byId("text"), el("p", { dir: "auto" }, pieceNodes(cutPieces(Array.from(row.text), marks))));
  put(byId("about"), timesOf(times), metaOf(row));
  put(byId("neighbours"), neighbour("Before it", previous), neighbour("After it", next));
}

/** The times of a document on a small timeline, and as a list. @param {DocumentTime[]} times */
function timesOf(times) {
  const known = new Map(times.map((time) => [time.span, time]));
  const found = [...known.values()].sort((one, other) => (one.start ?? -Infinity) - (other.start ?? -Infinity));
  if (!found.length) return null;
  const closed = found.filter((time) => time.start !== null && time.end !== null);
  const words = ({ start, end, span }) => spanWords(start, end, span);
  const canvas = svg("svg", { class: "canvas", width: "100%", role: "img", "aria-label": "Its times on a timeline" });
  if (closed.length > 1) {
    const start = Math.min(...closed.map((time) => /** @type {number} */ (time.start)));
    const end = Math.max(start + DAY, ...closed.map((time) => /** @type {number} */ (time.end)));
    const marks = closed.map((time, place) => ({ ...time, id: String(place), label: "", tone: "hit", title: words(time) }));
    const around = (end - start) / 20;
    const view = { start: start - around, end: end + around };
    draw(canvas, { width: WIDTH, view, bins: [], matches: [], bands: [], marks, lines: [], brush: null, chosen: "" });
  }
  return el(
    "section",
    {},
    el("h2", {}, "Times"),
    closed.length > 1 && canvas,
    el(
      "ul",
      { class: "time-list" },
      found.map((time) =>
        el("li", {}, el("strong", { title: time.span }, words(time)), time.text ? el("q", { dir: "auto" }, time.text) : el("span", {}, "carried over")),
      ),
    ),
  );
}

/** @param {import("./types.js").DocumentRow} row */
function metaOf({ series, meta }) {
  const rows = Object.entries({ ...(series && { series }), ...meta });
  if (!rows.length) return null;
  return el(
    "section",
    {},
    el("h2", {}, "Metadata"),
    el(
      "dl",
      {},
      rows.flatMap(([name, value]) => [
        el("dt", {}, name),
        el("dd", { dir: "auto" }, typeof value === "string" ? value : JSON.stringify(value)),
      ]),
    ),
  );
}

/** @param {string} words @param {Version | null} version */
function neighbour(words, version) {
  if (!version) return null;
  const when = version.published ?? version.valid;
  return el(
    "p",
    {},
    el("span", { class: "muted" }, words),
    documentLink(version.id, version.title || version.id),
    when && el("span", { class: "muted" }, edtfWords(when)),
  );
}

void open();
