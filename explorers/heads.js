// The heads explorer: named numbers, split into heads and merged again, correctly and with two bugs.

import { divisors, range } from "./numbers.js";
import { choice, element, explorer, frame, help, oncePerFrame, spoken, swatch, tools, write } from "./page.js";
import { Grid } from "./tables.js";

/** @import { Model } from "./page.js" */
/** @typedef {{ typed: string, axes: string, line: number[], note?: string }} Step its code, its axes, its numbers in
 *    the order of memory, and a remark */
/** @typedef {"x" | "cut" | "split" | "merged"} StepName */
/** @typedef {{ node: HTMLElement, typed: HTMLElement, shape: HTMLElement, place: HTMLElement, position: HTMLElement,
 *    note: HTMLElement }} StepView the elements that show a step */
/** @typedef {{ node: HTMLElement, tables: Table[] }} Slices */
/** @typedef {{ grid: Grid, step: StepName, start: number, wide: number }} Table a grid, the step that it shows, the
 *    index of its first number in the step's memory, and the length of a row */
/** @typedef {{ x: Step, cut?: Step, split: Step, merged: Step }} AllSteps no `cut` where view alone is the split */
/** @typedef {{ names: string, head: number, position: number, row: number }} Piece the numbers of one token that belong
 *    to one head */
/** @typedef {"T" | "C" | "H" | "D"} Axis */
/** @typedef {"right" | "wrong"} Way */

const TOKENS = ["line", "mark", "third", "fourth"]; // the color of each token, in the order of figures.COLORS

const ATTENTION = "Attention would mix the rows of each head here. It is left out, so merged should equal x.";
const NO_CUT = "view alone moves no number, so the heads are made in a single step.";

// ---------------------------------------------------------------- arithmetic

/** The index of an offset in memory, for a tensor of these sizes: [1, 2] for offset 6 of (3, 4).
 *  @param {number} offset
 *  @param {number[]} sizes */
function indexOf(offset, sizes) {
  return sizes.map((size, axis) => {
    const below = sizes.slice(axis + 1).reduce((product, other) => product * other, 1);
    return Math.floor(offset / below) % size;
  });
}

/** The numbers in the order after `.transpose(0, 1)`: (A, B, D) -> (B, A, D).
 *  @param {number[]} line
 *  @param {number} A
 *  @param {number} B
 *  @param {number} D */
function transposed(line, A, B, D) {
  return line.map((_, offset) => {
    const [b, a, d] = indexOf(offset, [B, A, D]);
    return line[(a * B + b) * D + d];
  });
}

/** The values without repetition: "0", "0 and 2", "0, 2, and 3".
 *  @param {number[]} values */
function listed(values) {
  const each = [...new Set(values)];
  return each.length < 3 ? each.join(" and ") : `${each.slice(0, -1).join(", ")}, and ${each[each.length - 1]}`;
}

// ---------------------------------------------------------------- sentences about pieces

/** The pieces in groups that share a head, a position or a row: [[which, pieces]].
 *  @param {Piece[]} pieces
 *  @param {"head" | "position" | "row"} key
 *  @returns {[number, Piece[]][]} */
function grouped(pieces, key) {
  const found = [...new Set(pieces.map((piece) => piece[key]))];
  return found.map((which) => [which, pieces.filter((piece) => piece[key] === which)]);
}

/** @param {Piece[]} pieces */
const named = (pieces) => pieces.map(({ names }) => names).join(" ");

/** @param {Piece[]} pieces */
function inHeads(pieces) {
  const positions = grouped(pieces, "position");
  const together = positions.length === 1 && pieces.length > 1;
  const parts = grouped(pieces, "head").map(([head, own]) => {
    const where = ` at position${own.length > 1 ? "s" : ""} ${listed(own.map(({ position }) => position))}`;
    return `${named(own)} in head ${head}${together ? "" : where}`;
  });
  return parts.join(", ") + (together ? `, each at position ${positions[0][0]}` : "");
}

/** @param {Piece[]} pieces */
function inRows(pieces) {
  const rows = grouped(pieces, "row");
  if (rows.length === 1) return `all in row ${rows[0][0]}`;
  return rows.map(([row, own]) => `${named(own)} in row ${row}`).join(", ");
}

// ---------------------------------------------------------------- the view

