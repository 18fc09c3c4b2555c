// Filters over the rows that the file holds. Without scripts all rows are shown.
const form = document.getElementById("filters");
const rows = [...document.querySelectorAll("#findings > tbody")];
const shown = document.getElementById("shown");
function apply() {
  const text = form.elements.q.value.trim().toLowerCase();
  const kind = form.elements.kind.value;
  let count = 0;
  for (const row of rows) {
    const fits = (!form.elements.holdout.checked || row.dataset.holdout === "1")
      && (!kind || row.dataset.kinds.split(" ").includes(kind)) && (!text || row.dataset.text.includes(text));
    row.hidden = !fits;
    count += fits;
  }
  shown.textContent = `${count.toLocaleString("en-US")} shown`;
}
if (form) { form.hidden = false; form.addEventListener("input", apply); form.addEventListener("submit", (event) => event.preventDefault()); }
