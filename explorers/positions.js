// The explorer of positions: two rows of a table, what their features agree on, and their cosine against the distance.
// base.py puts shared.js in front of this file.

const STRIP = 24; // pixels, the height of a row of colours
const GAP = 3; // below each of them
const MARK = 5; // the height of the mark below the chosen feature

function render({ model, el }) {
  const view = new PositionsView(model);
  el.append(view.root);
  view.show();
  return onSurroundings(view.root, view.paint);
}

export default { render };

class PositionsView {
  constructor(model) {
    [this.T, this.C] = model.get("shape");
    [this.i, this.j] = model.get("pair");
    this.table = floats(model.get("table"));
    this.signed = colours(model.get("signed"));
    this.feature = 0;
    this.together = false;
    this.measure();
    this.paint = oncePerFrame(() => this.show());
    this.build();
  }

  // ------------------------------------------------------------ numbers

  /** The reach of the colours, the cosine of every pair, and for each distance the least, the mean and the most. */
  measure() {
    const { T } = this;
    const most = this.most = this.table.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    const square = sum(Array.from(this.table, (value) => value * value)) / this.table.length;
    this.reach = Math.min(most, 3 * Math.sqrt(square)); // one huge number shall not make all others pale
    this.productReach = Math.min(most * most, 3 * square);
    const lengths = Array.from({ length: T }, (_, i) => Math.sqrt(this.dot(i, i)));
    this.cosines = new Float64Array(T * T);
    this.apart = Array.from({ length: T }, () => ({ least: Infinity, most: -Infinity, mean: 0 }));
    for (let i = 0; i < T; i++) {
      for (let j = i; j < T; j++) {
        const cosine = this.dot(i, j) / (lengths[i] * lengths[j]);
        this.cosines[i * T + j] = this.cosines[j * T + i] = cosine;
        const all = this.apart[j - i];
        all.least = Math.min(all.least, cosine);
        all.most = Math.max(all.most, cosine);
        all.mean += cosine / (T - (j - i));
      }
    }
    this.means = Array.from({ length: 2 * T - 1 }, (_, k) => [k - T + 1, this.apart[Math.abs(k - T + 1)].mean]);
  }

  dot(i, j) {
    const { table, C } = this;
    let total = 0;
    for (let c = 0; c < C; c++) total += table[i * C + c] * table[j * C + c];
    return total;
  }

  cosine(i, j) {
    return this.cosines[i * this.T + j];
  }

  row(i) {
    return this.table.subarray(i * this.C, (i + 1) * this.C);
  }

  // ------------------------------------------------------------ elements

  build() {
    const { T, C } = this;
    this.sliders = Object.fromEntries(["i", "j"].map((which) => [which,
      slider({ label: `position ${which}`, min: 0, max: T - 1, value: this[which] }, (to) => this.move(which, to))]));
    const together = toggle("move both together", this.together, (on) => { this.together = on; });
    this.readout = spoken();
    this.names = ["", "", "product"].map((name) => element("span", { class: "abh-strip-name" }, name));
    this.canvas = element("canvas", { role: "img" });
    this.track = element("div", { class: "abh-strip-track" }, this.canvas);
    this.featureSlider = slider({ label: "feature", min: 0, max: C - 1, value: 0 }, (c) => this.point(c));
    this.canvas.addEventListener("pointermove", (event) => this.point(this.featureAt(event)));
    this.canvas.addEventListener("pointerdown", (event) => this.point(this.featureAt(event)));
    const strips = element("div", { class: "abh-strips" }, element("div", {}, ...this.names), this.track,
      this.featureSlider.node);
    this.chart = this.chartOfCosines();
    const scales = tools(this.scale("value", this.reach, this.most),
      this.scale("product", this.productReach, this.most ** 2));
    this.root = frame(tools(this.sliders.i.node, this.sliders.j.node, together.node), this.readout.node, strips, scales,
      element("div", {}, this.chart.node),
      help("Move the positions. Point at a feature, or use the slider below the strips, to read its numbers."));
  }

  scale(unit, reach, most) {
    const end = String(Number(reach.toPrecision(2)));
    const [low, high] = most > reach ? [`≤ -${end}`, `≥ ${end}`] : [`-${end}`, end];
    return legend(this.signed, unit, low, high, `colours: a ${unit} below 0 is orange, above 0 blue`);
  }

  chartOfCosines() {
    const { T } = this;
    const pace = [1, 2, 5, 10, 20, 50, 100].find((each) => (T - 1) / each <= 5.5);
    const count = Math.floor((T - 1) / pace);
    const least = Math.min(...this.apart.map((all) => all.least));
    const from = clamp(Math.floor(2 * least) / 2, -1, 0);
    const marks = Array.from({ length: (1 - from) * 4 + 1 }, (_, k) => from + k / 4);
    return new Chart({ height: 230,
      x: { from: 1 - T, to: T - 1, ticks: Array.from({ length: 2 * count + 1 }, (_, k) => (k - count) * pace),
        label: "distance j - i" },
      y: { from, to: 1, ticks: marks, label: "cosine" } });
  }

