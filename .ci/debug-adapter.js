// A session of @vscode/debugadapter-testsupport with `oxbox dap`: breakpoint, steps in both directions, output, the end.
"use strict";
const assert = require("assert");
const fs = require("fs");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const [oxbox, source] = process.argv.slice(2);
const lines = fs.readFileSync(source, "utf8").split(/\r?\n/);
const lineOf = (text) => lines.findIndex((line) => line.includes(text)) + 1;
const thread = { threadId: 1 };

async function top(client) {
  const answer = await client.stackTraceRequest({ threadId: 1, levels: 1 });
  return answer.body.stackFrames[0].line;
}

async function main() {
  const client = new DebugClient(oxbox, "dap", "oxbox");
  await client.start();
  const call = lineOf("call add_up");
  await client.hitBreakpoint({ program: source, keys: "x" }, { path: source, line: call });
  assert.equal(await top(client), call);
  const steps = [
    ["nextRequest", call + 1],
    ["stepBackRequest", call],
    ["stepInRequest", lineOf("push bx")],
    ["stepOutRequest", call + 1],
  ];
  for (const [request, line] of steps) {
    await Promise.all([client[request](thread), client.waitForEvent("stopped")]);
    assert.equal(await top(client), line, request);
  }
  await Promise.all([client.reverseContinueRequest(thread), client.waitForEvent("stopped")]);
  assert.equal(await top(client), call);
  await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
  await Promise.all([
    client.continueRequest(thread),
    client.assertOutput("stdout", "Sum: 15"),
    client.waitForEvent("terminated"),
  ]);
  await client.stop();
  console.log("debug adapter: a breakpoint, four steps, back to the breakpoint, the output and the end");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
