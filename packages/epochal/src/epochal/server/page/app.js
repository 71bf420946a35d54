// The search page: sends the question, and shows the server's response.

import { AnswerPanel } from "./answer.js";
import { Problem, get, given, post } from "./api.js";
import { Chips } from "./chips.js";
import { citation, copyText } from "./citation.js";
import { ComparePanel, columns } from "./compare.js";
import { byId, debounce, el, put } from "./dom.js";
import { asCsv, asJson, download, fileName } from "./export.js";
import { TimeField } from "./fields.js";
import { pictured } from "./found.js";
import { listenForKeys } from "./keys.js";
import { remember } from "./memory.js";
import { account, banner, countWords, outcomeBanner } from "./outcome.js";
import { rangeOf } from "./resolve.js";
import { MOST_HITS, resultList } from "./results.js";
import { reach, spread } from "./spread.js";
import { heldWords, welcome } from "./start.js";
import { story } from "./story.js";
import { emptyIndex } from "./upload.js";
import { Store, searchBody, writeState } from "./state.js";
import { Timeline } from "./timeline.js";
import { fillTables, summary, timelessWords } from "./timeline-table.js";
import { counted, plainRange, spanWords } from "./times.js";
import { trends } from "./trends.js";
import { fillChain } from "./version-chain.js";

/** @typedef {import("./types.js").Found} Found */
/** @typedef {import("./state.js").State} State */

const LONGEST_WAIT = 15;
const MORE_HITS = 20;
const LOOKS = ["list", "story", "trends"];
const TIMES = /** @type {const} */ (["now", "as_of", "valid_at", "during"]);

const store = new Store(location);
const change = (/** @type {Partial<State>} */ changes) => store.change(changes);
const current = () => store.state;
const chips = new Chips(byId("chips"), byId("chip-panel"), current, change);
const comparison = new ComparePanel(byId("compare-panel"), byId("compare"), current, change);
const answers = new AnswerPanel(byId("answer"), () => change({ answer: false }));
const fields = TIMES.map((name) => {
  const changed = (/** @type {string} */ edtf) => change({ ...readForm(), [name]: edtf, ...(name === "during" && { compare: [] }) });
  return new TimeField(byId(name), () => (name === "now" ? "" : current().now), changed);
});
/** Whether the filter was just brushed, and is not yet searched by. */
let brushed = false;
const filtered = debounce((/** @type {string} */ edtf) => {
  brushed = false;
  return change({ during: edtf, compare: [] });
}, 300);
const timeline = new Timeline({
  // Without the server the bars that there are stay: coarse ones are better than none.
  spread: (range, most) =>
    spread(range, most)
      .then(({ bins }) => bins)
      .catch((error) => {
        if (error instanceof Problem) return timeline.bins;
        throw error;
      }),
  filtered: (range, edtf) => {
    byId("during").value = range ? spanWords(range.start, range.end) : "";
    brushed = true;
    filtered(edtf);
  },
  looked: (edtf) => store.change({ view: edtf }, { quiet: true }),
  picked: (id) => byId(`card-${id}`).focus(),
});
/** @type {import("./cards.js").CardHooks} */
const hooks = {
  chosen: (id) => timeline.choose(id),
  chain: fillChain,
  copy: async (hit) => {
    const done = await copyText(citation(hit, { source: info?.title ?? "", asOf: current().as_of }));
    say(done ? "The citation is copied." : "The browser did not let the citation be copied.");
  },
};
/** @type {import("./types.js").Info | null} */
let info = null;
/** @type {AbortController | null} */
let running = null;
let shownQuestion = "";
/** @type {{ period: string, found: Found }[]} */
let sides = [];

/** @param {string} message */
function say(message) {
  const toast = byId("toast");
  toast.textContent = message;
  toast.classList.add("shown");
  setTimeout(() => toast.classList.remove("shown"), 2500);
}

