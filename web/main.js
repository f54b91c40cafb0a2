// The page: the programs, and its controls.

import { Machine } from "./machine.js";
import { Sound } from "./sound.js";
import { States, isState } from "./states.js";
import { Study } from "./study.js";
import { RATE } from "./pace.js";
import * as files from "./files.js";
import * as keys from "./keys.js";
import * as pad from "./pad.js";
import * as zip from "./zip.js";

const element = (id) => document.getElementById(id);
const [screen, veil] = [element("screen"), element("veil")];
document.body.classList.toggle("embedded", window !== window.top);

const machine = new Machine(screen.querySelector("canvas"), tell);
/**
 * For the browser's console, and for scripts that control the page. `crates/web/src/requests.rs`
 * has the requests.
 */
window.oxbox = machine;
const sound = new Sound();
const study = new Study(machine, () => run(false));
const states = new States(machine, (bytes) => goOnFrom(bytes));

/**
 * The programs of the page: `{ name, title, file, identity }`, for games also `about`, `keys`,
 * `author`, `year`, and `debug`, `sources`.
 */
let programs = [];
/**
 * The running program: name, title, files and their bytes, debug information, location of its
 * sources.
 */
let current = null;
let running = true, state = {};

/** Names of programs, links to positions: `#NAME/KEYS~HASH`. */
function fragment() {
  const [path, hash = ""] = location.hash.slice(1).split("~");
  const [name, ...link] = path.split("/");
  return { name: decodeURIComponent(name), link: link.join("/"), hash };
}

function notice(text) {
  element("notice").textContent = "";
  element("notice").textContent = text;
  clearTimeout(notice.timer);
  notice.timer = setTimeout(() => (element("notice").textContent = ""), 6000);
}

/** Shows errors to the user. */
function attempt(act) {
  return async (...given) => {
    try {
      await act(...given);
    } catch (error) {
      notice(error.message);
    }
  };
}

const open = attempt(async () => {
  const { name, link, hash } = fragment();
  const about = programs.find((known) => known.name === name.toLowerCase()) ?? programs[0];
  if (name && about.name !== name.toLowerCase()) notice(`This page has no program named ${name}.`);
  return start(await fetched(about), { link, hash });
});

async function bytesOf(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} cannot be loaded.`);
  return new Uint8Array(await response.arrayBuffer());
}

/** A program of the site. */
async function fetched({ name, title, file, debug, sources = {} }) {
  const [bytes, symbols] = await Promise.all([bytesOf(file), debug ? bytesOf(debug) : new Uint8Array()]);
  return { name, title, files: [{ name: file.split("/").pop(), length: bytes.length }], bytes, symbols, sources };
}

/** Starts a program and goes to the link's position, or continues from a saved state. */
async function start(program, { link = "", hash = "", state: saved = new Uint8Array() } = {}) {
  current = program;
  delete document.body.dataset.ready;
  const about = programs.find(({ name }) => name === program.name);
  element("title").textContent = program.title;
  document.title = `${program.title} - oxbox`;
  screen.setAttribute("aria-label", `Screen of ${program.title}. Keys go to the program; Tab leaves.`);
  element("keys").textContent = about?.keys ? `Click the screen to play. ${sentence(about.keys)}` : "Click the screen to play: keys go to the program.";
  for (const item of document.querySelectorAll("#programs li a")) {
    item.hash === `#${program.name}` ? item.setAttribute("aria-current", "page") : item.removeAttribute("aria-current");
  }
  pad.show(element("pad"), program.name, machine);
  study.sources = program.sources;
  element("transcript").firstElementChild.replaceChildren();
  // Games write no files.
  element("files").hidden = Boolean(about?.author);
  state = {};
  await machine.opened;
  const { files: named, bytes, symbols } = program;
  const request = { files: named, symbols: symbols.length, state: saved.length, link, rate: RATE };
  const isWhole = await machine.start(request, files.joined([bytes, symbols, saved]));
  if (!isWhole) notice("Its keys do not reproduce this state here, so you cannot go back before it.");
  if (hash && (await machine.ask({ do: "record" })).hash !== hash) {
    notice("This link was made with another version of the program or of oxbox. The position may differ.");
  }
  document.body.dataset.ready = program.name;
  await run(true);
}

