// The positions explorer: two rows of a table, where their features agree, and their cosine against the distance.

import { Chart } from "./charts.js";
import { clamp, colors, floats, precise, range, sum } from "./numbers.js";
import { element, explorer, frame, help, inTheme, legend, oncePerFrame, prepared, raster, slider, spoken, theme, toggle,
  tools, write } from "./page.js";
import { Reading } from "./tables.js";

/** @import { Numbers } from "./numbers.js" */
/** @import { Point } from "./charts.js" */
/** @import { Model } from "./page.js" */
/** @typedef {{ least: number, most: number, mean: number }} Summary of the cosines of all pairs of one distance */

const STRIP = 24; // pixels, the height of a row of colors
const GAP = 3; // below each of them
const MARK = 5; // the height of the mark below the chosen feature
const THUMB = 16; // the width of the slider's thumb, in shared.css

// ---------------------------------------------------------------- arithmetic

/** The dot product of two rows of a table with C columns.
 *  @param {Numbers} table
 *  @param {number} C
 *  @param {number} i
 *  @param {number} j */
function dot(table, C, i, j) {
  let total = 0;
  for (let c = 0; c < C; c++) total += table[i * C + c] * table[j * C + c];
  return total;
}

/** The cosine of each pair of rows, T × T numbers.
 *  @param {Numbers} table
 *  @param {number} T
 *  @param {number} C */
function cosinesOf(table, T, C) {
  const lengths = range(T).map((i) => Math.sqrt(dot(table, C, i, i)));
  const cosines = new Float64Array(T * T);
  for (let i = 0; i < T; i++) {
    for (let j = i; j < T; j++) {
      cosines[i * T + j] = cosines[j * T + i] = dot(table, C, i, j) / (lengths[i] * lengths[j]);
    }
  }
  return cosines;
}

/** The least, the largest and the mean cosine for each distance, 0 to T - 1.
 *  @param {Numbers} cosines
 *  @param {number} T
 *  @returns {Summary[]} */
function byDistance(cosines, T) {
  return range(T).map((apart) => {
    const pairs = range(T - apart).map((i) => cosines[i * T + i + apart]);
    return { least: Math.min(...pairs), most: Math.max(...pairs), mean: sum(pairs) / pairs.length };
  });
}

/** The range of colors, for the values and for their products: up to the largest, but at most three times the root mean
 *  square, so that one huge number does not make all others pale.
 *  @param {Numbers} table */
function reaches(table) {
  const values = Array.from(table);
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  const square = sum(values.map((value) => value * value)) / values.length;
  return { most, value: Math.min(most, 3 * Math.sqrt(square)), product: Math.min(most * most, 3 * square) };
}

/** The new position when both move together: they keep their distance, and stop when one reaches the end of the table.
 *  @param {number} to where the first one shall go
 *  @param {number} apart how far the second one is from the first
 *  @param {number} T */
const together = (to, apart, T) => clamp(to, Math.max(0, -apart), T - 1 - Math.max(0, apart));

// ---------------------------------------------------------------- the view

export default explorer((model) => new PositionsView(model), (view) => {
  view.chart.measure();
  view.paint();
});

class PositionsView {
  /** @param {Model} model */
  constructor(model) {
    /** @type {[number, number]} */
    const [T, C] = model.get("shape");
    /** @type {[number, number]} */
    const [i, j] = model.get("pair");
    this.T = T;
    this.C = C;
    this.i = i; // the chosen positions
    this.j = j;
    this.table = floats(model.get("table"));
    this.signed = colors(model.get("signed"));
    this.cosines = cosinesOf(this.table, T, C);
    this.apart = byDistance(this.cosines, T);
    this.reach = reaches(this.table);
    /** @type {Point[]} */
    this.means = range(2 * T - 1).map((k) => k - T + 1).map((k) => [k, this.apart[Math.abs(k)].mean]);
    this.feature = 0;
    this.together = false;
    this.paint = oncePerFrame(() => this.show());
    this.sliders = { i: this.positionSlider("i"), j: this.positionSlider("j") };
    this.readout = spoken(true);
    this.names = ["", "", "product"].map((name) => element("span", { class: "abh-strip-name" }, name));
    this.canvas = element("canvas", { role: "img" });
    this.track = element("div", { class: "abh-strip-track" }, this.canvas);
    this.featureSlider = slider({ label: "feature", min: 0, max: C - 1, value: 0 }, (c) => this.point(c));
    this.chart = this.chartOfCosines();
    this.reading = new Reading(() => this.listing());
    this.root = this.build();
  }

