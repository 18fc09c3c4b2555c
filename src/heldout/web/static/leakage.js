// Findings: filters that the server applies, a list of any length, both texts, and decisions by key.
import { failure, get, h, number, plural, post, say } from "./page.js";
import { kindText, pane, row } from "./finding.js";
import { VirtualList } from "./virtual_list.js";

const filters = document.getElementById("filters");
const detail = document.getElementById("detail");
const summary = document.getElementById("summary");
const viewport = document.getElementById("list");
const dialog = document.getElementById("decide");
const help = document.getElementById("help");
const singleKeys = document.getElementById("single-keys");
const FACETS = [["kind", "Kind"], ["severity", "Severity"], ["decision", "Decision"], ["dataset", "Dataset"], ["split", "Split"]];
const MOST_VALUES = 24;

let chosen = {};
let source = "";
let shown = null;
let about = null;
let asking = null;
let reading = null;

/** The filter as the server and the address bar know it. */
function query() {
  const found = new URLSearchParams();
  const text = filters.elements.q.value.trim();
  if (text) found.set("q", text);
  if (filters.elements.holdout.checked) found.set("holdout", "1");
  if (source) found.set("source", source);
  for (const [name, values] of Object.entries(chosen)) values.forEach((value) => found.append(name, value));
  return found;
}

function fromAddress() {
  const found = new URLSearchParams(location.search);
  filters.elements.q.value = found.get("q") ?? "";
  filters.elements.holdout.checked = found.get("holdout") === "1";
  source = found.get("source") ?? "";
  chosen = Object.fromEntries(FACETS.map(([name]) => [name, new Set(found.getAll(name))]));
}

const list = new VirtualList(viewport, {
  load: async (offset, limit) => (await page(offset, limit)).rows,
  draw: row,
  chosen: (item) => read(item.id),
});

function page(offset, limit, signal) {
  const wanted = query();
  wanted.set("offset", offset);
  wanted.set("limit", limit);
  return get("/api/findings", wanted, signal);
}

/** Ask again. `keep` stays at the row where somebody is; without it the first row is read. */
async function search({ keep = false } = {}) {
  asking?.abort();
  asking = new AbortController();
  const wanted = query().toString();
  history.replaceState(null, "", wanted ? `/leakage?${wanted}` : "/leakage");
  try {
    const found = await page(0, 100, asking.signal);
    const at = keep ? Math.max(list.active, 0) : 0;
    list.clear(found.matching, found.rows);
    describe(found);
    drawFacets(found.facets);
    if (!keep) viewport.scrollTop = 0;
    if (found.matching) await list.choose(at, { focus: false });
    else { list.active = -1; shown = null; viewport.removeAttribute("aria-activedescendant"); detail.replaceChildren(h("p", { class: "muted" }, "Nothing to read.")); }
    document.documentElement.dataset.searched = String(Number(document.documentElement.dataset.searched ?? 0) + 1);
  } catch (error) {
    if (error.name === "AbortError") return;
    summary.textContent = error.message;
    failure(error);
  }
}

function describe(found) {
  if (!found.recorded) { summary.textContent = "no scan record is committed, so nothing is known"; return; }
  const of = found.matching === found.total ? "" : ` of ${number(found.total)}`;
  summary.textContent = `${number(found.matching)}${of} in ${number(found.families)} ${found.families === 1 ? "family" : "families"}, ${number(found.contaminations)} contaminate a holdout`;
}

function drawFacets(facets) {
  const focused = document.activeElement?.dataset?.facetValue;
  document.getElementById("facets").replaceChildren(...FACETS.map(([name, title]) => {
    const counts = facets[name] ?? {};
    const values = [...new Set([...Object.keys(counts), ...chosen[name]])];
    const boxes = values.slice(0, MOST_VALUES).map((value) => h("label", { class: "check" },
      h("input", { type: "checkbox", name, value, checked: chosen[name].has(value), "data-facet-value": `${name} ${value}` }),
      h("span", { title: value }, value.replaceAll("_", " ")), h("span", { class: "count" }, number(counts[value] ?? 0))));
    return boxes.length ? h("fieldset", {}, h("legend", {}, title), boxes) : null;
  }).filter(Boolean));
  document.querySelector('[data-facet="holdout"]').textContent = number(facets.holdout?.contamination ?? 0);
  document.querySelectorAll("[data-source]").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.source === source)));
  if (focused) document.querySelector(`[data-facet-value="${CSS.escape(focused)}"]`)?.focus();
}

async function read(id) {
  reading?.abort();
  reading = new AbortController();
  const { signal } = reading;
  try {
    await new Promise((resolve) => { setTimeout(resolve, 30); });
    if (signal.aborted) return;
    const item = await get("/api/finding", { id }, signal);
    shown = item;
    detail.replaceChildren(...pane(item, actions(item)));
    detail.scrollTop = 0;
    detail.dataset.id = id;
  } catch (error) {
    if (error.name === "AbortError") return;
    shown = null;
    detail.replaceChildren(h("p", { class: "problem" }, error.message));
  }
}

