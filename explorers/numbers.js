// Arithmetic, the colors of numbers, and their formatting. Nothing here needs a page, so node can test it.

/** @typedef {ArrayLike<number>} Numbers */
/** @typedef {number[]} Color red, green and blue, 0 to 255 */
/** @typedef {{ values: Numbers, width: number, height: number }} Matrix its values row after row */

// ---------------------------------------------------------------- arithmetic

/** @type {(value: number, low: number, high: number) => number} */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** 0 to count - 1.
 *  @param {number} count */
export const range = (count) => Array.from({ length: count }, (_, i) => i);

/** All numbers that divide another, from 1 on.
 *  @param {number} number */
export const divisors = (number) => range(number + 1).filter((each) => each && number % each === 0);

/** The sum of the numbers.
 *  @param {Numbers} numbers */
export function sum(numbers) {
  let total = 0;
  for (let i = 0; i < numbers.length; i++) total += numbers[i];
  return total;
}

/** @param {Numbers} numbers */
export const mean = (numbers) => sum(numbers) / numbers.length;

/** The softmax of one row as PyTorch computes it, in float32: the largest score is subtracted first.
 *  @param {Numbers} scores
 *  @returns {Float32Array} */
export function softmax(scores) {
  const top = Array.from(scores).reduce((most, score) => Math.max(most, score), -Infinity); // NaN if one is
  const powers = Float32Array.from(scores, (score) => Math.exp(Math.fround(score - top)));
  const total = sum(powers);
  return powers.map((power) => power / total);
}

/** The indices of the numbers, from the largest number to the smallest.
 *  @param {Numbers} numbers */
export function largestFirst(numbers) {
  return range(numbers.length).sort((a, b) => numbers[b] - numbers[a] || a - b);
}

/** The same numbers in at most `most` squares a side; a square shows the largest value that it covers.
 *  @param {Matrix} matrix
 *  @param {number} most
 *  @returns {Matrix} */
export function shrunk({ values, width, height }, most) {
  const wide = Math.min(width, most);
  const high = Math.min(height, most);
  const out = new Float32Array(wide * high);
  for (let i = 0; i < height; i++) {
    const row = Math.floor((i * high) / height) * wide;
    for (let j = 0; j < width; j++) {
      const square = row + Math.floor((j * wide) / width);
      out[square] = Math.max(out[square], values[i * width + j]);
    }
  }
  return { values: out, width: wide, height: high };
}

/** Which of many labels to write: the first in `order` that keep `apart` pixels from those chosen before.
 *  @param {number[]} order
 *  @param {(i: number) => number} position
 *  @param {number} apart */
export function spaced(order, position, apart) {
  /** @type {number[]} */
  const chosen = [];
  for (const i of order) {
    const here = position(i);
    if (chosen.every((other) => Math.abs(position(other) - here) >= apart)) chosen.push(i);
  }
  return chosen;
}

// ---------------------------------------------------------------- data from Python

/** The float32 numbers of a binary trait. The bytes are copied, because they may not start at a multiple of four.
 *  @param {DataView<ArrayBuffer>} view */
export function floats(view) {
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

/** The float16 numbers of a binary trait: a sign, five bits of exponent, ten bits of fraction.
 *  @param {DataView} view */
export function halves(view) {
  return Float32Array.from(range(view.byteLength / 2), (i) => {
    const bits = view.getUint16(2 * i, true);
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const size = exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24;
    return bits >> 15 ? -size : size;
  });
}

/** The 256 colors of a binary trait.
 *  @param {DataView} view
 *  @returns {Color[]} */
export function colors(view) {
  return range(256).map((i) => [0, 1, 2].map((channel) => view.getUint8(3 * i + channel)));
}

// ---------------------------------------------------------------- colors

// The ink on squares, as in shared.css.
export const INK = "#1b2a41";
export const ALARM = "#a84a06";
export const ON_HATCHING = "#3f4958";

/** @param {Color} color */
const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

/** The color on a dark page: light and dark swap, and the hue stays. (Inverted, with the hue rotated by half a circle.)
 *  @param {Color} color
 *  @returns {Color} */
export function onDark([red, green, blue]) {
  const gray = 0.426 * (255 - red) + 1.43 * (255 - green) + 0.144 * (255 - blue);
  const turned = [gray - (255 - red), gray - (255 - green), gray - (255 - blue)];
  return turned.map((part, i) => Math.round(clamp(part, 0, 255) * (1 - DARKEST[i] / 255) + DARKEST[i]));
}

const DARKEST = [30, 38, 50]; // replaces white

// A color of light-dark() follows the theme by itself. Browsers before 2024 lack it, and always use the light colors.
const follows = globalThis.CSS?.supports("color", "light-dark(black, white)") ?? false;

/** The color of a square, in the page's theme.
 *  @param {Color} color */
export const themed = (color) => (follows ? `light-dark(${css(color)}, ${css(onDark(color))})` : css(color));

/** The color of text on it.
 *  @param {Color} color */
export const themedInk = (color) => (follows ? `light-dark(${inkOn(color)}, ${inkOn(onDark(color))})` : inkOn(color));

/** The index of a number's color, as matplotlib finds it: 256 equal steps from 0 to 1, and 1 belongs to the last.
 *  @param {number} value */
export const colorIndex = (value) => clamp(Math.floor(value * 256), 0, 255);

/** How much light a color gives, 0 to 1, as the rules for accessible web pages (WCAG 2.2) define it.
 *  @param {Color} color */
export function luminance([red, green, blue]) {
  const linear = (/** @type {number} */ part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** White ink on dark squares, black ink on light ones: the contrast is never below 4.5.
 *  @param {Color} color */
export const inkOn = (color) => (1.05 / (luminance(color) + 0.05) >= 4.5 ? "#ffffff" : "#000000");

// ---------------------------------------------------------------- formatting

export const counted = new Intl.NumberFormat("en").format; // 1,001

/** "8 groups", "1 group".
 *  @param {number} count
 *  @param {string} what */
export const several = (count, what) => `${counted(count)} ${what}${count === 1 ? "" : "s"}`;

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** A number of bytes with its unit and three digits: readable() of models/cache_sizes.py.
 *  @param {number} count */
export function readable(count) {
  let [value, unit] = [count, 0];
  for (; value >= 1023.5 && unit < UNITS.length - 1; unit++) value /= 1024;
  const power = 10 ** (value < 10 ? 2 : value < 100 ? 1 : 0);
  return `${counted(Math.floor(value * power + 0.5) / power)} ${UNITS[unit]}`;
}

/** Four decimals, as the course prints its tensors. A weight that only rounds to 0 is distinguished from a true 0.
 *  @param {number} value */
export function exact(value) {
  return value > 0 && value < 0.00005 ? "less than 0.0001" : value.toFixed(4);
}

/** A number for the narrow square of a table: two decimals, or none if there is no room.
 *  @param {number} value */
export function brief(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "-∞" : "∞";
  if (Math.abs(value) >= 1e6) return value.toExponential(0).replace("e+", "e");
  const text = value.toFixed(Math.abs(value) < 99.95 ? 2 : 0);
  return text === "-0.00" ? "0.00" : text;
}

/** A number in a sentence: four decimals, as the course prints its tensors.
 *  @param {number} value */
export function precise(value) {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e6) return brief(value);
  const text = value.toFixed(4);
  return text === "-0.0000" ? "0.0000" : text;
}
