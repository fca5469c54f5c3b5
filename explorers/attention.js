// The attention explorer: thumbnails of all heads, one head as a heat map, and lines from a word to what it reads.

import { headName, hiddenIn, named, read } from "./attention_data.js";
import { CELL, LABEL, TITLES, layOut, under } from "./attention_layout.js";
import { Overview } from "./attention_overview.js";
import { ALARM, INK, ON_HATCHING, clamp, colorIndex, exact, inkOn, largestFirst, range, spaced,
  sum } from "./numbers.js";
import { chooser, element, explorer, fitted, frame, freshId, hatching, help, inTheme, legend, oncePerFrame, penOf,
  prepared, raster, ring, spoken, swatch, theme, tools, write } from "./page.js";
import { Reading, moved } from "./tables.js";

/** @import { Layout, Square } from "./attention_layout.js" */
/** @import { Data } from "./attention_data.js" */
/** @import { Theme } from "./page.js" */
/** @typedef {CanvasRenderingContext2D} Pen */

const FAINTEST = 0.0005; // lines for smaller weights would be invisible
const MOST_LISTED = 1024; // weights in "Read as a table"; if there are more, only the chosen row

export default explorer((model) => new AttentionView(read(model)), (view) => view.paint());

// ---------------------------------------------------------------- the view

class AttentionView {
  // Known once the explorer is in the page and has a width.
  /** @type {Layout} */
  layout;
  /** @type {Theme} */
  colors;

  /** @param {Data} data */
  constructor(data) {
    this.data = data;
    this.layer = 0;
    this.head = 0;
    this.matrix = data.matrix(0, 0);
    this.table = data.table; // in the page's theme
    this.picture = raster(this.matrix, this.table);
    this.hidden = hiddenIn(data, this.matrix.values);
    this.chosen = { row: 0, column: 0 };
    this.kept = false; // whether the chosen square was clicked, and stays chosen when the pointer moves elsewhere
    /** @type {Square | null} under the pointer */
    this.hover = null;
    this.paint = oncePerFrame(() => this.show());
    this.paintMap = oncePerFrame(() => this.drawMap());
    this.paintMarks = oncePerFrame(() => this.drawMarks());
    this.readout = spoken();
    this.reading = new Reading(() => this.listing());
    this.layerChooser = chooser("Layer", data.layers, (layer) => this.chooseHead(layer, this.head));
    this.headChooser = chooser("Head", data.heads, (head) => this.chooseHead(this.layer, head));
    this.overview = data.hasHeads ? new Overview(data, (layer, head) => this.chooseHead(layer, head)) : null;
    // Two canvases that stay in place while the stage scrolls, and one row of cells for screen readers.
    const id = freshId();
    this.leaks = swatch("abh-alarm", "hidden, but read all the same");
    this.squares = element("canvas");
    this.marks = element("canvas");
    this.pane = element("div", { class: "abh-pane" }, this.squares, this.marks);
    this.sheet = element("div", { "aria-hidden": "true" }, this.pane);
    this.cells = range(data.S).map((j) =>
      element("span", { role: "gridcell", id: `${id}-${j}`, "aria-colindex": j + 1 }));
    this.row = element("div", { role: "row", class: "abh-unseen" }, ...this.cells);
    this.stage = element("div", { class: "abh-stage", role: "grid", tabindex: "0", "aria-rowcount": data.T,
      "aria-colcount": data.S, "aria-describedby": `${id}-help` }, this.row, this.sheet);
    this.size = { width: 0, height: 0 }; // of the stage
    this.labels = { keys: data.keys, slanted: data.keys, queries: data.queries }; // cut to fit
    this.root = this.build(`${id}-help`);
    this.listen();
    this.showHead();
    this.choose(Math.floor(data.T / 2));
  }

  // ------------------------------------------------------------ elements

