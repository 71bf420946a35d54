// What changed between two versions, side by side or in one text.

import { get } from "./api.js";
import { compareTexts } from "./diff.js";
import { el, put } from "./dom.js";
import { when } from "./version-strip.js";

/** @typedef {import("./types.js").Version} Version */
/** @typedef {import("./diff.js").Row} Row */
/** @typedef {{ id: string, from: string, to: string, side: boolean }} Choice */

/** Unchanged paragraphs that are shown around a change. */
const AROUND = 1;

/**
 * A form that chooses two versions, and their difference where they are chosen.
 * @param {HTMLElement} place @param {Version[]} series oldest first @param {Choice} choice
 */
export async function showDifference(place, series, choice) {
  const at = series.findIndex((version) => version.id === choice.id);
  const older = choice.from || series[Math.max(0, at - 1)].id;
  const newer = choice.to || (at > 0 ? choice.id : series[1].id);
  const selects = [choose("from", "Before", series, older), choose("to", "After", series, newer)];
  const look = el(
    "select",
    { id: "view", name: "view" },
    el("option", { value: "side", selected: choice.side }, "side by side"),
    el("option", { value: "inline", selected: !choice.side }, "in one text"),
  );
  const result = el("div", { class: "difference-result" });
  const update = () => {
    const [from, to] = selects.map(({ select }) => select.value);
    const address = new URLSearchParams({ id: choice.id, from, to, view: look.value });
    history.replaceState(null, "", `?${address}`);
    return fill(result, from, to, look.value === "side");
  };
  const form = el(
    "form",
    { class: "difference-form" },
    el("h2", {}, "Difference"),
    selects.map(({ field }) => field),
    el("div", { class: "field" }, el("label", { for: "view" }, "Shown"), look),
    el("button", { type: "submit", class: "primary" }, "Compare"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void update();
  });
  for (const select of [...selects.map((item) => item.select), look])
    select.addEventListener("change", () => result.hasChildNodes() && void update());
  put(place, form, result);
  place.hidden = false;
  if (choice.from && choice.to) await update();
}

/** @param {string} name @param {string} label @param {Version[]} series @param {string} chosen */
function choose(name, label, series, chosen) {
  const select = el(
    "select",
    { id: name, name },
    series.map((version) => el("option", { value: version.id, selected: version.id === chosen }, when(version))),
  );
  return { select, field: el("div", { class: "field" }, el("label", { for: name }, label), select) };
}

/** @param {HTMLElement} place @param {string} from @param {string} to @param {boolean} side */
async function fill(place, from, to, side) {
  const [before, after] = await Promise.all([from, to].map((id) => get(`documents/${encodeURIComponent(id)}`)));
  const rows = compareTexts(before.document.text, after.document.text);
  const count = (/** @type {Row["kind"]} */ kind) => rows.filter((row) => row.kind === kind).length;
  const words = [
    [count("changed"), "changed"],
    [count("removed"), "removed"],
    [count("added"), "added"],
    [count("moved") / 2, "moved"],
  ]
    .filter(([number]) => number)
    .map(([number, kind]) => `${number} ${kind}`);
  put(
    place,
    el("p", { role: "status" }, words.length ? `Paragraphs: ${words.join(", ")}.` : "The texts are the same."),
    el("div", { class: side ? "diff side" : "diff inline" }, groups(rows).map((group) => showGroup(group, rows, side))),
  );
}

/**
 * Rows in groups: those to show, and runs of unchanged ones to fold.
 * @param {Row[]} rows @returns {{ folded: boolean, places: number[] }[]}
 */
function groups(rows) {
  const near = (/** @type {number} */ place) =>
    rows.slice(Math.max(0, place - AROUND), place + AROUND + 1).some((row) => row.kind !== "same");
  /** @type {{ folded: boolean, places: number[] }[]} */
  const found = [];
  rows.forEach((_, place) => {
    const folded = !near(place);
    if (found.at(-1)?.folded !== folded) found.push({ folded, places: [] });
    found[found.length - 1].places.push(place);
  });
  return found;
}

/** @param {{ folded: boolean, places: number[] }} group @param {Row[]} rows @param {boolean} side */
function showGroup({ folded, places }, rows, side) {
  const shown = places.map((place) => showRow(rows[place], place, side));
  if (!folded) return shown;
  return [el("details", { class: "unchanged" }, el("summary", {}, `${places.length} unchanged`), shown)];
}

/** @param {Row} row @param {number} place @param {boolean} side */
function showRow(row, place, side) {
  const moved =
    row.kind === "moved" &&
    el("a", { class: "moved-link", href: `#paragraph-${row.place}` }, row.left ? "moved: where to" : "moved: where from");
  const cells = side
    ? [row.left, row.right].map((parts) => el("div", { class: "cell", dir: "auto" }, parts && partNodes(parts)))
    : [el("div", { class: "cell", dir: "auto" }, partNodes(inline(row)))];
  const filled = cells.find((cell) => cell.hasChildNodes());
  if (moved && filled) filled.append(moved);
  return el("div", { class: `diff-row ${row.kind}`, id: `paragraph-${place}` }, cells);
}

/** Both sides of a row as one text. @param {Row} row */
function inline({ kind, left, right }) {
  if (kind !== "changed" || !left || !right) return left ?? right ?? [];
  const found = [];
  let [one, other] = [0, 0];
  while (one < left.length || other < right.length) {
    if (left[one]?.kind === "removed") found.push(left[one++]);
    else if (right[other]?.kind === "added") found.push(right[other++]);
    else {
      found.push(left[one++]);
      other += 1;
    }
  }
  return found;
}

/** @param {import("./diff.js").Part[]} parts */
function partNodes(parts) {
  return parts.map(({ kind, text }) => (kind === "same" ? text : el(kind === "removed" ? "del" : "ins", {}, text)));
}
