// The dropout explorer: weights, the coins that drop some of them, and what a row sums to over many draws.
// base.py puts shared.js in front of this file.

const MOST_DRAWS = 10000; // where the chart ends
const TENS = [1, 10, 100, 1000, 10000];

/** The k-th random number of a seed, evenly spread from 0 to 1: the same as coins() in dropout.py. Each can be had
 *  alone, so none is kept: the coins of a draw are the same whenever they are looked at. */
function coin(seed, k) {
  let bits = seed + Math.imul(k, 0x9e3779b9);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

function render({ model, el }) {
  const view = new DropoutView(model);
  el.append(view.root);
  view.show();
  return onSurroundings(view.chart.node.parentElement, view.paint);
}

export default { render };

const counted = new Intl.NumberFormat("en").format; // 1,001

/** The draws that get a point in the chart: all of the first, then each a fiftieth later than the one before. */
function pointed(last) {
  const draws = [];
  for (let n = 1; n < last; n = Math.max(n + 1, Math.round(1.02 * n))) draws.push(n);
  return [...draws, last];
}

/** An axis from 0 to a round number, 2 or more, that has room for the value. */
function axisTo(value, label) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 2)));
  const to = [2, 4, 5, 10].map((digit) => digit * power).find((top) => top > 0.9999 * value);
  const parts = to === 5 * power || to === 10 * power ? 5 : 4;
  return { from: 0, to, ticks: Array.from({ length: parts + 1 }, (_, k) => (k * to) / parts), label };
}

class DropoutView {
  constructor(model) {
    this.words = model.get("tokens");
    this.weights = floats(model.get("weights"));
    this.seed = model.get("seed");
    this.table = colours(model.get("palette"));
    Object.assign(this, { p: 0.5, mode: "training", divided: true, draws: 1, chosen: [this.words.length - 1, 0] });
    this.paint = oncePerFrame(() => this.show());
    this.build();
  }

  // ------------------------------------------------------------ elements

  build() {
    const { words } = this;
    const change = (name) => (value) => {
      this[name] = value;
      this.paint();
    };
    const share = slider({ label: "p (share dropped)", min: 0, max: 0.9, step: 0.05, value: this.p,
      show: (p) => p.toFixed(2) }, change("p"));
    const mode = choice("mode", [["training", "training"], ["evaluation", "evaluation"]], this.mode, change("mode"));
    const divided = toggle("divide by 1 - p", this.divided, change("divided"));
    const draw = change("draws");
    const buttons = [
      button("Draw again", () => draw(Math.min(this.draws + 1, MOST_DRAWS))),
      button("Draw 1,000", () => draw(Math.min(this.draws + 1000, MOST_DRAWS))),
      button("Start over", () => draw(1)),
    ];
    this.readout = spoken();
    this.grid = new Grid({ name: "weights after dropout", rows: words, columns: words, after: ["row sum"],
      onChoose: (i, j) => change("chosen")([i, j]) });
    this.grid.choose(...this.chosen);
    const x = { from: 1, to: MOST_DRAWS, ticks: TENS, label: "draws so far", log: true };
    this.chart = new Chart({ height: 230, x });
    this.steps = new Steps(words);
    this.root = frame(tools(share.node, mode.node, divided.node), tools(...buttons.map(({ node }) => node)),
      this.readout.node, beside(this.grid.node, element("div", { class: "abh-wide" }, this.chart.node)), this.steps.node,
      tools(legend(this.table, "weight")),
      help("Choose a row with the arrow keys or a click. Hatched: dropped. Whatever you set, the coins of a draw stay. "
        + "In the chart the large dot is the draw of the tables; of later draws only some have a dot."));
  }

  // ------------------------------------------------------------ numbers

  weight(i, j) {
    return this.weights[i * this.words.length + j];
  }

  coin(draw, i, j) {
    const T = this.words.length;
    return coin(this.seed, ((draw - 1) * T + i) * T + j);
  }

  kept(draw, i, j) {
    return this.mode === "evaluation" || this.coin(draw, i, j) >= this.p;
  }

  /** What kept weights are divided by. */
  divisor() {
    return this.mode === "training" && this.divided ? 1 - this.p : 1;
  }

  /** A row after dropout, in the draw of that number. */
  row(draw, i) {
    const divisor = this.divisor();
    return this.words.map((_, j) => (this.kept(draw, i, j) ? this.weight(i, j) / divisor : 0));
  }

  /** What it sums to; of thousands of draws no more is needed. */
  rowSum(draw, i) {
    let kept = 0;
    for (let j = 0; j < this.words.length; j++) if (this.kept(draw, i, j)) kept += this.weight(i, j);
    return kept / this.divisor();
  }

  /** What the row sums to without dropout. */
  whole(i) {
    return sum(this.words.map((_, j) => this.weight(i, j)));
  }

