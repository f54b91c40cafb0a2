// Uses the page like a user: node run.mjs OXBOX FOLDER, with the sites in FOLDER/site and
// FOLDER/own.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { deflateRawSync, gzipSync } from "node:zlib";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ask, launch, LIMIT, notice, now, open, passes, screen, serve, shows, until } from "./browser.mjs";
import * as native from "./native.mjs";

const [oxbox, folder] = process.argv.slice(2);
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const [site, own, elsewhere] = await Promise.all(["site", "own", "elsewhere"].map((name) => serve(join(folder, name))));
const browser = await launch();
const desktop = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 3 };

/** A game, the keys that play it to an end, and what stands on the screen then (nothing to read in graphics). */
const GAMES = [
  ["ttt1", "0 2 7", null],
  ["eecs2100", "SP 5 1 7 3", null],
  ["grid18", "2 2 1 1 1 3 3 1 2 1 2 3", null],
  ["oxo", "1 5", "I WIN!"],
  ["chip", "u 8 7 5", null],
];

const link = (keys) => keys.split(" ").join("/");
const record = async (page) => (await ask(page, { do: "record" })).value;

async function strike(page, ...names) {
  for (const name of names) {
    await page.keyboard.press(name, { delay: 40 });
    await passes(page, 250);
  }
}

/** Waits until the page has these files beside the program, which may have to write some of them first; their bytes. */
function files(page, ...names) {
  return until(page, `the files are ${names.join(", ")}`, async () => {
    const { value, bytes } = await ask(page, { do: "files" });
    return isDeepStrictEqual(value.map(({ name }) => name).sort(), names) && bytes;
  });
}

