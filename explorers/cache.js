// The cache explorer: how many bytes of keys and values a text costs, and which query heads share them.

import { drawing, drawn, redraw, roomOf } from "./charts.js";
import { counted, divisors, range, readable, several } from "./numbers.js";
import { choice, element, explorer, frame, help, oncePerFrame, sideBySide, slider, spoken, tools,
  write } from "./page.js";
import { Costs } from "./tables.js";

/** @import { Model } from "./page.js" */
/** @typedef {{ layers: number, heads: number, groups: number, features: number, latent: number }} Sizes groups:
 *    heads of keys and values, or LATENT; latent: how many numbers a layer keeps then, 0 where there is no latent */
/** @typedef {{ kind: string, groups: number }} Way one of the ways to share keys and values */

const LATENT = 0; // in place of a number of groups
const MOST = { layers: 128, heads: 128, features: 256 }; // as in cache.py
const CARD = 24; // GB: a large graphics card of a desktop computer

// ---------------------------------------------------------------- arithmetic

/** How many numbers all layers together keep of one token: CacheSizes.numbers() of models/cache_sizes.py.
 *  @param {Sizes} sizes */
const numbersOf = ({ layers, groups, features, latent }) =>
  layers * (groups === LATENT ? latent : 2 * groups * features);

/** The lengths to choose from: powers of two, and the given one.
 *  @param {number} length */
export function lengthsWith(length) {
  const powers = range(15).map((n) => 64 * 2 ** n);
  return [...new Set([...powers, length])].sort((one, other) => one - other);
}

/** The ways to share keys and values among these heads, the given one among them.
 *  @param {Sizes} sizes
 *  @returns {Way[]} */
function waysOf({ heads, groups, latent }) {
  const grouped = groups > 1 && groups < heads ? [{ kind: "grouped-query", groups }] : [];
  const one = heads > 1 ? [{ kind: "multi-query", groups: 1 }] : [];
  return [{ kind: "multi-head", groups: heads }, ...grouped, ...one,
    ...(latent ? [{ kind: "latent", groups: LATENT }] : [])];
}

// ---------------------------------------------------------------- the view

export default explorer((model) => new CacheView(model), (view) => {
  view.sharing.measure();
  view.show();
});

class CacheView {
  /** @param {Model} model */
  constructor(model) {
    /** @type {Record<string, { num_layers: number, num_heads: number, groups: number, d_head: number,
     *    latent: number | null, source: string }>} CacheSizes of models/cache_sizes.py */
    this.models = model.get("models");
    /** @type {string} the model that was chosen last */
    this.name = model.get("name");
    this.sizes = this.published();
    this.wanted = Infinity; // number of groups; Infinity: as many as heads
    /** @type {number} */
    this.length = model.get("length");
    /** @type {number} */
    this.bytes = model.get("bytes_per_number");
    this.lengths = lengthsWith(this.length);
    this.paint = oncePerFrame(() => this.show());
    this.readout = spoken(true);
    this.product = element("p", { class: "abh-product" });
    this.sharing = new Sharing();
    this.costs = new Costs("attention", ["this text", "a token"], 4);
    this.source = element("a", { target: "_blank", rel: "noopener" });
    this.sliders = this.makeSliders();
    this.presets = choice("model", Object.keys(this.models).map((name) => [name, name]), this.name, (name) => {
      this.name = name;
      this.set(this.published());
    });
    this.root = this.build();
    this.set(this.sizes);
  }

  /** The sizes of the chosen model as they are published.
   *  @returns {Sizes} */
  published() {
    const { num_layers: layers, num_heads: heads, groups, d_head: features, latent } = this.models[this.name];
    return { layers, heads, groups: latent ? LATENT : groups, features, latent: latent ?? 0 };
  }

  // ------------------------------------------------------------ elements

  makeSliders() {
    const size = (/** @type {string} */ label, /** @type {keyof typeof MOST} */ name) => slider({ label, min: 1,
      max: MOST[name], value: this.sizes[name] }, (value) => this.set({ [name]: value }));
    const groups = slider({ label: "groups", min: 0, max: 0, value: 0,
      show: (at) => this.groupsAt(at) === LATENT ? "latent" : String(this.groupsAt(at)) },
    (at) => this.set({ groups: this.groupsAt(at) }));
    const length = slider({ label: "text", min: 0, max: this.lengths.length - 1,
      value: this.lengths.indexOf(this.length), show: (at) => several(this.lengths[at], "token") }, (at) => {
      this.length = this.lengths[at];
      this.paint();
    });
    return { groups, length, layers: size("layers", "layers"), heads: size("query heads", "heads"),
      features: size("features per head", "features") };
  }

