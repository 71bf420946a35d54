// The hits as a story: events one below the other in the order of time, to read, to print and to take along.

import { timeList } from "./card-times.js";
import { documentLink, titleOf } from "./documents.js";
import { el, icon } from "./dom.js";
import { download, fileName } from "./export.js";
import { measureHeading } from "./evidence.js";
import { timeOf } from "./found.js";
import { asCalendar, asPng, asRows, asSvg, asTimelineJs } from "./story-export.js";
import { dateOf, spanWords, yearWords } from "./times.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("./types.js").Hit} Hit */
/** @typedef {{ id: string, start: number, end: number, words: string, title: string, text: string, hit: Hit }} Event */

const TEXT = 280;
/** @type {[string, string, string, (events: Event[], question: string) => string | Promise<Blob>][]} */
const FORMATS = [
  ["SVG", "svg", "image/svg+xml", asSvg],
  ["PNG", "png", "image/png", asPng],
  ["CSV", "csv", "text/csv", asRows],
  ["TimelineJS", "timeline.json", "application/json", asTimelineJs],
  ["iCalendar", "ics", "text/calendar", asCalendar],
];

/** The hits that have a time, as events. @param {Found} found @returns {Event[]} */
export function eventsOf(found) {
  return found.hits
    .flatMap((hit) => {
      const time = timeOf(hit);
      if (!time || time.start === null || time.end === null) return [];
      const shown = Array.from(hit.passage).slice(measureHeading(hit.passage, hit.document.title ?? "")).join("");
      const text = shown.replace(/\s+/g, " ").trim();
      return [
        {
          id: hit.id,
          start: time.start,
          end: time.end,
          words: spanWords(time.start, time.end),
          title: titleOf(hit.document),
          text: text.length > TEXT ? `${text.slice(0, TEXT).replace(/\s+\S*$/, "")} …` : text,
          hit,
        },
      ];
    })
    .sort((one, other) => one.start - other.start || one.end - other.end);
}

/** @param {Found} found @param {string} question */
export function story(found, question) {
  const events = eventsOf(found);
  const left = found.hits.length - events.length;
  let year = NaN;
  return el(
    "section",
    { class: "story", "aria-label": "Story" },
    el(
      "div",
      { class: "story-tools" },
      FORMATS.map(([name, ending, kind, write]) =>
        el(
          "button",
          {
            type: "button",
            class: "quiet",
            on: { click: async () => download(fileName(question, ending), kind, await write(events, question)) },
          },
          icon("save"),
          name,
        ),
      ),
      el("button", { type: "button", class: "quiet", on: { click: () => window.print() } }, "Print"),
    ),
    el(
      "ol",
      {},
      events.map((event) => {
        const own = dateOf(event.start).year;
        const heading = own === year ? null : el("h2", {}, yearWords(own));
        year = own;
        return el(
          "li",
          {},
          heading,
          el(
            "div",
            { class: "event" },
            el("span", { class: "event-time" }, event.words),
            el(
              "div",
              {},
              el("h3", { dir: "auto" }, documentLink(event.id, event.title)),
              !event.text.startsWith(event.title.replace(/ …$/, "")) && el("p", { dir: "auto" }, event.text),
              timeList(event.hit),
            ),
          ),
        );
      }),
    ),
    left > 0 && el("p", { class: "muted" }, `${left} without a time ${left === 1 ? "is" : "are"} not shown.`),
  );
}
