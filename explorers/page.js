// Elements, controls, canvases, and the page around an explorer.

import { clamp, colorIndex, onDark, range, themed } from "./numbers.js";

/** @import { Color, Matrix } from "./numbers.js" */
/** @typedef {{ get(name: string): any }} Model what anywidget passes to a view: its traits */
/** @typedef {{ model: Model, el: HTMLElement }} Mount where a view finds its numbers, and where it goes */
/** @typedef {string | Node} Content */

// ---------------------------------------------------------------- elements

// Suppress JupyterLab's one-key shortcuts, since here the arrow keys move the selection. JupyterLab looks at the
// focused element before its ancestors, so each such element is marked itself.
const FOCUSABLE = "a, input, select, button, summary, [tabindex]";
const OWN_KEYS = "data-lm-suppress-shortcuts";

/** A new element: element("label", { class: "abh-control" }, "Head ", select).
 *  @template {keyof HTMLElementTagNameMap} Tag
 *  @param {Tag} tag
 *  @param {Record<string, string | number>} attributes
 *  @param {...Content} children */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (node.matches(FOCUSABLE)) node.setAttribute(OWN_KEYS, "true");
  node.append(...children);
  return node;
}

/** The frame of an explorer. Escape moves the focus to the cell, where JupyterLab's own keys work again. Shift + Enter
 *  runs the next cell, as everywhere in a notebook, and presses no control here.
 *  @param {...Content} children */
export function frame(...children) {
  const node = element("div", { class: "abh", [OWN_KEYS]: "true" }, ...children);
  node.addEventListener("keydown", ({ key, defaultPrevented }) => {
    if (key === "Escape" && !defaultPrevented) /** @type {HTMLElement?} */ (node.closest(".jp-Cell"))?.focus();
  });
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.shiftKey) runNext(node, event);
  }, { capture: true }); // before any control sees the key
  return node;
}

/** Pass the key on to JupyterLab, as if it had been pressed in the cell below.
 *  @param {Element} node
 *  @param {KeyboardEvent} event */
function runNext(node, event) {
  const next = /** @type {HTMLElement?} */ (node.closest(".jp-Cell")?.nextElementSibling);
  if (!next?.matches(".jp-Cell")) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
  next.dispatchEvent(new KeyboardEvent("keydown",
    { key: "Enter", code: "Enter", keyCode: 13, shiftKey: true, bubbles: true, cancelable: true }));
}

/** An id that no other element of the page has. */
export const freshId = () => `abh-${Math.random().toString(36).slice(2)}`;

/** Replace the text of an element. Its text node stays, since a new one would make the browser evaluate every rule with
 *  :has() again, on the whole page.
 *  @param {Element} node
 *  @param {string} text */
export function write(node, text) {
  const { firstChild } = node;
  if (node.textContent === text) return;
  if (firstChild?.nodeName === "#text" && firstChild === node.lastChild) firstChild.nodeValue = text;
  else node.textContent = text;
}

/** An explorer's text: a sentence in bold and a line in small type. A screen reader reads it out when it changes.
 *  A roomy one keeps space for long sentences. */
export function spoken(roomy = false) {
  const kind = `abh-readout${roomy ? " abh-roomy" : ""}`;
  const [first, second] = [element("b"), element("span")];
  const node = element("output", { class: kind, role: "status", "aria-live": "polite" }, first, second);
  const say = (/** @type {string} */ bold, small = "") => {
    write(first, bold);
    write(second, small);
  };
  return { node, say };
}

/** Instructions in small type. On touch screens, they say "tap" instead of "click".
 *  @param {string} text */
export function help(text, id = freshId()) {
  const byTouch = window.matchMedia("(hover: none)").matches;
  const said = byTouch ? text.replace(/\b(Point at|Click)\b/g, "Tap").replace(/\bclick\b/g, "tap") : text;
  return element("p", { class: "abh-help", id }, said);
}

/** Elements side by side, or one below the other if there is no room.
 *  @param {...Content} children */
export const sideBySide = (...children) => element("div", { class: "abh-side-by-side" }, ...children);

/** Content that is folded until the reader opens it.
 *  @param {string} summary
 *  @param {...Content} children */
export function folded(summary, ...children) {
  const name = element("summary", {}, summary);
  return { node: element("details", { class: "abh-more" }, name, ...children), name };
}

/** A legend for a mark in a drawing: a small square in the style of a class, and words.
 *  @param {string} kind
 *  @param {string} text */
export const swatch = (kind, text) =>
  element("span", { class: "abh-legend" }, element("span", { class: `abh-swatch ${kind}` }), text);

// ---------------------------------------------------------------- controls: all native, all with a label

/** @param {...Content} controls */
export const tools = (...controls) => element("div", { class: "abh-tools" }, ...controls);

/** @typedef {ReturnType<typeof slider>} Slider */

