// Two or three periods side by side: each column is a search of its own, with its own outcome.

import { Problem } from "./api.js";
import { cards } from "./cards.js";
import { dropButton, el, icon, put } from "./dom.js";
import { outcomeBanner } from "./outcome.js";
import { readings } from "./resolve.js";
import { spanWords } from "./times.js";
import { TONES } from "./tones.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("./state.js").State} State */
/** @typedef {{ period: string, found: Found }} Side */

const MOST = 3;

/** The form in which periods are named. */
export class ComparePanel {
  /**
   * @param {HTMLElement} panel
   * @param {HTMLButtonElement} button
   * @param {() => State} state
   * @param {(changes: Partial<State>) => void} change
   */
  constructor(panel, button, state, change) {
    this.panel = panel;
    this.button = button;
    this.state = state;
    this.change = change;
    /** @type {string[]} what the question itself sets against each other */
    this.periods = [];
    button.addEventListener("click", () => (panel.hidden ? this.open() : this.close()));
    panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  /** @param {Found | null} found */
  show(found) {
    this.button.disabled = !found;
    this.periods = ((found?.read ?? found?.understanding)?.periods ?? []).map((item) => item.span).slice(0, MOST);
    this.button.classList.toggle(
      "suggested",
      Boolean(found?.understanding.cross_period && this.periods.length > 1 && !this.state().compare.length),
    );
    this.button.setAttribute("aria-pressed", String(this.state().compare.length > 0));
  }

  /**
   * Put the periods that are compared where the reading of a question stands.
   * @param {HTMLElement} place
   * @param {Side[]} sides
   */
  fill(place, sides) {
    put(
      place,
      el("li", { class: "chips-label" }, "Compared"),
      sides.map(({ period, found }, at) => {
        const words = wordsOf(found, period);
        const without = this.state().compare.filter((_, other) => other !== at);
        return el(
          "li",
          { class: "chip time" },
          el(
            "span",
            { class: "chip-main" },
            el("span", { class: `dot tone-${TONES[at]}`, "aria-hidden": "true" }),
            words,
          ),
          dropButton(words, () => this.change({ compare: without.length > 1 ? without : [] })),
        );
      }),
      el(
        "li",
        {},
        el(
          "button",
          { type: "button", class: "quiet", on: { click: () => this.#leave() } },
          icon("undo"),
          "Stop comparing",
        ),
      ),
    );
  }

  close() {
    const inside = this.panel.contains(document.activeElement);
    this.panel.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (inside) this.button.focus();
  }

  open() {
    const { compare } = this.state();
    const given = compare.length ? compare : this.periods;
    const inputs = TONES.map((tone, place) =>
      el("input", {
        id: `compare-${tone}`,
        type: "text",
        autocomplete: "off",
        spellcheck: "false",
        value: given[place] ?? "",
        placeholder: ["one period", "another one", "a third, if wanted"][place],
        required: place < 2,
      }),
    );
    const message = el("p", { class: "problem", role: "alert" });
    const form = el(
      "form",
      { class: "compare-form" },
      inputs.map((input, place) =>
        el(
          "div",
          { class: "field" },
          el(
            "label",
            { for: input.id },
            el("span", { class: `dot tone-${TONES[place]}`, "aria-hidden": "true" }),
            `Period ${place + 1}`,
          ),
          input,
        ),
      ),
      el("button", { type: "submit", class: "primary" }, "Compare"),
      el("button", { type: "button", class: "quiet", on: { click: () => this.close() } }, "Cancel"),
      message,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#apply(inputs.map((input) => input.value.trim()).filter(Boolean), message);
    });
    put(this.panel, form);
    this.panel.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    inputs[0].focus();
  }

  #leave() {
    this.close();
    this.change({ compare: [] });
  }

  /** @param {string[]} texts @param {HTMLElement} message */
  async #apply(texts, message) {
    try {
      const found = await Promise.all(texts.map((text) => readings(text, this.state().now)));
      const vague = found.findIndex((items) => items.length > 1);
      if (vague >= 0) {
        message.textContent = `“${texts[vague]}” may be any of: ${found[vague]
          .slice(0, 6)
          .map((item) => `${item.words} (${item.span})`)
          .join("; ")}. Give one of them.`;
        return;
      }
      this.close();
      this.change({ compare: found.map(([item]) => item.span), during: "" });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      message.textContent = error.message || error.title;
    }
  }
}

/**
 * The columns of a comparison.
 * @param {Side[]} sides @param {import("./timeline.js").Coverage | null} whole
 * @param {import("./cards.js").CardHooks} hooks
 */
export function columns(sides, whole, hooks) {
  return el(
    "div",
    { class: `columns columns-${sides.length}` },
    sides.map(({ period, found }, place) => {
      const tone = TONES[place];
      return el(
        "section",
        { class: `column tone-${tone}`, "aria-labelledby": `column-${tone}` },
        el(
          "div",
          { class: "column-head" },
          el(
            "h2",
            { id: `column-${tone}` },
            el("span", { class: `dot tone-${tone}`, "aria-hidden": "true" }),
            wordsOf(found, period),
          ),
          found.outcome === "recorded" && el("p", { class: "recorded" }, icon("check"), "recorded"),
        ),
        outcomeBanner(found, whole),
        found.hits.length
          ? el("ol", { class: "cards" }, cards(found, hooks, { tone: () => tone, prefix: tone, level: 3 }))
          : el("p", { class: "muted" }, "No document fits."),
      );
    }),
  );
}

/** The span of the period that a column was searched for. @param {Found} found @param {string} period */
export function periodOf(found, period) {
  return (
    found.understanding.periods.find((item) => item.span === period) ??
    found.understanding.periods[0] ?? { span: period, start: null, end: null }
  );
}

/** @param {Found} found @param {string} period */
function wordsOf(found, period) {
  const { start, end, span } = periodOf(found, period);
  return spanWords(start, end, span);
}
