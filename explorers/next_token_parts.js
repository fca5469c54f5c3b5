// The parts of the next-token explorer: a field to type words, the text, the bars of the next words, and the heads.

import { clamp, colorIndex, largestFirst, range, themed, themedInk } from "./numbers.js";
import { button, element, folded, freshId, help, write } from "./page.js";
import { moved } from "./tables.js";

/** @import { Color } from "./numbers.js" */
/** @typedef {{ word: string, probability: number, own: number, follows: boolean }} Bar own: the model's probability
 *    without the reader's settings; follows: whether the text goes on with this word */
/** @typedef {{ word: string, weight: number, used: boolean }} HeadRow what a head reads most */

// ---------------------------------------------------------------- words

/** Whether a word may be typed, unlike special tokens such as <start>.
 *  @param {string} word */
const typable = (word) => !/^<.+>$/.test(word);

/** The ids of the words of a text, in which capital letters do not matter, or the first that may not be typed.
 *  @param {string} text
 *  @param {string[]} vocabulary
 *  @returns {{ ids: number[], unknown?: string }} */
export function idsOf(text, vocabulary) {
  const lower = vocabulary.map((word) => word.toLowerCase());
  const marks = vocabulary.filter((word) => /^[^\p{L}\p{N}\s]$/u.test(word)); // such as the full stop
  const apart = marks.reduce((line, mark) => line.replaceAll(mark, ` ${mark} `), text);
  const ids = [];
  for (const word of apart.split(/\s+/).filter(Boolean)) {
    const id = vocabulary.includes(word) ? vocabulary.indexOf(word) : lower.indexOf(word.toLowerCase());
    if (id < 0 || !typable(word)) return { ids: [], unknown: word };
    ids.push(id);
  }
  return { ids };
}

/** The word with the longest common prefix, of at least two letters and half of the given word.
 *  @param {string} word
 *  @param {string[]} vocabulary
 *  @returns {string | undefined} */
export function nearest(word, vocabulary) {
  const shared = vocabulary.map((other) => {
    let same = 0;
    while (same < word.length && other[same]?.toLowerCase() === word[same].toLowerCase()) same++;
    return same < Math.max(2, word.length / 2) ? -Infinity : same - Math.abs(other.length - word.length) / 100;
  });
  const [first] = largestFirst(shared);
  return shared[first] > 0 ? vocabulary[first] : undefined;
}

/** The ids after a position replaced by others, one by one; at the end they are added.
 *  @param {number[]} ids
 *  @param {number} position
 *  @param {number[]} others */
export const replaced = (ids, position, others) =>
  [...ids.slice(0, position + 1), ...others, ...ids.slice(position + 1 + others.length)];

// ---------------------------------------------------------------- the field

/** A field for words of the vocabulary, which the browser completes, and a line for complaints. */
export class Field {
  /** @param {string[]} vocabulary
   *  @param {(ids: number[]) => boolean} onEnter whether they were taken
   *  @param {() => void} onRemove the last word, by Backspace in the empty field */
  constructor(vocabulary, onEnter, onRemove) {
    this.vocabulary = vocabulary;
    this.onEnter = onEnter;
    this.typable = vocabulary.filter(typable);
    const [list, error] = [freshId(), freshId()];
    this.input = element("input", { type: "text", list, "aria-describedby": error, autocomplete: "off",
      spellcheck: "false", class: "abh-field" });
    this.name = element("span");
    this.label = element("label", { class: "abh-control" }, this.name, this.input,
      element("datalist", { id: list }, ...this.typable.map((value) => element("option", { value }))));
    this.list = folded("All words that can be typed", help([...this.typable].sort().join(" "))).node;
    this.button = button("Add", () => this.enter());
    this.error = element("p", { class: "abh-error", id: error, role: "alert" });
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.enter();
      else if (event.key === "Backspace" && !this.input.value) onRemove();
    });
    this.input.addEventListener("input", () => this.complain(""));
  }

  enter() {
    const { ids, unknown } = idsOf(this.input.value, this.vocabulary);
    if (unknown !== undefined) {
      const near = nearest(unknown, this.typable);
      this.complain(`'${unknown}' is not one of the ${this.typable.length} words that can be typed; ` +
        (near ? `the nearest is '${near}'.` : "all of them are listed at the end of this view."));
    } else if (this.onEnter(ids)) this.input.value = "";
  }

  /** @param {string} sentence what is wrong; nothing if it is empty */
  complain(sentence) {
    write(this.error, sentence);
    this.input.setAttribute("aria-invalid", String(sentence !== ""));
  }

  /** @param {string | undefined} following the word that will be replaced; none at the end */
  show(following) {
    write(this.name, following === undefined ? "next words" : `replace '${following}' with`);
    write(this.button, following === undefined ? "Add" : "Replace");
  }
}

// ---------------------------------------------------------------- the text

/** The words of the text as a list in which one is always chosen. Each has the color of its weight. */
export class Text {
  /** @param {Color[]} table
   *  @param {() => { position: number, last: number }} where the chosen position and the last one: keys may be faster
   *    than what is shown
   *  @param {(position: number) => void} onChoose
   *  @param {() => void} onRemove the last word */
  constructor(table, where, onChoose, onRemove) {
    this.table = table;
    this.where = where;
    this.onChoose = onChoose;
    this.onRemove = onRemove;
    this.node = element("div", { class: "abh-text", role: "listbox", tabindex: "0", "aria-orientation": "horizontal",
      "aria-label": "The text: select the word after which to predict" });
    /** @type {{ node: HTMLElement, weight: HTMLElement }[]} */
    this.chips = [];
    /** @type {string[]} */
    this.words = [];
    this.node.addEventListener("keydown", (event) => this.walk(event));
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const { position, last } = this.where();
    const vertical = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const next = vertical ? position + vertical : moved(event, [0, position], [0, last])?.[1];
    if (event.key === "Backspace") this.onRemove();
    else if (next === undefined || event.altKey) return;
    else this.onChoose(clamp(next, 0, last));
    event.preventDefault();
  }