/** A slider followed by its value, formatted by show(value).
 *  @param {{ label: string, min: number, max: number, step?: number, value: number, show?: (value: number) => string }}
 *    options
 *  @param {(value: number) => void} onInput */
export function slider({ label, min, max, step = 1, value, show = String }, onInput) {
  const input = element("input", { type: "range", min, max, step });
  const shown = element("span", { class: "abh-value" });
  const showAs = (/** @type {string} */ text) => {
    write(shown, text);
    input.setAttribute("aria-valuetext", text);
  };
  const set = (/** @type {number} */ number, text = show(number)) => {
    input.value = String(number);
    showAs(text);
  };
  input.addEventListener("input", () => {
    showAs(show(Number(input.value)));
    onInput(Number(input.value));
  });
  set(value);
  const name = element("span", {}, label);
  const node = element("label", { class: "abh-control abh-slider" }, name, input, shown);
  const rename = (/** @type {string} */ text) => {
    write(name, text);
    input.setAttribute("aria-label", text);
  };
  rename(label);
  return { node, input, set, rename };
}

/** A slider with an input field, for whole numbers.
 *  @param {{ label: string, min: number, max: number, value: number }} options
 *  @param {(value: number) => void} onInput */
export function numberSlider({ label, min, max, value }, onInput) {
  const id = freshId();
  const track = element("input", { type: "range", id, min, max, value });
  const field = element("input", { type: "number", class: "abh-field", min, max, value, "aria-label": label });
  const take = (/** @type {number} */ number) => {
    track.value = field.value = String(number);
    onInput(number);
  };
  track.addEventListener("input", () => take(track.valueAsNumber));
  field.addEventListener("input", () => { // ignored while the field is empty or too large
    if (field.value && field.validity.valid) take(field.valueAsNumber);
  });
  field.addEventListener("change", () =>
    take(field.value ? clamp(Math.round(field.valueAsNumber), min, max) : track.valueAsNumber));
  return element("span", { class: "abh-control abh-typed" }, element("label", { for: id }, label), track, field);
}

/** Radio buttons; options are [value, content] pairs.
 *  @template {string | number} Value
 *  @param {string} label
 *  @param {[Value, Content][]} options
 *  @param {Value} value
 *  @param {(value: Value) => void} onChoose */
export function choice(label, options, value, onChoose) {
  const name = freshId();
  const node = element("fieldset", { class: "abh-choice" }, element("legend", {}, label));
  for (const [each, content] of options) {
    const input = element("input", { type: "radio", name, value: each });
    input.checked = each === value;
    input.addEventListener("change", () => onChoose(each));
    node.append(element("label", {}, input, element("span", {}, content)));
  }
  return node;
}

/** @type {(label: string, value: boolean, onChange: (value: boolean) => void) => HTMLLabelElement} */
export function toggle(label, value, onChange) {
  const input = element("input", { type: "checkbox" });
  input.checked = value;
  input.addEventListener("change", () => onChange(input.checked));
  return element("label", { class: "abh-control" }, input, label);
}

/** @type {(label: string, onPress: () => void) => HTMLButtonElement} */
export function button(label, onPress) {
  const node = element("button", { type: "button", class: "abh-button" }, label);
  node.addEventListener("click", onPress);
  return node;
}

/** @typedef {ReturnType<typeof chooser>} Chooser */

/** A labeled native select of 0 to count - 1.
 *  @param {string} label
 *  @param {number} count
 *  @param {(value: number) => void} onChoose */
export function chooser(label, count, onChoose) {
  const select = element("select");
  for (const i of range(count)) select.append(element("option", { value: i }, String(i)));
  select.addEventListener("change", () => onChoose(Number(select.value)));
  return { select, label: element("label", { class: "abh-control" }, label, select) };
}

/** The scale of colors with its unit and its ends.
 *  @param {Color[]} table
 *  @param {string} unit */
export function legend(table, unit, low = "0", high = "1",
  says = `colors: ${unit} ${low} is faint, ${high} is strong`) {
  const stops = [0, 32, 64, 96, 128, 160, 192, 224, 255].map((i) => themed(table[i]));
  const bar = element("span", { class: "abh-bar" });
  bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  return element("span", { class: "abh-legend", role: "img", "aria-label": says }, `${unit} ${low}`, bar, high);
}

// ---------------------------------------------------------------- canvases and text

/** The pen of a canvas.
 *  @param {HTMLCanvasElement} canvas */
export function penOf(canvas) {
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser cannot draw on a canvas; update it or use another one");
  return pen;
}

/** A picture with one pixel for each number.
 *  @param {Matrix} matrix
 *  @param {Color[]} table */
