// The mask explorer: a matrix of scores that can be dragged, a mask, a method, and the weights that come of them.
// base.py puts shared.js in front of this file.

const HIGHEST = 200; // scores reach from -HIGHEST to HIGHEST
const FULL_DRAG = 150; // pixels of dragging for the whole way from 0 to HIGHEST

/** Each method: its name, and how one row goes from scores to weights, step by step, in float32.
 *  seen is 1 or 0 for each key; the last step is the weights. */
const METHODS = {
  multiply: ["multiply", (scores, seen) => {
    const all = softmax(scores);
    return [["softmax", all], ["× mask", all.map((weight, j) => weight * seen[j])]];
  }],
  renormalise: ["multiply, renormalise", (scores, seen) => {
    const all = softmax(scores);
    const kept = all.map((weight, j) => weight * seen[j]);
    const total = Math.fround(sum(kept));
    return [["softmax", all], ["× mask", kept], ["÷ sum", kept.map((weight) => weight / total)]];
  }],
  finite: ["fill with -1e9", (scores, seen) => filled(scores, seen, -1e9)],
  infinite: ["fill with -∞", (scores, seen) => filled(scores, seen, -Infinity)],
  safe: ["masked_softmax", (scores, seen) => {
    const steps = filled(scores, seen, -Infinity);
    return seen.includes(1) ? steps : [steps[0], ["softmax", scores.map(() => 0)]];
  }],
  times: ["add (1 - mask) × -∞", (scores, seen) => {
    const added = scores.map((score, j) => score + (1 - seen[j]) * -Infinity); // 0 × -∞ is NaN
    return [["+ (1 - mask) × -∞", added], ["softmax", softmax(added)]];
  }],
};

function filled(scores, seen, low) {
  const full = scores.map((score, j) => (seen[j] ? score : low));
  return [["filled", full], ["softmax", softmax(full)]];
}

function render({ model, el }) {
  const view = new MasksView(model);
  el.append(view.root);
  view.show();
}

export default { render };

/** The slider is fine near 0 and coarse far away: its place, -1 to 1, grows with the cube root of the score. */
const scoreAt = (place) => HIGHEST * place ** 3;
const placeOf = (score) => Math.cbrt(clamp(score, -HIGHEST, HIGHEST) / HIGHEST);

class MasksView {
  constructor(model) {
    this.words = model.get("tokens");
    this.real = model.get("real");
    this.given = floats(model.get("scores"));
    this.scores = this.given.slice();
    this.table = colours(model.get("palette"));
    this.signed = colours(model.get("signed"));
    this.reach = Math.max(2, ...this.given.map(Math.abs)); // of the colours
    Object.assign(this, { mask: "causal", method: "infinite" });
    this.paint = oncePerFrame(() => this.show());
    this.build();
  }

  // ------------------------------------------------------------ elements

  build() {
    const { words } = this;
    const change = (name) => (value) => {
      this[name] = value;
      this.show();
    };
    const padded = this.real.includes(false) ? [["padding", "padding"], ["both", "both"]] : [];
    const masks = choice("mask", [["none", "none"], ["causal", "causal"], ...padded], this.mask, change("mask"));
    const methods = choice("method", Object.entries(METHODS).map(([key, [name]]) => [key, name]), this.method,
      change("method"));
    this.slider = slider({ label: "score", min: -1, max: 1, step: 0.001, value: 0,
      show: (place) => precise(scoreAt(place)) }, (place) => this.setScore(scoreAt(place)));
    const reset = button("All scores as they were", () => this.reset());
    this.left = new Grid({ name: "scores", rows: words, columns: words, onChoose: (i, j) => this.choose(i, j) });
    this.right = new Grid({ name: "weights", rows: words, columns: words, after: ["row sum"],
      onChoose: (i, j) => this.choose(i, j) });
    this.readout = spoken();
    this.steps = new Steps(words);
    this.left.node.classList.add("abh-draggable");
    this.listen();
    const scales = tools(legend(this.table, "weight"), legend(this.signed, "score", brief(-this.reach), brief(this.reach),
      "colours: scores below 0 are orange, above 0 blue"));
    this.root = frame(tools(masks.node, methods.node), tools(this.slider.node, reset.node), this.readout.node,
      beside(this.left.node, this.right.node), this.steps.node, scales, help(
        "Drag a score up or down, or choose it with the arrow keys and use the slider. Hatched: hidden by the mask."));
    this.choose(0, Math.min(1, words.length - 1));
  }

