// Light or dark: as the system has it, until somebody says otherwise. It runs before the first paint, so that nothing
// flashes.
"use strict";

(() => {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function recalled() {
    try {
      return localStorage.getItem("epochal-theme");
    } catch (error) {
      if (error instanceof DOMException) return null;
      throw error;
    }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
  }

  const chosen = recalled();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const tell = () => button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem("epochal-theme", root.dataset.theme);
      } catch (error) {
        if (!(error instanceof DOMException)) throw error;
      }
      tell();
    });
    dark.addEventListener("change", tell);
    tell();
  });
})();
