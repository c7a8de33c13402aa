// Analysis of some points alone: they are chosen by clicks, or by drawing a rectangle over them.

import { byId, show, svg } from "./dom.js";
import { setText } from "./table.js";
import { T } from "./strings.js";

export class Region {
  /** `changed` is called when other points are chosen. */
  constructor({ model, board, say, changed }) {
    Object.assign(this, { model, board, say, changed });
    this.chosen = new Set();
    this.isChoosing = false;
    byId("region").addEventListener("click", () => this.toggle());
    byId("region-clear").addEventListener("click", () => this.clear());
    model.on("game", () => this.forget());
    model.on("state cursor walk drawing", () => this.draw());
  }

  get places() {
    return [...this.chosen];
  }

  forget() {
    this.chosen.clear();
    this.isChoosing = false;
    show(byId("region-row"), this.model.game.board.places.length > 0);
    this.draw();
  }

  toggle() {
    this.isChoosing = !this.isChoosing;
    if (this.isChoosing) this.say(T.regionHelp);
    else if (this.chosen.size) this.changed();
    this.draw();
  }

  clear() {
    this.forget();
    this.changed();
  }

  /** Takes a click on the board while points are being chosen. */
  click(name) {
    if (!this.isChoosing) return false;
    if (!this.chosen.delete(name)) this.chosen.add(name);
    this.draw();
    return true;
  }

  /** Takes a rectangle from one place to another. */
  drag(from, to) {
    if (!this.isChoosing) return false;
    const [a, b] = [from, to].map((name) => this.board.places.get(name));
    const between = (value, one, other) => value >= Math.min(one, other) - 0.01 && value <= Math.max(one, other) + 0.01;
    for (const { name, x, y } of this.board.places.values()) if (between(x, a.x, b.x) && between(y, a.y, b.y)) this.chosen.add(name);
    this.draw();
    return true;
  }

  draw() {
    byId("region").setAttribute("aria-pressed", String(this.isChoosing));
    setText(byId("region"), this.isChoosing ? T.regionDone : T.region);
    show(byId("region-clear"), this.chosen.size > 0);
    setText(byId("region-note"), this.chosen.size ? T.regionOf(this.chosen.size) : "");
    const layer = this.board.layer("region");
    if (!layer) return;
    layer.replaceChildren(...this.places.map((name) => this.board.places.get(name)).filter(Boolean)
      .map(({ x, y }) => svg("rect", { class: "region", x: x - 0.5, y: y - 0.5, width: 1, height: 1 })));
  }
}
