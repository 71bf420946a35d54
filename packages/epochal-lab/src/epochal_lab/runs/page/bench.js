// The measurements: the systems of a test set, two of them question by question, and one question on a time axis.

import { Problem, get } from "./api.js";
import { showQuestion } from "./bench-question.js";
import { comparedTable, systemsTable, versus } from "./bench-tables.js";
import { byId, el, put } from "./dom.js";
import { banner } from "./outcome.js";

/** @typedef {{ set: string, system: string, split: string, variant: string, protocol: string }} Task */
/**
 * @typedef {{ name: string, task: Task, documents: number, queries: number, measures: Record<string, number | null>,
 *   latency_ms: Record<string, number>, made: Record<string, string>, values: boolean, runs: boolean }} Row
 */
/**
 * @typedef {{ set: string, measure: string, a: string, b: string, question: string, only: string,
 *   page: number }} Choice
 */

/** @type {Row[]} */
let rows = [];

/** @returns {Choice} */
function chosen() {
  const given = new URLSearchParams(location.search);
  const text = (/** @type {string} */ name) => given.get(name) ?? "";
  return {
    set: text("set"),
    measure: text("measure"),
    a: text("a"),
    b: text("b"),
    question: text("question"),
    only: text("only"),
    page: Number(text("page")) || 0,
  };
}

/** Change what is looked at; the address holds it. @param {Partial<Choice>} changes */
function choose(changes) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...chosen(), ...changes })) if (value) given.set(name, String(value));
  history.pushState(null, "", `?${given}`);
  void show();
}

/** The set of a task with everything that changes its questions or documents. @param {Task} task */
function setName({ set, split, variant, protocol }) {
  const ways = [split === "test" ? "" : split, variant === "baseline" ? "" : variant, protocol].filter(Boolean);
  return [set, ...ways].join(" · ");
}

/** @param {unknown} error */
function told(error) {
  if (!(error instanceof Problem)) throw error;
  return banner(error.status === 404 ? "info" : "problem", error.title, error.message);
}

async function show() {
  const choice = chosen();
  const sets = [...new Set(rows.map((row) => setName(row.task)))].sort();
  const set = sets.includes(choice.set) ? choice.set : sets[0];
  const here = rows.filter((row) => setName(row.task) === set);
  const measures = [...new Set(here.flatMap((row) => Object.keys(row.measures)))];
  const measure = measures.includes(choice.measure) ? choice.measure : (measures[0] ?? "");
  options(byId("set"), sets, set);
  options(byId("measure"), measures, measure);
  const a = here.find((row) => row.name === choice.a) ?? null;
  const b = here.find((row) => row.name === choice.b) ?? null;
  put(
    byId("measured"),
    systemsTable(here, measures, measure, { a, b }, (side, name) =>
      choose({ [side]: name, set, question: "", page: 0 }),
    ),
  );
  await showCompared(a, b, measure, choice);
}

/** @param {Row | null} a @param {Row | null} b @param {string} measure @param {Choice} choice */
async function showCompared(a, b, measure, choice) {
  const place = byId("compared");
  if (!a || !b || a === b) {
    put(
      place,
      el(
        "p",
        { class: "muted" },
        rows.length ? "Choose two systems, A and B, to compare them question by question." : "",
      ),
    );
    put(byId("question"));
    return;
  }
  const address = location.search;
  try {
    const [one, other, texts] = await Promise.all([
      get(`bench/${encodeURIComponent(a.name)}`),
      get(`bench/${encodeURIComponent(b.name)}`),
      questionTexts(a),
    ]);
    if (location.search !== address) return; // something else was chosen since
    if (!one.values || !other.values) {
      put(
        place,
        banner(
          "info",
          "No values",
          "The folder has no values/ of these results, as `epochal bench run` writes them: only means can be compared.",
        ),
      );
      return;
    }
    const pairs = versus(one.values[measure] ?? {}, other.values[measure] ?? {});
    put(place, comparedTable({ a: a.task.system, b: b.task.system, measure, pairs, texts, choice }, choose));
    await showQuestion(byId("question"), a, b, choice.question);
  } catch (error) {
    put(place, told(error));
  }
}

/**
 * The texts of the questions, where the files of the set are there.
 * @param {Row} row
 * @returns {Promise<Record<string, string>>}
 */
async function questionTexts(row) {
  try {
    return (await get(`bench/${encodeURIComponent(row.name)}/questions`)).questions;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return {};
    throw error;
  }
}

/** @param {HTMLSelectElement} select @param {string[]} names @param {string} chosenName */
function options(select, names, chosenName) {
  put(
    select,
    names.map((name) => el("option", { value: name, selected: name === chosenName }, name)),
  );
  select.value = chosenName;
}

async function start() {
  byId("set").addEventListener("change", () => choose({ set: byId("set").value, a: "", b: "", question: "", page: 0 }));
  byId("measure").addEventListener("change", () => choose({ measure: byId("measure").value, page: 0 }));
  byId("pick").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  window.addEventListener("popstate", () => void show());
  try {
    rows = (await get("bench")).results;
  } catch (error) {
    put(byId("told"), told(error));
    return;
  }
  if (!rows.length) {
    put(byId("told"), banner("info", "Nothing measured yet", "The folder holds no results of `epochal bench run`."));
    return;
  }
  byId("pick").hidden = false;
  await show();
}

void start();
