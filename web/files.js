// Files that the user drops on the page, and files that a program writes.

import * as zip from "./zip.js";

/** Extensions of programs and disk images. */
const PROGRAM = /\.(com|exe|img|ima|dsk|flp|vfd)$/i;
/** A valid DOS path: up to eight characters and three in each part. */
const DOS_PATH = /^(?:[^\s."*+,/:;<=>?[\\\]|]{1,8}(?:\.[^\s."*+,/:;<=>?[\\\]|]{1,3})?(?:\/(?!$)|$))+$/;
/**
 * The size limit of all files in bytes. Programs and floppies are smaller; a hard disk image can be
 * larger.
 */
const LARGEST = 64 << 20;

/**
 * Returns all files that were dropped or chosen, with those in folders and ZIP files, as `{ name,
 * bytes }`. Paths contain `/`.
 */
export async function collect(list) {
  const found = [];
  // Get the entries before the first `await`: the browser discards them then.
  const entries = [...list].map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile?.() ?? item).filter(Boolean);
  for (const entry of entries) await add(found, entry, "");
  const size = found.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > LARGEST) throw new Error(`The files are too large: ${size} bytes; the limit is ${LARGEST}.`);
  return withoutRoot(found);
}

async function add(found, entry, folder) {
  if (entry.isDirectory) {
    const reader = entry.createReader();
    for (let some; (some = await new Promise((done, failed) => reader.readEntries(done, failed))).length; ) {
      for (const inner of some) await add(found, inner, `${folder}${entry.name}/`);
    }
    return;
  }
  const file = entry.isFile ? await new Promise((done, failed) => entry.file(done, failed)) : entry;
  if (file.size > LARGEST) throw new Error(`${file.name} is too large: ${file.size} bytes; the limit is ${LARGEST}.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (zip.isZip(bytes)) found.push(...(await zip.read(bytes, LARGEST)));
  else found.push({ name: `${folder}${file.name}`, bytes });
}

/** Removes a folder that contains all files from their paths. */
function withoutRoot(files) {
  const root = files[0]?.name.match(/^[^/]+\//)?.[0];
  if (!root || !files.every(({ name }) => name.startsWith(root))) return files;
  return withoutRoot(files.map(({ name, bytes }) => ({ name: name.slice(root.length), bytes })));
}

/** Returns the files that are programs. */
export const programs = (files) => files.filter(({ name }) => PROGRAM.test(name) && !name.includes("/"));

/**
 * Returns a program with the files for its drive: `{ files, bytes, leftOut }`. The program is the
 * first file.
 */
export function cartridge(program, files) {
  const others = files.filter((file) => file !== program);
  const kept = others.filter(({ name }) => DOS_PATH.test(name));
  const leftOut = others.filter((file) => !kept.includes(file)).map(({ name }) => name);
  const all = [program, ...kept];
  return { files: all.map(({ name, bytes }) => ({ name, length: bytes.length })), bytes: joined(all.map(({ bytes }) => bytes)), leftOut };
}

/** Concatenates byte arrays. */
export function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Splits concatenated bytes into files by their lengths. */
export function parted(files, bytes) {
  let at = 0;
  return files.map(({ name, length }) => ({ name, bytes: bytes.subarray(at, (at += length)) }));
}

/** Downloads a file. */
export function save(name, blob) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
