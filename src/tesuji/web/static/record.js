// The record of the game: its tree and graph, comments, variations, and the analysis of all of it.

import { byId, el, show } from "./dom.js";
import { Graph } from "./graph.js";
import { Tree, nodeBeside } from "./tree.js";
import { T } from "./strings.js";

const NEAR = 40; // moves back and on whose positions are asked for before they are gone to
const MOST_DRAWINGS = 20; // at a time
const LONGEST_WAIT = 5000; // ms for the state that belongs to an answer

export class RecordPanel {
  /** `quietly` sends as `send` does, and says nothing of what goes wrong. */
  constructor({ model, send, quietly, speech, choice, walker }) {
    Object.assign(this, { model, send, quietly, speech, choice, walker });
    this.following = null; // the server, to where the person has gone
    this.asking = false;
    const jump = (node) => this.go(node);
    this.graph = new Graph(byId("graph"), model, jump);
    this.tree = new Tree(byId("tree"), model, jump);
    for (const way of ["first", "previous", "next", "last"]) byId(`go-${way}`).addEventListener("click", () => this.step(way));
    byId("comment-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.keepComment();
    });
    byId("comment").addEventListener("change", () => this.keepComment());
    byId("delete").addEventListener("click", () => this.remove());
    byId("promote").addEventListener("click", () => send("promote", { node: model.node.id }));
    byId("analyse-game").addEventListener("click", () =>
      model.state.running?.task === "analyse-game" ? send("stop") : send("analyse-game", { ...choice(), playouts: this.playouts }));
    model.on("state game walk cursor", () => this.update());
    model.on("state cursor", () => this.lookAhead().catch(() => {}));
    model.on("progress", () => this.progress());
  }

  /** How long each position of the game is searched. */
  get playouts() {
    const box = byId("analyse-game-playouts");
    return Math.min(Number(box.max), Math.max(1, Math.round(Number(box.value)) || Number(box.defaultValue)));
  }

  go(node) {
    if (this.model.walk) this.walker.leave(); // a position of the game was asked for
    if (node === null || node === undefined || node === this.model.node.id) return;
    this.model.goTo(node);
    this.following ??= this.follow().finally(() => (this.following = null));
  }

  /** The server follows to where the person is by then: of many steps it need not take each. */
  async follow() {
    const { model } = this;
    let sent = null;
    try {
      while (model.isAhead) {
        if (model.cursor === sent) {
          if (!(await this.stateComes())) model.goTo(null);
        } else {
          sent = model.cursor;
          await this.send("goto", { node: sent });
        }
      }
    } catch {
      model.goTo(null); // it has been said why
    }
  }

  /** Whether a state comes soon. */
  stateComes() {
    return new Promise((resolve) => {
      this.model.addEventListener("state", () => resolve(true), { once: true });
      setTimeout(() => resolve(false), LONGEST_WAIT);
    });
  }

  /** Asks for the positions along the line, the nearest first, that may be gone to next. */
  async lookAhead() {
    const { model } = this;
    if (this.asking || model.walk || document.hidden) return;
    const line = model.line();
    const here = line.indexOf(model.node);
    const near = line.slice(Math.max(0, here - NEAR), here + NEAR + 1).filter((node) => !model.drawings.has(node.id));
    const nodes = near.sort((a, b) => Math.abs(a.ply - model.node.ply) - Math.abs(b.ply - model.node.ply)).slice(0, MOST_DRAWINGS).map((node) => node.id);
    if (!nodes.length) return;
    const { drawings } = model; // of this game
    this.asking = true;
    const found = await this.quietly("drawings", { nodes: nodes.sort((a, b) => a - b) }).finally(() => (this.asking = false));
    for (const [id, drawing] of Object.entries(found.drawings || {})) drawings.set(Number(id), drawing);
    if (nodes.every((id) => drawings.has(id))) this.lookAhead().catch(() => {});
  }

  step(way) {
    if (this.model.walk) return way === "previous" ? this.walker.back() : null;
    return this.go(nodeBeside(this.model, way));
  }

  /** The comment belongs to the node that it was written at, which need not be shown any more. */
  keepComment() {
    const node = this.model.nodes.get(this.shown);
    const text = byId("comment").value;
    if (node && text !== (node.comment || "")) return this.send("comment", { node: node.id, text });
  }

  /** What is being written stays until it is sent: only another node, or another text of this one, takes its place. */
  showComment(node) {
    const box = byId("comment");
    const text = node.comment || "";
    if (this.shown === node.id && this.loaded === text) return;
    if (this.shown !== node.id && this.game === this.model.game && box.value !== this.loaded) this.keepComment()?.catch(() => {});
    [this.shown, this.loaded, this.game] = [node.id, text, this.model.game];
    box.value = text;
  }

  async remove() {
    const { undo } = await this.send("delete", { node: this.model.node.id });
    const back = el("button", { type: "button", onclick: () => this.send("restore", { undo }) }, T.restore);
    this.speech.note(T.deleted, "note", back);
  }

  update() {
    const { node, model } = { node: this.model.node, model: this.model };
    if (!node) return;
    this.showComment(node);
    const siblings = node.parent === null ? [] : model.nodes.get(node.parent)?.children || [];
    byId("delete").disabled = node.parent === null;
    byId("promote").disabled = !siblings.length || siblings[0] === node.id;
    byId("go-first").disabled = byId("go-previous").disabled = model.walk || node.parent === null;
    if (model.walk) byId("go-previous").disabled = !this.walker.own.length;
    byId("go-next").disabled = byId("go-last").disabled = model.walk || !node.children.length;
    const notes = model.state.notes || [];
    show(byId("notes"), notes.length > 0);
    byId("notes").replaceChildren(...notes.map((text) => el("li", {}, text)));
    this.progress();
  }

  progress() {
    const { progress, mistakes, game, state } = this.model;
    const running = state?.running?.task === "analyse-game";
    byId("analyse-game").textContent = running ? T.stop : T.analyseGame;
    const bar = byId("game-progress");
    show(bar, running && progress?.task === "analyse-game" && Boolean(progress.of));
    if (progress?.of) [bar.max, bar.value] = [progress.of, progress.done];
    show(byId("mistakes"), Boolean(mistakes));
    if (!mistakes || this.listed === mistakes) return;
    this.listed = mistakes;
    byId("mistakes-list").replaceChildren(
      ...(mistakes.length ? mistakes : [null]).map((one) =>
        one === null
          ? el("li", {}, T.noMistakes)
          : el("li", {}, el("button", { type: "button", class: "link", onclick: () => this.go(one.node) }, T.mistake(one, game.player_names[one.mover])))));
  }
}
