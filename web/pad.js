// Keys on the page, for hands without a keyboard: those of the game, as its board has them.

const NINE = ["7 8 9", "4 5 6", "1 2 3"];
const FROM_ZERO = ["0 1 2", "3 4 5", "6 7 8"];

/** By the name of a game: rows as its board has them, and the other keys. */
const PADS = {
  ttt1: { rows: FROM_ZERO, more: "q" },
  eecs2100: { rows: NINE, more: "SP y n" },
  grid18: { rows: ["1 2 3"], more: "n q ESC" },
  oxo: { rows: ["1 2 3", "8 . 4", "7 6 5"], more: "q" },
  chip: { rows: FROM_ZERO, more: "u c q" },
};
const OTHERS = { rows: ["ESC UP ENTER", "LEFT DOWN RIGHT"], more: "SP y n", text: true };

/** Where the cells of a picture are, in its pixels: edges across and down, and the key of each. */
const BOARDS = {
  eecs2100: { size: [320, 240], across: [90, 136, 179, 228], down: [50, 96, 142, 188], keys: NINE, else: "SP" },
};

const LABELS = { SP: "Space", ESC: "Esc", ENTER: "Enter", UP: "↑", DOWN: "↓", LEFT: "←", RIGHT: "→" };

/** How long a key is held that is only touched, in milliseconds. */
const TOUCH = 60;

/** Strikes a key. */
export async function strike(machine, name, typed = null) {
  machine.key(name, true, typed);
  await new Promise((resolve) => setTimeout(resolve, TOUCH));
  machine.key(name, false);
}

/** Puts the keys of a game into an element. */
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
    // By the keyboard, or by a program that reads the page aloud.
    key.addEventListener("click", ({ detail }) => detail === 0 && strike(machine, name));
    return key;
  }

  /** A line that opens the host's own keyboard. */
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

/** What a touch of the screen types, at a point given as parts of its width and height: the cell of a board, or a digit. */
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

/** How far a finger may be beside what it means, as a part of the screen's width. */
const REACH = 0.04;

/** The digit of a text screen that is next to a point. */
function nearestDigit(text, x, y) {
  let [best, nearest] = [null, REACH];
  text?.rows.forEach((row, line) => [...row].forEach((character, column) => {
    if (!/[0-9]/.test(character)) return;
    // The screen is three quarters as high as wide.
    const distance = Math.hypot((column + 0.5) / text.columns - x, 0.75 * ((line + 0.5) / text.rows.length - y));
    if (distance < nearest) [best, nearest] = [character, distance];
  }));
  return best;
}
