// What every explorer draws with. A widget has room for one module, so base.py joins this file and the
// explorer's own; nothing here is exported, and nothing is fetched.

// ---------------------------------------------------------------- elements

/** A new element: element("label", { class: "abh-control" }, "Head ", select). */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (node.matches(FOCUSABLE)) node.setAttribute(OWN_KEYS, "true");
  node.append(...children);
  return node;
}

// JupyterLab's one-key shortcuts are kept out: here the arrow keys walk. It looks at the element with the focus first,
// and only then at what is around it, so each such element says so itself.
const FOCUSABLE = "input, select, button, [tabindex]";
const OWN_KEYS = "data-lm-suppress-shortcuts";

/** The frame of an explorer. */
function frame(...children) {
  return element("div", { class: "abh", [OWN_KEYS]: "true" }, ...children);
}

/** An id that no other element of the page has. */
const freshId = () => `abh-${Math.random().toString(36).slice(2)}`;

/** What is said in words, in bold and below it in small; a screen reader hears it when it changes. */
function spoken() {
  const node = element("output", { class: "abh-readout", role: "status", "aria-live": "polite" });
  const say = (bold, small = "") => node.replaceChildren(element("b", {}, bold), element("span", {}, small));
  return { node, say };
}

const help = (text, id = freshId()) => element("p", { class: "abh-help", id }, text);

/** Things beside each other, below each other where there is no room. */
const beside = (...children) => element("div", { class: "abh-beside" }, ...children);

// ---------------------------------------------------------------- controls: all native, all with a label

const tools = (...controls) => element("div", { class: "abh-tools" }, ...controls);

/** A slider with its value beside it, written by show(value). */
function slider({ label, min, max, step: pace = 1, value, show = String }, onInput) {
  const input = element("input", { type: "range", min, max, step: pace });
  const shown = element("span", { class: "abh-value" });
  const write = (text) => {
    shown.textContent = text;
    input.setAttribute("aria-valuetext", text);
  };
  const set = (number, text = show(number)) => {
    input.value = number;
    write(text);
  };
  input.addEventListener("input", () => {
    write(show(Number(input.value)));
    onInput(Number(input.value));
  });
  set(value);
  const name = element("span", {}, label);
  const node = element("label", { class: "abh-control abh-slider" }, name, input, shown);
  input.setAttribute("aria-label", label);
  return { node, input, set, rename: (text) => {
    name.textContent = text;
    input.setAttribute("aria-label", text);
  } };
}

/** One of several, all in sight: options are [value, text] pairs. */
function choice(label, options, value, onChoose) {
  const name = freshId();
  const node = element("fieldset", { class: "abh-choice" }, element("legend", {}, label));
  for (const [each, text] of options) {
    const input = element("input", { type: "radio", name, value: each });
    input.checked = each === value;
    input.addEventListener("change", () => onChoose(each));
    node.append(element("label", {}, input, element("span", {}, text)));
  }
  return { node };
}

function toggle(label, value, onChange) {
  const input = element("input", { type: "checkbox" });
  input.checked = value;
  input.addEventListener("change", () => onChange(input.checked));
  return { node: element("label", { class: "abh-control" }, input, label), input };
}

function button(label, onPress) {
  const node = element("button", { type: "button", class: "abh-button" }, label);
  node.addEventListener("click", onPress);
  return { node };
}

/** A labelled native select over 0 .. count - 1. */
function chooser(label, count, onChoose) {
  const select = element("select");
  for (let i = 0; i < count; i++) select.append(element("option", { value: i }, String(i)));
  select.addEventListener("change", () => onChoose(Number(select.value)));
  return { select, label: element("label", { class: "abh-control" }, label, select) };
}

/** The scale of colours with its unit and its ends. */
function legend(table, unit, low = "0", high = "1", says = `colours: ${unit} ${low} is light, ${high} is dark`) {
  const stops = [0, 32, 64, 96, 128, 160, 192, 224, 255].map((i) => css(table[i]));
  const bar = element("span", { class: "abh-bar" });
  bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  return element("span", { class: "abh-legend", role: "img", "aria-label": says }, `${unit} ${low}`, bar, high);
}

