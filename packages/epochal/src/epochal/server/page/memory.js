// What this browser remembers of a person's choices; nothing where it keeps nothing.

/** @param {string} name @param {{ tab?: boolean }} [how] of this tab alone */
export function recall(name, { tab = false } = {}) {
  try {
    return (tab ? sessionStorage : localStorage).getItem(`epochal-${name}`) ?? "";
  } catch (error) {
    if (error instanceof DOMException) return "";
    throw error;
  }
}

/** @param {string} name @param {string} value @param {{ tab?: boolean }} [how] for this tab alone */
export function remember(name, value, { tab = false } = {}) {
  try {
    (tab ? sessionStorage : localStorage).setItem(`epochal-${name}`, value);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