  /** @param {string} helpId */
  build(helpId) {
    const { hasLayers, hasHeads, table } = this.data;
    const marks = this.data.hasMask ? [swatch("abh-hatched", "hidden by the mask"), this.leaks] : [];
    return frame(help("Point at a word or a square. A click keeps it, until you click it again or press Escape. " +
      "With the keyboard: the arrow keys, Home and End, Page Up and Page Down move; Enter keeps.", helpId),
    tools(...(hasLayers ? [this.layerChooser.label] : []), ...(hasHeads ? [this.headChooser.label] : []),
      legend(table, "weight"), ...marks), ...(this.overview ? [this.overview.node] : []), this.readout.node,
    this.stage, this.reading.node);
  }

  listen() {
    const { stage } = this;
    stage.addEventListener("pointermove", (event) => this.point(this.under(event)));
    stage.addEventListener("pointerleave", () => this.point(null));
    stage.addEventListener("click", (event) => this.keep(this.under(event)));
    stage.addEventListener("keydown", (event) => this.walk(event));
    stage.addEventListener("scroll", this.paintMap);
  }

  // ------------------------------------------------------------ selection

  /** @param {number} layer
   *  @param {number} head */
  chooseHead(layer, head) {
    this.layer = layer;
    this.head = head;
    this.showHead();
    this.choose(this.chosen.row, this.chosen.column);
    this.paint();
  }

  showHead() {
    const { data, layer, head } = this;
    this.matrix = data.matrix(layer, head);
    this.picture = raster(this.matrix, this.table);
    this.hidden = hiddenIn(data, this.matrix.values);
    this.leaks.hidden = !this.hidden.leaks.length;
    this.layerChooser.select.value = String(layer);
    this.headChooser.select.value = String(head);
    const name = data.hasHeads ? `, ${headName(this.data, layer, head)}` : "";
    this.stage.setAttribute("aria-label", `Attention weights${name}: rows are queries, columns are keys`);
  }

  /** Choose a square, or a row and the key it reads most.
   *  @param {number} row
   *  @param {number} column */
  choose(row, column = largestFirst(this.weightsOf(row))[0]) {
    this.chosen = { row, column };
    this.speakRow();
    this.write();
    this.reading.show();
    this.paintMarks();
  }

  /** Handle a click: keep the square that was hit, or release it if it is kept already.
   *  @param {Square | null} square */
  keep(square) {
    if (!square) return;
    const { row, column } = this.chosen;
    this.kept = !(this.kept && square.row === row && (square.column ?? column) === column);
    if (this.kept) this.choose(square.row, square.column ?? undefined);
    else this.letGo();
  }

  letGo() {
    this.kept = false;
    this.write();
    this.paintMarks();
  }

