// Tests of the explorers' own arithmetic; tests/explorers compares the numbers that PyTorch has, in a browser.

import assert from "node:assert/strict";
import test from "node:test";

import { headName, hiddenIn, named } from "../attention_data.js";
import { layOut, thumbSize, under } from "../attention_layout.js";
import { lengthsWith, told } from "../cache.js";
import { axisTo, pointed } from "../dropout.js";
import { positionOf, scoreAt } from "../masks.js";
import { divisors, range } from "../numbers.js";
import { axisOver } from "../rotation.js";
import { widthsTo } from "../scaling.js";
import { readAll, sizesFor, stopsWith, told as toldOf } from "../tiles.js";
import { tilesOf } from "../tiles_map.js";
import { assertClose } from "./close.js";

test("attention: what a mask hides, in runs, and what is read all the same", () => {
  const visible = [[1, 0, 0, 1], [1, 1, 1, 1], [0, 1, 0, 0]];
  const data = { T: 3, S: 4, hasMask: true, hides: (i, j) => !visible[i][j] };
  const weights = [1, 0, 0.5, 0, 0.25, 0.25, 0.25, 0.25, 0, 0, 1e-9, 0];
  assert.deepEqual(hiddenIn(data, weights),
    { runs: [[0, 1, 2], [2, 0, 1], [2, 2, 2]], leaks: [[0, 2], [2, 2]] });
});

test("attention: a repeated word is named with its position", () => {
  assert.deepEqual([0, 1, 2].map((i) => named(["the", "cat", "the"], i)),
    ["'the' (position 0)", "'cat'", "'the' (position 2)"]);
  assert.deepEqual([headName({ hasLayers: true }, 1, 2), headName({ hasLayers: false }, 0, 2)],
    ["layer 1, head 2", "head 2"]);
});

test("attention: the pointer finds what is drawn under it", () => {
  const sizes = { T: 3, S: 4 };
  const place = layOut(sizes, 800, { keys: 40, queries: 40 });
  const pointer = { scrolledX: 0, scrolledY: 0, row: 1 };
  const { left, top, cell } = place;
  const [x, y] = [left + 2.5 * cell.width, top + 0.5 * cell.height];
  assert.deepEqual(under(place, sizes, { ...pointer, x, y }), { row: 0, column: 2 });
  assert.deepEqual(under(place, sizes, { ...pointer, x, y, scrolledY: cell.height }), { row: 1, column: 2 });
  assert.deepEqual(under(place, sizes, { ...pointer, x: left - 5, y }), { row: 0, column: null });
  assert.deepEqual(under(place, sizes, { ...pointer, x, y: top - 5 }), { row: 1, column: 2 });
  assert.deepEqual(under(place, sizes, { ...pointer, x: 5, y: top + 1.5 * place.pitch }), { row: 1, column: 1 });
  assert.equal(under(place, sizes, { ...pointer, x: left + 4.5 * cell.width, y }), null);
  assert.equal(under(place, sizes, { ...pointer, x, y: top + 3.5 * cell.height }), null);
});

test("attention: everything fits a wide page, and a long sentence is scrolled", () => {
  const few = layOut({ T: 6, S: 6 }, 900, { keys: 50, queries: 50 });
  assert.ok(few.right <= 900 && few.cell.width === few.cell.height);
  const many = layOut({ T: 512, S: 512 }, 900, { keys: 50, queries: 50 });
  assert.ok(many.right > 900 && many.bottom > many.height);
  assert.ok(12 * (thumbSize({ layers: 1, heads: 12 }, 900) + 6) <= 900);
});

test("dropout: the draws in the chart begin with each, thin out and end with the last", () => {
  assert.deepEqual(pointed(1), [1]);
  assert.deepEqual(pointed(5), [1, 2, 3, 4, 5]);
  const draws = pointed(10000);
  assert.equal(draws.at(-1), 10000);
  assert.ok(draws.length < 400 && draws.every((draw, i) => i === 0 || draw > draws[i - 1]));
});

test("dropout: the axis ends at a round number that is large enough", () => {
  assert.deepEqual([0, 1, 2, 2.1, 4.5, 7, 19].map((value) => axisTo(value, "").to), [2, 2, 2, 4, 5, 10, 20]);
  assert.deepEqual(axisTo(10, "sum"), { from: 0, to: 10, ticks: [0, 2, 4, 6, 8, 10], label: "sum" });
});

