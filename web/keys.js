// The host's keys, by their names on a US keyboard.

const NAMES = {
  Escape: "ESC", Minus: "-", Equal: "=", Backspace: "BKSP", BracketLeft: "[", BracketRight: "]", Enter: "ENTER", Semicolon: ";",
  Quote: "'", Backquote: "`", Backslash: "\\", Comma: ",", Period: ".", Slash: "/", Space: "SP", CapsLock: "CAPSLOCK",
  ShiftLeft: "LSHIFT", ShiftRight: "RSHIFT", NumLock: "NUMLOCK", ScrollLock: "SCROLLLOCK", Pause: "PAUSE",
  ArrowUp: "UP", ArrowDown: "DOWN", ArrowLeft: "LEFT", ArrowRight: "RIGHT", Home: "HOME", End: "END", PageUp: "PGUP", PageDown: "PGDN",
  Insert: "INS", Delete: "DEL", NumpadAdd: "KP+", NumpadSubtract: "KP-", NumpadMultiply: "KP*", NumpadDivide: "KP/", NumpadDecimal: "KP.",
  NumpadEnter: "KPENTER", IntlBackslash: "\\",
};

/** Keys that the browser keeps: focus, reload, full screen, developer tools. */
const BROWSER = new Set(["Tab", "F5", "F6", "F11", "F12"]);

/** Returns the name of a key, or null if a PC keyboard does not have it. */
export function nameOf(code) {
  const named = /^(?:Key([A-Z])|Digit(\d)|(F\d+)|Numpad(\d))$/.exec(code);
  if (!named) return NAMES[code] ?? null;
  const [, letter, digit, functionKey, keypad] = named;
  return letter?.toLowerCase() ?? digit ?? functionKey ?? `KP${keypad}`;
}

/**
 * Whether a key goes to the program. The browser keeps combinations with Ctrl, Alt or Command that
 * type no character.
 */
function isOurs(event) {
  const makesCharacter = event.getModifierState("AltGraph") && event.key.length === 1;
  return !event.isComposing && !event.metaKey && !BROWSER.has(event.code) && (makesCharacter || !(event.ctrlKey || event.altKey));
}

/** Sends keys to the machine while the element has the focus. */
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
    // A key that went down is released whatever modifiers are held.
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
