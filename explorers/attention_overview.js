// Thumbnails of all heads in the attention explorer.

import { headName } from "./attention_data.js";
import { THUMB, thumbSize } from "./attention_layout.js";
import { range, shrunk } from "./numbers.js";
import { element, inTheme, prepared, raster, ring } from "./page.js";

/** @import { Data } from "./attention_data.js" */
/** @import { Color } from "./numbers.js" */
/** @import { Theme } from "./page.js" */
/** @typedef {{ layer: number, head: number }} Head */

const TOP = 18; // height of the line with the numbers of the heads

export class Overview {
  /** @param {Data} data
   *  @param {(layer: number, head: number) => void} onChoose */
  constructor(data, onChoose) {
    this.data = data;
    this.left = data.hasLayers ? THUMB.names : 2;
    this.size = 0; // of each picture, in pixels; known when it is drawn, like their colors
    /** @type {Color[]} */
    this.table = [];
    /** @type {HTMLCanvasElement[]} */
    this.pictures = [];
    const what = data.layers > 1 ? `${data.layers} layers of ${data.heads} heads` : `${data.heads} heads`;
    this.canvas = element("canvas", { role: "img",
      "aria-label": `All ${what}, small; choose one above or by clicking` });
    this.node = element("div", { class: "abh-overview" }, this.canvas);
    this.canvas.addEventListener("click", (event) => {
      const found = this.under(event);
      if (found) onChoose(found.layer, found.head);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const found = this.under(event);
      this.canvas.title = found ? headName(data, found.layer, found.head) : "";
    });
  }

  get pitch() {
    return this.size + THUMB.gap;
  }

  /** The head under the pointer.
   *  @param {MouseEvent} event
   *  @returns {Head | null} */
  under(event) {
    const layer = Math.floor((event.offsetY - TOP) / this.pitch);
    const head = Math.floor((event.offsetX - this.left) / this.pitch);
    return layer >= 0 && layer < this.data.layers && head >= 0 && head < this.data.heads ? { layer, head } : null;
  }

  /** @param {number} width of the explorer
   *  @param {Theme} theme
   *  @param {Head} chosen */
  draw(width, theme, chosen) {
    const { layers, heads } = this.data;
    this.resize(thumbSize(this.data, width - this.left), inTheme(this.data.table, theme));
    const { left, size, pitch } = this;
    const pen = prepared(this.canvas, left + heads * pitch + 2, TOP + layers * pitch + 2);
    this.drawNames(pen, theme);
    this.pictures.forEach((picture, i) => {
      const x = left + (i % heads) * pitch;
      const y = TOP + Math.floor(i / heads) * pitch;
      pen.imageSmoothingEnabled = false;
      pen.drawImage(picture, x, y, size, size);
      if (i === chosen.layer * heads + chosen.head) ring(pen, [x, y, size, size], theme.mark, 2);
    });
  }

  /** Make the pictures again if their size or the theme has changed.
   *  @param {number} size
   *  @param {Color[]} table */
  resize(size, table) {
    if (this.size === size && this.table === table) return;
    const { layers, heads, matrix } = this.data;
    this.size = size;
    this.table = table;
    this.pictures = range(layers * heads).map((i) =>
      raster(shrunk(matrix(Math.floor(i / heads), i % heads), size), table));
  }

  /** @param {CanvasRenderingContext2D} pen
   *  @param {Theme} theme */
  drawNames(pen, theme) {
    const { layers, heads, hasLayers } = this.data;
    const { left, size, pitch } = this;
    pen.font = `400 11px ${theme.family}`;
    pen.fillStyle = theme.faint;
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    const name = size >= 48 ? "head " : "";
    for (let head = 0; head < heads; head++) pen.fillText(name + head, left + head * pitch + size / 2, TOP / 2);
    pen.textAlign = "left";
    if (hasLayers && !name) pen.fillText("head", 2, TOP / 2);
    for (let layer = 0; hasLayers && layer < layers; layer++) {
      pen.fillText(`layer ${layer}`, 2, TOP + layer * pitch + size / 2);
    }
  }
}