  build() {
    const { groups, length, layers, heads, features } = this.sliders;
    /** @type {[number, string][]} */
    const widths = [[4, "4 (float32)"], [2, "2 (float16)"], [1, "1 (int8)"]];
    const bytes = choice("bytes per number", widths, this.bytes, (count) => {
      this.bytes = count;
      this.paint();
    });
    const notes = help("1 KB is 1,024 bytes, 1 MB is 1,024 KB, 1 GB is 1,024 MB. How long a text each model can " +
      "read is not shown here. ");
    notes.append(this.source);
    return frame(help("Change the number of groups: it alone leaves the rest of the model as it is. With another " +
      "number of layers, heads, or features, it is a different model."),
    tools(this.presets), tools(groups.node, length.node), tools(layers.node, heads.node, features.node, bytes),
    this.readout.node, this.product, sideBySide(element("div", { class: "abh-wide" }, this.sharing.node),
      element("div", { class: "abh-wide" }, this.costs.node)), notes);
  }

  /** The number of groups, or LATENT, at a position of their slider.
   *  @param {number} at */
  groupsAt(at) {
    return this.choices()[at];
  }

  choices() {
    return [...(this.sizes.latent ? [LATENT] : []), ...divisors(this.sizes.heads)];
  }

  /** Change some sizes, and show it in the next frame. If there were as many groups as heads, there still are when the
   *  heads change; otherwise there are as many as were wanted, or the next smaller number that divides the heads.
   *  @param {Partial<Sizes>} changes */
  set(changes) {
    Object.assign(this.sizes, changes);
    const { heads, groups } = this.sizes;
    if (changes.groups !== undefined) this.wanted = groups === heads ? Infinity : groups;
    this.sizes.groups = Math.max(...this.choices().filter((each) => each <= this.wanted));
    this.paint();
  }

  // ------------------------------------------------------------ display

  show() {
    const { groups, layers, heads, features } = this.sliders;
    const choices = this.choices();
    groups.input.max = String(choices.length - 1);
    groups.set(choices.indexOf(this.sizes.groups));
    layers.set(this.sizes.layers);
    heads.set(this.sizes.heads);
    features.set(this.sizes.features);
    this.showModel();
    this.showProduct();
    this.readout.say(this.sentence(), `${this.comparison()} ${this.capacity()}`);
    this.sharing.draw(this.sizes);
    this.showCosts();
  }

  /** How many bytes are kept for a number of tokens.
   *  @param {number} length */
  cost(length) {
    return numbersOf(this.sizes) * length * this.bytes;
  }

  /** Mark the chosen model, unless the reader has changed its sizes, and link to their source. */
  showModel() {
    for (const input of this.presets.querySelectorAll("input")) {
      input.checked = input.value === this.name && this.isPublished();
    }
    const { source } = this.models[this.name];
    this.source.hidden = !source;
    this.source.href = source;
    write(this.source, `Where the sizes of ${this.name} are published`);
  }

  isPublished() {
    const published = Object.entries(this.published());
    return published.every(([name, size]) => this.sizes[/** @type {keyof Sizes} */ (name)] === size);
  }

  /** Show the factors and their product. */
  showProduct() {
    const { layers, groups, features, latent } = this.sizes;
    const kept = groups === LATENT ? [factor(latent, "numbers in the latent", "abh-free")]
      : [factor(2, "key and value"), factor(groups, groups === 1 ? "group" : "groups", "abh-free"),
        factor(features, "features")];
    const factors = [...kept, factor(layers, layers === 1 ? "layer" : "layers"),
      factor(this.length, this.length === 1 ? "token" : "tokens"),
      factor(this.bytes, this.bytes === 1 ? "byte" : "bytes")];
    this.product.replaceChildren(...factors.flatMap((each, i) => (i ? [" × ", each] : [each])),
      ` = ${readable(this.cost(this.length))}`);
  }

  /** Show the cost of each way of sharing keys and values. */
  showCosts() {
    const { latent } = this.sizes;
    this.costs.show(`The same ${several(this.length, "token")} with each kind of attention`,
      waysOf(this.sizes).map(({ kind, groups }) => {
        const size = numbersOf({ ...this.sizes, groups }) * this.bytes;
        return { name: kind, detail: groups === LATENT ? several(latent, "number") : several(groups, "group"), size,
          texts: [readable(size * this.length), readable(size)], isHere: groups === this.sizes.groups };
      }));
  }

  // ------------------------------------------------------------ interpretation

  sentence() {
    const who = this.isPublished() ? this.name : "A model of these sizes";
    const text = this.length === 1 ? "" : `, ${readable(this.cost(this.length))} for ${counted(this.length)} tokens`;
    return `${who} keeps ${readable(this.cost(1))} for each token${text}`;
  }

