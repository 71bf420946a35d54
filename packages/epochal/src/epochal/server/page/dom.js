// Elements from values. Texts go through textContent alone: nothing that a document says is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */
/**
 * @typedef {Record<string, unknown> & { on?: Record<string, (event: any) => void> }} Props
 * Attributes; `true` sets an empty one, null and false leave it out. `on` holds listeners.
 */

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {Props} [props] @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function el(name, props = {}, ...children) {
  return fill(document.createElement(name), props, children);
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name @param {Props} [props] @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function svg(name, props = {}, ...children) {
  return fill(/** @type {SVGElementTagNameMap[Name]} */ (document.createElementNS(SVG, name)), props, children);
}

/**
 * @template {Element} Made
 * @param {Made} node @param {Props} props @param {(Child | Child[])[]} children
 */
function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name === "on") {
      for (const [kind, listener] of Object.entries(props.on ?? {})) node.addEventListener(kind, listener);
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  add(node, children);
  return node;
}

/** @param {Element} node @param {(Child | Child[])[]} children */
export function add(node, children) {
  for (const child of children.flat(2)) {
    if (child !== null && child !== undefined && child !== false)
      node.append(child instanceof Node ? child : String(child));
  }
}

/** An icon of icons.svg; what it means is said beside it or by the label of its button. @param {string} name */
export function icon(name) {
  return svg(
    "svg",
    { class: "icon", "aria-hidden": "true", focusable: "false" },
    svg("use", { href: `static/icons.svg#${name}` }),
  );
}

/**
 * The button of a chip that leaves out what it says.
 * @param {string} words @param {() => void} drop @param {string} [action] @param {string} [image]
 */
export function dropButton(words, drop, action = "Leave out", image = "close") {
  return el(
    "button",
    { type: "button", class: "chip-drop", "aria-label": `${action}: ${words}`, title: action, on: { click: drop } },
    icon(image),
  );
}

/**
 * An element that must be in the page.
 * @param {string} id @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

/** Replace what an element holds. @param {Element} node @param {...(Child | Child[])} children */
export function put(node, ...children) {
  node.replaceChildren();
  add(node, children);
}

/**
 * A function that calls the action once its own calls have paused.
 * @template {any[]} Arguments
 * @param {(...given: Arguments) => void} action @param {number} pause milliseconds
 */
export function debounce(action, pause) {
  let timer = 0;
  return (/** @type {Arguments} */ ...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), pause);
  };
}
