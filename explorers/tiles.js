// The tiles explorer: the softmax of one query in tiles of keys, step by step, and which tiles all queries read.

import { brief, colors, floats, precise, range, sum } from "./numbers.js";
import { button, choice, chooser, element, explorer, frame, help, oncePerFrame, sideBySide, slider, spoken, swatch,
  toggle, tools, write } from "./page.js";
import { Grid, Reading, colored } from "./tables.js";
import { TileMap, tilesOf } from "./tiles_map.js";

/** @import { Color } from "./numbers.js" */
/** @import { Model } from "./page.js" */
/** @import { Listing, Look } from "./tables.js" */
/** @import { Span } from "./tiles_map.js" */
/** @typedef {{ m: number, l: number, out: number[] }} State all that is kept of the keys read so far: their largest
 *    score, the sum of exp(score - m), and the sum of exp(score - m) times the values */
/** @typedef {{ before: State, largest: number, factor: number, powers: number[], after: State,
 *    added: { l: number, out: number[] } }} Step one tile: its largest score, the factor of the earlier sums, its
 *    exp(score - m), and what it adds to the sums */
/** @typedef {{ out: number[], lse: number }} Result */

const HIDDEN = -Infinity;
const SIZES = [1, 2, 3, 4, 6, 8, 12, 16]; // keys in a tile
const FAR = [20, 50, 100, 200, 500, 1000]; // scores beyond those that the slider reaches in small steps

// ---------------------------------------------------------------- arithmetic

/** A maximum as it may be subtracted: -∞ - -∞ would be NaN.
 *  @param {number} m */
const based = (m) => (m === HIDDEN ? 0 : m);

/** Read one tile of scores and values.
 *  @param {State} before
 *  @param {number[]} scores
 *  @param {number[][]} values a row for each key
 *  @returns {Step} */
function readTile(before, scores, values) {
  const largest = Math.max(...scores);
  const m = Math.max(before.m, largest);
  const factor = Math.exp(before.m - based(m)); // 0 at first, 1 where the maximum stays
  const powers = scores.map((score) => Math.exp(score - based(m)));
  const read = before.out.map((_, c) => sum(powers.map((power, j) => power * values[j][c])));
  const added = { l: sum(powers), out: read };
  const out = before.out.map((number, c) => number * factor + added.out[c]);
  return { before, largest, factor, powers, added, after: { m, l: before.l * factor + added.l, out } };
}

/** All tiles, one after the other.
 *  @param {number[]} scores
 *  @param {number[][]} values
 *  @param {Span[]} tiles
 *  @returns {Step[]} */
export function readAll(scores, values, tiles) {
  /** @type {State} */
  let state = { m: HIDDEN, l: 0, out: values[0].map(() => 0) };
  return tiles.map(([from, to]) => {
    const step = readTile(state, scores.slice(from, to), values.slice(from, to));
    state = step.after;
    return step;
  });
}

/** The final result. If every key is hidden, the output is 0.
 *  @param {State} state
 *  @returns {Result} */
function finished({ m, l, out }) {
  return { out: out.map((number) => (l === 0 ? 0 : number / l)), lse: m + Math.log(l || 1) };
}

/** The weights, the output and lse of a row that is computed at once.
 *  @param {number[]} scores
 *  @param {number[][]} values
 *  @returns {Result & { weights: number[] }} */
function wholeRow(scores, values) {
  const m = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - based(m)));
  const total = sum(powers);
  const weights = powers.map((power) => (total === 0 ? 0 : power / total));
  const out = values[0].map((_, c) => sum(weights.map((weight, j) => weight * values[j][c])));
  return { weights, out, lse: m + Math.log(total || 1) };
}

/** The largest difference between two results.
 *  @param {Result} one
 *  @param {Result} other */
const apart = (one, other) => Math.max(differenceOf(one.lse, other.lse),
  ...one.out.map((number, c) => differenceOf(number, other.out[c])));

/** @param {number} one
 *  @param {number} other */
const differenceOf = (one, other) => (one === other ? 0 : Math.abs(one - other)); // -∞ equals itself

/** The values of the score slider: -∞, tenths from -10 to 10, some far beyond, and the given score.
 *  @param {number} score */
export function stopsWith(score) {
  const tenths = range(201).map((i) => Math.fround((i - 100) / 10));
  const stops = [HIDDEN, ...FAR.map((far) => -far), ...tenths, ...FAR, score];
  return [...new Set(stops)].sort((one, other) => (one === other ? 0 : one - other));
}

