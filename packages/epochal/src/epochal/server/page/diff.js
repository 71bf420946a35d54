// The difference of two texts: paragraphs first, then words within paragraphs that changed; those that moved are found.

/** @typedef {{ kind: "same" | "removed" | "added", text: string }} Part */
/**
 * @typedef {object} Row a paragraph on either side, or on both
 * @property {"same" | "changed" | "removed" | "added" | "moved"} kind
 * @property {Part[] | null} left null where it is on the other side only
 * @property {Part[] | null} right
 * @property {number} [place] of the row that a moved paragraph has on the other side
 */

/** Paragraphs that share this much of their words are versions of one another. */
const ALIKE = 0.4;
/** A paragraph that moved is the same but for a few words, and long enough not to be alike by chance. */
const MOVED = 0.85;
const LEAST_MOVED = 25;
/** Longer lines are compared sentence by sentence. */
const LONG = 600;
/** More edits than this are not searched for: what differs there is replaced. */
const MOST_EDITS = 1500;

/** @param {string} before @param {string} after @returns {Row[]} */
export function compareTexts(before, after) {
  const left = units(before);
  const right = units(after);
  /** @type {Row[]} */
  const rows = [];
  let removed = [];
  let added = [];
  const flush = () => {
    rows.push(...pairUp(removed, added));
    removed = [];
    added = [];
  };
  for (const [kind, unit] of align(left, right)) {
    if (kind === "removed") removed.push(unit);
    else if (kind === "added") added.push(unit);
    else {
      flush();
      rows.push({ kind: "same", left: [part("same", unit)], right: [part("same", unit)] });
    }
  }
  flush();
  const found = findMoved(rows);
  known.clear();
  return found;
}

/** The paragraphs of a text; sentences of long ones. @param {string} text */
function units(text) {
  return text
    .split(/\n+/)
    .flatMap((line) => (line.length > LONG ? line.split(/(?<=[.!?;。！？；])\s*(?=\S)/) : [line]))
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter(Boolean);
}

/** @param {Part["kind"]} kind @param {string} text @returns {Part} */
function part(kind, text) {
  return { kind, text };
}

/** @param {string} text */
function words(text) {
  return text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+(?:['’.-][\p{L}\p{N}]+)*|\s+|./gu) ?? [];
}

/**
 * Both lists as one, each item the same, removed or added; what only one side has in full is kept in order.
 * Items that each side has once are matched first, which splits long lists; the rest is compared exactly.
 * @param {string[]} left @param {string[]} right @returns {[Part["kind"], string][]}
 */
function align(left, right) {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const inLeft = left.slice(start, left.length - end);
  const inRight = right.slice(start, right.length - end);
  return [
    .../** @type {[Part["kind"], string][]} */ (left.slice(0, start).map((item) => ["same", item])),
    ...alignInner(inLeft, inRight),
    .../** @type {[Part["kind"], string][]} */ (left.slice(left.length - end).map((item) => ["same", item])),
  ];
}

/** @param {string[]} left @param {string[]} right @returns {[Part["kind"], string][]} */
function alignInner(left, right) {
  const anchors = left.length && right.length ? uniqueMatches(left, right) : [];
  if (!anchors.length) return shortestEdits(left, right);
  /** @type {[Part["kind"], string][]} */
  const found = [];
  let [fromLeft, fromRight] = [0, 0];
  for (const [atLeft, atRight] of anchors) {
    found.push(...align(left.slice(fromLeft, atLeft), right.slice(fromRight, atRight)), ["same", left[atLeft]]);
    [fromLeft, fromRight] = [atLeft + 1, atRight + 1];
  }
  return [...found, ...align(left.slice(fromLeft), right.slice(fromRight))];
}

/**
 * Places of items that both sides have once, in an order that both sides have: the longest such row.
 * @param {string[]} left @param {string[]} right
 */
function uniqueMatches(left, right) {
  const once = (/** @type {string[]} */ items) => {
    const places = new Map();
    items.forEach((item, place) => places.set(item, places.has(item) ? -1 : place));
    return places;
  };
  const inRight = once(right);
  const pairs = [...once(left)]
    .map(([item, place]) => [place, inRight.get(item) ?? -1])
    .filter(([one, other]) => one >= 0 && other >= 0)
    .sort(([one], [other]) => one - other);
  /** @type {number[]} the pair that ends the best row of each length */
  const ends = [];
  /** @type {number[]} */
  const before = [];
  pairs.forEach(([, at], place) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]][1] < at) low = middle + 1;
      else high = middle;
    }
    before[place] = low ? ends[low - 1] : -1;
    ends[low] = place;
  });
  const row = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]) row.unshift(pairs[at]);
  return row;
}

/**
 * The fewest removals and additions, by the algorithm of Myers.
 * @param {string[]} left @param {string[]} right @returns {[Part["kind"], string][]}
 */