  /** @param {Square | null} square */
  point(square) {
    if (square?.row === this.hover?.row && square?.column === this.hover?.column) return;
    this.hover = square;
    this.write();
    this.paintMarks();
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    if (event.key === "Escape" && this.kept) this.letGo();
    else if (event.key === "Enter" || event.key === " ") this.keep(this.chosen);
    else return this.move(event);
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {KeyboardEvent} event */
  move(event) {
    const { row, column } = this.chosen;
    const last = [this.data.T - 1, this.data.S - 1];
    const rows = { PageUp: -10, PageDown: 10 }[event.key] ?? 0;
    const next = rows && !event.altKey ? [row + rows, column] : moved(event, [row, column], last);
    if (!next) return;
    event.preventDefault();
    this.hover = null;
    this.choose(clamp(next[0], 0, last[0]), clamp(next[1], 0, last[1]));
    this.uncover();
  }

  /** Scroll the chosen square and its labels into view. */
  uncover() {
    const { stage, chosen } = this;
    const { cell, left, top, overhang } = this.layout;
    const x = chosen.column * cell.width;
    const y = chosen.row * cell.height;
    const right = x + cell.width + left + overhang;
    const bottom = y + cell.height + top + LABEL.apart;
    stage.scrollLeft = clamp(stage.scrollLeft, right - stage.clientWidth, x);
    stage.scrollTop = clamp(stage.scrollTop, bottom - stage.clientHeight, y - LABEL.apart);
  }

  /** The square that is kept; else the one under the pointer, or the chosen one.
   *  @returns {Square} */
  get cursor() {
    return this.kept ? this.chosen : this.hover ?? this.chosen;
  }

  /** @param {number} row */
  weightsOf(row) {
    const { values, width } = this.matrix;
    return values.subarray(row * width, (row + 1) * width);
  }

  // ------------------------------------------------------------ texts

  write() {
    const { cursor, hover, kept } = this;
    const { row, column } = this.chosen;
    const elsewhere = kept && hover && (hover.row !== row || (hover.column ?? column) !== column);
    this.readout.say(this.sentence(cursor), elsewhere ? `Under the pointer: ${this.sentence(hover)}`
      : `${this.where()} sums to ${exact(sum(this.weightsOf(cursor.row)))}.${kept ? " Kept." : ""}`);
  }

  /** "The row", with its layer and head if there are several. */
  where() {
    const { data, layer, head } = this;
    return data.hasHeads ? `In ${headName(data, layer, head)}, the row` : "The row";
  }

  /** @param {Square} square */
  sentence({ row, column }) {
    return column === null ? this.rowSentence(row) : this.cellSentence(row, column);
  }

  /** The weights as a table, or only the chosen row where there are too many.
   *  @returns {import("./tables.js").Listing[]} */
  listing() {
    const { data, layer, head, chosen } = this;
    const name = data.hasHeads ? `Weights of ${headName(data, layer, head)}` : "Weights";
    const said = (/** @type {number} */ i, /** @type {number} */ j) =>
      exact(this.weightsOf(i)[j]) + (data.hides(i, j) ? " (hidden)" : "");
    if (data.T * data.S > MOST_LISTED) {
      return [{ caption: `${name}, query ${named(data.queries, chosen.row)}`, columns: ["key", "weight"],
        rows: data.keys.map((_, j) => [named(data.keys, j), said(chosen.row, j)]) }];
    }
    return [{ caption: `${name}: rows are queries, columns are keys`, columns: ["query", ...data.keys],
      rows: data.queries.map((word, i) => [word, ...data.keys.map((_, j) => said(i, j))]) }];
  }

  /** @param {number} row
   *  @param {number} column */
  cellSentence(row, column) {
    const { queries, keys } = this.data;
    const [query, key, weight] = [named(queries, row), named(keys, column), this.weightsOf(row)[column]];
    if (!this.data.hides(row, column)) return `${query} reads ${key}: ${exact(weight)}`;
    if (weight > 0) return `${query} reads ${key}: ${exact(weight)}, although the mask hides it`;
    return `${query} cannot read ${key}: the mask hides it`;
  }

  /** @param {number} row */
  rowSentence(row) {
    const weights = this.weightsOf(row);
    const query = named(this.data.queries, row);
    const read = largestFirst(weights).filter((j) => weights[j] > 0);
    if (!read.length) return `${query} reads nothing`;
    const [most, least] = [read[0], read[read.length - 1]].map((j) => exact(weights[j]));
    if (read.length > 3 && most === least) return `${query} reads ${read.length} keys alike: ${most} each`;
    const words = read.slice(0, 3).map((j) => `${named(this.data.keys, j)} ${exact(weights[j])}`);
    return `${query} reads most: ${words.join(", ")}`;
  }

  /** Update the row for screen readers. It shows the chosen square only, so that moving the pointer stays fast. */
  speakRow() {
    const { row, column } = this.chosen;
    const weights = this.weightsOf(row);
    this.row.setAttribute("aria-rowindex", String(row + 1));
    this.row.setAttribute("aria-label", named(this.data.queries, row));
    this.cells.forEach((cell, j) => {
      const hidden = this.data.hides(row, j) ? ", hidden" : "";
      write(cell, `${named(this.data.keys, j)}: ${exact(weights[j])}${hidden}`);
      cell.setAttribute("aria-selected", String(j === column));
    });
    this.stage.setAttribute("aria-activedescendant", this.cells[column].id);
  }

  // ------------------------------------------------------------ under the pointer

  /** The square or the word under the pointer.
   *  @param {MouseEvent} event */
  under(event) {
    const { stage } = this;
    const box = stage.getBoundingClientRect();
    return under(this.layout, this.data, { x: event.clientX - box.left, y: event.clientY - box.top,
      scrolledX: stage.scrollLeft, scrolledY: stage.scrollTop, row: this.chosen.row });
  }

  // ------------------------------------------------------------ drawing

  show() {
    const width = this.root.clientWidth - 8; // less the padding
    if (width <= 0) return; // not in the page yet
    this.colors = theme(this.root);
    const table = inTheme(this.data.table, this.colors);
    if (table !== this.table) this.picture = raster(this.matrix, (this.table = table));
    this.arrange(width);
    this.overview?.draw(width, this.colors, { layer: this.layer, head: this.head });
    this.drawMap();
  }

  drawMap() {
    this.drawSquares();
    this.drawMarks();
  }

  /** Lay everything out for this width, and cut the words to fit.
   *  @param {number} width */
  arrange(width) {
    const { data, stage, sheet, pane } = this;
    const pen = penOf(this.squares);
    pen.font = this.font(600);
    const most = clamp(width * 0.13, 50, LABEL.most);
    const widest = (/** @type {string[]} */ words) =>
      Math.min(most, Math.max(20, ...words.map((word) => pen.measureText(word).width)));
    const resized = this.layout?.width !== width;
    this.layout = layOut(data, width, { keys: widest(data.keys), queries: widest(data.queries) });
    this.labels = {
      keys: data.keys.map((word) => fitted(pen, word, most)),
      slanted: data.keys.map((word) => fitted(pen, word, LABEL.mostSlanted)),
      queries: data.queries.map((word) => fitted(pen, word, most)),
    };
    stage.style.height = `${this.layout.height}px`;
    Object.assign(sheet.style, { width: `${this.layout.right}px`, height: `${this.layout.bottom}px` });
    this.size = { width: stage.clientWidth, height: stage.clientHeight };
    Object.assign(pane.style, { width: `${this.size.width}px`, height: `${this.size.height}px` });
    if (resized) this.uncover();
  }

  font(weight = 400, size = LABEL.size) {
    return `${weight} ${size}px ${this.colors.family}`;
  }

  /** Restrict a pen to the heat map, or with `above` to the heat map and the labels above it.
   *  @param {Pen} pen
   *  @param {boolean} above */
  clip(pen, above = false) {
    const { left, top } = this.layout;
    const start = above ? 0 : top;
    pen.save();
    pen.beginPath();
    pen.rect(left - 2, start - (above ? 0 : 2), this.size.width - left + 2, this.size.height - start + 2);
    pen.clip();
  }

  /** The corner of a square, after scrolling.
   *  @param {number} row
   *  @param {number} column
   *  @returns {[number, number]} */
  corner(row, column) {
    const { left, top, cell } = this.layout;
    return [left + column * cell.width - this.stage.scrollLeft, top + row * cell.height - this.stage.scrollTop];
  }

  drawSquares() {
    const { T, S } = this.data;
    const { cell } = this.layout;
    const pen = prepared(this.squares, this.size.width, this.size.height);
    this.clip(pen);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.picture, ...this.corner(0, 0), S * cell.width, T * cell.height);
    this.drawHidden(pen);
    if (Math.min(cell.width, cell.height) >= CELL.ruled) this.drawRules(pen);
    if (Math.min(cell.width, cell.height) >= CELL.numbers) this.drawNumbers(pen);
    pen.restore();
  }

