// What every explorer draws with. A widget has room for one module, so base.py joins this file and the
// explorer's own; nothing here is exported, and nothing is fetched.

// ---------------------------------------------------------------- elements

/** A new element: element("label", { class: "abh-control" }, "Head ", select). */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** The frame of an explorer. JupyterLab's one-key shortcuts are kept out: here the arrow keys walk. */
function frame(...children) {
  return element("div", { class: "abh", "data-lm-suppress-shortcuts": "true" }, ...children);
}

/** A labelled native select over 0 .. count - 1. */
function chooser(label, count, onChoose) {
  const select = element("select");
  for (let i = 0; i < count; i++) select.append(element("option", { value: i }, String(i)));
  select.addEventListener("change", () => onChoose(Number(select.value)));
  return { select, label: element("label", { class: "abh-control" }, label, select) };
}

/** The scale of colours, 0 to 1, with its unit. */
function legend(table, unit) {
  const stops = [0, 32, 64, 96, 128, 160, 192, 224, 255].map((i) => css(table[i]));
  const bar = element("span", { class: "abh-bar" });
  bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  return element("span", { class: "abh-legend", role: "img", "aria-label": `colours: ${unit} 0 is light, 1 is dark` },
    `${unit} 0`, bar, "1");
}

// ---------------------------------------------------------------- numbers and colours

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** The float32 numbers of a binary trait. The bytes are copied: they may not start at a multiple of four. */
function floats(view) {
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

/** The 256 colours of a binary trait as [red, green, blue]. */
function colours(view) {
  return Array.from({ length: 256 }, (_, i) => [0, 1, 2].map((channel) => view.getUint8(3 * i + channel)));
}

const INK = "#1b2a41"; // on the squares, whose colours are the same in every theme

const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

/** The place in the table, as matplotlib finds it: 256 equal steps, and 1 belongs to the last. */
const step = (value) => clamp(Math.floor(value * 256), 0, 255);

/** White ink on dark squares, dark ink on light ones, as in plots.py. */
function inkOn([red, green, blue]) {
  return 0.3 * red + 0.59 * green + 0.11 * blue < 127.5 ? "#ffffff" : INK;
}

/** Four decimals, as the course prints its tensors; a weight that only rounds to 0 is told from a true 0. */
function exact(value) {
  return value > 0 && value < 0.00005 ? "less than 0.0001" : value.toFixed(4);
}

/** A picture with one pixel for each number: values is (height, width), row after row. */
function raster({ values, width, height }, table) {
  const canvas = Object.assign(element("canvas"), { width, height });
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const packed = table.map(([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red);
  for (let i = 0; i < values.length; i++) pixels[i] = packed[step(values[i])];
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** The same numbers in at most `most` squares a side; a square has the largest value under it. */
function shrunk({ values, width, height }, most) {
  const wide = Math.min(width, most);
  const high = Math.min(height, most);
  const out = new Float32Array(wide * high);
  for (let i = 0; i < height; i++) {
    const row = Math.floor((i * high) / height) * wide;
    for (let j = 0; j < width; j++) {
      const place = row + Math.floor((j * wide) / width);
      out[place] = Math.max(out[place], values[i * width + j]);
    }
  }
  return { values: out, width: wide, height: high };
}

// ---------------------------------------------------------------- canvases and text

/** Give a canvas its size in CSS pixels, sharp on every screen, and empty it. */
function prepared(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    Object.assign(canvas, { width: wide, height: high });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

/** A word that fits the width, with an ellipsis where it had to be cut. */
function fitted(pen, word, width) {
  if (pen.measureText(word).width <= width) return word;
  let length = word.length - 1;
  while (length > 1 && pen.measureText(word.slice(0, length) + "…").width > width) length--;
  return word.slice(0, length) + "…";
}

/** Which of many labels to write: the first in `order` that keep `apart` pixels from those chosen before. */
function spaced(order, position, apart) {
  const chosen = [];
  for (const i of order) {
    const here = position(i);
    if (chosen.every((other) => Math.abs(position(other) - here) >= apart)) chosen.push(i);
  }
  return chosen;
}

// ---------------------------------------------------------------- the page around

/** The colours and the font of the page, read from the style sheet, which reads JupyterLab's theme. */
function theme(node) {
  const style = getComputedStyle(node);
  const colour = (name) => style.getPropertyValue(`--abh-${name}`).trim();
  return { ink: colour("ink"), faint: colour("faint"), paper: colour("paper"), line: colour("line"),
    mark: colour("mark"), family: style.fontFamily };
}

/** Call back when the theme, the size of the node or the sharpness of the screen may have changed. */
function onSurroundings(node, callback) {
  const size = new ResizeObserver(callback);
  size.observe(node);
  const themes = new MutationObserver(() => {
    callback();
    setTimeout(callback, 200); // JupyterLab may hide the page for a moment while it changes its theme
  });
  for (const place of [document.body, document.documentElement]) {
    themes.observe(place, { attributes: true,
      attributeFilter: ["class", "theme", "data-jp-theme-name", "data-jp-theme-light"] });
  }
  window.addEventListener("resize", callback);
  return () => {
    size.disconnect();
    themes.disconnect();
    window.removeEventListener("resize", callback);
  };
}

/** A function that paints once in the next frame, however often it is called before. */
function oncePerFrame(paint) {
  let waiting = 0;
  return () => {
    if (waiting) return;
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      paint();
    });
  };
}