function shortestEdits(left, right) {
  const trace = left.length && right.length ? findTrace(left, right) : null;
  if (!trace)
    return [...left.map((item) => /** @type {any} */ (["removed", item])), ...right.map((item) => ["added", item])];
  /** @type {[Part["kind"], string][]} */
  const found = [];
  let [x, y] = [left.length, right.length];
  for (let edits = trace.length - 1; edits > 0; edits -= 1) {
    const reached = trace[edits - 1];
    const diagonal = x - y;
    const down = diagonal === -edits || (diagonal !== edits && get(reached, diagonal - 1) < get(reached, diagonal + 1));
    const from = diagonal + (down ? 1 : -1);
    const [startX, startY] = [get(reached, from), get(reached, from) - from];
    while (x > startX + (down ? 0 : 1) && y > startY + (down ? 1 : 0)) found.push(["same", left[--x]]), (y -= 1);
    found.push(down ? ["added", right[--y]] : ["removed", left[--x]]);
  }
  while (x > 0 && y > 0) found.push(["same", left[--x]]), (y -= 1);
  return found.reverse();
}

/** @param {Map<number, number>} reached @param {number} diagonal */
function get(reached, diagonal) {
  return reached.get(diagonal) ?? -1;
}

/** How far each diagonal is reached by each number of edits; null where there are too many. @param {string[]} left @param {string[]} right */
function findTrace(left, right) {
  /** @type {Map<number, number>[]} */
  const trace = [];
  let reached = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(MOST_EDITS, left.length + right.length); edits += 1) {
    const next = new Map();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = diagonal === -edits || (diagonal !== edits && get(reached, diagonal - 1) < get(reached, diagonal + 1));
      let x = down ? get(reached, diagonal + 1) : get(reached, diagonal - 1) + 1;
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= left.length && x - diagonal >= right.length) return [...trace, next];
    }
    trace.push(next);
    reached = next;
  }
  return null;
}

/** Paragraphs between two that stayed: those that are alike face each other. @param {string[]} removed @param {string[]} added */
function pairUp(removed, added) {
  /** @type {Row[]} */
  const rows = [];
  let at = 0;
  const only = (/** @type {"removed" | "added"} */ kind, /** @type {string} */ unit) =>
    rows.push({
      kind,
      left: kind === "removed" ? [part(kind, unit)] : null,
      right: kind === "added" ? [part(kind, unit)] : null,
    });
  for (const unit of removed) {
    const best = added.slice(at).reduce((top, other, place) => {
      const share = likeness(unit, other);
      return share > top.share ? { share, place: at + place } : top;
    }, { share: 0, place: -1 });
    if (best.share < ALIKE) {
      only("removed", unit);
      continue;
    }
    while (at < best.place) only("added", added[at++]);
    rows.push(compareWords(unit, added[at++]));
  }
  while (at < added.length) only("added", added[at++]);
  return rows;
}

/** @type {Map<string, string[]>} the words of paragraphs that are compared with many others */
const known = new Map();

/** @param {string} text */
function plainWords(text) {
  const found = known.get(text) ?? words(text.toLowerCase()).filter((word) => word.trim());
  known.set(text, found);
  return found;
}

/** The share of words that two texts have in common. @param {string} one @param {string} other */
function likeness(one, other) {
  const [left, right] = [plainWords(one), plainWords(other)];
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  // With so few words on one side not even all of them would make the two alike.
  if (!short.length || (2 * short.length) / (short.length + long.length) < ALIKE) return 0;
  const counts = new Map();
  for (const word of left) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of right) {
    const count = counts.get(word) ?? 0;
    if (count) shared += 1;
    counts.set(word, count - (count ? 1 : 0));
  }
  return (2 * shared) / (left.length + right.length);
}

/** Two versions of a paragraph, by words. @param {string} before @param {string} after @returns {Row} */
function compareWords(before, after) {
  /** @type {Part[]} */
  const parts = [];
  for (const [kind, word] of align(words(before), words(after))) {
    if (parts.at(-1)?.kind === kind) parts[parts.length - 1].text += word;
    else parts.push(part(kind, word));
  }
  return {
    kind: "changed",
    left: parts.filter((item) => item.kind !== "added"),
    right: parts.filter((item) => item.kind !== "removed"),
  };
}

/** Mark paragraphs that were taken out here and put in there as moved. @param {Row[]} rows */
function findMoved(rows) {
  const text = (/** @type {Part[] | null} */ parts) => parts?.map((item) => item.text).join("") ?? "";
  const added = rows.flatMap((row, place) => (row.kind === "added" ? [place] : []));
  rows.forEach((row, place) => {
    if (row.kind !== "removed" || text(row.left).length < LEAST_MOVED) return;
    const found = added.find(
      (other) => rows[other].kind === "added" && likeness(text(row.left), text(rows[other].right)) >= MOVED,
    );
    if (found === undefined) return;
    const { left, right } = compareWords(text(row.left), text(rows[found].right));
    rows[place] = { kind: "moved", left, right: null, place: found };
    rows[found] = { kind: "moved", left: null, right, place };
  });
  return rows;
}
