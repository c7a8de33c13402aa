// Commands to the server and the stream of its events. After a lost connection the server sends everything anew.

import { T } from "./strings.js";

const EVENTS = ["hello", "game", "state", "analysis", "progress", "error", "engine-died", "replaced", "bye"];
const KEY = "tesuji-tab";
const MOST_STREAMS = 5; // a browser keeps six connections to a server: one is left for commands, and for loading another tab
const TRY_AGAIN = 2000; // ms
const UNSEEN = 3000; // ms that a hidden tab with nothing to wait for keeps its stream

/** The tab's name, kept as long as the tab lives, so that a reload finds its game again. */
export function tabName(storage = sessionStorage) {
  let name = storage.getItem(KEY);
  if (!name || !/^[A-Za-z0-9]{16,64}$/.test(name)) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    name = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    storage.setItem(KEY, name);
  }
  return name;
}

export class CommandError extends Error {
  constructor(text, stale) {
    super(text);
    this.stale = stale;
  }
}

/** One of the streams that all tabs of the browser may have: `granted` resolves when it is this tab's turn. */
class StreamPermit {
  constructor() {
    const others = new AbortController();
    this.granted = new Promise((resolve) => {
      if (!navigator.locks) return resolve(); // the page is not from this machine, and not encrypted: no tab knows of another
      for (let number = 0; number < MOST_STREAMS; number += 1) {
        navigator.locks.request(`tesuji-stream-${number}`, { signal: others.signal }, () => {
          if (others.signal.aborted) return null; // one is enough
          others.abort();
          return new Promise((giveBack) => {
            this.giveBack = giveBack;
            resolve();
          });
        }).catch(() => {}); // aborted
      }
    });
    this.others = others;
  }

  release() {
    this.others.abort();
    this.giveBack?.();
  }
}

export class Connection {
  /** `receive(name, data)` gets every event, and `connection` with {state: "open" | "lost" | "refused" | "full" | "over"}. */
  constructor(receive) {
    this.tab = tabName();
    this.receive = receive;
    this.generation = 0;
    this.source = null;
    this.permit = null;
    this.isBusy = false; // something runs whose end the person may wait for
    this.over = false;
    document.addEventListener("visibilitychange", () => this.follow());
  }

  /** Opens the stream, as soon as the tabs of this browser have one left. */
  async open() {
    if (this.permit || this.over) return;
    const permit = (this.permit = new StreamPermit());
    const late = setTimeout(() => this.permit === permit && this.receive("connection", { state: "full" }), TRY_AGAIN);
    await permit.granted;
    clearTimeout(late);
    if (this.permit === permit) this.listen();
    else permit.release();
  }

  close() {
    this.source?.close();
    this.permit?.release();
    this.source = this.permit = null;
  }

  /** A tab that nobody sees and that waits for nothing leaves its stream to others. When it is seen again, it is told everything. */
  follow() {
    clearTimeout(this.unseen);
    if (!document.hidden) this.open();
    else if (!this.isBusy) this.unseen = setTimeout(() => this.close(), UNSEEN);
  }

  listen() {
    const source = (this.source = new EventSource(`/events?tab=${this.tab}`));
    source.addEventListener("open", () => this.receive("connection", { state: "open" }));
    source.addEventListener("error", (event) => event.data === undefined && this.fail(source));
    for (const name of EVENTS) {
      source.addEventListener(name, (event) => {
        if (event.data === undefined || source !== this.source) return; // the browser's own `error`
        const data = JSON.parse(event.data);
        if (name === "replaced") this.end();
        if (name === "state") this.takeState(data);
        this.receive(name, data);
      });
    }
  }

  takeState(state) {
    this.generation = state.generation;
    this.isBusy = Boolean(state.running);
    if (document.hidden) this.follow();
  }

  /** An answer other than 200 ends an EventSource for good, as when the server was started again: then this one tries anew. */
  async fail(source) {
    if (this.over || source !== this.source) return;
    if (source.readyState !== EventSource.CLOSED) return this.receive("connection", { state: "lost" });
    const found = await fetch("/", { method: "HEAD" }).catch(() => null);
    if (source !== this.source) return;
    this.receive("connection", { state: found?.status === 403 ? "refused" : "lost" });
    setTimeout(() => source === this.source && this.listen(), TRY_AGAIN);
  }

  end() {
    this.over = true;
    this.close();
    this.receive("connection", { state: "over" });
  }

  /** The answer to a command; a CommandError with one sentence if there is none. */
  async command(name, fields = {}) {
    let response, text;
    try {
      response = await fetch(`/api/${name}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ tab: this.tab, generation: this.generation, ...fields }),
      });
      text = await response.text();
    } catch {
      throw new CommandError(T.commandFailed, false);
    }
    const answer = parsed(text);
    if (!response.ok) throw new CommandError(answer.stale ? T.stale : answer.error || T.commandFailed, Boolean(answer.stale));
    return answer;
  }
}

/** The answer as an object; a refusal before any command is read is one sentence of plain text. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { error: text.slice(0, 300) };
  }
}