  listen() {
    this.left.cells.forEach((row, i) => row.forEach((cell, j) => {
      cell.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        cell.setPointerCapture(event.pointerId);
        this.left.choose(i, j, true);
        this.drag = { y: event.clientY, place: placeOf(this.scores[this.at(i, j)]) };
      });
      cell.addEventListener("pointermove", (event) => {
        if (!this.drag) return;
        this.setScore(scoreAt(clamp(this.drag.place + (this.drag.y - event.clientY) / FULL_DRAG, -1, 1)));
      });
      for (const end of ["pointerup", "pointercancel"]) cell.addEventListener(end, () => { this.drag = null; });
    }));
  }

  // ------------------------------------------------------------ what is chosen

  at(i, j) {
    return i * this.words.length + j;
  }

  choose(i, j) {
    this.chosen = [i, j];
    this.left.choose(i, j);
    this.right.choose(i, j);
    this.slider.rename(`score of '${this.words[i]}' for '${this.words[j]}'`);
    this.showScore();
    this.paint();
  }

  setScore(score) {
    this.scores[this.at(...this.chosen)] = score;
    this.showScore();
    this.paint();
  }

  showScore() {
    const score = this.scores[this.at(...this.chosen)];
    this.slider.set(placeOf(score), precise(score));
  }

  reset() {
    this.scores = this.given.slice();
    this.choose(...this.chosen);
  }

  /** 1 where query i may read key j. */
  sees(i, j) {
    const future = j > i && ["causal", "both"].includes(this.mask);
    const padding = !this.real[j] && ["padding", "both"].includes(this.mask);
    return future || padding ? 0 : 1;
  }

  /** The steps of a row, from the scores to the weights. */
  stepsOf(i) {
    const { words, method } = this;
    const row = this.scores.subarray(this.at(i, 0), this.at(i + 1, 0));
    return [["score", row], ...METHODS[method][1](row, words.map((_, j) => this.sees(i, j)))];
  }

  // ------------------------------------------------------------ what is shown

  show() {
    const weights = this.words.map((_, i) => this.stepsOf(i).at(-1)[1]);
    this.left.show((i, j) => this.square(i, j, this.scoreSquare(this.scores[this.at(i, j)])));
    this.right.show((i, j) => this.square(i, j, coloured(weights[i][j], this.table)), (i) => {
      const total = sum(weights[i]);
      return { text: brief(total), kind: Math.abs(total - 1) < 0.00005 ? "" : "abh-off" };
    });
    this.speak(weights);
    this.showSteps();
  }

  /** Hidden squares are hatched; a weight on a hidden key, or a number that is none, keeps its colour. */
  square(i, j, look) {
    const quiet = !this.sees(i, j) && (look.text === "0.00" || look.score);
    return quiet ? { text: look.text, kind: "abh-hidden" } : look;
  }

  scoreSquare(score) {
    return { ...coloured(score, this.signed, 0.5 + score / (2 * this.reach)), score: true };
  }

  speak(weights) {
    const [i, j] = this.chosen;
    const hidden = this.sees(i, j) ? "" : ", hidden";
    const names = `'${this.words[i]}' reads '${this.words[j]}'`;
    this.readout.say(`${names}: score ${precise(this.scores[this.at(i, j)])}${hidden}, weight ${precise(weights[i][j])}`,
      this.verdict(i, weights[i]));
  }

  /** What became of the chosen row. */
  verdict(i, weights) {
    const total = sum(weights);
    const seen = this.words.map((_, j) => this.sees(i, j));
    const leaked = sum(weights.map((weight, j) => (seen[j] ? 0 : weight)));
    if (Number.isNaN(total)) return this.broken(seen);
    if (!seen.includes(1)) {
      return total > 0 ? `The row may see nothing, yet its weights sum to ${precise(total)}: they read what is hidden.`
        : "The row may see nothing, and its weights are 0.";
    }
    if (leaked > 0) return `The row reads ${precise(leaked)} of what is hidden.`;
    if (Math.abs(total - 1) >= 0.00005) return `The row sums to ${precise(total)}: what was hidden is missing.`;
    return "The row sums to 1.0000, and what is hidden has none of it.";
  }

  broken(seen) {
    if (this.method === "times") return "NaN, because 0 × -∞ is NaN: the keys that may be read are spoilt too.";
    if (!seen.includes(1)) {
      return this.method === "infinite" ? "NaN: every score of the row is -∞, and the softmax divides 0 by 0."
        : "NaN: the row may see nothing, and 0 is divided by 0.";
    }
    return "NaN: the softmax gave all the weight to what is hidden; nothing is left, and 0 is divided by 0.";
  }

  /** The chosen row, one step of the method under the other. */
  showSteps() {
    const steps = this.stepsOf(this.chosen[0]);
    const names = steps.map(([name]) => name);
    const isScore = names.map((name) => ["score", "filled"].includes(name) || name.startsWith("+"));
    const look = (k, value) => (isScore[k] ? this.scoreSquare(value) : coloured(value, this.table));
    this.steps.show(`step by step: the row of '${this.words[this.chosen[0]]}'`, names,
      (k, j) => this.square(this.chosen[0], j, look(k, steps[k][1][j])),
      (k) => ({ text: isScore[k] ? "" : brief(sum(steps[k][1])) }));
  }
}
