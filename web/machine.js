// The page's interface to the machine's worker.

export class Machine {
  #worker = new Worker("worker.js", { type: "module" });
  #asked = new Map();
  #next = 1;

  /** Calls `tell` with each state. */
  constructor(canvas, tell) {
    this.#worker.onmessage = ({ data: { id, state, error, ...answer } }) => {
      if (state) return tell(state);
      const { resolve, reject } = this.#asked.get(id);
      this.#asked.delete(id);
      error ? reject(new Error(error)) : resolve(answer);
    };
    const screen = canvas.transferControlToOffscreen();
    this.opened = this.#send("open", { canvas: screen, module: "oxbox.wasm" }, undefined, [screen]);
  }

  #send(what, value, bytes, transfer = []) {
    const id = this.#next++;
    this.#worker.postMessage({ id, what, value, bytes }, transfer);
    return new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }));
  }

  /** Starts a program. Returns whether its keys reproduce its state. */
  async start(request, bytes) { return (await this.#send("start", request, bytes)).value; }
  run(value) { return this.#send("run", value); }
  rewind(value) { return this.#send("rewind", value); }
  resize(width, height) { return this.#send("size", { width, height }); }
  speaker(port) { return this.#send("speaker", port, undefined, [port]); }
  async shot() { return (await this.#send("shot")).value; }

  /** Sends a request. Returns its answer. */
  async ask(request) { return (await this.#send("ask", request)).value; }
  askBytes(request, bytes) { return this.#send("ask", request, bytes); }

  // These fail silently before a program runs.
  key(name, down, typed = null) { return this.ask({ do: "key", name, typed, down }).catch(() => null); }
  releaseKeys() { return this.ask({ do: "release_keys" }).catch(() => null); }
}
