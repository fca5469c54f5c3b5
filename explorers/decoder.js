// The arithmetic of a decoder: from ids to the scores of the next token, as helpers/decoder.py computes them.

import { range, softmax } from "./numbers.js";

/** @import { Numbers } from "./numbers.js" */
/** @typedef {{ vocabulary: number, positions: number, width: number, heads: number, layers: number,
 *    inner: number }} Sizes inner: the hidden width of the feed-forward networks, 0 where there are none */
/** @typedef {{ weight: Float32Array, bias: Float32Array }} Affine the parameters of a linear layer or of a LayerNorm */
/** @typedef {ReturnType<typeof blockOf>} Block */
/** @typedef {{ keys: Float32Array[], values: Float32Array[], weights: Float32Array[] }} Memory what a layer keeps of
 *    each position: its key and value of all heads, and its attention weights, head after head */
/** @typedef {{ temperature: number, topK: number, topP: number }} Settings */

const EPSILON = 1e-5; // of nn.LayerNorm

// ---------------------------------------------------------------- layers

/** weight · x + bias, where each row of the weight is one output.
 *  @param {Affine} layer
 *  @param {Float32Array} x */
export function linear({ weight, bias }, x) {
  const out = new Float32Array(bias.length);
  for (let o = 0; o < out.length; o++) out[o] = bias[o] + dot(weight, o * x.length, x, 0, x.length);
  return out;
}

/** The dot product of `count` numbers of a from i on and as many of b from j on. Nearly all the time of a decoder is
 *  spent here, so there are four sums: a processor need not wait for one of them before it adds to the next.
 *  @param {Float32Array} a
 *  @param {number} i
 *  @param {Float32Array} b
 *  @param {number} j
 *  @param {number} count */
function dot(a, i, b, j, count) {
  let first = 0, second = 0, third = 0, fourth = 0;
  const end = i + count;
  for (; i + 3 < end; i += 4, j += 4) {
    first += a[i] * b[j];
    second += a[i + 1] * b[j + 1];
    third += a[i + 2] * b[j + 2];
    fourth += a[i + 3] * b[j + 3];
  }
  for (; i < end; i++, j++) first += a[i] * b[j];
  return first + second + third + fourth;
}

/** @param {Affine} norm
 *  @param {Float32Array} x */
export function layerNorm({ weight, bias }, x) {
  let middle = 0, spread = 0;
  for (let i = 0; i < x.length; i++) middle += x[i] / x.length;
  for (let i = 0; i < x.length; i++) spread += (x[i] - middle) ** 2 / x.length;
  const scale = 1 / Math.sqrt(spread + EPSILON);
  return x.map((value, i) => (value - middle) * scale * weight[i] + bias[i]);
}

/** x · Φ(x), with the error function of Abramowitz and Stegun, 7.1.26, which is right within 1.5e-7.
 *  @param {number} x */
export function gelu(x) {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * z);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = 0.5 * series * Math.exp(-z * z); // how likely a normal number is beyond |x|
  return x * (x > 0 ? 1 - tail : tail);
}

/** The probabilities of the next token: the temperature first, then top-k, then top-p of what is left, as in sample().
 *  A temperature of 0 takes the best.
 *  @param {Numbers} logits
 *  @param {Settings} settings */
export function distribution(logits, { temperature, topK, topP }) {
  const order = range(logits.length).sort((a, b) => logits[b] - logits[a] || a - b);
  if (temperature === 0) return Float32Array.from(logits, (_, id) => Number(id === order[0]));
  const kept = new Set(order.slice(0, topK));
  const scaled = (/** @type {Set<number>} */ ids) =>
    softmax(Array.from(logits, (score, id) => (ids.has(id) ? (score - logits[order[0]]) / temperature : -Infinity)));
  const first = scaled(kept);
  let before = 0;
  for (const id of order.slice(0, topK)) {
    if (before >= topP) kept.delete(id);
    before += first[id];
  }
  return scaled(kept);
}

/** The token that a number from 0 to 1 draws.
 *  @param {Float32Array} probabilities
 *  @param {number} number */
export function drawn(probabilities, number) {
  let last = 0;
  for (let id = 0, left = number; id < probabilities.length; id++) {
    if (probabilities[id] > 0) last = id; // rounding may leave a little at the end
    left -= probabilities[id];
    if (left < 0) return last;
  }
  return last;
}

// ---------------------------------------------------------------- the model

/** Takes one part after the other of the numbers.
 *  @param {Float32Array} numbers */
function taker(numbers) {
  let at = 0;
  const take = (/** @type {number} */ count) => numbers.subarray(at, at += count);
  const affine = (/** @type {number} */ out, weights = out) => ({ weight: take(weights), bias: take(out) });
  return { take, affine };
}

