"use strict";
// Everything that came from outside is set with textContent, inside <bdi>; an address becomes a
// link only if it is http(s). Nothing here makes HTML out of text.

const MOST_SHOWN = 200_000;
const ROWS_AT_ONCE = 50;
const PASSAGE = 600;
const ROUTE = "";
const byId = (id) => document.getElementById(id);
const make = (tag, text, name) => {
  const one = document.createElement(tag);
  if (text) one.textContent = text;
  if (name) one.className = name;
  return one;
};
const add = (to, ...parts) => { to.append(...parts); return to; };
const outside = (text) => { const one = make("bdi", String(text)); one.dir = "auto"; return one; };
const mark = (kind) => {
  const one = make("span", { good: "✓", bad: "✗", care: "!" }[kind], kind);
  one.setAttribute("aria-hidden", "true");
  return one;
};
const svg = (tag, fields) => {
  const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(fields)) one.setAttribute(name, value);
  return one;
};
const link = (address, ...parts) => {
  if (!/^https?:\/\//i.test(address)) return add(make("span"), ...parts);
  const one = add(make("a"), ...parts);
  one.href = address;
  one.rel = "noreferrer noopener";
  one.target = "_blank";
  return one;
};
// Letters that hide or turn the line around are shown as what they are.
const escaped = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g,
  (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
const dollars = (cost) => (cost ? `$${cost.toFixed(cost < 0.01 ? 4 : 3).replace(/0+$/, "").replace(/\.$/, "")}` : "$0");
const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// --- the gateway -------------------------------------------------------------------

let key = "";
let status = { backends: [] };

async function call(path, body, signal) {
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  if (body !== undefined) headers["content-type"] = "application/json";
  const method = body === undefined ? "GET" : "POST";
  const answer = await fetch(path, { method, headers, signal, body: body === undefined ? null : JSON.stringify(body) });
  if (answer.status === 401) askForKey(key !== "");
  return answer;
}

async function ask(path, body, signal) {
  try {
    return await (await call(path, body, signal)).json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { success: false, error: "The gateway does not answer.", failure: { kind: "offline" } };
  }
}

function askForKey(refused) {
  byId("key-form").hidden = false;
  if (refused) byId("key-note").textContent = "That key was refused. Try another one.";
  tell("state", ["bad", " key needed"]);
  byId("key").focus();
}

byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  key = byId("key").value.trim();
  byId("key").value = "";
  byId("key-form").hidden = true;
  begin();
});

function tell(id, ...parts) {
  const line = byId(id);
  line.replaceChildren();
  for (const part of parts) {
    if (Array.isArray(part)) line.append(mark(part[0]), part[1]);
    else if (typeof part === "string") line.append(part);
    else line.append(part);
  }
}

async function begin() {
  const answer = await ask("api/status");
  if (!answer.success) {
    if (answer.failure?.kind === "offline") tell("state", ["bad", " offline"]);
    return;
  }
  status = answer.data;
  const ready = status.backends.length;
  tell("state", [ready ? "good" : "care", ready ? " ready " : " nothing is set up yet: webseam setup "],
    make("span", `· ${count(ready, "backend")} · ${status.caller}`, "quiet"));
  const choices = byId("backends");
  choices.querySelectorAll("label").forEach((each) => each.remove());
  add(choices, choice(ROUTE, "as the settings say", true), ...(status.looks ? status.backends : []).map((one) => choice(one.name, one.name, false, one.paid)));
}

function choice(name, words, checked, paid) {
  const box = make("input");
  Object.assign(box, { type: "checkbox", value: name, checked });
  const label = add(make("label"), box, words);
  if (paid) add(label, make("span", "paid", "quiet"));
  return label;
}

// --- search ------------------------------------------------------------------------

let running = null;
let last = { query: "", backends: [] };

