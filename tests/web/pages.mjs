// The pages that oxbox writes, opened in Chromium: node pages.mjs FOLDER, with lines.html and arena.html in FOLDER.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, LIMIT } from "./browser.mjs";

const [folder] = process.argv.slice(2);

/** A file, a fragment of its address, and HTML that the page then contains. */
const PAGES = [
  ["lines.html", "", "ttt1</a>"],
  ["lines.html", "#eecs2100/SP%205%201%207%203", 'oxbox play eecs2100 --window --keys "SP 5 1 7 3"</code>'],
  ["lines.html", "#eecs2100/SP%205%201%207%203", "The line ends here: human wins."],
  ["lines.html", "#chip/u%208", "The chip would have taken 10314 clocks."],
  ["lines.html", "#grid18/2%202", "X has 22"],
  ["lines.html", "#grid18/2%204", "No line continues with 4 after 2."],
  ["arena.html", "", "14 wins, 125 draws, 334 losses"],
];

const browser = await launch();
for (const [file, fragment, html] of PAGES) {
  const page = await browser.newPage();
  const failed = new Promise((_, reject) => page.on("pageerror", reject));
  await page.goto(pathToFileURL(join(folder, file)) + fragment);
  const shown = page.waitForFunction((html) => document.documentElement.outerHTML.includes(html), html, { timeout: LIMIT });
  await Promise.race([shown, failed]).catch((error) => {
    throw new Error(`${file}${fragment} does not show ${html}`, { cause: error });
  });
  console.log(`${file}${fragment}: ${html}`);
  await page.close();
}
await browser.close();
