// The long-texts explorer: which keys a query still reads with a window and the first tokens, what the cache keeps of
// them, and the pages of two texts that begin alike.

import { drawing, drawn, redraw, roomOf } from "./charts.js";
import { clamp, range, readable, several } from "./numbers.js";
import { choice, element, explorer, frame, help, oncePerFrame, sideBySide, slider, spoken, swatch, tools,
  write } from "./page.js";
import { Costs, Reading } from "./tables.js";

/** @import { Model } from "./page.js" */
/** @import { Listing } from "./tables.js" */
/** @typedef {[number, number]} Span some positions in a row: the first and the last */
/** @typedef {{ held: number | null, left: number | null }} Slot of the cache: the position that it holds, and the one
 *    that was there before */
/** @typedef {{ uses: number[], tokens: number[], copied: boolean }} Page the texts whose tables list it, and for each
 *    of its tokens one of PREFIX, A, B and EMPTY */
/** @typedef {{ tables: [number[], number[]], pages: Page[] }} Pages */
/** @typedef {{ perToken: number, name: string }} Price the bytes of a token, and the model whose sizes these are */

const MOST = { sinks: 8, layers: 32, pageSize: 16, prefix: 24, written: 12 }; // sinks and pageSize as in long_texts.py

// ---------------------------------------------------------------- arithmetic

/** The positions from `back` before a query's own up to it, and the first tokens, as one or two spans. A query reads
 *  window - 1 positions back. Through L layers, it reaches L times as far back; the first tokens do not extend this,
 *  since they read only each other.
 *  @param {number} position
 *  @param {number} back
 *  @param {number} sinks
 *  @returns {Span[]} */
function spansOf(position, back, sinks) {
  const from = Math.max(position - back, 0);
  if (!sinks) return [[from, position]];
  return from > sinks ? [[0, sinks - 1], [from, position]] : [[0, position]];
}

/** How many positions there are.
 *  @param {Span[]} spans */
const lengthOf = (spans) => spans.reduce((total, [from, to]) => total + to - from + 1, 0);

/** The positions before the last span that are in no span: [first, last], or nothing.
 *  @param {Span[]} spans
 *  @returns {Span[]} */
function gapOf(spans) {
  const from = spans.length > 1 ? spans[0][1] + 1 : 0;
  const to = spans[spans.length - 1][0] - 1;
  return from <= to ? [[from, to]] : [];
}

/** The slots of the cache while the query at a position reads them: one for each of the first tokens, and a ring of
 *  `window` slots, in which each position takes the place of the one that just left the window.
 *  @param {number} position
 *  @param {number} window
 *  @param {number} sinks
 *  @returns {Slot[]} */
function slotsOf(position, window, sinks) {
  return range(sinks + window).map((slot) => {
    if (slot < sinks) return { held: slot <= position ? slot : null, left: null };
    const held = position - ((((position - slot) % window) + window) % window);
    if (held < slot) return { held: null, left: null };
    return { held, left: held - window >= slot ? held - window : null };
  });
}

const [EMPTY, PREFIX, A, B] = [-1, 0, 1, 2];

/** The pages of a text A and of its fork B, each with `written` tokens of its own; B adds its tokens first. As in
 *  PagedCache of helpers/pages.py, a last page that is shared and not full is copied before it is written to.
 *  @param {number} size
 *  @param {number} prefix
 *  @param {number} written
 *  @returns {Pages} */
