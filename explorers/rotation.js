// The rotation explorer: the pairs of features of a query and a key, turned by their positions, and what each pair adds
// to the score.

import { Chart, drawn } from "./charts.js";
import { floats, precise, range, sum } from "./numbers.js";
import { choice, element, explorer, frame, help, numberSlider, oncePerFrame, spoken, tools, write } from "./page.js";
import { Reading } from "./tables.js";

/** @import { Numbers } from "./numbers.js" */
/** @import { Point } from "./charts.js" */
/** @import { Model } from "./page.js" */
/** @typedef {"query" | "key"} Which */

const MOST_POSITION = 1000; // of the key
const MOST_DISTANCE = 64; // from the key to the query
const RADIUS = 31; // of a circle, in pixels
const LONGEST = 28; // of an arrow, in pixels
const HEAD = 7; // of an arrow's head, in pixels

// ---------------------------------------------------------------- arithmetic

/** How many radians each of the pairs turns per position.
 *  @param {number} pairs
 *  @param {number} base */
const speedsOf = (pairs, base) => range(pairs).map((i) => base ** (-i / pairs));

/** What each pair adds to the score of a query and a key that are `distance` apart: the dot product of their arrows,
 *  after the query's has turned further by that distance.
 *  @param {Numbers} q
 *  @param {Numbers} k
 *  @param {number[]} speeds
 *  @param {number} distance */
function scoresOf(q, k, speeds, distance) {
  return speeds.map((speed, i) => {
    const [a, b, c, d] = [q[2 * i], q[2 * i + 1], k[2 * i], k[2 * i + 1]];
    return (a * c + b * d) * Math.cos(distance * speed) + (a * d - b * c) * Math.sin(distance * speed);
  });
}

/** An axis whose ends and ticks are round numbers, from the least to the largest of the values and with room for 0.
 *  @param {number[]} values
 *  @param {string} label */
