// An index without documents: how it is filled, and a place to drop a file where the service may be written to.

import { Problem, send } from "./api.js";
import { el, put } from "./dom.js";

/** @typedef {import("./types.js").Info} Info */

/** Documents of one request, and characters. */
const MOST_ROWS = 500;
const MOST_TEXT = 4_000_000;

/** @param {Info} info */
export function emptyIndex({ title, writable }) {
  return el(
    "div",
    { class: "welcome" },
    el("h2", { dir: "auto" }, title),
    el("p", {}, "This index is empty. Fill it on the machine that serves it:"),
    el("pre", {}, el("code", {}, `epochal index ${title} FILES`)),
    el("p", {}, "FILES are JSON Lines, CSV, text, Markdown, HTML and more, or folders of them."),
    writable && dropZone(),
  );
}

function dropZone() {
  const token = el("input", { id: "token", type: "password", autocomplete: "off" });
  const file = el("input", { id: "file", type: "file", multiple: true, accept: ".jsonl,.ndjson,.json,.txt,.md" });
  const bar = el("progress", { max: "1", value: "0", hidden: true, "aria-label": "Stored" });
  const message = el("p", { role: "status" });
  const store = async (/** @type {FileList | null} */ files) => {
    bar.hidden = false;
    try {
      const rows = (await Promise.all([...(files ?? [])].map(readRows))).flat();
      await storeRows(rows, token.value, (count) => {
        bar.value = rows.length ? count / rows.length : 1;
        message.textContent = `${count} of ${rows.length} documents are stored.`;
      });
      put(message, `${rows.length} documents are stored. `, el("a", { href: "./" }, "Search them"));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      message.textContent = `${error.title}. ${error.message}`;
    }
  };
  file.addEventListener("change", () => void store(file.files));
  const zone = el(
    "div",
    { class: "drop panel" },
    el("div", { class: "field" }, el("label", { for: "token" }, "Token of the service"), token),
    el("div", { class: "field" }, el("label", { for: "file" }, "Drop JSON Lines, JSON, text or Markdown here, or choose files"), file),
    bar,
    message,
  );
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    void store(event.dataTransfer?.files ?? null);
  });
  return zone;
}

/** The documents of a file: a row a line, a list, or the file as one. @param {File} file @returns {Promise<object[]>} */
async function readRows(file) {
  const text = await file.text();
  if (/\.(txt|md)$/i.test(file.name)) return [{ id: file.name, title: file.name.replace(/\.\w+$/, ""), text }];
  try {
    if (/\.json$/i.test(file.name)) return [JSON.parse(text)].flat();
    return text
      .split("\n")
      .filter((line) => line.trim())
      .map((line) => JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Problem(`${file.name} is not JSON`, error.message, 0);
    throw error;
  }
}

/** @param {object[]} rows @param {string} token @param {(count: number) => void} report how many are stored */
async function storeRows(rows, token, report) {
  let waiting = [];
  let size = 0;
  report(0);
  for (const [place, row] of rows.entries()) {
    waiting.push(row);
    size += JSON.stringify(row).length;
    if (waiting.length < MOST_ROWS && size < MOST_TEXT && place < rows.length - 1) continue;
    await send("documents", { documents: waiting }, token);
    report(place + 1);
    waiting = [];
    size = 0;
  }
}