/** The tile sizes to choose from for S keys, including the given one.
 *  @param {number} S
 *  @param {number} tile */
export const sizesFor = (S, tile) =>
  [...new Set([...SIZES.filter((size) => size < S), S, tile])].sort((one, other) => one - other);

// ---------------------------------------------------------------- formatting

/** "keys 4 to 7", "key 4".
 *  @param {Span} span */
const keysOf = ([from, to]) => (to - from === 1 ? `key ${from}` : `keys ${from} to ${to - 1}`);

/** Four decimals, or two where the number is large.
 *  @param {number} value */
const shown = (value) => (Math.abs(value) >= 100 ? scoreText(value) : precise(value));

/** Two decimals if there is room.
 *  @param {number} score */
const scoreText = (score) => {
  const size = Math.abs(score);
  return size >= 99.95 && size < 1e4 ? score.toFixed(2) : brief(score);
};

/** exp(one - other), with a parenthesis around a number below 0.
 *  @param {number} one
 *  @param {number} other */
const power = (one, other) =>
  `exp(${shown(one)} - ${other < 0 ? `(${shown(other)})` : shown(other)})`;

/** The order of magnitude of a rounding difference.
 *  @param {number} difference */
const tiny = (difference) => (difference ? difference.toExponential(0) : "0");

// ---------------------------------------------------------------- the view

export default explorer((model) => new TilesView(model), (view) => {
  view.map.measure();
  view.show();
});

class TilesView {
  /** @param {Model} model */
  constructor(model) {
    const [T, S, features] = model.get("axes");
    const [scores, values] = [floats(model.get("scores")), floats(model.get("values"))];
    /** @type {number} queries */
    this.T = T;
    /** @type {number} keys */
    this.S = S;
    this.given = Array.from(scores);
    this.scores = this.given.slice(); // T rows of S
    this.values = range(S).map((j) => Array.from(values.subarray(j * features, (j + 1) * features)));
    /** @type {number} how many keys, and queries, are in a tile */
    this.tile = model.get("tile");
    /** @type {boolean} */
    this.causal = model.get("causal");
    this.query = T - 1;
    this.key = 0; // whose score the slider changes
    this.step = 0; // the index of the tile that is read; after the last one, the division
    this.paint = oncePerFrame(() => this.show());
    this.readout = spoken(true);
    this.keys = new Keys(S, colors(model.get("palette")), colors(model.get("signed")),
      Math.max(2, ...this.given.filter(Number.isFinite).map(Math.abs)), (key) => this.set({ key }));
    this.running = new Numbers(["before", "factor", "this tile", "after"]);
    this.ending = new Numbers(["in tiles", "row as a whole", "difference"]);
    this.map = new TileMap(T, S);
    this.reading = new Reading(() => this.listing());
    this.stops = stopsWith(0);
    this.slider = slider({ label: "score", min: 0, max: this.stops.length - 1, value: 0,
      show: (at) => this.textAt(at) }, (at) => {
      this.scores[this.query * this.S + this.key] = this.stops[at];
      this.paint();
    });
    this.slider.node.classList.add("abh-score");
    this.chosenKey = chooser("key", S, (key) => this.set({ key }));
    this.chosenQuery = chooser("query", T, (query) => this.set({ query }));
    this.place = element("span", { class: "abh-value" });
    this.buttons = this.makeButtons();
    this.root = this.build();
  }

  // ------------------------------------------------------------ elements

  /** First, back, next and last; the arrow keys, Home and End do the same on each of them. */
  makeButtons() {
    const to = (/** @type {number} */ step) => this.set({ step });
    const [back, next] = [() => to(this.step - 1), () => to(this.step + 1)];
    const [first, last] = [() => to(0), () => to(Infinity)];
    const node = element("div", { class: "abh-tools", role: "group", "aria-label": "step" });
    const all = [button("First", first), button("Back", back), button("Next", next), button("Last", last)];
    /** @type {Record<string, () => void>} */
    const keys = { ArrowLeft: back, ArrowUp: back, ArrowRight: next, ArrowDown: next, Home: first, End: last };
    node.append(...all, this.place);
    node.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
    return { node, all };
  }

