// Tables of numbers.

import { brief, clamp, colorIndex, range, themed, themedInk } from "./numbers.js";
import { element, folded, write } from "./page.js";

/** @import { Color } from "./numbers.js" */
/** @typedef {{ text?: string, back?: string, ink?: string, kind?: string }} Look what a square says, its colors and its
 *    class */
/** @typedef {(row: number, column: number) => Look} Describe */

/** A table of numbers. With onChoose, one of its squares is always chosen, by the arrow keys or by a click, and the
 *  table is one tab stop. `after` names columns on the right that belong to the row and cannot be chosen. */
export class Grid {
  /** @param {{ name: string, rows: string[], columns: string[], after?: string[], corner?: string,
   *    onChoose?: ((row: number, column: number) => void) | null }} options */
  constructor({ name, rows, columns, after = [], corner = "", onChoose = null }) {
    this.rows = rows;
    this.columns = columns;
    this.onChoose = onChoose;
    this.chosen = [0, 0];
    this.cells = rows.map((_, i) => columns.map((_, j) => this.cell(i, j)));
    this.sums = rows.map(() => after.map(() => element("td", { class: "abh-after" })));
    this.caption = element("caption", {}, name);
    const slanted = columns.some((word) => word.length > 5) ? "abh-slanted" : "abh-upright";
    const head = (/** @type {string} */ word, /** @type {string} */ kind) =>
      element("th", { scope: "col", class: kind, title: word }, element("span", {}, word));
    this.node = element("table", { class: "abh-grid", role: onChoose ? "grid" : "table", "aria-label": name },
      this.caption,
      element("thead", {}, element("tr", {}, element("td", { class: "abh-corner" }, corner),
        ...columns.map((word) => head(word, slanted)), ...after.map((word) => head(word, "abh-upright abh-after")))),
      element("tbody", {}, ...rows.map((word, i) => element("tr", {},
        element("th", { scope: "row", title: word }, word), ...this.cells[i], ...this.sums[i]))));
    if (!onChoose) return;
    this.node.addEventListener("keydown", (event) => this.walk(event));
    this.choose(0, 0);
  }

  /** @param {number} i
   *  @param {number} j */
  cell(i, j) {
    if (!this.onChoose) return element("td", { class: "abh-square" });
    const node = element("td", { class: "abh-square", role: "gridcell", tabindex: "-1" });
    node.addEventListener("click", () => this.choose(i, j, true));
    return node;
  }

  /** @param {string} name */
  rename(name) {
    this.node.setAttribute("aria-label", name);
    write(this.caption, name);
  }

  /** @param {Describe} describe each square
   *  @param {Describe} describeAfter each square of the columns on the right */
  show(describe, describeAfter = () => ({})) {
    this.cells.forEach((row, i) => row.forEach((cell, j) => dress(cell, describe(i, j), "abh-square")));
    this.sums.forEach((row, i) => row.forEach((cell, k) => dress(cell, describeAfter(i, k), "abh-after")));
  }

  /** @param {number} i
   *  @param {number} j
   *  @param {boolean} byReader whether the reader chose it, and the explorer must be notified */
  choose(i, j, byReader = false) {
    const [row, column] = this.chosen;
    this.cells[row][column].tabIndex = -1;
    this.cells[row][column].removeAttribute("aria-selected");
    this.cells[i][j].tabIndex = 0;
    this.cells[i][j].setAttribute("aria-selected", "true");
    this.chosen = [i, j];
    if (byReader) this.onChoose?.(i, j);
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const [lastRow, lastColumn] = [this.rows.length - 1, this.columns.length - 1];
    const next = moved(event, this.chosen, [lastRow, lastColumn]);
    if (!next) return;
    event.preventDefault();
    const [i, j] = [clamp(next[0], 0, lastRow), clamp(next[1], 0, lastColumn)];
    this.choose(i, j, true);
    this.cells[i][j].focus();
  }
}

/** The square that a key leads to, which may lie outside the table; undefined for other keys.
 *  @param {KeyboardEvent} event
 *  @param {number[]} square
 *  @param {number[]} last the last row and the last column
 *  @returns {[number, number] | undefined} */
export function moved(event, [i, j], [lastRow, lastColumn]) {
  const whole = event.ctrlKey || event.metaKey;
  /** @type {Record<string, [number, number]>} */
  const squares = {
    ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1],
    Home: [whole ? 0 : i, 0], End: [whole ? lastRow : i, lastColumn],
  };
  return event.altKey ? undefined : squares[event.key];
}

/** A table whose rows are the steps of a computation. It is rebuilt when the steps change. */
export class Steps {
  /** @type {Grid | undefined} */
  grid;

