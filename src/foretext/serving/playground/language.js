// The language of the page: from the browser, or as chosen and remembered.

import general from "./words.en.js";
import tasks from "./words.tasks.en.js";
import tasksInChinese from "./words.tasks.zh.js";
import generalInChinese from "./words.zh.js";

const english = { ...general, ...tasks };
const chinese = { ...generalInChinese, ...tasksInChinese };
const WORDS = { en: english, zh: chinese };
const KEPT = "foretext.language";

let chosen = localStorage.getItem(KEPT) ?? preferred();

function preferred() {
  return navigator.languages.find((name) => name.slice(0, 2) in WORDS)?.slice(0, 2) ?? "en";
}

export const language = () => chosen;

export function setLanguage(name) {
  chosen = name in WORDS ? name : "en";
  localStorage.setItem(KEPT, chosen);
}

export const has = (key) => key in english;

/** The text of a key; "{count}" in it becomes values.count. */
export function t(key, values = {}) {
  const text = WORDS[chosen]?.[key] ?? english[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** A number as the language writes it. */
export function number(value, digits = 0) {
  const form = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(chosen, form).format(value);
}

/** Fill in the texts of what stands in index.html, by data-text and data-label. */
export function translatePage() {
  document.documentElement.lang = chosen === "zh" ? "zh-Hans" : chosen;
  for (const element of document.querySelectorAll("[data-text]")) {
    element.textContent = t(element.dataset.text);
  }
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.dataset.label));
  }
}
