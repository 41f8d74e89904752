// The details of one call: messages, bodies, decisions, timings, and the difference of two attempts or calls.

import { certificates, edit, pin, resend, showRules } from "./actions.js";
import { body } from "./bodies.js";
import { element, section, size, table, time, tone } from "./elements.js";

/** The most fields of a message that are shown. */
const mostFields = 1000;
/** The most lines of each of two texts that are compared. */
const mostLines = 1000;

export class Detail {
  /** @param pinned gives the rows of the pinned calls. */
  constructor(place, pinned) {
    this.place = place;
    this.pinned = pinned;
    /** The number of the call that this one is compared with. */
    this.other = null;
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
        this.call = call && { ...call, showsSecrets: this.showsSecrets };
        if (!call) return this.close();
        await this.readOther();
        if (this.id === wanted) this.draw();
      }
    } finally {
      this.asks = false;
    }
  }

  /** Reads the call that this one is compared with. */
  async readOther() {
    if (this.other === null) return;
    const response = await fetch(`api/calls/${this.other}${this.showsSecrets ? "?secrets=1" : ""}`);
    this.call.other = response.ok ? await response.json() : undefined;
    if (!response.ok) this.other = null;
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
    if (this.call.attempts.length < 2 && !this.call.other) delete tabs.Difference;
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
    nav.append(...this.actions(row));
    const title = element("h2", `${row.method} ${row.url}`);
    title.prepend(element("span", `${row.status || row.state} `, tone(row)));
    const content = element("div");
    content.append(...tabs[this.tab](this.call));
    const scrolled = this.place.scrollTop;
    this.show(true);
    this.place.replaceChildren(nav, title, content);
    this.place.scrollTop = scrolled;
  }

  /** The buttons that do something with the call, and the choice of a call to compare with. */
  actions(row) {
    const button = (name, title, action) => {
      const made = element("button", name, "act");
      made.title = title;
      made.addEventListener("click", action);
      return made;
    };
    const pinning = button(row.isPinned ? "Unpin" : "Pin", "Keep this call when others are evicted or cleared", async () => {
      await pin(row);
      this.open(row.id);
    });
    const made = [
      button("Resend", "Send this request again (r)", () => resend(row.id)),
      button("Edit", "Edit this request and send it (e)", () => edit(row.id)), pinning,
      button("Rule", "Make a rule for requests like this one", () => showRules(row)),
    ];
    const others = this.pinned().filter((other) => other.id !== row.id);
    if (others.length > 0) {
      const select = element("select");
      select.setAttribute("aria-label", "Compare with a pinned call");
      select.append(new Option("Compare with…", ""), ...others.map((other) => new Option(
        `${other.method} ${other.path} ${other.status || other.state} (${other.id})`, other.id, false, other.id === this.other)));
      select.addEventListener("change", () => {
        this.other = select.value ? Number(select.value) : null;
        if (this.other) this.tab = "Difference";
        this.open(row.id);
      });
      made.push(select);
    }
    return made;
  }
}

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
      ["HTTP", connection.version], ["TLS", connection.tls], ["Cipher", connection.cipherSuite],
      ["ALPN", connection.applicationProtocol], ["Reused", connection.isReused ? "yes" : "no"],
    ].filter(([, value]) => value))));
    if (connection.certificate) {
      const place = element("div");
      place.append(certificateTable(connection.certificate));
      const button = element("button", "Read the chain");
      button.title = "Connects to the server once more and reads the certificates that it sends";
      button.addEventListener("click", async () => {
        const chain = await certificates(row.id, connection.id);
        if (!chain) return;
        place.replaceChildren(...chain.map(certificateTable));
        if (chain.length < 2) place.append(element("p", "The server sends no other certificate.", "soft"));
      });
      nodes.push(...section(`Certificate of connection ${connection.id}`, place, button));
    }
  }
  return nodes;
}

