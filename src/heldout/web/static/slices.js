// Counts when the page is there, and the form: conditions, preview, save.
import { announce, countCell, failure, get, h, plural, post, say } from "./page.js";

for (const group of document.querySelectorAll(".slice-group")) {
  const table = group.querySelector("table.counts");
  if (table) fill(group.dataset.dataset, table);
}

async function fill(dataset, table) {
  try {
    const found = await get("/api/slices/counts", { dataset });
    found.columns.forEach((column, place) => {
      if (place === 1) table.querySelector('[data-column="1"]').textContent = column.subject;
    });
    table.querySelectorAll("tbody tr").forEach((row, index) => {
      for (const place of [0, 1]) {
        const column = found.columns[place];
        const cell = row.querySelector(`[data-count="${place}"]`);
        if (!column) cell.replaceChildren(h("span", { class: "muted" }, "none yet"));
        else if (column.problem) cell.replaceChildren(h("span", { class: "muted", title: column.problem }, "data is not here"));
        else cell.replaceChildren(...countCell(column.counts[index]));
        if (column?.counts[index]?.notes.length) cell.title = column.counts[index].notes.join("\n");
      }
    });
  } catch (error) {
    table.querySelectorAll("[data-count]").forEach((cell) => cell.replaceChildren("–"));
    failure(error);
  }
  table.removeAttribute("aria-busy");
}

const source = document.getElementById("editor-data");
if (source) editor(JSON.parse(source.textContent));