export default explorer((model) => new HeadsView(model), (view) => view.fit());

/** @type {(axes: string) => Axis[]} */
const axesOf = (axes) => /** @type {Axis[]} */ (axes.split(", "));

/** @type {(right: string, wrong: string) => [Way, string][]} */
const ways = (right, wrong) => [["right", right], ["wrong", wrong]];

/** Each number is identified by its offset in x: number 6 of an x with 4 features is feature 2 of token 1. */
class HeadsView {
  /** @param {Model} model */
  constructor(model) {
    /** @type {string[]} */
    this.words = model.get("tokens");
    this.T = this.words.length;
    /** @type {number} */
    this.C = model.get("d_model");
    /** @type {number} */
    this.H = model.get("num_heads");
    this.D = this.C / this.H;
    /** @type {Way} */
    this.split = "right";
    /** @type {Way} */
    this.merge = "right";
    this.chosen = this.C; // the first number of token 1
    this.paint = oncePerFrame(() => this.show());
    this.readout = spoken(true);
    this.room = element("div", { class: "abh-steps" });
    /** @type {Map<string, number>} */
    this.wide = new Map(); // the width of all steps in a row, for each combination of the controls
    this.equal = element("code");
    this.steps = this.compute();
    this.x = this.table("x", "x", "T", (t, c) => this.choose(t * this.C + c));
    this.merged = this.table("merged", "merged", "T");
    /** @type {Record<StepName, StepView>} */
    this.views = { x: this.stepView(this.x.grid.node), cut: this.stepView(), split: this.stepView(),
      merged: this.stepView(this.merged.grid.node, element("p", {}, this.equal)) };
    /** @type {Map<number, { cut: Slices, split: Slices }>} */
    this.slices = new Map(); // for each number of heads
    this.room.append(...Object.values(this.views).map(({ node }) => node));
    this.root = this.build();
    this.lay();
  }

  // ------------------------------------------------------------ numbers

  /** @param {number} number */
  token(number) {
    return Math.floor(number / this.C);
  }

  /** 12 for feature 2 of token 1, or 102 if there are more than ten features.
   *  @param {number} number */
  name(number) {
    return this.token(number) + String(number % this.C).padStart(this.C > 10 ? 2 : 1, "0");
  }

  /** @returns {AllSteps} */
  compute() {
    const { T, C, H } = this;
    const D = this.D = C / H;
    const [splits, merges] = [this.split === "right", this.merge === "right"];
    const x = range(T * C);
    const split = splits ? transposed(x, T, H, D) : x;
    const merged = merges ? transposed(split, H, T, D) : split;
    const step = (/** @type {string} */ typed, /** @type {string} */ axes, /** @type {number[]} */ line, note = "") =>
      ({ typed, axes, line, note });
    const first = step("x", "T, C", x);
    const last = step(`merged = split${merges ? ".transpose(0, 1)" : ""}.reshape(T, C)`, "T, C", merged);
    if (!splits) return { x: first, split: step("split = x.view(H, T, D)", "H, T, D", x, NO_CUT), merged: last };
    return { x: first, cut: step("cut = x.view(T, H, D)", "T, H, D", x),
      split: step("split = cut.transpose(0, 1)", "H, T, D", split, ATTENTION), merged: last };
  }

  /** @param {string} axes */
  sizes(axes) {
    return axesOf(axes).map((axis) => this[axis]);
  }

  comesBack() {
    return this.steps.merged.line.every((number, offset) => number === offset);
  }

  // ------------------------------------------------------------ elements

  build() {
    const split = choice("split", ways("view, then transpose", "view alone (bug)"), this.split, (way) => {
      this.split = way;
      this.lay();
    });
    const merge = choice("merge", ways("transpose, then reshape", "reshape alone (bug)"), this.merge, (way) => {
      this.merge = way;
      this.lay();
    });
    const heads = choice("heads", divisors(this.C).map((n) => [n, String(n)]), this.H, (count) => {
      this.H = count;
      this.lay();
    });
    const swatches = this.words.map((word, t) => swatch(`abh-token-${TOKENS[t]}`, `token ${t}: ${word}`));
    return frame(help("Click a number, or move through x with the arrow keys, and follow it from step to step. " +
      `The numbers are names: ${this.name(this.C)} is feature 0 of token 1.`),
    tools(split, merge, heads), this.readout.node, this.room, tools(...swatches));
  }

