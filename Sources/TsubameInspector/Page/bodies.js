// Bodies of messages: as a tree, laid out, as a table of parts, as text, as an image, and in hexadecimal.

import { element, table } from "./elements.js";

/** The most characters of a text that is shown at once. */
const mostText = 200_000;
/** The most members of a JSON value that are shown at once. */
const mostMembers = 500;
/** The most bytes in hexadecimal. */
const mostBytes = 16_384;
/** The way to show a body that was chosen for it, so that a body that grows keeps it. */
const choices = new Map();
/** The most choices that are kept. */
const mostChoices = 200;

/**
 * A body with a button for each way to show it.
 * @param origin the call, the attempt and the side that the body belongs to.
 */
export function body(content, origin) {
  const key = `${origin.call} ${origin.attempt} ${origin.side}`;
  const made = element("div", undefined, "body");
  const type = (content.mimeType ?? "").split(";")[0].trim().toLowerCase();
  const isBinary = (content.encoding ?? content._encoding) === "base64";
  if (content._incomplete) made.append(element("p", "The body is cut here; it went on.", "moved"));
  const views = {};
  if (isBinary) {
    if (/^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(type)) views.Image = () => image(type, content.text);
  } else {
    if (/json/.test(type)) views.Tree = () => [tree("", JSON.parse(content.text), true)];
    if (/(xml|html)/.test(type)) views["Laid out"] = () => [element("pre", laidOut(content.text.slice(0, mostText)))];
    if (type === "application/x-www-form-urlencoded") views.Form = () => [form(content.text)];
    if (type === "multipart/form-data") views.Parts = () => [parts(content.text, content.mimeType)];
    if (type === "text/event-stream") views.Events = () => [events(content.text)];
    views.Text = () => text(content.text);
  }
  views.Hex = () => [element("pre", hex(isBinary ? bytesOf(atob(content.text)) : new TextEncoder().encode(content.text.slice(0, mostBytes))))];
  views["As received"] = () => [received(origin)];
  const place = element("div");
  const show = (name) => {
    for (const button of buttons) button.setAttribute("aria-pressed", button.textContent === name);
    try {
      place.replaceChildren(...views[name]());
    } catch (error) {
      // The body is not what its type says.
      place.replaceChildren(element("p", `${name}: ${error.message}`, "soft"), ...text(isBinary ? "" : content.text));
    }
  };
  const buttons = Object.keys(views).map((name) => {
    const button = element("button", name);
    button.addEventListener("click", () => {
      if (choices.size >= mostChoices) choices.clear();
      choices.set(key, name);
      show(name);
    });
    return button;
  });
  const nav = element("nav");
  nav.append(...buttons);
  made.append(nav, place);
  show(choices.get(key) in views ? choices.get(key) : buttons[0].textContent);
  return made;
}

function text(whole) {
  const shown = whole.slice(0, mostText);
  const nodes = [element("pre", shown)];
  if (shown.length < whole.length) nodes.push(element("p", `${whole.length - shown.length} more characters`, "soft"));
  return nodes;
}

function image(type, base64) {
  const made = element("img");
  made.alt = "the body as an image";
  made.src = `data:${type};base64,${base64}`;
  return [made];
}

function bytesOf(binary) { return Uint8Array.from(binary, (character) => character.charCodeAt(0)); }

