// The arithmetic of a decoder: from ids to the scores of the next token, as helpers/decoder.py computes them.

import { range, softmax } from "./numbers.js";

/** @import { Numbers } from "./numbers.js" */
/** @typedef {{ vocabulary: number, positions: number, width: number, heads: number, layers: number,
 *    inner: number }} Sizes inner: the hidden width of the feed-forward networks, 0 where there are none */
/** @typedef {{ weight: Float32Array, bias: Float32Array }} Affine the parameters of a linear layer or of a LayerNorm */
/** @typedef {ReturnType<typeof blockOf>} Block */
/** @typedef {{ inputs: Float32Array[], keys: Float32Array[], values: Float32Array[], weights: Float32Array[][] }} Known
 *    what has been computed in a layer, position by position: its input, the key and the value of all heads side by
 *    side, and a row of attention weights for each head */
/** @typedef {{ temperature: number, topK: number, topP: number }} Settings */

const EPSILON = 1e-5; // of nn.LayerNorm

// ---------------------------------------------------------------- layers

/** weight · x + bias, where each row of the weight is one output.
 *  @param {Affine} layer
 *  @param {Float32Array} x */
function linear({ weight, bias }, x) {
  const out = new Float32Array(bias.length);
  for (let o = 0; o < out.length; o++) out[o] = bias[o] + dot(weight, o * x.length, x, 0, x.length);
  return out;
}

/** The dot product of `count` numbers of a from i on and of b from j on. A decoder spends nearly all its time here, so
 *  there are four sums: the processor need not finish one addition before it starts the next.
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
function layerNorm({ weight, bias }, x) {
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
  const tail = 0.5 * series * Math.exp(-z * z); // the probability that a normal number is above |x|
  return x * (x > 0 ? 1 - tail : tail);
}

/** @param {Float32Array} a
 *  @param {Float32Array} b */
const added = (a, b) => a.map((value, i) => value + b[i]);

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

/** Functions that take the next parts of the numbers.
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

/** The length of the common prefix of two lists.
 *  @param {unknown[]} a
 *  @param {unknown[]} b */
function shared(a, b) {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count++;
  return count;
}

/** A decoder that computes a vector when it is first needed, and remembers it. The logits of a position need the output
 *  of the last layer there, which needs the layer's weights and values, and so on down to the ids. A layer's output is
 *  stored as the input of the next one, so there is one more input than there are layers. */
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
    /** @type {Known[]} */
    this.known = range(sizes.layers + 1).map(() => ({ inputs: [], keys: [], values: [], weights: [] }));
  }

  /** Read these ids, with only the heads that are kept. A new id changes nothing at earlier positions, and switching a
   *  head changes only the outputs of its layer and of those above; everything else stays cached.
   *  @param {number[]} ids
   *  @param {boolean[]} kept */
  read(ids, kept = this.kept) {
    const position = shared(ids, this.ids);
    const layer = Math.floor(shared(kept, this.kept) / this.sizes.heads);
    this.known.forEach((lists, i) => {
      for (const list of Object.values(lists)) list.splice(i > layer ? 0 : position);
    });
    this.ids = ids.slice();
    this.kept = kept.slice();
  }

  /** The input of a layer at a position.
   *  @param {number} layer
   *  @param {number} position */
  input(layer, position) {
    return this.known[layer].inputs[position] ??=
      layer ? this.output(layer - 1, position) : this.embedding(position);
  }

  /** The sum of the token's vector and its position's.
   *  @param {number} position */
  embedding(position) {
    return added(this.rowOf(this.tokens, this.ids[position]), this.rowOf(this.positions, position));
  }

  /** @param {Float32Array} table
   *  @param {number} i */
  rowOf(table, i) {
    const { width } = this.sizes;
    return table.subarray(i * width, (i + 1) * width);
  }

  /** The output of a layer: attention, then the feed-forward network, each after a LayerNorm and added to its input.
   *  @param {number} layer
   *  @param {number} position */
  output(layer, position) {
    const { out, feed } = this.blocks[layer];
    const y = added(this.input(layer, position), linear(out, this.attended(layer, position)));
    if (!feed) return y;
    return added(y, linear(feed.down, linear(feed.up, layerNorm(feed.norm, y)).map(gelu)));
  }

  /** The outputs of all heads, side by side; zeros for a silenced head.
   *  @param {number} layer
   *  @param {number} position */
  attended(layer, position) {
    const { heads, width } = this.sizes;
    const size = width / heads;
    const out = new Float32Array(width);
    this.weights(layer, position).forEach((row, head) => {
      if (!this.kept[layer * heads + head]) return;
      row.forEach((weight, j) => {
        const value = this.value(layer, j);
        for (let i = head * size; i < (head + 1) * size; i++) out[i] += weight * value[i];
      });
    });
    return out;
  }

  /** For each head, its weights at a position, one for each position up to it.
   *  @param {number} layer
   *  @param {number} position */
  weights(layer, position) {
    return this.known[layer].weights[position] ??= this.weigh(layer, position);
  }

  /** For each head, the softmax of its query times the keys, divided by the square root of its size.
   *  @param {number} layer
   *  @param {number} position */
  weigh(layer, position) {
    const { heads, width } = this.sizes;
    const size = width / heads;
    const query = linear(this.blocks[layer].query, this.normed(layer, position));
    const keys = range(position + 1).map((j) => this.key(layer, j));
    return range(heads).map((head) =>
      softmax(keys.map((key) => dot(query, head * size, key, head * size, size) / Math.sqrt(size))));
  }

  /** @param {number} layer
   *  @param {number} position */
  key(layer, position) {
    return this.known[layer].keys[position] ??= linear(this.blocks[layer].key, this.normed(layer, position));
  }

  /** @param {number} layer
   *  @param {number} position */
  value(layer, position) {
    return this.known[layer].values[position] ??= linear(this.blocks[layer].value, this.normed(layer, position));
  }

  /** @param {number} layer
   *  @param {number} position */
  normed(layer, position) {
    return layerNorm(this.blocks[layer].norm1, this.input(layer, position));
  }

  /** The weights of one head at a position.
   *  @param {number} head counted over all layers
   *  @param {number} position */
  weightsOf(head, position) {
    const { heads } = this.sizes;
    return this.weights(Math.floor(head / heads), position)[head % heads];
  }

  /** A score for each token that could come after a position.
   *  @param {number} position */
  logitsAt(position) {
    const { layers, vocabulary, width } = this.sizes;
    const normed = layerNorm(this.norm, this.input(layers, position));
    return Float32Array.from(range(vocabulary), (id) => dot(this.tokens, id * width, normed, 0, width));
  }
}
