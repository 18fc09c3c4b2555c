// What happened to holdouts since a base: the data is read when the page is there.
import { failure, get, h, plural, post, say } from "./page.js";

const state = document.getElementById("governed-state");
const base = document.querySelector('#base-form input[name="base"]').value;
const dialog = document.getElementById("agree");
let about = null;

function standing(change) {
  if (change.lacks) return h("span", { class: "pill review" }, "awaits approval");
  return change.approved_by.length ? h("span", { class: "pill clean" }, "approved") : h("span", { class: "pill" }, "policy asks for no approval");
}

function card(change) {
  const counts = Object.entries(change.counts).map(([what, count]) => `${count.toLocaleString("en-US")} ${what}`).join(", ");
  return h("article", { class: "card", "aria-label": change.dataset },
    h("header", {}, h("h3", {}, change.dataset), standing(change), h("code", { class: "more muted" }, change.id)),
    h("details", { open: change.touched.length <= 12 }, h("summary", {}, counts),
      h("ul", { class: "touched" }, change.touched.map((item) => h("li", {}, h("span", {}, item.what), h("code", {}, `${item.split}/${item.key}`)))),
      change.more ? h("p", { class: "muted" }, `and ${plural(change.more, "more example")}`) : null),
    h("p", { class: "muted" }, `made by ${change.authors.join(", ") || "nobody yet"}`, change.approved_by.length ? `; approved by ${change.approved_by.join(", ")}` : ""),
    change.lacks ? h("div", { class: "actions" }, h("button", { type: "button", onclick: () => ask(change) }, "Approve…"), h("span", { class: "muted" }, change.lacks)) : null,
  );
}

function ask(change) {
  about = change;
  document.getElementById("agree-about").textContent = `${change.dataset}, change ${change.id}`;
  dialog.querySelector(".problem").textContent = "";
  dialog.showModal();
}

document.getElementById("agree-cancel").addEventListener("click", () => dialog.close());
document.getElementById("agree-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const done = await post("/api/changes/approve", { dataset: about.dataset, id: about.id, base, reason: event.target.elements.reason.value });
    dialog.close();
    say(`Written to ${done.file}; it counts once it is committed.`);
    await load();
  } catch (error) { dialog.querySelector(".problem").textContent = error.hint ? `${error.message}. ${error.hint}` : error.message; }
});

async function load() {
  try {
    const found = await get("/api/changes", base ? { base } : {});
    const needed = found.required ? ` Policy: ${plural(found.required, "approval")} each.` : "";
    state.textContent = found.changes.length ? `Since ${found.base} (${found.named}).${needed}` : `No held-out example changed since ${found.base} (${found.named}).`;
    document.getElementById("governed").replaceChildren(
      ...found.changes.map(card),
      ...found.unread.map((item) => h("p", { class: "problem" }, `${item.dataset}: cannot be told here: ${item.reason}`)),
    );
  } catch (error) {
    state.textContent = error.hint ? `${error.message}. Try: ${error.hint}` : error.message;
    failure(error);
  }
}
load();
