// The mask explorer: a matrix of scores that can be dragged, a mask, a method, and the weights that they lead to.

import { brief, clamp, colors, floats, precise, softmax, sum } from "./numbers.js";
import { button, choice, explorer, folded, frame, help, legend, oncePerFrame, sideBySide, slider, spoken, swatch,
  tools, write } from "./page.js";
import { Grid, Steps, colored } from "./tables.js";

/** @import { Model } from "./page.js" */
/** @import { Look } from "./tables.js" */
/** @typedef {[string, Float32Array]} Step its name and a number for each key */
/** @typedef {(scores: Float32Array, seen: number[]) => Step[]} Method */
/** @typedef {keyof typeof METHODS} MethodName */
/** @typedef {"none" | "causal" | "padding" | "both"} MaskName */

const HIGHEST = 200; // scores range from -HIGHEST to HIGHEST
const FULL_DRAG = 150; // pixels of dragging from 0 to HIGHEST

// ---------------------------------------------------------------- arithmetic

/** For each method its name and how one row goes from scores to weights, step by step, in float32. `seen` is 1 or 0 for
 *  each key; the last step is the weights.
 *  @satisfies {Record<string, [string, Method]>} */
const METHODS = {
  multiply: ["multiply", (scores, seen) => {
    const all = softmax(scores);
    return [["softmax", all], ["× mask", all.map((weight, j) => weight * seen[j])]];
  }],
  renormalize: ["multiply, renormalize", (scores, seen) => {
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

/** @param {Float32Array} scores
 *  @param {number[]} seen
 *  @param {number} low
 *  @returns {Step[]} */
function filled(scores, seen, low) {
  const full = scores.map((score, j) => (seen[j] ? score : low));
  return [["filled", full], ["softmax", softmax(full)]];
}

/** Whether query i may attend to key j, where real[j] says whether key j is a real token.
 *  @param {MaskName} mask
 *  @param {boolean[]} real
 *  @param {number} i
 *  @param {number} j */
function sees(mask, real, i, j) {
  const future = j > i && (mask === "causal" || mask === "both");
  const padding = !real[j] && (mask === "padding" || mask === "both");
  return !future && !padding;
}

/** The score at a position of the slider, -1 to 1. The slider is fine near 0 and coarse far away.
 *  @param {number} position */
export const scoreAt = (position) => HIGHEST * position ** 3;

/** @param {number} score */
export const positionOf = (score) => Math.cbrt(clamp(score, -HIGHEST, HIGHEST) / HIGHEST);

// ---------------------------------------------------------------- the view

export default explorer((model) => new MasksView(model));

class MasksView {
  /** @param {Model} model */
  constructor(model) {
    /** @type {string[]} */
    this.words = model.get("tokens");
    /** @type {boolean[]} which tokens are not padding */
    this.real = model.get("real");
    this.given = floats(model.get("scores"));
    this.scores = this.given.slice();
    this.table = colors(model.get("palette"));
    this.signed = colors(model.get("signed"));
    this.reach = Math.max(2, ...this.given.map(Math.abs)); // the largest number that colors distinguish
    /** @type {MaskName} */
    this.mask = model.get("mask");
    /** @type {MethodName} */
    this.method = "infinite";
    this.chosen = [0, 0];
    /** @type {{ y: number, position: number } | null} where a drag began */
    this.drag = null;
    this.paint = oncePerFrame(() => this.show());
    this.slider = slider({ label: "score", min: -1, max: 1, step: 0.001, value: 0,
      show: (position) => precise(scoreAt(position)) }, (position) => this.setScore(scoreAt(position)));
    this.left = this.grid("scores");
    this.right = this.grid("weights", ["row sum"]);
    this.readout = spoken();
    this.steps = new Steps(this.words);
    this.folded = folded("", this.steps.node);
    this.root = this.build();
    this.choose(0, Math.min(1, this.words.length - 1));
  }

  // ------------------------------------------------------------ elements

  build() {
    const reset = button("Reset all scores", () => this.reset());
    this.left.node.classList.add("abh-draggable");
    this.makeDraggable(this.left);
    const scales = tools(legend(this.table, "weight"), legend(this.signed, "score", brief(-this.reach),
      brief(this.reach), "colors: scores below 0 are orange, above 0 blue"),
    swatch("abh-hatched", "hidden by the mask"), swatch("abh-alarm", "hidden, but read all the same; or NaN"));
    return frame(help("Choose a mask and a method. Then click a score and drag it up or down, or move to it with the " +
      "arrow keys and use the slider below the tables."), ...this.buildChoices(), this.readout.node,
    sideBySide(this.left.node, this.right.node, this.folded.node), tools(this.slider.node, reset), scales);
  }

  /** @param {string} name
   *  @param {string[]} after */
  grid(name, after = []) {
    return new Grid({ name, rows: this.words, columns: this.words, after, onChoose: (i, j) => this.choose(i, j) });
  }

  buildChoices() {
    /** @type {[MaskName, string][]} */
    const masks = [["none", "none"], ["causal", "causal"]];
    if (this.real.includes(false)) masks.push(["padding", "padding"], ["both", "both"]);
    const names = /** @type {MethodName[]} */ (Object.keys(METHODS));
    return [
      tools(choice("mask", masks, this.mask, (mask) => {
        this.mask = mask;
        this.show();
      })),
      tools(choice("method", names.map((name) => [name, METHODS[name][0]]), this.method, (method) => {
        this.method = method;
        this.show();
      })),
    ];
  }

  /** @param {Grid} grid */
  makeDraggable(grid) {
    grid.cells.forEach((row, i) => row.forEach((cell, j) => {
      cell.addEventListener("pointerdown", (event) => {
        // A finger on any other square scrolls the page, which shared.css allows.
        if (event.button !== 0 || (event.pointerType === "touch" && !cell.hasAttribute("aria-selected"))) return;
        cell.setPointerCapture(event.pointerId);
        grid.choose(i, j, true);
        this.drag = { y: event.clientY, position: positionOf(this.scores[this.at(i, j)]) };
      });
      cell.addEventListener("pointermove", (event) => {
        if (!this.drag) return;
        this.setScore(scoreAt(clamp(this.drag.position + (this.drag.y - event.clientY) / FULL_DRAG, -1, 1)));
      });
      const end = () => { this.drag = null; };
      cell.addEventListener("pointerup", end);
      cell.addEventListener("pointercancel", end);
    }));
  }

  // ------------------------------------------------------------ selection

  /** @param {number} i
   *  @param {number} j */
  at(i, j) {
    return i * this.words.length + j;
  }

  /** @param {number} i
   *  @param {number} j */
  choose(i, j) {
    this.chosen = [i, j];
    this.left.choose(i, j);
    this.right.choose(i, j);
    this.slider.rename(`score of '${this.words[i]}' for '${this.words[j]}'`);
    this.showScore();
    this.paint();
  }

  /** @param {number} score */
  setScore(score) {
    const [i, j] = this.chosen;
    this.scores[this.at(i, j)] = score;
    this.showScore();
    this.paint();
  }

  showScore() {
    const [i, j] = this.chosen;
    const score = this.scores[this.at(i, j)];
    this.slider.set(positionOf(score), precise(score));
  }

  reset() {
    const [i, j] = this.chosen;
    this.scores = this.given.slice();
    this.choose(i, j);
  }

  /** 1 for each key that query i may attend to, else 0.
   *  @param {number} i */
  seen(i) {
    return this.words.map((_, j) => Number(this.sees(i, j)));
  }

  /** @param {number} i
   *  @param {number} j */
  sees(i, j) {
    return sees(this.mask, this.real, i, j);
  }

  /** The steps of a row, from the scores to the weights.
   *  @param {number} i
   *  @returns {Step[]} */
  stepsOf(i) {
    const row = this.scores.subarray(this.at(i, 0), this.at(i + 1, 0));
    return [["score", row], ...METHODS[this.method][1](row, this.seen(i))];
  }

  // ------------------------------------------------------------ display

  show() {
    const weights = this.words.map((_, i) => {
      const steps = this.stepsOf(i);
      return steps[steps.length - 1][1];
    });
    this.left.show((i, j) => this.scoreSquare(i, j, this.scores[this.at(i, j)]));
    this.right.show((i, j) => this.weightSquare(i, j, weights[i][j]), (i) => {
      const total = sum(weights[i]);
      return { text: brief(total), kind: Math.abs(total - 1) < 0.00005 ? "" : "abh-off" };
    });
    this.speak(weights);
    this.showSteps();
  }

  /** The look of a score: hatched if hidden.
   *  @param {number} i
   *  @param {number} j
   *  @param {number} score
   *  @returns {Look} */
  scoreSquare(i, j, score) {
    const look = colored(score, this.signed, 0.5 + score / (2 * this.reach));
    return this.sees(i, j) ? look : { text: look.text, kind: "abh-hidden" };
  }

  /** The look of a weight: hatched if hidden, and marked as a leak if it is above 0 all the same.
   *  @param {number} i
   *  @param {number} j
   *  @param {number} weight
   *  @returns {Look} */
  weightSquare(i, j, weight) {
    const look = colored(weight, this.table);
    if (this.sees(i, j) || Number.isNaN(weight)) return look;
    return { text: look.text, kind: weight > 0 ? "abh-alarm" : "abh-hidden" };
  }

  /** @param {Float32Array[]} weights */
  speak(weights) {
    const [i, j] = this.chosen;
    const hidden = this.sees(i, j) ? "" : ", hidden";
    const score = precise(this.scores[this.at(i, j)]);
    const weight = precise(weights[i][j]);
    this.readout.say(`'${this.words[i]}' reads '${this.words[j]}': score ${score}${hidden}, weight ${weight}`,
      this.verdict(i, weights[i]));
  }

  /** A sentence on the chosen row.
   *  @param {number} i
   *  @param {Float32Array} weights */
  verdict(i, weights) {
    const total = sum(weights);
    const seen = this.seen(i);
    const leaked = sum(weights.map((weight, j) => (seen[j] ? 0 : weight)));
    if (Number.isNaN(total)) return this.broken(seen);
    if (!seen.includes(1)) {
      return total > 0 ? `This row may see nothing, yet its weights sum to ${precise(total)}: it reads what is hidden.`
        : "This row may see nothing, and all its weights are 0.";
    }
    if (leaked > 0) return `Hidden keys get ${precise(leaked)} of this row's weight.`;
    if (Math.abs(total - 1) >= 0.00005) {
      return `The row sums to ${precise(total)}: the share of the hidden keys is missing.`;
    }
    if (!seen.includes(0)) return "The row sums to 1.0000, and nothing in it is hidden.";
    return "The row sums to 1.0000, and the hidden keys get none of it.";
  }

  /** Why a row is NaN.
   *  @param {number[]} seen */
  broken(seen) {
    if (!seen.includes(1)) {
      return this.method === "renormalize" ? "NaN: this row may see nothing, and 0 is divided by 0."
        : "NaN: every score in the row is -∞, and the softmax divides 0 by 0.";
    }
    if (this.method === "times") return "NaN, because 0 × -∞ is NaN: even the keys that may be read are lost.";
    return "NaN: the softmax gave all the weight to hidden keys; nothing is left, and 0 is divided by 0.";
  }

  /** Show the steps of the method for the chosen row. */
  showSteps() {
    const [i] = this.chosen;
    const steps = this.stepsOf(i);
    const names = steps.map(([name]) => name);
    const isScore = names.map((name) => name === "score" || name === "filled" || name.startsWith("+"));
    const title = `step by step: the row of '${this.words[i]}'`;
    write(this.folded.name, `S${title.slice(1)}`);
    this.steps.show(title, names,
      (k, j) => (isScore[k] ? this.scoreSquare(i, j, steps[k][1][j]) : this.weightSquare(i, j, steps[k][1][j])),
      (k) => ({ text: isScore[k] ? "" : brief(sum(steps[k][1])) }));
  }
}