test("masks: the slider reaches from -200 to 200, and each score has its position", () => {
  assert.deepEqual([-1, 0, 1].map(scoreAt), [-200, 0, 200]);
  assertClose([-200, -3, 0, 0.5, 200].map((score) => scoreAt(positionOf(score))), [-200, -3, 0, 0.5, 200]);
  assert.deepEqual([-1000, 1000].map(positionOf), [-1, 1]);
});

test("rotation: the axis of scores has round ticks, and room for 0", () => {
  const axis = (...values) => {
    const { from, to, ticks } = axisOver(values, "score");
    assert.deepEqual([ticks[0], ticks.at(-1)], [from, to]);
    return ticks;
  };
  assert.deepEqual(axis(-2.6, 1.9), [-3, -2, -1, 0, 1, 2]);
  assert.deepEqual(axis(0.21, 0.1), [0, 0.05, 0.1, 0.15, 0.2, 0.25]);
  assert.deepEqual(axis(-7e59, -3e60), [-3e60, -2e60, -1e60, 0]);
  assert.deepEqual(axis(0, 0), [0, 0.2]);
});

test("scaling: widths grow evenly on a log scale and meet every power of two", () => {
  const widths = widthsTo(1024);
  assert.equal(widths[0], 1);
  assert.equal(widths.at(-1), 1024);
  assert.ok(range(11).every((power) => widths.includes(2 ** power)));
  assert.deepEqual(widthsTo(100).slice(-2), [99, 100]);
});

test("cache: groups divide the heads, and a given length is among the powers of two", () => {
  assert.deepEqual([divisors(12), divisors(71), divisors(1)], [[1, 2, 3, 4, 6, 12], [1, 71], [1]]);
  assert.deepEqual(lengthsWith(100).slice(0, 3), [64, 100, 128]);
  assert.deepEqual([lengthsWith(7)[0], lengthsWith(64).length, lengthsWith(64).at(-1)], [7, 15, 2 ** 20]);
});

test("cache: which heads read which group, in words", () => {
  assert.deepEqual([told(6, 3), told(6, 2), told(6, 6), told(6, 1), told(6, 0)], [
    "heads 0 to 1 read group 0, heads 2 to 3 read group 1, and so on",
    "heads 0 to 2 read group 0, heads 3 to 5 read group 1", "each head reads a group of its own",
    "all heads read the same key and value", "all heads read the latent"]);
});

test("tiles: the slider has stops in order, the given score among them once, and -∞ first", () => {
  for (const score of [0, Math.fround(2.9), 2.95, 12345, -Infinity]) {
    const stops = stopsWith(score);
    assert.ok(stops.every((stop, i) => i === 0 || stop > stops[i - 1]));
    assert.ok(stops.includes(score) && stops.includes(1000) && stops[0] === -Infinity);
  }
  assert.equal(stopsWith(Math.fround(2.9)).length, stopsWith(0).length);
});

test("tiles: the sizes that can be chosen", () => {
  assert.deepEqual([sizesFor(12, 4), sizesFor(1, 1), sizesFor(5, 16)],
    [[1, 2, 3, 4, 6, 8, 12], [1], [1, 2, 3, 4, 5, 16]]);
});

test("tiles: a step says whether the maximum is new, rises, stays, or is hidden", () => {
  const values = range(8).map(() => [1]);
  const scores = [-Infinity, -Infinity, -3, -4, -1, 0, 0, -2];
  const [{ columns }] = tilesOf(1, 8, 2, false);
  const said = readAll(scores, values, columns).map((step, t) => toldOf(step, t, columns[t]));
  assert.deepEqual(said.map(([bold]) => bold), ["Tile 0, keys 0 to 1: hidden, and nothing changes",
    "Tile 1, keys 2 to 3: the maximum m is -3.0000, and the sum l is 1.3679",
    "Tile 2, keys 4 to 5: the maximum rises to 0.0000, and the sum l is 1.4360",
    "Tile 3, keys 6 to 7: the maximum stays 0.0000, and the sum l is 2.5713"]);
  assert.match(said[2][1], /exp\(-3\.0000 - 0\.0000\) = 0\.0498/);
  assert.match(toldOf(readAll([-3, -1], [[1], [1]], [[0, 1], [1, 2]])[1], 1, [1, 2])[1],
    /exp\(-3\.0000 - \(-1\.0000\)\) = 0\.1353/);
});
