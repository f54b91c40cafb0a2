// The machine's worker: runs it in real time, draws, and sends samples.

import { load } from "./wasm.js";
import { Picture } from "./picture.js";
import { Pace } from "./pace.js";

/** Milliseconds of virtual time between two checks of the clock. */
const SLICE = 4;
/**
 * Maximum duration of a turn in milliseconds, so that keys arrive even if the guest's speed is
 * higher than the browser can run.
 */
const PATIENCE = 25;
/** Milliseconds between turns, and between reports. */
const TURN = 7, REPORT = 100;
/** Rewinding doubles its speed after this many milliseconds, up to this factor. */
const FASTER = 3000, FASTEST = 4;
/**
 * Instructions of a link that are replayed at a time, and the maximum duration of the replay in
 * milliseconds.
 */
const STRETCH = 2_000_000, LONGEST_WAY = 20_000;

let ask, picture;
const pace = new Pace();
let running = false, timer = null, frame = null, started = 0;
let drawn = 0, reported = 0, last = {};
/** Output of the machine that the page has not received yet. */
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
  /** Receives the canvas and the module. */
  async open({ canvas, module }) {
    picture = new Picture(canvas);
    ask = await load(module);
    // Programs that start COMMAND.COM find it on drive Z:.
    const shell = await fetch(module.replace(/[^/]*$/, "COMMAND.COM"));
    if (shell.ok) ask({ do: "command_com" }, new Uint8Array(await shell.arrayBuffer()));
  },
  /** Receives the port for samples. */
  speaker(port) {
    pace.listen(port);
  },
  size({ width, height }) {
    picture.resize(width, height);
  },
  /**
   * Starts a program and goes to the position of its link or state. Returns whether the keys
   * reproduce it.
   */
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
      // The user may have started another program meanwhile.
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
  /** Starts and stops rewinding. */
  rewind(value) {
    run(false);
    if (value) back(performance.now(), performance.now());
  },
  /** Returns the picture as a file with one pixel per guest pixel. */
  async shot() {
    return { value: await picture.file() };
  },
  /** Forwards a request to the machine. */
  ask(request, bytes) {
    // Every advance of time also sends its samples.
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

/** Shows pictures of the past, one after the other, and faster with time. */
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

/** Draws once per frame of the display. */
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

/** Collects the lines and notices of a state, which are reported only once. */
function hear({ lines, notices }) {
  news.lines.push(...lines);
  news.notices.push(...notices);
}

function draw(again) {
  drawn = performance.now();
  const { value, bytes } = ask({ do: "picture", again });
  if (value) picture.show(value, bytes);
}

/**
 * Reports changes to the page. A change of only the time is reported every `REPORT` milliseconds.
 */
function report(state) {
  const { ms, end_ms, instructions, lines, notices, ...rest } = state;
  const now = performance.now();
  const isNew = JSON.stringify(rest) !== JSON.stringify(last) || news.lines.length > 0 || news.notices.length > 0;
  if (!isNew && now - reported < REPORT) return;
  [reported, last] = [now, rest];
  postMessage({ state: { ...state, ...news } });
  news = { lines: [], notices: [] };
}