function pagesOf(size, prefix, written) {
  const count = Math.ceil(prefix / size); // pages of the prefix
  const copies = written > 0 && prefix % size > 0;
  const more = Math.ceil((prefix + written) / size) - count; // pages that each text adds
  const common = range(count);
  const from = count + (copies ? 1 : 0);
  const ofA = [...common, ...range(more).map((i) => from + more + i)];
  const ofB = [...(copies ? [...common.slice(0, -1), count] : common), ...range(more).map((i) => from + i)];
  /** @type {Page[]} */
  const pages = range(from + 2 * more).map((number) => ({ uses: [], tokens: range(size).map(() => EMPTY),
    copied: copies && number === count }));
  [ofA, ofB].forEach((table, text) => {
    table.forEach((page) => pages[page].uses.push(text));
    range(prefix + written).forEach((i) => {
      pages[table[Math.floor(i / size)]].tokens[i % size] = i < prefix ? PREFIX : [A, B][text];
    });
  });
  return { tables: [ofA, ofB], pages };
}

// ---------------------------------------------------------------- formatting

/** @param {Span} span */
const spanTold = ([from, to]) => (from === to ? String(from) : `${from} to ${to}`);

/** "0 to 3 and 24 to 31".
 *  @param {Span[]} spans */
const told = (spans) => spans.map(spanTold).join(" and ");

/** @param {number} sinks at least 1 */
const firstTold = (sinks) => (sinks === 1 ? "the first token" : `the first ${sinks} tokens`);

// ---------------------------------------------------------------- the view

export default explorer((model) => new LongTextsView(model), (view) => {
  view.part.measure();
  view.show();
});

class LongTextsView {
  /** @param {Model} model */
  constructor(model) {
    const price = { perToken: model.get("token_bytes"), name: model.get("model") };
    this.paint = oncePerFrame(() => this.show());
    this.parts = { window: new WindowPart(model, price, this.paint), pages: new PagesPart(model, price, this.paint) };
    /** @type {"window" | "pages"} */
    const first = model.get("show");
    this.part = this.parts[first];
    this.readout = spoken(true);
    this.reading = new Reading(() => this.part.listing());
    this.controls = element("div");
    this.drawings = element("div");
    this.root = this.build(first, price, model.get("source"));
    this.take(first);
  }

  /** @param {"window" | "pages"} first
   *  @param {Price} price
   *  @param {string} source */
  build(first, { perToken, name }, source) {
    /** @type {["window" | "pages", string][]} */
    const names = [["window", "a window and the first tokens"], ["pages", "the pages of two texts"]];
    const parts = choice("show", names, first, (part) => {
      this.take(part);
      this.part.measure();
      this.paint();
    });
    const notes = help(`In float16, a token costs ${readable(perToken)} with the sizes of ${name}, which serve as an ` +
      "example: 1 KB is 1,024 bytes, 1 MB is 1,024 KB. ");
    notes.append(element("a", { href: source, target: "_blank", rel: "noopener" },
      `Where the sizes of ${name} are published`));
    return frame(tools(parts), this.controls, this.readout.node, this.drawings, this.reading.node, notes);
  }

  /** Show one of the two parts.
   *  @param {"window" | "pages"} name */
  take(name) {
    this.part = this.parts[name];
    this.controls.replaceChildren(...this.part.controls);
    this.drawings.replaceChildren(this.part.drawing);
  }

  show() {
    this.part.show();
    this.readout.say(...this.part.words());
    this.reading.show();
  }
}

/** A row of a table of costs.
 *  @param {string} name
 *  @param {string} detail
 *  @param {number} count
 *  @param {number} each bytes */
const costOf = (name, detail, count, each) =>
  ({ name, detail, size: count * each, texts: [String(count), readable(count * each)], isHere: false });

/** The table with bars in ink, since colors have a meaning of their own here.
 *  @param {Costs} costs */
function inked(costs) {
  costs.node.classList.add("abh-inked");
  return costs;
}

/** @param {number} x
 *  @param {number} y
 *  @param {string} kind
 *  @param {string | number} text */
const label = (x, y, kind, text) => drawn("text", { x, y, class: kind }, String(text));

// ---------------------------------------------------------------- a window and the first tokens

const [LEFT, TOP] = [30, 48]; // pixels, of the squares of the queries and keys
const LARGEST = 13; // pixels, of a square
const [SLOT, SLOT_ROW] = [30, 46]; // pixels from one slot of the cache to the next, and to the next row of them

