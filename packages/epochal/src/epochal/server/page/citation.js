// A hit as a citation: the document, its date, where it was found, and the words that state its time.

import { dated, titleOf } from "./documents.js";
import { el } from "./dom.js";

/** @typedef {import("./types.js").Hit} Hit */

/**
 * A citation as one line of text.
 * @param {Hit} hit @param {{ source: string, asOf: string }} cited
 */
export function citation(hit, { source, asOf }) {
  const published = dated(hit.document.published);
  const valid = dated(hit.document.valid);
  const said = hit.evidence.find((item) => item.start_char >= 0);
  const parts = [
    `“${titleOf(hit.document)}”`,
    published ? `${published.words} (${published.edtf})` : valid ? `holds ${valid.words} (${valid.edtf})` : "undated",
    `document ${hit.id}${source ? `, ${source}` : ""}`,
    asOf && `seen as of ${asOf}`,
    said && `states “${said.text}” (${said.span})`,
    hit.superseded_by && `superseded by ${hit.superseded_by}`,
  ];
  return `${parts.filter(Boolean).join("; ")}.`;
}

/**
 * Put a text on the clipboard; whether that went well. Pages that are not served over TLS or from this machine may
 * not use the clipboard itself, and copy a selection.
 * @param {string} text
 */
export async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }
  const area = el("textarea", { class: "unseen-text", readonly: true, "aria-hidden": "true" });
  area.value = text;
  const before = document.activeElement;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