/** Put the state into the fields. @param {State} state */
function fillForm(state) {
  // What somebody is typing stays, unless another question was asked.
  if (state.q !== shownQuestion) byId("q").value = state.q;
  shownQuestion = state.q;
  TIMES.forEach((name, place) => fields[place].show(state[name]));
  byId("sort").value = state.sort;
  byId("strict").checked = state.strict;
  byId("clear-filter").hidden = !state.during;
  byId("k").value = String(state.k);
  byId("undated").value = state.undated;
  byId("time").checked = state.time;
  byId("options").classList.toggle("set", Boolean(state.valid_at) || state.undated !== "neutral" || !state.time);
  byId("embedded-link").href = `./${writeState(state)}`;
  document.title = state.q ? `${state.q} – Epochal` : "Epochal";
}

/** What the fields say; another question brings another reading and another view. */
function readForm() {
  /** @type {Partial<State>} */
  const changes = {
    q: byId("q").value.trim(),
    k: Math.min(MOST_HITS, Math.max(1, Number(byId("k").value) || 10)),
    undated: byId("undated").value,
    sort: byId("sort").value,
    time: byId("time").checked,
    strict: byId("strict").checked,
  };
  if (changes.q !== current().q) Object.assign(changes, { drop: [], periods: null, compare: [], view: "", where: [], topics: [] });
  if (changes.q !== current().q && changes.k === current().k) changes.k = 10;
  return changes;
}

async function search() {
  const state = current();
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  void showFilter(state.during);
  remember("search", location.search, { tab: true });
  timeline.look(state.view ? plainRange(state.view) : null, { tell: false });
  if (!state.q) {
    showNothing();
    return;
  }
  byId("results").setAttribute("aria-busy", "true");
  if (!sides.length) byId("count").textContent = "Searching …";
  try {
    const periods = state.compare.length ? state.compare : [undefined];
    const found = await Promise.all(periods.map((period) => post("search", searchBody(state, period), signal)));
    // Chips that were left out are shown as well, to be put back.
    if (state.drop.length && !found[0].read)
      found[0].read = await get("understand", { q: state.q, now: state.now }, signal);
    sides = found.map((answer, place) => ({ period: state.compare[place] ?? "", found: answer }));
    show(state);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof Problem)) throw error;
    showProblem(error, search);
  }
  if (!signal.aborted) byId("results").removeAttribute("aria-busy");
}

/** @param {State} state */
function show(state) {
  const compared = sides.length > 1;
  const [{ found }] = sides;
  if (compared) chips.clear();
  else chips.show(found);
  comparison.show(found);
  if (compared) comparison.fill(byId("chips"), sides);
  timeline.show(pictured(sides));
  showTable();
  const total = sides.reduce((sum, side) => sum + side.found.hits.length, 0);
  const words = compared ? `${counted(total, "hit")} in ${sides.length} periods` : countWords(found);
  byId("count").textContent = words;
  byId("results-tools").hidden = false;
  put(byId("account"), compared ? null : account(found));
  byId("results").classList.toggle("comparing", compared);
  put(byId("results-body"), ...(compared ? [columns(sides, timeline.whole, hooks)] : single(found)));
  for (const name of LOOKS) {
    byId(`look-${name}`).setAttribute("aria-pressed", String(state.look === name));
    byId(`look-${name}`).disabled = compared;
  }
  byId("ask").hidden = !info?.answers;
  if (state.answer && info?.answers) void answers.ask(state);
  else answers.hide();
}

/** @param {Found} found */
function single(found) {
  const { look, q } = current();
  if (info && !info.documents) return [emptyIndex(info)];
  if (look === "story") return [outcomeBanner(found, timeline.whole), story(found, q)];
  if (look === "trends") return [trends(current(), timeline.whole, info?.reigns ?? [], change)];
  return resultList(found, timeline.whole, current(), {
    cards: hooks,
    narrow: (where) => change({ where, k: 10 }),
    more: showMore,
  });
}

/** Ask for the next hits, and go to the first of them. */
async function showMore() {
  const { k } = current();
  await change({ k: Math.min(MOST_HITS, k + MORE_HITS) });
  document.getElementById(`card-${k + 1}`)?.focus();
}

