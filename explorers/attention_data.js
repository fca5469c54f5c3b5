// The attention explorer's data from Python, and the names of words and heads.

import { colors, floats } from "./numbers.js";

/** @import { Model } from "./page.js" */
/** @typedef {ReturnType<typeof read>} Data */

/** The traits as one object; matrix(layer, head) is (T, S).
 *  @param {Model} model */
export function read(model) {
  /** @type {number[]} [T, S], [H, T, S] or [L, H, T, S] */
  const axes = model.get("axes");
  const [layers, heads, T, S] = [...Array(4 - axes.length).fill(1), ...axes];
  const weights = floats(model.get("weights"));
  /** @type {string[]} */
  const queries = model.get("queries");
  /** @type {string[]} */
  const keys = model.get("tokens");
  /** @type {(layer: number, head: number) => { values: Float32Array, width: number, height: number }} */
  const matrix = (layer, head) => {
    const start = (layer * heads + head) * T * S;
    return { values: weights.subarray(start, start + T * S), width: S, height: T };
  };
  /** @type {DataView} one byte for each pair, 1 where the query may attend to the key; none without a mask */
  const mask = model.get("mask");
  const hasMask = mask.byteLength > 0;
  const hides = (/** @type {number} */ i, /** @type {number} */ j) => hasMask && !mask.getUint8(i * S + j);
  return { layers, heads, T, S, hasHeads: axes.length > 2, hasLayers: axes.length > 3, queries, keys, matrix,
    table: colors(model.get("palette")), hasMask, hides };
}

/** A word in quotes, with its position if it occurs more than once.
 *  @param {string[]} words
 *  @param {number} i */
export function named(words, i) {
  const repeated = words.indexOf(words[i]) !== words.lastIndexOf(words[i]);
  return repeated ? `'${words[i]}' (position ${i})` : `'${words[i]}'`;
}

/** The hidden pairs, as runs within a row, [row, first column, count], and the hidden pairs that are read anyway,
 *  [row, column].
 *  @param {Data} data
 *  @param {ArrayLike<number>} values
 *  @returns {{ runs: [number, number, number][], leaks: [number, number][] }} */
export function hiddenIn({ T, S, hasMask, hides }, values) {
  /** @type {[number, number, number][]} */
  const runs = [];
  /** @type {[number, number][]} */
  const leaks = [];
  for (let i = 0; hasMask && i < T; i++) {
    for (let j = 0, start = 0; j <= S; j++) {
      if (j < S && hides(i, j)) {
        if (values[i * S + j] > 0) leaks.push([i, j]);
        continue;
      }
      if (j > start) runs.push([i, start, j - start]);
      start = j + 1;
    }
  }
  return { runs, leaks };
}

/** @param {{ hasLayers: boolean }} data
 *  @param {number} layer
 *  @param {number} head */
export function headName({ hasLayers }, layer, head) {
  return hasLayers ? `layer ${layer}, head ${head}` : `head ${head}`;
}
