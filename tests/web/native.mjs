// The same runs without a browser, and their output files.

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Runs oxbox; the answer is its standard output. Keys that run out are no failure. */
export function run(oxbox, ...words) {
  return new Promise((resolve, reject) => {
    execFile(oxbox, words, (error, out, err) => (error && ![0, 123, 124].includes(error.code) ? reject(new Error(err)) : resolve(out)));
  });
}

/** What `play --json` tells after a script of the page, played to its last instant. */
export async function replay(oxbox, folder, game, script, ...more) {
  const file = join(folder, `${game}.script`);
  await writeFile(file, script);
  const ms = /at (\d+)\n$/.exec(script)[1];
  return JSON.parse(await run(oxbox, "play", game, "--headless", "--json", "--script", file, "--time-limit", ms, ...more));
}

/** The size and the pixels of a PNG file: red, green and blue, a byte each. */
export async function pixels(file) {
  const bytes = await readFile(file);
  const rgb = await new Promise((resolve, reject) => {
    const options = { encoding: "buffer", maxBuffer: 16 << 20 };
    execFile("convert", [file, "-depth", "8", "rgb:-"], options, (error, out) => (error ? reject(error) : resolve(out)));
  });
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), rgb };
}

/** The samples of a WAV file of 16 bits, one channel. */
export async function samples(file) {
  const bytes = await readFile(file);
  const data = bytes.indexOf("data", 12, "latin1");
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset + data + 8, bytes.byteOffset + bytes.length));
}
