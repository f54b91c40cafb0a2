// The machine's picture on a canvas: the monitor's shape, sharp at every size.

export class Picture {
  #canvas;
  #context;
  /**
   * The picture with one pixel per guest pixel, and enlarged by whole numbers as the source for
   * scaling.
   */
  #guest = new OffscreenCanvas(1, 1);
  #large = new OffscreenCanvas(1, 1);
  #shape = [4, 3];

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false });
  }

  /** Sets the size of the canvas in display pixels. */
  resize(width, height) {
    [this.#canvas.width, this.#canvas.height] = [Math.max(1, width), Math.max(1, height)];
    this.#draw();
  }

  show({ width, height, aspect: [x, y] }, bytes) {
    if (!width || !height) return;
    [this.#guest.width, this.#guest.height] = [width, height];
    this.#shape = [width * x, height * y];
    const data = new ImageData(new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.length), width, height);
    this.#guest.getContext("2d").putImageData(data, 0, 0);
    this.#draw();
  }

  /** Returns the picture as a PNG file. */
  file() {
    return this.#guest.convertToBlob({ type: "image/png" });
  }

  #draw() {
    const { width, height } = this.#canvas;
    const scale = Math.min(width / this.#shape[0], height / this.#shape[1]);
    const [w, h] = this.#shape.map((side) => Math.round(side * scale));
    const [left, top] = [(width - w) >> 1, (height - h) >> 1];
    const context = this.#context;
    context.fillStyle = "#000";
    context.fillRect(0, 0, width, height);
    const across = Math.ceil(w / this.#guest.width), down = Math.ceil(h / this.#guest.height);
    const isWhole = across * this.#guest.width === w && down * this.#guest.height === h;
    const source = isWhole ? this.#guest : this.#enlarged(across, down);
    // Enlarging by whole numbers and then shrinking by less than half keeps all strokes equally
    // wide, with edges of less than a pixel. The lowest quality is sufficient for that, and a third
    // faster.
    context.imageSmoothingEnabled = !isWhole;
    context.imageSmoothingQuality = "low";
    context.drawImage(source, left, top, w, h);
  }

  #enlarged(across, down) {
    const [width, height] = [this.#guest.width * across, this.#guest.height * down];
    [this.#large.width, this.#large.height] = [width, height];
    const context = this.#large.getContext("2d", { alpha: false });
    context.imageSmoothingEnabled = false;
    context.drawImage(this.#guest, 0, 0, width, height);
    return this.#large;
  }
}
