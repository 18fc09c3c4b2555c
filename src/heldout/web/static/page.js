// What every page shares: elements without markup, requests with the page's token, the theme, and a line that says what happened.

/** An element. Text stays text: nothing here ever parses markup. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A bar of parts, as SVG: a style attribute would not pass the page's policy. */
export function share(parts) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", "share");
  svg.setAttribute("aria-hidden", "true");
  let at = 0;
  for (const [name, part] of [["track", 1], ...parts]) {
    const rect = document.createElementNS(space, "rect");
    rect.setAttribute("class", name);
    rect.setAttribute("x", name === "track" ? "0" : `${100 * at}%`);
    rect.setAttribute("width", `${100 * part}%`);
    rect.setAttribute("height", "3");
    rect.setAttribute("rx", "1.5");
    svg.append(rect);
    if (name !== "track") at += part;
  }
  return svg;
}

export const number = (value) => value.toLocaleString("en-US");
export const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

export class Refused extends Error {
  constructor(data) {
    super(data.message);
    this.slug = data.error;
    this.hint = data.hint;
  }
}

async function asked(response) {
  const data = await response.json().catch(() => ({ error: "no-answer", message: "the server gave no answer" }));
  if (!response.ok) throw new Refused(data);
  return data;
}

export async function get(path, query = {}, signal = undefined) {
  const text = new URLSearchParams(query).toString();
  return asked(await fetch(text ? `${path}?${text}` : path, { signal }));
}

export async function post(path, body) {
  const token = document.querySelector('meta[name="heldout-token"]').content;
  const headers = { "Content-Type": "application/json", "X-Heldout-Token": token };
  return asked(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

let hiding = 0;
/** Say what happened, to eyes and to screen readers. */
export function say(text, failed = false) {
  const toast = document.getElementById("toast");
  toast.textContent = text;
  toast.className = failed ? "toast shown failed" : "toast shown";
  clearTimeout(hiding);
  hiding = setTimeout(() => { toast.className = "toast"; }, failed ? 9000 : 5000);
}

/** Say it to screen readers alone: eyes see it happen. */
export function announce(text) {
  const toast = document.getElementById("toast");
  clearTimeout(hiding);
  toast.className = "toast";
  toast.textContent = text;
}

export const failure = (error) => say(error.hint ? `${error.message}. Try: ${error.hint}` : error.message, true);

/** Counts of one column: matched of total, and what nobody could check. */
export function countCell(counted) {
  const total = counted.total || 1;
  const sampled = counted.sample ? `, sample ${number(counted.sample.drawn)}` : "";
  return [
    h("b", {}, number(counted.matched)), h("span", { class: "of" }, ` of ${number(counted.total)}${sampled}`),
    counted.unevaluable ? h("span", { class: "warn" }, `, ${number(counted.unevaluable)} unevaluable`) : null,
    share([["fill", counted.matched / total], ["doubt", counted.unevaluable / total]]),
  ].filter(Boolean);
}

const THEMES = ["", "light", "dark"];
const theme = document.getElementById("theme");
function showTheme() {
  theme.querySelector("span").textContent = document.documentElement.dataset.theme || "auto";
}
theme.addEventListener("click", () => {
  const now = document.documentElement.dataset.theme || "";
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  if (next) document.documentElement.dataset.theme = next;
  else delete document.documentElement.dataset.theme;
  document.cookie = `heldout-theme=${next}; SameSite=Strict; Path=/; Max-Age=31536000`;
  showTheme();
});
showTheme();
