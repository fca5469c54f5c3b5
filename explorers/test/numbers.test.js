import assert from "node:assert/strict";
import test from "node:test";

import { brief, colorIndex, colors, exact, floats, inkOn, largestFirst, luminance, onDark, precise, range, shrunk,
  softmax, spaced } from "../numbers.js";
import { assertClose } from "./close.js";

test("softmax is that of PyTorch, for scores that are large, hidden or no numbers, too", () => {
  assertClose(softmax([0, Math.log(3), -Infinity]), [0.25, 0.75, 0]);
  assertClose(softmax([1000, 999, -1000]), [1 / (1 + Math.exp(-1)), 1 / (1 + Math.E), 0]);
  assertClose(softmax([-Infinity, -Infinity]), [NaN, NaN]);
  assertClose(softmax([1, NaN, 2]), [NaN, NaN, NaN]);
});

test("numbers are written as Python writes them, but without a negative zero", () => {
  assert.deepEqual([0.12345, -0.00004, 12.3456].map(brief), ["0.12", "0.00", "12.35"]);
  assert.deepEqual([0.12345, -0.00004, 12.3456].map(precise), ["0.1235", "0.0000", "12.3456"]);
});

test("brief leaves out decimals that do not fit", () => {
  assert.deepEqual([99.96, -1234.5678, 1e6, -2.5e7, Infinity, -Infinity, NaN].map(brief),
    ["100", "-1235", "1e6", "-3e7", "∞", "-∞", "NaN"]);
});

test("precise writes huge numbers and those that are none as brief does", () => {
  assert.deepEqual([1e6, NaN, -Infinity, 999999].map(precise), ["1e6", "NaN", "-∞", "999999.0000"]);
});

test("exact distinguishes a weight that rounds to 0 from 0", () => {
  assert.deepEqual([0, 0.00001, 0.00005, 1].map(exact), ["0.0000", "less than 0.0001", "0.0001", "1.0000"]);
});

test("the largest come first, equal numbers in their order", () => {
  assert.deepEqual(largestFirst([0.1, 0.4, 0.1, 0.4]), [1, 3, 0, 2]);
});

test("a shrunk matrix shows the largest number under each square", () => {
  const values = Float32Array.from(range(24), (i) => (i === 9 ? 100 : i));
  assert.deepEqual(shrunk({ values, width: 6, height: 4 }, 2),
    { values: Float32Array.from([8, 100, 20, 23]), width: 2, height: 2 });
  const small = { values: Float32Array.from([1, 2, 3]), width: 3, height: 1 };
  assert.deepEqual(shrunk(small, 64), small);
});

test("labels keep apart, and the first in the order wins", () => {
  assert.deepEqual(spaced([3, 0, 1, 2, 4], (i) => 5 * i, 10), [3, 0]);
  assert.deepEqual(spaced([0, 1], () => 7, 0), [0, 1]);
});

test("colors have 256 equal steps, and the ends take what is beyond them", () => {
  assert.deepEqual([-1, 0, 1 / 256 - 1e-9, 1 / 256, 0.5, 1, 7].map(colorIndex), [0, 0, 0, 1, 128, 255, 255]);
});

test("ink can be read on every gray, and changes once from white to black", () => {
  const contrast = (gray) => {
    const light = luminance([gray, gray, gray]) + 0.05;
    return inkOn([gray, gray, gray]) === "#ffffff" ? 1.05 / light : light / 0.05;
  };
  assert.ok(range(256).every((gray) => contrast(gray) >= 4.5));
  const inks = range(256).map((gray) => inkOn([gray, gray, gray]));
  assert.equal(inks.indexOf("#000000"), inks.lastIndexOf("#ffffff") + 1);
});

test("luminance is that of WCAG 2.2", () => {
  assertClose([[0, 0, 0], [255, 255, 255], [0, 0, 255], [128, 128, 128]].map(luminance), [0, 1, 0.0722, 0.21586], 1e-5);
});

test("binary traits are read wherever they start in their buffer", () => {
  const bytes = new Uint8Array(3 + 768);
  new DataView(bytes.buffer).setFloat32(3, 1.5, true);
  assert.deepEqual([...floats(new DataView(bytes.buffer, 3, 4))], [1.5]);
  bytes.set([1, 2, 3], 3 + 3 * 255);
  assert.deepEqual(colors(new DataView(bytes.buffer, 3))[255], [1, 2, 3]);
});

test("on a dark page, what was lighter is darker", () => {
  const shades = [[255, 255, 255], [222, 235, 247], [107, 174, 214], [33, 113, 181], [8, 48, 107]];
  const turned = shades.map((shade) => luminance(onDark(shade)));
  assert.deepEqual(turned, [...turned].sort((a, b) => a - b));
  assert.ok(turned[0] < 0.03 && turned[4] > 0.5);
});
