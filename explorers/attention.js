// The attention explorer: all heads small, one head large as a heat map, and lines from a word to what it reads.
// base.py puts shared.js in front of this file.

const TALLEST = 512; // height of the heat map, in pixels; what is longer scrolls
const CELL = { narrowest: 3, lowest: 4, most: 46, numbers: 32, ruled: 9 };
const LABEL = { most: 96, mostSlanted: 80, apart: 13, size: 12 };
const FAINTEST = 0.0005; // no line for less: nobody would see it
const TITLES = 18; // height of the line that says which are queries and which are keys
const THUMB = { least: 28, most: 72, mostInLayers: 36, gap: 6, names: 46 };

function render({ model, el }) {
  const view = new AttentionView(read(model));
  el.append(view.root);
  return view.watch();
}

export default { render };

// ---------------------------------------------------------------- what was sent

/** The traits as one object; matrix(layer, head) is (T, S), row after row. */
function read(model) {
  const axes = model.get("axes");
  const [layers, heads, T, S] = [...Array(4 - axes.length).fill(1), ...axes];
  const weights = floats(model.get("weights"));
  return {
    layers, heads, T, S, hasHeads: axes.length > 2, hasLayers: axes.length > 3,
    queries: model.get("queries"), keys: model.get("tokens"), table: colours(model.get("palette")),
    matrix(layer, head) {
      const start = (layer * heads + head) * T * S;
      return { values: weights.subarray(start, start + T * S), width: S, height: T };
    },
  };
}

/** A word in quotes, with its place where the sentence has it twice. */
function named(words, i) {
  const twice = words.indexOf(words[i]) !== words.lastIndexOf(words[i]);
  return twice ? `'${words[i]}' (place ${i})` : `'${words[i]}'`;
}

/** The places of the numbers, largest first. */
function largestFirst(numbers) {
  return Array.from(numbers.keys()).sort((a, b) => numbers[b] - numbers[a] || a - b);
}

// ---------------------------------------------------------------- where things stand

/** All sizes for a drawing `width` pixels wide; widest(words) measures the longest label. */
function layout({ T, S, keys, queries }, width, widest) {
  const keyWidth = widest(keys) + 12;
  const queryWidth = widest(queries) + 14;
  const left = Math.ceil(keyWidth + clamp(width * 0.14, 56, 150) + queryWidth);
  const slant = Math.ceil(Math.min(widest(keys), LABEL.mostSlanted) * 0.71) + 8; // of labels at 45 degrees
  const scrollbar = T * CELL.lowest > TALLEST ? 16 : 0;
  const cell = cells(T, S, width - left - slant - scrollbar);
  const upright = widest(keys) + 8 <= cell.width;
  const top = TITLES + (upright ? 18 : slant + 4);
  const overhang = upright ? 4 : slant; // of the last column's label
  const body = clamp(S * Math.min(cell.height, 14), Math.min(T * cell.height, TALLEST), TALLEST);
  const pitch = Math.min(Math.max(cell.height, 16), body / S); // of the key words on the left
  const right = left + S * cell.width + overhang;
  const bottom = top + Math.max(T * cell.height, body) + 8;
  const height = top + body + 8 + (right > width ? 16 : 0);
  return { width, keyWidth, queryWidth, left, top, cell, upright, overhang, body, pitch, right, bottom, height };
}

/** Squares if they can be: as large as fits, and no longer than four of the other side. */
function cells(T, S, room) {
  const wide = clamp(Math.floor(room / S), CELL.narrowest, CELL.most);
  const high = clamp(Math.floor(TALLEST / T), CELL.lowest, CELL.most);
  const least = Math.max(Math.min(wide, high), 16);
  return { width: Math.min(wide, least), height: Math.min(high, least) };
}

// ---------------------------------------------------------------- the view