const tests = {
  async "keys in a link lead to the picture and the state of the run without a page"(context) {
    for (const [game, keys] of GAMES) {
      const shot = join(folder, `${game}.png`);
      const run = JSON.parse(await native.run(oxbox, "play", game, "--headless", "--json", "--keys", keys, "--shot", shot));
      const page = await open(context, site.address);
      const arrived = await page.evaluate(async ([game, link]) => {
        const machine = window.oxbox;
        const { programs } = await (await fetch("site.json")).json();
        const { file } = programs.find(({ name }) => name === game);
        const bytes = new Uint8Array(await (await fetch(file)).arrayBuffer());
        await machine.run(false);
        await machine.start({ files: [{ name: file.split("/").pop(), length: bytes.length }], link, rate: 48000 }, bytes);
        const picture = await machine.askBytes({ do: "picture", again: true });
        const rgb = picture.bytes.filter((_, index) => index % 4 !== 3);
        const digest = [...new Uint8Array(await crypto.subtle.digest("SHA-256", rgb))];
        return { ...picture.value, digest, hash: await machine.ask({ do: "hash" }) };
      }, [game, link(keys)]);
      const expected = await native.pixels(shot);
      assert.deepEqual([arrived.width, arrived.height], [expected.width, expected.height]);
      const digest = createHash("sha256").update(expected.rgb).digest();
      assert.ok(digest.equals(Buffer.from(arrived.digest)), `${game}: another picture`);
      assert.equal(arrived.hash, run.state_hash, game);
      await page.close();
    }
  },

  async "every game is played to its end by the keyboard, and its recording is the same run without a page"(context) {
    for (const [game, keys, end] of GAMES) {
      const page = await open(context, site.address, game);
      await page.click("#screen");
      await strike(page, ...keys.split(" ").map((key) => (key === "SP" ? "Space" : key)));
      if (end) await shows(page, end);
      await page.click("#pause");
      const { script, hash } = await record(page);
      const run = await native.replay(oxbox, folder, game, script);
      assert.equal(hash, run.state_hash, `${game}\n${script}`);
      assert.deepEqual(page.trouble, []);
      await page.close();
    }
  },

  async "a shared link is the position, to the bit"(context) {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await open(context, site.address, "ttt1");
    await page.click("#screen");
    await strike(page, "0", "2");
    await page.click("#pause");
    await page.click("#link-button");
    await notice(page, /^Copied/);
    const address = await page.evaluate(() => navigator.clipboard.readText());
    const [, hash] = address.split("~");
    const other = await open(context, site.address, address.split("#")[1]);
    await other.click("#pause");
    assert.equal(await other.textContent("#notice"), "", "the page doubts the link");
    const text = await screen(other);
    assert.equal(text, await screen(page));
    assert.match(hash, /^[0-9a-f]{16}$/);
    const wrong = await open(context, site.address, address.split("#")[1].replace(/~.*/, "~0123456789abcdef"));
    await notice(wrong, /another version/);
  },

  async "samples that reach the speaker are those of the WAV file"(context) {
    const page = await context.newPage();
    // Records what is sent to the audio thread.
    await page.addInitScript(() => {
      window.heard = [];
      const Channel = window.MessageChannel;
      window.MessageChannel = class {
        constructor() {
          const [toSpeaker, toWorker] = [new Channel(), new Channel()];
          toWorker.port1.onmessage = ({ data }) => {
            window.heard.push(...data);
            toSpeaker.port1.postMessage(data);
          };
          toSpeaker.port1.onmessage = ({ data }) => toWorker.port1.postMessage(data);
          [this.port1, this.port2] = [toSpeaker.port2, toWorker.port2];
        }
      };
    });
    await page.goto(`${site.address}#oxo`);
    await page.waitForSelector('body[data-ready="oxo"]');
    await page.click("#screen");
    await passes(page, 300);
    await page.click("#again");
    await until(page, "the program has been started again", async () => (await now(page)) < 300);
    await page.evaluate(() => (window.heard.length = 0));
    await page.click("#again");
    await page.click("#screen");
    await strike(page, "1", "5");
    await passes(page, 1500);
    await page.click("#pause");
    // Lets pending messages arrive.
    let length = -1;
    await until(page, "no more samples come", async () => length === (length = await page.evaluate(() => window.heard.length)));
    const heard = Int16Array.from(await page.evaluate(() => window.heard), to16Bits);
    const { script } = await record(page);
    const wav = join(folder, "oxo.wav");
    await native.replay(oxbox, folder, "oxo", script, "--wav", wav);
    const expected = await native.samples(wav);
    const common = agreement(heard, expected);
    assert.ok(common > 48_000, `only ${common} of ${expected.length} samples are heard as they should be`);
  },

  async "a position is kept over a reload, and its past with it"(context) {
    const page = await open(context, site.address, "ttt1");
    await shows(page, "Your move:");
    // Time to type another key after the rewind, before the recorded keys are replayed.
    await passes(page, 4000);
    const start = await now(page);
    await page.click("#screen");
    await strike(page, "4", "0");
    const text = await screen(page);
    await page.click("#save");
    await notice(page, /Saved/);
    await page.reload();
    await page.waitForSelector('body[data-ready="ttt1"]');
    assert.notEqual(await screen(page), text);
    await page.click("#states-button");
    await page.screenshot({ path: join(folder, "states.png") });
    await page.click("#states .state");
    await shows(page, text);
    const box = await page.locator("#rewind").boundingBox();
    await page.mouse.move(box.x + 5, box.y + 5);
    await page.mouse.down();
    await until(page, "it is back before the keys", async () => (await now(page)) < start - 3500);
    await page.mouse.up();
    assert.notEqual(await screen(page), text);
    // A new branch from there.
    await page.click("#screen");
    await strike(page, "8");
    assert.match((await record(page)).script, /press 8\n/);
    assert.doesNotMatch((await record(page)).script, /press 4\n/);
    assert.deepEqual(page.trouble, []);
  },

  async "a state's file goes on without a page"(context) {
    const page = await open(context, site.address, "eecs2100");
    await page.click("#screen");
    await strike(page, "Space", "5", "1");
    await page.click("#pause");
    await page.click("#states-button");
    await page.click("#states-save");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#states li button:text-is('File')")]);
    const file = join(folder, "page.state");
    await download.saveAs(file);
    const { hash } = await record(page);
    const ms = String((await ask(page, { do: "advance", ms: 0 })).value.ms);
    const run = JSON.parse(await native.run(oxbox, "play", "eecs2100", "--headless", "--json", "--load-state", file, "--time-limit", ms));
    assert.equal(run.state_hash, hash);
    // Only from the file, in a page that plays another program.
    const other = await open(context, site.address, "oxo");
    await other.setInputFiles("#open", file);
    await other.waitForSelector('body[data-ready="eecs2100"]');
    await other.click("#pause");
    assert.equal(await other.textContent("#notice"), "");
    await other.setInputFiles("#open", { name: "broken.state", mimeType: "", buffer: (await readFile(file)).subarray(0, 5000) });
    await notice(other, /damaged/);
  },

  async "the last minute becomes a GIF"(context) {
    const page = await open(context, site.address, "oxo");
    await page.click("#screen");
    await strike(page, "1", "6");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#film")]);
    const bytes = await readFile(await download.path());
    assert.equal(bytes.toString("latin1", 0, 6), "GIF89a");
    assert.ok(bytes.length > 2000);
  },

  async "a position of a game's tree opens as the machine"(context) {
    await native.run(oxbox, "verify", "oxo", "--html", join(folder, "elsewhere", "lines.html"), "--live", site.address);
    const lines = await context.newPage();
    await lines.goto(`${elsewhere.address}lines.html#oxo/1%206`);
    await Promise.all([lines.waitForURL(/#oxo\/1\/6$/), lines.click("#live")]);
    await lines.waitForSelector('body[data-ready="oxo"]');
    assert.match(await screen(lines), /YOU TAKE 6/);
    assert.equal(await lines.textContent("#notice"), "");
  },

  async "it works in a frame of another site"(context) {
    const address = `${site.address}#oxo/1/3`;
    await writeFile(join(folder, "elsewhere", "index.html"), `<!doctype html><title>t</title><iframe width=480 height=420 src="${address}"></iframe>`);
    const page = await context.newPage();
    await page.goto(elsewhere.address);
    const frame = page.frameLocator("iframe");
    await frame.locator('body.embedded[data-ready="oxo"]').waitFor();
    assert.equal(await frame.locator("header").isVisible(), false);
    await frame.locator("#screen").click();
    const text = await page.frames()[1].evaluate(() => window.oxbox.ask({ do: "text" }));
    assert.match(text.rows.join("\n"), /O/);
    await page.screenshot({ path: join(folder, "frame.png") });
  },

  async "a phone has keys, and its touches are keys"(context) {
    const page = await open(context, site.address, "eecs2100");
    await page.tap("#pad button:text-is('Space')");
    await passes(page, 1500);
    const before = (await record(page)).hash;
    const box = await page.locator("#screen").boundingBox();
    await page.touchscreen.tap(box.x + (box.width * 157) / 320, box.y + (box.height * 117) / 240);
    await passes(page, 500);
    const { script, hash } = await record(page);
    assert.notEqual(hash, before);
    assert.match(script, /press SP\n[^]*press 5\n/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it is wider than the phone");
    const text = await open(context, site.address, "oxo");
    const place = await text.locator("#screen").boundingBox();
    // The 1 of the board is in the eighth row, in the fourteenth column.
    await text.touchscreen.tap(place.x + (place.width * 13.5) / 80, place.y + (place.height * 7.5) / 25);
    await passes(text, 500);
    assert.match((await record(text)).script, /press 1\n/);
  },

  async "a program of one's own runs, and what it writes can be had"(context) {
    const page = await open(context, site.address, "oxo");
    await page.setInputFiles("#open", join(folder, "OWN.COM"));
    await page.waitForSelector('body[data-ready="OWN.COM"]');
    await shows(page, "A program");
    await page.click("#screen");
    await page.keyboard.press("x");
    await page.waitForSelector("#veil:not([hidden])");
    assert.match(await page.textContent("#veil"), /ended with code/);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#files")]);
    const written = await readFile(await download.path());
    assert.ok(written.includes("OUT.TXT") && written.readUInt32LE(0) === 0x04034B50);
    const published = await open(context, own.address, "own.com");
    await shows(published, "A program");
    assert.equal(await published.locator("#programs li").count(), 2);
  },

  async "folders and ZIP files are taken with all that is in them"(context) {
    const page = await open(context, site.address, "oxo");
    const program = await readFile(join(folder, "OWN.COM"));
    const packed = packedZip([["GAME/OWN.COM", program], ["GAME/OTHER.COM", program], ["GAME/DATA/IN.TXT", Buffer.from("in it ".repeat(50))], ["GAME/a long name.txt", program]]);
    await page.setInputFiles("#open", { name: "game.zip", mimeType: "application/zip", buffer: packed });
    await page.waitForSelector('body[data-ready="OWN.COM"]');
    await notice(page, /not valid in DOS: a long name.txt/);
    const bytes = await files(page, "DATA\\IN.TXT", "OTHER.COM", "OUT.TXT");
    assert.match(Buffer.from(bytes).toString("latin1"), /in it in it/);
    await page.click("#own button:text-is('OTHER.COM')");
    await page.waitForSelector('body[data-ready="OTHER.COM"]');
    // A folder as a desktop drops it.
    await mkdir(join(folder, "drop", "MINE", "SUB"), { recursive: true });
    await writeFile(join(folder, "drop", "MINE", "MINE.COM"), program);
    await writeFile(join(folder, "drop", "MINE", "SUB", "B.TXT"), "b");
    const session = await context.newCDPSession(page);
    const data = { items: [], files: [join(folder, "drop", "MINE")], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
    await page.waitForSelector('body[data-ready="MINE.COM"]');
    await files(page, "OUT.TXT", "SUB\\B.TXT");
    await page.setInputFiles("#open", { name: "cut.zip", mimeType: "", buffer: packed.subarray(0, packed.length - 30) });
    await notice(page, /truncated or damaged/);
  },

  async "the machine can be studied, forwards and backwards"(context) {
    const page = await open(context, site.address, "ttt1");
    await page.click("#study-button");
    await page.waitForSelector("#code li");
    await page.click("#pause");
    const at = async () => {
      const { instructions } = (await ask(page, { do: "study", lines: 1 })).value;
      return { instructions, place: await page.textContent("#code li:first-child span:first-child") };
    };
    /** Goes back by a step, which may be a whole interrupt. */
    const back = async (from) => {
      await page.click("#back");
      return until(page, "an earlier instruction is shown", async () => {
        const now = await at();
        return now.instructions < from.instructions && now.place !== from.place && now;
      });
    };
    // The worker has stopped when two successive answers are equal.
    let stopped = { instructions: -1 };
    await until(page, "the program stands", async () => stopped.instructions === (stopped = await at()).instructions);
    const first = await back(stopped);
    await back(first);
    await page.click("#step");
    await until(page, "it stands where it stood", async () => isDeepStrictEqual(await at(), first));
    assert.match(await page.textContent("#source-file"), /^asm\/ttt1\/ttt1\.asm:\d+$/);
    assert.match(await page.textContent("#source-lines .now"), /\S/);
    await page.fill("#address", "B800:0000");
    await page.press("#address", "Enter");
    await page.waitForFunction(() => document.querySelector("#memory").textContent.startsWith("B8000"));
  },

  async "what the screen says is told, and keys that are the browser's stay so"(context) {
    const page = await open(context, site.address, "oxo");
    await page.waitForFunction(() => document.querySelector("#transcript [role=log]").textContent.includes("YOU CANNOT WIN"));
    await page.focus("#screen");
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.id), "pause");
    assert.doesNotMatch((await record(page)).script, /press/);
  },

  async "axe-core finds nothing"(context) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(context, site.address, "ttt1");
      await page.emulateMedia({ colorScheme });
      await page.click("#study-button");
      await page.waitForSelector("#source-lines .now");
      await page.click("#states-button");
      await page.click("#states-save");
      await page.waitForSelector("#states li");
      await page.screenshot({ path: join(folder, `${colorScheme}.png`) });
      const dialog = await violations(page);
      await page.click("#states-close");
      assert.deepEqual([...dialog, ...(await violations(page))], [], colorScheme);
      await page.close();
    }
  },
};

/** Tests of the module as it is released, and those that depend on the speed of the machine: OXBOX_RELEASE=1. */
const released = {
  async "time passes as the clock says, with sound and without"(context) {
    const page = await open(context, site.address, "oxo");
    // A busy machine may delay the page for a while: one interval in ten must be right.
    const keepsTime = () => until(page, "time passes as the clock says", async () => {
      const [before, from] = [await now(page), Date.now()];
      await page.waitForTimeout(1500);
      const rate = ((await now(page)) - before) / (Date.now() - from);
      return rate > 0.8 && rate < 1.2;
    });
    await keepsTime();
    await page.click("#screen");
    await passes(page, 500);
    await keepsTime();
  },

  async "it is small, and there at once"(context) {
    const files = (await readdir(join(folder, "site"), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const all = await Promise.all(files.map((entry) => readFile(join(entry.parentPath ?? entry.path, entry.name))));
    const sum = (compress) => all.reduce((sum, bytes) => sum + compress(bytes).length, 0);
    console.log(`    ${files.length} files, ${sum((bytes) => bytes)} bytes, ${sum(gzipSync)} by gzip`);
    assert.ok(sum(gzipSync) < 700 * 1024, "it is larger than 700 KiB");
    const page = await open(context, site.address, "ttt1");
    console.log(`    running ${Math.round(await page.evaluate(() => performance.now()))} ms after the page was asked for`);
  },
};

/** What axe-core finds. The script is not of the page, which lets only its own be run: so it comes as an expression. */
async function violations(page) {
  const found = await page.evaluate(await readFile(axe, "utf8") + "; axe.run()");
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
}

/** A ZIP file with what programs that pack make of files: DEFLATE. */
function packedZip(files) {
  // Fields: offset, number of bytes, value.
  const record = (signature, length, fields) => {
    const bytes = Buffer.alloc(length);
    bytes.writeUInt32LE(signature);
    for (const [at, width, value] of fields) bytes.writeUIntLE(value, at, width);
    return bytes;
  };
  const [local, central] = [[], []];
  let offset = 0;
  for (const [name, bytes] of files) {
    const packed = deflateRawSync(bytes);
    local.push(record(0x04034B50, 30, [[4, 2, 20], [8, 2, 8], [18, 4, packed.length], [22, 4, bytes.length], [26, 2, name.length]]), Buffer.from(name), packed);
    central.push(record(0x02014B50, 46, [[6, 2, 20], [10, 2, 8], [20, 4, packed.length], [24, 4, bytes.length], [28, 2, name.length], [42, 4, offset]]), Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = record(0x06054B50, 22, [[8, 2, files.length], [10, 2, files.length], [12, 4, directory.length], [16, 4, offset]]);
  return Buffer.concat([...local, directory, end]);
}

/** A sample as a WAV file has it: halves are rounded away from zero. */
function to16Bits(sample) {
  return Math.sign(sample) * Math.round(Math.abs(Math.fround(sample * 32767)));
}

/** How many samples were heard just so, up to the end of one of the two. The tune may begin more than once in what was heard. */
function agreement(heard, expected) {
  const first = expected.findIndex((sample) => sample !== 0);
  let longest = 0;
  for (let start = heard.length; start > 0; ) {
    start = heard.lastIndexOf(expected[first], start - 1);
    let same = 0;
    while (first + same < expected.length && heard[start + same] === expected[first + same]) same++;
    if (first + same === expected.length || start + same === heard.length) longest = Math.max(longest, same);
  }
  return longest;
}

await mkdir(join(folder, "elsewhere"), { recursive: true });
const only = process.env.ONLY;
let failed = 0;
for (const [name, test] of Object.entries(process.env.OXBOX_RELEASE ? { ...tests, ...released } : tests)) {
  if (only && !name.includes(only)) continue;
  const context = await browser.newContext(name.includes("phone") ? phone : desktop);
  context.setDefaultTimeout(LIMIT);
  const began = Date.now();
  try {
    await test(context);
    console.log(`ok   ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
  await context.close();
}
await browser.close();
for (const server of [site, own, elsewhere]) server.close();
process.exit(failed ? 1 : 0);