class WindowPart {
  /** @param {Model} model
   *  @param {Price} price
   *  @param {() => void} paint */
  constructor(model, price, paint) {
    /** @type {number} */
    this.tokens = model.get("tokens");
    /** @type {number} */
    this.window = model.get("window");
    /** @type {number} */
    this.sinks = model.get("sinks");
    this.position = this.tokens - 1;
    this.layers = 1;
    this.price = price;
    this.widths = { squares: 0, slots: 0 };
    this.squares = drawing("abh-band");
    this.slots = drawing("abh-slots");
    this.costs = inked(new Costs("cache", ["tokens", "bytes"], 2));
    this.through = swatch("abh-reached", "through more layers");
    this.controls = this.makeControls(paint);
    this.drawing = sideBySide(element("div", { class: "abh-wide" }, this.squares,
      tools(swatch("abh-token-mark", "first tokens"), swatch("abh-token-line", "window"), this.through,
        swatch("abh-gone", "not read"))),
    element("div", { class: "abh-wide" }, this.slots, this.costs.node));
  }

  /** @param {() => void} paint */
  makeControls(paint) {
    /** @type {(name: string, of: "window" | "sinks" | "position" | "layers", min: number, max: number) => Node} */
    const size = (name, of, min, max) => slider({ label: name, min, max, value: this[of] }, (value) => {
      this[of] = value;
      paint();
    }).node;
    return [help("Change the window and the number of first tokens that are kept, and choose a query. The cache is " +
      "shown as this query reads it, with its own key. Through more layers, information also reaches the query from " +
      "positions that it does not read itself."),
    tools(size("window", "window", 1, this.tokens), size("first tokens kept", "sinks", 0, MOST.sinks)),
    tools(size("query at position", "position", 0, this.tokens - 1), size("layers", "layers", 1, MOST.layers))];
  }

  measure() {
    this.widths = { squares: roomOf(this.squares), slots: roomOf(this.slots) };
  }

  /** What the query at a position reads, directly or through several layers.
   *  @param {number} position */
  reads(position, layers = 1) {
    return spansOf(position, layers * (this.window - 1), this.sinks);
  }

  show() {
    if (!this.widths.squares) this.measure();
    this.through.hidden = this.layers === 1;
    this.drawSquares();
    this.drawSlots();
    this.showCosts();
  }

  // ------------------------------------------------------------ words

  /** @returns {[string, string]} */
  words() {
    const { position } = this;
    const spans = this.reads(position);
    const count = lengthOf(spans);
    const gone = gapOf(spans);
    const left = lengthOf(gone);
    const all = position ? `all ${position + 1} keys so far` : "its own key, the first of the text";
    const some = `${count} of the ${position + 1} keys so far${count === 1 ? ", its own" : `: ${told(spans)}`}`;
    const verb = left === 1 ? "has" : "have";
    const forgotten = left ? `${several(left, "position")} ${verb} left the cache, ${told(gone)}.` :
      "No position has left the cache yet.";
    return [`The query at position ${position} reads ${left ? some : all}`, `${forgotten} ${this.depth()}`];
  }

  /** A sentence on what more layers add. */
  depth() {
    const { position, layers, window, sinks } = this;
    const back = window - 1;
    if (!back) return "With a window of 1, more layers reach no further back.";
    if (layers === 1) return `One layer sees ${several(back, "position")} back, and each further layer ${back} more.`;
    const spans = this.reads(position, layers);
    const far = `Through ${layers} layers, information reaches it from up to ${layers} × ${back} = ${layers * back} ` +
      "positions back, here from ";
    if (!gapOf(spans).length) return `${far}the whole text so far.`;
    return `${far}position ${spans[spans.length - 1][0]} on${sinks ? `, and from ${firstTold(sinks)}` : ""}.`;
  }

  // ------------------------------------------------------------ drawings

