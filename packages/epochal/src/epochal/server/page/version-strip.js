// The versions of a document as a strip in time, and the one that held on a date.

import { documentLink } from "./documents.js";
import { el, put } from "./dom.js";
import { TimeField } from "./fields.js";
import { rangeOf } from "./resolve.js";
import { edtfWords, plainRange } from "./times.js";

/** @typedef {import("./types.js").Version} Version */

/** @param {Version[]} series oldest first @param {string} id of the one that is shown */
export function versionStrip(series, id) {
  const input = el("input", { id: "held-on", type: "text", autocomplete: "off", spellcheck: "false", placeholder: "a date" });
  const result = el("p", { class: "held-result", role: "status" });
  const field = el("div", { class: "field held-field" }, el("label", { for: "held-on" }, "What held on"), input);
  new TimeField(input, () => "", async (edtf) => put(result, ...(edtf ? heldWords(series, await rangeOf(edtf), edtf) : [])));
  return [
    el("h2", {}, `${series.length} versions`),
    el(
      "ol",
      { class: "strip scroll" },
      series.map((version) =>
        el(
          "li",
          { class: version.id === id ? "here" : "" },
          version.id === id
            ? el("span", { "aria-current": "true" }, when(version))
            : documentLink(version.id, when(version)),
        ),
      ),
    ),
    field,
    result,
  ];
}

/** The day of a version. @param {Version} version */
export function when(version) {
  const date = version.published ?? version.valid;
  return date ? edtfWords(date).replace(/, \d\d:\d\d.*/, "") : version.id;
}

/** @param {Version[]} series @param {import("./times.js").Range | null} range @param {string} edtf */
function heldWords(series, range, edtf) {
  const held = range && findHeld(series, range.end);
  const words = edtfWords(edtf);
  if (!held) return [`No version is known to have held on ${words}.`];
  return [`On ${words} held `, documentLink(held.id, `the version of ${when(held)}`), "."];
}

/**
 * The last version that had begun by a moment and had not ended.
 * @param {Version[]} series oldest first @param {number} moment
 */
function findHeld(series, moment) {
  return series.findLast((version) => {
    const begun = startOf(version.valid) ?? startOf(version.published);
    const ended = version.valid && !/\/(\.\.)?$/.test(version.valid) ? plain(version.valid)?.end : undefined;
    return begun !== undefined && begun < moment && (ended === undefined || ended >= moment);
  });
}

/** @param {string | null} edtf */
function startOf(edtf) {
  return edtf ? plain(edtf.split("/")[0])?.start : undefined;
}

/** @param {string} edtf */
function plain(edtf) {
  return plainRange(edtf.replace(/[~?%]/g, ""));
}
