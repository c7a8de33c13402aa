// Commands to the server and the stream of its events. After a lost connection the server sends everything anew.

import { authorization } from "./key.js";
import { T } from "./strings.js";

const NAME = "tesuji-tab";
const MOST_STREAMS = 5; // a browser keeps six connections to a server: one is left for commands, and for loading another tab
const TRY_AGAIN = 2000; // ms
const UNSEEN = 3000; // ms that a hidden tab with nothing to wait for keeps its stream

/** The tab's name, kept as long as the tab lives, so that a reload finds its game again. */
export function tabName(storage = sessionStorage) {
  let name = storage.getItem(NAME);
  if (!name || !/^[A-Za-z0-9]{16,64}$/.test(name)) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    name = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    storage.setItem(NAME, name);
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
    this.stream = null; // what ends it
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
    this.stream?.abort();
    this.permit?.release();
    this.stream = this.permit = null;
  }

  /** A tab that nobody sees and that waits for nothing leaves its stream to others. When it is seen again, it is told everything. */
  follow() {
    clearTimeout(this.unseen);
    if (!document.hidden) this.open();
    else if (!this.isBusy) this.unseen = setTimeout(() => this.close(), UNSEEN);
  }

  /** Reads the stream until it ends, and then tries anew: the server may come back, or be started again. */
  async listen() {
    const stream = (this.stream = new AbortController());
    const isOurs = () => stream === this.stream;
    let status = 0;
    try {
      // An EventSource could not send the key.
      const response = await fetch(`/events?tab=${this.tab}`, { headers: authorization(), cache: "no-store", signal: stream.signal });
      status = response.status;
      if (response.ok) {
        this.receive("connection", { state: "open" });
        for await (const [name, data] of eventsOf(response.body)) if (isOurs()) this.take(name, data);
      }
    } catch (error) {
      if (!stream.signal.aborted && !(error instanceof TypeError)) reportError(error); // a TypeError: the connection is lost
    }
    if (!isOurs()) return;
    this.receive("connection", { state: status === 403 ? "refused" : "lost" });
    setTimeout(() => isOurs() && this.listen(), TRY_AGAIN);
  }

  take(name, data) {
    if (name === "replaced") this.end();
    if (name === "state") this.takeState(data);
    try {
      this.receive(name, data);
    } catch (error) {
      reportError(error); // the stream goes on
    }
  }

  takeState(state) {
    this.generation = state.generation;
    this.isBusy = Boolean(state.running);
    if (document.hidden) this.follow();
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
        headers: { "Content-Type": "application/json", ...authorization() },
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

/** The events of a stream, each a name and its data. A block without both is a comment, which keeps the connection alive. */
async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    let begin = 0;
    let from = Math.max(0, text.length - 1); // the first half of the end may be there already
    text += value;
    for (let end; (end = text.indexOf("\n\n", from)) >= 0; from = begin = end + 2) {
      const [first, second] = text.slice(begin, end).split("\n");
      if (first.startsWith("event: ") && second?.startsWith("data: ")) yield [first.slice(7), JSON.parse(second.slice(6))];
    }
    text = text.slice(begin);
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