  /** @param {number} i
   *  @param {number} j */
  cosine(i, j) {
    return this.cosines[i * this.T + j];
  }

  /** @param {number} i */
  row(i) {
    return this.table.subarray(i * this.C, (i + 1) * this.C);
  }

  // ------------------------------------------------------------ elements

  build() {
    const both = toggle("move both together", this.together, (on) => { this.together = on; });
    this.canvas.addEventListener("pointermove", (event) => this.point(this.featureAt(event)));
    this.canvas.addEventListener("pointerdown", (event) => this.point(this.featureAt(event)));
    const strips = element("div", { class: "abh-strips" }, element("div", {}, ...this.names), this.track,
      this.featureSlider.node);
    const scales = tools(this.scale("value", this.reach.value, this.reach.most),
      this.scale("product", this.reach.product, this.reach.most ** 2));
    const saturated = this.reach.most > this.reach.value
      ? [help("The colors end at 3 times the root mean square of the table; beyond that, they stay the same.")] : [];
    return frame(help(`Each position is a row of ${this.C} numbers, its features. Move the positions. Point at a ` +
      "feature, or use the slider below the strips, to read its numbers."),
    tools(this.sliders.i.node, this.sliders.j.node, both), this.readout.node, strips, scales, ...saturated,
    element("div", {}, this.chart.node), this.reading.node);
  }

  /** @param {"i" | "j"} which */
  positionSlider(which) {
    return slider({ label: `position ${which}`, min: 0, max: this.T - 1, value: this[which] },
      (to) => this.move(which, to));
  }

  /** @param {string} unit
   *  @param {number} reach
   *  @param {number} most */
  scale(unit, reach, most) {
    const end = String(Number(reach.toPrecision(2)));
    const [low, high] = most > reach ? [`≤ -${end}`, `≥ ${end}`] : [`-${end}`, end];
    return legend(this.signed, unit, low, high, `colors: a ${unit} below 0 is orange, above 0 blue`);
  }

  chartOfCosines() {
    const { T } = this;
    const pace = [1, 2, 5, 10, 20, 50, 100].find((each) => (T - 1) / each <= 5.5) ?? T;
    const count = Math.floor((T - 1) / pace);
    const least = Math.min(...this.apart.map((all) => all.least));
    const from = clamp(Math.floor(2 * least) / 2, -1, 0);
    const marks = range((1 - from) * 4 + 1).map((k) => from + k / 4);
    return new Chart({ height: 230,
      x: { from: 1 - T, to: T - 1, ticks: range(2 * count + 1).map((k) => (k - count) * pace),
        label: "distance j - i" },
      y: { from, to: 1, ticks: marks, label: "cosine" } });
  }

  /** @param {PointerEvent} event */
  featureAt(event) {
    const box = this.canvas.getBoundingClientRect();
    return clamp(Math.floor(((event.clientX - box.left) / box.width) * this.C), 0, this.C - 1);
  }

  // ------------------------------------------------------------ selection

  /** @param {"i" | "j"} which
   *  @param {number} to */
  move(which, to) {
    const other = which === "i" ? "j" : "i";
    if (this.together) {
      const apart = this[other] - this[which];
      to = together(to, apart, this.T);
      this[other] = to + apart;
      this.sliders[other].set(this[other]);
      this.sliders[which].set(to);
    }
    this[which] = to;
    this.paint();
  }

  /** @param {number} feature */
  point(feature) {
    this.feature = feature;
    this.paint();
  }

  // ------------------------------------------------------------ display

  /** The sizes and colors of the page are read first: after a change, reading them would force a second layout. */
  show() {
    const width = Math.max(this.track.clientWidth, 100);
    const looks = theme(this.root);
    const other = this.row(this.j);
    const products = Array.from(this.row(this.i), (value, c) => value * other[c]);
    this.showChart();
    this.showStrips(products, width, looks);
    this.showFeature(products);
    this.speak(products);
    this.reading.show();
  }

  /** The strips and the chart as tables.
   *  @returns {import("./tables.js").Listing[]} */
  listing() {
    const { i, j, T, C } = this;
    const [first, second] = [this.row(i), this.row(j)];
    return [{ caption: `Positions ${i} and ${j}, feature by feature`,
      columns: ["feature", `position ${i}`, `position ${j}`, "product"],
      rows: range(C).map((c) => [c, ...[first[c], second[c], first[c] * second[c]].map(precise)]) },
    { caption: `Cosine with position ${i}`, columns: ["position", "distance", "cosine", "mean of all pairs"],
      rows: range(T).map((k) => [k, k - i, precise(this.cosine(i, k)), precise(this.apart[Math.abs(k - i)].mean)]) }];
  }

