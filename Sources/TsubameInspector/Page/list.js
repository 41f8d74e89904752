// The list of calls: virtual scrolling, the waterfall, and connections as lanes.

import { element, size, time, tone } from "./elements.js";

export const rowHeight = 24;
/** Browsers draw no element that is much higher than this. */
const highest = 30_000_000;
/** The time after which running calls are drawn anew, in milliseconds. */
const tick = 200;

export class CallList {
  constructor({ scroller, space, axis, onChoose }) {
    Object.assign(this, { scroller, space, axis, onChoose });
    /** All rows by number, and the numbers in the order of their start. */
    this.rows = new Map();
    this.order = [];
    /** The numbers that the filter found; null without a filter. */
    this.found = null;
    this.shown = [];
    this.chosen = null;
    this.drawn = new Map();
    this.follows = true;
    /** Whether the process still tells about its calls, so that the time of running ones goes on. */
    this.isLive = false;
    setInterval(() => { if (this.isLive && this.hasRunning) this.redraw(); }, tick);
    scroller.addEventListener("scroll", () => {
      this.follows = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - rowHeight;
      this.redraw();
    });
    new ResizeObserver(() => this.redraw()).observe(scroller);
  }

  add(rows) {
    for (const row of rows) {
      const old = this.rows.get(row.id);
      // Answers may come in any order.
      if (old && old.isPinned === row.isPinned && (old.duration > row.duration || (old.state !== "running" && row.state === "running"))) continue;
      if (!old) {
        let at = this.order.length;
        while (at > 0 && this.order[at - 1] > row.id) at -= 1;
        this.order.splice(at, 0, row.id);
        if (!this.found || this.found.has(row.id)) {
          at = this.shown.length;
          while (at > 0 && this.shown[at - 1] > row.id) at -= 1;
          this.shown.splice(at, 0, row.id);
        }
      }
      this.rows.set(row.id, row);
    }
    this.redraw();
  }

  /** Keeps only the rows for which `keeps` is true. */
  retain(keeps) {
    this.order = this.order.filter((id) => keeps(this.rows.get(id)) || !this.rows.delete(id));
    this.filter(this.found);
  }

  filter(found) {
    this.found = found;
    this.shown = found ? this.order.filter((id) => found.has(id)) : [...this.order];
    this.redraw();
  }

  choose(id, scrolls = true) {
    this.chosen = id;
    const at = this.shown.indexOf(id);
    if (scrolls && at >= 0) {
      const top = at * rowHeight;
      if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
      const bottom = top + rowHeight - this.scroller.clientHeight;
      if (bottom > this.scroller.scrollTop) this.scroller.scrollTop = bottom;
    }
    this.redraw();
  }

  step(by) {
    const at = this.shown.indexOf(this.chosen);
    const next = at < 0 ? (by > 0 ? 0 : this.shown.length - 1) : at + by;
    if (this.shown[next] !== undefined) this.choose(this.shown[next]);
  }