  /** @param {string[]} words
   *  @param {number} position the chosen one
   *  @param {Float32Array} weights of the words up to it; the others are hidden */
  show(words, position, weights) {
    if (this.words.join(" ") !== words.join(" ")) this.make(words);
    this.chips.forEach(({ node, weight }, j) => {
      const hidden = j > position;
      const color = hidden ? null : this.table[colorIndex(weights[j])];
      node.className = `abh-chip${hidden ? " abh-hatched" : ""}${j === position ? " abh-here" : ""}`;
      node.setAttribute("aria-selected", String(j === position));
      node.style.background = color ? themed(color) : "";
      node.style.color = color ? themedInk(color) : "";
      write(weight, hidden || weights[j] < 0.005 ? "" : weights[j].toFixed(2));
    });
    this.node.setAttribute("aria-activedescendant", this.chips[position].node.id);
  }

  /** @param {string[]} words */
  make(words) {
    this.words = words;
    this.chips = words.map((word, j) => {
      const weight = element("span", { class: "abh-tiny" });
      const node = element("span", { role: "option", id: freshId() }, `${word} `, weight);
      node.addEventListener("click", () => this.onChoose(j));
      return { node, weight };
    });
    this.node.replaceChildren(...this.chips.map(({ node }) => node));
  }
}

// ---------------------------------------------------------------- the next words

/** A bar for each of several words, each a button. Together they are one tab stop; the arrow keys move among them. */
export class Bars {
  /** @param {number} count
   *  @param {(i: number) => void} onPress */
  constructor(count, onPress) {
    const id = freshId();
    this.title = element("p", { class: "abh-caption", id });
    this.rows = range(count).map((i) => this.row(i, onPress));
    this.list = element("div", { class: "abh-bars", role: "toolbar", "aria-orientation": "vertical",
      "aria-labelledby": id }, ...this.rows.map(({ node }) => node));
    this.list.addEventListener("keydown", (event) => this.walk(event));
  }

  /** @param {number} i
   *  @param {(i: number) => void} onPress */
  row(i, onPress) {
    const [word, number] = [element("span", { class: "abh-word" }), element("span", { class: "abh-number" })];
    const [fill, line] = [element("span", { class: "abh-length" }), element("span", { class: "abh-own" })];
    const node = button("", () => onPress(i));
    node.className = "abh-next";
    node.tabIndex = i ? -1 : 0;
    node.append(word, " ", element("span", { class: "abh-track" }, fill, line), number);
    return { node, word, number, fill, line };
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const at = this.rows.findIndex(({ node }) => node === document.activeElement);
    const last = this.rows.length - 1;
    const next = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined || event.altKey) return;
    event.preventDefault();
    this.rows.forEach(({ node }, i) => { node.tabIndex = i === clamp(next, 0, last) ? 0 : -1; });
    this.rows[clamp(next, 0, last)].node.focus();
  }

  /** @param {string} title
   *  @param {Bar[]} bars */
  show(title, bars) {
    write(this.title, title);
    this.rows.forEach(({ node, word, number, fill, line }, i) => {
      const { word: text, probability, own, follows } = bars[i];
      write(word, text);
      write(number, probability === 0 ? "cut" : probability.toFixed(3));
      node.classList.toggle("abh-follows", follows);
      fill.style.width = `${(100 * probability).toFixed(2)}%`;
      line.style.left = `${(100 * own).toFixed(2)}%`;
    });
  }
}

// ---------------------------------------------------------------- the heads

/** A row for each head: a button to choose it, what it reads most, and a box that says whether it is used. */
export class Heads {
  /** @param {string[]} names
   *  @param {(head: number) => void} onChoose
   *  @param {(head: number, used: boolean) => void} onUse */
  constructor(names, onChoose, onUse) {
    const group = freshId();
    this.rows = names.map((name, head) => {
      const radio = element("input", { type: "radio", name: group, value: head });
      radio.addEventListener("change", () => onChoose(head));
      const used = element("input", { type: "checkbox", "aria-label": `use ${name}` });
      used.addEventListener("change", () => onUse(head, used.checked));
      const [word, weight] = [element("td", { class: "abh-word" }), element("td")];
      const choice = element("span", { class: "abh-choice" }, element("label", {}, radio, element("span", {}, name)));
      const node = element("tr", {}, element("th", { scope: "row" }, choice), word, weight,
        element("td", {}, element("label", { class: "abh-control" }, used)));
      return { node, radio, used, word, weight };
    });
    this.title = element("legend", { class: "abh-caption" });
    const titles = ["head", "reads most", "weight", "in use"].map((title) => element("th", { scope: "col" }, title));
    this.node = element("fieldset", { class: "abh-heads" }, this.title, element("table", {},
      element("thead", {}, element("tr", {}, ...titles)), element("tbody", {}, ...this.rows.map(({ node }) => node))));
  }

  /** @param {string} title
   *  @param {HeadRow[]} heads
   *  @param {number} chosen */
  show(title, heads, chosen) {
    write(this.title, title);
    this.rows.forEach(({ node, radio, used, word, weight }, head) => {
      radio.checked = head === chosen;
      used.checked = heads[head].used;
      write(word, heads[head].word);
      write(weight, heads[head].weight.toFixed(2));
      node.className = heads[head].used ? "" : "abh-silent";
    });
  }
}
