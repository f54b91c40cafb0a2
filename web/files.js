// Files: those that are dropped on the page, and those that a program has written.

/** What is run, by its extension; the first of these among several files. */
const PROGRAM = /\.(com|exe|img|ima|dsk|flp|vfd)$/i;
/** No program of DOS and no floppy is larger; a hard disk may be. */
const LARGEST = 64 << 20;

/** Files as the machine takes them, the program first: `{ files, bytes }`. */
export async function read(list) {
  const files = [...list].sort((a, b) => PROGRAM.test(b.name) - PROGRAM.test(a.name));
  if (!files.length || !PROGRAM.test(files[0].name)) throw new Error("There is no program among them: .COM, .EXE or .IMG.");
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > LARGEST) throw new Error(`They are too large: ${size} bytes, at most ${LARGEST}.`);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const file of files) {
    bytes.set(new Uint8Array(await file.arrayBuffer()), at);
    at += file.size;
  }
  return { files: files.map(({ name, size: length }) => ({ name, length })), bytes };
}

/** Hands a file to the user. */
export function save(name, blob) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A ZIP file of files that are stored as they are. Source of the format: PKWARE's APPNOTE, 4.3.7 to 4.3.16. */
export function zip(files) {
  const local = [], central = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const path = new TextEncoder().encode(name.replaceAll("\\", "/"));
    // Version 2.0, names in UTF-8, stored, 1980-01-01.
    const about = fields([20, 2], [0x0800, 2], [0, 2], [0, 2], [0x21, 2], [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4], [path.length, 2], [0, 2]);
    local.push(fields([0x04034B50, 4]), about, path, bytes);
    central.push(fields([0x02014B50, 4], [20, 2]), about, fields([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), path);
    offset += 30 + path.length + bytes.length;
  }
  const size = central.reduce((sum, part) => sum + part.length, 0);
  const end = fields([0x06054B50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4], [0, 2]);
  return new Blob([...local, ...central, end], { type: "application/zip" });
}

/** Numbers of so many bytes each, the lowest first. */
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