  /** Hatch what the mask hides, and mark hidden pairs that are read anyway.
   *  @param {Pen} pen */
  drawHidden(pen) {
    const { cell } = this.layout;
    pen.beginPath();
    for (const [i, j, count] of this.hidden.runs) pen.rect(...this.corner(i, j), count * cell.width, cell.height);
    pen.fillStyle = hatching(pen, this.colors.dark);
    pen.fill();
    pen.fillStyle = ALARM;
    for (const [i, j] of this.hidden.leaks) pen.fillRect(...this.corner(i, j), cell.width, cell.height);
  }

  /** Draw thin lines between the squares.
   *  @param {Pen} pen */
  drawRules(pen) {
    const { T, S } = this.data;
    const [x0, y0] = this.corner(0, 0);
    const [x1, y1] = this.corner(T, S);
    pen.fillStyle = this.colors.paper;
    for (let j = 0; j <= S; j++) pen.fillRect(this.corner(0, j)[0] - 0.5, y0, 1, y1 - y0);
    for (let i = 0; i <= T; i++) pen.fillRect(x0, this.corner(i, 0)[1] - 0.5, x1 - x0, 1);
  }

  /** @param {Pen} pen */
  drawNumbers(pen) {
    const { T, S } = this.data;
    const { cell } = this.layout;
    pen.font = this.font(400, 11);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let i = 0; i < T; i++) {
      for (let j = 0; j < S; j++) {
        const weight = this.matrix.values[i * S + j];
        const [x, y] = this.corner(i, j);
        const onHidden = weight > 0 ? "#ffffff" : this.colors.dark ? this.colors.ink : ON_HATCHING;
        pen.fillStyle = this.data.hides(i, j) ? onHidden : inkOn(this.table[colorIndex(weight)]);
        pen.fillText(weight.toFixed(2), x + cell.width / 2, y + cell.height / 2);
      }
    }
  }

  /** Draw what follows the pointer: lines, labels, and marks in the heat map. */
  drawMarks() {
    if (!this.layout) return;
    const pen = prepared(this.marks, this.size.width, this.size.height);
    this.drawTitles(pen);
    this.drawLines(pen);
    this.drawKeyWords(pen);
    this.drawQueryWords(pen);
    this.drawColumnWords(pen);
    this.drawCursor(pen);
  }

  /** @param {Pen} pen */
  drawTitles(pen) {
    const { left, top } = this.layout;
    const short = left < 235;
    pen.font = this.font(400, 11);
    pen.fillStyle = this.colors.faint;
    pen.textBaseline = "top";
    pen.textAlign = "left";
    pen.fillText("keys (read from)", left + 2, 1);
    pen.fillText(short ? "keys" : "keys (read from)", 2, top - 22);
    pen.textAlign = "right";
    pen.fillText(short ? "queries" : "queries (who reads)", left - 8, top - 22);
  }

  /** @param {number} row */
  rowMiddle(row) {
    return this.corner(row, 0)[1] + this.layout.cell.height / 2;
  }

  /** @param {number} key */
  keyMiddle(key) {
    return this.layout.top + (key + 0.5) * this.layout.pitch;
  }

  /** Draw a line from the query's word to each key's, as thick and as dark as its weight.
   *  @param {Pen} pen */
  drawLines(pen) {
    const { row, column } = this.cursor;
    const weights = this.weightsOf(row);
    pen.save();
    pen.beginPath();
    pen.rect(0, TITLES, this.layout.left, this.size.height);
    pen.clip();
    pen.font = this.font(600);
    const start = this.layout.left - 13 - pen.measureText(this.labels.queries[row]).width;
    for (const j of largestFirst(weights).reverse()) {
      if (weights[j] < FAINTEST) continue;
      pen.strokeStyle = j === column ? this.colors.mark : this.colors.line;
      this.drawLine(pen, start, this.rowMiddle(row), this.keyMiddle(j), Math.min(weights[j], 1));
    }
    pen.restore();
  }

  /** Draw one line, straight past the other queries, then bent towards the key.
   *  @param {Pen} pen
   *  @param {number} start
   *  @param {number} from
   *  @param {number} to
   *  @param {number} weight */
  drawLine(pen, start, from, to, weight) {
    const { keyWidth, queryWidth, left } = this.layout;
    const bend = Math.min(start, left - queryWidth);
    const middle = (bend + keyWidth) / 2;
    pen.globalAlpha = 0.05 + 0.95 * weight ** 0.6; // proportional to the weight, thin lines would fade too soon
    pen.lineWidth = Math.max(0.5, 9 * weight);
    pen.beginPath();
    pen.moveTo(start, from);
    pen.lineTo(bend, from);
    pen.bezierCurveTo(middle, from, middle, to, keyWidth - 2, to);
    pen.stroke();
  }

  /** Draw a label, bold and in the color of marks if its square is pointed at or chosen.
   *  @param {Pen} pen
   *  @param {string} text
   *  @param {number} x
   *  @param {number} y
   *  @param {boolean} marked */
  label(pen, text, x, y, marked, alpha = 1) {
    pen.globalAlpha = alpha;
    pen.font = this.font(marked ? 600 : 400);
    pen.fillStyle = marked ? this.colors.mark : this.colors.ink;
    pen.fillText(text, x, y);
    pen.globalAlpha = 1;
  }

  /** Draw the keys on the left; if there is no room for all, only the words with the largest weights.
   *  @param {Pen} pen */
  drawKeyWords(pen) {
    const { row, column } = this.cursor;
    const weights = this.weightsOf(row);
    const order = largestFirst(weights);
    if (column !== null) order.unshift(column);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const j of spaced(order, (key) => this.keyMiddle(key), this.layout.pitch > 12 ? 0 : LABEL.apart)) {
      const alpha = j === column ? 1 : clamp(0.7 + 2 * weights[j], 0, 1);
      this.label(pen, this.labels.keys[j], this.layout.keyWidth - 6, this.keyMiddle(j), j === column, alpha);
    }
  }

  /** The evenly spaced positions whose labels fit, with the marked one first.
   *  @param {number} count
   *  @param {number} size
   *  @param {number | null} first */
  thinned(count, size, first) {
    const every = Math.ceil(LABEL.apart / size);
    const order = range(Math.ceil(count / every)).map((i) => i * every);
    if (first !== null) order.unshift(first);
    return spaced(order, (i) => i * size, Math.min(LABEL.apart, size * every));
  }

  /** @param {Pen} pen */
  drawQueryWords(pen) {
    const { left, top, cell } = this.layout;
    pen.save();
    pen.beginPath();
    pen.rect(0, top - 6, left, this.size.height);
    pen.clip();
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const i of this.thinned(this.data.T, cell.height, this.cursor.row)) {
      this.label(pen, this.labels.queries[i], left - 8, this.rowMiddle(i), i === this.cursor.row);
    }
    pen.restore();
  }

  /** @param {Pen} pen */
  drawColumnWords(pen) {
    const { top, cell, upright } = this.layout;
    this.clip(pen, true);
    pen.textAlign = upright ? "center" : "left";
    pen.textBaseline = upright ? "bottom" : "middle";
    for (const j of this.thinned(this.data.S, cell.width, this.cursor.column)) {
      pen.save();
      pen.translate(this.corner(0, j)[0] + cell.width / 2, top - 4);
      if (!upright) pen.rotate(-Math.PI / 4);
      this.label(pen, this.labels.slanted[j], 0, 0, j === this.cursor.column);
      pen.restore();
    }
    pen.restore();
  }

  /** Draw a frame around the row, and a ring around the square. If the square is kept, its ring is thick, and a thin
   *  ring marks what is under the pointer.
   *  @param {Pen} pen */
  drawCursor(pen) {
    const { row, column } = this.cursor;
    this.clip(pen);
    ring(pen, this.box(row, null), INK, 1);
    if (this.kept && this.hover) ring(pen, this.box(this.hover.row, this.hover.column), this.colors.line, 1);
    if (column !== null) ring(pen, this.box(row, column), this.colors.mark, this.kept ? 4 : 2);
    pen.restore();
  }

  /** The box of a square or of a whole row: x, y, width and height.
   *  @param {number} row
   *  @param {number | null} column */
  box(row, column) {
    const { cell } = this.layout;
    return [...this.corner(row, column ?? 0), (column === null ? this.data.S : 1) * cell.width, cell.height];
  }
}
