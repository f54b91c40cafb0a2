// Keys of the host, by the names that they have on a US keyboard.

const NAMES = {
  Escape: "ESC", Minus: "-", Equal: "=", Backspace: "BKSP", BracketLeft: "[", BracketRight: "]", Enter: "ENTER", Semicolon: ";",
  Quote: "'", Backquote: "`", Backslash: "\\", Comma: ",", Period: ".", Slash: "/", Space: "SP", CapsLock: "CAPSLOCK",
  ShiftLeft: "LSHIFT", ShiftRight: "RSHIFT", NumLock: "NUMLOCK", ScrollLock: "SCROLLLOCK", Pause: "PAUSE",
  ArrowUp: "UP", ArrowDown: "DOWN", ArrowLeft: "LEFT", ArrowRight: "RIGHT", Home: "HOME", End: "END", PageUp: "PGUP", PageDown: "PGDN",
  Insert: "INS", Delete: "DEL", NumpadAdd: "KP+", NumpadSubtract: "KP-", NumpadMultiply: "KP*", NumpadDivide: "KP/", NumpadDecimal: "KP.",
  NumpadEnter: "KPENTER", IntlBackslash: "\\",
};

/** Keys that stay the browser's: to leave, to load again, the full screen, its tools. */
const BROWSER = new Set(["Tab", "F5", "F6", "F11", "F12"]);

/** What a key of the keyboard is called, or null where the PC has none. */
export function nameOf(code) {
  const named = /^(?:Key([A-Z])|Digit(\d)|(F\d+)|Numpad(\d))$/.exec(code);
  if (!named) return NAMES[code] ?? null;
  const [, letter, digit, functionKey, keypad] = named;
  return letter?.toLowerCase() ?? digit ?? functionKey ?? `KP${keypad}`;
}

/** Whether a key is the program's: what goes with Ctrl, Alt or Command is the browser's, unless it makes a character. */
function isOurs(event) {
  const makesCharacter = event.getModifierState("AltGraph") && event.key.length === 1;
  return !event.isComposing && !event.metaKey && !BROWSER.has(event.code) && (makesCharacter || !(event.ctrlKey || event.altKey));
}

/** Gives an element's keys to the machine while it has the focus. */
export function listen(element, machine) {
  const down = new Set();
  element.addEventListener("keydown", (event) => {
    const name = nameOf(event.code);
    if (!name || !isOurs(event)) return;
    event.preventDefault();
    down.add(name);
    machine.key(name, true, [...event.key].length === 1 ? event.key : null);
  });
  element.addEventListener("keyup", (event) => {
    // What went down goes up, whatever else is held by now.
    const name = nameOf(event.code);
    if (!down.delete(name)) return;
    event.preventDefault();
    machine.key(name, false);
  });
  element.addEventListener("blur", () => {
    down.clear();
    machine.releaseKeys();
  });
}
