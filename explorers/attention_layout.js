// The layout of the attention explorer, in pixels.

import { clamp } from "./numbers.js";

/** @typedef {{ T: number, S: number }} Sizes */
/** @typedef {ReturnType<typeof layOut>} Layout */
/** @typedef {{ row: number, column: number | null }} Square column is null for a whole row */
/** @typedef {{ x: number, y: number, scrolledX: number, scrolledY: number, row: number }} Pointer where it is in the
 *    stage, how far the stage is scrolled, and the chosen row */

const TALLEST = 512; // height of the heat map; a taller one scrolls
export const CELL = { narrowest: 3, lowest: 4, most: 46, numbers: 32, ruled: 9 };
export const LABEL = { most: 96, mostSlanted: 80, apart: 13, size: 12 };
export const TITLES = 18; // height of the line that says which are queries and which are keys
export const THUMB = { least: 28, most: 72, mostInLayers: 36, gap: 6, names: 46 };

/** All sizes for a drawing `width` pixels wide.
 *  @param {Sizes} sizes
 *  @param {number} width
 *  @param {{ keys: number, queries: number }} widest the widths of the longest labels */
export function layOut({ T, S }, width, widest) {
  const keyWidth = widest.keys + 12;
  const queryWidth = widest.queries + 14;
  const left = Math.ceil(keyWidth + clamp(width * 0.14, 56, 150) + queryWidth);
  const slant = Math.ceil(Math.min(widest.keys, LABEL.mostSlanted) * 0.71) + 8; // of labels at 45 degrees
  const scrollbar = T * CELL.lowest > TALLEST ? 16 : 0;
  const cell = cells(T, S, width - left - slant - scrollbar);
  const upright = widest.keys + 8 <= cell.width;
  const top = TITLES + (upright ? 18 : slant + 4);
  const overhang = upright ? 4 : slant; // of the last column's label
  const body = clamp(S * Math.min(cell.height, 14), Math.min(T * cell.height, TALLEST), TALLEST);
  const pitch = Math.min(Math.max(cell.height, 16), body / S); // of the key words on the left
  const right = left + S * cell.width + overhang;
  const bottom = top + Math.max(T * cell.height, body) + 8;
  const height = top + body + 8 + (right > width ? 16 : 0);
  return { width, keyWidth, queryWidth, left, top, cell, upright, overhang, body, pitch, right, bottom, height };
}

/** Squares if possible: as large as fits, and at most four times as long as wide.
 *  @param {number} T
 *  @param {number} S
 *  @param {number} room */
function cells(T, S, room) {
  const wide = clamp(Math.floor(room / S), CELL.narrowest, CELL.most);
  const high = clamp(Math.floor(TALLEST / T), CELL.lowest, CELL.most);
  const least = Math.max(Math.min(wide, high), 16);
  return { width: Math.min(wide, least), height: Math.min(high, least) };
}

/** The side of a thumbnail, so that those of all heads fit side by side.
 *  @param {{ layers: number, heads: number }} data
 *  @param {number} room */
export function thumbSize({ layers, heads }, room) {
  const most = layers > 1 ? THUMB.mostInLayers : THUMB.most;
  return clamp(Math.floor((room - 16) / heads) - THUMB.gap, THUMB.least, most);
}

/** What is under the pointer: a square of the heat map, a query's word, or a key's word on the left or above; or null.
 *  @param {Layout} layout
 *  @param {Sizes} sizes
 *  @param {Pointer} pointer
 *  @returns {Square | null} */
export function under({ left, top, cell, pitch, keyWidth, queryWidth }, { T, S }, pointer) {
  const { x, y, scrolledX, scrolledY, row: chosen } = pointer;
  const row = inside(Math.floor((y - top + scrolledY) / cell.height), T);
  const column = inside(Math.floor((x - left + scrolledX) / cell.width), S);
  const key = inside(Math.floor((y - top) / pitch), S);
  if (x < keyWidth) return key === null || y < top ? null : { row: chosen, column: key };
  if (x < left - queryWidth || y < TITLES) return null;
  if (x < left) return row === null || y < top ? null : { row, column: null };
  if (y < top) return column === null ? null : { row: chosen, column };
  return row === null || column === null ? null : { row, column };
}

/** @type {(i: number, count: number) => number | null} */
const inside = (i, count) => (i >= 0 && i < count ? i : null);