  build() {
    const sizes = choice("keys in a tile", sizesFor(this.S, this.tile).map((size) => [size, String(size)]), this.tile,
      (tile) => this.set({ tile }));
    const causal = this.T === this.S && this.T > 1 ?
      [toggle("causal", this.causal, (on) => this.set({ causal: on }))] : [];
    const queries = this.T > 1 ? [this.chosenQuery.label] : [];
    const reset = button("Reset all scores", () => {
      this.scores = this.given.slice();
      this.paint();
    });
    const numbers = element("div", { class: "abh-wide" },
      element("div", { class: "abh-either" }, this.running.node, this.ending.node), this.map.node,
      tools(swatch("abh-token-mark", "read now"), swatch("abh-token-line", "read before"),
        swatch("abh-open", "to come"),
        ...(causal.length ? [swatch("abh-crossed", "skipped: only later keys")] : [])), this.map.held);
    return frame(help("One query reads its keys tile by tile. Press Next, or use the arrow keys on these buttons. " +
      "Then let the largest score come in another tile: click a row, or choose its key, and move the slider."),
    tools(sizes, ...queries, ...causal), tools(this.chosenKey.label, this.slider.node, reset), this.buttons.node,
    this.readout.node, sideBySide(this.keys.node, numbers),
    help("Scores, and exp of them, are colored while they are in memory: at any time, those of one tile. The weights " +
      "are there to compare. From tile to tile, only m, l and the output are kept; the output is divided " +
      "by l at the end."), this.reading.node);
  }

  /** Change what the reader controls, and show it in the next frame.
   *  @param {Partial<Pick<TilesView, "query" | "key" | "tile" | "causal" | "step">>} changes */
  set(changes) {
    Object.assign(this, changes);
    this.step = Math.max(0, Math.min(this.step, this.block().columns.length));
    this.paint();
  }

  // ------------------------------------------------------------ numbers

  blocks() {
    return tilesOf(this.T, this.S, this.tile, this.causal);
  }

  /** The tiles of the chosen query. */
  block() {
    return this.blocks()[Math.floor(this.query / this.tile)];
  }

  /** Whether the causal mask hides a key.
   *  @param {number} i
   *  @param {number} j */
  isLater(i, j) {
    return this.causal && j > i;
  }

  /** The slider's text at one of its stops.
   *  @param {number} at */
  textAt(at) {
    return this.stops[at] === HIDDEN ? "-∞: hidden" : scoreText(this.stops[at]);
  }

  /** The scores of a query, -∞ where a mask hides the key.
   *  @param {number} i */
  row(i) {
    return range(this.S).map((j) => (this.isLater(i, j) ? HIDDEN : this.scores[i * this.S + j]));
  }

  // ------------------------------------------------------------ display

  show() {
    const { query, step, values } = this;
    const { columns } = this.block();
    const scores = this.row(query);
    const steps = readAll(scores, values, columns);
    const whole = wholeRow(scores, values);
    const last = steps[steps.length - 1].after;
    this.showControls(scores[this.key], columns.length);
    this.keys.show(`Scores and weights of query ${query}`, { scores, columns, step, key: this.key,
      powers: steps[step]?.powers ?? [], state: steps[step]?.after ?? last, weights: whole.weights, tile: this.tile });
    this.running.node.hidden = step === steps.length;
    this.ending.node.hidden = step < steps.length;
    if (step < steps.length) {
      this.running.show(`Running numbers of query ${query}`, runningRows(steps[step]));
      this.readout.say(...told(steps[step], step, columns[step]));
    } else {
      this.ending.show(`Query ${query} at the end`, endingRows(finished(last), whole));
      this.readout.say(...toldAtTheEnd(last, whole));
    }
    this.map.draw(this.blocks(), this.tile, query, step, (i, j) => this.row(i)[j] !== HIDDEN);
    this.reading.show();
  }

  /** @param {number} score of the chosen key, as the query sees it
   *  @param {number} last the step after the last tile */
  showControls(score, last) {
    const { key, query, step } = this;
    const later = this.isLater(query, key);
    this.stops = stopsWith(score);
    this.slider.input.max = String(this.stops.length - 1);
    this.slider.input.disabled = later;
    this.slider.set(this.stops.indexOf(score), later ? "hidden: it comes later" :
      this.textAt(this.stops.indexOf(score)));
    this.slider.rename(`score of query ${query} for key ${key}`);
    this.chosenKey.select.value = String(key);
    this.chosenQuery.select.value = String(query);
    this.buttons.all.forEach((node, i) =>
      node.setAttribute("aria-disabled", String(step === (i < 2 ? 0 : last))));
    write(this.place, `step ${step + 1} of ${last + 1}`);
  }

