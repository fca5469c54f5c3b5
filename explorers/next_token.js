// The next-token explorer: a text to continue, the words that a decoder expects next, and what each head reads.

import { headName, named } from "./attention_data.js";
import { Decoder, distribution, drawn } from "./decoder.js";
import { Bars, Field, Heads, Text, replaced } from "./next_token_parts.js";
import { colors, exact, halves, largestFirst, range } from "./numbers.js";
import { button, element, explorer, frame, help, legend, oncePerFrame, sideBySide, slider, spoken, swatch,
  tools } from "./page.js";
import { Reading } from "./tables.js";

/** @import { Settings } from "./decoder.js" */
/** @import { Model } from "./page.js" */

const MOST_BARS = 10;
const MOST_LISTED = 20; // words in "Read as a table"

export default explorer((model) => new NextTokenView(model));

class NextTokenView {
  /** @param {Model} model */
  constructor(model) {
    /** @type {string[]} */
    this.vocabulary = model.get("words");
    /** @type {number[]} */
    this.given = model.get("ids");
    /** @type {import("./decoder.js").Sizes} */
    this.sizes = model.get("sizes");
    const numbers = halves(model.get("parameters"));
    this.model = new Decoder(this.sizes, numbers);
    this.whole = new Decoder(this.sizes, numbers); // the same model, always with all heads
    this.table = colors(model.get("palette"));
    this.ids = this.given;
    this.position = this.ids.length - 1; // the chosen word, after which the model predicts
    /** @type {Settings} */
    this.own = { temperature: 1, topK: this.vocabulary.length, topP: 1 };
    this.settings = { ...this.own };
    this.heads = range(this.sizes.layers * this.sizes.heads);
    this.used = this.heads.map(() => true);
    /** @type {number} the chosen one, counted over all layers */
    this.head = model.get("head");
    this.paint = oncePerFrame(() => this.show());
    this.readout = spoken(true);
    this.reading = new Reading(() => this.listing());
    this.field = new Field(this.vocabulary, (ids) => this.put(ids), () => this.remove());
    this.text = new Text(this.table, () => ({ position: this.position, last: this.ids.length - 1 }),
      (position) => this.change(this.ids, position), () => this.remove());
    this.bars = new Bars(Math.min(MOST_BARS, this.vocabulary.length), (i) => this.put([this.order[i]]));
    this.headList = new Heads(this.heads.map((head) => this.headName(head)), (head) => this.chooseHead(head),
      (head, used) => this.use(head, used));
    /** @type {number[]} the ids, the most likely first */
    this.order = [];
    this.root = this.build();
  }

  // ------------------------------------------------------------ elements

  build() {
    const writing = tools(this.field.label, this.field.button, button("Draw a word", () => this.draw()),
      button("Remove the last word", () => this.remove()), button("Start again", () => this.restart()));
    const scale = tools(legend(this.table, "weight"), swatch("abh-hatched", "hidden by the causal mask"));
    const bars = element("div", { class: "abh-wide" }, this.bars.title, this.bars.list);
    const further = element("div", { class: "abh-further" }, this.buildSliders(),
      help("Click a word next to its bar to make it the next word. The thin line across a bar is the model's own " +
        "probability: at temperature 1, with nothing cut and all heads in use. Select a head to see all its weights " +
        "in the text. A head that is not in use contributes nothing to the prediction; its weights are shown all " +
        "the same."), this.field.list, this.reading.node);
    this.headList.node.classList.add("abh-wide", "abh-further");
    return frame(help("Continue the text: type words, or click a word that the model expects. Select an earlier word " +
      "with a click or the arrow keys to see what the model expected after it; a word that you enter there replaces " +
      "the next one."), writing, this.field.error, this.readout.node, this.text.node, scale,
    sideBySide(bars, this.headList.node), further);
  }

  buildSliders() {
    const count = this.vocabulary.length;
    const temperature = slider({ label: "temperature", min: 0, max: 2, step: 0.05, value: 1,
      show: (value) => value.toFixed(2) }, (value) => this.set({ temperature: value }));
    const topK = slider({ label: "top-k", min: 1, max: count, value: count,
      show: (k) => (k === count ? "all" : String(k)) }, (k) => this.set({ topK: k }));
    const topP = slider({ label: "top-p", min: 0.05, max: 1, step: 0.05, value: 1,
      show: (p) => (p === 1 ? "all" : p.toFixed(2)) }, (p) => this.set({ topP: p }));
    return tools(temperature.node, topK.node, topP.node);
  }

  // ------------------------------------------------------------ changes by the reader

  /** @param {Partial<Settings>} changes */
  set(changes) {
    Object.assign(this.settings, changes);
    this.paint();
  }

  /** Put words after the chosen one, in place of as many that follow; returns whether there was room.
   *  @param {number[]} ids */
  put(ids) {
    const atEnd = this.position === this.ids.length - 1;
    const next = replaced(this.ids, this.position, ids);
    if (next.length > this.sizes.positions) {
      this.field.complain(`The text has room for ${this.sizes.positions} words, as many as the model has positions; ` +
        "remove some first.");
      return false;
    }
    this.change(next, atEnd ? next.length - 1 : this.position);
    return true;
  }

  draw() {
    this.put([drawn(this.probabilities(), Math.random())]);
  }

  remove() {
    if (this.ids.length > 1) this.change(this.ids.slice(0, -1), this.ids.length - 2);
    else this.field.complain(`'${this.vocabulary[this.ids[0]]}' stays: the model needs a word to begin with.`);
  }