/** The parameters of a block, in the order in which next_token.py sends them.
 *  @param {ReturnType<typeof taker>} parts
 *  @param {Sizes} sizes */
function blockOf({ affine }, { width, inner }) {
  const square = () => affine(width, width * width);
  const attention = { norm1: affine(width), query: square(), key: square(), value: square(), out: square() };
  const up = () => affine(inner, inner * width);
  return { ...attention, feed: inner ? { norm: affine(width), up: up(), down: affine(width, width * inner) } : null };
}

/** A decoder that remembers what it has read: only what is new is computed. */
export class Decoder {
  /** @param {Sizes} sizes
   *  @param {Float32Array} numbers all parameters */
  constructor(sizes, numbers) {
    const parts = taker(numbers);
    this.sizes = sizes;
    this.tokens = parts.take(sizes.vocabulary * sizes.width);
    this.positions = parts.take(sizes.positions * sizes.width);
    this.blocks = range(sizes.layers).map(() => blockOf(parts, sizes));
    this.norm = parts.affine(sizes.width);
    /** @type {number[]} what has been read */
    this.ids = [];
    /** @type {boolean[]} which heads count, layer after layer */
    this.kept = Array(sizes.layers * sizes.heads).fill(true);
    /** @type {Memory[]} */
    this.memories = this.blocks.map(() => ({ keys: [], values: [], weights: [] }));
    /** @type {Float32Array[]} the output of the last layer at each position */
    this.outputs = [];
  }

  /** Read these ids, with only the heads that are kept.
   *  @param {number[]} ids
   *  @param {boolean[]} kept */
  read(ids, kept = this.kept) {
    let same = 0;
    if (kept.every((each, i) => each === this.kept[i])) {
      while (same < ids.length && ids[same] === this.ids[same]) same++;
    }
    this.kept = kept.slice();
    this.forget(same);
    for (const id of ids.slice(same)) this.step(id);
  }

  /** Keep only the first positions.
   *  @param {number} count */
  forget(count) {
    for (const list of [this.ids, this.outputs]) list.length = count;
    for (const { keys, values, weights } of this.memories) keys.length = values.length = weights.length = count;
  }

  /** Read one more token, which sees itself and all before it.
   *  @param {number} id */
  step(id) {
    const { width } = this.sizes;
    const [token, position] = [id * width, this.ids.length * width];
    let x = this.tokens.slice(token, token + width).map((value, i) => value + this.positions[position + i]);
    this.blocks.forEach((block, layer) => { x = this.through(block, layer, x); });
    this.ids.push(id);
    this.outputs.push(x);
  }

  /** A token through one block: attention, then the feed-forward network, each after a LayerNorm and added to what came
   *  in.
   *  @param {Block} block
   *  @param {number} layer
   *  @param {Float32Array} x */
  through(block, layer, x) {
    const attended = linear(block.out, this.attend(block, layer, layerNorm(block.norm1, x)));
    const y = x.map((value, i) => value + attended[i]);
    if (!block.feed) return y;
    const { norm, up, down } = block.feed;
    const fed = linear(down, linear(up, layerNorm(norm, y)).map(gelu));
    return y.map((value, i) => value + fed[i]);
  }

  /** What all heads found, side by side; zeros for a silenced head.
   *  @param {Block} block
   *  @param {number} layer
   *  @param {Float32Array} x after the LayerNorm */
  attend(block, layer, x) {
    const { heads, width } = this.sizes;
    const { keys, values, weights } = this.memories[layer];
    const query = linear(block.query, x);
    keys.push(linear(block.key, x));
    values.push(linear(block.value, x));
    const size = width / heads;
    const out = new Float32Array(width);
    const rows = new Float32Array(heads * keys.length);
    for (let head = 0; head < heads; head++) {
      const row = softmax(keys.map((key) => dot(query, head * size, key, head * size, size) / Math.sqrt(size)));
      rows.set(row, head * keys.length);
      if (!this.kept[layer * heads + head]) continue;
      row.forEach((weight, j) => {
        for (let i = head * size; i < (head + 1) * size; i++) out[i] += weight * values[j][i];
      });
    }
    weights.push(rows);
    return out;
  }

  /** What a head read at a position: a weight for each position up to it.
   *  @param {number} head counted over all layers
   *  @param {number} position */
  weightsOf(head, position) {
    const { heads } = this.sizes;
    const start = (head % heads) * (position + 1);
    return this.memories[Math.floor(head / heads)].weights[position].subarray(start, start + position + 1);
  }

  /** A score for each token that could come after a position.
   *  @param {number} position */
  logitsAt(position) {
    const { vocabulary, width } = this.sizes;
    const normed = layerNorm(this.norm, this.outputs[position]);
    return Float32Array.from(range(vocabulary), (id) => dot(this.tokens, id * width, normed, 0, width));
  }
}