/** Continues from a saved state, in its program. */
async function goOnFrom(bytes) {
  const { value: about } = await machine.askBytes({ do: "look" }, bytes);
  const known = programs.find(({ identity }) => identity === about.program);
  const program = about.program === state.program || !known ? current : await fetched(known);
  await start(program, { state: bytes });
  screen.focus();
}

const sentence = (text) => text[0].toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");

async function run(value) {
  running = value;
  element("pause").setAttribute("aria-pressed", !value);
  await machine.run(value && !document.hidden);
}

/** Handles a state of the machine's worker. */
function tell(now) {
  state = now;
  for (const line of now.lines) {
    const log = element("transcript").firstElementChild;
    log.append(Object.assign(document.createElement("p"), { textContent: line }));
    while (log.childElementCount > 100) log.firstElementChild.remove();
  }
  if (now.notices.length) notice(now.notices.join(" "));
  veil.hidden = !now.ended;
  veil.textContent = now.ended ?? "";
  const speed = element("speed");
  if (![...speed.options].some((option) => option.value === String(now.speed))) speed.add(new Option(`${now.speed}/ms`, now.speed));
  if (document.activeElement !== speed) speed.value = now.speed;
  study.tell(now);
}

/** Returns the files of drive C: that the program created or changed. */
async function written() {
  const { value, bytes } = await machine.askBytes({ do: "files" });
  const given = new Map(files.parted(current.files.slice(1), current.bytes.subarray(current.files[0].length)).map(({ name, bytes }) => [dosName(name), bytes]));
  const isNew = ({ name, bytes }) => {
    const before = given.get(dosName(name));
    return before?.length !== bytes.length || before.some((byte, at) => byte !== bytes[at]);
  };
  return files.parted(value, bytes).filter(isNew);
}

const dosName = (name) => name.replaceAll("/", "\\").toUpperCase();

element("link-button").onclick = attempt(async () => {
  if (!programs.some(({ name }) => name === current.name)) throw new Error("Others cannot open a link to your own program: it is only on this computer.");
  const { link, hash, whole } = await machine.ask({ do: "record" });
  if (!whole) throw new Error("This position has no link: send the file of a saved state instead.");
  const address = `${location.href.split("#")[0]}#${current.name}/${link}~${hash}`;
  history.replaceState(null, "", address);
  await navigator.clipboard.writeText(address).then(
    () => notice("Copied. The link opens in this position."),
    () => notice("The link is in the address bar."),
  );
});
element("pause").onclick = () => run(!running);
element("again").onclick = attempt(() => start(current));
element("study-button").onclick = () => study.open(!study.isOpen);
element("speed").onchange = ({ target }) => machine.ask({ do: "speed", speed: Number(target.value) });
element("volume").oninput = ({ target }) => (sound.volume = target.value / 100);
element("mute").onclick = ({ currentTarget: button }) => {
  const muted = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", muted);
  sound.muted = muted;
};
element("shot").onclick = attempt(async () => files.save(`${current.name}.png`, await machine.shot()));
element("full").onclick = attempt(() => (document.fullscreenElement ? document.exitFullscreen() : screen.requestFullscreen()));
element("film").onclick = attempt(async () => {
  notice("Writing the last minute as a GIF.");
  const { bytes } = await machine.askBytes({ do: "film" });
  files.save(`${current.name}.gif`, new Blob([bytes], { type: "image/gif" }));
  notice("");
});
element("save").onclick = attempt(async () => {
  await states.save();
  notice("Saved in this browser.");
});
element("states-save").onclick = attempt(() => states.save());
element("states-button").onclick = attempt(() => states.open(state.program));
element("files").onclick = attempt(async () => {
  const list = await written();
  if (!list.length) throw new Error("The program has written no files.");
  files.save(`${current.name}.zip`, zip.write(list));
});

/** Rewinds while the button is held. */
let wasRunning = true;
for (const [types, value] of [[["pointerdown", "keydown"], true], [["pointerup", "pointercancel", "pointerleave", "keyup", "blur"], false]]) {
  for (const type of types) {
    element("rewind").addEventListener(type, (event) => {
      if (event.key && !["Enter", " "].includes(event.key)) return;
      rewind(value);
    });
  }
}
function rewind(value) {
  const button = element("rewind");
  if (button.classList.contains("down") === value) return;
  button.classList.toggle("down", value);
  if (value) [wasRunning, running] = [running, false];
  value ? machine.rewind(true) : run(wasRunning);
}

