// The details of one call: messages, bodies, decisions, timings, and the difference of two attempts.

import { element, size, time, tone } from "./list.js";

/** The most characters of a text that is shown at once. */
const mostText = 200_000;
/** The most members of a JSON value that are shown at once. */
const mostMembers = 500;

export class Detail {
  constructor(place) {
    this.place = place;
    this.tab = "Overview";
    this.id = null;
    /** Whether the process allows secrets to be shown. */
    this.mayShowSecrets = false;
    this.showsSecrets = false;
  }

  async open(id) {
    if (this.id !== id) this.showsSecrets = false;
    this.id = id;
    // One question at a time; what changes meanwhile needs one more.
    this.asksAgain = true;
    if (this.asks) return;
    this.asks = true;
    try {
      while (this.asksAgain && this.id !== null) {
        this.asksAgain = false;
        const wanted = this.id;
        const response = await fetch(`api/calls/${wanted}${this.showsSecrets ? "?secrets=1" : ""}`);
        const call = response.ok ? await response.json() : null;
        if (this.id !== wanted) continue;
        this.call = call;
        if (call) this.draw();
        else this.close();
      }
    } finally {
      this.asks = false;
    }
  }

  /** Reads the call again, if it is the one that is open. */
  refresh(ids) {
    if (this.id !== null && ids.includes(this.id)) this.open(this.id);
  }

  close() {
    this.id = null;
    this.show(false);
    this.place.replaceChildren();
  }

  show(isShown) {
    this.place.hidden = !isShown;
    this.place.parentElement.classList.toggle("narrow", isShown);
  }

  draw() {
    const { row } = this.call;
    const tabs = { Overview, Request: side("request"), Response: side("response"), Decisions, Difference, Export };
    if (this.call.attempts.length < 2) delete tabs.Difference;
    if (!tabs[this.tab]) this.tab = "Overview";
    const nav = element("nav");
    for (const name of Object.keys(tabs)) {
      const button = element("button", name);
      button.setAttribute("aria-pressed", name === this.tab);
      button.addEventListener("click", () => {
        this.tab = name;
        this.draw();
      });
      nav.append(button);
    }
    if (this.mayShowSecrets) {
      const button = element("button", this.showsSecrets ? "Hide secrets" : "Show secrets");
      button.addEventListener("click", () => {
        this.showsSecrets = !this.showsSecrets;
        this.open(this.id);
      });
      nav.append(button);
    }
    const title = element("h2", `${row.method} ${row.url}`);
    title.prepend(element("span", `${row.status || row.state} `, tone(row)));
    const content = element("div");
    content.append(...tabs[this.tab](this.call));
    const scrolled = this.place.scrollTop;
    this.show(true);
    this.place.replaceChildren(nav, title, content);
    this.place.scrollTop = scrolled;
  }
}

function table(rows, className) {
  const made = element("table");
  for (const [name, value, rowClass] of rows) {
    const line = element("tr", undefined, rowClass ?? className);
    line.append(element("td", name), element("td", value));
    made.append(line);
  }
  return made;
}

function section(title, ...nodes) { return [element("h3", title), ...nodes]; }

function Overview({ row, connections, failure }) {
  const nodes = [];
  if (failure) nodes.push(...section("Failure", element("pre", failure.text)));
  nodes.push(...section("Call", table([
    ["State", row.state], ["Attempts", row.attempts], ["Time", time(row.duration)],
    ["Sent", size(row.sent)], ["Received", size(row.received)], ["Version", row.version], ["Tags", row.tags.join(", ")],
  ].filter(([, value]) => value))));
  nodes.push(...section("Phases", table(row.phases.map((phase) => [phase.name, `${time(phase.to - phase.from)} from ${time(phase.from)}`]))));
  for (const connection of connections) {
    nodes.push(...section(`Connection ${connection.id}`, table([
      ["Peer", connection.remoteAddress], ["From", connection.localAddress], ["Proxy", connection.proxy],
      ["HTTP", connection.version], ["TLS", connection.tls], ["ALPN", connection.applicationProtocol],
      ["Key", connection.publicKeyPin], ["Reused", connection.isReused ? "yes" : "no"],
    ].filter(([, value]) => value))));
  }
  return nodes;
}

/** The lines of a message, in wire order. */
function head(attempt, which) {
  const message = attempt[which];
  const first = which === "request"
    ? `${message.method} ${message.url}`
    : message.status ? `${message.httpVersion} ${message.status} ${message.statusText}` : "no response";
  return [first, ...message.headers.map((field) => `${field.name}: ${field.value}`)];
}