  drawSquares() {
    const { tokens, window, sinks, position, layers } = this;
    const size = clamp(Math.floor((this.widths.squares - LEFT - 4) / tokens), 3, LARGEST);
    const rows = range(tokens);
    const strokes = { gone: "", reached: "", line: "", mark: "" };
    for (const row of rows) {
      const y = TOP + (row + 0.5) * size;
      const stroke = (/** @type {number} */ from, /** @type {number} */ to) =>
        from <= to ? `M${LEFT + from * size} ${y}H${LEFT + (to + 1) * size}` : "";
      const latest = Math.max(row - window + 1, Math.min(sinks, row + 1));
      strokes.gone += stroke(0, row);
      if (layers > 1) strokes.reached += this.reads(row, layers).map((span) => stroke(...span)).join("");
      strokes.mark += stroke(0, Math.min(sinks - 1, row));
      strokes.line += stroke(latest, row);
    }
    const paths = Object.entries(strokes).map(([kind, d]) => drawn("path", { d, class: `abh-${kind}`,
      "stroke-width": size - 1, "stroke-dasharray": `${size - 1} 1` }));
    const ticks = rows.filter((n) => n % 8 === 0).flatMap((n) => {
      const middle = (n + 0.5) * size;
      const isNear = Math.abs(n - position) * size < 13;
      return [label(LEFT + middle, TOP - 6, "abh-tick abh-middle", n),
        ...(isNear ? [] : [label(LEFT - 5, TOP + middle + 4, "abh-tick abh-end", n)])];
    });
    const here = TOP + position * size;
    const chosen = [label(LEFT - 5, here + size / 2 + 4, "abh-end abh-title", position),
      drawn("rect", { x: LEFT - 1.5, y: here - 1, width: (position + 1) * size + 2, height: size + 1,
        class: "abh-chosen" })];
    const first = sinks ? `, and ${firstTold(sinks)}` : "";
    redraw(this.squares, this.widths.squares, TOP + tokens * size + 8,
      `${tokens} queries and as many keys: each query reads the ` +
      `${window === 1 ? "key at its own position" : `${window} latest keys, its own included`}${first}; ` +
      `the query at position ${position} is outlined`,
      label(0, 13, "abh-title", "Which keys each query reads"),
      label(0, 29, "abh-tick", "rows: queries, columns: keys"), ...ticks, ...paths, ...chosen);
  }

  drawSlots() {
    const { window, sinks, position } = this;
    const slots = slotsOf(position, window, sinks);
    const width = this.widths.slots;
    const inARow = Math.max(1, Math.floor((width + 4) / SLOT));
    const kept = slots.filter(({ held }) => held !== null).length;
    const shapes = slots.flatMap(({ held, left }, i) => {
      const [x, y] = [SLOT * (i % inARow) + 1, 40 + SLOT_ROW * Math.floor(i / inARow)];
      const kind = held === null ? "abh-free-slot" : `abh-fill abh-${i < sinks ? "mark" : "line"}`;
      const box = drawn("rect", { x, y, width: SLOT - 4, height: 24, class: kind });
      const own = held === position ? [drawn("rect", { x: x + 2.5, y: y + 2.5, width: SLOT - 9, height: 19,
        class: "abh-own-slot" })] : [];
      const middle = x + SLOT / 2 - 2;
      return [box, ...own, ...(held === null ? [] : [label(middle, y + 16, "abh-tick abh-middle abh-inside", held)]),
        ...(left === null ? [] : [label(middle, y + 37, "abh-tick abh-middle abh-left", left)])];
    });
    const title = `The cache: ${several(kept, "position")} in ${several(slots.length, "slot")}`;
    redraw(this.slots, width, 40 + SLOT_ROW * Math.ceil(slots.length / inARow),
      `${title}: ${told(this.reads(position))}`,
      label(0, 13, "abh-title", title),
      label(0, 29, "abh-tick", "crossed out: what was in the slot before"), ...shapes);
  }

