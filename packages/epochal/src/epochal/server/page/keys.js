// Single keys for those who would rather not reach for the mouse. They can be switched off, and never act while typing.

import { byId } from "./dom.js";
import { recall, remember } from "./memory.js";

/** Whether keys typed there are text. @param {EventTarget | null} target */
function takesText(target) {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}

/** The card of a list that has the focus, or stands next to it. @param {number} step */
function stepCard(step) {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".card")]);
  const at = all.findIndex((node) => node.contains(document.activeElement));
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** Listen for keys; `actions` has those of the page. @param {Record<string, () => void>} actions */
export function listenForKeys(actions) {
  const help = byId("help");
  const switched = byId("keys-on");
  switched.checked = recall("keys") !== "off";
  switched.addEventListener("change", () => remember("keys", switched.checked ? "on" : "off"));
  byId("help-button").addEventListener("click", () => help.showModal());
  byId("help-close").addEventListener("click", () => help.close());
  /** @type {Record<string, () => void>} */
  const all = {
    "/": () => byId("q").focus(),
    j: () => stepCard(1),
    k: () => stepCard(-1),
    t: () => byId("plot").focus(),
    d: () => byId("theme").click(),
    y: () =>
      /** @type {HTMLElement | null} */ (document.activeElement?.closest(".card")?.querySelector(".copy"))?.click(),
    "?": () => help.showModal(),
    ...actions,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || help.open) return;
    if (takesText(event.target) || !switched.checked) return;
    const action = all[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
