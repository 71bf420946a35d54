// The versions and copies behind a hit, which are asked for when somebody opens them.

import { Problem, get } from "./api.js";
import { documentLink } from "./documents.js";
import { el, put } from "./dom.js";
import { edtfWords } from "./times.js";

/** @typedef {import("./types.js").Hit} Hit */
/** @typedef {import("./types.js").Version} Version */

/** Show the versions and copies of a hit, from the server. @param {HTMLElement} chain @param {Hit} hit */
export async function fillChain(chain, hit) {
  put(chain, el("p", { class: "muted" }, "Looking up its versions …"));
  try {
    const told = await get(`documents/${encodeURIComponent(hit.id)}`);
    /** @type {Version[]} */
    const series = told.series ?? [];
    const others = hit.folded.filter((id) => !series.some((version) => version.id === id));
    put(
      chain,
      series.length > 0 &&
        el(
          "ol",
          {},
          series.map((version, place) => item(version, hit, series, place)),
        ),
      others.length > 0 &&
        el(
          "p",
          { class: "muted" },
          "Near-duplicates: ",
          others.map((id, place) => [place ? ", " : "", el("code", {}, id)]).flat(),
        ),
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    put(
      chain,
      el("p", { class: "muted" }, `${error.title}. ${error.message}`),
      hit.folded.length > 0 && el("p", {}, hit.folded.join(", ")),
    );
  }
}

/** @param {Version} version @param {Hit} hit @param {Version[]} series oldest first @param {number} place */
function item(version, hit, series, place) {
  const when = version.published ?? version.valid;
  const newest = series.at(-1)?.id;
  const isOlder = place < series.findIndex((other) => other.id === hit.id);
  const pair = isOlder ? { from: version.id, to: hit.id } : { from: hit.id, to: version.id };
  const notes = [version.id === hit.id && "this one", version.id === newest && "the newest"].filter(Boolean).join(", ");
  return el(
    "li",
    { class: version.id === hit.id ? "here" : "", "aria-current": version.id === hit.id ? "true" : null },
    el("span", { class: "version-date" }, when ? edtfWords(when) : "undated"),
    documentLink(version.id, el("code", {}, version.id)),
    notes && el("span", { class: "muted" }, notes),
    version.id !== hit.id &&
      el("a", { href: `document?${new URLSearchParams({ id: hit.id, ...pair })}` }, "Difference"),
  );
}
