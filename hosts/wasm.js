// Prints what the wasm32 library gives: node wasm.js LIBRARY.wasm runs|verify
"use strict";
const fs = require("fs");

const [library, what] = process.argv.slice(2);
WebAssembly.instantiate(fs.readFileSync(library), {}).then(({ instance }) => {
  const place = instance.exports[what]();
  const memory = instance.exports.memory.buffer;
  const length = new DataView(memory).getUint32(place, true);
  fs.writeFileSync(1, Buffer.from(memory, place + 4, length));
}, (error) => {
  console.error(error);
  process.exit(1);
});
