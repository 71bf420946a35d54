// What was found as a file: JSON with everything, CSV with a row a hit.

import { dated, titleOf } from "./documents.js";
import { el } from "./dom.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {{ period: string, found: Found }} Side */

const COLUMNS = [
  "period",
  "rank",
  "id",
  "title",
  "published",
  "valid",
  "series",
  "score",
  "parts",
  "time",
  "time_words",
  "time_axis",
  "match",
  "local",
  "superseded_by",
  "folded",
  "passage",
];

/** Everything as JSON. @param {Side[]} sides @param {string} address */
export function asJson(sides, address) {
  const content =
    sides.length === 1
      ? { address, ...sides[0].found }
      : { address, compared: sides.map(({ period, found }) => ({ period, ...found })) };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** A row a hit. @param {Side[]} sides */
export function asCsv(sides) {
  const rows = sides.flatMap(({ period, found }) =>
    found.hits.map((hit, place) => {
      const evidence = hit.evidence[0];
      return [
        period,
        place + 1,
        hit.id,
        titleOf(hit.document),
        dated(hit.document.published)?.edtf ?? "",
        dated(hit.document.valid)?.edtf ?? "",
        hit.document.series ?? "",
        hit.score,
        Object.entries(hit.parts)
          .map(([name, value]) => `${name}=${value}`)
          .join("; "),
        evidence?.span ?? "",
        evidence?.text ?? "",
        evidence?.axis ?? "",
        evidence?.match ?? "",
        evidence?.local ?? "",
        hit.superseded_by ?? "",
        hit.folded.join(" "),
        hit.passage,
      ];
    }),
  );
  return [COLUMNS, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/**
 * A cell by RFC 4180. A text that a spreadsheet would run as a formula is kept a text by an apostrophe.
 * @param {string | number} value
 */
export function cell(value) {
  const text =
    typeof value === "string" && /^[=+\-@\t\r]/.test(value) && !/^-?\d/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Give the browser a file. @param {string} name @param {string} kind @param {string | Blob} content */
export function download(name, kind, content) {
  const address = URL.createObjectURL(new Blob([content], { type: typeof content === "string" ? `${kind};charset=utf-8` : kind }));
  const link = el("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A name for a file on a question. @param {string} question @param {string} ending */
export function fileName(question, ending) {
  const words = question
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 48);
  return `epochal-${words || "search"}.${ending}`;
}
