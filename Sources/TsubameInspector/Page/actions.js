// What the page does with calls: send again, edit and send, and rules for calls to come.

import { element } from "./elements.js";

const at = (id) => document.getElementById(id);

/** Sends a request that acts, with a value as JSON or with a body. The field tells the server that this page sent it. */
export function act(path, { method = "POST", value, body = value === undefined ? undefined : JSON.stringify(value) } = {}) {
  const headers = { "X-Tsubame-Inspector": "1" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return fetch(path, { method, headers, body });
}

/** The problem that an answer tells; empty if there is none. */
async function problem(response) {
  if (response.ok) return "";
  try {
    return (await response.json()).problem;
  } catch {
    return `the inspector answered ${response.status}`;
  }
}

/** Adds the calls of an archive. The result is the problem, if there is one. */
export async function importArchive(file) { return problem(await act("api/har", { body: file })); }

export async function pin(row) {
  at("problem").textContent = await problem(await act(`api/calls/${row.id}/pin`, { method: row.isPinned ? "DELETE" : "POST" }));
}

export async function resend(id) {
  at("problem").textContent = await problem(await act(`api/calls/${id}/resend`));
}

/** The certificates that the server of a connection sends now; undefined if they cannot be read. */
export async function certificates(id, connection) {
  const response = await act(`api/calls/${id}/certificates?connection=${connection}`);
  if (response.ok) return response.json();
  at("problem").textContent = await problem(response);
}

/** Shows the request of a call to be edited. */
export async function edit(id) {
  const response = await fetch(`api/calls/${id}/request`);
  if (!response.ok) return;
  const shown = await response.json();
  const dialog = at("edit");
  at("edit-method").value = shown.method;
  at("edit-url").value = shown.url;
  at("edit-headers").value = shown.headers.map((pair) => `${pair.name}: ${pair.value}`).join("\n");
  at("edit-body").value = shown.body ?? "";
  at("edit-body").placeholder = shown.body === undefined ? "The body stays as it was. Text written here replaces it." : "";
  at("edit-problem").textContent = "";
  // The field of a form changes line ends.
  const before = at("edit-body").value;
  at("edit-send").onclick = async (event) => {
    event.preventDefault();
    const body = at("edit-body").value === before ? shown.body : at("edit-body").value;
    at("edit-send").disabled = true;
    const answer = await act(`api/calls/${id}/resend`, { value: {
      method: at("edit-method").value.trim(), url: at("edit-url").value.trim(), headers: fields(at("edit-headers").value),
      body,
    } });
    at("edit-send").disabled = false;
    at("edit-problem").textContent = await problem(answer);
    if (answer.ok) dialog.close();
  };
  dialog.showModal();
}

/** The fields of lines such as `Accept: text/plain`. */
function fields(text) {
  return text.split("\n").filter((line) => line.trim()).map((line) => {
    const colon = line.indexOf(":");
    return colon < 0 ? { name: line.trim(), value: "" } : { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
  });
}

// Rules

const failures = ["connectionFailed", "connectionLost", "nameResolution", "timeout", "tls", "proxy", "emptyReply", "invalidResponse"];

function input(label, value, type = "text") {
  const made = element("input");
  made.type = type;
  made.setAttribute("aria-label", label);
  made.title = label;
  if (type === "checkbox") made.checked = value;
  else made.value = value ?? "";
  if (type === "number") made.min = 0;
  return made;
}

function choice(label, values, chosen) {
  const made = element("select");
  made.setAttribute("aria-label", label);
  made.append(...values.map((value) => new Option(value, value, false, value === chosen)));
  return made;
}

/** A rule as a form. Its value is read when the rules are applied. */
function ruleForm(rule) {
  const node = element("fieldset", undefined, "rule");
  const parts = {
    isOn: input("on", rule.isOn, "checkbox"), filter: input("filter of requests", rule.filter), every: input("every", rule.every, "number"),
    delay: input("delay in ms", rule.delay, "number"), rate: input("bytes a second", rule.bytesPerSecond, "number"),
    action: choice("action", ["pass", "answer", "fail"], rule.action), failure: choice("kind of failure", failures, rule.failure),
    status: input("status", rule.answer?.status ?? 200, "number"),
  };
  parts.filter.placeholder = "all requests";
  parts.rate.placeholder = "no limit";
  parts.headers = element("textarea", (rule.answer?.headers ?? []).map((pair) => `${pair.name}: ${pair.value}`).join("\n"));
  parts.headers.setAttribute("aria-label", "fields of the answer");
  parts.body = element("textarea", rule.answer?.body ?? "");
  parts.body.setAttribute("aria-label", "body of the answer");
  const remove = element("button", "Remove");
  remove.type = "button";
  remove.addEventListener("click", () => node.remove());
  const line = (...nodes) => {
    const made = element("div", undefined, "line");
    made.append(...nodes);
    return made;
  };
  const answer = line(" with status ", parts.status, parts.headers, parts.body);
  const failure = line(" with ", parts.failure);
  const show = () => {
    answer.hidden = parts.action.value !== "answer";
    failure.hidden = parts.action.value !== "fail";
  };
  parts.action.addEventListener("change", show);
  show();
  node.append(
    line(parts.isOn, " of requests that match ", parts.filter, " every ", parts.every, ". one: ", parts.action, remove),
    answer, failure, line(" after a delay of ", parts.delay, " ms, at ", parts.rate, " bytes a second"));
  node.rule = () => ({
    isOn: parts.isOn.checked, filter: parts.filter.value, every: Math.max(1, Number(parts.every.value)), delay: Number(parts.delay.value),
    bytesPerSecond: Number(parts.rate.value) || undefined, action: parts.action.value,
    failure: parts.action.value === "fail" ? parts.failure.value : undefined,
    answer: parts.action.value === "answer"
      ? { status: Number(parts.status.value), headers: fields(parts.headers.value), body: parts.body.value } : undefined,
  });
  return node;
}

const plainRule = { isOn: true, filter: "", every: 1, delay: 0, action: "pass" };

/** Shows the rules. With a call, a rule for requests like its own is added. */
export async function showRules(row) {
  const response = await fetch("api/rules");
  if (!response.ok) return;
  const rules = await response.json();
  if (row) rules.push({ ...plainRule, filter: `method:${row.method} & host:"${row.host}" & path:"${row.path.split("?")[0]}"`, action: "answer" });
  at("rules-list").replaceChildren(...rules.map(ruleForm));
  at("rules-problem").textContent = "";
  at("rules").showModal();
}

at("rules-add").addEventListener("click", () => at("rules-list").append(ruleForm(plainRule)));
at("rules-apply").addEventListener("click", async (event) => {
  event.preventDefault();
  const value = [...at("rules-list").children].map((node) => node.rule());
  const answer = await act("api/rules", { method: "PUT", value });
  at("rules-problem").textContent = await problem(answer);
  if (!answer.ok) return;
  tellRules(value);
  at("rules").close();
});

function tellRules(rules) {
  const active = rules.filter((rule) => rule.isOn).length;
  at("show-rules").textContent = active ? `Rules (${active})` : "Rules";
  at("show-rules").setAttribute("aria-pressed", active > 0);
}

fetch("api/rules").then(async (response) => { if (response.ok) tellRules(await response.json()); });
for (const button of document.querySelectorAll("button.close")) {
  button.addEventListener("click", (event) => {
    event.preventDefault();
    button.closest("dialog").close();
  });
}