  /** Every step as a table.
   *  @returns {Listing[]} */
  listing() {
    const { columns } = this.block();
    const scores = this.row(this.query);
    const steps = readAll(scores, this.values, columns);
    const outs = this.values[0].map((_, c) => `output ${c}`);
    const rows = steps.map(({ factor, after }, t) => [t, keysOf(columns[t]), shown(after.m), shown(factor),
      shown(after.l), ...after.out.map(shown)]);
    const whole = wholeRow(scores, this.values);
    return [{ caption: `Query ${this.query}, after each tile`,
      columns: ["tile", "read", "maximum m", "factor", "sum l", ...outs], rows },
    { caption: "At the end", columns: ["number", "in tiles", "row as a whole", "difference"],
      rows: endingRows(finished(steps[steps.length - 1].after), whole) }];
  }
}

// ---------------------------------------------------------------- a step in numbers and in words

/** The running numbers before a tile, the factor, what the tile adds, and the running numbers after it.
 *  @param {Step} step
 *  @returns {string[][]} */
function runningRows({ before, largest, factor, added, after }) {
  const rows = before.out.map((number, c) => [`output ${c}`, number, added.out[c], after.out[c]]);
  return [["maximum m", shown(before.m), "", `or ${shown(largest)}`, shown(after.m)],
    .../** @type {[string, number, number, number][]} */ ([["sum l", before.l, added.l, after.l], ...rows])
      .map(([name, old, more, sums]) => [name, shown(old), `× ${shown(factor)}`,
        `${more < 0 ? "-" : "+"} ${shown(Math.abs(more))}`, shown(sums)])];
}

/** The result in tiles, that of the whole row at once, and their difference.
 *  @param {Result} tiled
 *  @param {Result} whole
 *  @returns {string[][]} */
function endingRows(tiled, whole) {
  const row = (/** @type {string} */ name, /** @type {number} */ one, /** @type {number} */ other) =>
    [name, shown(one), shown(other), tiny(differenceOf(one, other))];
  return [row("m + log l", tiled.lse, whole.lse),
    ...tiled.out.map((number, c) => row(`output ${c} ÷ l`, number, whole.out[c]))];
}

/** A sentence on what happens in a step, and why.
 *  @param {Step} step
 *  @param {number} tile
 *  @param {Span} span
 *  @returns {[string, string]} */
export function told({ before, largest, factor, after }, tile, span) {
  const where = `Tile ${tile}, ${keysOf(span)}`;
  const [m, l] = [shown(after.m), shown(after.l)];
  if (largest === HIDDEN) {
    return [`${where}: hidden, and nothing changes`, "exp(-∞) is 0: a key that a mask hides adds nothing to any sum."];
  }
  if (before.m === HIDDEN) {
    return [`${where}: the maximum m is ${m}, and the sum l is ${l}`,
      "So far there was no maximum, only -∞, and nothing to rescale: the factor is exp(-∞) = 0."];
  }
  if (after.m > before.m) {
    return [`${where}: the maximum rises to ${m}, and the sum l is ${l}`,
      "What was summed so far belongs to the old maximum. It is multiplied by " +
      `${power(before.m, after.m)} = ${shown(factor)}; then the tile is added.`];
  }
  return [`${where}: the maximum stays ${m}, and the sum l is ${l}`,
    "What was summed so far belongs to this maximum: the factor is exp(0) = 1, and the tile is added."];
}

/** A sentence on the last step, and a comparison with the whole row.
 *  @param {State} state
 *  @param {Result} whole
 *  @returns {[string, string]} */
function toldAtTheEnd(state, whole) {
  const result = finished(state);
  if (state.m === HIDDEN) {
    return ["The end: every key is hidden, so the output is 0 and lse is -∞", "There is nothing to divide by."];
  }
  const [m, l] = [shown(state.m), shown(state.l)];
  return [`The end: the output is divided by l = ${l}, and lse = ${m} + log ${l} = ${shown(result.lse)}`,
    "The softmax of the row as a whole gives the same numbers up to rounding: the largest difference is " +
    `${tiny(apart(result, whole))}.`];
}