  featureAt(event) {
    const box = this.canvas.getBoundingClientRect();
    return clamp(Math.floor(((event.clientX - box.left) / box.width) * this.C), 0, this.C - 1);
  }

  // ------------------------------------------------------------ what is chosen

  /** Moved together, both stop where one of them meets the end of the table. */
  move(which, to) {
    const other = which === "i" ? "j" : "i";
    if (this.together) {
      const apart = this[other] - this[which];
      to = clamp(to, Math.max(0, -apart), this.T - 1 - Math.max(0, apart));
      this[other] = to + apart;
      this.sliders[other].set(this[other]);
      this.sliders[which].set(to);
    }
    this[which] = to;
    this.paint();
  }

  point(feature) {
    this.feature = feature;
    this.paint();
  }

  // ------------------------------------------------------------ what is shown

  /** The sizes and colours of the page are read first: reading them after a change makes the browser lay it out twice. */
  show() {
    const width = Math.max(this.track.clientWidth, 100);
    const { mark } = theme(this.root);
    const other = this.row(this.j);
    const products = Array.from(this.row(this.i), (value, c) => value * other[c]);
    this.showChart();
    this.showStrips(products, width, mark);
    this.showFeature(products);
    this.speak(products);
  }

  speak(products) {
    const { i, j } = this;
    const apart = Math.abs(j - i);
    const names = apart ? `positions ${i} and ${j}, ${apart} apart` : `position ${i} with itself`;
    this.readout.say(`${names}: cosine ${precise(this.cosine(i, j))} (dot product ${precise(this.dot(i, j))})`,
      `${this.signs(products)} ${this.others(apart)}`);
  }

  signs(products) {
    const below = products.map((product, c) => (product < 0 ? c : -1)).filter((c) => c >= 0);
    if (!below.length) return `Opposite signs in none of ${this.C} features.`;
    const left = below.filter((c) => 2 * c < this.C).length;
    return `Opposite signs in ${below.length} of ${this.C} features, ${left} of them in the left half.`;
  }

  /** What the other pairs of the same distance have to do with it. */
  others(apart) {
    const pairs = this.T - apart;
    const { least, most } = this.apart[apart];
    if (!apart) return "Every row has cosine 1 with itself.";
    if (pairs === 1) return `No other pair is ${apart} apart.`;
    if (most - least < 0.00005) return `All ${pairs} pairs ${apart} apart have this cosine: only the distance counts.`;
    return `The ${pairs} pairs ${apart} apart: ${precise(least)} to ${precise(most)}, so the place counts too.`;
  }

  showStrips(products, width, colour) {
    const { i, j, C } = this;
    const pen = prepared(this.canvas, width, 3 * (STRIP + GAP) + MARK);
    const places = (values, reach) => Array.from(values, (value) => 0.5 + value / (2 * reach));
    const squares = raster({ values: [...places(this.row(i), this.reach), ...places(this.row(j), this.reach),
      ...places(products, this.productReach)], width: C, height: 3 }, this.signed);
    pen.imageSmoothingEnabled = false;
    for (let k = 0; k < 3; k++) pen.drawImage(squares, 0, k, C, 1, 0, k * (STRIP + GAP), width, STRIP);
    this.drawMark(pen, ((this.feature + 0.5) * width) / C, 3 * (STRIP + GAP) - GAP + 1, colour);
    this.names[0].textContent = `position ${i}`;
    this.names[1].textContent = `position ${j}`;
    this.canvas.setAttribute("aria-label", `positions ${i} and ${j} and their product, feature by feature`);
  }

  /** A triangle that points up at the chosen feature. */
  drawMark(pen, x, y, colour) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x - MARK, y + MARK + 2);
    pen.lineTo(x + MARK, y + MARK + 2);
    pen.fill();
  }

  showFeature(products) {
    const { i, j, feature } = this;
    const [first, second, product] = [this.row(i)[feature], this.row(j)[feature], products[feature]].map(precise);
    this.featureSlider.set(feature, `${feature}: ${first} × ${second} = ${product}`);
  }

  showChart() {
    const { i, j, T } = this;
    const curve = Array.from({ length: T }, (_, k) => [k - i, this.cosine(i, k)]);
    this.chart.draw({
      title: `Cosine with position ${i} (dot: position ${j})`,
      says: `cosine of every position with position ${i}, against the distance; `
        + `dot: position ${j}, ${precise(this.cosine(i, j))}`,
      curves: [{ name: "mean of all pairs", points: this.means, kind: "third", dashed: true },
        { name: `position ${i}`, points: curve, kind: "line" }],
      dots: [{ at: [j - i, this.cosine(i, j)], kind: "mark" }],
    });
  }
}