  /** Show the steps from left to right. Tables are made once for each number of heads, and keep their place. */
  lay() {
    const room = this.room.clientWidth; // read first: after the changes, it would force a layout
    this.steps = this.compute();
    let slices = this.slices.get(this.H);
    if (!slices) {
      slices = { cut: this.slicesOf("cut, token", "cut", "T", "H"), split: this.slicesOf("head", "split", "H", "T") };
      this.slices.set(this.H, slices);
    }
    for (const [name, step] of this.each()) {
      const { typed, shape, place, note } = this.views[name];
      const [start, ...calls] = step.typed.split(/(?=\.\w+\()/);
      if (typed.textContent !== step.typed) {
        typed.replaceChildren(start, ...calls.flatMap((call) => [element("br"), call]));
      }
      write(shape, `(${step.axes}) = (${this.sizes(step.axes).join(", ")})`);
      const parts = name === "cut" || name === "split" ? slices[name].node : null;
      if (parts && parts.parentNode !== place) place.replaceChildren(parts);
      write(note, step.note ?? "");
      note.hidden = !step.note;
    }
    const { x, cut } = this.views;
    if (!this.steps.cut) cut.node.remove();
    else if (!cut.node.parentNode) x.node.after(cut.node);
    this.show();
    this.fit(room);
  }

  /** The steps that the chosen code has.
   *  @returns {[StepName, Step][]} */
  each() {
    return /** @type {[StepName, Step][]} */ (Object.entries(this.steps));
  }

  /** Put all steps in a row if there is room, else one below the other. The width of the row is measured once for each
   *  combination of the controls, since measuring forces a layout.
   *  @param {number} room in pixels */
  fit(room = this.room.clientWidth) {
    const shown = [this.split, this.merge, this.H].join();
    if (room && !this.wide.has(shown)) {
      this.room.classList.remove("abh-stacked");
      const [start, end] = [this.room, this.room.lastElementChild].map((node) => node?.getBoundingClientRect());
      this.wide.set(shown, Math.ceil((end?.right ?? 0) - (start?.left ?? 0)));
    }
    this.room.classList.toggle("abh-stacked", (this.wide.get(shown) ?? 0) > room);
  }

  /** A step with three axes: a table for each index of the first.
   *  @param {string} name
   *  @param {StepName} step
   *  @param {"T" | "H"} first
   *  @param {"T" | "H"} second
   *  @returns {Slices} */
  slicesOf(name, step, first, second) {
    const size = (this.T * this.C) / this[first];
    const tables = range(this[first]).map((n) => this.table(`${name} ${n}`, step, second, null, n * size, size));
    return { node: element("div", { class: "abh-parts" }, ...tables.map(({ grid }) => grid.node)), tables };
  }

  /** A table of numbers of a step, whose rows are positions, T, or heads, H.
   *  @param {string} name
   *  @param {StepName} step
   *  @param {"T" | "H"} axis
   *  @param {((i: number, j: number) => void) | null} onChoose
   *  @returns {Table} */
  table(name, step, axis, onChoose = null, start = 0, size = this.T * this.C) {
    const wide = size / this[axis];
    const rows = range(this[axis]).map((n) => (name === "x" ? `${n} ${this.words[n]}` : String(n)));
    const grid = new Grid({ name, rows, columns: range(wide).map(String), corner: axis === "T" ? "position" : "head",
      onChoose });
    grid.node.classList.add("abh-names");
    if (this.name(0).length > 2) grid.node.classList.add("abh-long");
    if (axis === "T") grid.node.classList.add("abh-by-token"); // the row's name has the color that belongs there
    const table = { grid, step, start, wide };
    if (!onChoose) {
      grid.cells.forEach((row, i) => row.forEach((cell, j) => {
        cell.addEventListener("click", () => this.choose(this.number(table, i, j)));
      }));
    }
    return table;
  }

  /** The number in a square of a table.
   *  @param {Table} table
   *  @param {number} i
   *  @param {number} j */
  number({ step, start, wide }, i, j) {
    return this.steps[step]?.line[start + i * wide + j] ?? 0;
  }

  /** @param {...Node} content below the tables
   *  @returns {StepView} */
  stepView(...content) {
    const [typed, position] = [element("code"), element("code")];
    const [shape, note, place] = [element("p", { class: "abh-shape" }), help(""), element("div")];
    const node = element("section", { class: "abh-step" }, element("p", { class: "abh-code" }, typed), shape, place,
      ...content, element("p", {}, position), note);
    return { node, typed, shape, place, position, note };
  }

  // ------------------------------------------------------------ display

  /** @param {number} number */
  choose(number) {
    this.chosen = number;
    this.paint();
  }

  show() {
    this.x.grid.choose(this.token(this.chosen), this.chosen % this.C);
    for (const table of this.tables()) table.grid.show((i, j) => this.square(this.number(table, i, j)));
    for (const [name, { axes, line }] of this.each()) {
      const index = indexOf(line.indexOf(this.chosen), this.sizes(axes));
      write(this.views[name].position, `${name}[${index.join(", ")}] is ${this.name(this.chosen)}`);
    }
    write(this.equal, `torch.equal(merged, x): ${this.comesBack() ? "True" : "False"}`);
    this.readout.say(this.whereabouts(), this.verdict());
  }

  /** The tables that are shown.
   *  @returns {Table[]} */
  tables() {
    const slices = this.slices.get(this.H);
    return [this.x, ...(this.steps.cut ? slices?.cut.tables ?? [] : []), ...(slices?.split.tables ?? []), this.merged];
  }

  /** @param {number} number */
  square(number) {
    const token = this.token(number);
    const kinds = [`abh-token-${TOKENS[token]}`, token === this.token(this.chosen) && "abh-followed",
      number === this.chosen && "abh-ringed"];
    return { text: this.name(number), kind: kinds.filter(Boolean).join(" ") };
  }

  /** Where the numbers of the followed token are. */
  whereabouts() {
    const token = this.token(this.chosen);
    const pieces = range(this.H).map((h) => this.piece(token * this.C + h * this.D));
    return `Token ${token} ('${this.words[token]}'): ${inHeads(pieces)}; merged: ${inRows(pieces)}`;
  }

  /** The piece that begins with this number.
   *  @param {number} first
   *  @returns {Piece} */
  piece(first) {
    const { split, merged } = this.steps;
    const [head, position] = indexOf(split.line.indexOf(first), this.sizes(split.axes));
    const [row] = indexOf(merged.line.indexOf(first), this.sizes(merged.axes));
    return { names: range(this.D).map((d) => this.name(first + d)).join(" "), head, position, row };
  }

  /** A sentence on what is right or wrong with split and merge. */
  verdict() {
    const { T, H, D } = this;
    const followed = this.token(this.chosen);
    // The first number of a row tells its token, because no row of a head mixes tokens.
    const holds = (/** @type {number} */ h, /** @type {number} */ t) =>
      this.token(this.steps.split.line[(h * T + t) * D]);
    const strays = range(H).flatMap((h) => range(T).filter((t) => holds(h, t) !== t));
    if (strays.length === 0) return this.verdictOnMerge(followed);
    const head = range(H).findIndex((h) => holds(h, followed) !== followed);
    const evidence = `head ${head} has token ${holds(head, followed)} at position ${followed}, and attention would ` +
      `take it for token ${followed}`;
    if (this.comesBack()) {
      return "Two bugs undo each other: neither the shapes nor comparing merged with x reveals them. " +
        `But ${evidence}.`;
    }
    return `Wrong split: the shape (${H}, ${T}, ${D}) is right, but ${strays.length} of ${H * T} rows hold another ` +
      `token: ${evidence}.`;
  }

  /** @param {number} followed */
  verdictOnMerge(followed) {
    const { T, C } = this;
    if (!this.comesBack()) {
      const row = this.steps.merged.line.slice(followed * C, (followed + 1) * C);
      return `Wrong merge: the heads are right, and so is the shape (${T}, ${C}), but row ${followed} holds numbers ` +
        `of tokens ${listed(row.map((number) => this.token(number)).sort())}.`;
    }
    if (this.split === "right" && this.merge === "right") {
      return `Right: in every head, position ${followed} holds token ${followed} alone, and merging returns x.`;
    }
    return "Right in spite of the bug: with one head there is nothing to transpose, and merging returns x.";
  }
}
