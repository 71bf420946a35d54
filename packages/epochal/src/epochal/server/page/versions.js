// What became of a document: a newer version that supersedes it, and the versions and copies that stand behind it.

import { el, icon } from "./dom.js";

/** @typedef {import("./types.js").Hit} Hit */

/**
 * Notes on the versions of a hit; null where there are none.
 * @param {Hit} hit @param {(chain: HTMLElement, hit: Hit) => unknown} fill shows the versions when they are opened
 */
export function versionNotes(hit, fill) {
  if (!hit.superseded_by && !hit.folded.length) return null;
  const chain = el("div", { class: "chain" });
  const words =
    hit.folded.length === 1 ? "1 version or copy behind it" : `${hit.folded.length} versions or copies behind it`;
  const details = el(
    "details",
    { class: hit.superseded_by ? "versions superseded" : "versions" },
    el(
      "summary",
      {},
      icon("versions"),
      hit.superseded_by ? el("span", {}, "Superseded by ", el("code", {}, hit.superseded_by)) : el("span", {}, words),
    ),
    chain,
  );
  details.addEventListener("toggle", () => {
    if (details.open && !chain.hasChildNodes()) fill(chain, hit);
  });
  return details;
}