function hex(bytes) {
  const lines = [];
  for (let at = 0; at < Math.min(bytes.length, mostBytes); at += 16) {
    const line = [...bytes.slice(at, at + 16)];
    const digits = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = line.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${digits.padEnd(47)}  ${letters}`);
  }
  return lines.join("\n");
}

/** The bytes before their content codings were undone, in hexadecimal. */
function received({ call, attempt, side, showsSecrets }) {
  const made = element("pre", "…");
  const secrets = showsSecrets ? "&secrets=1" : "";
  fetch(`api/calls/${call}/body?attempt=${attempt}&side=${side}&raw=1${secrets}`).then(async (response) => {
    made.textContent = response.ok ? hex(new Uint8Array(await response.arrayBuffer())) : await response.text();
  });
  return made;
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

/** The tags, comments and texts of markup. Each search begins where the last one ended, so a hostile text costs no more than its length. */
function tokens(markup) {
  const found = [];
  const missing = new Set();
  const find = (mark, from) => {
    const place = missing.has(mark) ? -1 : markup.indexOf(mark, from);
    if (place < 0) missing.add(mark);
    return place;
  };
  for (let at = 0; at < markup.length;) {
    let end;
    if (markup[at] !== "<") {
      end = find("<", at);
    } else {
      const long = markup.startsWith("<!--", at) ? "-->" : markup.startsWith("<![CDATA[", at) ? "]]>" : null;
      end = long ? find(long, at + 4) : -1;
      if (end >= 0) end += long.length;
      else if ((end = find(">", at)) >= 0) end += 1;
    }
    if (end < 0) end = markup.length;
    found.push(markup.slice(at, end));
    at = end;
  }
  return found;
}

/** Markup with a line for each tag. It stays text: nothing is parsed into the page. */
export function laidOut(markup) {
  const lines = [];
  let depth = 0;
  for (const token of tokens(markup)) {
    const words = token.trim();
    if (!words) continue;
    const isTag = /^<[a-zA-Z_]/.test(words);
    const isEnd = words.startsWith("</");
    if (isEnd) depth = Math.max(0, depth - 1);
    const name = words.match(/^<\/?([^\s/>]*)/)?.[1];
    const last = lines.at(-1);
    // An element with text only stays on one line.
    if (isEnd && last?.name === name && last.isOpen) last.text += words;
    else if (!words.startsWith("<") && last?.isOpen && !last.hasText) {
      last.text += words;
      last.hasText = true;
      continue;
    } else lines.push({ text: "  ".repeat(Math.min(depth, 40)) + words, name, isOpen: isTag && !words.endsWith("/>"), hasText: false });
    if (isEnd && last) last.isOpen = false;
    const isVoid = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i.test(name ?? "");
    if (isTag && !words.endsWith("/>") && !isVoid) depth += 1;
  }
  return lines.map((line) => line.text).join("\n");
}

function decoded(words) {
  try {
    return decodeURIComponent(words.replaceAll("+", " "));
  } catch {
    return words;
  }
}

function form(whole) {
  return table(whole.split("&").slice(0, mostMembers).map((pair) => {
    const at = pair.indexOf("=");
    return at < 0 ? [decoded(pair), ""] : [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))];
  }));
}

/** The parts of a multipart body: the fields of each, and its text. */
function parts(whole, type) {
  const boundary = type.match(/boundary="?([^";]+)"?/i)[1];
  const pieces = whole.split(`--${boundary}`).slice(1).filter((piece) => !piece.startsWith("--"));
  return table(pieces.slice(0, mostMembers).map((piece) => {
    const at = piece.indexOf("\r\n\r\n");
    const [head, content] = [piece.slice(0, at).trim(), piece.slice(at + 4).replace(/\r\n$/, "")];
    const name = head.match(/name="((?:[^"\\]|\\.)*)"/i)?.[1] ?? head;
    const file = head.match(/filename="((?:[^"\\]|\\.)*)"/i)?.[1];
    return [file ? `${name} (${file})` : name, content.slice(0, 2000)];
  }));
}

/** The server-sent events of a stream. */
function events(whole) {
  const blocks = whole.split(/\r\n\r\n|\n\n|\r\r/).filter((block) => block.trim());
  return table(blocks.slice(-mostMembers).map((block) => {
    const fields = { event: "message", data: [] };
    for (const line of block.split(/\r\n|\n|\r/)) {
      const at = line.indexOf(":");
      const [name, value] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, "")];
      if (name === "data") fields.data.push(value);
      else if (name) fields[name] = value;
    }
    return [fields.id ? `${fields.event} ${fields.id}` : fields.event, fields.data.join("\n")];
  }));
}
