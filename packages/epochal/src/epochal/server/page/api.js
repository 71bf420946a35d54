// Requests to the server. Responses are cached while the index does not change, and serve when the network is down.

const KEPT = 60;
// Relative, so that the page also works below a path of a proxy.
const BASE = "api/v1/";
/** @type {Map<string, any>} */
const known = new Map();
/** @type {Map<string, any>} */
const early = new Map();
const INFO = "info";
/** How many documents lie where, over the whole index. */
export const COVERAGE = "coverage?bins=400&calendar=true";
let generation = -1;

/** A refusal or a failure, with a sentence for people. */
export class Problem extends Error {
  /**
   * @param {string} title
   * @param {string} detail
   * @param {number} status 0 where there was no answer
   * @param {number} [wait] seconds
   */
  constructor(title, detail, status, wait = 0) {
    super(detail);
    this.title = title;
    this.status = status;
    this.wait = wait;
  }
}

/**
 * What the server sent along with the page, in an element of JSON. GETs are known from then on, and a search is
 * answered by it once.
 * @param {string} id @returns {any}
 */
export function given(id) {
  const record = JSON.parse(document.getElementById(id)?.textContent || "{}");
  for (const [name, answer] of Object.entries({ [INFO]: record.info, [COVERAGE]: record.coverage })) {
    if (!answer) continue;
    generation = answer.generation;
    known.set(BASE + name, answer);
  }
  if (record.search) early.set(`search ${JSON.stringify(record.search.body)}`, record.search.answer);
  return record;
}

/**
 * What the server says to a GET; of things that change only with the index.
 * @param {string} path below /api/v1/
 * @param {Record<string, string | number | undefined>} [query] @param {AbortSignal} [signal]
 */
export function get(path, query = {}, signal) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") given.set(name, String(value));
  const address = given.size ? `${BASE}${path}?${given}` : BASE + path;
  return known.has(address) ? known.get(address) : keep(address, ask(address, { signal }));
}

/**
 * What the server says to a POST of JSON that changes nothing; where it cannot be reached, what it said before.
 * @param {string} path @param {unknown} body @param {AbortSignal} [signal]
 */
export async function post(path, body, signal) {
  const text = JSON.stringify(body);
  const key = `${path} ${text}`;
  if (early.has(key)) {
    known.set(key, early.get(key));
    early.delete(key);
    return known.get(key);
  }
  try {
    return await keep(key, ask(BASE + path, { ...posted(text), signal }));
  } catch (error) {
    if (error instanceof Problem && error.status === 0 && known.has(key)) return known.get(key);
    throw error;
  }
}

/**
 * An answer as it is written: a server-sent event each time, or the whole of it where the server does not stream.
 * @param {string} path @param {unknown} body @param {AbortSignal} signal
 * @returns {AsyncGenerator<{ event: string, data: any }>}
 */
export async function* stream(path, body, signal) {
  const reply = await reach(BASE + path, { ...posted(JSON.stringify(body)), signal });
  if (!reply.headers.get("Content-Type")?.startsWith("text/event-stream") || !reply.body) {
    yield { event: "answer", data: await reply.json() };
    return;
  }
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (rest + part.value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = /^event: ?(.*)$/m.exec(block)?.[1] ?? "message";
      const data = [...block.matchAll(/^data: ?(.*)$/gm)].map((match) => match[1]).join("\n");
      if (data) yield { event, data: JSON.parse(data) };
    }
  }
}

/**
 * Send JSON that changes documents.
 * @param {string} path @param {unknown} body @param {string} token
 */
export function send(path, body, token) {
  const { headers, ...rest } = posted(JSON.stringify(body));
  return ask(BASE + path, { ...rest, headers: { ...headers, Authorization: `Bearer ${token}` } });
}

/** @param {string} text */
function posted(text) {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: text };
}

/** @param {string} key @param {Promise<any>} pending */
async function keep(key, pending) {
  const answer = await pending;
  if (typeof answer.generation === "number" && answer.generation !== generation) {
    known.clear();
    generation = answer.generation;
  }
  if (known.size >= KEPT) known.delete(known.keys().next().value ?? "");
  known.set(key, answer);
  return answer;
}

/** @param {string} address @param {RequestInit} options */
async function ask(address, options) {
  return (await reach(address, options)).json();
}

/** @param {string} address @param {RequestInit} options */
async function reach(address, options) {
  let reply;
  try {
    reply = await fetch(address, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(
      "The server cannot be reached",
      "Check whether it still runs. The last results are still shown.",
      0,
    );
  }
  if (!reply.ok) throw await problemOf(reply);
  return reply;
}

/** @param {Response} reply */
async function problemOf(reply) {
  const wait = Number(reply.headers.get("Retry-After")) || 0;
  let details = { title: "", detail: "" };
  if (reply.headers.get("Content-Type")?.includes("json")) details = await reply.json();
  const title = reply.status === 429 ? "The server is busy" : details.title || `The server answered ${reply.status}`;
  return new Problem(title, String(details.detail ?? ""), reply.status, wait);
}