export function axisOver(values, label) {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const rough = (most - least || 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const pace = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const first = Math.floor(least / pace);
  const last = Math.max(Math.ceil(most / pace), first + 1); // even if all scores are 0
  const ticks = range(last - first + 1).map((i) => Number(((first + i) * pace).toPrecision(6)));
  return { from: ticks[0], to: ticks[ticks.length - 1], ticks, label };
}

// ---------------------------------------------------------------- formatting

/** A number without needless decimals.
 *  @param {number} value */
const short = (value) => String(Number(value.toFixed(4)));

/** @param {number} speed */
function pace(speed) {
  const circle = (2 * Math.PI) / speed;
  const positions = circle.toLocaleString("en-US", { maximumFractionDigits: circle < 10 ? 1 : 0 });
  const unit = speed === 1 ? "radian" : "radians";
  return `${Number(speed.toPrecision(3))} ${unit} per position, full circle in ${positions}`;
}

// ---------------------------------------------------------------- the view

export default explorer((model) => new RotationView(model), (view) => {
  view.chart.measure();
  view.paint();
});

class RotationView {
  /** @param {Model} model */
  constructor(model) {
    /** @type {[number, number]} */
    const [position, distance] = model.get("places");
    this.q = floats(model.get("q"));
    this.k = floats(model.get("k"));
    this.speeds = speedsOf(this.q.length / 2, model.get("base"));
    this.position = position; // of the key
    this.distance = distance; // from there to the query
    this.pair = 0; // whose curve is shown
    this.every = range(MOST_DISTANCE + 1).map((d) => scoresOf(this.q, this.k, this.speeds, d));
    this.sums = this.every.map(sum);
    this.paint = oncePerFrame(() => this.show());
    this.longest = Math.max(...this.lengths(this.q), ...this.lengths(this.k));
    this.dials = this.speeds.map((_, i) => this.dial(i));
    this.readout = spoken(true);
    this.chart = new Chart({ height: 220,
      x: { from: 0, to: MOST_DISTANCE, ticks: range(9).map((i) => 8 * i), label: "distance" },
      y: axisOver([...this.sums, ...this.every.flat()], "score") });
    this.reading = new Reading(() => this.listing());
    this.root = this.build();
  }

  /** The lengths of the arrows of a query or key.
   *  @param {Numbers} x */
  lengths(x) {
    return this.speeds.map((_, i) => Math.hypot(x[2 * i], x[2 * i + 1]));
  }

  // ------------------------------------------------------------ elements

  build() {
    const position = numberSlider({ label: "position of the key", min: 0, max: MOST_POSITION, value: this.position },
      (to) => this.set({ position: to }));
    const distance = numberSlider({ label: "distance to the query", min: 0, max: MOST_DISTANCE, value: this.distance },
      (to) => this.set({ distance: to }));
    const pairs = choice("pair", this.dials.map(({ card }, i) => [i, card]), this.pair, (pair) => this.set({ pair }));
    pairs.classList.add("abh-dials");
    const what = "Each circle is a pair of features: the query's arrow and the key's, turned by their positions, and " +
      "their dot product. Move the key, and the query keeps its distance; or change the distance. Choose a pair to " +
      "see its curve.";
    return frame(help(what), tools(position, distance), this.readout.node,
      tools(this.sample("query"), this.sample("key")), pairs, element("div", {}, this.chart.node), this.reading.node);
  }

  /** A circle with the two arrows of a pair, and its score.
   *  @param {number} i */
  dial(i) {
    const [query, key] = [this.arrow("query", this.q, i), this.arrow("key", this.k, i)];
    const score = element("span", { class: "abh-number" });
    const size = 2 * RADIUS + 4;
    const circle = drawn("svg", { class: "abh-turning", width: size, height: size,
      viewBox: `${-size / 2} ${-size / 2} ${size} ${size}`, "aria-hidden": "true" },
    drawn("circle", { r: RADIUS }), key, query);
    const card = element("span", { class: "abh-dial" }, element("span", {}, `pair ${i}`), circle, score);
    return { card, query, key, score };
  }

  /** An arrow before it is turned.
   *  @param {Which} which
   *  @param {Numbers} x
   *  @param {number} i */
  arrow(which, x, i) {
    const length = (LONGEST * Math.hypot(x[2 * i], x[2 * i + 1])) / this.longest;
    return drawn("g", { class: `abh-${which}` }, ...arrowOf(length));
  }

  /** A legend for the arrows of queries or keys.
   *  @param {Which} which */
  sample(which) {
    const arrow = drawn("g", { class: `abh-${which}` }, ...arrowOf(LONGEST));
    const picture = drawn("svg", { class: "abh-turning", width: LONGEST + 2, height: 14,
      viewBox: `-1 -7 ${LONGEST + 2} 14`, "aria-hidden": "true" }, arrow);
    return element("span", { class: "abh-legend" }, picture, which);
  }

  /** Change what the reader controls, and show it in the next frame.
   *  @param {Partial<Pick<RotationView, "position" | "distance" | "pair">>} changes */
  set(changes) {
    Object.assign(this, changes);
    this.paint();
  }

  // ------------------------------------------------------------ display

  show() {
    this.turn();
    this.showChart();
    this.speak();
    this.reading.show();
  }

  turn() {
    const scores = this.every[this.distance];
    this.dials.forEach(({ query, key, score }, i) => {
      turnTo(query, this.angle(this.q, i, this.position + this.distance));
      turnTo(key, this.angle(this.k, i, this.position));
      write(score, precise(scores[i]));
    });
  }

  /** The angle of a pair's arrow at a position, in radians.
   *  @param {Numbers} x
   *  @param {number} i
   *  @param {number} position */
  angle(x, i, position) {
    return Math.atan2(x[2 * i + 1], x[2 * i]) + position * this.speeds[i];
  }

  showChart() {
    const { pair, distance } = this;
    /** @type {(values: number[]) => Point[]} */
    const points = (values) => values.map((value, d) => [d, value]);
    const ofPair = this.every.map((scores) => scores[pair]);
    this.chart.draw({
      title: "Score at each distance, wherever the two stand",
      says: `score at each distance; at ${distance}: all pairs ${precise(this.sums[distance])}, ` +
        `pair ${pair} ${precise(ofPair[distance])}`,
      curves: [{ name: "all pairs", kind: "line", points: points(this.sums) },
        { name: `pair ${pair}`, kind: "mark", dashed: true, points: points(ofPair) }],
      rules: [distance],
      dots: [{ at: [distance, this.sums[distance]], kind: "line" },
        { at: [distance, ofPair[distance]], kind: "mark" }],
    });
  }

  speak() {
    const { position, distance, pair, speeds } = this;
    const [q, k] = [position + distance, position].map((place) => short(place * speeds[pair]));
    this.readout.say(`query at ${position + distance}, key at ${position}: score ${precise(this.sums[distance])}, ` +
      `the sum of ${speeds.length} pairs`,
      `Pair ${pair} turns by ${pace(speeds[pair])}. Here the query has turned by ${q} radians and the key by ${k}; ` +
      `the pair adds ${precise(this.every[distance][pair])} to the score.`);
  }

  /** The circles and the chart as tables.
   *  @returns {import("./tables.js").Listing[]} */
  listing() {
    const { position, distance, pair } = this;
    const scores = this.every[distance];
    return [{ caption: `Query at ${position + distance}, key at ${position}, pair by pair (radians)`,
      columns: ["pair", "per position", "query turned", "key turned", "score"],
      rows: this.speeds.map((speed, i) => [i, Number(speed.toPrecision(3)), short((position + distance) * speed),
        short(position * speed), precise(scores[i])]) },
    { caption: "Score at each distance", columns: ["distance", "all pairs", `pair ${pair}`],
      rows: this.sums.map((score, d) => [d, precise(score), precise(this.every[d][pair])]) }];
  }
}

/** A shaft and a head that point to the right.
 *  @param {number} length */
function arrowOf(length) {
  const head = Math.min(HEAD, length);
  return [drawn("line", { x1: 0, y1: 0, x2: length - head, y2: 0 }),
    drawn("path", { d: `M${length - head} ${-head / 2}L${length} 0L${length - head} ${head / 2}Z` })];
}

/** Turn an arrow; on the page y points down, so a turn to the left is negative.
 *  @param {Element} arrow
 *  @param {number} angle in radians */
function turnTo(arrow, angle) {
  arrow.setAttribute("transform", `rotate(${((-angle * 180) / Math.PI % 360).toFixed(2)})`);
}
