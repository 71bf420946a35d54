// What this browser remembers of a person's choices; nothing where it keeps nothing.

/** @param {string} name */
export function recall(name) {
  try {
    return localStorage.getItem(`epochal-${name}`) ?? "";
  } catch (error) {
    if (error instanceof DOMException) return "";
    throw error;
  }
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
  try {
    localStorage.setItem(`epochal-${name}`, value);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