  expectation(i) {
    return this.mode === "training" && !this.divided ? this.whole(i) * (1 - this.p) : this.whole(i);
  }

  /** What the chosen row sums to in every draw so far, and the mean after each. */
  history() {
    const sums = Array.from({ length: this.draws }, (_, n) => this.rowSum(n + 1, this.chosen[0]));
    let total = 0;
    const means = sums.map((each, n) => (total += each) / (n + 1));
    return { sums, means, mean: means.at(-1), least: Math.min(...sums), most: Math.max(...sums) };
  }

  // ------------------------------------------------------------ what is shown

  show() {
    const rows = this.words.map((_, i) => this.row(this.draws, i));
    const history = this.history();
    this.showChart(history); // first: it measures its place, which would have to be laid out anew after the others
    this.grid.show((i, j) => this.square(i, j, coloured(rows[i][j], this.table)),
      (i) => ({ text: brief(sum(rows[i])) }));
    this.speak(history);
    this.showSteps(rows[this.chosen[0]]);
  }

  /** Dropped squares are hatched; where nothing was, nothing can be dropped. */
  square(i, j, look) {
    const dropped = this.weight(i, j) > 0 && !this.kept(this.draws, i, j);
    return dropped ? { text: look.text, kind: "abh-hidden" } : look;
  }

  speak(history) {
    const row = `the row of '${this.words[this.chosen[0]]}' sums to ${precise(history.sums.at(-1))}`;
    const mean = this.draws > 1 ? `; the mean of ${counted(this.draws)} draws is ${precise(history.mean)}` : "";
    const last = this.draws === MOST_DRAWS ? ", the last" : "";
    this.readout.say(`Draw ${counted(this.draws)}${last}: ${row}${mean}`, this.verdict(history));
  }

  /** What the draws so far tell about the chosen row. */
  verdict({ mean, least, most }) {
    const whole = this.whole(this.chosen[0]);
    const expectation = this.expectation(this.chosen[0]);
    if (this.mode === "evaluation") {
      return "In evaluation nothing is dropped and nothing divided: every draw is the same, whatever p is.";
    }
    if (whole === 0) return "The row is 0 before dropout: there is nothing to drop.";
    if (this.p === 0) return "With p = 0 nothing is dropped: every draw is the same.";
    const goal = this.divided ? `${precise(expectation)}, as without dropout: the division sees to it.`
      : `(1 - p) × ${precise(whole)} = ${precise(expectation)}: without the division it is too small.`;
    if (this.draws === 1) return `One draw is chance alone. Draw again: the mean of many settles on ${goal}`;
    const off = precise(Math.abs(mean - expectation));
    return `Single draws: ${precise(least)} to ${precise(most)}. The mean, ${off} off, settles on ${goal}`;
  }

  showChart({ sums, means, mean, least, most }) {
    const [i] = this.chosen;
    const expectation = this.expectation(i);
    const draws = pointed(this.draws);
    this.chart.y = axisTo(this.whole(i) / this.divisor(), "row sum");
    this.chart.draw({
      title: `What the row of '${this.words[i]}' sums to`,
      says: `${counted(this.draws)} draws of the row of '${this.words[i]}': mean ${precise(mean)}, `
        + `expectation ${precise(expectation)}, single draws from ${precise(least)} to ${precise(most)}`,
      curves: [
        { name: "draws", points: draws.map((n) => [n, sums[n - 1]]), kind: "faint", scattered: true },
        { name: "their mean", points: draws.map((n) => [n, means[n - 1]]), kind: "line" },
        { name: "expectation", points: [[1, expectation], [MOST_DRAWS, expectation]], kind: "mark", dashed: true },
      ],
      dots: [{ at: [this.draws, sums.at(-1)], kind: "mark" }],
    });
  }

  /** The chosen row, one step of dropout under the other. */
  showSteps(row) {
    const { words, draws, chosen: [i] } = this;
    const before = words.map((_, j) => this.weight(i, j));
    const steps = { weight: before };
    if (this.mode === "training") {
      steps.random = words.map((_, j) => this.coin(draws, i, j));
      steps["0 if < p"] = before.map((weight, j) => (this.kept(draws, i, j) ? weight : 0));
      if (this.divided) steps["÷ (1 - p)"] = row;
    }
    const names = Object.keys(steps);
    this.steps.show(`step by step: the row of '${words[i]}' in draw ${counted(draws)}`, names,
      (k, j) => this.step(names[k], i, j, steps[names[k]][j]),
      (k) => ({ text: names[k] === "random" ? "" : brief(sum(steps[names[k]])) }));
  }

  step(name, i, j, value) {
    if (name === "weight") return coloured(value, this.table);
    if (name !== "random") return this.square(i, j, coloured(value, this.table));
    return this.weight(i, j) > 0 ? this.square(i, j, { text: brief(value) }) : {}; // decides nothing
  }
}
