// Markup on the board: what a file has at a position is shown, and can be put there by a click.

import { arrow } from "./board.js";
import { byId, el, show, svg } from "./dom.js";
import { T } from "./strings.js";

const TOOLS = { triangle: "△", square: "□", circle: "○", cross: "×", letter: "A", number: "1" };
const DARK = ["black", "red", "blue", "purple", "brown", "green"]; // pieces on which marks are light

export class Marks {
  constructor({ model, board, send }) {
    Object.assign(this, { model, board, send });
    this.tool = null;
    this.buttons = Object.entries(TOOLS).map(([name, sign]) =>
      el("button", { type: "button", "aria-pressed": "false", "aria-label": T.marks[name], title: T.marks[name], onclick: () => this.take(name) }, sign));
    byId("mark-tools").replaceChildren(el("span", { class: "note" }, T.markTools), ...this.buttons);
    model.on("game", ({ can_mark: can }) => {
      this.take(null);
      show(byId("mark-tools"), can);
    });
    model.on("state walk cursor drawing", () => this.draw());
  }

  /** Chooses what the next clicks put on the board; the same again puts an end to it. */
  take(name) {
    this.tool = this.tool === name ? null : name;
    for (const [index, button] of this.buttons.entries()) button.setAttribute("aria-pressed", String(Object.keys(TOOLS)[index] === this.tool));
  }

  /** Takes a click on the board while a tool is chosen. */
  click(name) {
    if (!this.tool || this.isHidden) return false;
    const { state } = this.model;
    const counts = this.tool === "letter" || this.tool === "number";
    const there = state.markup.find((mark) => mark.kind === "label" && mark.at[0] === name);
    const fields = counts ? { kind: "label", text: there && isOf(this.tool, there.text) ? there.text : this.next() } : { kind: this.tool };
    this.send("mark", { node: state.node, at: name, ...fields });
    return true;
  }

  /** The first letter or number that is not on the board yet. */
  next() {
    const taken = new Set(this.model.state.markup.map((mark) => mark.text));
    for (let count = 0; ; count += 1) {
      const text = this.tool === "number" ? String(count + 1) : String.fromCharCode(65 + (count % 26)) + (count >= 26 ? Math.floor(count / 26) : "");
      if (!taken.has(text)) return text;
    }
  }

  get isHidden() {
    return Boolean(this.model.override || this.model.walk || this.model.isAhead);
  }

  draw() {
    const layer = this.board.layer("markup");
    if (!layer || !this.board.now) return;
    const marks = this.isHidden ? [] : this.model.state.markup || [];
    layer.replaceChildren(...marks.map((mark) => this.mark(mark)).filter(Boolean));
  }

  mark({ kind, at, text }) {
    const places = at.map((name) => this.board.places.get(name));
    if (places.some((place) => !place)) return null;
    if (kind === "arrow") return arrow(places[0], places[1], "markup-arrow", 0.08);
    if (kind === "line") return svg("line", { class: "markup-line", x1: places[0].x, y1: places[0].y, x2: places[1].x, y2: places[1].y });
    const [{ name, x, y }] = places;
    const piece = this.board.pieces?.get(name);
    const colour = piece && (piece.colour || this.board.about.players[piece.player]?.colour);
    const ground = piece ? (DARK.includes(colour) ? " on-dark" : " on-light") : "";
    return svg("g", { class: `markup${ground}`, transform: `translate(${x} ${y})` }, svg("g", { class: "upright" }, ...shapes(kind, text, Boolean(piece))));
  }
}

const isOf = (tool, text) => (tool === "number" ? /^\d+$/ : /^[A-Z]\d*$/).test(text);

function shapes(kind, text, isOnPiece) {
  if (kind === "triangle") return [svg("path", { d: "M0-.3.27.17H-.27Z" })];
  if (kind === "square") return [svg("rect", { x: -0.22, y: -0.22, width: 0.44, height: 0.44 })];
  if (kind === "circle") return [svg("circle", { r: 0.25 })];
  if (kind === "cross") return [svg("path", { d: "M-.2-.2.2.2M-.2.2.2-.2" })];
  const shown = text.length > 3 ? `${text.slice(0, 3)}…` : text;
  return [isOnPiece ? "" : svg("circle", { class: "markup-ground", r: 0.3 }), svg("text", { y: 0.15 }, shown)];
}
