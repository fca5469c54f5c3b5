// Part of the tiles explorer: which tiles are read, and a picture of all queries and keys, cut into tiles.

import { drawing, drawn, redraw, roomOf } from "./charts.js";
import { range, several, sum } from "./numbers.js";
import { help, write } from "./page.js";

/** @typedef {[number, number]} Span the first, and the one after the last */
/** @typedef {{ rows: Span, columns: Span[] }} Block the queries of some tiles, and the keys of each that is read */

/** The tiles that are read, as tiles() of helpers/tiled.py lists them.
 *  @param {number} T
 *  @param {number} S
 *  @param {number} tile
 *  @param {boolean} causal
 *  @returns {Block[]} */
export function tilesOf(T, S, tile, causal) {
  const columns = spans(S, tile);
  return spans(T, tile).map((rows) => ({ rows, columns: columns.filter(([from]) => !causal || from < rows[1]) }));
}

/** @param {number} count
 *  @param {number} tile
 *  @returns {Span[]} */
const spans = (count, tile) =>
  range(Math.ceil(count / tile)).map((i) => [i * tile, Math.min((i + 1) * tile, count)]);

const [LEFT, TOP, MOST_SQUARE] = [62, 42, 16]; // pixels: left of the squares, above them, and of a square

/** A picture of all queries and keys, cut into tiles; a square for each score that no mask hides. */
export class TileMap {
  /** @param {number} T
   *  @param {number} S */
  constructor(T, S) {
    this.T = T;
    this.S = S;
    this.width = 0;
    this.node = drawing();
    this.held = help("");
  }

  measure() {
    this.width = roomOf(this.node);
  }

  /** @param {Block[]} blocks
   *  @param {number} tile
   *  @param {number} query
   *  @param {number} step
   *  @param {(i: number, j: number) => boolean} sees */
  draw(blocks, tile, query, step, sees) {
    if (!this.width) this.measure();
    const { T, S } = this;
    const read = sum(blocks.map(({ columns }) => columns.length));
    const all = Math.ceil(S / tile) * blocks.length;
    const title = `${T === 1 ? "1 query" : `${T} queries`} × ${several(S, "key")}: ` +
      (read < all ? `${read} of ${all} tiles are read` : all === 1 ? "a single tile" : `all ${all} tiles are read`);
    const mine = blocks[Math.floor(query / tile)];
    const says = step < mine.columns.length ? `query ${query} reads tile ${step} now` :
      `query ${query} has read ${several(mine.columns.length, "tile")}`;
    const high = Math.min(tile, T);
    const wide = Math.min(tile, S);
    write(this.held, `At most ${high} × ${wide} = ${several(high * wide, "score")} ` +
      `exist${high * wide === 1 ? "s" : ""} at once, those of one tile. ` +
      `Without tiles, they would be a table of ${T} × ${S} = ${several(T * S, "score")}.`);
    const size = Math.min(MOST_SQUARE, (this.width - LEFT - 4 * Math.ceil(S / tile)) / S);
    const at = (/** @type {number} */ i) => i * size + 4 * Math.floor(i / tile);
    const y = TOP + at(query) + size / 2;
    redraw(this.node, this.width, TOP + at(T) + 8, `${title}; ${says}`,
      drawn("text", { x: 0, y: 13, class: "abh-title" }, title),
      drawn("text", { x: LEFT, y: TOP - 9, class: "abh-tick" }, "keys"),
      drawn("text", { x: LEFT - 8, y: y + 4, class: "abh-tick abh-end" }, `query ${query}`),
      ...Object.entries(shapes(blocks, { T, S, tile, query, step, size, at, sees })).map(([kind, d]) =>
        drawn("path", { d, class: `abh-${kind}` })),
      drawn("path", { d: box(LEFT - 3, y - size / 2 - 1, at(S - 1) + size + 6, size + 1), class: "abh-outlined" }));
  }
}

/** @param {number} x
 *  @param {number} y
 *  @param {number} wide
 *  @param {number} high */
const box = (x, y, wide, high) =>
  `M${x.toFixed(1)} ${y.toFixed(1)}h${wide.toFixed(1)}v${high.toFixed(1)}h${(-wide).toFixed(1)}z`;

/** One path for each kind of tile, since few shapes are faster than many.
 *  @param {Block[]} blocks
 *  @param {{ T: number, S: number, tile: number, query: number, step: number, size: number,
 *    at: (i: number) => number, sees: (i: number, j: number) => boolean }} plan */
function shapes(blocks, { S, tile, query, step, size, at, sees }) {
  const paths = { elsewhere: "", before: "", now: "", later: "", skipped: "" };
  for (const { rows, columns } of blocks) {
    const isMine = query >= rows[0] && query < rows[1];
    spans(S, tile).forEach(([from, to], t) => {
      if (t >= columns.length) {
        const [x, y] = [LEFT + at(from), TOP + at(rows[0])];
        const [wide, high] = [(to - from) * size - 1, (rows[1] - rows[0]) * size - 1];
        paths.skipped += `${box(x, y, wide, high)}m0 0l${wide} ${high}m${-wide} 0l${wide} ${-high}`;
        return;
      }
      const kind = !isMine ? "elsewhere" : t < step ? "before" : t === step ? "now" : "later";
      for (let i = rows[0]; i < rows[1]; i++) {
        for (let j = from; j < to; j++) {
          if (sees(i, j)) paths[kind] += box(LEFT + at(j), TOP + at(i), size - 1, size - 1);
        }
      }
    });
  }
  return paths;
}
