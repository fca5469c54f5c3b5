import assert from "node:assert/strict";
import test from "node:test";

import { Decoder, distribution, drawn, gelu } from "../decoder.js";
import { idsOf, nearest, replaced } from "../next_token_parts.js";
import { halves, range } from "../numbers.js";
import { assertClose } from "./close.js";

test("float16 is read with its smallest and its largest numbers", () => {
  const bits = [0x0000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbe00, 0x2e66, 0x7bff, 0xfbff];
  const view = new DataView(new ArrayBuffer(2 * bits.length));
  bits.forEach((each, i) => view.setUint16(2 * i, each, true));
  const smallest = 2 ** -24;
  const expected = [0, smallest, -smallest, 1023 * smallest, 2 ** -14, 1, -1.5, 0.0999755859375, 65504, -65504];
  assertClose(halves(view), expected, 0);
});

test("gelu is half of 1 + erf(x / √2), times x", () => {
  assertClose([-6, -1, 0, 0.5, 1, 6].map(gelu), [-5.919e-9, -0.15865525, 0, 0.34573123, 0.84134475, 6], 1e-6);
});

test("only what is asked for and not yet known is computed", () => {
  const sizes = { vocabulary: 5, positions: 6, width: 4, heads: 2, layers: 2, inner: 6 };
  const model = new Decoder(sizes, Float32Array.from(range(1000), (i) => Math.sin(i)));
  const ids = [4, 0, 2, 2, 1];
  model.read(ids);
  const logits = [...model.logitsAt(4)];
  model.read([3]);
  const last = ids.length - 1;
  const from = (start, end = ids.length) => range(end).slice(start).map((position) => [0, position]); // in layer 0
  const computed = (given, kept) => { // [[layer, position]]
    const outputs = [];
    model.output = (...at) => { outputs.push(at); return Decoder.prototype.output.apply(model, at); };
    model.read(given, kept);
    model.logitsAt(given.length - 1);
    return outputs.sort();
  };
  assert.deepEqual(computed(ids.slice(0, 3)), [...from(0, 3), [1, 2]]);
  assert.deepEqual(computed(ids), [...from(3), [1, last]], "new ids");
  assert.deepEqual(computed(ids), [], "nothing new");
  assert.deepEqual(computed(ids, [true, true, true, false]), [[1, last]], "a head of layer 1");
  assert.deepEqual(computed(ids, [true, false, true, false]), [...from(0), [1, last]], "and one of layer 0");
  assert.deepEqual(computed([ids[0], 3, ...ids.slice(2)]), [...from(1), [1, last]], "another id at position 1");
  model.read(ids, [true, true, true, true]);
  assertClose([...model.logitsAt(4)], logits);
});

test("temperature 0 takes the best, the first of equals", () => {
  const settings = { temperature: 0, topK: 3, topP: 1 };
  assert.deepEqual([...distribution([1, 4, 4], settings)], [0, 1, 0]);
});

test("a number draws the token whose share of the line it falls into", () => {
  const probabilities = Float32Array.from([0, 0.5, 0.25, 0.25, 0]);
  assert.deepEqual([0, 0.49, 0.5, 0.74, 0.75, 0.9999999, 1].map((number) => drawn(probabilities, number)),
    [1, 1, 2, 2, 3, 3, 3]);
});

test("words are found whatever their capitals, full stops stand alone, and an unknown word is named", () => {
  const vocabulary = ["<start>", ".", "In", "Mia", "misses"];
  assert.deepEqual(idsOf("  in MIA.Mia misses. ", vocabulary), { ids: [2, 3, 1, 3, 4, 1] });
  assert.deepEqual(idsOf("", vocabulary), { ids: [] });
  assert.deepEqual(idsOf("Mia Mio", vocabulary), { ids: [], unknown: "Mio" });
  assert.deepEqual(["Mio", "miss", "MI", "x"].map((word) => nearest(word, vocabulary)),
    ["Mia", "misses", "Mia", undefined]);
});

test("what stands for no word may not be typed", () => {
  assert.deepEqual(idsOf("Mia <start>", ["<start>", "Mia"]), { ids: [], unknown: "<start>" });
});

test("in the middle of a text words are replaced, at its end they are added", () => {
  assert.deepEqual(replaced(range(5), 1, [9]), [0, 1, 9, 3, 4]);
  assert.deepEqual(replaced(range(5), 3, [8, 9]), [0, 1, 2, 3, 8, 9]);
  assert.deepEqual(replaced(range(5), 4, [8, 9]), [0, 1, 2, 3, 4, 8, 9]);
  assert.deepEqual(replaced(range(5), 2, []), range(5));
});
