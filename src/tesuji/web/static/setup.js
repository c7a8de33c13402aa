// Setting up a position: pieces are put on a copy of the drawing, and sent when they are all there.

import { byId, el, show } from "./dom.js";
import { T } from "./strings.js";

export class SetUp {
  constructor({ model, send, showDrawing }) {
    Object.assign(this, { model, send, showDrawing });
    this.drawing = null;
    this.brush = 0;
    byId("set-up").addEventListener("click", () => (this.drawing ? this.end() : this.begin()));
    byId("set-up-apply").addEventListener("click", () => this.apply());
    byId("set-up-cancel").addEventListener("click", () => this.end());
    model.on("game state", () => {
      byId("set-up").disabled = !model.game?.can_set_up;
      if (this.drawing && model.override !== this.drawing) this.end();
    });
  }

  begin() {
    const { game, drawing } = this.model;
    const names = game.player_names;
    byId("brushes").replaceChildren(...[...names.entries(), [null, T.eraser]].map(([value, text]) => {
      const input = el("input", { type: "radio", name: "brush" });
      input.checked = value === this.brush;
      input.addEventListener("change", () => (this.brush = value));
      return el("label", { class: "check" }, input, ` ${text}`);
    }));
    byId("set-up-turn").replaceChildren(...names.map((name, number) => el("option", { value: number }, `${name} ${T.toMove}`)));
    byId("set-up-turn").value = String(this.model.state.to_move ?? 0);
    this.put({ ...drawing, last: null, moves: [], pieces: drawing.pieces });
    show(byId("set-up-panel"), true);
  }

  put(drawing) {
    this.drawing = drawing;
    this.showDrawing(drawing);
  }

  /** Takes a click on the board while a position is set up. */
  click(name, board) {
    if (!this.drawing) return false;
    const others = this.drawing.pieces.filter((piece) => piece.at !== name);
    const same = this.drawing.pieces.some((piece) => piece.at === name && piece.player === this.brush);
    const shape = board.about.surface === "wood" ? "stone" : "disc";
    const added = this.brush === null || same ? [] : [{ at: name, player: this.brush, colour: "", sign: "", shape }];
    this.put({ ...this.drawing, pieces: [...others, ...added] });
    return true;
  }

  async apply() {
    const stones = Object.fromEntries(this.drawing.pieces.map((piece) => [piece.at, piece.player]));
    await this.send("setup", { stones, to_move: Number(byId("set-up-turn").value) });
    this.end();
  }

  end() {
    this.drawing = null;
    show(byId("set-up-panel"), false);
    this.showDrawing(null);
  }
}
