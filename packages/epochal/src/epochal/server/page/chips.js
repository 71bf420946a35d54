// How the question was read, as chips: those of time can be left out, put back, changed and added.

import { Problem } from "./api.js";
import { dropButton, el, icon, put } from "./dom.js";
import { whereChips } from "./facets.js";
import { RELATIONS, readings, related } from "./resolve.js";
import { spanWords } from "./times.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("./types.js").SpanRecord} SpanRecord */
/** @typedef {import("./state.js").State} State */
/**
 * @typedef {{ label: string, from: string, span: string, place: number | null, dropped: boolean,
 *   relation: import("./resolve.js").Relation, text: string }} TimeChip
 */

/** @type {Record<string, string>} */
const INTENTS = {
  when: "asks when",
  duration: "asks how long",
  order: "asks in which order",
  before_after: "asks what came before or after",
  ongoing_status: "asks how things stand",
  period_definition: "asks what a period was",
  timeline: "asks for a course of events",
};
const LED = /^(from|since|until|before|after|between|any) /;

export class Chips {
  /**
   * @param {HTMLElement} place where the chips go @param {HTMLElement} panel where one is changed
   * @param {() => State} state @param {(changes: Partial<State>) => void} change
   */
  constructor(place, panel, state, change) {
    this.place = place;
    this.panel = panel;
    this.state = state;
    this.change = change;
    /** @type {TimeChip[]} */
    this.times = [];
    panel.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") this.#close();
    });
  }

  clear() {
    put(this.place);
    this.#close();
  }

  /** @param {Found} found */
  show(found) {
    const state = this.state();
    const read = found.read ?? found.understanding;
    this.times = state.periods === null ? readChips(read, state.drop) : givenChips(found);
    const changed = state.periods !== null || state.drop.length > 0;
    this.#close();
    put(
      this.place,
      el("li", { class: "chips-label" }, "Read as"),
      this.times.map((chip, place) => el("li", {}, this.#timeChip(chip, place))),
      el("li", {}, this.#addChip()),
      state.time
        ? about(read).map((words) => el("li", { class: "chip note" }, words))
        : el("li", { class: "chip note" }, "time switched off"),
      whereChips(state.where, (where) => this.change({ where })),
      changed &&
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: "quiet", on: { click: () => this.change({ drop: [], periods: null }) } },
            icon("undo"),
            "As read",
          ),
        ),
    );
  }

  /** @param {TimeChip} chip @param {number} place */
  #timeChip(chip, place) {
    const toggle = chip.dropped ? "Put back" : "Leave out";
    return el(
      "span",
      { class: chip.dropped ? "chip time dropped" : "chip time" },
      el(
        "button",
        {
          type: "button",
          class: "chip-main",
          "aria-expanded": "false",
          "aria-controls": this.panel.id,
          title: chip.from ? `from “${chip.from}”; click to change` : "click to change",
          on: {
            click: (/** @type {MouseEvent} */ event) =>
              this.#open(/** @type {HTMLElement} */ (event.currentTarget), place),
          },
        },
        icon("clock"),
        el("span", { class: "chip-text" }, chip.dropped ? el("s", {}, chip.label) : chip.label),
        chip.from && el("span", { class: "chip-from" }, `“${chip.from}”`),
      ),
      dropButton(chip.label, () => this.#toggle(place), toggle, chip.dropped ? "undo" : "close"),
    );
  }

  #addChip() {
    return el(
      "button",
      {
        type: "button",
        class: "chip add",
        "aria-expanded": "false",
        "aria-controls": this.panel.id,
        on: {
          click: (/** @type {MouseEvent} */ event) =>
            this.#open(/** @type {HTMLElement} */ (event.currentTarget), null),
        },
      },
      icon("plus"),
      "Time",
    );
  }

  /** @param {number} place */
  #toggle(place) {
    const chip = this.times[place];
    const { drop, periods } = this.state();
    if (periods !== null || chip.place === null) {
      this.change({
        periods: this.times.filter((item, at) => at !== place && !item.dropped).map((item) => item.span),
        drop: [],
      });
    } else {
      const number = chip.place;
      this.change({
        drop: chip.dropped
          ? drop.filter((item) => item !== number)
          : [...drop, number].sort((one, other) => one - other),
      });
    }
  }

  #close() {
    if (this.panel.hidden) return;
    const opener = this.place.querySelector("[aria-expanded=true]");
    opener?.setAttribute("aria-expanded", "false");
    const inside = this.panel.contains(document.activeElement);
    this.panel.hidden = true;
    put(this.panel);
    if (inside && opener instanceof HTMLElement) opener.focus();
  }

  /** @param {HTMLElement} opener @param {number | null} place of the chip; null for a new one */
  #open(opener, place) {
    const open = opener.getAttribute("aria-expanded") === "true";
    this.#close();
    if (open) return;
    const chip = place === null ? null : this.times[place];
    const relation = el(
      "select",
      { id: "chip-relation" },
      RELATIONS.map((name) => el("option", { value: name, selected: name === (chip?.relation ?? "in") }, name)),
    );
    const text = el("input", {
      id: "chip-text",
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      value: chip?.text ?? "",
      placeholder: "March 2011, 44 BCE, Meiji 10 …",
      required: true,
    });
    const message = el("p", { class: "problem", role: "alert" });
    const form = el(
      "form",
      { class: "chip-form" },
      el("label", { for: "chip-relation" }, "Relation"),
      relation,
      el("label", { for: "chip-text" }, "Time"),
      text,
      el("button", { type: "submit", class: "primary" }, chip ? "Change" : "Add"),
      el("button", { type: "button", class: "quiet", on: { click: () => this.#close() } }, "Cancel"),
      message,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#apply(place, text.value, /** @type {any} */ (relation.value), message);
    });
    put(this.panel, form);
    this.panel.hidden = false;
    opener.setAttribute("aria-expanded", "true");
    text.focus();
    text.select();
  }

  /**
   * @param {number | null} place
   * @param {string} text
   * @param {import("./resolve.js").Relation} relation
   * @param {HTMLElement} message
   */
  async #apply(place, text, relation, message) {
    try {
      const found = await readings(text, this.state().now);
      if (found.length === 1) {
        this.#use(place, related(found[0], relation));
        return;
      }
      put(
        message,
        "This may be any of several times: ",
        found
          .slice(0, 8)
          .map((item) =>
            el(
              "button",
              { type: "button", class: "quiet", on: { click: () => this.#use(place, related(item, relation)) } },
              `${item.words} (${item.calendar})`,
            ),
          ),
      );
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      message.textContent = error.message || error.title;
    }
  }

  /** @param {number | null} place @param {string} span */
  #use(place, span) {
    const kept = this.times.map((item, at) => (at === place ? span : item.dropped ? "" : item.span)).filter(Boolean);
    this.change({ periods: place === null ? [...kept, span] : kept, drop: [] });
  }
}