export function raster({ values, width, height }, table) {
  const canvas = Object.assign(element("canvas"), { width, height });
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const packed = table.map(([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red);
  for (let i = 0; i < values.length; i++) pixels[i] = packed[colorIndex(values[i])];
  penOf(canvas).putImageData(image, 0, 0);
  return canvas;
}

/** Give a canvas its size in CSS pixels, sharp on every screen, and empty it.
 *  @param {HTMLCanvasElement} canvas
 *  @param {number} width
 *  @param {number} height */
export function prepared(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    Object.assign(canvas, { width: wide, height: high });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  const pen = penOf(canvas);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

/** The colors of numbers in a theme; the same list for the same table and theme.
 *  @param {Color[]} table
 *  @param {{ dark: boolean }} theme */
export function inTheme(table, { dark }) {
  if (!dark) return table;
  if (!darkTables.has(table)) darkTables.set(table, table.map(onDark));
  return /** @type {Color[]} */ (darkTables.get(table));
}

/** @type {WeakMap<Color[], Color[]>} */
const darkTables = new WeakMap();

/** A hatched filling, as shared.css has it for tables.
 *  @param {CanvasRenderingContext2D} pen
 *  @param {boolean} dark */
export function hatching(pen, dark) {
  const size = 6;
  const tile = Object.assign(element("canvas"), { width: size, height: size });
  const lines = penOf(tile);
  const [paper, line] = dark ? ["#2b3440", "#414c5a"] : ["#eceef2", "#d3d8e0"];
  lines.fillStyle = paper;
  lines.fillRect(0, 0, size, size);
  lines.strokeStyle = line;
  for (const x of [-size, 0, size]) { // a diagonal, and its ends in the corners
    lines.moveTo(x, size);
    lines.lineTo(x + size, 0);
  }
  lines.stroke();
  return pen.createPattern(tile, "repeat") ?? paper;
}

/** A ring that stands out on light and on dark squares: the color, with white around it.
 *  @param {CanvasRenderingContext2D} pen
 *  @param {number[]} box x, y, width and height
 *  @param {string} color
 *  @param {number} thick */
export function ring(pen, [x, y, width, height], color, thick) {
  const shift = (thick % 2) / 2; // odd strokes are sharp between the pixels, even ones on them
  for (const [style, line] of /** @type {[string, number][]} */ ([["#ffffff", thick + 2], [color, thick]])) {
    pen.strokeStyle = style;
    pen.lineWidth = line;
    pen.strokeRect(x - shift, y - shift, width + 2 * shift, height + 2 * shift);
  }
}

/** A word that fits the width, with an ellipsis where it had to be cut.
 *  @param {CanvasRenderingContext2D} pen
 *  @param {string} word
 *  @param {number} width */
export function fitted(pen, word, width) {
  if (pen.measureText(word).width <= width) return word;
  let length = word.length - 1;
  while (length > 1 && pen.measureText(word.slice(0, length) + "…").width > width) length--;
  return word.slice(0, length) + "…";
}

// ---------------------------------------------------------------- the page around the explorer

/** @typedef {ReturnType<typeof theme>} Theme */

/** The colors and the font of the page, read from the style sheet, which follows JupyterLab's theme.
 *  @param {Element} node */
export function theme(node) {
  const style = getComputedStyle(node);
  const color = (/** @type {string} */ name) => style.getPropertyValue(`--abh-${name}`).trim();
  return { ink: color("ink"), faint: color("faint"), line: color("line"), mark: color("mark"), paper: color("paper"),
    family: style.fontFamily, dark: style.colorScheme === "dark" };
}

/** Call back when the theme, the size of the node or the resolution of the screen may have changed. Returns a function
 *  that stops it, as anywidget expects from render().
 *  @param {Element} node
 *  @param {() => void} callback */
export function onSurroundings(node, callback) {
  const size = new ResizeObserver(callback);
  size.observe(node);
  const themes = new MutationObserver(() => {
    callback();
    setTimeout(callback, 200); // JupyterLab may hide the page for a moment while it changes its theme
  });
  for (const root of [document.body, document.documentElement]) {
    themes.observe(root, { attributes: true,
      attributeFilter: ["class", "theme", "data-theme", "data-jp-theme-name", "data-jp-theme-light"] });
  }
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", callback);
  window.addEventListener("resize", callback);
  return () => {
    size.disconnect();
    themes.disconnect();
    system.removeEventListener("change", callback);
    window.removeEventListener("resize", callback);
  };
}

/** The export of an explorer's module. `again` redraws a view when the page around it may have changed; a view that
 *  only the style sheet affects needs none.
 *  @template {{ root: Element, room?: Element, show(): void }} View
 *  @param {(model: Model) => View} make
 *  @param {(view: View) => void} [again] */
export function explorer(make, again) {
  const render = (/** @type {Mount} */ { model, el }) => {
    const view = make(model);
    el.append(view.root);
    view.show();
    return again && onSurroundings(view.room ?? view.root, () => again(view));
  };
  return { render };
}

/** A function that paints once in the next frame, however often it is called until then.
 *  @param {() => void} paint */
export function oncePerFrame(paint) {
  let waiting = 0;
  return () => {
    if (waiting) return;
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      paint();
    });
  };
}
