// The view of registers, code and memory beside the screen.

const element = (id) => document.getElementById(id);

export class Study {
  #machine;
  #pause;
  #registers = {};
  #state = { ms: 0, end_ms: 0 };
  isOpen = false;
  /** The sources that the debug information names: paths on the site. */
  sources = {};
  #texts = new Map();

  /** `pause` stops the clock. */
  constructor(machine, pause) {
    this.#machine = machine;
    this.#pause = pause;
    element("back").onclick = () => this.#go({ do: "step", back: true });
    element("step").onclick = () => this.#go({ do: "step", back: false });
    element("time").oninput = ({ target }) => this.#go({ do: "go", ms: Number(target.value) });
    element("address").onchange = () => this.show();
  }

  /** Stops the clock and moves to another position. */
  async #go(request) {
    await this.#pause();
    await this.#machine.ask(request);
    await this.show();
  }

  /** Goes to the instruction that wrote a point of the picture, given in its pixels. */
  async who(x, y) {
    await this.#pause();
    const found = await this.#machine.ask({ do: "who", x, y });
    await this.show();
    return found;
  }

  open(value) {
    this.isOpen = value;
    element("study").hidden = !value;
    document.body.classList.toggle("studying", value);
    element("study-button").setAttribute("aria-expanded", value);
    if (value) this.show();
  }

  /** Called by the clock. */
  tell(state) {
    this.#state = state;
    if (this.isOpen) this.show();
  }

  async show() {
    const { ms, end_ms } = this.#state;
    Object.assign(element("time"), { max: Math.max(end_ms, ms), value: ms });
    const view = await this.#machine.ask({ do: "study", lines: 14 });
    element("moment").value = `${(ms / 1000).toFixed(3)} s, ${view.instructions.toLocaleString("en")} instructions`;
    this.#registers = Object.fromEntries(view.registers);
    const pairs = [...view.registers, ["flags", view.flags]];
    element("registers").replaceChildren(...pairs.flatMap(([name, value]) => [text("dt", name), text("dd", value)]));
    element("code").replaceChildren(...view.code.flatMap(instruction));
    await this.#showSource(view.code[0].source);
    await this.#showMemory();
  }

  /** Shows the source line of the next instruction, with the lines around it. */
  async #showSource(source) {
    const [file, line] = source ?? [];
    const lines = await this.#textOf(file);
    element("source").hidden = !lines;
    if (!lines) return;
    element("source-file").textContent = `${file}:${line}`;
    const box = element("source-lines");
    if (box.dataset.file !== file) {
      box.dataset.file = file;
      box.replaceChildren(...lines.map((content, index) => {
        const row = text("span", content || " ");
        row.dataset.line = index + 1;
        return row;
      }));
    }
    box.querySelector(".now")?.classList.remove("now");
    const now = box.children[line - 1];
    if (!now) return;
    now.classList.add("now");
    box.scrollTop = now.offsetTop - box.offsetTop - box.clientHeight / 2;
  }

  /** Returns the lines of a source; undefined if the site does not have it. */
  async #textOf(file) {
    const path = this.sources[file];
    if (path && !this.#texts.has(path)) {
      const response = await fetch(path).catch(() => null);
      this.#texts.set(path, response?.ok ? (await response.text()).split(/\r?\n/) : undefined);
    }
    return this.#texts.get(path);
  }

  async #showMemory() {
    const input = element("address");
    const address = this.#linear(input.value);
    input.setAttribute("aria-invalid", address === null);
    if (address === null) return;
    const { bytes } = await this.#machine.askBytes({ do: "memory", address, length: 64 });
    const lines = [];
    for (let at = 0; at < bytes.length; at += 8) {
      const row = [...bytes.subarray(at, at + 8)];
      const hex = row.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
      const characters = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
      lines.push(`${(address + at).toString(16).toUpperCase().padStart(5, "0")}  ${hex}  ${characters}`);
    }
    element("memory").textContent = lines.join("\n");
  }

  /**
   * Parses `DS:0100`, `B800:0`, `SS:SP` or a linear address in hexadecimal; null if it is invalid.
   */
  #linear(text) {
    const number = (word) => {
      const name = word.trim().toUpperCase();
      const value = this.#registers[name] ?? this.#registers[`E${name}`]?.slice(4) ?? name;
      return /^[0-9A-F]{1,8}$/.test(value) ? parseInt(value, 16) : NaN;
    };
    const [segment, offset] = text.includes(":") ? text.split(":").map(number) : [0, number(text)];
    const address = segment * 16 + offset;
    return Number.isNaN(address) ? null : address;
  }
}

/** Returns the row of an instruction, after its label. */
function instruction({ place, bytes, text: words, name }, index) {
  const row = document.createElement("li");
  if (index === 0) row.className = "now";
  row.append(text("span", place), text("span", bytes.length > 29 ? `${bytes.slice(0, 28)}…` : bytes), text("span", words));
  const above = name ? [Object.assign(document.createElement("li"), { className: "name", textContent: `${name}:` })] : [];
  return [...above, row];
}

function text(name, content) {
  return Object.assign(document.createElement(name), { textContent: content });
}