function showNothing() {
  sides = [];
  chips.clear();
  answers.hide();
  comparison.show(null);
  timeline.show({ matches: [], least: false, bands: [], marks: [], lines: [] });
  showTable();
  put(byId("account"));
  byId("count").textContent = "";
  byId("results-tools").hidden = true;
  byId("results").removeAttribute("aria-busy");
  if (info) put(byId("results-body"), info.documents ? welcome(info, timeline.allBins) : emptyIndex(info));
}

/** @param {Problem} problem @param {() => Promise<void>} again what to try once more */
function showProblem(problem, again) {
  const button = el("button", { type: "button", on: { click: () => void again() } }, "Try again");
  const note = banner("problem", problem.title, problem.message);
  note.append(button);
  if (problem.wait && problem.wait <= LONGEST_WAIT) {
    const state = current();
    setTimeout(() => current() === state && button.isConnected && void again(), 1000 * problem.wait);
  }
  for (const old of byId("results-body").querySelectorAll(":scope > .problem")) old.remove();
  // What was found before stays, unless the question itself was refused.
  if (problem.status >= 400 && problem.status < 500 && problem.status !== 429) {
    put(byId("results-body"));
    byId("count").textContent = "";
  }
  byId("results-body").prepend(note);
}

/** @param {string} during */
async function showFilter(during) {
  try {
    const range = await rangeOf(during);
    // Somebody may be dragging the next one already, or have left it.
    if (!timeline.brush.drag && !brushed && current().during === during) timeline.filter(range);
  } catch (error) {
    // The search reports a filter that cannot be read.
    if (!(error instanceof Problem)) throw error;
  }
}

function showTable() {
  const timeless = sides.reduce((sum, { found }) => sum + found.hits.length, 0) - timeline.picture.marks.length;
  byId("timeless").textContent = timeless > 0 ? timelessWords(timeless) : "";
  byId("timeline-summary").textContent = summary(timeline.picture, info?.documents ?? 0, timeless);
  if (!byId("timeline-tables").hidden) fillTables(byId("timeline-tables"), timeline.picture);
}

function toggleTable() {
  const tables = byId("timeline-tables");
  tables.hidden = !tables.hidden;
  byId("table-button").setAttribute("aria-expanded", String(!tables.hidden));
  showTable();
}

/** @param {"json" | "csv"} kind */
function exportAs(kind) {
  const name = fileName(current().q, kind);
  if (kind === "csv") download(name, "text/csv", asCsv(sides));
  else download(name, "application/json", asJson(sides, location.href));
}

function listen() {
  byId("search").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    // A time that was just written asks by itself, once it is read.
    if (!fields.some((field) => field.applying)) change(readForm());
  });
  byId("clear-filter").addEventListener("click", () => change({ during: "" }));
  for (const name of ["undated", "time", "k", "sort", "strict"]) byId(name).addEventListener("change", () => change(readForm()));
  byId("table-button").addEventListener("click", toggleTable);
  byId("export-json").addEventListener("click", () => exportAs("json"));
  byId("export-csv").addEventListener("click", () => exportAs("csv"));
  byId("ask").addEventListener("click", () => change({ answer: true }));
  for (const look of LOOKS) byId(`look-${look}`).addEventListener("click", () => change({ look }));
  listenForKeys({ c: () => !byId("compare").disabled && comparison.open() });
  store.listen((state, quiet) => {
    // Looking elsewhere must not take back what somebody is just typing.
    if (quiet) {
      showTable();
      return;
    }
    fillForm(state);
    return search();
  });
}

async function open() {
  try {
    const [facts, whole] = await Promise.all([get("info"), reach()]);
    info = facts;
    byId("held").textContent = heldWords(facts);
    byId("bench-link").hidden = !facts.bench;
    byId("version").textContent = `Epochal ${facts.version}`;
    timeline.start(whole);
    await search();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    showProblem(error, open);
  }
}

given("given");
given("given-later");
fillForm(current());
listen();
void open();