function certificateTable(certificate) {
  return table([
    ["Subject", certificate.subject], ["Issuer", certificate.issuer], ["Names", certificate.names.join(", ")],
    ["From", certificate.validFrom], ["Until", certificate.validUntil], ["Key", certificate.publicKeyPin],
  ].filter(([, value]) => value));
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
  return ({ row, attempts, showsSecrets }) => attempts.flatMap((attempt, index) => {
    const message = attempt[which];
    const name = attempts.length > 1 ? `Attempt ${index + 1}` : "Fields";
    const [first, ...fields] = head(attempt, which);
    const nodes = section(name, element("pre", first), table(fields.slice(0, mostFields).map((field) => {
      const colon = field.indexOf(":", 1);
      return [field.slice(0, colon), field.slice(colon + 2)];
    })));
    if (fields.length > mostFields) nodes.push(element("p", `${fields.length - mostFields} more fields`, "soft"));
    if (message.queryString?.length) nodes.push(...section("Query", table(message.queryString.slice(0, mostFields).map((pair) => [pair.name, pair.value]))));
    if (message.cookies?.length) nodes.push(...section("Cookies", table(message.cookies.slice(0, mostFields).map((pair) => [pair.name, pair.value]))));
    const content = which === "request" ? message.postData : message.content;
    if (content?.text !== undefined) nodes.push(...section("Body", body(content, { call: row.id, attempt: index, side: which, showsSecrets })));
    return nodes;
  });
}

function Decisions({ events }) {
  return [table(events.map((event) => [time(event.time), `${event.name}: ${event.text}`, event.isDecision ? "decision" : undefined]))];
}

/** The lines of two attempts, or of two calls, with those that only one of them has. */
function Difference({ attempts, other }) {
  if (other) {
    return [
      ...section("Compared with", element("pre", `${other.row.method} ${other.row.url}`)),
      ...compareAttempts(other.attempts.at(-1), attempts.at(-1))];
  }
  const place = element("div");
  const show = (index) => place.replaceChildren(...compareAttempts(attempts[index - 1], attempts[index]));
  show(attempts.length - 1);
  if (attempts.length === 2) return [place];
  const choice = element("select", undefined, "pair");
  choice.setAttribute("aria-label", "Attempts to compare");
  for (let index = 1; index < attempts.length; index += 1) {
    const status = attempts[index].response.status || "no response";
    const made = element("option", `Attempts ${index} and ${index + 1} (${status})`);
    made.value = index;
    choice.append(made);
  }
  choice.value = attempts.length - 1;
  choice.addEventListener("change", () => show(Number(choice.value)));
  return [choice, place];
}

function compareAttempts(before, after) {
  if (!before || !after) return [element("p", "One of the calls has sent nothing yet.")];
  const nodes = [];
  for (const which of ["request", "response"]) {
    const name = which === "request" ? "Request" : "Response";
    nodes.push(...section(name, compared(head(before, which), head(after, which))));
    const [left, right] = [before, after].map((attempt) => lines(which === "request" ? attempt.request.postData : attempt.response.content));
    if (left.length + right.length > 0) nodes.push(...section(`Body of the ${which}`, compared(left, right)));
  }
  return nodes;
}

/** The most characters of JSON that is laid out to be compared, and its deepest nesting. */
const mostLaidOut = 100_000;
const deepest = 50;

function isShallow(json) {
  let depth = 0;
  for (const character of json) {
    if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > deepest) return false;
  }
  return true;
}

/** The lines of a body. Short JSON is laid out first, unless it has numbers that this would round. */
function lines(content) {
  if (!content?.text) return [];
  if ((content.encoding ?? content._encoding) === "base64") return [`base64 ${content.text.slice(0, 200)}`];
  if (content.text.length <= mostLaidOut && !/\d{16}/.test(content.text) && isShallow(content.text)) {
    try {
      return JSON.stringify(JSON.parse(content.text), null, 2).split("\n");
    } catch {
      // It is compared as text.
    }
  }
  return content.text.split("\n", mostLines + 1);
}

function compared(before, after) {
  const made = element("pre");
  for (const [sign, line] of difference(before.slice(0, mostLines), after.slice(0, mostLines))) {
    made.append(element("div", `${sign} ${line}`, sign === "+" ? "added" : sign === "-" ? "removed" : undefined));
  }
  if (Math.max(before.length, after.length) > mostLines) made.append(element("div", `only the first ${mostLines} lines are compared`));
  return made;
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
  return [["cURL", call.curl], ["Swift", call.swift], ["tsubame", call.tsubame], ["URL", call.row.url], ["Stub of this call", call.stub]].flatMap(([name, text]) => {
    const copy = element("button", "Copy");
    copy.addEventListener("click", () => navigator.clipboard.writeText(text));
    return section(name, copy, element("pre", text));
  });
}
