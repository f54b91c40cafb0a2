// Keys on the page, for devices without a keyboard: the keys of the game, arranged like its board.

const NINE = ["7 8 9", "4 5 6", "1 2 3"];
const FROM_ZERO = ["0 1 2", "3 4 5", "6 7 8"];

/** For each game: rows as on its board, and the other keys. */
const PADS = {
  ttt1: { rows: FROM_ZERO, more: "q" },
  eecs2100: { rows: NINE, more: "SP y n" },
  grid18: { rows: ["1 2 3"], more: "n q ESC" },
  oxo: { rows: ["1 2 3", "8 . 4", "7 6 5"], more: "q" },
  chip: { rows: FROM_ZERO, more: "u c q" },
};
const OTHERS = { rows: ["ESC UP ENTER", "LEFT DOWN RIGHT"], more: "SP y n", text: true };

/** The cells of a picture: their edges in pixels, across and down, and their keys. */
const BOARDS = {
  eecs2100: { size: [320, 240], across: [90, 136, 179, 228], down: [50, 96, 142, 188], keys: NINE, else: "SP" },
};

const LABELS = { SP: "Space", ESC: "Esc", ENTER: "Enter", UP: "↑", DOWN: "↓", LEFT: "←", RIGHT: "→" };

/** Duration of a touch in milliseconds. */
const TOUCH = 60;

/** Presses and releases a key. */
export async function strike(machine, name, typed = null) {
  machine.key(name, true, typed);
  await new Promise((resolve) => setTimeout(resolve, TOUCH));
  machine.key(name, false);
}

/** Shows the keys of a game in an element. */
export function show(element, game, machine) {
  const { rows, more, text } = PADS[game] ?? OTHERS;
  const lines = [...rows.map((keys) => row(keys, "row")), row(more, "row more")];
  if (text) lines.push(keyboard());
  element.replaceChildren(...lines);

  function row(keys, className) {
    const line = Object.assign(document.createElement("div"), { className });
    line.append(...keys.split(" ").map(button));
    return line;
  }

  function button(name) {
    const key = Object.assign(document.createElement("button"), { type: "button", textContent: LABELS[name] ?? name.toUpperCase() });
    if (name === ".") key.style.visibility = "hidden";
    const press = (down) => (event) => {
      if (down === key.classList.contains("down")) return;
      event.preventDefault();
      key.classList.toggle("down", down);
      machine.key(name, down);
    };
    key.addEventListener("pointerdown", press(true));
    for (const type of ["pointerup", "pointercancel", "pointerleave"]) key.addEventListener(type, press(false));
    key.addEventListener("contextmenu", (event) => event.preventDefault());
    // A click from the keyboard or a screen reader.
    key.addEventListener("click", ({ detail }) => detail === 0 && strike(machine, name));
    return key;
  }

  /** A text field that opens the host's on-screen keyboard. */
  function keyboard() {
    const line = Object.assign(document.createElement("div"), { className: "row more" });
    const input = document.createElement("input");
    Object.assign(input, { placeholder: "Type here", autocapitalize: "none", autocomplete: "off", spellcheck: false });
    input.setAttribute("aria-label", "Type to the program");
    input.addEventListener("input", () => {
      for (const typed of input.value) machine.ask({ do: "character", typed });
      input.value = "";
    });
    input.addEventListener("keydown", (event) => {
      const name = { Enter: "ENTER", Backspace: "BKSP" }[event.key];
      if (name) strike(machine, name);
    });
    line.append(input);
    return line;
  }
}

/**
 * Types the key at a point of the screen, given as fractions of its width and height: that of a
 * board's cell, or a digit.
 */
export async function touch(machine, game, x, y) {
  const board = BOARDS[game];
  if (!board) {
    const digit = nearestDigit(await machine.ask({ do: "text" }), x, y);
    if (digit) strike(machine, digit);
    return;
  }
  const place = (edges, at) => edges.findLastIndex((edge) => at >= edge);
  const [column, line] = [place(board.across, x * board.size[0]), place(board.down, y * board.size[1])];
  strike(machine, board.keys[line]?.split(" ")[column] ?? board.else);
}

/** The maximum distance of a touch from its target, as a fraction of the screen's width. */
const REACH = 0.04;

/** Returns the digit of a text screen that is nearest to a point. */
function nearestDigit(text, x, y) {
  let [best, nearest] = [null, REACH];
  text?.rows.forEach((row, line) => [...row].forEach((character, column) => {
    if (!/[0-9]/.test(character)) return;
    // The screen's aspect ratio is 4:3.
    const distance = Math.hypot((column + 0.5) / text.columns - x, 0.75 * ((line + 0.5) / text.rows.length - y));
    if (distance < nearest) [best, nearest] = [character, distance];
  }));
  return best;
}
