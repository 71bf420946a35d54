// The shapes of the server's JSON, as far as the page reads them. docs/reference/json.md has every key.

/** @typedef {{ span: string, start: number | null, end: number | null }} SpanRecord */
/** @typedef {SpanRecord & { words: string }} PeriodRecord */
/**
 * @typedef {SpanRecord & { axis: string, text: string, start_char: number, end_char: number, context: string,
 *   match: number, local: number }} Evidence
 */
/**
 * @typedef {SpanRecord & { provenance: "stated" | "carried" | "published" | "valid" | "estimated", text: string,
 *   start_char: number, end_char: number, source: string | null, match: number | null }} HitTime
 */
/** @typedef {SpanRecord & { relation: string, axis: string, evidence: { text: string } | null }} Constraint */
/**
 * @typedef {object} Understanding
 * @property {string} intent
 * @property {string} answer_kind
 * @property {string} recency
 * @property {string} temporal_class
 * @property {string} temporal_focus
 * @property {Constraint[]} constraints
 * @property {PeriodRecord[]} periods
 * @property {boolean} cross_period
 * @property {boolean} is_temporal
 * @property {string} topic
 */
/**
 * @typedef {{ id: string, text: string, title?: string, published?: string | SpanRecord & { edtf: string },
 *   valid?: string | SpanRecord & { edtf: string }, series?: string, meta?: Record<string, unknown> }} DocumentRow
 */
/**
 * @typedef {object} Hit
 * @property {string} id
 * @property {number} score
 * @property {Record<string, number>} parts
 * @property {string} passage
 * @property {number} passage_start
 * @property {Evidence[]} evidence
 * @property {HitTime[]} times
 * @property {SpanRecord | null} period
 * @property {string | null} superseded_by
 * @property {string[]} folded
 * @property {number | null} relevance
 * @property {DocumentRow} document
 */
/**
 * @typedef {object} Found the answer to a search
 * @property {string} question
 * @property {string | null} now
 * @property {"recorded" | "none_recorded" | "not_covered" | "topic_unknown" | "no_window"} outcome
 * @property {string[]} unknown_words
 * @property {Hit[]} hits
 * @property {{ name: string, sentence: string, strict: boolean, span: SpanRecord | null }[]} applied
 * @property {Record<string, number>} hidden
 * @property {Understanding} understanding
 * @property {Understanding} [read] as the question reads, where the search was told otherwise
 * @property {number | null} total how many documents answer
 * @property {boolean} total_is_lower_bound whether there are at least so many, and likely more
 * @property {{ times: [number, number][], undated: number, words: [number, number][][],
 *   fields: Record<string, { value: string | number | boolean, count: number }[]> }} overview of all that answer
 * @property {number} took_ms
 */
/**
 * @typedef {{ version: string, documents: number, encoder: string | null, answers: boolean, bench?: boolean,
 *   title: string, language: string, examples: string[], writable: boolean, first: string | null,
 *   last: string | null, reigns: { name: string, title: string }[] }} Info
 */
/** @typedef {{ id: string, title?: string, published: string | null, valid: string | null }} Version */

export {};
