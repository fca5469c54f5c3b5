// What Python sent to the attention explorer, and the names of words and heads.

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
  return { layers, heads, T, S, hasHeads: axes.length > 2, hasLayers: axes.length > 3, queries, keys, matrix,
    table: colors(model.get("palette")) };
}

/** A word in quotes, with its position if the sentence has it more than once.
 *  @param {string[]} words
 *  @param {number} i */
export function named(words, i) {
  const repeated = words.indexOf(words[i]) !== words.lastIndexOf(words[i]);
  return repeated ? `'${words[i]}' (position ${i})` : `'${words[i]}'`;
}

/** @param {{ hasLayers: boolean }} data
 *  @param {number} layer
 *  @param {number} head */
export function headName({ hasLayers }, layer, head) {
  return hasLayers ? `layer ${layer}, head ${head}` : `head ${head}`;
}