  /** @param {string[]} columns */
  constructor(columns) {
    this.columns = columns;
    this.node = element("div");
  }

  /** @param {string} name
   *  @param {string[]} steps
   *  @param {Describe} describe
   *  @param {Describe} describeAfter */
  show(name, steps, describe, describeAfter) {
    if (this.grid?.rows.join() !== steps.join()) {
      this.grid = new Grid({ name, rows: steps, columns: this.columns, after: ["sum"] });
      this.node.replaceChildren(this.grid.node);
    }
    this.grid.rename(name);
    this.grid.show(describe, describeAfter);
  }
}

/** @typedef {{ caption: string, columns: string[], rows: (string | number)[][] }} Listing rows begin with their name */

/** The numbers of a drawing as a plain table, for readers who prefer one. It is made when it is opened, and again when
 *  the drawing changes while it is open. */
export class Reading {
  /** @param {() => Listing[]} list a table for each drawing */
  constructor(list) {
    this.list = list;
    this.place = element("div", { class: "abh-reading", tabindex: "0", role: "group",
      "aria-label": "the numbers as a table" });
    this.node = folded("Read as a table", this.place).node;
    this.node.addEventListener("toggle", () => this.show());
  }

  show() {
    if (!this.node.open) return;
    const head = (/** @type {string} */ text) => element("th", { scope: "col" }, text);
    const row = (/** @type {(string | number)[]} */ [name, ...values]) => element("tr", {},
      element("th", { scope: "row" }, String(name)), ...values.map((value) => element("td", {}, String(value))));
    this.place.replaceChildren(...this.list().map(({ caption, columns, rows }) => element("table", {},
      element("caption", {}, caption), element("thead", {}, element("tr", {}, ...columns.map(head))),
      element("tbody", {}, ...rows.map(row)))));
  }
}

/** @typedef {{ name: string, detail: string, size: number, texts: string[], isHere: boolean }} Cost detail is below the
 *    name, and the texts are after a bar of this size; isHere: the row that is marked */

/** A table with a bar for the bytes of each row, of which the longest fills the width. */
export class Costs {
  /** @param {string} names what the rows are
   *  @param {string[]} columns of the texts
   *  @param {number} most rows */
  constructor(names, columns, most) {
    this.caption = element("caption");
    this.rows = range(most).map(() => {
      const [name, detail, bar] = [element("span"), element("span"), element("span", { class: "abh-length" })];
      const texts = columns.map(() => element("td"));
      const node = element("tr", {}, element("th", { scope: "row" }, name, " ", detail),
        element("td", { class: "abh-room" }, element("span", { class: "abh-track" }, bar)), ...texts);
      return { node, name, detail, bar, texts };
    });
    const head = (/** @type {string} */ text) => element("th", { scope: "col" }, text);
    this.node = element("table", { class: "abh-costs" }, this.caption, element("thead", {}, element("tr", {},
      head(names), element("td"), ...columns.map(head))),
    element("tbody", {}, ...this.rows.map(({ node }) => node)));
  }

  /** @param {string} caption
   *  @param {Cost[]} costs */
  show(caption, costs) {
    const most = Math.max(...costs.map(({ size }) => size));
    write(this.caption, caption);
    this.rows.forEach(({ node, name, detail, bar, texts }, i) => {
      node.hidden = i >= costs.length;
      if (node.hidden) return;
      write(name, costs[i].name);
      write(detail, costs[i].detail);
      bar.style.width = `${((100 * costs[i].size) / most).toFixed(2)}%`;
      texts.forEach((cell, k) => write(cell, costs[i].texts[k]));
      node.classList.toggle("abh-here", costs[i].isHere);
    });
  }
}

/** Update a square, but only where it differs, which keeps unchanged squares cheap.
 *  @param {HTMLTableCellElement} cell
 *  @param {Look} look
 *  @param {string} always the class that the cell always has */
function dress(cell, { text = "", back = "", ink = "", kind = "" }, always) {
  const kinds = `${always} ${kind}`.trim();
  write(cell, text);
  if (cell.className !== kinds) cell.className = kinds;
  if (cell.dataset.back !== back) {
    Object.assign(cell.style, { background: back, color: ink });
    cell.dataset.back = back;
  }
}

/** A square in the color of its value, with ink that can be read on it.
 *  @param {number} value
 *  @param {Color[]} table
 *  @param {number} share where the value is between the ends of the table, 0 to 1
 *  @returns {Look} */
export function colored(value, table, share = value) {
  if (!Number.isFinite(value)) return { text: brief(value), kind: Number.isNaN(value) ? "abh-broken" : "" };
  const color = table[colorIndex(share)];
  return { text: brief(value), back: themed(color), ink: themedInk(color) };
}
