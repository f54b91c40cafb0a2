// A browser, servers, and the page under test.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join, extname, normalize } from "node:path";
import { chromium } from "playwright-core";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm",
  ".json": "application/json",
};

/** The limit of every wait, in ms: only what hangs takes as long. */
export const LIMIT = 120_000;

/** Serves a folder on a port of its own; the answer is its address. */
export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    try {
      const bytes = await readFile(join(folder, path.endsWith("/") ? `${path}index.html` : path));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? (path.endsWith("/") ? TYPES[".html"] : "application/octet-stream") });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://localhost:${server.address().port}/`, close: () => server.close() };
}

export function launch() {
  return chromium.launch({
    timeout: LIMIT,
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
      "--disable-sync", "--autoplay-policy=no-user-gesture-required",
    ],
  });
}

/** Opens the page at a fragment and waits until its program runs. Whatever it complains of is an error. */
export async function open(context, site, fragment = "") {
  const page = await context.newPage();
  page.trouble = [];
  page.on("pageerror", (error) => page.trouble.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.trouble.push(message.text()));
  await page.goto(`${site}${fragment && "#"}${fragment}`);
  const name = fragment.split(/[/~]/)[0];
  await page.waitForSelector(name ? `body[data-ready="${name}"]` : "body[data-ready]");
  return page;
}

/** What the machine of a page answers to a request; bytes as numbers. */
export function ask(page, request) {
  return page.evaluate(async (request) => {
    const { value, bytes } = await window.oxbox.askBytes(request);
    return { value, bytes: [...(bytes ?? [])] };
  }, request);
}

/** The text screen; nothing in graphics. */
export async function screen(page) {
  return (await ask(page, { do: "text" })).value?.rows.join("\n") ?? "";
}

/** Waits until a question is answered with something true, which it returns; a busy machine may take its time. */
export async function until(page, what, question) {
  for (const end = Date.now() + LIMIT; Date.now() < end; await page.waitForTimeout(20)) {
    const answer = await question();
    if (answer) return answer;
  }
  throw new Error(`waited in vain until ${what}`);
}

/** The machine's virtual time, in milliseconds. */
export async function now(page) {
  return (await ask(page, { do: "advance", ms: 0 })).value.ms;
}

/** Waits until that much virtual time has passed. */
export async function passes(page, ms) {
  const from = await now(page);
  await until(page, `${ms} ms of virtual time have passed`, async () => (await now(page)) >= from + ms);
}

/** Waits until a text stands on the screen. */
export function shows(page, text) {
  return until(page, `the screen shows "${text}"`, async () => (await screen(page)).includes(text));
}

/** Waits until the page's notice matches. */
export function notice(page, pattern) {
  return until(page, `the page says ${pattern}`, async () => pattern.test(await page.textContent("#notice")));
}