// ---------------------------------------------------------------- numbers and colours

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** The float32 numbers of a binary trait. The bytes are copied: they may not start at a multiple of four. */
function floats(view) {
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

/** The 256 colours of a binary trait as [red, green, blue]. */
function colours(view) {
  return Array.from({ length: 256 }, (_, i) => [0, 1, 2].map((channel) => view.getUint8(3 * i + channel)));
}

const INK = "#1b2a41"; // on the squares, whose colours are the same in every theme

const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

/** The place in the table, as matplotlib finds it: 256 equal steps, and 1 belongs to the last. */
const step = (value) => clamp(Math.floor(value * 256), 0, 255);

/** White ink on dark squares, dark ink on light ones, as in plots.py. */
function inkOn([red, green, blue]) {
  return 0.3 * red + 0.59 * green + 0.11 * blue < 127.5 ? "#ffffff" : INK;
}

/** Four decimals, as the course prints its tensors; a weight that only rounds to 0 is told from a true 0. */
function exact(value) {
  return value > 0 && value < 0.00005 ? "less than 0.0001" : value.toFixed(4);
}

/** A number for a table's narrow square: two decimals, none where there is no room for them. */
function brief(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "-∞" : "∞";
  if (Math.abs(value) >= 1e6) return value.toExponential(0).replace("e+", "e");
  const text = value.toFixed(Math.abs(value) < 99.95 ? 2 : 0);
  return text === "-0.00" ? "0.00" : text;
}

/** A number in a sentence: four decimals, as the course prints its tensors. */
function precise(value) {
  if (Number.isNaN(value) || !Number.isFinite(value) || Math.abs(value) >= 1e6) return brief(value);
  const text = value.toFixed(4);
  return text === "-0.0000" ? "0.0000" : text;
}

/** The softmax of one row as PyTorch computes it, in float32: the largest score is taken off first. */
function softmax(scores) {
  const top = scores.reduce((most, score) => Math.max(most, score), -Infinity); // NaN if one is
  const powers = Float32Array.from(scores, (score) => Math.exp(Math.fround(score - top)));
  const total = sum(powers);
  return powers.map((power) => power / total);
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** A picture with one pixel for each number: values is (height, width), row after row. */
function raster({ values, width, height }, table) {
  const canvas = Object.assign(element("canvas"), { width, height });
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const packed = table.map(([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red);
  for (let i = 0; i < values.length; i++) pixels[i] = packed[step(values[i])];
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** The same numbers in at most `most` squares a side; a square has the largest value under it. */
function shrunk({ values, width, height }, most) {
  const wide = Math.min(width, most);
  const high = Math.min(height, most);
  const out = new Float32Array(wide * high);
  for (let i = 0; i < height; i++) {
    const row = Math.floor((i * high) / height) * wide;
    for (let j = 0; j < width; j++) {
      const place = row + Math.floor((j * wide) / width);
      out[place] = Math.max(out[place], values[i * width + j]);
    }
  }
  return { values: out, width: wide, height: high };
}

// ---------------------------------------------------------------- tables of numbers

/** A table of numbers. With onChoose it can be walked through: one square is chosen, by the arrow keys or a click, and
 *  the tab key enters the table once. `after` names columns on the right that belong to the row and are only read. */
class Grid {
  constructor({ name, rows, columns, after = [], corner = "", onChoose = null }) {
    Object.assign(this, { rows, columns, onChoose, chosen: [0, 0] });
    const slanted = columns.some((word) => word.length > 5) ? "abh-slanted" : "abh-upright";
    const head = (word, kind) => element("th", { scope: "col", class: kind, title: word }, element("span", {}, word));
    this.cells = rows.map((_, i) => columns.map((_, j) => this.cell(i, j)));
    this.sums = rows.map(() => after.map(() => element("td", { class: "abh-after" })));
    this.node = element("table", { class: "abh-grid", role: onChoose ? "grid" : "table", "aria-label": name },
      element("caption", {}, name),
      element("thead", {}, element("tr", {}, element("td", { class: "abh-corner" }, corner),
        ...columns.map((word) => head(word, slanted)), ...after.map((word) => head(word, "abh-upright abh-after")))),
      element("tbody", {}, ...rows.map((word, i) => element("tr", {},
        element("th", { scope: "row", title: word }, word), ...this.cells[i], ...this.sums[i]))));
    if (!onChoose) return;
    this.node.addEventListener("keydown", (event) => this.walk(event));
    this.choose(0, 0);
  }

  cell(i, j) {
    if (!this.onChoose) return element("td", { class: "abh-square" });
    const node = element("td", { class: "abh-square", role: "gridcell", tabindex: "-1" });
    node.addEventListener("click", () => this.choose(i, j, true));
    return node;
  }

  rename(name) {
    this.node.setAttribute("aria-label", name);
    this.node.caption.textContent = name;
  }

  /** describe(i, j) is { text, back, ink, kind }; describeAfter(i, k) gives the same for the columns on the right. */
  show(describe, describeAfter = () => ({})) {
    this.cells.forEach((row, i) => row.forEach((cell, j) => dress(cell, describe(i, j), "abh-square")));
    this.sums.forEach((row, i) => row.forEach((cell, k) => dress(cell, describeAfter(i, k), "abh-after")));
  }

  choose(i, j, told = false) {
    const [row, column] = this.chosen;
    this.cells[row][column].tabIndex = -1;
    this.cells[row][column].removeAttribute("aria-selected");
    this.cells[i][j].tabIndex = 0;
    this.cells[i][j].setAttribute("aria-selected", "true");
    this.chosen = [i, j];
    if (told) this.onChoose(i, j);
  }

  walk(event) {
    const [i, j] = this.chosen;
    const [lastRow, lastColumn] = [this.rows.length - 1, this.columns.length - 1];
    const whole = event.ctrlKey || event.metaKey;
    const moves = {
      ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1],
      Home: [whole ? 0 : i, 0], End: [whole ? lastRow : i, lastColumn],
    };
    const move = moves[event.key];
    if (!move || event.altKey) return;
    event.preventDefault();
    this.choose(clamp(move[0], 0, lastRow), clamp(move[1], 0, lastColumn), true);
    this.cells[this.chosen[0]][this.chosen[1]].focus();
  }
}

/** A table whose rows are the steps of a computation; made anew when other steps are taken. */
class Steps {
  constructor(columns) {
    this.columns = columns;
    this.node = element("div");
  }

  show(name, steps, describe, describeAfter) {
    if (this.grid?.rows.join() !== steps.join()) {
      this.grid = new Grid({ name, rows: steps, columns: this.columns, after: ["sum"] });
      this.node.replaceChildren(this.grid.node);
    }
    this.grid.rename(name);
    this.grid.show(describe, describeAfter);
  }
}

/** Change what has changed: a square that stays as it is costs nothing. */
function dress(cell, { text = "", back = "", ink = "", kind = "" }, always) {
  const kinds = `${always} ${kind}`.trim();
  if (cell.textContent !== text) cell.textContent = text;
  if (cell.className !== kinds) cell.className = kinds;
  if (cell.dataset.back !== back) {
    Object.assign(cell.style, { background: back, color: ink });
    cell.dataset.back = back;
  }
}

/** A square in its colour, with an ink that can be read on it. */
function coloured(value, table, place = value) {
  if (!Number.isFinite(value)) return { text: brief(value), kind: Number.isNaN(value) ? "abh-broken" : "" };
  const colour = table[step(place)];
  return { text: brief(value), back: css(colour), ink: inkOn(colour) };
}

// ---------------------------------------------------------------- charts

const SVG = "http://www.w3.org/2000/svg";

/** A new element of a drawing: drawn("line", { x1: 0, x2: 9, class: "abh-axis" }). */
function drawn(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** A chart of curves or bars over numbers, or over words. Drawn anew whenever something changes; what it says in
 *  words is its name for screen readers.
 *    x: { from, to, ticks, label, log } or { words, label };  y: { from, to, ticks, label } */
class Chart {
  constructor({ height = 200, x, y }) {
    Object.assign(this, { height, x, y });
    this.node = drawn("svg", { class: "abh-chart", role: "img" });
  }

  /** curves: { name, points, kind, dashed, scattered }, where scattered points are dots that nothing joins;
   *  bars: { values, kind }; dots: { at, kind, text }; rules: { x or y, text } */
  draw({ title, says, curves = [], bars = null, dots = [], rules = [] }) {
    this.width = Math.max(this.node.parentElement?.clientWidth ?? 0, 240);
    this.box = { left: 50, right: this.width - 18, top: curves.some(({ name }) => name) ? 42 : 26, bottom: this.height - 40 };
    const { node, width, height } = this;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}`, "aria-label": says })) {
      node.setAttribute(name, value);
    }
    node.replaceChildren(drawn("text", { x: 0, y: 13, class: "abh-title" }, title), ...this.names(curves),
      ...this.axes(), ...(bars ? this.bars(bars) : []), ...rules.map((rule) => this.rule(rule)).flat(),
      ...curves.map((curve) => this.curve(curve)), ...dots.map((dot) => this.dot(dot)).flat());
  }

  /** Where a place on the x-axis is, in pixels; of words, the middle. */
  across(value) {
    const { left, right } = this.box;
    if (this.x.words) return left + ((value + 0.5) * (right - left)) / this.x.words.length;
    const { from, to, log } = this.x;
    const share = log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
    return left + share * (right - left);
  }

  up(value) {
    const { top, bottom } = this.box;
    const { from, to } = this.y;
    return bottom - ((value - from) / (to - from)) * (bottom - top);
  }

  axes() {
    const { left, right, top, bottom } = this.box;
    const parts = [];
    for (const tick of this.y.ticks) {
      const y = this.up(tick);
      parts.push(drawn("line", { x1: left, x2: right, y1: y, y2: y, class: "abh-rule" }),
        drawn("text", { x: left - 6, y: y + 4, class: "abh-tick abh-end" }, String(tick)));
    }
    const ticks = this.x.words ? this.x.words.map((word, i) => [i, word]) : this.x.ticks.map((tick) => [tick, String(tick)]);
    for (const [tick, text] of ticks) {
      parts.push(drawn("text", { x: this.across(tick), y: bottom + 15, class: "abh-tick abh-middle" }, text));
    }
    const middle = (top + bottom) / 2;
    parts.push(drawn("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "abh-axis" }),
      drawn("text", { x: (left + right) / 2, y: bottom + 32, class: "abh-tick abh-middle" }, this.x.label),
      drawn("text", { x: 0, y: 0, class: "abh-tick abh-middle", transform: `translate(11 ${middle}) rotate(-90)` },
        this.y.label));
    return parts;
  }

  /** The names of the curves in a line, each behind a piece of its curve. */
  names(curves) {
    let x = this.box.left;
    return curves.filter(({ name }) => name).flatMap((curve) => {
      const start = x;
      x += 44 + 6.4 * curve.name.length;
      return [drawn("line", { x1: start, x2: start + 18, y1: 29, y2: 29, class: this.look(curve) }),
        drawn("text", { x: start + 23, y: 33, class: "abh-tick" }, curve.name)];
    });
  }

  look({ kind, dashed, scattered }) {
    return `abh-curve abh-${kind}${dashed ? " abh-dashed" : ""}${scattered ? " abh-scattered" : ""}`;
  }

  curve(curve) {
    const place = ([x, y]) => `${this.across(x).toFixed(1)} ${this.up(y).toFixed(1)}`;
    const path = curve.points.map((point, i) => {
      if (curve.scattered) return `M${place(point)}h0`; // a line of no length is drawn as a dot
      return `${i ? "L" : "M"}${place(point)}`;
    });
    return drawn("path", { d: path.join(""), class: this.look(curve) });
  }

  /** Bars from 0, each with its number where there is room for it. */
  bars({ values, kind = () => "line" }) {
    const { left, right } = this.box;
    const wide = (0.7 * (right - left)) / values.length;
    const written = (value) => (wide > 0.7 * 27 ? value.toFixed(2) : "");
    return values.flatMap((value, i) => {
      const [x, y, zero] = [this.across(i), this.up(value), this.up(0)];
      return [drawn("rect", { x: x - wide / 2, width: wide, y: Math.min(y, zero), height: Math.abs(y - zero), class: `abh-fill abh-${kind(i)}` }),
        drawn("text", { x, y: Math.min(y, zero) - 4, class: "abh-tick abh-middle" }, written(value))];
    });
  }

  dot({ at: [x, y], kind, text = "" }) {
    const [cx, cy] = [this.across(x), this.up(y)];
    const late = cx > (this.box.left + this.box.right) / 2;
    return [drawn("circle", { cx, cy, r: 4.5, class: `abh-fill abh-${kind}` }),
      drawn("text", { x: cx + (late ? -8 : 8), y: cy - 8, class: `abh-tick ${late ? "abh-end" : ""}` }, text)];
  }

  rule({ x, y, text = "" }) {
    const { left, right, top, bottom } = this.box;
    const across = x === undefined ? { x1: left, x2: right, y1: this.up(y), y2: this.up(y) }
      : { x1: this.across(x), x2: this.across(x), y1: top, y2: bottom };
    return [drawn("line", { ...across, class: "abh-curve abh-mark abh-thin" }),
      drawn("text", { x: across.x2 - 4, y: across.y1 - 4, class: "abh-tick abh-end" }, text)];
  }
}

// ---------------------------------------------------------------- canvases and text

/** Give a canvas its size in CSS pixels, sharp on every screen, and empty it. */
function prepared(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    Object.assign(canvas, { width: wide, height: high });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

/** A word that fits the width, with an ellipsis where it had to be cut. */
function fitted(pen, word, width) {
  if (pen.measureText(word).width <= width) return word;
  let length = word.length - 1;
  while (length > 1 && pen.measureText(word.slice(0, length) + "…").width > width) length--;
  return word.slice(0, length) + "…";
}

/** Which of many labels to write: the first in `order` that keep `apart` pixels from those chosen before. */
function spaced(order, position, apart) {
  const chosen = [];
  for (const i of order) {
    const here = position(i);
    if (chosen.every((other) => Math.abs(position(other) - here) >= apart)) chosen.push(i);
  }
  return chosen;
}

// ---------------------------------------------------------------- the page around

/** The colours and the font of the page, read from the style sheet, which reads JupyterLab's theme. */
function theme(node) {
  const style = getComputedStyle(node);
  const colour = (name) => style.getPropertyValue(`--abh-${name}`).trim();
  return { ink: colour("ink"), faint: colour("faint"), paper: colour("paper"), line: colour("line"),
    mark: colour("mark"), family: style.fontFamily };
}

/** Call back when the theme, the size of the node or the sharpness of the screen may have changed. */
function onSurroundings(node, callback) {
  const size = new ResizeObserver(callback);
  size.observe(node);
  const themes = new MutationObserver(() => {
    callback();
    setTimeout(callback, 200); // JupyterLab may hide the page for a moment while it changes its theme
  });
  for (const place of [document.body, document.documentElement]) {
    themes.observe(place, { attributes: true,
      attributeFilter: ["class", "theme", "data-jp-theme-name", "data-jp-theme-light"] });
  }
  window.addEventListener("resize", callback);
  return () => {
    size.disconnect();
    themes.disconnect();
    window.removeEventListener("resize", callback);
  };
}

/** A function that paints once in the next frame, however often it is called before. */
function oncePerFrame(paint) {
  let waiting = 0;
  return () => {
    if (waiting) return;
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      paint();
    });
  };
}
