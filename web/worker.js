// The machine's own thread: it runs as time passes outside, draws, and feeds the speaker.

import { load } from "./wasm.js";
import { Picture } from "./picture.js";
import { Pace } from "./pace.js";

/** Milliseconds of virtual time between two looks at the clock. */
const SLICE = 4;
/** Milliseconds that a turn may cost: keys are to be seen when the guest is set faster than the browser can run it. */
const PATIENCE = 25;
/** Milliseconds between two turns, and between two reports. */
const TURN = 7, REPORT = 100;
/** After so many milliseconds it goes back twice as fast, up to so many times. */
const FASTER = 3000, FASTEST = 4;
/** Instructions of a link that are played at a stretch, and how long that may take in all, in milliseconds. */
const STRETCH = 2_000_000, LONGEST_WAY = 20_000;

let ask, picture;
const pace = new Pace();
let running = false, timer = null, frame = null, started = 0;
let drawn = 0, reported = 0, last = {};
/** What the machine has said and the page has not been told yet. */
let news = { lines: [], notices: [] };

onmessage = async ({ data }) => {
  const { id, what, value, bytes } = data;
  try {
    const answer = await act[what](value, bytes);
    postMessage({ id, ...answer }, answer?.bytes ? [answer.bytes.buffer] : []);
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};

const act = {
  /** The canvas to draw on, and the module. */
  async open({ canvas, module }) {
    picture = new Picture(canvas);
    ask = await load(module);
    // Programs that start the command interpreter find it on drive Z:.
    const shell = await fetch(module.replace(/[^/]*$/, "COMMAND.COM"));
    if (shell.ok) ask({ do: "command_com" }, new Uint8Array(await shell.arrayBuffer()));
  },
  /** Where samples go. */
  speaker(port) {
    pace.listen(port);
  },
  size({ width, height }) {
    picture.resize(width, height);
  },
  /** Starts a program and goes where its link or its state leads; the answer is whether the keys lead there. */
  async start(request, bytes) {
    run(false);
    const own = ++started;
    news = { lines: [], notices: [] };
    hear(ask({ do: "start", ...request }, bytes).value);
    pace.begin();
    draw(true);
    const began = performance.now();
    while (!ask({ do: "arrive", instructions: STRETCH }).value && performance.now() - began < LONGEST_WAY) {
      if (performance.now() - drawn > 250) draw(true);
      await new Promise((resolve) => setTimeout(resolve));
      // The user may have lost patience meanwhile.
      if (own !== started) throw new Error("Another program was started.");
    }
    const value = ask({ do: "settle" }).value;
    draw(true);
    last = {};
    report(advance(0));
    return { value };
  },
  run(value) {
    run(value);
  },
  /** Backwards for as long as that is wanted. */
  rewind(value) {
    run(false);
    if (value) back(performance.now(), performance.now());
  },
  /** The picture as a file, a pixel a guest pixel. */
  async shot() {
    return { value: await picture.file() };
  },
  /** Anything that the machine itself answers. */
  ask(request, bytes) {
    // Samples go to the speaker, from any advance of time.
    if (request.do === "advance") return { value: advance(request.ms) };
    const answer = ask(request, bytes);
    // The next request may move the module's memory.
    const own = answer.bytes.slice();
    if (["step", "go", "who"].includes(request.do)) {
      pace.begin();
      draw(true);
      report(advance(0));
    }
    return { value: answer.value, bytes: own };
  },
};

/** A picture of the past after the other; the longer it lasts, the faster. */
function back(began, before) {
  const now = performance.now();
  const pace = Math.min(2 ** Math.floor((now - began) / FASTER), FASTEST);
  const { ms } = ask({ do: "advance", ms: 0 }).value;
  const state = ask({ do: "go", ms: Math.max(0, Math.floor(ms - (now - before) * pace)) }).value;
  draw(true);
  hear(state);
  report(state);
  if (state.ms > 0) timer = setTimeout(back, TURN, began, now);
}

function run(value) {
  running = value;
  clearTimeout(timer);
  cancelAnimationFrame(frame);
  if (running) {
    pace.begin();
    turn();
    paint();
  }
}

/** A picture for each that the display shows. */
function paint() {
  draw(false);
  frame = requestAnimationFrame(paint);
}

function turn() {
  const began = performance.now();
  let due = pace.due(began);
  let state = null;
  while (due > 0) {
    state = advance(Math.min(due, SLICE));
    due -= SLICE;
    if (performance.now() - began > PATIENCE) {
      pace.begin();
      break;
    }
  }
  if (state) report(state);
  if (running) timer = setTimeout(turn, TURN);
}

function advance(ms) {
  const { value, bytes } = ask({ do: "advance", ms });
  pace.send(new Float32Array(bytes.slice().buffer));
  hear(value);
  return value;
}

/** Keeps what a state tells but once. */
function hear({ lines, notices }) {
  news.lines.push(...lines);
  news.notices.push(...notices);
}

function draw(again) {
  drawn = performance.now();
  const { value, bytes } = ask({ do: "picture", again });
  if (value) picture.show(value, bytes);
}

/** Tells the page what is new; the time of day not more often than people read it. */
function report(state) {
  const { ms, end_ms, instructions, lines, notices, ...rest } = state;
  const now = performance.now();
  const isNew = JSON.stringify(rest) !== JSON.stringify(last) || news.lines.length > 0 || news.notices.length > 0;
  if (!isNew && now - reported < REPORT) return;
  [reported, last] = [now, rest];
  postMessage({ state: { ...state, ...news } });
  news = { lines: [], notices: [] };
}
