// The heads explorer: named numbers, cut into heads and merged again, on the right road and on two wrong ones.
// base.py puts shared.js in front of this file.

const TOKENS = ["line", "mark", "third", "fourth"]; // the colour of each token, in the order of plots.COLOURS

const ATTENTION = "Here attention would mix the rows within each head. It is left out, so merged should be x.";

const range = (count) => Array.from({ length: count }, (_, i) => i);

/** The index of a place in memory, for a tensor of these sizes: [1, 2] for place 6 of (3, 4). */
function indexOf(place, sizes) {
  return sizes.map((size, axis) => {
    const below = sizes.slice(axis + 1).reduce((product, other) => product * other, 1);
    return Math.floor(place / below) % size;
  });
}

/** What `.transpose(0, 1)` does to the order of the numbers: (A, B, D) -> (B, A, D). */
function transposed(line, A, B, D) {
  return line.map((_, place) => {
    const [b, a, d] = indexOf(place, [B, A, D]);
    return line[(a * B + b) * D + d];
  });
}

/** The values without repetition: "0", "0 and 2", "0, 2 and 3". */
function listed(values) {
  const each = [...new Set(values)];
  return each.length === 1 ? `${each[0]}` : `${each.slice(0, -1).join(", ")} and ${each.at(-1)}`;
}

// Pieces are the numbers of one token that belong to one head: { names, head, position, row }.

/** The pieces in groups that share a head, a position or a row: [[which, pieces]]. */
function grouped(pieces, key) {
  const found = [...new Set(pieces.map((piece) => piece[key]))];
  return found.map((which) => [which, pieces.filter((piece) => piece[key] === which)]);
}

const named = (pieces) => pieces.map(({ names }) => names).join(" ");

function inHeads(pieces) {
  const positions = grouped(pieces, "position");
  const together = positions.length === 1 && pieces.length > 1;
  const parts = grouped(pieces, "head").map(([head, own]) => {
    const where = ` at position${own.length > 1 ? "s" : ""} ${listed(own.map(({ position }) => position))}`;
    return `${named(own)} in head ${head}${together ? "" : where}`;
  });
  return parts.join(", ") + (together ? `, each at position ${positions[0][0]}` : "");
}

function inRows(pieces) {
  const rows = grouped(pieces, "row");
  if (rows.length === 1) return `all in row ${rows[0][0]}`;
  return rows.map(([row, own]) => `${named(own)} in row ${row}`).join(", ");
}

function render({ model, el }) {
  const view = new HeadsView(model);
  el.append(view.root);
}

export default { render };

/** Each number is known by its place in x: number 6 of an x with 4 features is feature 2 of token 1. */
class HeadsView {
  constructor(model) {
    this.words = model.get("tokens");
    Object.assign(this, { T: this.words.length, C: model.get("d_model"), H: model.get("num_heads") });
    Object.assign(this, { split: "right", merge: "right", chosen: this.C }); // the first number of token 1
    this.paint = oncePerFrame(() => this.show());
    this.build();
  }

  // ------------------------------------------------------------ numbers

  token(number) {
    return Math.floor(number / this.C);
  }

  /** 12 for feature 2 of token 1, or 102 where there are more than ten features. */
  name(number) {
    return this.token(number) + String(number % this.C).padStart(this.C > 10 ? 2 : 1, "0");
  }

  /** Each step: its code, its axes and its numbers, in the order in which memory has them. */
  compute() {
    const { T, C, H } = this;
    const D = this.D = C / H;
    const [splits, merges] = [this.split === "right", this.merge === "right"];
    const x = range(T * C);
    const split = splits ? transposed(x, T, H, D) : x;
    const merged = merges ? transposed(split, H, T, D) : split;
    const cut = splits ? "T, H, D" : "H, T, D";
    this.steps = {
      x: { typed: "x", axes: "T, C", line: x },
      cut: { typed: `cut = x.view(${cut})`, axes: cut, line: x },
      split: { typed: splits ? "split = cut.transpose(0, 1)" : "split = cut", axes: "H, T, D", line: split },
      merged: { typed: `merged = split${merges ? ".transpose(0, 1)" : ""}.reshape(T, C)`, axes: "T, C", line: merged },
    };
  }

  sizes(axes) {
    return axes.split(", ").map((axis) => this[axis]);
  }

  comesBack() {
    return this.steps.merged.line.every((number, place) => number === place);
  }

  // ------------------------------------------------------------ elements

  build() {
    const change = (what) => (value) => {
      this[what] = value;
      this.lay();
    };
    const split = choice("split", [["right", "view, then transpose"], ["wrong", "view alone (bug)"]], "right",
      change("split"));
    const merge = choice("merge", [["right", "transpose, then reshape"], ["wrong", "reshape alone (bug)"]], "right",
      change("merge"));
    const divisors = range(this.C + 1).filter((n) => n && this.C % n === 0);
    const count = choice("heads", divisors.map((n) => [n, String(n)]), this.H, change("H"));
    this.readout = spoken();
    this.room = element("div", { class: "abh-steps" });
    const swatches = this.words.map((word, t) => element("span", { class: "abh-legend" },
      element("span", { class: `abh-swatch abh-token-${TOKENS[t]}` }), `token ${t}: ${word}`));
    this.root = frame(tools(split.node, merge.node, count.node), this.readout.node, this.room, tools(...swatches), help(
      "Click a number, or walk through x with the arrow keys. It is ringed at every step; its token is strong, the " +
      `others are pale. Names: ${this.name(this.C)} is feature 0 of token 1.`));
    this.lay();
  }

