// The scaling explorer: scores that grow with their width, divided by its root or not, and the weights that come
// of them. base.py puts shared.js in front of this file.

const STEPS_PER_DOUBLING = 8; // of the width
const FIRST = 4; // the width that is shown first

/** Each method: its name and its colour. */
const METHODS = { none: ["not divided", "line"], root: ["divided by √d", "third"] };

/** What can be told of a row of weights. */
const MEASURES = {
  largest: ["largest weight", (weights) => Math.max(...weights)],
  slope: ["slope", (weights) => 1 - sum(weights.map((weight) => weight * weight))],
};

function render({ model, el }) {
  const view = new ScalingView(model);
  el.append(view.root);
  view.show();
  return onSurroundings(view.root, () => view.show());
}

export default { render };

const options = (choices) => Object.entries(choices).map(([key, [name]]) => [key, name]);

/** Widths from 1 to most, nearly even on a log scale; every power of two is among them. */
function widthsTo(most) {
  const count = Math.floor(STEPS_PER_DOUBLING * Math.log2(most)) + 1;
  const widths = Array.from({ length: count }, (_, i) => Math.round(2 ** (i / STEPS_PER_DOUBLING)));
  return [...new Set([...widths, most])];
}

/** The scores of all queries for all keys at each of the widths, N × S numbers a width. */
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

const mean = (numbers) => sum(numbers) / numbers.length;

/** The standard deviation as torch's std() has it. */
function spread(numbers) {
  const middle = mean(numbers);
  return Math.sqrt(sum(numbers.map((number) => (number - middle) ** 2)) / (numbers.length - 1));
}

class ScalingView {
  constructor(model) {
    this.axes = model.get("axes");
    const D = this.axes[2];
    this.widths = widthsTo(D);
    this.scores = scoresOf(floats(model.get("q")), floats(model.get("k")), this.axes, this.widths);
    this.spreads = this.scores.map(spread);
    this.means = this.meansOfAll();
    Object.assign(this, { at: this.widths.indexOf(Math.min(FIRST, D)), query: 0, method: "none", measure: "largest" });
    this.paint = oncePerFrame(() => this.show());
    this.build();
  }

  build() {
    const [N, , D] = this.axes;
    const change = (name) => (value) => {
      this[name] = value;
      this.paint();
    };
    const width = slider({ label: "width", min: 0, max: this.widths.length - 1, value: this.at,
      show: (at) => `d = ${this.widths[at]}` }, change("at"));
    const query = slider({ label: "query", min: 0, max: N - 1, value: 0, show: (n) => `q[${n}]` }, change("query"));
    const methods = choice("scores", options(METHODS), this.method, change("method"));
    const measures = choice("curves", options(MEASURES), this.measure, change("measure"));
    const pace = D > 32 ? 4 : 2; // few enough ticks for a narrow chart
    const ticks = Array.from({ length: 6 }, (_, i) => pace ** i).filter((tick) => tick <= D);
    this.charts({ from: 1, to: D, ticks, label: "width d", log: true });
    this.readout = spoken();
    const drawings = [this.left, this.right].map(({ node }) => element("div", { class: "abh-wide" }, node));
    this.root = frame(tools(width.node, methods.node), tools(...(N > 1 ? [query.node] : []), measures.node),
      this.readout.node, beside(...drawings), help("Only the first d numbers of each query and key count. Orange: " +
        "the largest weight, and the chosen width. Slope: how much a row can still learn, 1 - Σ w²; a row of equal " +
        "weights can learn most."));
  }

  charts(widths) {
    const y = { from: 0, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1] };
    const keys = Array.from({ length: this.axes[1] }, (_, j) => String(j));
    this.left = new Chart({ x: { words: keys, label: "key" }, y: { ...y, to: 1.1, label: "weight" } });
    this.right = new Chart({ x: widths, y: { ...y, label: "" } });
  }

  // ------------------------------------------------------------ numbers

  weightsOf(n, at, method) {
    const S = this.axes[1];
    const divisor = method === "root" ? Math.sqrt(this.widths[at]) : 1;
    return softmax(this.scores[at].subarray(n * S, (n + 1) * S).map((score) => score / divisor));
  }

  /** The mean of each measure over the queries: means[method][measure][at]. */
  meansOfAll() {
    const queries = Array.from({ length: this.axes[0] }, (_, n) => n);
    return Object.fromEntries(Object.keys(METHODS).map((method) => {
      const rows = this.widths.map((_, at) => queries.map((n) => this.weightsOf(n, at, method)));
      return [method, Object.fromEntries(Object.entries(MEASURES).map(([measure, [, of]]) =>
        [measure, rows.map((weights) => mean(weights.map(of)))]))];
    }));
  }

  // ------------------------------------------------------------ what is shown

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
  }

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
    const curves = Object.entries(METHODS).map(([key, [name, kind]]) => ({ name, kind, dashed: key === "root",
      points: this.means[key][this.measure].map((value, i) => [this.widths[i], value]) }));
    const here = curves.map(({ name, points }) => `${name} ${precise(points[this.at][1])}`);
    const value = this.means[this.method][this.measure][this.at];
    this.right.draw({ title: `${title}: ${precise(value)}`, says: `${title}, at d = ${d}: ${here.join(", ")}`, curves,
      rules: [{ x: d }], dots: [{ at: [d, value], kind: "mark" }] });
  }

  // ------------------------------------------------------------ what it means

  spreading(d) {
    if (this.method === "none") {
      return `The scores spread by ${precise(this.spreads[this.at])} (√${d} = ${precise(Math.sqrt(d))}).`;
    }
    const divided = this.spreads.map((each, i) => each / Math.sqrt(this.widths[i]));
    const [low, high] = [Math.min(...divided), Math.max(...divided)].map(precise);
    return `The divided scores spread by ${precise(divided[this.at])} (over all d: ${low} to ${high}).`;
  }

  verdict(top, slope) {
    const who = top >= 0.9 ? "One key takes nearly all" : top > 0.5 ? "One key takes most" : "The keys share";
    const share = Math.round((100 * slope) / (1 - 1 / this.axes[1])); // equal weights have the largest slope
    return `${who}: the row can learn ${share < 1 ? "less than 1" : share}% of the most possible.`;
  }
}
