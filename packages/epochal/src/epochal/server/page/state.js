// What is asked, and how it is looked at: all of it stands in the address, so that a link brings it back.

import { MOST_HITS } from "./results.js";

/**
 * @typedef {object} State
 * @property {string} q the question
 * @property {string} now the present; the server's day where empty
 * @property {string} as_of
 * @property {string} valid_at
 * @property {string} during the filter of the timeline, as EDTF
 * @property {boolean} strict whether that filter leaves documents out
 * @property {string} undated policy for documents without a date
 * @property {boolean} time whether time is read in the question
 * @property {number} k how many hits
 * @property {string} sort the order of the hits
 * @property {string[]} where conditions on metadata, each a field, "=" and a value
 * @property {number[]} drop places of constraints that are left out
 * @property {string[] | null} periods that stand in for those of the question; null for those
 * @property {string[]} compare two or three periods, side by side
 * @property {string} view the stretch that the timeline shows, as EDTF; the whole where empty
 * @property {string} look how the hits are shown: as a list, a story in time, or trends of topics
 * @property {string[]} topics of the trends; the question where empty
 * @property {string} by what the trends count by: "month", "year", a calendar of reigns, or "" for what fits
 * @property {boolean} answer whether an answer is asked for
 */

/** @type {Readonly<State>} */
export const EMPTY = Object.freeze({
  q: "",
  now: "",
  as_of: "",
  valid_at: "",
  during: "",
  strict: true,
  undated: "neutral",
  time: true,
  k: 10,
  sort: "relevance",
  where: [],
  drop: [],
  periods: null,
  compare: [],
  view: "",
  look: "list",
  topics: [],
  by: "",
  answer: false,
});
const TEXTS = /** @type {const} */ (["q", "now", "as_of", "valid_at", "during", "view", "by"]);
const UNDATED = ["neutral", "penalise", "exclude"];
const LOOKS = ["list", "story", "trends"];
const SORTS = ["relevance", "newest", "oldest"];
const MOST_PERIODS = 3;

/**
 * The state that the query part of an address holds. What it does not understand it leaves as it is by default.
 * @param {string} search @returns {State}
 */
export function readState(search) {
  const given = new URLSearchParams(search);
  /** @type {State} */
  const state = { ...EMPTY };
  for (const name of TEXTS) state[name] = given.get(name)?.trim() ?? "";
  state.strict = given.get("strict") !== "0";
  state.time = given.get("time") !== "0";
  state.answer = given.get("answer") === "1";
  const undated = given.get("undated") ?? "";
  if (UNDATED.includes(undated)) state.undated = undated;
  const sort = given.get("sort") ?? "";
  if (SORTS.includes(sort)) state.sort = sort;
  state.where = given.getAll("where").filter((condition) => condition.indexOf("=") > 0);
  const look = given.get("look") ?? "";
  if (LOOKS.includes(look)) state.look = look;
  state.topics = list(given.get("topics"), "|");
  const k = Number(given.get("k"));
  if (Number.isInteger(k) && k >= 1 && k <= MOST_HITS) state.k = k;
  state.drop = list(given.get("drop"), ".")
    .map(Number)
    .filter((place) => Number.isInteger(place) && place >= 0);
  state.periods = given.has("periods") ? list(given.get("periods"), "|") : null;
  const compared = list(given.get("compare"), "|").slice(0, MOST_PERIODS);
  state.compare = compared.length > 1 ? compared : [];
  return state;
}

/** @param {string | null} text @param {string} mark */
function list(text, mark) {
  return (text ?? "")
    .split(mark)
    .map((part) => part.trim())
    .filter(Boolean);
}

/**
 * The query part of an address that holds a state, without what is as by default; "" where everything is.
 * @param {State} state
 */
export function writeState(state) {
  const given = new URLSearchParams();
  for (const name of TEXTS) if (state[name]) given.set(name, state[name]);
  if (!state.strict) given.set("strict", "0");
  if (!state.time) given.set("time", "0");
  if (state.answer) given.set("answer", "1");
  if (state.undated !== EMPTY.undated) given.set("undated", state.undated);
  if (state.sort !== EMPTY.sort) given.set("sort", state.sort);
  for (const condition of state.where) given.append("where", condition);
  if (state.look !== EMPTY.look) given.set("look", state.look);
  if (state.topics.length) given.set("topics", state.topics.join("|"));
  if (state.k !== EMPTY.k) given.set("k", String(state.k));
  if (state.drop.length) given.set("drop", state.drop.join("."));
  if (state.periods !== null) given.set("periods", state.periods.join("|"));
  if (state.compare.length) given.set("compare", state.compare.join("|"));
  const text = given.toString();
  return text && `?${text}`;
}

/**
 * What a search is asked by, as the server takes it.
 * @param {State} state @param {string} [period] the one period of a column, when periods are compared
 */
export function searchBody(state, period) {
  /** @type {Record<string, unknown>} */
  const body = { question: state.q, k: state.k, overview: true };
  for (const name of /** @type {const} */ (["now", "as_of", "valid_at"])) if (state[name]) body[name] = state[name];
  const during = period ?? state.during;
  if (during) Object.assign(body, { during, strict: period !== undefined || state.strict });
  if (state.undated !== EMPTY.undated) body.undated = state.undated;
  if (!state.time) body.time = false;
  if (state.sort !== EMPTY.sort) body.sort = state.sort;
  if (state.where.length) body.where = conditions(state.where);
  if (period !== undefined) body.periods = [period];
  else if (state.periods !== null) body.periods = state.periods;
  else if (state.drop.length) body.drop = state.drop;
  return body;
}

/**
 * Conditions as the server takes them: the values of each field of which a document must have one.
 * @param {string[]} where
 */
function conditions(where) {
  /** @type {Record<string, unknown[]>} */
  const fields = {};
  for (const condition of where) {
    const cut = condition.indexOf("=");
    const text = condition.slice(cut + 1);
    const values = (fields[condition.slice(0, cut)] ??= []);
    values.push(text);
    // An address does not tell a number from its digits.
    if (/^(-?(0|[1-9]\d*)(\.\d+)?|true|false)$/.test(text)) values.push(JSON.parse(text));
  }
  return fields;
}

/** The state of this page, with those who want to know of changes. */
export class Store {
  /** @param {Location} place */
  constructor(place) {
    this.state = readState(place.search);
    /** @type {((state: State, quiet: boolean) => unknown)[]} */
    this.listeners = [];
    window.addEventListener("popstate", () => void this.#turn(readState(place.search), false));
  }

  /**
   * @param {(state: State, quiet: boolean) => unknown} listener who is told the state, and whether only the look of the
   * page changed
   */
  listen(listener) {
    this.listeners.push(listener);
  }

  /**
   * Change some of the state, until those who listen have done what follows. What only changes the look of the page makes no step in the history.
   * @param {Partial<State>} changes @param {{ quiet?: boolean }} [how]
   */
  change(changes, { quiet = false } = {}) {
    const next = { ...this.state, ...changes };
    const address = writeState(next) || location.pathname;
    if (quiet) history.replaceState(null, "", address);
    else if (writeState(next) !== writeState(this.state)) history.pushState(null, "", address);
    return this.#turn(next, quiet);
  }

  /** @param {State} next @param {boolean} quiet */
  #turn(next, quiet) {
    this.state = next;
    return Promise.all(this.listeners.map((listener) => listener(next, quiet)));
  }
}
