// The report of the library as WebAssembly: node report.js LIBRARY.wasm PROGRAM...
"use strict";
const fs = require("fs");
const path = require("path");

const [library, ...programs] = process.argv.slice(2);
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(library)), {});
for (const program of programs) {
  const name = Buffer.from(path.basename(program));
  const input = Buffer.concat([name, fs.readFileSync(program)]);
  new Uint8Array(exports.memory.buffer).set(input, exports.room(input.length));
  exports.run(name.length);
}
exports.games();
const start = exports.report();
process.stdout.write(Buffer.from(exports.memory.buffer, start, exports.report_length()));