  restart() {
    this.used = this.heads.map(() => true);
    this.change(this.given, this.given.length - 1);
  }

  /** @param {number[]} ids
   *  @param {number} position */
  change(ids, position) {
    this.ids = ids;
    this.position = position;
    this.field.complain("");
    this.paint();
  }

  /** @param {number} head */
  chooseHead(head) {
    this.head = head;
    this.paint();
  }

  /** @param {number} head
   *  @param {boolean} used */
  use(head, used) {
    this.used = this.used.map((each, i) => (i === head ? used : each));
    this.paint();
  }

  // ------------------------------------------------------------ numbers

  /** The probabilities of the next word, with the reader's settings. */
  probabilities() {
    this.model.read(this.ids, this.used);
    return distribution(this.model.logitsAt(this.position), this.settings);
  }

  /** The model's own probabilities: at temperature 1, with nothing cut and all heads in use. */
  ownProbabilities() {
    const model = this.used.includes(false) ? this.whole : this.model;
    model.read(this.ids);
    return distribution(model.logitsAt(this.position), this.own);
  }

  get words() {
    return this.ids.map((id) => this.vocabulary[id]);
  }

  /** The chosen word, in quotes. */
  get here() {
    return named(this.words, this.position);
  }

  /** The id after the chosen word, or undefined at the end.
   *  @returns {number | undefined} */
  get following() {
    return this.ids[this.position + 1];
  }

  /** @param {number} head */
  headName(head) {
    const { heads } = this.sizes;
    return headName({ hasLayers: true }, Math.floor(head / heads), head % heads);
  }

  /** The word that a head reads most, and its weight.
   *  @param {number} head */
  readsMost(head) {
    const weights = this.model.weightsOf(head, this.position);
    const [j] = largestFirst(weights);
    return { word: named(this.words, j), weight: weights[j], used: this.used[head] };
  }

  // ------------------------------------------------------------ display

  show() {
    const probabilities = this.probabilities();
    const own = this.ownProbabilities();
    const { here, following } = this;
    this.order = largestFirst(this.model.logitsAt(this.position));
    this.field.show(following === undefined ? undefined : this.vocabulary[following]);
    this.text.show(this.words, this.position, this.model.weightsOf(this.head, this.position));
    this.bars.show(`Next word after ${here}`, this.order.slice(0, MOST_BARS).map((id) => ({
      word: this.vocabulary[id], probability: probabilities[id], own: own[id], follows: id === following })));
    this.headList.show(`What each head reads at ${here}`, this.heads.map((head) => this.readsMost(head)), this.head);
    this.readout.say(this.expects(probabilities),
      [this.reads(), ...this.silenced(own), ...this.followed(probabilities)].join(" "));
    this.reading.show();
  }

  /** @param {Float32Array} probabilities */
  expects(probabilities) {
    const { temperature, topK, topP } = this.settings;
    const settings = [...(temperature === 1 ? [] : [`temperature ${temperature}`]),
      ...(topK === this.own.topK ? [] : [`top-k ${topK}`]), ...(topP === 1 ? [] : [`top-p ${topP}`])];
    const [first] = this.order;
    return `After ${this.here} the model expects '${this.vocabulary[first]}' with ${exact(probabilities[first])}` +
      `${settings.length ? ` (${settings.join(", ")})` : ""}.`;
  }

  reads() {
    const { word, weight } = this.readsMost(this.head);
    const name = this.headName(this.head);
    return `${name[0].toUpperCase()}${name.slice(1)} reads ${word} most: ${exact(weight)}.`;
  }

  /** @param {Float32Array} own */
  silenced(own) {
    if (!this.used.includes(false)) return [];
    const [first] = largestFirst(own);
    return [`With all heads in use: '${this.vocabulary[first]}' with ${exact(own[first])}.`];
  }

  /** A sentence for when the chosen word is not the last one, so that a reader who replaces a word sees at once how the
   *  prediction at the end changes.
   *  @param {Float32Array} probabilities */
  followed(probabilities) {
    const { following } = this;
    if (following === undefined) return [];
    const atEnd = distribution(this.model.logitsAt(this.ids.length - 1), this.settings);
    const [first] = largestFirst(atEnd);
    return [`The text goes on with '${this.vocabulary[following]}': ${exact(probabilities[following])}.`,
      `At its end the model expects '${this.vocabulary[first]}' with ${exact(atEnd[first])}.`];
  }

  /** The bars, the heads and the text as tables.
   *  @returns {import("./tables.js").Listing[]} */
  listing() {
    const [probabilities, own] = [this.probabilities(), this.ownProbabilities()];
    const weights = this.model.weightsOf(this.head, this.position);
    const { here, vocabulary } = this;
    return [{ caption: `Next word after ${here}`, columns: ["word", "probability", "the model's own"],
      rows: this.order.slice(0, MOST_LISTED).map((id) => [vocabulary[id], exact(probabilities[id]), exact(own[id])]) },
    { caption: `What each head reads at ${here}`, columns: ["head", "reads most", "weight", "in use"],
      rows: this.heads.map((head) => {
        const { word, weight, used } = this.readsMost(head);
        return [this.headName(head), word, exact(weight), used ? "yes" : "no"];
      }) },
    { caption: `Weights of ${this.headName(this.head)} at ${here}`, columns: ["position", "word", "weight"],
      rows: this.words.map((word, j) => [j, word, j > this.position ? "hidden" : exact(weights[j])]) }];
  }
}
