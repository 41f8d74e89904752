// The page: reads the calls, follows the feed, and handles filter, buttons and keys.

import { CallList } from "./list.js";
import { act, edit, importArchive, pin, resend, showRules } from "./actions.js";
import { Detail } from "./detail.js";

const at = (id) => document.getElementById(id);

// The token is in a cookie now, so it need not stay in the history.
if (location.search.startsWith("?token=")) history.replaceState(null, "", `/${location.hash}`);

const detail = new Detail(at("detail"), () => [...list.rows.values()].filter((row) => row.isPinned));
const list = new CallList({
  scroller: at("scroller"), space: at("space"), axis: at("axis"), onChoose: (id) => open(id),
});
/** The rows that came while the list was paused. */
let waiting = null;
let counts = { count: 0, evicted: 0 };

function open(id) {
  list.choose(id);
  history.replaceState(null, "", `#${id}`);
  detail.open(id);
}

function tell() {
  const shown = list.found ? `${list.shown.length} of ` : "";
  const evicted = counts.evicted ? `, ${counts.evicted} evicted` : "";
  const paused = waiting ? `, ${waiting.size} wait` : "";
  at("count").textContent = `${shown}${list.rows.size} ${list.rows.size === 1 ? "call" : "calls"}${evicted}${paused}`;
  at("empty").hidden = list.rows.size > 0;
  at("scroller").hidden = list.rows.size === 0 || !at("connections").hidden;
}

function take(rows, gone = []) {
  if (gone.length > 0) {
    const ids = new Set(gone);
    list.retain((row) => !ids.has(row.id));
    for (const id of ids) waiting?.delete(id);
    if (ids.has(detail.id)) detail.close();
  }
  if (waiting) {
    for (const row of rows) waiting.set(row.id, row);
  } else {
    list.add(rows);
    detail.refresh(rows.map((row) => row.id));
    if (!at("connections").hidden) list.drawLanes(at("connections"));
    searchSoon();
  }
  tell();
}

async function load() {
  let after = 0;
  for (;;) {
    const response = await fetch(`api/calls?after=${after}`);
    if (!response.ok) return;
    const part = await response.json();
    counts = part;
    detail.mayShowSecrets = part.showsSecrets;
    take(part.rows);
    if (part.rows.length === 0) return;
    after = part.rows[part.rows.length - 1].id;
  }
}

function setState(state) {
  document.body.dataset.state = state;
  list.isLive = state === "live" && !waiting;
  at("lost").hidden = state === "live";
}

const feed = new EventSource("api/events");
// The calls are read after the feed has begun, so that none is missed in between.
feed.addEventListener("open", () => load().then(() => {
  setState("live");
  const id = Number(location.hash.slice(1));
  if (id && detail.id === null) open(id);
}));
feed.addEventListener("error", () => setState("lost"));
feed.addEventListener("message", (event) => {
  const part = JSON.parse(event.data);
  counts = part;
  take(part.rows, part.gone);
});

// Filter

let searches = 0;
let soon;

async function search() {
  const text = at("filter").value.trim();
  const number = (searches += 1);
  at("problem").textContent = "";
  if (!text) {
    list.filter(null);
    return tell();
  }
  const response = await fetch(`api/search?q=${encodeURIComponent(text)}`);
  const answer = await response.json();
  if (number !== searches) return;
  if (answer.problem) at("problem").textContent = answer.problem;
  else list.filter(new Set(answer.ids));
  tell();
}

/** With a filter, new rows are looked for again. */
function searchSoon() {
  if (!at("filter").value.trim() || soon) return;
  soon = setTimeout(() => {
    soon = undefined;
    search();
  }, 250);
}
at("filter").addEventListener("input", search);

// Buttons

async function clear() {
  // The feed tells which calls are gone.
  await act("api/clear");
}

at("clear").addEventListener("click", clear);
at("pause").addEventListener("click", () => {
  const rows = waiting;
  waiting = rows ? null : new Map();
  at("pause").setAttribute("aria-pressed", waiting !== null);
  list.isLive = document.body.dataset.state === "live" && !waiting;
  if (rows) take([...rows.values()]);
  tell();
});
at("lanes").addEventListener("click", () => {
  const shows = at("connections").hidden;
  at("connections").hidden = !shows;
  at("scroller").hidden = shows || list.rows.size === 0;
  at("lanes").setAttribute("aria-pressed", shows);
  if (shows) list.drawLanes(at("connections"));
});
at("open-har").addEventListener("click", () => at("har-file").click());
at("har-file").addEventListener("change", async () => {
  const [file] = at("har-file").files;
  at("har-file").value = "";
  if (file) at("problem").textContent = await importArchive(file);
});
at("show-rules").addEventListener("click", () => showRules());
at("help").addEventListener("click", () => at("keys").showModal());

// Keys

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // A key that is held down acts once.
  if (event.repeat && "repc".includes(event.key)) return;
  if (document.querySelector("dialog[open]") || event.target.tagName === "SELECT") return;
  if (event.target === at("filter")) {
    if (event.key === "Escape") at("scroller").focus();
    return;
  }
  switch (event.key) {
    case "j": case "ArrowDown": list.step(1); break;
    case "k": case "ArrowUp": list.step(-1); break;
    case "Enter": if (list.chosen !== null && event.target.tagName !== "BUTTON") open(list.chosen); else return; break;
    case "Escape":
      detail.close();
      history.replaceState(null, "", "/");
      break;
    case "/": at("filter").focus(); break;
    case "c": clear(); break;
    case "r": if (list.chosen !== null) resend(list.chosen); break;
    case "e": if (list.chosen !== null) edit(list.chosen); break;
    case "p": if (list.rows.has(list.chosen)) pin(list.rows.get(list.chosen)); break;
    case "?": at("keys").showModal(); break;
    default: return;
  }
  event.preventDefault();
});
