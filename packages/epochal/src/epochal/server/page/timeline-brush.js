// Brushing a filter on the timeline, by pointer, by fingers and by keys.

import { el } from "./dom.js";
import { spanWords, unitStart } from "./times.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("./times.js").Range} Range */
/** @typedef {"new" | "move" | "start" | "end" | "pan"} Act */

const NEAR = 8;
const CLICK = 4;

export class Brush {
  /** @param {Timeline} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.depth = 0;
    /** @type {Map<number, { x: number }>} pointers that are down */
    this.down = new Map();
    /** @type {{ act: Act, from: number, before: Range | null, view: Range, moved: boolean } | null} */
    this.drag = null;
    this.handles = { start: handle("start"), end: handle("end") };
    timeline.plot.append(this.handles.start, this.handles.end);
    this.#listen();
  }

  /** Put the handles to the ends of the filter. @param {number} depth @param {(at: number) => number} place */
  put(depth, place) {
    const { brush, view } = this.timeline.picture;
    this.depth = depth;
    for (const side of /** @type {const} */ (["start", "end"])) {
      const node = this.handles[side];
      node.hidden = !brush || brush[side] < view.start || brush[side] > view.end;
      if (!brush) continue;
      node.style.left = `${place(brush[side])}px`;
      node.style.height = `${depth - 18}px`;
      node.setAttribute("aria-valuemin", String(Math.round(view.start)));
      node.setAttribute("aria-valuemax", String(Math.round(view.end)));
      node.setAttribute("aria-valuenow", String(brush[side]));
      const edge = side === "start" ? brush.start : brush.end - 1;
      node.setAttribute(
        "aria-valuetext",
        spanWords(unitStart(edge, this.timeline.grain), unitStart(edge, this.timeline.grain, 1)),
      );
    }
  }

  #listen() {
    const { plot } = this.timeline;
    plot.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.#begin(event));
    plot.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.#move(event));
    plot.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => this.#finish(event, true));
    plot.addEventListener("pointercancel", (/** @type {PointerEvent} */ event) => this.#finish(event, false));
    plot.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const side = event.target === this.handles.start ? "start" : event.target === this.handles.end ? "end" : null;
      if (side ? this.#handleKey(side, event) : this.#plotKey(event)) event.preventDefault();
    });
  }

  /** @param {PointerEvent} event */
  #begin(event) {
    if (event.button !== 0) return;
    const { timeline } = this;
    const x = this.timeline.pixels(event);
    this.down.set(event.pointerId, { x });
    timeline.plot.setPointerCapture(event.pointerId);
    const y = event.clientY - timeline.plot.getBoundingClientRect().top;
    this.drag = { act: this.#act(x, y), from: x, before: timeline.picture.brush, view: timeline.view, moved: false };
    if (this.down.size === 2) this.drag = { ...this.drag, act: "pan", from: this.#middle().x, view: timeline.view };
  }

  /** What dragging from a place does. @param {number} x @param {number} y @returns {Act} */
  #act(x, y) {
    if (y > this.depth) return "pan";
    const { brush } = this.timeline.picture;
    if (!brush) return "new";
    const ends = /** @type {const} */ (["start", "end"]).map((side) => ({
      side,
      far: Math.abs(x - this.#place(brush[side])),
    }));
    const near = ends.sort((one, other) => one.far - other.far)[0];
    if (near.far <= NEAR) return near.side;
    return x > this.#place(brush.start) && x < this.#place(brush.end) ? "move" : "new";
  }

  /** @param {number} at */
  #place(at) {
    const { view, width } = this.timeline.picture;
    return ((at - view.start) / (view.end - view.start)) * width;
  }

  /** The middle of two fingers, and how far they are apart. */
  #middle() {
    const [one, other] = [...this.down.values()];
    return { x: (one.x + other.x) / 2, apart: Math.max(20, Math.abs(one.x - other.x)) };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const held = this.down.get(event.pointerId);
    if (!held || !this.drag) return;
    const { timeline, drag } = this;
    const x = this.timeline.pixels(event);
    if (this.down.size === 2) {
      const before = this.#middle();
      held.x = x;
      const after = this.#middle();
      drag.moved = true;
      timeline.zoom(after.apart / before.apart, timeline.second(after.x));
      timeline.pan((before.x - after.x) / timeline.picture.width);
      return;
    }
    held.x = x;
    if (Math.abs(x - drag.from) > CLICK) drag.moved = true;
    if (drag.moved) this.#drag(x, drag);
  }

  /** @param {number} x @param {NonNullable<Brush["drag"]>} drag */
  #drag(x, drag) {
    const { timeline } = this;
    const perPixel = (drag.view.end - drag.view.start) / timeline.picture.width;
    if (drag.act === "pan") {
      const by = (drag.from - x) * perPixel;
      timeline.look({ start: drag.view.start + by, end: drag.view.end + by });
      return;
    }
    const from = drag.view.start + drag.from * perPixel;
    const to = drag.view.start + x * perPixel;
    const { before } = drag;
    if (drag.act === "new" || !before) {
      timeline.filter(timeline.snapped({ start: Math.min(from, to), end: Math.max(from, to) }));
    } else if (drag.act === "move") {
      const start = unitStart(before.start + to - from, timeline.grain);
      timeline.filter({
        start,
        end: Math.max(
          unitStart(start + before.end - before.start, timeline.grain),
          unitStart(start, timeline.grain, 1),
        ),
      });
    } else {
      const other = drag.act === "start" ? before.end : before.start;
      timeline.filter(timeline.snapped({ start: Math.min(to, other), end: Math.max(to, other) }));
    }
  }

  /** @param {PointerEvent} event @param {boolean} done */
  #finish(event, done) {
    this.down.delete(event.pointerId);
    const { drag, timeline } = this;
    if (!drag || this.down.size) return;
    this.drag = null;
    if (!done) timeline.filter(drag.before);
    else if (drag.moved && drag.act !== "pan") timeline.filterBy(timeline.picture.brush);
    else if (!drag.moved) this.#click(event);
  }

  /** @param {PointerEvent} event */
  #click(event) {
    for (const node of document.elementsFromPoint(event.clientX, event.clientY)) {
      const mark = node.closest("[data-mark]");
      if (mark) {
        this.timeline.hooks.picked(mark.getAttribute("data-mark")?.split(" ")[0] ?? "");
        return;
      }
    }
  }

  /** @param {KeyboardEvent} event whether it was for the plot */
  #plotKey(event) {
    const { timeline } = this;
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowLeft: () => timeline.pan(-0.1),
      ArrowRight: () => timeline.pan(0.1),
      "+": () => timeline.zoom(2),
      "=": () => timeline.zoom(2),
      "-": () => timeline.zoom(0.5),
      0: () => timeline.look(null),
      Home: () => timeline.look(null),
      Enter: () => this.#placeFilter(),
      b: () => this.#placeFilter(),
      Delete: () => timeline.filterBy(null),
      Backspace: () => timeline.filterBy(null),
    };
    const action = actions[event.key];
    action?.();
    return action !== undefined;
  }

  /** Put a filter on the middle of the view, for the keys to move. */
  #placeFilter() {
    const { timeline } = this;
    const { start, end } = timeline.view;
    const quarter = (end - start) / 4;
    if (!timeline.picture.brush) timeline.filterBy(timeline.snapped({ start: start + quarter, end: end - quarter }));
    this.handles.start.focus();
  }

  /** @param {"start" | "end"} side @param {KeyboardEvent} event whether it was for the handle */
  #handleKey(side, event) {
    const { timeline } = this;
    const { brush } = timeline.picture;
    if (!brush) return false;
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (steps !== undefined) {
      const moved = { ...brush, [side]: unitStart(brush[side], timeline.grain, steps) };
      if (moved.start < moved.end) timeline.filterBy(moved);
      return true;
    }
    if (event.key !== "Delete" && event.key !== "Backspace") return false;
    timeline.filterBy(null);
    timeline.plot.focus();
    return true;
  }
}

/** The handle of one end of the filter. @param {"start" | "end"} side */
function handle(side) {
  return el("div", {
    class: `handle ${side}`,
    role: "slider",
    tabindex: "0",
    hidden: true,
    "aria-label": side === "start" ? "Filter from" : "Filter to",
    "aria-orientation": "horizontal",
  });
}
