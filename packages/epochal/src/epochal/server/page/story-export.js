// Events as files: rows, the JSON of TimelineJS, a calendar, and a picture.

import { el, svg } from "./dom.js";
import { cell } from "./export.js";
import { DAY, dateOf, edtfOf } from "./times.js";

/** @typedef {import("./story.js").Event} Event */

const WIDTH = 800;
const LINE = 18;
const LETTERS = 78;
/** From the left to the line of time. */
const AXIS = 250;
/** Pixels that every browser can draw. */
const HIGHEST = 16_000;
const COLOURS = { ground: "#ffffff", text: "#1b1f27", time: "#565d6a", axis: "#a9b3c9", dot: "#2d4aa6" };

/** A row an event. @param {Event[]} events */
export function asRows(events) {
  const rows = events.map(({ id, start, end, words, title, text }) => [
    edtfOf(start, "day"),
    edtfOf(end - 1, "day"),
    words,
    title,
    text,
    id,
  ]);
  return [["first_day", "last_day", "time", "title", "text", "id"], ...rows]
    .map((row) => `${row.map(cell).join(",")}\r\n`)
    .join("");
}

/** The JSON that TimelineJS shows; it takes texts as HTML. @param {Event[]} events @param {string} question */
export function asTimelineJs(events, question) {
  const plain = (/** @type {string} */ text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const content = {
    title: { text: { headline: plain(question) } },
    events: events.map(({ id, start, end, words, title, text }) => ({
      start_date: dateOf(start),
      end_date: dateOf(end - 1),
      display_date: words,
      text: { headline: plain(title), text: plain(text) },
      unique_id: id,
    })),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** A calendar by RFC 5545, which has no years before 1 and after 9999: events of those are left out. @param {Event[]} events */
export function asCalendar(events) {
  const day = (/** @type {number} */ at) => edtfOf(at, "day").replaceAll("-", "");
  const text = (/** @type {string} */ value) => value.replace(/[\\;,]/g, "\\$&").replace(/\n/g, "\\n");
  const dated = events.filter(({ start, end }) => dateOf(start).year >= 1 && dateOf(end).year <= 9999);
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Epochal//Story//EN",
    ...dated.flatMap(({ id, start, end, title, text: words }, place) => [
      "BEGIN:VEVENT",
      `UID:${place}-${encodeURIComponent(id)}@epochal`,
      "DTSTAMP:19700101T000000Z",
      `DTSTART;VALUE=DATE:${day(start)}`,
      `DTEND;VALUE=DATE:${day(Math.ceil(end / DAY) * DAY)}`,
      `SUMMARY:${text(title)}`,
      `DESCRIPTION:${text(words)}`,
      "END:VEVENT",
    ]),
    "END:VCALENDAR",
  ];
  return lines.flatMap(folded).join("\r\n").concat("\r\n");
}

/** A line of a calendar in pieces of at most 75 bytes. @param {string} line */
function folded(line) {
  const pieces = [""];
  let size = 0;
  for (const sign of line) {
    const bytes = new TextEncoder().encode(sign).length;
    if (size + bytes > 74) {
      pieces.push(" ");
      size = 1;
    }
    pieces[pieces.length - 1] += sign;
    size += bytes;
  }
  return pieces;
}

/**
 * A picture in lines of text: the events along a vertical line.
 * @param {Event[]} events
 */
function arranged(events) {
  let at = 70;
  const rows = events.map(({ words, title }) => {
    const lines = wrapped(title);
    const top = at;
    at += Math.max(2, lines.length + 1) * LINE;
    return { top, words, lines };
  });
  return { rows, height: at };
}

/** A picture as SVG. @param {Event[]} events @param {string} question */
export function asSvg(events, question) {
  const { rows, height } = arranged(events);
  const drawn = rows.flatMap(({ top, words, lines }) => [
    svg("circle", { cx: AXIS, cy: top - 5, r: 5, fill: COLOURS.dot }),
    svg("text", { x: AXIS - 15, y: top, "text-anchor": "end", fill: COLOURS.time }, words),
    ...lines.map((line, place) => svg("text", { x: AXIS + 18, y: top + place * LINE }, line)),
  ]);
  const picture = svg(
    "svg",
    { width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}`, "font-family": "sans-serif", "font-size": "14", fill: COLOURS.text },
    svg("rect", { width: WIDTH, height, fill: COLOURS.ground }),
    svg("text", { x: 24, y: 34, "font-size": "18", "font-weight": "600" }, question),
    svg("line", { x1: AXIS, x2: AXIS, y1: 55, y2: height - LINE, stroke: COLOURS.axis, "stroke-width": 2 }),
    drawn,
  );
  return `${new XMLSerializer().serializeToString(picture)}\n`;
}

/** The same picture as PNG, with two pixels for one where that is not too high. @param {Event[]} events @param {string} question */
export function asPng(events, question) {
  const { rows, height } = arranged(events);
  const scale = 2 * height > HIGHEST ? 1 : 2;
  const canvas = el("canvas", { width: scale * WIDTH, height: scale * Math.min(height, HIGHEST) });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.scale(scale, scale);
  const write = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ colour) => {
    pen.fillStyle = colour;
    pen.fillText(text, x, y);
  };
  pen.fillStyle = COLOURS.ground;
  pen.fillRect(0, 0, WIDTH, height);
  pen.fillStyle = COLOURS.axis;
  pen.fillRect(AXIS - 1, 55, 2, height - LINE - 55);
  pen.font = "600 18px sans-serif";
  write(question, 24, 34, COLOURS.text);
  pen.font = "14px sans-serif";
  for (const { top, words, lines } of rows) {
    pen.beginPath();
    pen.arc(AXIS, top - 5, 5, 0, 2 * Math.PI);
    pen.fillStyle = COLOURS.dot;
    pen.fill();
    pen.textAlign = "right";
    write(words, AXIS - 15, top, COLOURS.time);
    pen.textAlign = "left";
    lines.forEach((line, place) => write(line, AXIS + 18, top + place * LINE, COLOURS.text));
  }
  return /** @type {Promise<Blob>} */ (new Promise((done) => canvas.toBlob((blob) => done(blob ?? new Blob()), "image/png")));
}

/** @param {string} text */
function wrapped(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line && line.length + word.length > LETTERS) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}
