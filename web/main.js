// The page: what is played, and what its controls do.

import { Machine } from "./machine.js";
import { Sound } from "./sound.js";
import { Study } from "./study.js";
import { RATE } from "./pace.js";
import * as files from "./files.js";
import * as keys from "./keys.js";
import * as pad from "./pad.js";
import * as store from "./store.js";

const element = (id) => document.getElementById(id);
const [screen, veil] = [element("screen"), element("veil")];
document.body.classList.toggle("embedded", window !== window.top);

const machine = new Machine(screen.querySelector("canvas"), tell);
/** For whoever opens the browser's console, or drives the page: what it asks is in `src/web/requests.rs`. */
window.oxbox = machine;
const sound = new Sound();
const study = new Study(machine, () => run(false));

/** What is there to play: `{ name, title, file }`, of games also `about`, `keys`, `author`, `year`. */
let programs = [];
/** What is played: its name and title, its files and their bytes. */
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

/** Lets the user know what goes wrong. */
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
  const program = programs.find((known) => known.name === name.toLowerCase()) ?? programs[0];
  if (name && program.name !== name.toLowerCase()) notice(`There is no program called ${name} here.`);
  const response = await fetch(program.file);
  if (!response.ok) throw new Error(`${program.file} cannot be loaded.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const named = [{ name: program.file.split("/").pop(), length: bytes.length }];
  return start({ name: program.name, title: program.title, files: named, bytes }, link, hash);
});

/** Starts a program and goes where the link leads. */
async function start(program, link = "", hash = "") {
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
  element("transcript").firstElementChild.replaceChildren();
  element("files").hidden = true;
  state = {};
  await machine.opened;
  await machine.start({ files: program.files, link, rate: RATE }, program.bytes);
  if (hash && (await machine.ask({ do: "record" })).hash !== hash) {
    notice("This link was made with another version of the program or of oxbox: the position may be another one.");
  }
  element("load").disabled = !(await store.kept(program.name));
  document.body.dataset.ready = program.name;
  await run(true);
}

const sentence = (text) => text[0].toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");

async function run(value) {
  running = value;
  element("pause").setAttribute("aria-pressed", !value);
  await machine.run(value && !document.hidden);
}

/** The machine's thread tells of itself. */
function tell(now) {
  state = now;
  for (const line of now.lines) {
    const log = element("transcript").firstElementChild;
    log.append(Object.assign(document.createElement("p"), { textContent: line }));
    while (log.childElementCount > 100) log.firstElementChild.remove();
  }
  if (now.notices.length) notice(now.notices.join(" "));
  veil.hidden = !now.ended;
  if (now.ended && veil.textContent !== now.ended) {
    veil.textContent = now.ended;
    offerFiles();
  }
  if (!now.ended) veil.textContent = "";
  const speed = element("speed");
  if (![...speed.options].some((option) => option.value === String(now.speed))) speed.add(new Option(`${now.speed}/ms`, now.speed));
  if (document.activeElement !== speed) speed.value = now.speed;
  study.tell(now);
}

/** What the program has written can be had: everything but what it was given. */
async function offerFiles() {
  const list = await machine.ask({ do: "files" });
  element("files").hidden = list.length === 0;
}

async function position() {
  const { link, hash, script } = await machine.ask({ do: "record" });
  return { link, hash, script, address: `${location.href.split("#")[0]}#${current.name}/${link}~${hash}` };
}

element("link-button").onclick = attempt(async () => {
  if (!programs.some(({ name }) => name === current.name)) throw new Error("A program of your own is on this machine alone: nobody else could open the link.");
  const { address } = await position();
  history.replaceState(null, "", address);
  await navigator.clipboard.writeText(address).then(
    () => notice("Copied: whoever opens the link stands in this position."),
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
element("save").onclick = attempt(async () => {
  const { link, hash } = await position();
  await store.keep(current.name, { link, hash });
  element("load").disabled = false;
  notice("Kept in this browser.");
});
element("load").onclick = attempt(async () => {
  const { link, hash } = await store.kept(current.name);
  await start(current, link, hash);
});
element("files").onclick = attempt(async () => {
  const { value, bytes } = await machine.askBytes({ do: "files" });
  let at = 0;
  const list = value.map(({ name, length }) => ({ name, bytes: bytes.subarray(at, (at += length)) }));
  files.save(`${current.name}.zip`, files.zip(list));
});

const drop = attempt(async (list) => {
  const { files: named, bytes } = await files.read(list);
  await start({ name: named[0].name, title: named[0].name, files: named, bytes });
  screen.focus();
});
element("open").onchange = ({ target }) => drop(target.files);
for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
  addEventListener(type, (event) => {
    event.preventDefault();
    document.body.classList.toggle("dropping", type === "dragenter" || type === "dragover");
    if (type === "drop" && event.dataTransfer.files.length) drop(event.dataTransfer.files);
  });
}

keys.listen(screen, machine);
// Sound is allowed once the page has been touched.
for (const type of ["pointerdown", "keydown"]) {
  addEventListener(type, () => sound.open((port) => machine.speaker(port)).catch(() => {}), { capture: true });
}

/** Where a pointer is on the screen, as parts of its width and height. */
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
    return notice(found ? "Here it was written." : "Nobody has written there.");
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