function side(which) {
  return ({ attempts }) => attempts.flatMap((attempt, index) => {
    const message = attempt[which];
    const name = attempts.length > 1 ? `Attempt ${index + 1}` : "Fields";
    const [first, ...fields] = head(attempt, which);
    const nodes = section(name, element("pre", first), table(fields.map((field) => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon), field.slice(colon + 2)];
    })));
    if (message.queryString?.length) nodes.push(...section("Query", table(message.queryString.map((pair) => [pair.name, pair.value]))));
    if (message.cookies?.length) nodes.push(...section("Cookies", table(message.cookies.map((pair) => [pair.name, pair.value]))));
    const content = which === "request" ? message.postData : message.content;
    if (content?.text !== undefined) nodes.push(...section("Body", ...body(content)));
    return nodes;
  });
}

function body(content) {
  const base64 = content.encoding === "base64" || content._encoding === "base64";
  const type = (content.mimeType ?? "").split(";")[0].trim().toLowerCase();
  const nodes = [];
  if (content._isIncomplete || content.isIncomplete) nodes.push(element("p", "The body is cut here; it went on.", "moved"));
  if (base64) {
    if (/^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(type)) {
      const image = element("img");
      image.alt = "the body as an image";
      image.src = `data:${type};base64,${content.text}`;
      nodes.push(image);
    }
    nodes.push(element("pre", hex(atob(content.text))));
    return nodes;
  }
  if (type.includes("json")) {
    try {
      nodes.push(tree("", JSON.parse(content.text), true));
    } catch {
      // It is shown as text.
    }
  }
  const shown = content.text.slice(0, mostText);
  nodes.push(element("pre", shown));
  if (shown.length < content.text.length) nodes.push(element("p", `${content.text.length - shown.length} more characters`, "soft"));
  return nodes;
}

function hex(text) {
  const lines = [];
  for (let at = 0; at < Math.min(text.length, 16_384); at += 16) {
    const bytes = [...text.slice(at, at + 16)].map((character) => character.charCodeAt(0));
    const digits = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = bytes.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${digits.padEnd(47)}  ${letters}`);
  }
  return lines.join("\n");
}

/** A JSON value, whose members are made when it is opened. */
function tree(name, value, isOpen = false) {
  const label = name === "" ? "" : `${name}: `;
  if (value === null || typeof value !== "object") return element("div", label + JSON.stringify(value), "tree");
  const members = Array.isArray(value) ? value.map((member, index) => [index, member]) : Object.entries(value);
  const node = element("details", undefined, "tree");
  node.append(element("summary", `${label}${Array.isArray(value) ? `[${members.length}]` : `{${members.length}}`}`));
  const fill = () => {
    if (node.childElementCount > 1) return;
    node.append(...members.slice(0, mostMembers).map(([key, member]) => tree(String(key), member)));
    if (members.length > mostMembers) node.append(element("div", `${members.length - mostMembers} more`, "tree soft"));
  };
  node.addEventListener("toggle", fill);
  if (isOpen) {
    node.open = true;
    fill();
  }
  return node;
}

function Decisions({ events }) {
  return [table(events.map((event) => [time(event.time), `${event.name}: ${event.text}`, event.isDecision ? "decision" : undefined]))];
}

/** The lines of the last two attempts, with those that only one of them has. */
function Difference({ attempts }) {
  const [before, after] = attempts.slice(-2);
  return ["request", "response"].flatMap((which) => {
    const made = element("pre");
    for (const [sign, line] of difference(head(before, which), head(after, which))) {
      made.append(element("div", `${sign} ${line}`, sign === "+" ? "added" : sign === "-" ? "removed" : undefined));
    }
    return section(which === "request" ? "Request" : "Response", made);
  });
}

export function difference(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
  for (let left = before.length - 1; left >= 0; left -= 1) {
    for (let right = after.length - 1; right >= 0; right -= 1) {
      lengths[left][right] = before[left] === after[right]
        ? lengths[left + 1][right + 1] + 1
        : Math.max(lengths[left + 1][right], lengths[left][right + 1]);
    }
  }
  const lines = [];
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    if (left < before.length && right < after.length && before[left] === after[right]) {
      lines.push([" ", before[left]]);
      left += 1;
      right += 1;
    } else if (right >= after.length || (left < before.length && lengths[left + 1][right] >= lengths[left][right + 1])) {
      lines.push(["-", before[left]]);
      left += 1;
    } else {
      lines.push(["+", after[right]]);
      right += 1;
    }
  }
  return lines;
}

function Export(call) {
  return [["cURL", call.curl], ["Swift", call.swift], ["tsubame", call.tsubame], ["URL", call.row.url]].flatMap(([name, text]) => {
    const copy = element("button", "Copy");
    copy.addEventListener("click", () => navigator.clipboard.writeText(text));
    return section(name, copy, element("pre", text));
  });
}
