// One finding: a row of the list, and both texts side by side.
import { h, number } from "./page.js";

const words = (text) => text.replaceAll("_", " ");
export const kindText = (kinds) => kinds.map(words).join(" + ");

export function similarity(value) {
  if (value === null) return "";
  return value === 1 ? "1" : value.toFixed(3).replace(/^0/, "");
}

function name(side, across) {
  return [across ? h("span", { class: "set" }, `${side.dataset}:`) : null, h("span", { class: "set" }, `${side.split}/`), h("span", { class: side.held ? "held" : "" }, side.key)];
}

const spoken = (side) => `${side.dataset} ${side.split}/${side.key}${side.held ? ", held out" : ""}`;
const aside = (words) => h("span", { class: "hidden" }, words);

/** A row's name is what it holds: what eyes see by colour and place stands there for ears. */
export function row(item, index, before) {
  if (!item) return h("div", { class: "row waiting" }, h("span", {}, "loading…"));
  const across = item.a.dataset !== item.b.dataset;
  const again = before && before.group === item.group && before.a.key === item.a.key && before.a.split === item.a.split;
  const open = item.decision === "open";
  return h("div", { class: again ? "row again" : "row" },
    h("span", { class: "kind" }, h("i", { class: `dot ${item.severity}` }), h("span", { title: kindText(item.kinds) }, kindText(item.kinds)), aside(` ${item.severity}${item.holdout ? ", contaminates a holdout" : ""} `)),
    h("span", { class: "sim" }, similarity(item.similarity)),
    h("code", { class: "a", title: spoken(item.a) }, name(item.a, across), item.a.held ? aside(" held out") : null),
    h("code", { class: "b", title: spoken(item.b) }, aside(" overlaps "), name(item.b, across), item.b.held ? aside(" held out") : null),
    h("span", { class: `decision ${item.decision}` }, open ? aside(" open") : words(item.decision)),
  );
}

function text(side, differs) {
  if (!side.words) return h("p", { class: "text muted" }, "The text cannot be read here.");
  const pieces = side.words.map(([piece, marked]) => (marked ? h(differs, {}, piece) : piece));
  return h("p", { class: "text" }, pieces, side.cut ? h("span", { class: "muted" }, ` … ${number(side.cut)} characters more`) : null);
}

function sideCard(letter, what, side, mark) {
  const held = side.sometimes ? "held out in some versions only" : side.held ? "held out" : null;
  return h("article", { class: "side", "aria-label": `${letter}: ${what}` },
    h("header", {}, h("h3", {}, `${letter} · ${what}`, held ? h("span", { class: "pill" }, held) : null), h("code", {}, `${side.dataset} ${side.split}/${side.key}`)),
    text(side, mark),
    h("footer", {}, side.expected ? h("div", {}, "expected ", h("code", {}, side.expected)) : null, h("div", {}, side.versions.length ? `in ${side.versions.join(", ")}` : "in no version")),
  );
}

function decided(review) {
  if (!review) return null;
  const people = [review.by, review.reviewer ? `reviewed by ${review.reviewer}` : null, review.expires ? `until ${review.expires}` : null];
  return h("div", { class: "decided" },
    h("div", {}, h("b", {}, words(review.standing)), review.family ? " (the whole family)" : "", `: ${review.reason ?? review.problem}`),
    h("div", { class: "muted small" }, people.filter(Boolean).join(", ")),
    h("div", { class: "muted small" }, review.words, " · ", h("code", {}, review.path)));
}

/** The pane. `actions` are buttons that fit the finding. */
export function pane(item, actions) {
  const score = item.similarity === null ? null : h("span", { class: "muted" }, item.fraction ? `similarity ${item.fraction} = ${similarity(item.similarity)}` : "the same text");
  return [
    h("header", {},
      h("h2", {}, kindText(item.kinds)),
      h("span", { class: `pill ${item.severity}` }, item.severity),
      item.holdout ? h("span", { class: "pill contaminated" }, "holdout contamination") : null,
      score,
      h("code", {}, item.id)),
    item.problem ? h("p", { class: "problem" }, item.problem.hint ? `${item.problem.message}. Try: ${item.problem.hint}` : item.problem.message) : null,
    h("div", { class: "texts" }, sideCard("A", "scanned", item.a, "del"), sideCard("B", "overlapping", item.b, "ins")),
    decided(item.review),
    h("div", { class: "actions" }, actions),
    item.shared?.map((piece) => [h("h3", {}, piece.what), h("p", { class: "shared" }, piece.piece[0], h("mark", {}, piece.piece[1]), piece.piece[2])]),
    item.contaminates.length ? h("p", {}, "Contaminates ", h("b", {}, item.contaminates.join(", ")), ".") : null,
    item.advice.length ? [h("h3", {}, "What to do"), h("ul", { class: "advice" }, item.advice.map((line) => h("li", {}, line)))] : null,
    item.family > 1 ? h("p", { class: "muted" }, item.cluster ? ["One of ", number(item.family), " findings of the family ", h("code", {}, item.cluster), "."] : `One of ${number(item.family)} findings about the same example.`) : null,
  ].flat(3).filter(Boolean);
}
