// Reads and writes ZIP files. Source: PKWARE's APPNOTE, 4.3.6 to 4.3.16.

const LOCAL = 0x04034B50, CENTRAL = 0x02014B50, END = 0x06054B50;
/** Compression methods: stored and DEFLATE. */
const STORED = 0, DEFLATED = 8;

export const isZip = (bytes) => bytes.length > 21 && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === LOCAL;

/**
 * Returns the files of a ZIP file as `{ name, bytes }`. Fails if they exceed `largest` bytes in
 * total.
 */
export async function read(bytes, largest) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) throw new Error("The ZIP file is truncated or damaged.");
  const files = [];
  let [at, left] = [view.getUint32(end + 16, true), largest];
  for (let count = view.getUint16(end + 10, true); count > 0; count--) {
    if (at + 46 > end || view.getUint32(at, true) !== CENTRAL) throw new Error("The ZIP file is damaged.");
    const field = (offset) => view.getUint16(at + offset, true);
    const [packed, size, local] = [20, 24, 42].map((offset) => view.getUint32(at + offset, true));
    const name = new TextDecoder(field(8) & 0x800 ? "utf-8" : "latin1").decode(bytes.subarray(at + 46, at + 46 + field(28)));
    left -= size;
    if (left < 0) throw new Error(`The contents of the ZIP file are too large: more than ${largest} bytes.`);
    if (field(8) & 1) throw new Error(`${name} in the ZIP file is encrypted.`);
    if (!name.endsWith("/")) {
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      files.push({ name: name.replaceAll("\\", "/"), bytes: await unpacked(bytes.subarray(from, from + packed), field(10), size, name) });
    }
    at += 46 + field(28) + field(30) + field(32);
  }
  return files;
}

async function unpacked(bytes, method, size, name) {
  if (method === STORED) return bytes;
  if (method !== DEFLATED) throw new Error(`${name} in the ZIP file uses a compression method that browsers do not support (${method}).`);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const whole = new Uint8Array(size);
  let at = 0;
  for await (const part of stream) {
    if (at + part.length > size) throw new Error(`${name} in the ZIP file is larger than its header says.`);
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Creates a ZIP file without compression. */
export function write(files) {
  const local = [], central = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const path = new TextEncoder().encode(name.replaceAll("\\", "/"));
    // Version 2.0, names in UTF-8, stored, 1980-01-01.
    const about = fields([20, 2], [0x0800, 2], [STORED, 2], [0, 2], [0x21, 2], [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4], [path.length, 2], [0, 2]);
    local.push(fields([LOCAL, 4]), about, path, bytes);
    central.push(fields([CENTRAL, 4], [20, 2]), about, fields([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), path);
    offset += 30 + path.length + bytes.length;
  }
  const size = central.reduce((sum, part) => sum + part.length, 0);
  const end = fields([END, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4], [0, 2]);
  return new Blob([...local, ...central, end], { type: "application/zip" });
}

/** Writes little-endian numbers with these lengths in bytes. */
function fields(...numbers) {
  return Uint8Array.from(numbers.flatMap(([value, length]) => Array.from({ length }, (_, byte) => (value >>> (8 * byte)) & 0xFF)));
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xEDB88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
