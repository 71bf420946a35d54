// Fields for a time: they take what people write, say while typing what was understood, and hold it as EDTF.

import { Problem } from "./api.js";
import { debounce, el, put } from "./dom.js";
import { readTime } from "./resolve.js";
import { edtfWords, spanWords } from "./times.js";

/** @typedef {import("./resolve.js").Reading} Reading */

export class TimeField {
  /**
   * @param {HTMLInputElement} input
   * @param {() => string} now the present
   * @param {(edtf: string) => void} changed is called with another time, "" for none
   */
  constructor(input, now, changed) {
    this.input = input;
    this.now = now;
    this.changed = changed;
    this.held = "";
    /** Whether what is written is being read, and changes the time if it can be. */
    this.applying = false;
    this.message = el("span", { class: "understood", id: `${input.id}-read`, role: "status" });
    input.setAttribute("aria-describedby", this.message.id);
    input.after(this.message);
    const read = debounce(() => void this.#read(), 150);
    input.addEventListener("input", read);
    input.addEventListener("change", () => void this.apply());
    input.addEventListener("blur", () => {
      if (!input.hasAttribute("aria-invalid")) this.#say();
    });
  }

  /** Show a time in words. @param {string} edtf */
  show(edtf) {
    const same = edtf === this.held;
    this.held = edtf;
    if (same && document.activeElement === this.input) return;
    this.input.value = edtf && edtfWords(edtf);
    if (!this.input.hasAttribute("aria-invalid") || !same) this.#say();
  }

  /** Take what is written; whether that could be read. */
  async apply() {
    if (this.input.value.trim() === (this.held && edtfWords(this.held))) return true;
    this.applying = true;
    // What was read before is known at once; Enter submits the form after that, and must not ask again.
    const found = await this.#read().finally(() => setTimeout(() => (this.applying = false)));
    if (!found) return false;
    this.#take(found.length ? found[0].span : "");
    return true;
  }

  /** The one reading of what is written, none where the field is empty; null where it cannot be read. */
  async #read() {
    const text = this.input.value.trim();
    if (!text) {
      this.#say();
      return [];
    }
    try {
      const { readings, problem } = await readTime(text, this.now());
      if (this.input.value.trim() !== text) return null;
      if (readings.length === 1) {
        const [{ start, end, span }] = readings;
        this.#say(`${spanWords(start, end, span)}`);
        return readings;
      }
      this.#say(readings.length ? ["This may be any of: ", ...this.#choices(readings)] : problem, true);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#say(error.message || error.title, true);
    }
    return null;
  }

  /** @param {Reading[]} readings */
  #choices(readings) {
    return readings.slice(0, 8).map((item) =>
      el(
        "button",
        {
          type: "button",
          class: "quiet",
          // The press must not take the focus away first: that would read the text again.
          on: { pointerdown: (/** @type {Event} */ event) => event.preventDefault(), click: () => this.#take(item.span) },
        },
        `${item.words} (${item.calendar})`,
      ),
    );
  }

  /** @param {string} edtf */
  #take(edtf) {
    this.#say();
    const other = edtf !== this.held;
    this.held = edtf;
    this.input.value = edtf && edtfWords(edtf);
    if (other) this.changed(edtf);
  }

  /** @param {import("./dom.js").Child | import("./dom.js").Child[]} [words] @param {boolean} [wrong] */
  #say(words = "", wrong = false) {
    put(this.message, ...[words].flat());
    this.message.classList.toggle("problem", wrong);
    if (wrong) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }
}