class AttentionView {
  constructor(data) {
    this.data = data;
    this.layer = 0;
    this.head = 0;
    this.hover = null; // { row, column or null }: under the pointer
    this.paint = oncePerFrame(() => this.paintAll());
    this.paintMap = oncePerFrame(() => this.drawMap());
    this.paintMarks = oncePerFrame(() => this.drawMarks());
    this.build();
    this.listen();
    this.showHead();
    this.choose(Math.floor(data.T / 2));
  }

  /** Follow the page's size and theme; returns how to stop. */
  watch() {
    return onSurroundings(this.root, this.paint);
  }

  // ------------------------------------------------------------ elements

  build() {
    const { data } = this;
    const id = freshId();
    this.readout = spoken();
    this.buildStage(id);
    this.root = frame(this.buildTools());
    if (data.hasHeads) this.root.append(this.buildOverview());
    this.root.append(this.readout.node, this.stage, help(
      "Point at a word or a square; click to keep it. Arrow keys walk, Home and End go to the ends of a row, " +
      "Page Up and Page Down go ten rows.", `${id}-help`));
  }

  buildTools() {
    const { layers, heads, hasLayers, hasHeads, table } = this.data;
    this.layerChooser = chooser("Layer", layers, (layer) => this.chooseHead(layer, this.head));
    this.headChooser = chooser("Head", heads, (head) => this.chooseHead(this.layer, head));
    return tools(...(hasLayers ? [this.layerChooser.label] : []), ...(hasHeads ? [this.headChooser.label] : []),
      legend(table, "weight"));
  }

  buildOverview() {
    const { layers, heads } = this.data;
    const what = layers > 1 ? `${layers} layers of ${heads} heads` : `${heads} heads`;
    this.overview = element("canvas", { role: "img",
      "aria-label": `All ${what}, small; choose one above or by clicking` });
    return element("div", { class: "abh-overview" }, this.overview);
  }

  /** The scrolling stage: for the eye two canvases that stay in place, for screen readers one row of cells. */
  buildStage(id) {
    const { T, S } = this.data;
    this.squares = element("canvas");
    this.marks = element("canvas");
    this.pane = element("div", { class: "abh-pane" }, this.squares, this.marks);
    this.sheet = element("div", { "aria-hidden": "true" }, this.pane);
    this.cells = Array.from({ length: S }, (_, j) =>
      element("span", { role: "gridcell", id: `${id}-${j}`, "aria-colindex": j + 1 }));
    this.row = element("div", { role: "row", class: "abh-unseen" }, ...this.cells);
    this.stage = element("div", { class: "abh-stage", role: "grid", tabindex: "0", "aria-rowcount": T,
      "aria-colcount": S, "aria-describedby": `${id}-help` }, this.row, this.sheet);
  }

  listen() {
    const { stage, overview } = this;
    stage.addEventListener("pointermove", (event) => this.point(this.under(event)));
    stage.addEventListener("pointerleave", () => this.point(null));
    stage.addEventListener("click", (event) => this.keep(this.under(event)));
    stage.addEventListener("keydown", (event) => this.walk(event));
    stage.addEventListener("scroll", this.paintMap);
    overview?.addEventListener("click", (event) => {
      const place = this.headUnder(event);
      if (place) this.chooseHead(place.layer, place.head);
    });
    overview?.addEventListener("pointermove", (event) => {
      const place = this.headUnder(event);
      overview.title = place ? this.headName(place.layer, place.head) : "";
    });
  }