// ---------------------------------------------------------------- the tables

/** A table of named rows whose numbers change. */
class Numbers {
  /** @param {string[]} columns */
  constructor(columns) {
    this.columns = columns;
    this.caption = element("caption");
    /** @type {HTMLTableCellElement[][]} */
    this.cells = [];
    this.body = element("tbody");
    this.node = element("table", { class: "abh-running" }, this.caption, element("thead", {}, element("tr", {},
      element("td"), ...columns.map((name) => element("th", { scope: "col" }, name)))), this.body);
  }

  /** @param {string} caption
   *  @param {string[][]} rows each begins with its name */
  show(caption, rows) {
    write(this.caption, caption);
    if (!this.cells.length) {
      this.cells = rows.map(() => this.columns.map(() => element("td")));
      this.body.append(...rows.map(([name], i) =>
        element("tr", {}, element("th", { scope: "row" }, name), ...this.cells[i])));
    }
    rows.forEach(([, ...numbers], i) => numbers.forEach((text, j) => write(this.cells[i][j], text)));
  }
}

/** @typedef {{ scores: number[], columns: Span[], step: number, key: number, powers: number[], state: State,
 *    weights: number[], tile: number }} Row one query: its scores, the tiles that it reads, which of them is read now,
 *    the chosen key, exp(score - m) in this tile, what is kept after it, the weights in the end, and the tile's size */

/** The keys of a query, one below the other: scores, exp(score - m), and weights so far and in the end. */
class Keys {
  /** @param {number} S
   *  @param {Color[]} palette
   *  @param {Color[]} signed
   *  @param {number} reach of the colors of scores
   *  @param {(key: number) => void} onChoose */
  constructor(S, palette, signed, reach, onChoose) {
    this.palette = palette;
    this.signed = signed;
    this.reach = reach;
    this.grid = new Grid({ name: "Scores and weights", rows: range(S).map(String), corner: "key",
      columns: ["score", "exp of score\u00a0-\u00a0m", "weight so far", "weight at the end"], after: ["tile"] });
    this.node = this.grid.node;
    this.node.classList.add("abh-keys");
    this.rows = Array.from(this.node.tBodies[0].rows);
    this.rows.forEach((row, key) => row.addEventListener("click", () => onChoose(key)));
  }

  /** @param {string} name
   *  @param {Row} row */
  show(name, row) {
    this.grid.rename(name);
    this.grid.show((j, column) => this.square(row, j, column), (j) => ({ text: stateOf(row, j) }));
    const [from, to] = row.columns[row.step] ?? [0, 0];
    this.rows.forEach((node, j) => {
      node.classList.toggle("abh-starts", j > 0 && j % row.tile === 0);
      node.classList.toggle("abh-here", j >= from && j < to);
    });
  }

  /** @param {Row} row
   *  @param {number} j
   *  @param {number} column
   *  @returns {Look} */
  square({ scores, columns, step, key, powers, state, weights }, j, column) {
    const [from, to] = columns[step] ?? [0, 0];
    const isHere = j >= from && j < to;
    const isRead = j < (columns[step] ?? columns[columns.length - 1])[1];
    const isHidden = scores[j] === HIDDEN;
    const chosen = column === 0 && j === key ? "abh-chosen" : "";
    /** @type {(text: string, look: Look) => Look} */
    const held = (text, look) => (isHidden ? { text, kind: `abh-hidden ${chosen}` } : { ...look, text, kind: chosen });
    if (column === 0) {
      const text = scoreText(scores[j]);
      return isHere || isHidden ? held(text, colored(scores[j], this.signed, 0.5 + scores[j] / (2 * this.reach))) :
        { text, kind: chosen };
    }
    if (column === 1) return isHere ? held(precise(powers[j - from]), colored(powers[j - from], this.palette)) : {};
    const weight = column === 3 ? weights[j] : Math.exp(scores[j] - based(state.m)) / (state.l || 1);
    return column === 3 || isRead ? held(precise(weight), colored(weight, this.palette)) : {};
  }
}

/** The tile of a key, and whether it is read.
 *  @param {Row} row
 *  @param {number} j */
function stateOf({ columns, step, tile }, j) {
  const t = Math.floor(j / tile);
  return `${t} ${t >= columns.length ? "skipped" : t < step ? "read" : t === step ? "now" : "to come"}`;
}