  redraw() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      this.draw();
    });
  }

  draw() {
    this.space.style.height = `${Math.min(this.shown.length * rowHeight, highest)}px`;
    if (this.follows) this.scroller.scrollTop = this.scroller.scrollHeight;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - 5);
    const last = Math.min(this.shown.length, first + Math.ceil(this.scroller.clientHeight / rowHeight) + 10);
    const rows = this.shown.slice(first, last).map((id) => this.rows.get(id));
    this.hasRunning = rows.some((row) => row.state === "running");
    const visible = this.isLive && this.hasRunning ? rows.map(untilNow) : rows;
    if (visible.length === 0) this.axis.replaceChildren();
    const from = Math.min(...visible.map((row) => row.started));
    const to = Math.max(...visible.map((row) => row.started + row.duration), from + 1);
    if (visible.length > 0) this.drawAxis(to - from);
    const kept = new Set();
    visible.forEach((row, index) => {
      const key = `${row.isPinned}|${row.state}|${row.duration}|${row.received}|${row.status}|${row.attempts}|${from}|${to}`;
      let made = this.drawn.get(row.id);
      if (!made) {
        made = { node: element("div", undefined, "row"), key: "" };
        made.node.setAttribute("role", "row");
        made.node.addEventListener("click", () => this.onChoose(row.id));
        this.drawn.set(row.id, made);
        this.space.append(made.node);
      }
      if (made.key !== key) {
        made.key = key;
        this.fill(made.node, row, from, to);
      }
      made.node.style.top = `${(first + index) * rowHeight}px`;
      made.node.setAttribute("aria-selected", row.id === this.chosen);
      kept.add(row.id);
    });
    for (const [id, made] of this.drawn) {
      if (kept.has(id)) continue;
      made.node.remove();
      this.drawn.delete(id);
    }
  }

  fill(node, row, from, to) {
    node.dataset.id = row.id;
    const status = row.status || (row.state === "running" ? "…" : row.state);
    node.setAttribute("aria-label", `${row.method} ${row.host}${row.path} ${status}`);
    const fall = element("span", undefined, "fall");
    for (const phase of row.phases) {
      const bar = element("i", undefined, phase.name);
      bar.title = `${phase.name} ${time(phase.to - phase.from)}`;
      place(bar, row.started + phase.from - from, phase.to - phase.from, to - from);
      fall.append(bar);
    }
    node.replaceChildren(
      element("span", row.method, "method"),
      element("span", status, `status ${tone(row)}`),
      element("span", row.host, "host"),
      element("span", row.path, "path"),
      element("span", row.type, "type soft"),
      element("span", size(row.received), "size"),
      element("span", time(row.duration), "time"),
      element("span", row.version, "version soft"),
      element("span", (row.isPinned ? ["★", ...row.tags] : row.tags).join(" "), "tags"),
      fall);
  }

  drawAxis(span) {
    // Beside the details there is room for two times.
    const marks = (this.axis.clientWidth < 200 ? [0, 0.5] : [0, 0.25, 0.5, 0.75]).map((part) => {
      const mark = element("i", time(span * part));
      place(mark, part, 0, 1);
      return mark;
    });
    this.axis.replaceChildren(...marks);
  }

  /** Each connection as a lane, with the calls that it carried. */
  drawLanes(place_) {
    const rows = this.shown.slice(-2000).map((id) => this.rows.get(id)).filter((row) => row.connection);
    const lanes = new Map();
    for (const row of rows) {
      if (!lanes.has(row.connection)) lanes.set(row.connection, []);
      lanes.get(row.connection).push(row);
    }
    const from = Math.min(...rows.map((row) => row.started));
    const to = Math.max(...rows.map((row) => row.started + row.duration), from + 1);
    place_.replaceChildren(...[...lanes].map(([connection, calls]) => {
      const lane = element("div", undefined, "lane");
      const bars = element("div");
      for (const row of calls) {
        const bar = element("i");
        bar.title = `${row.method} ${row.host}${row.path}: ${row.status || row.state}, ${time(row.duration)}`;
        bar.dataset.id = row.id;
        bar.addEventListener("click", () => this.onChoose(row.id));
        place(bar, row.started - from, row.duration, to - from);
        bars.append(bar);
      }
      lane.append(element("b", `${connection}  ${calls[0].host}  ${calls[0].version} · ${calls.length}`), bars);
      return lane;
    }));
  }
}

/** A running call as it stands now. Its events tell only when something happens. */
function untilNow(row) {
  const duration = Date.now() - row.started;
  if (row.state !== "running" || duration <= row.duration) return row;
  const phases = row.phases.slice(0, -1);
  const last = row.phases.at(-1);
  if (last) phases.push({ ...last, to: duration });
  return { ...row, duration, phases };
}

function place(bar, from, length, span) {
  bar.style.left = `${(100 * from) / span}%`;
  if (length) bar.style.width = `${(100 * length) / span}%`;
}
