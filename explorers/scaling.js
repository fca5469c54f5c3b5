// The scaling explorer: scores that grow with their width, with and without division by its square root, and the
// resulting weights.

import { Chart } from "./charts.js";
import { floats, mean, precise, range, softmax, sum } from "./numbers.js";
import { choice, element, explorer, frame, help, oncePerFrame, sideBySide, slider, spoken, tools } from "./page.js";
import { Reading } from "./tables.js";

/** @import { Curve } from "./charts.js" */
/** @import { Numbers } from "./numbers.js" */
/** @import { Model } from "./page.js" */
/** @typedef {keyof typeof METHODS} Method */
/** @typedef {keyof typeof MEASURES} Measure */

const STEPS_PER_DOUBLING = 8; // of the width
const FIRST = 4; // the width that is shown first
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** For each method its name and its color. */
const METHODS = { none: ["not divided", "line"], root: ["divided by √d", "third"] };

/** The measures of a row of weights: the name, and how it is computed.
 *  @satisfies {Record<string, [string, (weights: Float32Array) => number]>} */
const MEASURES = {
  largest: ["largest weight", (weights) => Math.max(...weights)],
  slope: ["slope", (weights) => 1 - sum(weights.map((weight) => weight * weight))],
};

// ---------------------------------------------------------------- arithmetic

/** Widths from 1 to most, nearly even on a log scale; every power of two is among them.
 *  @param {number} most */
export function widthsTo(most) {
  const count = Math.floor(STEPS_PER_DOUBLING * Math.log2(most)) + 1;
  const widths = range(count).map((i) => Math.round(2 ** (i / STEPS_PER_DOUBLING)));
  return [...new Set([...widths, most])];
}

/** The scores of all queries for all keys at each of the widths, N × S numbers for each width.
 *  @param {Numbers} q
 *  @param {Numbers} k
 *  @param {number[]} axes
 *  @param {number[]} widths */
function scoresOf(q, k, [N, S, D], widths) {
  const scores = widths.map(() => new Float64Array(N * S));
  for (let n = 0; n < N; n++) {
    for (let j = 0; j < S; j++) {
      let score = 0;
      let reached = 0;
      for (let i = 0; i < D; i++) {
        score += q[n * D + i] * k[j * D + i];
        if (i + 1 === widths[reached]) scores[reached++][n * S + j] = score;
      }
    }
  }
  return scores;
}

/** The standard deviation, as torch's std() defines it.
 *  @param {Float64Array} numbers */
function spread(numbers) {
  const middle = mean(numbers);
  return Math.sqrt(sum(numbers.map((number) => (number - middle) ** 2)) / (numbers.length - 1));
}

// ---------------------------------------------------------------- the view

export default explorer((model) => new ScalingView(model), (view) => {
  view.left.measure();
  view.right.measure();
  view.show();
});

/** The entries of METHODS or of MEASURES as options of a choice.
 *  @template {string} Key
 *  @param {Record<Key, unknown[]>} choices */
function options(choices) {
  const keys = /** @type {Key[]} */ (Object.keys(choices));
  return keys.map((key) => /** @type {[Key, string]} */ ([key, choices[key][0]]));
}

class ScalingView {
  /** @param {Model} model */
  constructor(model) {
    /** @type {[number, number, number]} N queries, S keys, D numbers in each */
    this.axes = model.get("axes");
    const [N, , D] = this.axes;
    this.widths = widthsTo(D);
    this.scores = scoresOf(floats(model.get("q")), floats(model.get("k")), this.axes, this.widths);
    this.spreads = this.scores.map(spread);
    this.at = this.widths.indexOf(Math.min(FIRST, D)); // which of the widths is shown
    this.query = 0;
    /** @type {Method} */
    this.method = "none";
    /** @type {Measure} */
    this.measure = "largest";
    this.means = { none: this.meansOf("none", range(N)), root: this.meansOf("root", range(N)) };
    this.paint = oncePerFrame(() => this.show());
    this.left = this.chartOfWeights();
    this.right = this.chartOfMeans();
    this.readout = spoken(true);
    this.reading = new Reading(() => this.listing());
    this.root = this.build();
  }

  // ------------------------------------------------------------ elements

  build() {
    const drawings = [this.left, this.right].map(({ node }) => element("div", { class: "abh-wide" }, node));
    return frame(help("Change the width d: only the first d numbers of each query and key count. Orange marks the " +
      "largest weight and the chosen width."), ...this.buildControls(), this.readout.node, sideBySide(...drawings),
    help("Slope: how strongly a row reacts to the scores its softmax gets, 1 - Σ w². It is largest for equal weights."),
    this.reading.node);
  }

  buildControls() {
    const [N] = this.axes;
    const width = slider({ label: "width", min: 0, max: this.widths.length - 1, value: this.at,
      show: (at) => `d = ${this.widths[at]}` }, (at) => this.set({ at }));
    const query = slider({ label: "query", min: 0, max: N - 1, value: 0, show: (n) => `q[${n}]` },
      (n) => this.set({ query: n }));
    const methods = choice("scores", options(METHODS), this.method, (method) => this.set({ method }));
    const measures = choice("curves", options(MEASURES), this.measure, (measure) => this.set({ measure }));
    return [tools(width.node, methods), tools(...(N > 1 ? [query.node] : []), measures)];
  }

  chartOfWeights() {
    return new Chart({ x: { words: range(this.axes[1]).map(String), label: "key" },
      y: { from: 0, to: 1.1, ticks: QUARTERS, label: "weight" } });
  }

