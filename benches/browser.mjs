// Guest speed of the WebAssembly module, and of v86 if its folder is given:
//
//   [V86=FOLDER BIOS=FOLDER] node benches/browser.mjs MODULE.wasm PROGRAM.com...
//
// docs/guide/in-the-browser.md says how to build the module. V86 is the npm package v86, BIOS a folder with
// seabios.bin and vgabios.bin of its repository. v86 starts each program from a floppy disk (floppy.asm, which
// nasm assembles), so a program that calls more of DOS than INT 21h AH=02h and AH=4Ch runs only on oxbox.
//
// Each run has a process of its own. The best of three counts, in CPU time of all threads of the process:
// WebAssembly is compiled by others than the one that executes it. Load on the host changes little.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { load } from "../web/wasm.js";

const RUNS = 3, LONGEST_MS = 60_000;
/** Instructions in a millisecond of virtual time, and virtual milliseconds between two looks at the clock. */
const SPEED = 100_000, SLICE_MS = 100;
const SECTOR = 512, FLOPPY = 2880 * SECTOR, MIB = 1024 * 1024;
/** What the boot sector writes to COM1 before and after the program. */
const START = 2, END = 4;

const modes = { "--module": runModule, "--v86": runV86 };
const [mode, ...rest] = process.argv.slice(2);
if (mode in modes) await modes[mode](...rest);
else if (rest.length) compare(mode, rest);
else {
  console.error("usage: [V86=FOLDER BIOS=FOLDER] node benches/browser.mjs MODULE.wasm PROGRAM.com...");
  process.exit(2);
}

/** Returns the CPU time of this process since `began`, in milliseconds. */
function passed(began) {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

/** Runs a program in the module, and prints the CPU time, the instructions, and what the program printed. */
async function runModule(path, program) {
  const ask = await load(`data:application/wasm;base64,${readFileSync(path, "base64")}`);
  const bytes = readFileSync(program);
  ask({ do: "start", files: [{ name: basename(program), length: bytes.length }], rate: 48000 }, bytes);
  ask({ do: "speed", speed: SPEED });
  const began = process.cpuUsage();
  let state;
  do state = ask({ do: "advance", ms: SLICE_MS }).value;
  while (!state.ended && passed(began) < LONGEST_MS);
  const ms = passed(began);
  console.log(JSON.stringify({ ms, instructions: state.instructions, printed: ask({ do: "text" }).value.rows.join("\n") }));
}

/** Runs the program of a floppy disk in v86, and prints the CPU time and what the program printed. */
async function runV86(folder, bios, image) {
  const { V86 } = await import(resolve(folder, "build/libv86.mjs"));
  const file = (...path) => ({ buffer: new Uint8Array(readFileSync(join(...path))).buffer });
  const emulator = new V86({
    wasm_path: resolve(folder, "build/v86.wasm"),
    bios: file(bios, "seabios.bin"),
    vga_bios: file(bios, "vgabios.bin"),
    fda: file(image),
    memory_size: 16 * MIB,
    vga_memory_size: 2 * MIB,
    autostart: true,
  });
  let began, printed = "";
  setTimeout(() => process.exit(1), LONGEST_MS);
  emulator.add_listener("serial0-output-byte", (byte) => {
    if (byte === START) began = process.cpuUsage();
    else if (byte !== END) printed += String.fromCharCode(byte);
    else {
      console.log(JSON.stringify({ ms: passed(began), printed }));
      process.exit();
    }
  });
}

/** Returns the best of the runs of a child process with these arguments. `null` if it does not end. */
function best(...child) {
  let best = null;
  for (let count = 0; count < RUNS; count++) {
    try {
      const run = JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), ...child], { encoding: "utf8" }));
      if (!best || run.ms < best.ms) best = run;
    } catch {
      return null;
    }
  }
  return best;
}

function compare(module, programs) {
  const { V86, BIOS } = process.env;
  const folder = mkdtempSync(join(tmpdir(), "floppy-"));
  const [sector, image] = [join(folder, "sector"), join(folder, "image")];
  if (V86) execFileSync("nasm", ["-o", sector, join(dirname(fileURLToPath(import.meta.url)), "floppy.asm")]);
  console.log(V86 ? "| program | MIPS | v86, MIPS | v86, times as long |\n| --- | --- | --- | --- |" : "| program | MIPS |\n| --- | --- |");
  for (const program of programs) {
    const ours = best("--module", module, program);
    const mips = ({ ms }) => (ours.instructions / 1000 / ms).toFixed(0);
    const cells = [basename(program, ".com"), ours ? mips(ours) : "does not end"];
    if (V86) {
      const disk = Buffer.alloc(FLOPPY);
      readFileSync(sector).copy(disk);
      readFileSync(program).copy(disk, SECTOR);
      writeFileSync(image, disk);
      const theirs = best("--v86", V86, BIOS, image);
      const same = theirs && ours?.printed.includes(theirs.printed.trim());
      cells.push(...(same ? [mips(theirs), (theirs.ms / ours.ms).toFixed(1)] : [theirs ? `prints ${theirs.printed.trim()}` : "does not end", ""]));
    }
    console.log(`| ${cells.join(" | ")} |`);
  }
  rmSync(folder, { recursive: true });
}