function editor(data) {
  const form = document.getElementById("slice-form");
  const list = document.getElementById("conditions");
  const save = document.getElementById("save");
  const fault = document.getElementById("form-error");
  const result = document.getElementById("preview-result");
  const { rules } = data;

  function option(value, chosen) {
    return h("option", { value, selected: value === chosen }, value.replace("_", " "));
  }

  function row(condition) {
    const subject = h("select", { "aria-label": "Subject", name: "subject" }, Object.keys(rules.operators).map((name) => option(name, condition.subject)));
    const key = h("input", { "aria-label": "Key", name: "key", value: condition.key, placeholder: "key", autocomplete: "off", spellcheck: "false" });
    const operator = h("select", { "aria-label": "Operator", name: "operator" });
    const value = h("input", { "aria-label": "Value", name: "value", value: condition.value, autocomplete: "off", spellcheck: "false" });
    const remove = h("button", { type: "button", "aria-label": "Remove this condition", title: "Remove", onclick: () => { item.remove(); renumber(); changed(); form.querySelector("#add-condition").focus(); } }, "×");
    const item = h("li", {}, subject, key, operator, value, remove);
    function fit() {
      const allowed = rules.operators[subject.value];
      const now = operator.value || condition.operator;
      operator.replaceChildren(...allowed.map((name) => option(name, allowed.includes(now) ? now : allowed[0])));
      key.disabled = !rules.keyed.includes(subject.value);
      key.placeholder = subject.value === "field" ? "input.…" : key.disabled ? "" : "key";
      shape();
    }
    function shape() {
      value.disabled = rules.presence.includes(operator.value);
      value.placeholder = value.disabled ? "" : rules.lists.includes(operator.value) ? "one, two, three" : "value";
    }
    subject.addEventListener("change", fit);
    operator.addEventListener("change", shape);
    fit();
    return item;
  }

  function renumber() {
    list.querySelectorAll("li").forEach((item, index) => item.setAttribute("aria-label", `Condition ${index + 1}`));
    document.getElementById("add-condition").disabled = list.children.length >= data.most;
  }

  function add(condition) {
    list.append(row(condition));
    renumber();
  }

  function read() {
    const conditions = [...list.children].map((item) => Object.fromEntries(
      [...item.querySelectorAll("select, input")].filter((field) => !field.disabled).map((field) => [field.name, field.value]),
    ));
    const sampled = form.elements.sampled.checked;
    const size = form.elements.size.value.trim();
    const sample = { size: /^\d+$/.test(size) ? Number(size) : size, seed: form.elements.seed.value };
    if (form.elements.stratify.value) sample.stratify = form.elements.stratify.value;
    const about = { required: form.elements.required.checked };
    if (form.elements.description.value !== described) about.description = form.elements.description.value;
    return { dataset: data.dataset, slice: data.slice, match: form.elements.match.value, conditions, sample: sampled ? sample : null, ...about };
  }

  /** What saving does beside writing the file: a number belongs to a definition, and to nothing else in the form. */
  function outlook(found) {
    const { digest, saving } = found;
    if (!saving) return [`digest ${digest}; nothing is saved yet`];
    const number = saving.is_recorded ? `number ${saving.number} of this slice already, which it keeps` : `saving makes it number ${saving.number}`;
    const about = saving.about.length ? `Saving also changes ${list_of(saving.about)}: no part of the definition, whose digest and number do not depend on it.` : null;
    return [`digest ${digest}, ${number}; nothing is saved yet`, about].filter(Boolean);
  }

  const list_of = (names) => names.map((name) => (name === "required" ? "whether suites have to report it" : `the ${name}`)).join(" and ");

  /** A changed form has not been seen: preview comes before saving. */
  function changed() {
    save.disabled = true;
    fault.textContent = "";
    form.querySelectorAll("[aria-invalid]").forEach((field) => field.removeAttribute("aria-invalid"));
  }

  function refuse(refused) {
    fault.textContent = refused.hint ? `${refused.message}. ${refused.hint}` : refused.message;
    const [part, index, name] = refused.place;
    const field = part === "conditions" ? list.children[index]?.querySelector(`[name="${name === "values" ? "value" : name}"]`) : form.elements[index] ?? null;
    if (field?.setAttribute) { field.setAttribute("aria-invalid", "true"); field.focus(); }
    result.hidden = true;
  }

  function show(found) {
    const numbers = found.columns.map((column) => h("div", {}, h("span", { class: "muted" }, column.subject),
      column.problem ? h("span", { class: "muted" }, column.problem) : h("span", {}, countCell(column.counts[0])),
      column.counts[0]?.notes.map((note) => h("span", { class: "muted small" }, note))));
    const examples = found.examples.map((example) => h("li", {}, h("code", { title: `${example.split}/${example.key}` }, `${example.split}/${example.key}`), h("span", {}, example.text ?? "(kept outside the data file)")));
    result.querySelector("div").replaceChildren(
      h("div", { class: "numbers" }, numbers),
      examples.length ? h("ul", { class: "examples", "aria-label": "Examples" }, examples) : h("p", { class: "muted" }, "No example is in."),
      ...outlook(found).map((line) => h("p", { class: "muted small" }, line)),
    );
    result.hidden = false;
    const counted = found.columns[0].counts[0];
    announce(`Preview: ${plural(counted.matched, "example")} of ${counted.total.toLocaleString("en-US")}`);
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    changed();
    try {
      const found = await post("/api/slices/preview", read());
      if (found.refused) { refuse(found.refused); return; }
      show(found);
      save.disabled = false;
    } catch (error) { fault.textContent = error.message; failure(error); }
  });

  save.addEventListener("click", async () => {
    save.disabled = true;
    try {
      const body = { ...read(), slice: data.slice || form.elements.slice.value, seen: data.seen };
      const done = await post(data.slice ? "/api/slices/save" : "/api/slices/new", body);
      if (done.refused) { refuse(done.refused); return; }
      const about = done.about?.length ? `${done.file}: ${list_of(done.about)} changed; the definition keeps number ${done.number}` : `${done.file}: this definition has number ${done.number} already`;
      sessionStorage.setItem("heldout-said", done.added.length ? `${done.file}: recorded as number ${done.added[0].number}. Commit it when you are ready.` : about);
      location.assign(`/slices?${new URLSearchParams({ dataset: data.dataset, slice: body.slice })}`);
    } catch (error) { fault.textContent = error.message; failure(error); }
  });

  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  document.getElementById("add-condition").addEventListener("click", () => {
    add({ subject: "metadata", key: "", operator: "eq", value: "" });
    changed();
    list.lastElementChild.querySelector("select").focus();
  });

  const start = data.form ?? { match: "all", conditions: [{ subject: "metadata", key: "", operator: "eq", value: "" }], sample: null };
  start.conditions.forEach(add);
  form.elements.description.value = data.description;
  form.elements.required.checked = data.required;
  const described = form.elements.description.value; // line ends as a browser keeps them
  renumber();
  form.elements.match.value = start.match;
  if (start.sample) {
    form.elements.sampled.checked = true;
    for (const name of ["size", "seed", "stratify"]) form.elements[name].value = start.sample[name] ?? "";
  }
}

const said = sessionStorage.getItem("heldout-said");
if (said) { sessionStorage.removeItem("heldout-said"); say(said); }
