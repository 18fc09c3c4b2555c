// A list of any length of which only the rows in sight exist. Rows come in pages, when they are scrolled to.
const HEIGHT = 30;
const PAGE = 100;
const BEYOND = 12;

export class VirtualList {
  /** `load(offset, limit)` promises rows, `draw(row, index, before)` makes the element, `chosen(row, index)` is told. */
  constructor(viewport, { load, draw, chosen }) {
    Object.assign(this, { viewport, load, draw, chosen });
    this.canvas = viewport.querySelector(".canvas");
    this.active = -1;
    this.clear(0);
    viewport.addEventListener("scroll", () => this.#soon(), { passive: true });
    viewport.addEventListener("click", (event) => {
      const row = event.target.closest("[data-index]");
      if (row) this.choose(Number(row.dataset.index));
    });
    new ResizeObserver(() => this.#soon()).observe(viewport);
  }

  /** Another list: `total` rows, of which the first ones may be here already. */
  clear(total, rows = []) {
    this.total = total;
    this.pages = new Map();
    this.asked = new Set();
    this.round = (this.round ?? 0) + 1;
    this.nodes = new Map();
    this.canvas.replaceChildren();
    this.canvas.style.height = `${total * HEIGHT}px`;
    if (rows.length) this.#keep(0, rows);
    this.render();
  }

  row(index) {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  async choose(index, { focus = true } = {}) {
    if (!this.total) return;
    const next = Math.max(0, Math.min(index, this.total - 1));
    this.active = next;
    this.#reveal(next);
    if (!this.row(next)) await this.#fetch(Math.floor(next / PAGE));
    if (this.active !== next) return;
    this.render();
    this.viewport.setAttribute("aria-activedescendant", `row-${next}`);
    if (focus) this.viewport.focus({ preventScroll: true });
    if (this.row(next)) this.chosen(this.row(next), next);
  }

  /** Rows in sight at once. */
  get inSight() {
    return Math.max(1, Math.floor(this.viewport.clientHeight / HEIGHT));
  }

  render() {
    const first = Math.max(0, Math.floor(this.viewport.scrollTop / HEIGHT) - BEYOND);
    const last = Math.min(this.total, first + this.inSight + 2 * BEYOND);
    const wanted = new Set();
    for (let index = first; index < last; index += 1) wanted.add(index);
    if (this.active >= 0 && this.active < this.total) wanted.add(this.active);
    for (const [index, node] of this.nodes) {
      if (!wanted.has(index)) { node.remove(); this.nodes.delete(index); }
    }
    for (const index of wanted) this.#place(index);
    for (let page = Math.floor(first / PAGE); page * PAGE < last; page += 1) {
      if (!this.pages.has(page)) this.#fetch(page);
    }
  }

  #place(index) {
    const row = this.row(index);
    let node = this.nodes.get(index);
    if (node && (node.dataset.empty === "1") === !row) {
      node.setAttribute("aria-selected", String(index === this.active));
      return;
    }
    node?.remove();
    node = this.draw(row, index, index ? this.row(index - 1) : undefined);
    node.id = `row-${index}`;
    node.dataset.index = index;
    node.dataset.empty = row ? "0" : "1";
    node.setAttribute("role", "option");
    node.setAttribute("aria-setsize", this.total);
    node.setAttribute("aria-posinset", index + 1);
    node.setAttribute("aria-selected", String(index === this.active));
    node.style.top = `${index * HEIGHT}px`;
    this.canvas.append(node);
    this.nodes.set(index, node);
  }

  #keep(page, rows) {
    this.pages.set(page, rows);
    for (const index of [...this.nodes.keys()]) {
      if (Math.floor(index / PAGE) === page || index === (page + 1) * PAGE) {
        this.nodes.get(index).remove();
        this.nodes.delete(index);
      }
    }
  }

  async #fetch(page) {
    if (this.asked.has(page) || page * PAGE >= this.total) return;
    this.asked.add(page);
    const { round } = this;
    const rows = await this.load(page * PAGE, PAGE).catch(() => null);
    if (round !== this.round) return;
    this.asked.delete(page);
    if (!rows) return;
    this.#keep(page, rows);
    this.render();
  }

  #reveal(index) {
    const top = index * HEIGHT;
    const { scrollTop, clientHeight } = this.viewport;
    if (top < scrollTop) this.viewport.scrollTop = top;
    else if (top + HEIGHT > scrollTop + clientHeight) this.viewport.scrollTop = top + HEIGHT - clientHeight;
  }

  #soon() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.render(); });
  }
}
