// Charts of curves or bars, as SVG.

/** @typedef {{ from: number, to: number, ticks: number[], label: string, log?: boolean }} Axis */
/** @typedef {{ words: string[], label: string }} WordAxis */
/** @typedef {[number, number]} Point */
/** @typedef {{ name?: string, points: Point[], kind: string, dashed?: boolean, scattered?: boolean }} Curve scattered
 *    points are dots that nothing joins */
/** @typedef {{ values: number[], kind: (i: number) => string }} Bars */
/** @typedef {{ at: Point, kind: string }} Dot */
/** @typedef {{ title: string, says: string, curves?: Curve[], bars?: Bars | null, dots?: Dot[],
 *    rules?: number[] }} Drawing rules are vertical lines at values of x */

const SVG = "http://www.w3.org/2000/svg";

/** A new element of a drawing: drawn("line", { x1: 0, x2: 9, class: "abh-axis" }).
 *  @template {keyof SVGElementTagNameMap} Tag
 *  @param {Tag} tag
 *  @param {Record<string, string | number>} attributes
 *  @param {...(string | Node)} children */
export function drawn(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** An empty drawing.
 *  @param {string} kind */
export const drawing = (kind = "") => drawn("svg", { class: `abh-chart ${kind}`.trim(), role: "img" });

/** The width available to a drawing. Call it while the page is laid out, or it forces a layout.
 *  @param {SVGSVGElement} node */
export const roomOf = (node) => Math.max(node.parentElement?.clientWidth ?? 0, 240);

/** Give a drawing its size, its name for screen readers and its content.
 *  @param {SVGSVGElement} node
 *  @param {number} width
 *  @param {number} height
 *  @param {string} says
 *  @param {...Node} children */
export function redraw(node, width, height, says, ...children) {
  const attributes = { width, height, viewBox: `0 0 ${width} ${height}`, "aria-label": says };
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.replaceChildren(...children);
}

/** A chart of curves or bars over numbers or words. It is redrawn whenever something changes; its text in words is its
 *  name for screen readers. */
export class Chart {
  /** @param {{ height?: number, x: Axis | WordAxis, y: Axis }} options */
  constructor({ height = 200, x, y }) {
    this.height = height;
    this.x = x;
    this.y = y;
    this.width = 0;
    this.box = { left: 0, right: 0, top: 0, bottom: 0 };
    this.node = drawing();
  }

  measure() {
    this.width = roomOf(this.node);
  }

  /** @param {Drawing} drawing */
  draw({ title, says, curves = [], bars = null, dots = [], rules = [] }) {
    if (!this.width) this.measure();
    const top = curves.some(({ name }) => name) ? 42 : 26;
    this.box = { left: 50, right: this.width - 18, top, bottom: this.height - 40 };
    redraw(this.node, this.width, this.height, says, drawn("text", { x: 0, y: 13, class: "abh-title" }, title),
      ...this.names(curves), ...this.axes(), ...(bars ? this.bars(bars) : []), ...rules.map((x) => this.rule(x)),
      ...curves.map((curve) => this.curve(curve)), ...dots.map((dot) => this.dot(dot)));
  }

  /** The position of a value on the x-axis, in pixels; for words, the middle of their space.
   *  @param {number} value */
  across(value) {
    const { left, right } = this.box;
    if ("words" in this.x) return left + ((value + 0.5) * (right - left)) / this.x.words.length;
    const { from, to, log } = this.x;
    const share = log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
    return left + share * (right - left);
  }

  /** @param {number} value */
  up(value) {
    const { top, bottom } = this.box;
    const { from, to } = this.y;
    return bottom - ((value - from) / (to - from)) * (bottom - top);
  }

  axes() {
    const { left, right, top, bottom } = this.box;
    const middle = (top + bottom) / 2;
    const levels = this.y.ticks.flatMap((tick) => {
      const y = this.up(tick);
      return [drawn("line", { x1: left, x2: right, y1: y, y2: y, class: "abh-rule" }),
        drawn("text", { x: left - 6, y: y + 4, class: "abh-tick abh-end" }, String(tick))];
    });
    const names = this.ticks().map(([tick, text]) =>
      drawn("text", { x: this.across(tick), y: bottom + 15, class: "abh-tick abh-middle" }, text));
    return [...levels, ...names, drawn("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "abh-axis" }),
      drawn("text", { x: (left + right) / 2, y: bottom + 32, class: "abh-tick abh-middle" }, this.x.label),
      drawn("text", { x: 0, y: 0, class: "abh-tick abh-middle", transform: `translate(11 ${middle}) rotate(-90)` },
        this.y.label)];
  }

  /** The values that are written below the x-axis: every other one if there is no room for all.
   *  @returns {[number, string][]} */
  ticks() {
    if ("words" in this.x) return this.x.words.map((word, i) => [i, word]);
    const { ticks } = this.x;
    const room = (this.box.right - this.box.left) / (ticks.length - 1);
    const needed = 8 + 6.4 * Math.max(...ticks.map((tick) => String(tick).length));
    const middle = (ticks.length - 1) / 2;
    const shown = room < needed ? ticks.filter((_, i) => (i - middle) % 2 === 0) : ticks;
    return shown.map((tick) => [tick, String(tick)]);
  }

  /** The names of the curves in a line, each after a piece of its curve.
   *  @param {Curve[]} curves */
  names(curves) {
    let x = 0;
    return curves.flatMap((curve) => {
      if (!curve.name) return [];
      const start = x;
      x += 44 + 6.4 * curve.name.length;
      return [drawn("line", { x1: start, x2: start + 18, y1: 29, y2: 29, class: this.look(curve) }),
        drawn("text", { x: start + 23, y: 33, class: "abh-tick" }, curve.name)];
    });
  }

  /** @param {Curve} curve */
  look({ kind, dashed, scattered }) {
    return `abh-curve abh-${kind}${dashed ? " abh-dashed" : ""}${scattered ? " abh-scattered" : ""}`;
  }

  /** @param {Curve} curve */
  curve(curve) {
    const pixel = (/** @type {Point} */ [x, y]) => `${this.across(x).toFixed(1)} ${this.up(y).toFixed(1)}`;
    const path = curve.points.map((point, i) => {
      if (curve.scattered) return `M${pixel(point)}h0`; // a line of no length is drawn as a dot
      return `${i ? "L" : "M"}${pixel(point)}`;
    });
    return drawn("path", { d: path.join(""), class: this.look(curve) });
  }

  /** Bars from 0, each with its number if there is room for it.
   *  @param {Bars} bars */
  bars({ values, kind }) {
    const { left, right } = this.box;
    const wide = (0.7 * (right - left)) / values.length;
    const written = (/** @type {number} */ value) => (wide > 0.7 * 27 ? value.toFixed(2) : "");
    return values.flatMap((value, i) => {
      const [x, y, zero] = [this.across(i), this.up(value), this.up(0)];
      return [drawn("rect", { x: x - wide / 2, width: wide, y: Math.min(y, zero), height: Math.abs(y - zero),
        class: `abh-fill abh-${kind(i)}` }),
      drawn("text", { x, y: Math.min(y, zero) - 4, class: "abh-tick abh-middle" }, written(value))];
    });
  }

  /** @param {Dot} dot */
  dot({ at: [x, y], kind }) {
    return drawn("circle", { cx: this.across(x), cy: this.up(y), r: 4.5, class: `abh-fill abh-${kind}` });
  }

  /** @param {number} x */
  rule(x) {
    const { top, bottom } = this.box;
    const pixel = this.across(x);
    return drawn("line", { x1: pixel, x2: pixel, y1: top, y2: bottom, class: "abh-curve abh-mark abh-thin" });
  }
}