byId("search-form").addEventListener("submit", (event) => { event.preventDefault(); search(); });
byId("stop").addEventListener("click", () => running?.abort());
document.querySelectorAll("[name=rows]").forEach((box) => box.addEventListener("change", () => cards.forEach(draw)));

let cards = [];

const setAside = () => document.querySelector("[name=rows]:checked").value === "quarantine";

async function search() {
  running?.abort();
  const own = (running = new AbortController());
  const query = byId("query").value;
  const names = [...byId("backends").querySelectorAll("input:checked")].map((box) => box.value);
  if (!names.length) { tell("search-status", ["care", " Choose at least one to ask."]); return; }
  last = { query, backends: names };
  byId("closely").hidden = byId("planned").hidden = true;
  byId("stop").hidden = false;
  cards = names.map((name) => ({ name, started: performance.now(), place: make("article", "", "card") }));
  byId("cards").replaceChildren(...cards.map((card) => card.place));
  cards.forEach(draw);
  const clock = setInterval(() => cards.filter((card) => !card.answer).forEach(draw), 200);
  const begun = performance.now();
  await Promise.all(cards.map(async (card) => {
    try {
      const body = card.name === ROUTE ? { query } : { backend: card.name, arguments: { query } };
      card.answer = await ask(card.name === ROUTE ? "api/search" : "api/look", body, own.signal);
    } catch {
      card.answer = { success: false, error: "Stopped.", failure: { kind: "stopped" } };
    }
    card.ms = performance.now() - card.started;
    if (own !== running) return;
    draw(card);
    // In the order in which they finish.
    const waiting = cards.find((other) => !other.answer);
    if (waiting) byId("cards").insertBefore(card.place, waiting.place);
    if (card.name === ROUTE) drawPlan(card);
  }));
  clearInterval(clock);
  if (own !== running) return;
  byId("stop").hidden = true;
  const failed = cards.filter((card) => !verdict(card).good).length;
  const cost = cards.reduce((sum, card) => sum + costOf(card), 0);
  tell("search-status", `${names.length} asked, ${names.length - failed} answered${failed ? `, ${failed} failed` : ""}`,
    make("span", ` · ${seconds(performance.now() - begun)} · ${dollars(cost)}`, "quiet"));
  const telling = cards.find((card) => card.answer.look && verdict(card).rejected.length) ?? cards.find((card) => card.answer.look);
  if (telling) drawClosely(telling);
}

// What a look says, and what that means under the rule for bad rows that is chosen.
function verdict(card) {
  const envelope = card.answer.look ? card.answer.data.reply : card.answer;
  const rejected = envelope.data?.rejected ?? [];
  const rows = envelope.data?.web ?? [];
  const good = envelope.success && (setAside() || !rejected.length);
  return { envelope, rows, rejected, good };
}

function costOf(card) {
  const { envelope } = verdict(card);
  return (envelope.receipt?.attempts ?? envelope.failure?.attempts ?? []).reduce((sum, one) => sum + (one.cost ?? 0), 0);
}

function draw(card) {
  const title = card.name === ROUTE ? "as the settings say" : card.name;
  card.place.replaceChildren();
  if (!card.answer) {
    add(card.place, add(make("header"), make("h3", title), make("span", `asking, ${((performance.now() - card.started) / 1000).toFixed(1)} s`, "quiet")));
    return;
  }
  const { envelope, rows, rejected, good } = verdict(card);
  const what = good ? count(rows.length, "row") : envelope.failure?.kind ?? "invalid_row";
  add(card.place, add(make("header"), add(make("h3"), mark(good ? "good" : "bad"), ` ${title}`),
    make("span", `${what} · ${seconds(card.ms)} · ${dollars(costOf(card))}`, "quiet")));
  if (!envelope.success) {
    add(card.place, add(make("p"), add(make("strong"), outside(envelope.error ?? "It failed."))));
    const remedy = envelope.failure?.remedy;
    if (remedy) add(card.place, add(make("p", "", "quiet"), outside(remedy)));
  } else if (!good) {
    add(card.place, make("p", `${card.name} sent a row that cannot be trusted, so none is used.`),
      make("p", `Set bad rows aside to see the other ${rows.length}.`, "quiet"), list(rejected.map(brokenRow)));
  } else if (!rows.length) {
    add(card.place, make("p", "Nothing was found."));
  } else {
    add(card.place, list([...rows.map(goodRow), ...rejected.map(brokenRow)]));
  }
  if (card.answer.look) {
    const look = make("button", "Look closely");
    look.type = "button";
    look.setAttribute("aria-label", `Look closely at ${title}`);
    look.addEventListener("click", () => { drawClosely(card); byId("closely-title").focus(); });
    add(card.place, look);
  }
}