  showCosts() {
    const { position, price: { perToken } } = this;
    const [all, kept] = [position + 1, lengthOf(this.reads(position))];
    this.costs.show(`What is kept, at ${readable(perToken)} a token`,
      [costOf("full cache", "every position", all, perToken),
        { ...costOf("rolling cache", "these slots", kept, perToken), isHere: true }]);
  }

  /** @returns {Listing[]} */
  listing() {
    const { window, sinks, position, layers, tokens } = this;
    const slots = slotsOf(position, window, sinks);
    return [{ caption: "Which keys each query reads",
      columns: ["query", "reads", `through ${several(layers, "layer")}`],
      rows: range(tokens).map((row) => [row, told(this.reads(row)), told(this.reads(row, layers))]) },
    { caption: `The slots of the cache for the query at position ${position}`,
      columns: ["slot", "position", "before it"],
      rows: slots.map(({ held, left }, i) => [i, held ?? "free", left ?? "–"]) }];
  }
}

// ---------------------------------------------------------------- the pages of two texts

const [TOKEN, PAGE_GAP, NARROWEST] = [14, 8, 40]; // pixels: of a token, between two pages, of a page
const PAGE_ROW = 62; // pixels, from one row of pages to the next
const NAMES = ["A", "B"];

class PagesPart {
  /** @param {Model} model
   *  @param {Price} price
   *  @param {() => void} paint */
  constructor(model, price, paint) {
    /** @type {[number, number]} */
    const [prefix, written] = model.get("texts");
    /** @type {number} */
    this.pageSize = model.get("page_size");
    this.prefix = prefix;
    this.written = written;
    this.price = price;
    this.width = 0;
    this.store = drawing("abh-store");
    this.tables = NAMES.map((name) => {
      const listed = element("span");
      return { node: element("p", { class: "abh-block-table" }, element("b", {}, `Block table of ${name}:`), " ",
        listed), listed };
    });
    this.costs = inked(new Costs("cache", ["pages", "bytes"], 2));
    this.controls = this.makeControls(paint);
    this.drawing = sideBySide(element("div", { class: "abh-wide" }, this.store,
      tools(swatch("abh-token-third", "common prefix"), swatch("abh-token-line", "what A adds"),
        swatch("abh-token-mark", "what B adds"), swatch("abh-free-slot", "free"))),
    element("div", { class: "abh-wide" }, ...this.tables.map(({ node }) => node), this.costs.node));
  }

  /** @param {() => void} paint */
  makeControls(paint) {
    /** @type {(name: string, of: "pageSize" | "prefix" | "written", min: number, max: number) => Node} */
    const size = (name, of, min, max) => slider({ label: name, min, max, value: this[of] }, (value) => {
      this[of] = value;
      paint();
    }).node;
    return [help("Text B begins with all tokens of text A, so its block table lists the same pages. Then each writes " +
      "on, B first. Change the size of a page, the length of the common prefix, and how much each adds."),
    tools(size("tokens in a page", "pageSize", 1, MOST.pageSize), size("common prefix", "prefix", 1, MOST.prefix),
      size("tokens that each adds", "written", 0, MOST.written))];
  }

  measure() {
    this.width = roomOf(this.store);
  }

  show() {
    if (!this.width) this.measure();
    const kept = pagesOf(this.pageSize, this.prefix, this.written);
    this.tables.forEach(({ listed }, text) => write(listed, kept.tables[text].join(", ")));
    this.drawPages(kept);
    this.showCosts(kept);
  }

  // ------------------------------------------------------------ words