  /** The steps from left to right, made anew when a control has changed their shapes. */
  lay() {
    this.compute();
    const { x, cut, split, merged } = this.steps;
    this.tables = [];
    this.grid = this.table("x", "T", x.line, (t, c) => this.choose(t * this.C + c));
    this.equal = element("code");
    this.room.replaceChildren(this.step(x, this.grid.node), this.step(cut, this.slices("cut, ", cut)),
      this.step(split, this.slices("", split), help(ATTENTION)),
      this.step(merged, this.table("merged", "T", merged.line).node, element("p", {}, this.equal)));
    this.show();
  }

  /** A step with three axes: a table for each index of the first. */
  slices(prefix, { axes, line }) {
    const [first, second] = axes.split(", ");
    const size = line.length / this[first];
    const name = prefix + (first === "T" ? "token" : "head");
    return beside(...range(this[first]).map((n) =>
      this.table(`${name} ${n}`, second, line.slice(n * size, (n + 1) * size)).node));
  }

  /** A table of numbers whose rows are positions, T, or heads, H. */
  table(name, axis, line, onChoose = null) {
    const wide = line.length / this[axis];
    const rows = range(this[axis]).map((n) => (name === "x" ? `${n} ${this.words[n]}` : String(n)));
    const grid = new Grid({ name, rows, columns: range(wide).map(String), corner: axis === "T" ? "position" : "head",
      onChoose });
    grid.node.classList.add("abh-names");
    if (axis === "T") grid.node.classList.add("abh-by-token"); // the row's name has the colour that belongs there
    const number = (i, j) => line[i * wide + j];
    this.tables.push({ grid, number });
    if (!onChoose) {
      grid.cells.forEach((row, i) => row.forEach((cell, j) => {
        cell.addEventListener("click", () => this.choose(number(i, j)));
      }));
    }
    return grid;
  }

  step(step, ...content) {
    step.place = element("code");
    const sizes = this.sizes(step.axes).join(", ");
    return element("section", { class: "abh-step" },
      element("p", {}, element("code", {}, step.typed), element("br"), `(${step.axes}) = (${sizes})`), ...content,
      element("p", {}, step.place));
  }

  // ------------------------------------------------------------ what is shown

  choose(number) {
    this.chosen = number;
    this.paint();
  }

  show() {
    this.grid.choose(this.token(this.chosen), this.chosen % this.C);
    for (const { grid, number } of this.tables) grid.show((i, j) => this.square(number(i, j)));
    for (const [name, { axes, line, place }] of Object.entries(this.steps)) {
      const index = indexOf(line.indexOf(this.chosen), this.sizes(axes));
      place.textContent = `${name}[${index.join(", ")}] is ${this.name(this.chosen)}`;
    }
    this.equal.textContent = `torch.equal(merged, x): ${this.comesBack() ? "True" : "False"}`;
    this.readout.say(this.whereabouts(), this.verdict());
  }

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

  piece(first) {
    const { split, merged } = this.steps;
    const [head, position] = indexOf(split.line.indexOf(first), this.sizes(split.axes));
    const [row] = indexOf(merged.line.indexOf(first), this.sizes(merged.axes));
    return { names: range(this.D).map((d) => this.name(first + d)).join(" "), head, position, row };
  }

  /** What is right or wrong with it. */
  verdict() {
    const { T, H, D } = this;
    const followed = this.token(this.chosen);
    const holds = (h, t) => this.token(this.steps.split.line[(h * T + t) * D]); // a row of a head never mixes tokens
    const strays = range(H).flatMap((h) => range(T).filter((t) => holds(h, t) !== t));
    if (strays.length === 0) return this.verdictOnMerge(followed);
    const head = range(H).find((h) => holds(h, followed) !== followed);
    const evidence = `head ${head} has token ${holds(head, followed)} at position ${followed}, and attention would ` +
      `take it for token ${followed}`;
    if (this.comesBack()) {
      return "Two bugs undo each other: neither the shapes nor comparing merged with x can show them. " +
        `But ${evidence}.`;
    }
    return `Wrong split: the shape (${H}, ${T}, ${D}) is right, but ${strays.length} of ${H * T} rows hold another ` +
      `token: ${evidence}.`;
  }

  verdictOnMerge(followed) {
    const { T, C } = this;
    if (!this.comesBack()) {
      const row = this.steps.merged.line.slice(followed * C, (followed + 1) * C);
      return `Wrong merge: the heads are right, and so is the shape (${T}, ${C}), but row ${followed} holds numbers ` +
        `of the tokens ${listed(row.map((number) => this.token(number)).sort())}.`;
    }
    if (this.split === "right" && this.merge === "right") {
      return `Right: in every head, position ${followed} holds token ${followed} alone, and merging gives x back.`;
    }
    return "Right in spite of the bug: with one head there is nothing to transpose, and x comes back.";
  }
}
