// Saved states of the running program, in the browser or as files that `--load-state` also opens.

import * as files from "./files.js";
import * as store from "./store.js";

const element = (id) => document.getElementById(id);

/** The first bytes of a saved state. */
const MAGIC = "OXBOXSAV";

/** Whether a file is a saved state. */
export const isState = (bytes) => new TextDecoder("latin1").decode(bytes.subarray(0, MAGIC.length)) === MAGIC;

export class States {
  #machine;
  #go;
  #program = "";
  #dialog = element("states");

  /** `go` continues from the bytes of a state. */
  constructor(machine, go) {
    this.#machine = machine;
    this.#go = go;
    element("states-close").onclick = () => this.#dialog.close();
    this.#dialog.onclick = ({ target }) => target === this.#dialog && this.#dialog.close();
  }

  /** Saves the current state. */
  async save() {
    const { value, bytes } = await this.#machine.askBytes({ do: "save", saved_at: Math.floor(Date.now() / 1000) });
    const { bytes: picture } = await this.#machine.askBytes({ do: "look" }, bytes);
    await store.keep({ ...value, bytes, picture });
    if (this.#dialog.open) await this.#show();
  }

  /** Shows the states of the program with this identity. */
  async open(program) {
    this.#program = program;
    await this.#show();
    this.#dialog.showModal();
  }

  async #show() {
    const kept = await store.kept(this.#program);
    element("states-none").hidden = kept.length > 0;
    this.#dialog.querySelector("ul").replaceChildren(...kept.map((state) => this.#item(state)));
  }

  #item(state) {
    const { id, title, ms, saved_at, width, height, picture, bytes } = state;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(picture), width, height), 0, 0);
    const when = new Date(saved_at * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    const told = `${when}, ${(ms / 1000).toFixed(1)} s`;
    const go = button(told, () => {
      this.#dialog.close();
      this.#go(bytes);
    });
    go.prepend(canvas);
    go.className = "state";
    const save = button("File", () => files.save(`${title.replace(/\.\w+$/, "").toLowerCase()}-${Math.round(ms / 1000)}s.state`, new Blob([bytes])));
    save.setAttribute("aria-label", `Save the state of ${told} as a file`);
    const forget = button("Delete", async () => {
      await store.forget(id);
      await this.#show();
    });
    forget.setAttribute("aria-label", `Delete the state of ${told}`);
    const item = document.createElement("li");
    item.append(go, save, forget);
    return item;
  }
}

function button(textContent, onclick) {
  return Object.assign(document.createElement("button"), { type: "button", textContent, onclick });
}
