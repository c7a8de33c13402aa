// The last games with their trees, kept by the browser as SGF: whatever happens to the server, and after a new game, they can be
// opened again. Nothing of it is sent anywhere unless a game is opened.

import { byId, el } from "./dom.js";
import { T } from "./strings.js";

const GAMES = "tesuji-games", CURRENT = "tesuji-game";
const MOST_GAMES = 20;
const PAUSE = 1000; // ms without a change before a game is kept
const REPLACING = ["new", "sgf-open", "open-link", "certificate-open", "setup", "close"]; // commands after which the game is another

export class EarlierGames {
  /** `quietly` sends a command and says nothing of what goes wrong; `open` opens the text of a record. */
  constructor({ model, quietly, open, dialogs, storage = localStorage, session = sessionStorage }) {
    Object.assign(this, { model, quietly, open, dialogs, storage, session });
    this.kept = ""; // what the game was like when it was kept last
    model.on("hello", ({ is_new: isNew }) => isNew && this.begin());
    model.on("began", () => this.begin());
    model.on("state", () => this.wait());
    byId("earlier").addEventListener("click", () => this.choose());
  }

  get games() {
    try {
      return JSON.parse(this.storage.getItem(GAMES)) || [];
    } catch {
      return [];
    }
  }

  /** The text of this game as it was kept last; null if it was not. */
  get text() {
    return this.games.find((game) => game.id === this.session.getItem(CURRENT))?.text ?? null;
  }

  /** Another game has begun: it takes no other's place. */
  begin() {
    this.session.setItem(CURRENT, crypto.randomUUID());
    this.kept = "";
  }

  /** How much there is of the game, by what a person has done. */
  get shape() {
    let letters = 0;
    for (const node of this.model.nodes.values()) letters += node.comment.length;
    return [this.model.game?.name, this.model.nodes.size, letters, this.model.state?.result?.text].join(" ");
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep().catch(() => {}), PAUSE);
  }

  /** Before a command that puts another game in this one's place. */
  async before(command) {
    if (REPLACING.includes(command)) await this.keep().catch(() => {});
  }

  async keep() {
    clearTimeout(this.timer);
    const { model, shape } = this;
    if (!model.game || model.nodes.size < 2 || shape === this.kept) return;
    if (!this.session.getItem(CURRENT)) this.begin();
    const id = this.session.getItem(CURRENT);
    const entry = { id, title: model.game.title, when: Date.now(), moves: Math.max(...model.line().map((node) => node.ply)) };
    const { text } = await this.quietly("sgf-save");
    if (!text) return;
    this.put([{ ...entry, text }, ...this.games.filter((game) => game.id !== id)].slice(0, MOST_GAMES));
    if (this.session.getItem(CURRENT) === id) this.kept = shape;
  }

  /** As many of them, the latest first, as the browser has room for. */
  put(games) {
    for (let count = games.length; count > 0; count -= 1) {
      try {
        return this.storage.setItem(GAMES, JSON.stringify(games.slice(0, count)));
      } catch {
        // no room for the oldest of these
      }
    }
  }

  async choose() {
    await this.keep().catch(() => {});
    const { games } = this;
    let chosen = null;
    const pick = (game) => {
      chosen = game;
      this.dialogs.dialog.close("cancel");
    };
    const rows = games.map((game) => el("li", {}, el("button", { type: "button", class: "link", onclick: () => pick(game) },
      T.earlierOf(game.title, game.moves, new Date(game.when).toLocaleString()))));
    const list = games.length ? el("ol", { class: "earlier" }, ...rows) : el("p", {}, T.earlierNone);
    const forgets = await this.dialogs.ask(T.earlier, [el("p", { class: "note" }, T.earlierHelp), list], games.length ? T.forgetGames : null, { danger: true });
    if (chosen) await this.open(chosen.text, chosen.title);
    else if (forgets && games.length) this.storage.removeItem(GAMES);
  }
}