  chartOfMeans() {
    const D = this.axes[2];
    const pace = D > 32 ? 4 : 2; // few enough ticks for a narrow chart
    const ticks = range(6).map((i) => pace ** i).filter((tick) => tick <= D);
    return new Chart({ x: { from: 1, to: D, ticks, label: "width d", log: true },
      y: { from: 0, to: 1, ticks: QUARTERS, label: "" } });
  }

  /** Change what the reader controls, and show it in the next frame.
   *  @param {Partial<Pick<ScalingView, "at" | "query" | "method" | "measure">>} changes */
  set(changes) {
    Object.assign(this, changes);
    this.paint();
  }

  // ------------------------------------------------------------ numbers

  /** @param {number} n
   *  @param {number} at
   *  @param {Method} method */
  weightsOf(n, at, method) {
    const S = this.axes[1];
    const divisor = method === "root" ? Math.sqrt(this.widths[at]) : 1;
    return softmax(this.scores[at].subarray(n * S, (n + 1) * S).map((score) => score / divisor));
  }

  /** The mean of each measure over the queries, at every width.
   *  @param {Method} method
   *  @param {number[]} queries */
  meansOf(method, queries) {
    const rows = this.widths.map((_, at) => queries.map((n) => this.weightsOf(n, at, method)));
    return { largest: rows.map((weights) => mean(weights.map(MEASURES.largest[1]))),
      slope: rows.map((weights) => mean(weights.map(MEASURES.slope[1]))) };
  }

  // ------------------------------------------------------------ display

  show() {
    const weights = this.weightsOf(this.query, this.at, this.method);
    const top = MEASURES.largest[1](weights);
    const slope = MEASURES.slope[1](weights);
    this.drawWeights(weights, weights.indexOf(top));
    this.drawCurves();
    const d = this.widths[this.at];
    this.readout.say(`d = ${d}, ${METHODS[this.method][0]}: the largest of ${weights.length} weights is ` +
      `${precise(top)} (key ${weights.indexOf(top)}), the slope is ${precise(slope)}`,
    `${this.spreading(d)} ${this.verdict(top, slope)}`);
    this.reading.show();
  }

  /** Both charts as tables.
   *  @returns {import("./tables.js").Listing[]} */
  listing() {
    const weights = this.weightsOf(this.query, this.at, this.method);
    const curves = [this.means.none[this.measure], this.means.root[this.measure]];
    return [{ caption: `Weights of q[${this.query}] at d = ${this.widths[this.at]}, ${METHODS[this.method][0]}`,
      columns: ["key", "weight"], rows: Array.from(weights, (weight, j) => [j, precise(weight)]) },
    { caption: `${this.axes[0] > 1 ? "Mean " : ""}${MEASURES[this.measure][0]}`,
      columns: ["d", METHODS.none[0], METHODS.root[0]],
      rows: this.widths.map((d, at) => [d, ...curves.map((curve) => precise(curve[at]))]) }];
  }

  /** @param {Float32Array} weights
   *  @param {number} first which of them is the largest */
  drawWeights(weights, first) {
    const named = Array.from(weights, (weight, j) => `key ${j} ${precise(weight)}`).join(", ");
    this.left.draw({ title: `Weights of q[${this.query}]`, says: `weights of q[${this.query}]: ${named}`,
      bars: { values: Array.from(weights), kind: (j) => (j === first ? "mark" : METHODS[this.method][1]) } });
  }

  drawCurves() {
    const N = this.axes[0];
    const d = this.widths[this.at];
    const [measure] = MEASURES[this.measure];
    const title = `${measure[0].toUpperCase()}${measure.slice(1)}${N > 1 ? `, mean of ${N} queries` : ""}`;
    /** @type {(method: Method) => Curve} */
    const curve = (method) => ({ name: METHODS[method][0], kind: METHODS[method][1], dashed: method === "root",
      points: this.means[method][this.measure].map((value, i) => [this.widths[i], value]) });
    const curves = [curve("none"), curve("root")];
    const here = curves.map(({ name, points }) => `${name} ${precise(points[this.at][1])}`);
    const value = this.means[this.method][this.measure][this.at];
    this.right.draw({ title: `${title}: ${precise(value)}`, says: `${title}, at d = ${d}: ${here.join(", ")}`, curves,
      rules: [d], dots: [{ at: [d, value], kind: "mark" }] });
  }

  // ------------------------------------------------------------ interpretation

  /** @param {number} d */
  spreading(d) {
    if (this.method === "none") {
      return `The standard deviation of the scores is ${precise(this.spreads[this.at])} ` +
        `(√${d} = ${precise(Math.sqrt(d))}).`;
    }
    const divided = this.spreads.map((each, i) => each / Math.sqrt(this.widths[i]));
    const [low, high] = [Math.min(...divided), Math.max(...divided)].map(precise);
    return `The standard deviation of the divided scores is ${precise(divided[this.at])} ` +
      `(${low} to ${high} over all d).`;
  }

  /** @param {number} top
   *  @param {number} slope */
  verdict(top, slope) {
    const who = top >= 0.9 ? "One key takes nearly all the weight"
      : top > 0.5 ? "One key takes most of the weight" : "The keys share the weight";
    const share = Math.round((100 * slope) / (1 - 1 / this.axes[1])); // equal weights have the largest slope
    return `${who}: the slope is ${share < 1 ? "less than 1" : share}% of the largest possible.`;
  }
}
