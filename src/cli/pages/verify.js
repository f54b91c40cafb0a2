"use strict";
(async () => {
  const byId = (id) => document.getElementById(id);

  // The page contains the data as JSON, compressed by gzip, in base64.
  const unpacked = (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  };
  const all = await unpacked(byId("data").textContent);
  const codes = new Map([...all.alphabet].map((glyph, code) => [glyph, code]));
  codes.set(" ", 32);

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.append(...children);
    return made;
  };

  // The games: nodes with names instead of numbers, and the lines below each.
  const games = new Map(all.games.map((game) => [game.name, { ...game, below: [], lines: [] }]));
  const nodeOf = (game, at) => {
    const [screen, outcome, marks, ...next] = game.tree.nodes[at];
    const ways = [];
    for (let n = 0; n < next.length; n += 2) ways.push({ key: game.tree.keys[next[n]], at: next[n + 1] });
    return { screen, outcome, marks, ways };
  };
  // Lines below a node by outcome, and the number of marked ones.
  const below = (game, at) => {
    if (game.below[at]) return game.below[at];
    const { outcome, marks, ways } = nodeOf(game, at);
    const counts = game.tree.outcomes.map(() => 0);
    const sum = { counts, marked: ways.length === 0 && marks ? 1 : 0 };
    if (outcome !== null) counts[outcome] = 1;
    for (const way of ways) {
      const more = below(game, way.at);
      more.counts.forEach((count, n) => { counts[n] += count; });
      sum.marked += more.marked;
    }
    game.below[at] = sum;
    return sum;
  };
  // A wait before the first key is part of the keys.
  const named = (key) => (key.startsWith("@") ? `after ${key.slice(1)} ms` : key);
  const total = (counts) => counts.reduce((a, b) => a + b, 0);

  // Screens, drawn as the machine draws them.
  const font = new Image();
  const inks = new Map();
  const inked = (colour) => {
    if (!inks.has(colour)) {
      const sheet = element("canvas", { width: font.width, height: font.height });
      const pen = sheet.getContext("2d");
      pen.drawImage(font, 0, 0);
      // White becomes the text colour, black transparent.
      const picture = pen.getImageData(0, 0, sheet.width, sheet.height);
      const ink = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
      for (let n = 0; n < picture.data.length; n += 4) {
        const white = picture.data[n] > 127;
        picture.data.set([...ink, white ? 255 : 0], n);
      }
      pen.putImageData(picture, 0, 0);
      inks.set(colour, sheet);
    }
    return inks.get(colour);
  };
  const rowsOf = (game, number) => {
    const { screens, lines } = game.tree.shown;
    const [, , base, ...changes] = screens[number];
    const rows = base === null ? [] : [...rowsOf(game, base)];
    for (let n = 0; n < changes.length; n += 2) rows[changes[n]] = lines[changes[n + 1]];
    return rows;
  };
  const isPicture = (screen) => typeof screen[2] === "string";
  const textOf = (game, number) => {
    const screen = game.tree.shown.screens[number];
    if (isPicture(screen)) return `A picture of ${screen[0]} by ${screen[1]} pixels.`;
    return rowsOf(game, number).map(([text]) => text).join("\n").trimEnd();
  };
  const drawn = (game, number, label) => {
    const screen = game.tree.shown.screens[number];
    if (isPicture(screen)) return element("img", { src: screen[2], alt: label });
    const [columns, height, blink, colours] = game.tree.shown.modes[screen[0]];
    const { width: w, height: h, across } = all.font;
    const canvas = element("canvas", { width: columns * w, height: height * h, role: "img", "aria-label": label });
    const pen = canvas.getContext("2d");
    rowsOf(game, number).forEach(([text, runs], row) => {
      const glyphs = [...text];
      let column = 0;
      for (let n = 0; n < runs.length; n += 2) {
        const [attribute, length] = [runs[n], runs[n + 1]];
        pen.fillStyle = colours[(attribute >> 4) & (blink ? 7 : 15)];
        pen.fillRect(column * w, row * h, length * w, h);
        const sheet = inked(colours[attribute & 15]);
        for (const end = column + length; column < end; column += 1) {
          const code = codes.get(glyphs[column] ?? " ") ?? 63;
          if (code === 32) continue;
          pen.drawImage(sheet, (code % across) * w, Math.floor(code / across) * h, w, h, column * w, row * h, w, h);
        }
      }
    });
    if (screen[1] >= 0) {
      pen.fillStyle = colours[7];
      pen.fillRect((screen[1] % columns) * w, Math.floor(screen[1] / columns) * h + h - 2, w, 2);
    }
    return canvas;
  };

  const bar = (game, counts) => {
    const lines = total(counts) || 1;
    const parts = game.tree.outcomes.map((name, n) =>
      element("i", { class: name, style: `width:${(100 * counts[n]) / lines}%` }));
    return element("span", { class: "bar", "aria-hidden": "true" }, ...parts);
  };
  const inWords = (game, counts) => {
    const parts = game.tree.words.map((name, n) => [counts[n], name]).filter(([count]) => count > 0);
    return parts.map(([count, name]) => `${count.toLocaleString("en")} ${name}`).join(", ");
  };
  // The text of a node, in the tree and on a card.
  const summary = (game, key, at) => {
    const { counts, marked } = below(game, at);
    const { outcome, marks, ways } = nodeOf(game, at);
    const star = marks || marked ? [element("span", { class: "star", title: "marked lines" }, "\u2605")] : [];
    const end = ways.length ? "" : outcome === null ? "differs" : game.tree.words[outcome];
    const count = element("span", { class: "count" }, end || total(counts).toLocaleString("en"));
    return [element("span", { class: "key" }, named(key)), ...star, bar(game, counts), count];
  };

  // The selected path.
  let game = null;
  let path = [];
  const address = (name, keys) => `#${name}/${encodeURIComponent(keys.join(" "))}`;
  const go = (keys) => { location.hash = address(game.name, keys); };

  // Follows keys as far as they match the tree. A leading wait may be left out.
  const follow = (keys) => {
    const walk = (at, rest, done) => {
      const { ways } = nodeOf(game, at);
      if (!rest.length) return { at, keys: done, rest };
      const way = ways.find(({ key }) => key === rest[0]);
      if (way) return walk(way.at, rest.slice(1), [...done, way.key]);
      const waits = done.length ? [] : ways.filter(({ key }) => key.startsWith("@"));
      const tries = waits.map((wait) => walk(wait.at, rest, [wait.key]));
      const best = tries.sort((a, b) => a.rest.length - b.rest.length)[0];
      return best && best.rest.length < rest.length ? best : { at, keys: done, rest };
    };
    return walk(0, keys, []);
  };

  // The tree: items are created when their parent is opened.
  const items = new Map();
  const item = (keys, key, at, level) => {
    const { ways } = nodeOf(game, at);
    const twist = element("span", { class: "twist", "aria-hidden": "true" }, ways.length ? "\u25b8" : "");
    const line = element("div", { class: "line" }, twist, ...summary(game, key, at));
    const made = element("div", { role: "treeitem", tabindex: "-1", "aria-level": level, "aria-selected": "false" }, line);
    made.setAttribute("aria-label", `${named(key)}: ${inWords(game, below(game, at).counts) || "differs"}`);
    if (ways.length) made.setAttribute("aria-expanded", "false");
    const entry = { made, keys, at, level, ways, twist, group: null };
    items.set(keys.join(" "), entry);
    line.addEventListener("click", () => {
      if (keys.join(" ") === path.join(" ") && ways.length) toggle(entry, entry.made.getAttribute("aria-expanded") !== "true");
      go(keys);
    });
    made.entry = entry;
    return entry;
  };
  const toggle = (entry, open) => {
    if (!entry.ways.length) return;
    if (open && !entry.group) {
      const children = entry.ways.map(({ key, at }) => item([...entry.keys, key], key, at, entry.level + 1).made);
      entry.group = element("div", { role: "group" }, ...children);
      entry.made.append(entry.group);
    }
    if (entry.group) entry.group.hidden = !open;
    entry.made.setAttribute("aria-expanded", String(open));
    entry.twist.textContent = open ? "\u25be" : "\u25b8";
  };
  const select = () => {
    for (let n = 0; n < path.length; n += 1) toggle(items.get(path.slice(0, n).join(" ")), true);
    const old = byId("tree").querySelector('[aria-selected="true"]');
    const entry = items.get(path.join(" "));
    for (const [of, selected] of [[old, "false"], [entry.made, "true"]]) {
      if (!of) continue;
      of.setAttribute("aria-selected", selected);
      of.tabIndex = selected === "true" ? 0 : -1;
    }
    const line = entry.made.firstChild;
    const tree = byId("tree");
    const [top, height] = [line.getBoundingClientRect().top - tree.getBoundingClientRect().top, tree.clientHeight];
    if (top < 0 || top > height - 30) tree.scrollTop += top - height / 2;
    if (tree.contains(document.activeElement)) entry.made.focus({ preventScroll: true });
  };
  byId("tree").addEventListener("keydown", (event) => {
    const entry = event.target.closest('[role="treeitem"]')?.entry;
    if (!entry || event.ctrlKey || event.altKey || event.metaKey) return;
    const open = entry.made.getAttribute("aria-expanded") === "true";
    const seen = [...byId("tree").querySelectorAll('[role="treeitem"]')].filter((made) => !made.closest("[hidden]"));
    const at = seen.indexOf(entry.made);
    const to = (made) => made && go(made.entry.keys);
    const moves = {
      ArrowDown: () => to(seen[at + 1]),
      ArrowUp: () => to(seen[at - 1]),
      Home: () => to(seen[0]),
      End: () => to(seen[seen.length - 1]),
      ArrowRight: () => (open ? to(seen[at + 1]) : toggle(entry, true)),
      ArrowLeft: () => (open ? toggle(entry, false) : entry.keys.length && go(entry.keys.slice(0, -1))),
      Enter: () => toggle(entry, !open),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  });

  // Shows the position that the address names.
  const show = () => {
    const [name, keys = ""] = decodeURIComponent(location.hash.slice(1)).split(/\/(.*)/s);
    const chosen = games.get(name) ?? games.values().next().value;
    if (chosen !== game) {
      game = chosen;
      items.clear();
      const root = item([], "start", 0, 1);
      byId("tree").replaceChildren(root.made);
      toggle(root, true);
      document.querySelectorAll("nav a").forEach((link) => {
        if (link.textContent === game.name) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      });
    }
    const wanted = keys.split(" ").filter(Boolean);
    const found = follow(wanted);
    const reached = found.keys.filter((key) => !key.startsWith("@") || wanted.includes(key)).join(" ");
    path = found.keys;
    byId("answer").textContent = found.rest.length
      ? `No line continues with ${found.rest[0]} after ${reached || "the start"}.`
      : "";
    select();
    const node = nodeOf(game, found.at);
    const { counts, marked } = below(game, found.at);
    const steps = [element("a", { href: address(game.name, []) }, game.name)];
    path.forEach((key, n) => steps.push(element("a", { href: address(game.name, path.slice(0, n + 1)) }, key)));
    byId("path").replaceChildren(...steps);
    const text = textOf(game, node.screen);
    byId("screen").replaceChildren(drawn(game, node.screen, `The screen of ${game.name} after ${path.join(" ") || "the start"}`));
    byId("text").textContent = text;
    const marks = game.tree.marks.filter((_, n) => (node.marks >> n) & 1);
    const ended = node.outcome === null ? "" : `The line ends here: ${game.tree.words[node.outcome]}. `;
    const differs = game.tree.differs[found.at] ? `${game.tree.differs[found.at]}. ` : "";
    const lines = node.ways.length ? `${total(counts).toLocaleString("en")} lines from here: ${inWords(game, counts)}. ` : "";
    const stars = node.ways.length && marked ? `${marked.toLocaleString("en")} of them marked.` : "";
    const signs = marks.length ? [element("span", { class: "star" }, `\u2605 ${marks.join("; ")}. `)] : [];
    byId("told").replaceChildren(ended, differs, ...signs, lines, stars);
    byId("command").textContent = `oxbox ${game.command}` + (path.length ? ` --window --keys "${path.join(" ")}"` : "");
    byId("live").hidden = !game.live;
    byId("live").href = [game.live, ...path.map(encodeURIComponent)].join("/");
    byId("next").replaceChildren(...node.ways.map(({ key, at }) => {
      const next = nodeOf(game, at);
      const picture = drawn(game, next.screen, "");
      const link = element("a", { href: address(game.name, [...path, key]) }, picture);
      link.append(element("div", { class: "line" }, ...summary(game, key, at)));
      link.setAttribute("aria-label", `${named(key)}: ${inWords(game, below(game, at).counts) || "differs"}`);
      if (next.marks || below(game, at).marked) link.classList.add("marked");
      return element("li", {}, link);
    }));
  };

  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = byId("typed").value.trim();
    // Keys without blanks are single characters.
    const keys = typed.includes(" ") || game.tree.keys.includes(typed) ? typed.split(/\s+/) : [...typed];
    const target = address(game.name, keys);
    if (location.hash === target) show();
    else location.hash = target;
  });
  byId("copy").addEventListener("click", async () => {
    const range = document.createRange();
    range.selectNodeContents(byId("command"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try {
      await navigator.clipboard.writeText(byId("command").textContent);
      byId("answer").textContent = "Copied.";
    } catch {
      byId("answer").textContent = "Selected: copy it with Ctrl+C.";
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target.tagName !== "INPUT") {
      event.preventDefault();
      byId("typed").focus();
    }
  });
  addEventListener("hashchange", show);
  font.addEventListener("load", () => {
    byId("explorer").hidden = false;
    show();
  });
  font.src = all.font.picture;
})();