  /** A comparison with multi-head attention. */
  comparison() {
    const { heads, groups } = this.sizes;
    if (groups === heads) return "Each query head has a key and a value of its own: multi-head attention.";
    const times = numbersOf({ ...this.sizes, groups: heads }) / numbersOf(this.sizes);
    return `With a key and a value for each of the ${heads} query heads, it would be ` +
      `${counted(Math.round(times * 10) / 10)} times as much.`;
  }

  /** A comparison with the memory of a graphics card. */
  capacity() {
    const texts = Math.floor((CARD * 2 ** 30) / this.cost(this.length));
    return `A graphics card with ${CARD} GB has room for ${texts ? several(texts, "such text") : "no such text"}, ` +
      "if it holds nothing else.";
  }
}

/** A number of the product above its name.
 *  @param {number} number
 *  @param {string} name */
const factor = (number, name, kind = "") =>
  element("span", { class: `abh-factor ${kind}` }, element("b", {}, counted(number)), " ", element("span", {}, name));

// ---------------------------------------------------------------- the picture of shared heads

const [SQUARE, GAP, TOP] = [24, 44, 40]; // pixels: of a head, between heads and groups, above the heads
const HEIGHT = TOP + 2 * SQUARE + GAP + 24;

/** A picture of query heads in a row, and below them what they read and the cache keeps: groups, or the latent. */
class Sharing {
  constructor() {
    this.width = 0;
    this.node = drawing();
  }

  measure() {
    this.width = roomOf(this.node);
  }

  /** @param {Sizes} sizes */
  draw({ heads, groups, latent }) {
    if (!this.width) this.measure();
    const { width } = this;
    const title = `${several(heads, "query head")}, ` +
      (groups === LATENT ? `a latent of ${several(latent, "number")}` : several(groups, "group"));
    const count = groups || 1;
    const names = groups === LATENT ? ["latent"] : range(groups).map(String);
    const step = Math.min(SQUARE + 6, width / heads); // from one head to the next
    const apart = (step * heads) / count; // from one group to the next
    const [head, group] = [0.8 * step, Math.min(0.8 * apart, groups === LATENT ? 5 * SQUARE : 2 * SQUARE)];
    const [above, below] = [TOP + SQUARE, TOP + SQUARE + GAP];
    const funnels = range(count).map((g) => funnel((g + 0.5) * apart, above, apart - 0.2 * step, below, group));
    const texts = /** @type {const} */ ([["abh-title", 13, title], ["abh-tick", TOP - 8, "query heads"],
      ["abh-tick", HEIGHT - 8, groups === LATENT ? "what is kept in place of keys and values" :
        "what is kept: a key and a value for each group"]]);
    redraw(this.node, width, HEIGHT, `${title}: ${told(heads, groups)}`,
      ...texts.map(([kind, y, text]) => drawn("text", { x: 0, y, class: kind }, text)),
      drawn("path", { d: funnels.join(""), class: "abh-funnel" }),
      ...boxes(range(heads).map(String), step, TOP, head, "line"), ...boxes(names, apart, below, group, "mark"));
  }
}

/** The outline from several heads down to what they read, each given by its middle, its height and its width.
 *  @param {number} middle
 *  @param {number} above
 *  @param {number} from
 *  @param {number} below
 *  @param {number} to */
const funnel = (middle, above, from, below, to) => `M${(middle - from / 2).toFixed(1)} ${above}h${from.toFixed(1)}` +
  `L${(middle + to / 2).toFixed(1)} ${below}h${(-to).toFixed(1)}z`;

/** Boxes in a row as a single shape, which is faster than many, with their names if there is room for all.
 *  @param {string[]} names
 *  @param {number} apart
 *  @param {number} y
 *  @param {number} wide
 *  @param {string} kind */
function boxes(names, apart, y, wide, kind) {
  const middles = names.map((_, i) => (i + 0.5) * apart);
  const shapes = middles.map((middle) => `M${(middle - wide / 2).toFixed(1)} ${y}h${wide.toFixed(1)}v${SQUARE}` +
    `h${(-wide).toFixed(1)}z`);
  const named = wide >= 7 * Math.max(...names.map((name) => name.length)) + 2;
  return [drawn("path", { d: shapes.join(""), class: `abh-fill abh-${kind}` }), ...(named ? names : []).map((name, i) =>
    drawn("text", { x: middles[i].toFixed(1), y: y + 16, class: "abh-tick abh-middle abh-inside" }, name))];
}

/** Which heads read which group, in words.
 *  @param {number} heads
 *  @param {number} groups */
export function told(heads, groups) {
  if (groups === LATENT) return "all heads read the latent";
  if (groups === 1) return "all heads read the same key and value";
  const each = heads / groups;
  if (each === 1) return "each head reads a group of its own";
  const first = (/** @type {number} */ g) => `heads ${g * each} to ${(g + 1) * each - 1} read group ${g}`;
  return groups === 2 ? `${first(0)}, ${first(1)}` : `${first(0)}, ${first(1)}, and so on`;
}