  // ------------------------------------------------------------ what is chosen

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
    this.picture = raster(this.matrix, data.table);
    this.layerChooser.select.value = layer;
    this.headChooser.select.value = head;
    const name = data.hasHeads ? `, ${this.headName(layer, head)}` : "";
    this.stage.setAttribute("aria-label", `Attention weights${name}: rows are queries, columns are keys`);
  }

  headName(layer, head) {
    return this.data.hasLayers ? `layer ${layer}, head ${head}` : `head ${head}`;
  }

  /** Keep a square, or a row and the key it reads most. */
  choose(row, column = largestFirst(this.weightsOf(row))[0]) {
    this.chosen = { row, column };
    this.speakRow();
    this.write();
    this.paintMarks();
  }

  keep(place) {
    if (place) this.choose(place.row, place.column ?? undefined);
  }

  point(place) {
    if (place?.row === this.hover?.row && place?.column === this.hover?.column) return;
    this.hover = place;
    this.write();
    this.paintMarks();
  }

  walk(event) {
    const { row, column } = this.chosen;
    const lastRow = this.data.T - 1;
    const lastColumn = this.data.S - 1;
    const whole = event.ctrlKey || event.metaKey;
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      Home: [whole ? 0 : row, 0], End: [whole ? lastRow : row, lastColumn],
      PageUp: [row - 10, column], PageDown: [row + 10, column],
    };
    const move = moves[event.key];
    if (!move || event.altKey) return;
    event.preventDefault();
    this.hover = null;
    this.choose(clamp(move[0], 0, lastRow), clamp(move[1], 0, lastColumn));
    this.uncover();
  }

  /** Scroll until the chosen square and its labels can be seen. */
  uncover() {
    const { stage, place } = this;
    const x = this.chosen.column * place.cell.width;
    const y = this.chosen.row * place.cell.height;
    const right = x + place.cell.width + place.left + place.overhang;
    const bottom = y + place.cell.height + place.top + LABEL.apart;
    stage.scrollLeft = clamp(stage.scrollLeft, right - stage.clientWidth, x);
    stage.scrollTop = clamp(stage.scrollTop, bottom - stage.clientHeight, y - LABEL.apart);
  }

  get cursor() {
    return this.hover ?? this.chosen;
  }

  weightsOf(row) {
    const { values, width } = this.matrix;
    return values.subarray(row * width, (row + 1) * width);
  }

  // ------------------------------------------------------------ what is said

  write() {
    const { row, column } = this.cursor;
    const total = sum(this.weightsOf(row));
    const where = this.data.hasHeads ? `${this.headName(this.layer, this.head)}; ` : "";
    this.readout.say(column === null ? this.rowSentence(row) : this.cellSentence(row, column),
      `${where}the row sums to ${exact(total)}`);
  }

  cellSentence(row, column) {
    const { queries, keys } = this.data;
    return `${named(queries, row)} reads ${named(keys, column)}: ${exact(this.weightsOf(row)[column])}`;
  }

  rowSentence(row) {
    const weights = this.weightsOf(row);
    const most = largestFirst(weights).slice(0, 3).filter((j) => weights[j] > 0);
    const words = most.map((j) => `${named(this.data.keys, j)} ${exact(weights[j])}`);
    return `${named(this.data.queries, row)} reads ${words.length ? `most: ${words.join(", ")}` : "nothing"}`;
  }

  /** Bring the row for screen readers up to date. The pointer does not need it, so it does not wait for it. */
  speakRow() {
    const { row, column } = this.chosen;
    const weights = this.weightsOf(row);
    this.row.setAttribute("aria-rowindex", row + 1);
    this.row.setAttribute("aria-label", named(this.data.queries, row));
    this.cells.forEach((cell, j) => {
      cell.textContent = `${named(this.data.keys, j)}: ${exact(weights[j])}`;
      cell.setAttribute("aria-selected", j === column);
    });
    this.stage.setAttribute("aria-activedescendant", this.cells[column].id);
  }

  // ------------------------------------------------------------ which thing is under the pointer

  /** { row, column } under the pointer; column is null on a query word; null where there is nothing. */
  under(event) {
    const { stage, place } = this;
    const { T, S } = this.data;
    const box = stage.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const inside = (i, count) => (i >= 0 && i < count ? i : null);
    const row = inside(Math.floor((y - place.top + stage.scrollTop) / place.cell.height), T);
    const column = inside(Math.floor((x - place.left + stage.scrollLeft) / place.cell.width), S);
    const key = inside(Math.floor((y - place.top) / place.pitch), S);
    if (x < place.keyWidth) return key === null || y < place.top ? null : { row: this.chosen.row, column: key };
    if (x < place.left - place.queryWidth || y < TITLES) return null;
    if (x < place.left) return row === null || y < place.top ? null : { row, column: null };
    if (y < place.top) return column === null ? null : { row: this.chosen.row, column };
    return row === null || column === null ? null : { row, column };
  }

  headUnder(event) {
    const { layers, heads } = this.data;
    const { size, left, top } = this.thumbs;
    const layer = Math.floor((event.offsetY - top) / (size + THUMB.gap));
    const head = Math.floor((event.offsetX - left) / (size + THUMB.gap));
    return layer >= 0 && layer < layers && head >= 0 && head < heads ? { layer, head } : null;
  }

  // ------------------------------------------------------------ drawing

  paintAll() {
    const width = this.root.clientWidth - 8; // less the padding
    if (width <= 0) return; // not in the page yet
    this.colours = theme(this.root);
    this.arrange(width);
    if (this.overview) this.drawOverview(width);
    this.drawMap();
  }

  drawMap() {
    this.drawSquares();
    this.drawMarks();
  }

  /** Find all places for this width, and cut the words to what fits. */
  arrange(width) {
    const { data, stage, sheet, pane } = this;
    const pen = this.squares.getContext("2d");
    pen.font = this.font(600);
    const most = clamp(width * 0.13, 50, LABEL.most);
    const widest = (words) => Math.min(most, Math.max(20, ...words.map((word) => pen.measureText(word).width)));
    const moved = this.place?.width !== width;
    this.place = layout(data, width, widest);
    this.labels = {
      keys: data.keys.map((word) => fitted(pen, word, most)),
      slanted: data.keys.map((word) => fitted(pen, word, LABEL.mostSlanted)),
      queries: data.queries.map((word) => fitted(pen, word, most)),
    };
    stage.style.height = `${this.place.height}px`;
    Object.assign(sheet.style, { width: `${this.place.right}px`, height: `${this.place.bottom}px` });
    this.size = { width: stage.clientWidth, height: stage.clientHeight };
    Object.assign(pane.style, { width: `${this.size.width}px`, height: `${this.size.height}px` });
    if (moved) this.uncover();
  }

  font(weight = 400, size = LABEL.size) {
    return `${weight} ${size}px ${this.colours.family}`;
  }

  /** Restrict a pen to the heat map, or with `above` to the heat map and the labels above it. */
  clip(pen, above = false) {
    const { left, top } = this.place;
    const start = above ? 0 : top;
    pen.save();
    pen.beginPath();
    pen.rect(left - 2, start - (above ? 0 : 2), this.size.width - left + 2, this.size.height - start + 2);
    pen.clip();
  }

  /** The corner of a square, scrolled. */
  corner(row, column) {
    const { left, top, cell } = this.place;
    return [left + column * cell.width - this.stage.scrollLeft, top + row * cell.height - this.stage.scrollTop];
  }

  drawSquares() {
    const { T, S } = this.data;
    const { cell } = this.place;
    const pen = prepared(this.squares, this.size.width, this.size.height);
    this.clip(pen);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.picture, ...this.corner(0, 0), S * cell.width, T * cell.height);
    if (Math.min(cell.width, cell.height) >= CELL.ruled) this.drawRules(pen);
    if (Math.min(cell.width, cell.height) >= CELL.numbers) this.drawNumbers(pen);
    pen.restore();
  }

  /** Thin lines between the squares. */
  drawRules(pen) {
    const { T, S } = this.data;
    const [x0, y0] = this.corner(0, 0);
    const [x1, y1] = this.corner(T, S);
    pen.fillStyle = "#ffffff";
    for (let j = 0; j <= S; j++) pen.fillRect(this.corner(0, j)[0] - 0.5, y0, 1, y1 - y0);
    for (let i = 0; i <= T; i++) pen.fillRect(x0, this.corner(i, 0)[1] - 0.5, x1 - x0, 1);
  }

  drawNumbers(pen) {
    const { T, S, table } = this.data;
    const { cell } = this.place;
    pen.font = this.font(400, 11);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let i = 0; i < T; i++) {
      for (let j = 0; j < S; j++) {
        const weight = this.matrix.values[i * S + j];
        const [x, y] = this.corner(i, j);
        pen.fillStyle = inkOn(table[step(weight)]);
        pen.fillText(weight.toFixed(2), x + cell.width / 2, y + cell.height / 2);
      }
    }
  }

  /** All that follows the pointer: lines, labels, and what is marked in the heat map. */
  drawMarks() {
    if (!this.place) return;
    const pen = prepared(this.marks, this.size.width, this.size.height);
    this.drawTitles(pen);
    this.drawLines(pen);
    this.drawKeyWords(pen);
    this.drawQueryWords(pen);
    this.drawColumnWords(pen);
    this.drawCursor(pen);
  }

  drawTitles(pen) {
    const { left, top } = this.place;
    const short = left < 235;
    pen.font = this.font(400, 11);
    pen.fillStyle = this.colours.faint;
    pen.textBaseline = "top";
    pen.textAlign = "left";
    pen.fillText("keys (read from)", left + 2, 1);
    pen.fillText(short ? "keys" : "keys (read from)", 2, top - 22);
    pen.textAlign = "right";
    pen.fillText(short ? "queries" : "queries (who reads)", left - 8, top - 22);
  }

  rowMiddle(row) {
    return this.corner(row, 0)[1] + this.place.cell.height / 2;
  }

  keyMiddle(key) {
    return this.place.top + (key + 0.5) * this.place.pitch;
  }

  /** From the query's word to each key's: as thick and as dark as the weight. */
  drawLines(pen) {
    const { row, column } = this.cursor;
    const weights = this.weightsOf(row);
    pen.save();
    pen.beginPath();
    pen.rect(0, TITLES, this.place.left, this.size.height);
    pen.clip();
    pen.font = this.font(600);
    const start = this.place.left - 13 - pen.measureText(this.labels.queries[row]).width;
    for (const j of largestFirst(weights).reverse()) {
      if (weights[j] < FAINTEST) continue;
      pen.strokeStyle = j === column ? this.colours.mark : this.colours.line;
      this.drawLine(pen, start, this.rowMiddle(row), this.keyMiddle(j), Math.min(weights[j], 1));
    }
    pen.restore();
  }

  /** Straight past the other queries, then bent towards the key. */
  drawLine(pen, start, from, to, weight) {
    const { keyWidth, queryWidth, left } = this.place;
    const bend = Math.min(start, left - queryWidth);
    const middle = (bend + keyWidth) / 2;
    pen.globalAlpha = 0.05 + 0.95 * weight ** 0.6; // thin lines would fade too soon in proportion
    pen.lineWidth = Math.max(0.5, 9 * weight);
    pen.beginPath();
    pen.moveTo(start, from);
    pen.lineTo(bend, from);
    pen.bezierCurveTo(middle, from, middle, to, keyWidth - 2, to);
    pen.stroke();
  }

  /** One label, bold and marked if it is the one in question. */
  label(pen, text, x, y, marked, alpha = 1) {
    pen.globalAlpha = alpha;
    pen.font = this.font(marked ? 600 : 400);
    pen.fillStyle = marked ? this.colours.mark : this.colours.ink;
    pen.fillText(text, x, y);
    pen.globalAlpha = 1;
  }

  /** The keys on the left. Where there is no room for all, those that are read most have their word. */
  drawKeyWords(pen) {
    const { row, column } = this.cursor;
    const weights = this.weightsOf(row);
    const order = largestFirst(weights);
    if (column !== null) order.unshift(column);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const j of spaced(order, (key) => this.keyMiddle(key), this.place.pitch > 12 ? 0 : LABEL.apart)) {
      const alpha = j === column ? 1 : clamp(0.6 + 2 * weights[j], 0, 1);
      this.label(pen, this.labels.keys[j], this.place.keyWidth - 6, this.keyMiddle(j), j === column, alpha);
    }
  }

  /** Every so many places, so that the labels keep apart, and the place in question first. */
  thinned(count, size, first) {
    const every = Math.ceil(LABEL.apart / size);
    const order = Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every);
    if (first !== null) order.unshift(first);
    return spaced(order, (i) => i * size, Math.min(LABEL.apart, size * every));
  }

  drawQueryWords(pen) {
    const { left, top, cell } = this.place;
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

  drawColumnWords(pen) {
    const { top, cell, upright } = this.place;
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

  /** A frame around the row, and a ring around the square. */
  drawCursor(pen) {
    const { row, column } = this.cursor;
    const { cell } = this.place;
    this.clip(pen);
    this.ring(pen, ...this.corner(row, 0), this.data.S * cell.width, cell.height, INK, 1);
    if (column !== null) this.ring(pen, ...this.corner(row, column), cell.width, cell.height, this.colours.mark, 2);
    pen.restore();
  }

  /** A ring that stands out on light and on dark squares: the colour, with white around it. */
  ring(pen, x, y, width, height, colour, thick) {
    const shift = (thick % 2) / 2; // odd strokes are sharp between the pixels, even ones on them
    for (const [style, line] of [["#ffffff", thick + 2], [colour, thick]]) {
      pen.strokeStyle = style;
      pen.lineWidth = line;
      pen.strokeRect(x - shift, y - shift, width + 2 * shift, height + 2 * shift);
    }
  }

  // ------------------------------------------------------------ all heads, small

  drawOverview(width) {
    const { layers, heads, hasLayers } = this.data;
    const left = hasLayers ? THUMB.names : 2;
    const most = layers > 1 ? THUMB.mostInLayers : THUMB.most;
    const size = clamp(Math.floor((width - left - 16) / heads) - THUMB.gap, THUMB.least, most);
    if (this.thumbs?.size !== size) this.thumbs = { size, left, top: 18, pictures: this.thumbnails(size) };
    const pitch = size + THUMB.gap;
    const pen = prepared(this.overview, left + heads * pitch + 2, this.thumbs.top + layers * pitch + 2);
    this.drawHeadNames(pen, pitch);
    this.thumbs.pictures.forEach((picture, i) => {
      const x = left + (i % heads) * pitch;
      const y = this.thumbs.top + Math.floor(i / heads) * pitch;
      pen.imageSmoothingEnabled = false;
      pen.drawImage(picture, x, y, size, size);
      if (i === this.layer * heads + this.head) this.ring(pen, x, y, size, size, this.colours.mark, 2);
    });
  }

  thumbnails(size) {
    const { layers, heads, table } = this.data;
    return Array.from({ length: layers * heads }, (_, i) =>
      raster(shrunk(this.data.matrix(Math.floor(i / heads), i % heads), size), table));
  }

  drawHeadNames(pen, pitch) {
    const { layers, heads, hasLayers } = this.data;
    const { left, top, size } = this.thumbs;
    pen.font = this.font(400, 11);
    pen.fillStyle = this.colours.faint;
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    const name = size >= 48 ? "head " : "";
    for (let head = 0; head < heads; head++) pen.fillText(name + head, left + head * pitch + size / 2, top / 2);
    pen.textAlign = "left";
    if (hasLayers && !name) pen.fillText("head", 2, top / 2);
    for (let layer = 0; hasLayers && layer < layers; layer++) {
      pen.fillText(`layer ${layer}`, 2, top + layer * pitch + size / 2);
    }
  }
}
