// Commands to the server and the stream of its events. The browser reconnects the stream; the server then sends everything anew.

import { T } from "./strings.js";

const EVENTS = ["hello", "game", "state", "analysis", "progress", "error", "engine-died", "replaced", "bye"];
const KEY = "tesuji-tab";

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

export class Connection {
  /** `receive(name, data)` gets every event, and `connection` with {state: "open" | "lost" | "over"}. */
  constructor(receive) {
    this.tab = tabName();
    this.receive = receive;
    this.generation = 0;
    this.source = null;
    this.over = false;
  }

  open() {
    this.source?.close();
    this.source = new EventSource(`/events?tab=${this.tab}`);
    this.source.addEventListener("open", () => this.receive("connection", { state: "open" }));
    // An answer other than 200 ends an EventSource for good, as when the server was started again: then this one tries anew.
    this.source.addEventListener("error", (event) => {
      if (this.over || event.data !== undefined) return;
      this.receive("connection", { state: "lost" });
      if (this.source.readyState === EventSource.CLOSED) setTimeout(() => this.over || this.open(), 2000);
    });
    for (const name of EVENTS) {
      this.source.addEventListener(name, (event) => {
        if (event.data === undefined) return; // the browser's own `error`
        const data = JSON.parse(event.data);
        if (name === "replaced") this.end();
        if (name === "state") this.generation = data.generation;
        this.receive(name, data);
      });
    }
  }

  end() {
    this.over = true;
    this.source.close();
    this.receive("connection", { state: "over" });
  }

  /** The answer to a command; a CommandError with one sentence if there is none. */
  async command(name, fields = {}) {
    let response, answer;
    try {
      response = await fetch(`/api/${name}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ tab: this.tab, generation: this.generation, ...fields }),
      });
      answer = await response.json();
    } catch {
      throw new CommandError(T.commandFailed, false);
    }
    if (!response.ok) throw new CommandError(answer.stale ? T.stale : answer.error || T.commandFailed, Boolean(answer.stale));
    return answer;
  }
}