  /** @param {number[]} products */
  speak(products) {
    const { i, j } = this;
    const apart = Math.abs(j - i);
    const names = apart ? `positions ${i} and ${j}, ${apart} apart` : `position ${i} with itself`;
    const product = precise(dot(this.table, this.C, i, j));
    this.readout.say(`${names}: cosine ${precise(this.cosine(i, j))} (dot product ${product})`,
      `${this.signs(products)} ${this.others(apart)}`);
  }

  /** @param {number[]} products */
  signs(products) {
    const below = products.map((product, c) => (product < 0 ? c : -1)).filter((c) => c >= 0);
    if (!below.length) return `Opposite signs in none of ${this.C} features.`;
    const left = below.filter((c) => 2 * c < this.C).length;
    return `Opposite signs in ${below.length} of ${this.C} features, ${left} of them in the left half.`;
  }

  /** A sentence that compares this pair with others of the same distance.
   *  @param {number} apart */
  others(apart) {
    const pairs = this.T - apart;
    const { least, most } = this.apart[apart];
    if (!apart) return "The cosine of every row with itself is 1.";
    if (pairs === 1) return `No other pair is ${apart} apart.`;
    if (most - least < 0.00005) return `All ${pairs} pairs ${apart} apart have this cosine: only the distance matters.`;
    return `The cosines of the ${pairs} pairs ${apart} apart run from ${precise(least)} to ${precise(most)}: ` +
      "the position matters too.";
  }

  /** @param {number[]} products
   *  @param {number} width
   *  @param {import("./page.js").Theme} looks */
  showStrips(products, width, looks) {
    const { i, j, C } = this;
    const pen = prepared(this.canvas, width, 3 * (STRIP + GAP) + MARK);
    const shares = (/** @type {Numbers} */ values, /** @type {number} */ reach) =>
      Array.from(values, (value) => 0.5 + value / (2 * reach));
    const values = [...shares(this.row(i), this.reach.value), ...shares(this.row(j), this.reach.value),
      ...shares(products, this.reach.product)];
    const squares = raster({ values, width: C, height: 3 }, inTheme(this.signed, looks));
    pen.imageSmoothingEnabled = false;
    for (let k = 0; k < 3; k++) pen.drawImage(squares, 0, k, C, 1, 0, k * (STRIP + GAP), width, STRIP);
    this.drawMark(pen, ((this.feature + 0.5) * width) / C, 3 * (STRIP + GAP) - GAP + 1, looks.mark);
    this.featureSlider.node.style.setProperty("--abh-track", `${width - width / C + THUMB}px`);
    this.featureSlider.node.style.setProperty("--abh-track-from", `${width / C / 2 - THUMB / 2}px`);
    write(this.names[0], `position ${i}`);
    write(this.names[1], `position ${j}`);
    this.canvas.setAttribute("aria-label", `positions ${i} and ${j} and their product, feature by feature`);
  }

  /** A triangle that points up at the chosen feature.
   *  @param {CanvasRenderingContext2D} pen
   *  @param {number} x
   *  @param {number} y
   *  @param {string} color */
  drawMark(pen, x, y, color) {
    pen.fillStyle = color;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x - MARK, y + MARK + 2);
    pen.lineTo(x + MARK, y + MARK + 2);
    pen.fill();
  }

  /** @param {number[]} products */
  showFeature(products) {
    const { i, j, feature } = this;
    const [first, second, product] = [this.row(i)[feature], this.row(j)[feature], products[feature]].map(precise);
    this.featureSlider.set(feature, `${feature}: ${first} × ${second} = ${product}`);
  }

  showChart() {
    const { i, j, T } = this;
    /** @type {Point[]} */
    const curve = range(T).map((k) => [k - i, this.cosine(i, k)]);
    this.chart.draw({
      title: `Cosine with position ${i} (dot: position ${j})`,
      says: `cosine of every position with position ${i}, against the distance; `
        + `dot: position ${j}, ${precise(this.cosine(i, j))}`,
      curves: [{ name: "mean of all pairs", points: this.means, kind: "third", dashed: true },
        { name: `position ${i}`, points: curve, kind: "line" }],
      dots: [{ at: [j - i, this.cosine(i, j)], kind: "mark" }],
    });
  }
}
