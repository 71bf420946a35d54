// The timeline: which stretch is looked at, what is drawn, and the filter that is brushed on it.

import { aim } from "./axis.js";
import { byId, debounce } from "./dom.js";
import { Brush } from "./timeline-brush.js";
import { DEPTH, binAt, countMatches, draw, place } from "./timeline-draw.js";
import { DAY, counted, edtfRange, plainRange, spanWords, unitStart } from "./times.js";

/** @typedef {import("./times.js").Range} Range */
/** @typedef {import("./timeline-draw.js").Bin} Bin */
/** @typedef {import("./spread.js").Told} Coverage */
/**
 * @typedef {object} Hooks what the timeline asks for and tells
 * @property {(range: Range, most: number) => Promise<Bin[]>} spread how many documents lie where, in about so many bins
 * @property {(range: Range | null, edtf: string) => void} filtered the filter has changed
 * @property {(edtf: string) => void} looked another stretch is looked at; "" for the whole
 * @property {(id: string) => void} picked a mark was chosen
 */

const LEAST = 3 * DAY;
const CENTURY = 100 * 365.25 * DAY;
const FACTOR = 2;
/** How many bars there is room for. */
const ROOM = 400;

export class Timeline {
  /** @param {Hooks} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    this.plot = byId("plot");
    this.canvas = byId("canvas");
    this.readout = byId("readout");
    /** @type {number | null} where the pointer is, in pixels */
    this.pointer = null;
    /** @type {Coverage | null} */
    this.whole = null;
    /** @type {Bin[]} of the view */
    this.bins = [];
    /** @type {Bin[]} of everything */
    this.allBins = [];
    /** @type {Range | null} the range that was requested; null for all */
    this.requested = null;
    /** @type {import("./timeline-draw.js").Picture} */
    this.picture = {
      width: 600,
      view: { start: 0, end: DAY },
      bins: [],
      matches: [],
      least: false,
      bands: [],
      marks: [],
      lines: [],
      brush: null,
      chosen: "",
    };
    this.load = debounce(() => this.#load(), 120);
    this.announce = debounce(() => this.#announce(), 250);
    this.brush = new Brush(this);
    this.#listen();
  }

  /** @param {Coverage} whole */
  start(whole) {
    this.whole = whole;
    this.allBins = whole.bins;
    if (!this.requested) this.bins = this.allBins;
    this.redraw();
  }

  /**
   * Show what was found.
   * @param {Pick<import("./timeline-draw.js").Picture, "matches" | "least" | "bands" | "marks" | "lines">} found
   */
  show({ matches, least, bands, marks, lines }) {
    Object.assign(this.picture, { matches, least, bands, marks, lines, chosen: "" });
    this.redraw();
  }

  /** @param {Range | null} range */
  filter(range) {
    this.picture.brush = range;
    this.redraw();
  }

  /** Show a range; null for all. @param {Range | null} range @param {{ tell?: boolean }} [how] */
  look(range, { tell = true } = {}) {
    this.requested = range && this.#bounded(range);
    this.redraw();
    this.load();
    if (tell) this.announce();
  }

  /** @param {string} id */
  choose(id) {
    if (this.picture.chosen === id) return;
    this.picture.chosen = id;
    this.redraw();
  }

  /**
   * Nearer with a factor above 1, further with one below.
   * @param {number} factor
   * @param {number} [at] the second that stays where it is
   */
  zoom(factor, at = (this.view.start + this.view.end) / 2) {
    const { start, end } = this.view;
    this.look({ start: at - (at - start) / factor, end: at + (end - at) / factor });
  }

  /** @param {number} share of the view; below 0 to earlier times */
  pan(share) {
    const by = (this.view.end - this.view.start) * share;
    this.look({ start: this.view.start + by, end: this.view.end + by });
  }

  /** Look at where the marks and the periods lie. */
  fit() {
    const range = spanned([...this.picture.marks, ...this.picture.bands]);
    if (range) this.look(padded(range, 0.15));
  }

  get view() {
    return this.picture.view;
  }

  /** The unit that the pointer can aim at. */
  get grain() {
    return aim((this.view.end - this.view.start) / this.picture.width);
  }

  /** Pixels from the left of the plot, whatever part of it an event met. @param {MouseEvent} event */
  pixels(event) {
    return event.clientX - this.plot.getBoundingClientRect().left;
  }

  /** @param {number} pixels from the left */
  second(pixels) {
    const { start, end } = this.view;
    return start + (pixels / this.picture.width) * (end - start);
  }

  /** A range widened to whole units. @param {Range} range @returns {Range} */
  snapped({ start, end }) {
    const first = unitStart(start, this.grain);
    const last = unitStart(end - 1, this.grain, 1);
    return { start: first, end: Math.max(last, unitStart(first, this.grain, 1)) };
  }

  /** @param {Range | null} range the filter, of whole units */
  filterBy(range) {
    this.filter(range);
    this.hooks.filtered(range, range ? edtfRange(range, this.grain) : "");
  }

  redraw() {
    this.picture.view = this.requested ?? this.#all();
    this.picture.bins = this.bins;
    draw(this.canvas, this.picture);
    this.brush.put(DEPTH, (at) => place(this.picture, at));
    byId("view-words").textContent = this.allBins.length || this.picture.marks.length ? viewWords(this.view) : "";
    byId("whole").disabled = this.requested === null;
    byId("fit").disabled = !this.picture.marks.length;
    this.#read();
  }

  /**
   * Where the records lie, and the periods that are asked for. Marks far outside are counted at the rims: one text on
   * 1450 would make a dot of twenty years of news.
   * @returns {Range}
   */
  #all() {
    const records = this.whole && recordsOf(this.whole);
    const range = spanned([...this.picture.bands, ...(records ? [records] : [])]) ??
      spanned(this.picture.marks) ?? { start: 0, end: CENTURY / 2 };
    const room = (range.end - range.start) / 2;
    const near = this.picture.marks.filter(
      (mark) =>
        mark.start !== null && mark.end !== null && mark.start > range.start - room && mark.end < range.end + room,
    );
    return padded(spanned([range, ...near]) ?? range, 0.02);
  }

