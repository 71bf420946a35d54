// The panel of an answer: claims and quotes for each period of the question, and what is missing.

import { Problem, stream } from "./api.js";
import { el, icon, put } from "./dom.js";
import { edtfWords, spanWords } from "./times.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./types.js").SpanRecord} SpanRecord */
/**
 * @typedef {object} Citation
 * @property {number} number
 * @property {string} id
 * @property {string} title
 * @property {string} quote
 * @property {SpanRecord | null} date
 * @property {string} standing
 * @property {string | null} superseded_by
 */
/**
 * @typedef {object} Answer
 * @property {{ period: SpanRecord | null, outcome: string, sentence: string, citations: number[], more: number }[]} parts
 * @property {Citation[]} citations
 * @property {{ text: string, quotes: { number: number }[] }[]} claims
 * @property {{ sentence: string }[]} missing
 * @property {{ kind: string, reason: string }[]} dropped
 * @property {string | null} as_of
 * @property {string | null} newest
 * @property {string} model
 */

/** @type {Record<string, string>} how evidence relates to the query window, if it is not from it */
const ASIDE = { vague: "dated more vaguely", other: "of that time, in other words", near: "nearest to it" };
/** @type {Record<string, string>} */
const STANDINGS = { in_force: "in force then", ...ASIDE };

export class AnswerPanel {
  /** @param {HTMLElement} panel @param {() => void} close */
  constructor(panel, close) {
    this.panel = panel;
    this.close = close;
    /** @type {AbortController | null} */
    this.running = null;
  }

  hide() {
    this.running?.abort();
    this.panel.hidden = true;
  }

  /** Ask for an answer, and show it as it comes. @param {State} state */
  async ask(state) {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    const body = el("div", { class: "answer-body" });
    const shut = {
      type: "button",
      class: "quiet only-icon",
      "aria-label": "Close the answer",
      on: { click: this.close },
    };
    put(
      this.panel,
      el("div", { class: "answer-head" }, el("h2", {}, icon("answer"), "Answer"), el("button", shut, icon("close"))),
      body,
    );
    this.panel.hidden = false;
    this.panel.setAttribute("aria-busy", "true");
    try {
      for await (const { event, data } of stream("answer", makeBody(state), running.signal)) show(body, event, data);
    } catch (error) {
      if (running.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      // What the records say is already there, and stays.
      body.prepend(el("p", { class: "problem", role: "alert" }, `${error.title}. ${error.message}`));
    }
    if (this.running === running) this.panel.removeAttribute("aria-busy");
  }
}

/** @param {State} state */
function makeBody({ q, now, as_of }) {
  return { question: q, stream: true, ...(now && { now }), ...(as_of && { as_of }) };
}

/**
 * Show what has come: quotes at once, and the same with claims when a model has written them.
 * @param {HTMLElement} body @param {string} event @param {any} data
 */
function show(body, event, data) {
  if (event === "error" || event === "problem")
    throw new Problem(data.title ?? "No answer", data.detail ?? "", data.status ?? 0);
  put(body, record(data));
}

/** @param {Answer} answer */
function record(answer) {
  const cited = new Map(answer.citations.map((item) => [item.number, item]));
  const said = new Set(answer.parts.map((part) => part.sentence));
  const missing = answer.missing.filter((item) => !said.has(item.sentence));
  const foot = [
    answer.as_of && `as of ${edtfWords(answer.as_of)}`,
    answer.newest && `the newest record seen is of ${edtfWords(answer.newest)}`,
    answer.model
      ? `written by ${answer.model}, each claim checked against its source`
      : "quoted from the records, without a model",
    answer.dropped.length > 0 && `${answer.dropped.length} left out, as its source does not say it`,
  ].filter(Boolean);
  return [
    ...answer.claims.map((claim) =>
      el(
        "p",
        { class: "answer-text" },
        claim.text,
        [...new Set(claim.quotes.map((quote) => quote.number))].map(reference),
      ),
    ),
    ...answer.parts.map((part) => partOf(part, cited, answer.claims.length > 0)),
    missing.length > 0 &&
      el(
        "ul",
        { class: "missing" },
        missing.map((item) => el("li", {}, icon("gap"), item.sentence)),
      ),
    el(
      "p",
      { class: "answer-foot" },
      `${foot.join("; ")}.`.replace(/^./, (first) => first.toUpperCase()),
    ),
  ];
}

/** @param {Answer["parts"][number]} part @param {Map<number, Citation>} cited @param {boolean} claimed */
function partOf(part, cited, claimed) {
  const items = part.citations.flatMap((number) => cited.get(number) ?? []);
  const firm = items.filter((item) => !(item.standing in ASIDE));
  const loose = items.filter((item) => item.standing in ASIDE);
  const list = (/** @type {Citation[]} */ some) =>
    el("ol", { class: claimed ? "citations small" : "citations" }, some.map(citation));
  return el(
    "div",
    { class: "answer-part" },
    part.period && el("h3", {}, spanWords(part.period.start, part.period.end, part.period.span)),
    part.sentence && el("p", { class: part.outcome === "recorded" ? "" : "muted" }, part.sentence),
    firm.length > 0 && list(firm),
    loose.length > 0 && el("details", {}, el("summary", {}, `${loose.length} that ${loose.length === 1 ? "fits" : "fit"} less well`), list(loose)),
    part.more > 0 && el("p", { class: "muted" }, `and ${part.more} more of that time`),
  );
}

/** @param {Citation} item */
function citation(item) {
  const standing = STANDINGS[item.standing];
  return el(
    "li",
    { id: `citation-${item.number}`, value: item.number },
    el(
      "span",
      { class: "citation-date" },
      item.date ? spanWords(item.date.start, item.date.end, item.date.span) : "undated",
    ),
    el("q", {}, item.quote),
    el("span", { class: "muted" }, [item.title || item.id, standing].filter(Boolean).join(", ")),
    item.superseded_by && el("span", { class: "muted" }, `superseded by ${item.superseded_by}`),
  );
}

/** @param {number} number */
function reference(number) {
  return el("a", { class: "reference", href: `#citation-${number}` }, `[${number}]`);
}
