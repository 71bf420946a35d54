// Seconds on the proleptic Gregorian axis, as the server counts them, to dates, EDTF text and words; and back.
// Years are astronomical: 0 is 1 BCE, -721 is 722 BCE.

export const DAY = 86400;
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** @typedef {"day" | "month" | "year" | "decade" | "century"} Grain */
/** @typedef {{ start: number, end: number }} Range  closed span of seconds, the end exclusive */

/**
 * The number of days from 1970-01-01 to a date.
 * @param {number} year @param {number} [month] from 1 @param {number} [day]
 */
export function dayNumber(year, month = 1, day = 1) {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const inEra = y - era * 400;
  const inYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146097 + inEra * 365 + Math.floor(inEra / 4) - Math.floor(inEra / 100) + inYear - 719468;
}

/**
 * The date of a second.
 * @param {number} seconds
 */
export function dateOf(seconds) {
  const shifted = Math.floor(seconds / DAY) + 719468;
  const era = Math.floor(shifted / 146097);
  const inEra = shifted - era * 146097;
  const years = Math.floor(
    (inEra - Math.floor(inEra / 1460) + Math.floor(inEra / 36524) - Math.floor(inEra / 146096)) / 365,
  );
  const inYear = inEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100));
  const place = Math.floor((5 * inYear + 2) / 153);
  const month = place < 10 ? place + 3 : place - 9;
  return {
    year: years + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: inYear - Math.floor((153 * place + 2) / 5) + 1,
  };
}

/**
 * The first second of a year, month or day.
 * @param {number} year @param {number} [month] may run over: 13 is January of the next year @param {number} [day]
 */
export function secondOf(year, month = 1, day = 1) {
  const over = Math.floor((month - 1) / 12);
  return dayNumber(year + over, month - over * 12, day) * DAY;
}

/**
 * The first second of the unit of a grain that a second lies in, or of a later one.
 * @param {number} seconds @param {Grain} grain @param {number} [later] so many units later
 */
export function unitStart(seconds, grain, later = 0) {
  const { year, month } = dateOf(seconds);
  if (grain === "day") return (Math.floor(seconds / DAY) + later) * DAY;
  if (grain === "month") return secondOf(year, month + later);
  const years = grain === "year" ? 1 : grain === "decade" ? 10 : 100;
  return secondOf((Math.floor(year / years) + later) * years);
}

/**
 * A year as people count it.
 * @param {number} year
 */
export function yearWords(year) {
  if (year <= 0) return `${grouped(1 - year)} BCE`;
  return year < 1000 || year > 9999 ? `${grouped(year)} CE` : String(year);
}

/** @param {number} year */
function grouped(year) {
  return year > 9999 ? year.toLocaleString("en-GB") : String(year);
}

/**
 * A number of documents and the like.
 * @param {number} count @param {string} noun @param {string} [plural]
 */