function actions(item) {
  const accepted = item.review?.decision === "accepted";
  const waits = item.review?.standing === "awaits_reviewer" || item.review?.standing === "not_agreed";
  return [
    accepted
      ? h("button", { type: "button", onclick: () => ask("reopened") }, "Reopen… ", h("kbd", {}, "r"))
      : h("button", { type: "button", class: "primary", onclick: () => ask("accepted") }, "Accept… ", h("kbd", {}, "a")),
    accepted && waits && !item.review.reviewer ? h("button", { type: "button", onclick: agree }, "Agree as reviewer") : null,
    h("button", { type: "button", class: "quiet", onclick: undo }, "Undo last ", h("kbd", {}, "u")),
  ].filter(Boolean);
}

function ask(decision) {
  // The row that is chosen, not the texts that are shown: those of the row before may still stand there.
  about = list.row(list.active);
  if (!about || dialog.open) return;
  const form = document.getElementById("decide-form");
  const accepting = decision === "accepted";
  form.reset();
  form.dataset.decision = decision;
  document.getElementById("decide-title").textContent = accepting ? "Accept this finding" : "Reopen this finding";
  document.getElementById("decide-about").textContent = `${kindText(about.kinds)}: ${about.a.split}/${about.a.key} and ${about.b.split}/${about.b.key}`;
  form.querySelector(".primary").textContent = accepting ? "Accept" : "Reopen";
  form.querySelector(".expires").hidden = !accepting;
  form.querySelector(".family").hidden = !about.cluster;
  form.querySelector(".problem").textContent = "";
  dialog.showModal();
  form.elements.reason.focus();
}

async function decide(event) {
  event.preventDefault();
  const form = event.target;
  const fault = form.querySelector(".problem");
  if (!form.elements.reason.value.trim()) { fault.textContent = "A reason is needed."; form.elements.reason.focus(); return; }
  const body = { id: about.id, was: about.decision, decision: form.dataset.decision, reason: form.elements.reason.value, family: form.elements.family.checked, expires: form.elements.expires.value };
  try {
    const done = await post("/api/decide", body);
    dialog.close();
    viewport.focus({ preventScroll: true });
    say(`Written to ${done.path}.${done.awaits_reviewer ? " It gives a holdout away, so somebody else has to agree." : ""} Commit it, and it counts.`);
    await search({ keep: true });
  } catch (error) {
    fault.textContent = error.hint ? `${error.message}. ${error.hint}` : error.message;
    if (error.slug === "changed-meanwhile") await search({ keep: true });
  }
}

async function agree() {
  try {
    const done = await post("/api/approve", { id: shown.id, family: shown.review.family, read: shown.review.reason });
    say(`Written to ${done.path}. Commit it, and it counts.`);
    await search({ keep: true });
  } catch (error) { failure(error); }
}

async function undo() {
  try {
    const done = await post("/api/undo", {});
    say(done.removed ? `${done.path} is gone again.` : `${done.path} is what it was before.`);
    await search({ keep: true });
  } catch (error) { failure(error); }
}

const moves = {
  j: () => list.choose(list.active + 1), k: () => list.choose(list.active - 1),
  a: () => ask("accepted"), r: () => ask("reopened"), u: undo,
  h: () => { filters.elements.holdout.checked = !filters.elements.holdout.checked; search(); },
  "/": () => filters.elements.q.focus(), "?": () => help.showModal(),
};
const listMoves = {
  ArrowDown: () => list.choose(list.active + 1), ArrowUp: () => list.choose(list.active - 1),
  PageDown: () => list.choose(list.active + list.inSight), PageUp: () => list.choose(list.active - list.inSight),
  Home: () => list.choose(0), End: () => list.choose(list.total - 1), Enter: () => detail.focus(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open || help.open) return;
  const typing = event.target.matches('input:not([type="checkbox"]), textarea, select');
  if (event.key === "Escape" && (typing || detail.contains(event.target))) { viewport.focus(); return; }
  if (typing) return;
  const move = (event.target === viewport && listMoves[event.key]) || (singleKeys.checked && moves[event.key]);
  if (!move) return;
  event.preventDefault();
  move();
});

let typed = 0;
filters.addEventListener("input", (event) => {
  if (event.target.name !== "q") return;
  clearTimeout(typed);
  typed = setTimeout(search, 120);
});
filters.addEventListener("change", (event) => {
  const { name, value, checked } = event.target;
  if (name in chosen) { if (checked) chosen[name].add(value); else chosen[name].delete(value); }
  if (name !== "q") search();
});
filters.addEventListener("submit", (event) => { event.preventDefault(); search(); });
document.getElementById("reset").addEventListener("click", () => {
  filters.reset();
  source = "";
  for (const values of Object.values(chosen)) values.clear();
  search();
});
document.querySelectorAll("[data-source]").forEach((button) => button.addEventListener("click", () => {
  source = source === button.dataset.source ? "" : button.dataset.source;
  search();
}));
document.getElementById("decide-form").addEventListener("submit", decide);
dialog.querySelector("textarea").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  document.getElementById("decide-form").requestSubmit();
});
document.getElementById("decide-cancel").addEventListener("click", () => dialog.close());
document.getElementById("help-button").addEventListener("click", () => help.showModal());
document.getElementById("help-close").addEventListener("click", () => help.close());
singleKeys.checked = localStorage.getItem("heldout-keys") !== "off";
singleKeys.addEventListener("change", () => localStorage.setItem("heldout-keys", singleKeys.checked ? "on" : "off"));
window.addEventListener("popstate", () => { fromAddress(); search(); });

fromAddress();
search();
