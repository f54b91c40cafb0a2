// Sessions of @vscode/debugadapter-testsupport with `oxbox dap`: breakpoints, steps in both
// directions, output and the end, also with the sources of the 2007 game.
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const [oxbox, source, gameFolder] = process.argv.slice(2);
const linesOf = (file) => fs.readFileSync(file, "utf8").split(/\r?\n/);
const lineIn = (file, text) => linesOf(file).findIndex((line) => line.includes(text)) + 1;
const lineOf = (text) => lineIn(source, text);
const thread = { threadId: 1 };

async function start() {
  const client = new DebugClient(oxbox, "dap", "oxbox");
  client.defaultTimeout = 120_000; // ms: only a session that hangs takes as long
  await client.start();
  return client;
}

// Under Wine the adapter uses Windows paths: OXBOX_DRIVE=Z:.
const named = (file) => (process.env.OXBOX_DRIVE ? process.env.OXBOX_DRIVE + file.replaceAll("/", "\\") : file);

async function top(client) {
  const answer = await client.stackTraceRequest({ threadId: 1, levels: 1 });
  return answer.body.stackFrames[0].line;
}

async function steps(client, list) {
  for (const [request, line] of list) {
    await Promise.all([client[request](thread), client.waitForEvent("stopped")]);
    assert.equal(await top(client), line, request);
  }
}

async function game() {
  const client = await start();
  const files = ["main", "board", "font", "screen", "sound", "vga"].map((name) => path.join(gameFolder, `${name}.asm`));
  const [main] = files;
  const at = (text) => lineIn(main, text);
  await client.hitBreakpoint({ program: files.join("+"), keys: "SP 5 1 7 3" }, { path: named(main), line: at("call    show_board") });
  await steps(client, [
    ["nextRequest", at("call    human_turn")],
    ["stepInRequest", at("human_turn proc") + 2],
    ["stepBackRequest", at("call    human_turn")],
    ["stepBackRequest", at("call    show_board")],
    // A macro of two instructions is one line.
    ["stepBackRequest", at("read_key")],
    ["stepBackRequest", at("call    show_title")],
    ["reverseContinueRequest", at("start:")],
  ]);
  await client.setBreakpointsRequest({ source: { path: named(main) }, breakpoints: [] });
  await Promise.all([client.continueRequest(thread), client.waitForEvent("stopped")]);
  const asked = { expression: "who pixel 160,100", context: "repl" };
  const [who] = await Promise.all([client.evaluateRequest(asked), client.waitForEvent("stopped")]);
  assert.match(who.body.result, /vga\.asm:\d+/);
  assert.equal(await top(client), lineIn(files[5], "rep     stosw"));
  await client.stop();
  console.log("debug adapter: the 2007 game, forwards and backwards, and who drew a pixel");
}

async function main() {
  const client = await start();
  const call = lineOf("call add_up");
  await client.hitBreakpoint({ program: source, keys: "x" }, { path: named(source), line: call });
  assert.equal(await top(client), call);
  await steps(client, [
    ["nextRequest", call + 1],
    ["stepBackRequest", call],
    ["stepInRequest", lineOf("push bx")],
    ["stepOutRequest", call + 1],
  ]);
  await Promise.all([client.reverseContinueRequest(thread), client.waitForEvent("stopped")]);
  assert.equal(await top(client), call);
  await client.setBreakpointsRequest({ source: { path: named(source) }, breakpoints: [] });
  await Promise.all([
    client.continueRequest(thread),
    client.assertOutput("stdout", "Sum: 15"),
    client.waitForEvent("terminated"),
  ]);
  await client.stop();
  console.log("debug adapter: a breakpoint, four steps, back to the breakpoint, the output and the end");
}

main().then(game).catch((error) => {
  console.error(error);
  process.exit(1);
});
