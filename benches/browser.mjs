// Guest speed of the WebAssembly module: node benches/browser.mjs MODULE.wasm PROGRAM...
//
// Each program runs to its end, or for ten seconds. The best of three runs counts, in CPU time, so
// that load on the host changes little. `cargo rustc --profile web` builds the module.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";

/** Instructions between two looks at the clock, and how they are asked for: so fast, for so long. */
const SPEED = 100_000, SLICE_MS = 100;
const LONGEST_MS = 10_000, RUNS = 3;

const [module, ...programs] = process.argv.slice(2);
if (!programs.length) {
  console.error("usage: node benches/browser.mjs MODULE.wasm PROGRAM...");
  process.exit(2);
}
const compiled = await WebAssembly.compile(await readFile(module));

/** A machine of its own: what comes back asks it, as `web/wasm.js` does. */
async function machine() {
  const { exports } = await WebAssembly.instantiate(compiled);
  return (request, bytes = new Uint8Array()) => {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const at = exports.oxbox_alloc(text.length + bytes.length);
    const room = new Uint8Array(exports.memory.buffer, at, text.length + bytes.length);
    room.set(text);
    room.set(bytes, text.length);
    exports.oxbox_ask(text.length);
    const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, exports.oxbox_text(), exports.oxbox_text_length())));
    if (answer?.error) throw new Error(answer.error);
    return answer;
  };
}

async function run(name, bytes) {
  const ask = await machine();
  ask({ do: "start", files: [{ name, length: bytes.length }], rate: 48000 }, bytes);
  ask({ do: "speed", speed: SPEED });
  const began = process.cpuUsage();
  const passed = () => process.cpuUsage(began).user / 1000;
  let state;
  do state = ask({ do: "advance", ms: SLICE_MS });
  while (!state.ended && passed() < LONGEST_MS);
  return { instructions: state.instructions, ms: passed() };
}

for (const program of programs) {
  const bytes = new Uint8Array(await readFile(program));
  const runs = [];
  for (let count = 0; count < RUNS; count++) runs.push(await run(basename(program), bytes));
  const speed = ({ instructions, ms }) => instructions / 1000 / ms;
  const best = runs.reduce((a, b) => (speed(a) > speed(b) ? a : b));
  console.log(`${basename(program).padEnd(16)} ${String(best.instructions).padStart(12)} instructions ${best.ms.toFixed(0).padStart(6)} ms ${speed(best).toFixed(0).padStart(6)} MIPS`);
}