  /** @returns {[string, string]} */
  words() {
    const { tables, pages } = pagesOf(this.pageSize, this.prefix, this.written);
    const shared = pages.filter(({ uses }) => uses.length === 2).length;
    const alone = tables[0].length + tables[1].length;
    const whose = shared ? `${shared === 1 ? "page 0 is" : `pages ${told([[0, shared - 1]])} are`} in both tables` :
      "no page is in both tables";
    return [`The two texts use ${several(pages.length, "page")}` +
      `${shared ? `, and would use ${alone} if they shared none` : ""}`,
    `${whose[0].toUpperCase()}${whose.slice(1)}. ${this.fate(pages)}`];
  }

  /** A sentence on what happens to the page on which the prefix ends.
   *  @param {Page[]} pages */
  fate(pages) {
    if (!this.written) return "As long as neither writes on, there is nothing of their own to keep.";
    const copy = pages.findIndex(({ copied }) => copied);
    if (copy < 0) return "The prefix fills its pages, so nothing has to be copied.";
    return `The prefix ends within page ${copy - 1}, so B writes on a copy of it, page ${copy}, and A on page ` +
      `${copy - 1} itself.`;
  }

  // ------------------------------------------------------------ drawings

  /** @param {Pages} kept */
  drawPages({ pages }) {
    const wide = Math.max(this.pageSize * TOKEN, NARROWEST);
    const inARow = Math.max(1, Math.floor((this.width + PAGE_GAP) / (wide + PAGE_GAP)));
    /** @type {Record<number, string>} */
    const shapes = { [EMPTY]: "", [PREFIX]: "", [A]: "", [B]: "" };
    const names = pages.flatMap(({ uses, tokens, copied }, number) => {
      const [x, y] = [(wide + PAGE_GAP) * (number % inARow), 34 + PAGE_ROW * Math.floor(number / inARow)];
      const left = x + (wide - this.pageSize * TOKEN) / 2;
      tokens.forEach((kind, i) => {
        shapes[kind] += `M${left + i * TOKEN + 0.5} ${y + 0.5}h${TOKEN - 2}v17h${2 - TOKEN}z`;
      });
      const middle = x + wide / 2;
      return [label(middle, y - 5, "abh-tick abh-middle", number),
        label(middle, y + 32, "abh-tick abh-middle", copied ? "B, copy" : uses.map((text) => NAMES[text]).join(", "))];
    });
    const paths = Object.entries({ [EMPTY]: "abh-free-slot", [PREFIX]: "abh-fill abh-third", [A]: "abh-fill abh-line",
      [B]: "abh-fill abh-mark" }).map(([kind, look]) => drawn("path", { d: shapes[Number(kind)], class: look }));
    redraw(this.store, this.width, 34 + PAGE_ROW * Math.ceil(pages.length / inARow) - 20,
      `${several(pages.length, "page")}: ${pages.map((page, number) => `${number} ${usersTold(page)}`).join(", ")}`,
      label(0, 13, "abh-title", "All pages, and whose block tables list them"), ...paths, ...names);
  }

  /** @param {Pages} kept */
  showCosts({ tables, pages }) {
    const perPage = this.pageSize * this.price.perToken;
    const alone = tables[0].length + tables[1].length;
    this.costs.show(`What is kept, at ${readable(perPage)} a page`,
      [costOf("nothing shared", "all pages of both", alone, perPage),
        { ...costOf("shared prefix", "these pages", pages.length, perPage), isHere: true }]);
  }

  /** @returns {Listing[]} */
  listing() {
    const { tables, pages } = pagesOf(this.pageSize, this.prefix, this.written);
    return [{ caption: "All pages", columns: ["page", "in the table of", "positions", "free"],
      rows: pages.map((page, number) => {
        const start = tables[page.uses[0]].indexOf(number) * this.pageSize;
        const filled = page.tokens.filter((kind) => kind !== EMPTY).length;
        return [number, usersTold(page), told([[start, start + filled - 1]]), this.pageSize - filled];
      }) }];
  }
}

/** @param {Page} page */
const usersTold = ({ uses, copied }) => uses.map((text) => NAMES[text]).join(" and ") + (copied ? " (a copy)" : "");
