// Elements of the page, and numbers as words.

export function size(bytes) {
  if (!bytes) return "";
  for (const unit of ["B", "KiB", "MiB", "GiB"]) {
    if (bytes < 1024) return `${bytes < 10 && unit !== "B" ? bytes.toFixed(1) : Math.round(bytes)} ${unit}`;
    bytes /= 1024;
  }
  return `${bytes.toFixed(1)} TiB`;
}

export function time(milliseconds) {
  if (milliseconds < 1) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

/** Only text goes into the page, never markup. */
export function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  if (className) made.className = className;
  return made;
}

export function tone(row) {
  if (row.state === "failed" || row.status >= 400) return "bad";
  if (row.status >= 300) return "moved";
  return row.status >= 200 ? "good" : "soft";
}

/** A table of names and values, each with the class of its row. */
export function table(rows) {
  const made = element("table");
  for (const [name, value, rowClass] of rows) {
    const line = element("tr", undefined, rowClass);
    line.append(element("td", name), element("td", value));
    made.append(line);
  }
  return made;
}

export function section(title, ...nodes) { return [element("h3", title), ...nodes]; }
