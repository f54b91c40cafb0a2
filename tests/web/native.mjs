// The same runs without a browser, and the files that they leave.

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inflateSync } from "node:zlib";

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

/** The pixels of a PNG file of eight bits, red, green and blue, as oxbox writes them. */
export async function pixels(file) {
  const bytes = await readFile(file);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const data = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  return { width, height, rgb: unfiltered(inflateSync(Buffer.concat(data)), width * 3, height) };
}

/** Undoes the filters of PNG (PNG specification, 9.2). */
function unfiltered(raw, stride, height) {
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x >= 3 ? out[y * stride + x - 3] : 0;
      const up = y > 0 ? out[(y - 1) * stride + x] : 0;
      const corner = x >= 3 && y > 0 ? out[(y - 1) * stride + x - 3] : 0;
      const guess = left + up - corner;
      const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      out[y * stride + x] = raw[y * (stride + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth][filter];
    }
  }
  return out;
}

/** The samples of a WAV file of 16 bits, one channel. */
export async function samples(file) {
  const bytes = await readFile(file);
  const data = bytes.indexOf("data", 12, "latin1");
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset + data + 8, bytes.byteOffset + bytes.length));
}