function list(items) {
  const place = add(make("ol", "", "rows"), ...items.slice(0, ROWS_AT_ONCE));
  if (items.length <= ROWS_AT_ONCE) return place;
  const rest = make("button", `${items.length - ROWS_AT_ONCE} more`);
  rest.type = "button";
  rest.addEventListener("click", () => { rest.remove(); add(place, ...items.slice(ROWS_AT_ONCE)); });
  return add(place, rest);
}

function goodRow(row) {
  const item = make("li");
  add(item, link(row.url ?? "", outside(row.title || row.url || "(no title)")));
  const where = add(make("div", "", "where"), outside(cut((row.url ?? "").replace(/^https:\/\//, ""), 160)));
  if (row.published_at) add(where, ` · ${String(row.published_at).slice(0, 10)}`);
  return add(item, where, row.description ? passage(row.description) : "");
}

function cut(text, most) {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/* What a service sends may be endless; the page stays one that can be looked over. */
function passage(text) {
  const place = add(make("p"), outside(cut(text, PASSAGE)));
  if (text.length <= PASSAGE) return place;
  const rest = make("button", `all ${text.length.toLocaleString("en")} characters`);
  rest.type = "button";
  rest.addEventListener("click", () => place.replaceChildren(outside(text)));
  return add(place, " ", rest);
}

function brokenRow(row) {
  const words = add(make("strong", "", "bad"), mark("bad"), ` Row ${row.index}: ${row.field} `, outside(row.reason));
  return add(make("li", "", "broken"), words, add(make("div", "", "where mono"), outside(row.raw)));
}

function drawClosely(card) {
  const { rows, rejected, envelope, good } = verdict(card);
  const { raw, bytes, cut } = card.answer.data;
  byId("closely").hidden = false;
  byId("closely-title").textContent = `${card.name}, looked at closely`;
  byId("raw-size").textContent = `${(bytes / 1024).toFixed(1)} KB, before any check${cut ? "; the rest is not shown" : ""}`;
  const bad = new Map(rejected.map((row) => [row.index, row.field]));
  const lines = [];
  raw.forEach((text, index) => {
    for (const line of text.split("\n").slice(0, 2000)) {
      const here = bad.has(index) && line.includes(`"${String(bad.get(index)).split(".").pop()}"`);
      lines.push(make("span", escaped(line), here ? "here" : ""));
    }
  });
  byId("raw").replaceChildren(...(lines.length ? lines : [make("span", "(nothing)")]));
  byId("verdict").textContent = envelope.success || rejected.length
    ? `${rows.length} good, ${rejected.length} bad${rejected.length ? (good ? ": set aside" : ": the call fails") : ""}` : envelope.failure?.kind ?? "";
  const items = envelope.success ? [...rows.map(goodRow), ...rejected.map(brokenRow)]
    : [add(make("li"), outside(envelope.error ?? ""))];
  byId("checked").replaceChildren(...(items.length ? items.slice(0, ROWS_AT_ONCE) : [make("li", "Nothing was found.")]));
}

function drawPlan(card) {
  const { envelope } = verdict(card);
  const receipt = envelope.receipt ?? {};
  const attempts = receipt.attempts ?? envelope.failure?.attempts ?? [];
  byId("planned").hidden = !envelope.success && !attempts.length;
  byId("planned-note").textContent = attempts.length > 1 ? "one after the other, until an answer is valid" : "";
  const whole = Math.max(1, attempts.reduce((sum, one) => sum + one.milliseconds, 0));
  byId("span").textContent = `0 to ${seconds(whole)}`;
  let from = 0;
  byId("attempts").replaceChildren(...attempts.map((one) => {
    const good = one.outcome === "answered";
    const line = svg("svg", { viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" });
    add(line, svg("rect", { x: 0, y: 6.5, width: 100, height: 1, class: "w" }),
      svg("rect", { x: (from / whole) * 100, y: 4.5, width: Math.max(1, (one.milliseconds / whole) * 100), height: 5, class: good ? "g" : "r" }));
    from += one.milliseconds;
    return add(make("tr"), make("td", one.backend), add(make("td"), mark(good ? "good" : "bad"), ` ${one.outcome.replaceAll("_", " ")}`),
      add(make("td"), line), make("td", seconds(one.milliseconds), "n"), make("td", dollars(one.cost), "n cost"));
  }));
  if (!attempts.length) add(byId("attempts"), add(make("tr"), make("td", receipt.backend ?? ""), make("td", receipt.cached ? "from the cache" : "answered alone"), make("td"), make("td"), make("td", "", "cost")));
  facts("receipt", [
    ["Answered by", receipt.backend], ["Cache", receipt.cached === undefined ? null : receipt.cached ? "kept from before" : "asked now"],
    ["Limit", receipt.max_results && `${receipt.max_results}${receipt.clamped ? ", brought into range" : ""}`],
    ["Sent", (receipt.sent ?? []).join(", ")], ["Verified", (receipt.verified ?? []).join(", ")], ["Done by us", (receipt.emulated ?? []).join(", ")], ["Not done", (receipt.refused ?? []).join(", ")],
    ["Rows", receipt.returned === undefined ? null : `${receipt.returned} sent, ${receipt.rejected} bad, ${receipt.trimmed} over the limit`],
    ["Warnings", (receipt.warnings ?? []).join(" ")], ["Cost", dollars(costOf(card))],
  ]);
}

function facts(id, pairs) {
  const parts = [];
  for (const [name, value] of pairs) if (value !== null && value !== undefined && value !== "") parts.push(make("dt", name), add(make("dd"), outside(value)));
  byId(id).replaceChildren(...parts);
}

// --- copy --------------------------------------------------------------------------

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const COPIES = {
  curl: () => `curl ${new URL("api/search", location.href)} -H 'content-type: application/json'${key ? " -H \"authorization: Bearer $WEBSEAM_KEY\"" : ""} -d ${quoted(JSON.stringify({ query: last.query }))}`,
  python: () => {
    const names = last.backends.filter((name) => name !== ROUTE);
    const open = names.length === 1 ? `webseam.open_blocking(backend=${JSON.stringify(names[0])})` : "webseam.open_blocking()";
    return `import webseam\n\nwith ${open} as web:\n    for row in web.search(${JSON.stringify(last.query)}).rows:\n        print(row.position, row.title, row.url)\n`;
  },
  mcp: () => JSON.stringify({ mcpServers: { webseam: { command: "webseam", args: ["mcp"] } } }, null, 2),
};
document.querySelectorAll("[data-copy]").forEach((button) => button.addEventListener("click", async () => {
  last.query = byId("query").value || last.query || "tide tables";
  const text = COPIES[button.dataset.copy]();
  try {
    await navigator.clipboard.writeText(text);
    tell("search-status", ["good", ` Copied as ${button.textContent}.`]);
  } catch {
    const area = add(make("pre"), ...text.split("\n").map((line) => make("span", line)));
    area.tabIndex = 0;
    tell("search-status", "This browser does not let a page copy. Here it is: ", area);
  }
}));

// --- extract -----------------------------------------------------------------------

let page = null;

byId("extract-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const url = byId("url").value;
  const started = performance.now();
  byId("page-columns").hidden = byId("source").hidden = byId("more").hidden = true;
  tell("extract-status", "reading");
  const answer = await ask("api/extract", { urls: [url] });
  const result = answer.data?.results?.[0];
  if (!answer.success || !result) {
    tell("extract-status", ["bad", " "], outside(answer.error ?? "It failed."), answer.failure?.remedy ? add(make("span", " ", "quiet"), outside(answer.failure.remedy)) : "");
    return;
  }
  const receipt = answer.receipt?.pages?.[0] ?? answer.receipt ?? {};
  page = { result, text: result.content, handle: receipt.handle, cursor: receipt.next_cursor, whole: receipt.characters };
  tell("extract-status", ["good", ` Read in ${seconds(performance.now() - started)} `], make("span", "", "quiet"));
  byId("page-columns").hidden = byId("source").hidden = false;
  const about = result.metadata ?? {};
  facts("about", [["Title", result.title], ["Address", result.final_url], ["Author", about.author], ["Published", about.published_at], ["Language", about.language],
    ["Kind", about.kind], ["Links", about.links], ["Read by", receipt.backend], ["Characters", receipt.characters?.toLocaleString("en")], ["Made shorter", receipt.compressed ? `to ${receipt.compressed_characters}` : ""]]);
  drawLeftOut(about, receipt);
  drawPage();
});
// Why each kind of words is not in the text beside it.
const LEFT_OUT = {
  menus: ["of menus, footers and dialogs", "They are the site's, not the page's."],
  unlikely: ["that do not read like the content", "Adverts, teasers, buttons and lists of links look like this."],
  copies: ["that were said before", "Once is enough."],
  comments: ["of comments", "What readers wrote is given apart, where it is asked for."],
};
function drawLeftOut(about, receipt) {
  const kinds = (Array.isArray(about.left_out) ? about.left_out : []).filter((one) => one && LEFT_OUT[one.kind]);
  const counted = kinds.map((one) => add(make("li"), `${count(Number(one.words), "word")} ${LEFT_OUT[one.kind][0]} `, make("span", LEFT_OUT[one.kind][1], "quiet")));
  const notes = [...(Array.isArray(about.notes) ? about.notes : []), ...(receipt.warnings ?? [])].map((note) => add(make("li"), outside(note)));
  const items = [...counted, ...notes];
  byId("notes").replaceChildren(...(items.length ? items : [make("li", "Nothing, as far as whoever read it says.")]));
}
byId("source").addEventListener("click", () => {
  const pressed = byId("source").getAttribute("aria-pressed") !== "true";
  byId("source").setAttribute("aria-pressed", String(pressed));
  drawPage();
});
byId("more").addEventListener("click", async () => {
  const answer = await ask("api/more", { handle: page.handle, cursor: page.cursor });
  if (!answer.success) { tell("extract-status", ["bad", " "], outside(answer.error ?? "")); return; }
  const piece = answer.data ?? {};
  // A piece of a table begins with its header, one of code with its fence.
  page.text += `\n\n${piece.before ?? ""}${piece.text ?? piece.content ?? ""}${piece.after ?? ""}`;
  page.cursor = piece.next_cursor ?? null;
  drawPage();
});

function drawPage() {
  const text = page.text.slice(0, MOST_SHOWN);
  const place = byId("page");
  place.replaceChildren(add(make("h3"), outside(page.result.title || page.result.url)));
  if (byId("source").getAttribute("aria-pressed") === "true") add(place, add(make("pre"), outside(text)));
  else add(place, ...markdown(text));
  if (page.text.length > MOST_SHOWN) add(place, make("p", "The rest is not shown here.", "quiet"));
  byId("more").hidden = !(page.handle && page.cursor);
  const line = byId("extract-status").querySelector(".quiet");
  if (line && page.whole) line.textContent = `· ${Math.min(page.text.length, page.whole).toLocaleString("en")} of ${page.whole.toLocaleString("en")} characters`;
}

// A walk over lines: headings, lists, tables, quotes, code; whatever else is a paragraph.
function markdown(text) {
  const parts = [];
  const lines = text.split("\n");
  let at = 0;
  const while_ = (test) => { const taken = []; while (at < lines.length && test(lines[at])) taken.push(lines[at++]); return taken; };
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (!line.trim()) at++;
    else if (heading) { at++; parts.push(add(make(`h${Math.min(6, heading[1].length + 3)}`), ...inline(heading[2]))); }
    else if (/^(```|~~~)/.test(line)) {
      const fence = line.slice(0, 3); at++;
      const code = while_((one) => !one.startsWith(fence)); at++;
      const block = make("pre", code.join("\n")); block.tabIndex = 0; parts.push(block);
    } else if (/^\s*\|.*\|\s*$/.test(line)) parts.push(table(while_((one) => /^\s*\|/.test(one))));
    else if (/^\s*>/.test(line)) parts.push(add(make("blockquote"), ...markdown(while_((one) => /^\s*>/.test(one)).map((one) => one.replace(/^\s*> ?/, "")).join("\n"))));
    else if (/^\s*([-*+]|\d+[.)])\s+/.test(line)) {
      const items = while_((one) => one.trim() && (/^\s*([-*+]|\d+[.)])\s+/.test(one) || /^\s{2,}/.test(one)));
      parts.push(add(make(/^\s*\d/.test(line) ? "ol" : "ul"), ...items.map((one) => add(make("li"), ...inline(one.replace(/^\s*([-*+]|\d+[.)])\s+/, ""))))));
    } else parts.push(add(make("p"), ...inline(while_((one) => one.trim() && !/^(#{1,6}\s|```|~~~|\s*>|\s*\|)/.test(one) && !/^\s*([-*+]|\d+[.)])\s+/.test(one)).join(" ") || lines[at++])));
  }
  return parts;
}

function table(lines) {
  const rows = lines.filter((line) => !/^[\s|:-]+$/.test(line)).map((line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/));
  const body = rows.map((cells, place) => add(make("tr"), ...cells.map((cell) => add(make(place ? "td" : "th"), ...inline(cell.trim().replaceAll("\\|", "|"))))));
  return add(make("div", "", "scroll"), add(make("table"), ...body));
}

const INLINE = /\\[\\`*_{}[\]()#+.!|<>~-]|(`[^`\n]{1,2000}`)|(!?)\[((?:\\.|[^\]\\\n]){0,1000})\]\(([^)\s]{1,2000})(?:\s+"[^"]{0,500}")?\)|\*\*([^*\n]{1,2000})\*\*|(?<![\w*])\*([^*\s][^*\n]{0,1000})\*(?!\w)/g;
function inline(text) {
  const parts = [];
  let from = 0;
  for (const found of text.slice(0, 50_000).matchAll(INLINE)) {
    if (found.index > from) parts.push(outside(plain(text.slice(from, found.index))));
    if (found[0].startsWith("\\")) parts.push(plain(found[0]));
    else if (found[1]) parts.push(make("code", found[1].slice(1, -1)));
    else if (found[4] !== undefined) parts.push(found[2] ? outside(found[3] || "picture") : link(found[4], outside(plain(found[3]) || found[4])));
    else if (found[5]) parts.push(add(make("strong"), outside(plain(found[5]))));
    else parts.push(add(make("em"), outside(plain(found[6]))));
    from = found.index + found[0].length;
  }
  if (from < text.length) parts.push(outside(plain(text.slice(from))));
  return parts;
}
const plain = (text) => text.replace(/\\([\\`*_{}[\]()#+.!|<>~-])/g, "$1");

// --- figures -----------------------------------------------------------------------

const history = [];

async function sample() {
  if (document.hidden) return;
  let answer;
  try { answer = await call("metrics"); } catch { tell("state", ["bad", " offline"]); return; }
  if (answer.status === 403) { byId("figures-note").textContent = "are for the owner of this gateway"; return; }
  if (!answer.ok) return;
  const now = { at: performance.now(), calls: 0, errors: new Map(), cached: 0, asked: 0, spent: 0 };
  for (const line of (await answer.text()).split("\n")) {
    const [, name, labels, value] = /^(\w+)(?:\{(.*)\})? ([\d.eE+-]+)$/.exec(line) ?? [];
    if (name === "webseam_requests_total" && /route="\/(?!metrics|health|ready|openapi|playground|api\/status)/.test(labels)) now.calls += Number(value);
    if (name === "webseam_failures_total") now.errors.set(/kind="([^"]*)"/.exec(labels)?.[1] ?? "", Number(value));
    if (name === "webseam_cached_total") now.cached += Number(value);
    if (name === "webseam_attempts_total") now.asked += Number(value);
    if (name === "webseam_spent_dollars_total") now.spent += Number(value);
  }
  history.push(now);
  if (history.length > 121) history.shift();
  drawFigures();
}

function drawFigures() {
  const newest = history[history.length - 1];
  const oldest = history[0];
  const errors = (one) => [...one.errors.values()].reduce((sum, each) => sum + each, 0);
  const steps = (figure) => history.slice(1).map((one, place) => Math.max(0, figure(one) - figure(history[place])));
  const minute = history.find((one) => newest.at - one.at <= 61_000) ?? oldest;
  const kinds = [...newest.errors].filter(([, number]) => number).sort((a, b) => b[1] - a[1]).slice(0, 4).map(([kind, number]) => `${number} ${kind}`);
  const answers = newest.cached + newest.asked;
  byId("plots").replaceChildren(
    plot("Calls in the last minute", String(newest.calls - minute.calls), `${newest.calls.toLocaleString("en")} since it was started`, steps((one) => one.calls)),
    plot("Failures", String(errors(newest)), kinds.join(", ") || "none", steps(errors), "r"),
    plot("From the cache", answers ? `${Math.round((newest.cached / answers) * 100)} %` : "0 %", `${newest.cached} of ${count(answers, "answer")}`, steps((one) => one.cached), "g"),
    plot("Spent", dollars(newest.spent), "as far as prices are known", steps((one) => one.spent), "b"),
  );
}

function plot(what, figure, remark, values, bars) {
  const top = Math.max(...values, 1e-9);
  const y = (value) => 38 - (value / top) * 34;
  const label = values.length ? `${what}: from ${values[0]} to ${values[values.length - 1]} in five seconds, at most ${top < 1e-6 ? 0 : top}` : `${what}: nothing yet`;
  const picture = svg("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img", "aria-label": label });
  picture.append(svg("line", { x1: 0, x2: 100, y1: 38.5, y2: 38.5, class: "base" }));
  if (bars) values.forEach((value, place) => picture.append(svg("rect", { x: (place * 100) / values.length, y: y(value), width: Math.max(0.4, 100 / values.length - 0.5), height: 38 - y(value), class: bars })));
  else if (values.length > 1) {
    const path = values.map((value, place) => `${(place * 100) / (values.length - 1)},${y(value)}`).join(" ");
    picture.append(svg("polygon", { points: `0,38 ${path} 100,38`, class: "ar" }), svg("polyline", { points: path, class: "ln" }));
  }
  return add(make("article", "", "card"), make("span", what, "quiet"), make("b", figure), make("span", remark, "quiet"), picture);
}

addEventListener("keydown", (event) => {
  const writing = event.target.matches?.("input:not([type=checkbox], [type=radio])");
  if (event.key === "/" && !writing) { event.preventDefault(); byId("query").focus(); }
});
begin().then(sample);
setInterval(sample, 5000);