/** Opens files, folders, ZIP files and saved states of the host. */
const take = attempt(async (list) => {
  const all = await files.collect(list);
  const saved = all.find(({ bytes }) => isState(bytes));
  if (saved) return goOnFrom(saved.bytes);
  const found = files.programs(all);
  if (!found.length) throw new Error("None of the files is a program: .COM, .EXE or .IMG.");
  const own = found.map((program) => ({ program, all }));
  listOwn(own);
  await startOwn(own[0]);
});

async function startOwn({ program, all }) {
  const { files: named, bytes, leftOut } = files.cartridge(program, all);
  if (leftOut.length) notice(`These names are not valid in DOS: ${leftOut.slice(0, 5).join(", ")}${leftOut.length > 5 ? "…" : ""}.`);
  await start({ name: program.name, title: program.name, files: named, bytes, symbols: new Uint8Array(), sources: {} });
  screen.focus();
}

/** If there are several programs, the user chooses one. */
function listOwn(own) {
  element("own").replaceChildren(...(own.length < 2 ? [] : own).map((one) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: one.program.name });
    button.onclick = attempt(() => startOwn(one));
    return button;
  }));
}

for (const id of ["open", "states-open"]) {
  element(id).onchange = async ({ target }) => {
    element("states").close();
    await take(target.files);
    target.value = "";
  };
}
for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
  addEventListener(type, (event) => {
    event.preventDefault();
    document.body.classList.toggle("dropping", type === "dragenter" || type === "dragover");
    if (type === "drop" && event.dataTransfer.items.length) take(event.dataTransfer.items);
  });
}

keys.listen(screen, machine);
// Browsers allow sound after the first click or key.
for (const type of ["pointerdown", "keydown"]) {
  addEventListener(type, () => sound.open((port) => machine.speaker(port)).catch(() => {}), { capture: true });
}

/** Returns the pointer's position on the screen as fractions of its width and height. */
function point({ clientX, clientY }) {
  const { left, top, width, height } = screen.getBoundingClientRect();
  return [(clientX - left) / width, (clientY - top) / height];
}
let isTouch = false;
screen.addEventListener("pointerdown", ({ pointerType }) => (isTouch = pointerType === "touch"));
screen.addEventListener("pointermove", (event) => {
  const [x, y] = point(event);
  if (state.mouse) machine.ask({ do: "mouse", x, y });
});
for (const [type, down] of [["pointerdown", true], ["pointerup", false]]) {
  screen.addEventListener(type, (event) => state.mouse && machine.ask({ do: "button", number: event.button, down }));
}
screen.addEventListener("click", attempt(async (event) => {
  screen.focus();
  const [x, y] = point(event);
  if (study.isOpen) {
    const { width, height } = await machine.ask({ do: "picture", again: true });
    const found = await study.who(Math.floor(x * width), Math.floor(y * height));
    return notice(found ? "This instruction wrote it." : "Nothing has been written there.");
  }
  if (isTouch && !state.mouse) await pad.touch(machine, current.name, x, y);
}));

document.addEventListener("visibilitychange", () => run(running));
addEventListener("hashchange", open);
new ResizeObserver(([entry]) => {
  const box = entry.devicePixelContentBoxSize?.[0];
  const { width, height } = entry.contentRect;
  machine.resize(box?.inlineSize ?? Math.round(width * devicePixelRatio), box?.blockSize ?? Math.round(height * devicePixelRatio));
}).observe(screen);

/** The list of programs. */
function list() {
  element("programs").querySelector("ul").replaceChildren(...programs.map(({ name, title, about, year, author }) => {
    const link = Object.assign(document.createElement("a"), { href: `#${name}` });
    const detail = [author && `${author}, ${year}.`, about].filter(Boolean).join(" ");
    link.append(Object.assign(document.createElement("b"), { textContent: title }), Object.assign(document.createElement("span"), { textContent: detail }));
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
}

await attempt(async () => {
  ({ programs } = await (await fetch("site.json")).json());
  list();
  await open();
})();