export function counted(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? noun : plural}`;
}

/**
 * The month of a number from 1, in three letters.
 * @param {number} month
 */
export function monthName(month) {
  return MONTHS[month - 1].slice(0, 3);
}

/** @param {number} year */
function edtfYear(year) {
  if (Math.abs(year) > 9999) return `Y${year}`;
  return (year < 0 ? "-" : "") + String(Math.abs(year)).padStart(4, "0");
}

/**
 * The unit of a grain that a second lies in, as EDTF text; decades and centuries as their first year.
 * @param {number} seconds @param {Grain} grain
 */
export function edtfOf(seconds, grain) {
  const { year, month, day } = dateOf(seconds);
  const text = edtfYear(year);
  // EDTF has no months of years with more than four digits.
  if (Math.abs(year) > 9999 || (grain !== "day" && grain !== "month")) return text;
  const months = `${text}-${String(month).padStart(2, "0")}`;
  return grain === "month" ? months : `${months}-${String(day).padStart(2, "0")}`;
}

/**
 * A range as EDTF text: one unit where it is one, else the first and the last.
 * @param {Range} range @param {Grain} grain that both ends keep to
 */
export function edtfRange({ start, end }, grain) {
  const first = edtfOf(start, grain);
  const last = edtfOf(end - 1, grain);
  return first === last ? first : `${first}/${last}`;
}

/**
 * The range of a plain EDTF text (a year, month or day, or two of them); null for any other form.
 * @param {string} text @returns {Range | null}
 */
export function plainRange(text) {
  const [first, last, ...more] = text.split("/").map(plainUnit);
  if (more.length || !first || (text.includes("/") && !last)) return null;
  const range = { start: first.start, end: (last ?? first).end };
  return range.start < range.end ? range : null;
}

/** A moment to the minute or the second; without an offset it is in UTC. */
const MOMENT = /^(-?\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?:Z|([+-])([01]\d):([0-5]\d))?$/;

/** @param {string} text @returns {Range | null} */
function plainMoment(text) {
  const parts = MOMENT.exec(text);
  const date = parts && plainUnit(parts[1]);
  if (!parts || !date) return null;
  const [hours, minutes, seconds, aheadHours, aheadMinutes] = [2, 3, 4, 6, 7].map((place) => Number(parts[place] ?? 0));
  const ahead = (parts[5] === "-" ? -60 : 60) * (60 * aheadHours + aheadMinutes);
  const start = date.start + 3600 * hours + 60 * minutes + seconds - ahead;
  return { start, end: start + (parts[4] === undefined ? 60 : 1) };
}

/** @param {string} text @returns {Range | null} */
function plainUnit(text) {
  if (text.includes("T")) return plainMoment(text);
  const long = /^Y(-?\d{5,9})$/.exec(text);
  if (long) return { start: secondOf(Number(long[1])), end: secondOf(Number(long[1]) + 1) };
  const parts = /^(-?\d{4})(?:-(0[1-9]|1[0-2])(?:-([0-2]\d|3[01]))?)?$/.exec(text);
  if (!parts) return null;
  const [year, month, day] = parts.slice(1).map((part) => (part === undefined ? 0 : Number(part)));
  if (!month) return { start: secondOf(year), end: secondOf(year + 1) };
  if (!day) return { start: secondOf(year, month), end: secondOf(year, month + 1) };
  const start = secondOf(year, month, day);
  return dateOf(start).month === month ? { start, end: start + DAY } : null;
}

/**
 * A span in words; open where an end is null.
 * @param {number | null} start @param {number | null} end exclusive
 * @param {string} [edtf] whose signs of doubt are said
 */
export function spanWords(start, end, edtf = "") {
  if (start === null && end === null) return "any time";
  if (start === null)
    return `until ${edgeWords(/** @type {number} */ (end) - 1, edgeGrain(/** @type {number} */ (end)))}`;
  if (end === null) return `since ${edgeWords(start, edgeGrain(start))}`;
  const hedge = edtf.includes("?") || edtf.includes("%") ? "perhaps " : edtf.includes("~") ? "about " : "";
  return hedge + rangeWords(start, end);
}

/**
 * An EDTF text in words, as far as it is plain; else as it is.
 * @param {string} edtf
 */
export function edtfWords(edtf) {
  const [first, last] = edtf.replace(/[~?%]/g, "").split("/");
  if (last === ".." || first === "..") {
    const range = plainRange(last === ".." ? first : last);
    return range ? spanWords(last === ".." ? range.start : null, last === ".." ? null : range.end) : edtf;
  }
  const range = plainRange(edtf.replace(/[~?%]/g, ""));
  return range ? spanWords(range.start, range.end, edtf) : edtf;
}

/** @param {number} start @param {number} end */
function rangeWords(start, end) {
  if (end - start < DAY) return `${edgeWords(start, "day")}, ${clock(start, end)} UTC`;
  const grains = [edgeGrain(start), edgeGrain(end)];
  const grain = /** @type {Grain} */ (
    ["day", "month", "year"].find((name) => grains.includes(/** @type {Grain} */ (name)))
  );
  const first = edgeWords(start, grain);
  const last = edgeWords(end - 1, grain);
  if (first === last) return first;
  const years = dateOf(end).year - dateOf(start).year;
  if (grain === "year" && years === 10 && dateOf(start).year % 10 === 0 && start > secondOf(1000))
    return `the ${first}s`;
  return `${first} to ${last}`;
}

/** The coarsest unit that begins at a second. @param {number} seconds @returns {Grain} */
function edgeGrain(seconds) {
  const { month, day } = dateOf(seconds);
  if (day !== 1 || seconds % DAY !== 0) return "day";
  return month === 1 ? "year" : "month";
}

/** @param {number} seconds @param {Grain} grain */
function edgeWords(seconds, grain) {
  const { year, month, day } = dateOf(seconds);
  if (grain === "day") return `${day} ${MONTHS[month - 1]} ${yearWords(year)}`;
  return grain === "month" ? `${MONTHS[month - 1]} ${yearWords(year)}` : yearWords(year);
}

/** The time of day: to the second or the minute, or from when to when. @param {number} start @param {number} end */
function clock(start, end) {
  const shown = (/** @type {number} */ at, /** @type {number} */ length) =>
    new Date((((at % DAY) + DAY) % DAY) * 1000).toISOString().slice(11, 11 + length);
  if (end - start === 1) return shown(start, 8);
  return end - start <= 60 ? shown(start, 5) : `${shown(start, 5)} to ${shown(end, 5)}`;
}