/**
 * The times that a question states, those left out marked.
 * @param {Found["understanding"]} read
 * @param {number[]} drop
 * @returns {TimeChip[]}
 */
function readChips(read, drop) {
  const stated = read.constraints.map((item, place) => {
    const words = spanWords(item.start, item.end, item.span);
    const bound = RELATIONS.some((name) => name === item.relation);
    return {
      label: `${item.axis === "publication" ? "published " : ""}${led(words)}`,
      from: item.evidence && item.evidence.text !== words ? item.evidence.text : "",
      span: item.span,
      place,
      dropped: drop.includes(place),
      relation: /** @type {any} */ (bound && item.evidence ? item.relation : "in"),
      text: bound && item.evidence ? item.evidence.text : item.span,
    };
  });
  const named = new Set(read.constraints.map((item) => item.span));
  const dropped = new Set(stated.filter((chip) => chip.dropped).map((chip) => chip.span));
  const others = read.periods.filter((item) => !named.has(item.span) && !dropped.has(item.span));
  return [...stated, ...others.map((item) => plainChip(item))];
}

/** The periods that somebody gave instead. @param {Found} found @returns {TimeChip[]} */
function givenChips(found) {
  return found.understanding.periods.map((item) => plainChip(item));
}

/** @param {SpanRecord} item @returns {TimeChip} */
function plainChip(item) {
  return {
    label: led(spanWords(item.start, item.end, item.span)),
    from: "",
    span: item.span,
    place: null,
    dropped: false,
    relation: "in",
    text: item.span,
  };
}

/** @param {string} words */
function led(words) {
  return LED.test(words) ? words : `in ${words}`;
}

/** What else was understood, in words. @param {Found["understanding"]} read */
function about(read) {
  const found = [];
  if (!read.is_temporal) found.push("nothing about time");
  // "What did they decide in 2003?" is about a time, and asks for none.
  else if (INTENTS[read.intent] && (read.intent !== "when" || read.answer_kind === "when")) found.push(INTENTS[read.intent]);
  if (read.temporal_focus === "recency")
    found.push(`wants the newest (holds ${read.recency.replaceAll("-", " ").toLowerCase()})`);
  if (read.cross_period && read.periods.length > 1) found.push("sets periods against each other");
  if (read.topic) found.push(`topic “${read.topic}”`);
  return found;
}