  /** @param {Range} range @returns {Range} */
  #bounded({ start, end }) {
    const all = this.#all();
    const most = Math.max(3 * (all.end - all.start), 10 * CENTURY);
    const size = Math.min(Math.max(end - start, LEAST), most);
    // The records stay in sight: a view that lost them would have nothing to come back by.
    const middle = Math.min(Math.max((start + end) / 2, all.start - most / 2), all.end + most / 2);
    return { start: Math.round(middle - size / 2), end: Math.round(middle + size / 2) };
  }

  async #load() {
    const requested = this.requested;
    if (!requested) {
      this.bins = this.allBins;
      this.redraw();
      return;
    }
    const found = await this.hooks.spread(padded(requested, 0.1), ROOM);
    if (this.requested !== requested) return;
    this.bins = found;
    this.redraw();
  }

  #announce() {
    this.hooks.looked(this.requested ? edtfRange(this.requested, "day") : "");
    byId("view-status").textContent = `The timeline shows ${viewWords(this.view)}.`;
  }

  #listen() {
    new ResizeObserver(([entry]) => {
      this.picture.width = Math.max(200, Math.round(entry.contentRect.width));
      this.redraw();
    }).observe(this.plot);
    this.plot.addEventListener("wheel", (/** @type {WheelEvent} */ event) => this.#wheel(event), { passive: false });
    this.plot.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      this.pointer = this.pixels(event);
      this.#read();
    });
    this.plot.addEventListener("pointerleave", () => {
      this.pointer = null;
      this.#read();
    });
    this.plot.addEventListener("dblclick", (/** @type {MouseEvent} */ event) =>
      this.zoom(4, this.second(this.pixels(event))),
    );
    for (const [id, action] of /** @type {[string, () => void][]} */ ([
      ["zoom-in", () => this.zoom(FACTOR)],
      ["zoom-out", () => this.zoom(1 / FACTOR)],
      ["earlier", () => this.pan(-0.5)],
      ["later", () => this.pan(0.5)],
      ["whole", () => this.look(null)],
      ["fit", () => this.fit()],
    ]))
      byId(id).addEventListener("click", action);
  }

  /** A plain wheel scrolls the page, as ever; with Control it zooms, sideways it moves. @param {WheelEvent} event */
  #wheel(event) {
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!event.ctrlKey && !event.metaKey && !sideways) return;
    event.preventDefault();
    if (sideways && !event.ctrlKey && !event.metaKey) this.pan((event.deltaX || event.deltaY) / this.picture.width);
    else this.zoom(Math.exp(-event.deltaY / 300), this.second(this.pixels(event)));
  }

  /** Say what is under the pointer. */
  #read() {
    const bin = this.pointer === null ? null : binAt(this.bins, this.second(this.pointer));
    const { matches, least } = this.picture;
    const [answered] = bin && matches.length ? countMatches([bin], matches) : [];
    // All that there are is no lower bound.
    const bound = bin && least && answered < bin.count ? "at least " : "";
    const answering = answered === undefined ? "" : `, ${bound}${answered} of which answer`;
    this.readout.textContent = bin
      ? `${spanWords(bin.start, bin.end)}: ${counted(bin.count, "document")}${answering}`
      : "";
  }
}

/**
 * From the first to the last record; where a few lie far off, where nearly all of them lie.
 * @param {Coverage} whole
 * @returns {Range | null}
 */
export function recordsOf({ first, last, usual }) {
  const [start, end] = [first, last].map((edtf) => (edtf ? plainRange(edtf.replace(/[~?%]/g, "")) : null));
  if (!start || !end) return usual ?? null;
  const all = { start: start.start, end: end.end };
  return usual && all.end - all.start > 2 * (usual.end - usual.start) ? usual : all;
}

/** @param {Range} view */
function viewWords({ start, end }) {
  const grain = end - start > (4 * CENTURY) / 100 ? "year" : end - start > CENTURY / 400 ? "month" : "day";
  return spanWords(unitStart(start, grain), unitStart(end - 1, grain, 1));
}

/**
 * From the first start to the last end; open ends do not count.
 * @param {{ start: number | null, end: number | null }[]} spans
 * @returns {Range | null}
 */
function spanned(spans) {
  const edges = spans.flatMap(({ start, end }) => [start, end]).filter((edge) => edge !== null);
  if (!edges.length) return null;
  const start = Math.min(...edges);
  return { start, end: Math.max(start + DAY, ...edges) };
}

/** @param {Range} range @param {number} share @returns {Range} */
function padded({ start, end }, share) {
  const by = Math.max((end - start) * share, DAY);
  return { start: Math.round(start - by), end: Math.round(end + by) };
}
