// The dropout explorer: weights, the random numbers that drop some of them, and what a row sums to over many draws.

import { Chart } from "./charts.js";
import { brief, colors, counted, floats, precise, range, sum } from "./numbers.js";
import { button, choice, element, explorer, frame, help, legend, oncePerFrame, sideBySide, slider, spoken, swatch,
  toggle, tools } from "./page.js";
import { Grid, Reading, Steps, colored } from "./tables.js";

/** @import { Axis, Point } from "./charts.js" */
/** @import { Model } from "./page.js" */
/** @import { Look } from "./tables.js" */
/** @typedef {{ sums: number[], means: number[], sum: number, mean: number, least: number, most: number }} History */
/** @typedef {"training" | "evaluation"} Mode */

const MOST_DRAWS = 10000; // where the chart ends
const TENS = [1, 10, 100, 1000, 10000];

// ---------------------------------------------------------------- arithmetic

/** The k-th random number of a seed, uniform from 0 to 1: the same as coins() in dropout.py.
 *  @param {number} seed
 *  @param {number} k */
function coin(seed, k) {
  let bits = seed + Math.imul(k, 0x9e3779b9);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

/** The draws that get a point in the chart: all at first, then each about 2% later than the previous one.
 *  @param {number} last */
export function pointed(last) {
  const draws = [];
  for (let n = 1; n < last; n = Math.max(n + 1, Math.round(1.02 * n))) draws.push(n);
  return [...draws, last];
}

/** An axis from 0 to a round number, 2 or more, that has room for the value.
 *  @param {number} value
 *  @param {string} label
 *  @returns {Axis} */
export function axisTo(value, label) {
  const least = Math.max(0.9999 * value, 2); // allows for a sum just above a round number, by rounding
  const power = 10 ** Math.floor(Math.log10(least));
  const to = [2, 4, 5, 10].map((digit) => digit * power).find((top) => top >= least) ?? 10 * power;
  const parts = to === 5 * power || to === 10 * power ? 5 : 4;
  return { from: 0, to, ticks: range(parts + 1).map((k) => (k * to) / parts), label };
}

// ---------------------------------------------------------------- the view

export default explorer((model) => new DropoutView(model), (view) => {
  view.chart.measure();
  view.paint();
});

class DropoutView {
  /** @param {Model} model */
  constructor(model) {
    /** @type {string[]} */
    this.words = model.get("tokens");
    this.weights = floats(model.get("weights"));
    /** @type {number} */
    this.seed = model.get("seed");
    this.table = colors(model.get("palette"));
    this.p = 0.5;
    /** @type {Mode} */
    this.mode = "training";
    this.divided = true;
    this.draws = 1;
    this.chosen = [this.words.length - 1, 0];
    this.drawn = { row: -1, draws: 0, numbers: new Float64Array(0) }; // random numbers for one row
    /** @type {{ of: string, sums: number[] }} */
    this.past = { of: "", sums: [] }; // the sum of a row in each draw, for one combination of settings
    this.paint = oncePerFrame(() => this.show());
    this.readout = spoken(true);
    this.grid = new Grid({ name: "weights after dropout", rows: this.words, columns: this.words, after: ["row sum"],
      onChoose: (i, j) => this.set({ chosen: [i, j] }) });
    this.grid.choose(this.chosen[0], this.chosen[1]);
    const x = { from: 1, to: MOST_DRAWS, ticks: TENS, label: "draws so far", log: true };
    this.chart = new Chart({ height: 230, x, y: axisTo(1, "row sum") });
    this.room = element("div", { class: "abh-wide" }, this.chart.node);
    this.steps = new Steps(this.words);
    this.reading = new Reading(() => this.listing());
    /** @type {HTMLButtonElement[]} */
    this.drawing = [];
    this.root = this.build();
  }

  // ------------------------------------------------------------ elements

  build() {
    return frame(help("Draw again, or change p, the mode and the division. Click a row, or choose it with the arrow " +
      "keys, to follow what it sums to."), ...this.buildControls(), this.readout.node,
    sideBySide(this.grid.node, this.room), this.steps.node,
    tools(legend(this.table, "weight"), swatch("abh-hatched", "dropped")),
    help("Each draw keeps its random numbers, whatever you set. The large dot in the chart is the draw shown in the " +
      "tables; of the later draws, only some have a dot."), this.reading.node);
  }

  buildControls() {
    const share = slider({ label: "p (share dropped)", min: 0, max: 0.9, step: 0.05, value: this.p,
      show: (p) => p.toFixed(2) }, (p) => this.set({ p }));
    /** @type {[Mode, string][]} */
    const modes = [["training", "training"], ["evaluation", "evaluation"]];
    const mode = choice("mode", modes, this.mode, (chosen) => this.set({ mode: chosen }));
    const divided = toggle("divide by 1 - p", this.divided, (on) => this.set({ divided: on }));
    const more = (/** @type {number} */ count) => this.set({ draws: Math.min(this.draws + count, MOST_DRAWS) });
    this.drawing = [button("Draw again", () => more(1)), button("Draw 1,000", () => more(1000))];
    const again = button("Start over", () => this.set({ draws: 1 }));
    return [tools(share.node, mode, divided), tools(...this.drawing, again)];
  }

  /** Change what the reader controls, and show it in the next frame.
   *  @param {Partial<Pick<DropoutView, "p" | "mode" | "divided" | "draws" | "chosen">>} changes */
  set(changes) {
    Object.assign(this, changes);
    this.paint();
  }

  // ------------------------------------------------------------ numbers

  /** @param {number} i
   *  @param {number} j */
  weight(i, j) {
    return this.weights[i * this.words.length + j];
  }

  /** @param {number} draw
   *  @param {number} i
   *  @param {number} j */
  coin(draw, i, j) {
    const T = this.words.length;
    return coin(this.seed, ((draw - 1) * T + i) * T + j);
  }

  /** @param {number} draw
   *  @param {number} i
   *  @param {number} j */
  kept(draw, i, j) {
    return this.mode === "evaluation" || this.coin(draw, i, j) >= this.p;
  }

  /** The divisor of kept weights. */
  divisor() {
    return this.mode === "training" && this.divided ? 1 - this.p : 1;
  }

  /** A row after dropout in one draw.
   *  @param {number} draw
   *  @param {number} i */
  row(draw, i) {
    const divisor = this.divisor();
    return this.words.map((_, j) => (this.kept(draw, i, j) ? this.weight(i, j) / divisor : 0));
  }

  /** The sum of the row without dropout.
   *  @param {number} i */
  whole(i) {
    return sum(this.words.map((_, j) => this.weight(i, j)));
  }

  /** @param {number} i */
  expectation(i) {
    return this.mode === "training" && !this.divided ? this.whole(i) * (1 - this.p) : this.whole(i);
  }

  /** The random numbers of the chosen row in every draw so far, one draw after the other: the same for every p. */
  numbers() {
    const [i] = this.chosen;
    const T = this.words.length;
    if (this.drawn.row !== i) this.drawn = { row: i, draws: 0, numbers: new Float64Array(MOST_DRAWS * T) };
    const { drawn } = this;
    for (; drawn.draws < this.draws; drawn.draws++) {
      for (let j = 0; j < T; j++) drawn.numbers[drawn.draws * T + j] = this.coin(drawn.draws + 1, i, j);
    }
    return drawn.numbers;
  }

  /** The sum of the chosen row in every draw so far. A new draw adds a sum; a new setting recomputes all. */
  sums() {
    const [i] = this.chosen;
    const of = [i, this.p, this.mode, this.divided].join();
    if (this.past.of !== of) this.past = { of, sums: [] };
    const { sums } = this.past;
    const [numbers, divisor, T] = [this.numbers(), this.divisor(), this.words.length];
    const p = this.mode === "training" ? this.p : 0; // no number is below 0
    const weights = this.weights.slice(i * T, (i + 1) * T);
    for (let n = sums.length; n < this.draws; n++) {
      let kept = 0;
      for (let j = 0; j < T; j++) if (numbers[n * T + j] >= p) kept += weights[j];
      sums.push(kept / divisor);
    }
    return sums.slice(0, this.draws);
  }

  /** These sums, and the mean after each.
   *  @returns {History} */
  history() {
    const sums = this.sums();
    let total = 0;
    const means = sums.map((each, n) => (total += each) / (n + 1));
    return { sums, means, sum: sums[this.draws - 1], mean: means[this.draws - 1],
      least: Math.min(...sums), most: Math.max(...sums) };
  }

  // ------------------------------------------------------------ display

  show() {
    const rows = this.words.map((_, i) => this.row(this.draws, i));
    const history = this.history();
    this.showChart(history);
    this.grid.show((i, j) => this.square(i, j, colored(rows[i][j], this.table)),
      (i) => ({ text: brief(sum(rows[i])) }));
    this.speak(history);
    for (const node of this.drawing) node.setAttribute("aria-disabled", String(this.draws === MOST_DRAWS));
    this.showSteps(rows[this.chosen[0]]);
    this.reading.show();
  }

  /** The chart as a table.
   *  @returns {import("./tables.js").Listing[]} */
  listing() {
    const { sums, means } = this.history();
    return [{ caption: `What the row of '${this.words[this.chosen[0]]}' sums to`,
      columns: ["draw", "row sum", "mean so far"],
      rows: pointed(this.draws).map((n) => [counted(n), precise(sums[n - 1]), precise(means[n - 1])]) }];
  }

  /** The look of a square: hatched if dropped; a weight of 0 cannot be dropped.
   *  @param {number} i
   *  @param {number} j
   *  @param {Look} look
   *  @returns {Look} */
  square(i, j, look) {
    const dropped = this.weight(i, j) > 0 && !this.kept(this.draws, i, j);
    return dropped ? { text: look.text, kind: "abh-hidden" } : look;
  }

  /** @param {History} history */
  speak(history) {
    const row = `the row of '${this.words[this.chosen[0]]}' sums to ${precise(history.sum)}`;
    const mean = this.draws > 1 ? `; the mean of ${counted(this.draws)} draws is ${precise(history.mean)}` : "";
    const last = this.draws === MOST_DRAWS ? ", the last" : "";
    this.readout.say(`Draw ${counted(this.draws)}${last}: ${row}${mean}`, this.verdict(history));
  }

  /** A sentence on what the draws so far say about the chosen row.
   *  @param {History} history */
  verdict({ mean, least, most }) {
    const whole = this.whole(this.chosen[0]);
    const expectation = this.expectation(this.chosen[0]);
    if (this.mode === "evaluation") {
      return "In evaluation, nothing is dropped or divided: every draw is the same, whatever p is.";
    }
    if (whole === 0) return "The row is 0 before dropout, so there is nothing to drop.";
    if (this.p === 0) return "With p = 0, nothing is dropped: every draw is the same.";
    const goal = this.divided ? `${precise(expectation)}, as without dropout, because of the division.`
      : `(1 - p) × ${precise(whole)} = ${precise(expectation)}, which is too small without the division.`;
    if (this.draws === 1) return `A single draw is pure chance. Draw again: the mean of many settles on ${goal}`;
    const off = precise(Math.abs(mean - expectation));
    return `Single draws: ${precise(least)} to ${precise(most)}. The mean, ${off} off, settles on ${goal}`;
  }

  /** @param {History} history */
  showChart({ sums, means, sum: last, mean, least, most }) {
    const [i] = this.chosen;
    const expectation = this.expectation(i);
    const draws = pointed(this.draws);
    const point = (/** @type {number} */ x, /** @type {number} */ y) => /** @type {Point} */ ([x, y]);
    this.chart.y = axisTo(this.whole(i) / this.divisor(), "row sum");
    this.chart.draw({
      title: `What the row of '${this.words[i]}' sums to`,
      says: `${counted(this.draws)} draws of the row of '${this.words[i]}': mean ${precise(mean)}, `
        + `expectation ${precise(expectation)}, single draws from ${precise(least)} to ${precise(most)}`,
      curves: [
        { name: "draws", points: draws.map((n) => point(n, sums[n - 1])), kind: "faint", scattered: true },
        { name: "their mean", points: draws.map((n) => point(n, means[n - 1])), kind: "line" },
        { name: "expectation", points: [[1, expectation], [MOST_DRAWS, expectation]], kind: "mark", dashed: true },
      ],
      dots: [{ at: [this.draws, last], kind: "mark" }],
    });
  }

  /** Show the steps of dropout for the chosen row. A step that the mode leaves out stays as an empty row, so that the
   *  page does not jump.
   *  @param {number[]} row */
  showSteps(row) {
    const { words, draws } = this;
    const [i] = this.chosen;
    const before = words.map((_, j) => this.weight(i, j));
    const training = this.mode === "training";
    /** @type {Record<string, number[] | null>} */
    const steps = {
      weight: before,
      random: training ? words.map((_, j) => this.coin(draws, i, j)) : null,
      "0 if < p": training ? before.map((weight, j) => (this.kept(draws, i, j) ? weight : 0)) : null,
      "÷ (1 - p)": training && this.divided ? row : null,
    };
    const names = Object.keys(steps);
    this.steps.show(`step by step: the row of '${words[i]}' in draw ${counted(draws)}`, names,
      (k, j) => this.step(names[k], i, j, steps[names[k]]?.[j]),
      (k) => {
        const values = steps[names[k]];
        return { text: values && names[k] !== "random" ? brief(sum(values)) : "" };
      });
  }

  /** A square in the table of steps. A random number without effect is not shown.
   *  @param {string} name
   *  @param {number} i
   *  @param {number} j
   *  @param {number} [value]
   *  @returns {Look} */
  step(name, i, j, value) {
    if (value === undefined) return {};
    if (name === "weight") return colored(value, this.table);
    if (name !== "random") return this.square(i, j, colored(value, this.table));
    return this.weight(i, j) > 0 ? this.square(i, j, { text: brief(value) }) : {};
  }
}
