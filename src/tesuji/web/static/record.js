// The record of the game: its tree and graph, comments, variations, and the analysis of all of it.

import { byId, el, show } from "./dom.js";
import { Graph } from "./graph.js";
import { Tree, nodeBeside } from "./tree.js";
import { T } from "./strings.js";

export class RecordPanel {
  constructor({ model, send, speech, choice, walker }) {
    Object.assign(this, { model, send, speech, choice, walker });
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
    byId("promote").addEventListener("click", () => send("promote", { node: model.state.node }));
    byId("analyse-game").addEventListener("click", () =>
      model.state.running?.task === "analyse-game" ? send("stop") : send("analyse-game", { ...choice(), playouts: this.playouts }));
    model.on("state game walk", () => this.update());
    model.on("progress", () => this.progress());
  }

  /** How long each position of the game is searched. */
  get playouts() {
    const box = byId("analyse-game-playouts");
    return Math.min(Number(box.max), Math.max(1, Math.round(Number(box.value)) || Number(box.defaultValue)));
  }

  go(node) {
    if (this.model.walk) this.walker.leave(); // a position of the game was asked for
    if (node !== null && node !== undefined && node !== this.model.state.node) return this.send("goto", { node });
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
    const { undo } = await this.send("delete", { node: this.model.state.node });
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
