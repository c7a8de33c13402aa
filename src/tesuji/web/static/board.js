// Draws a board description and a position, and finds the move that a click or a key means. It knows no rules: every legal move
// comes with the places where it happens.

import { el, svg } from "./dom.js";
import { Drag } from "./drag.js";
import { HEXAGON, asDiamond } from "./turn.js";
import { T } from "./strings.js";

const LAYERS = ["ground", "lines", "region", "pieces", "marks", "markup", "last", "overlay", "line", "cursor"];
const SQUARE = ["plain", "chequered"]; // surfaces whose cells reach into the corners
const LEAST_FOR_VISITS = 44; // pixels of a place that has room for two lines of text
const LEAST_FOR_FINGER = 28; // pixels of a place that a finger hits
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  /** `root` holds the picture; `play(text)` is called with a move, `click(name)` first, and may take the click by true;
   *  `refuse(name, why)` with a place where a click does nothing: the board is "closed", the place "illegal", "unreachable"
   *  for the selected piece, or the "aim" of a first tap; `drag(from, to)` when the pointer is drawn from one place to another,
   *  and may take that by true. */
  constructor(root, { play, click, hover, refuse, drag }) {
    Object.assign(this, { root, play, click, hover, refuse, drag });
    this.about = null;
    this.now = null;
    this.selected = null; // the first place of a move from one place to another
    this.cursor = null; // the place that has the keyboard
    this.places = new Map();
    this.cells = new Map();
    this.layers = {};
  }

  // -- the board itself: once a game --------------------------------------------------------------------------------
  describe(given, { diamond = false } = {}) {
    const about = diamond && given.surface === "hex" ? asDiamond(given) : given;
    this.about = about;
    this.selected = this.cursor = null;
    this.places = new Map(about.places.map((place) => [place.name, place]));
    this.cells = new Map();
    this.centre = null; // the name of the place in the middle
    this.drawn = new Map(); // pieces on the board, by all that their looks depend on
    this.root.replaceChildren();
    this.root.dataset.surface = about.surface;
    this.root.dataset.input = about.input;
    if (about.surface === "text") {
      this.text = el("pre", { class: "board-text", tabindex: 0, "aria-label": T.text });
      this.buttons = el("div", { class: "move-buttons", role: "group", "aria-label": T.moveButtons });
      this.root.append(this.text, this.buttons);
      return;
    }
    this.picture = svg("svg", {
      class: "board",
      viewBox: about.view.join(" "),
      role: "grid",
      "aria-label": T.boardLabel(about.title),
      "data-ratio": about.view[2] / about.view[3],
    });
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, svg("g", { class: `layer-${name}`, "aria-hidden": "true" })]));
    this.picture.append(gradients(), this.layers.ground, this.gridRows(), ...LAYERS.slice(1).map((name) => this.layers[name]));
    this.drawGround();
    this.root.append(this.picture);
    this.watchSize();
    this.root.style.setProperty("--ratio", String(about.view[2] / about.view[3]));
    this.listen();
  }

  /** Texts have a size that can be read whatever the size of the board: `unit` is that of a place, in pixels. */
  watchSize() {
    const measure = () => {
      const { width } = this.picture.getBoundingClientRect();
      if (!width) return;
      const unit = width / this.about.view[2];
      const changed = this.isCramped !== unit < LEAST_FOR_VISITS;
      this.unit = unit;
      this.isCramped = unit < LEAST_FOR_VISITS;
      const label = Math.min(15, Math.max(11.5, 0.22 * unit));
      this.root.style.setProperty("--label", `${Math.min(0.55, label / unit).toFixed(3)}px`);
      if (changed) this.resized?.();
    };
    measure();
    this.observer?.disconnect();
    this.observer = new ResizeObserver(measure);
    this.observer.observe(this.picture);
  }

  drawGround() {
    const { about } = this;
    if (about.ground) {
      const [x, y, width, height] = about.ground;
      this.layers.ground.append(svg("rect", { class: "ground", x, y, width, height, rx: SQUARE.includes(about.surface) ? 0 : 0.14 }));
      if (about.surface === "wood") {
        this.layers.ground.append(svg("rect", { class: "grain", x, y, width, height, rx: 0.14, fill: "url(#grain)" }));
      }
    }
    for (const side of about.borders) {
      const points = side.outline.map((spot) => spot.join(",")).join(" ");
      const colour = about.players[side.player].colour;
      this.layers.ground.append(svg("polygon", { class: `border colour-${colour}`, points }));
    }
    const line = (name, [x1, y1, x2, y2]) => svg("line", { class: name, x1, y1, x2, y2 });
    this.layers.lines.append(...about.lines.map((ends) => line("line", ends)));
    this.layers.lines.append(...about.faint_lines.map((ends) => line("line faint", ends)));
    this.layers.lines.append(...about.dots.map(([cx, cy]) => svg("circle", { class: "dot", cx, cy, r: 0.09 })));
    this.layers.lines.append(...about.labels.map(({ x, y, text }) => svg("text", { class: "label", x, y }, text)));
  }

  /** The places, as rows of a grid for screen readers. */
  gridRows() {
    const rows = new Map();
    for (const place of this.about.places) {
      if (!rows.has(place.row)) rows.set(place.row, svg("g", { role: "row" }));
      const dark = (place.row + place.column) % 2 ? " odd" : "";
      const cell = svg(
        "g",
        {
          class: `place ${place.shape}${dark}`,
          role: "gridcell",
          tabindex: -1,
          "data-name": place.name,
          transform: `translate(${place.x} ${place.y})`,
        },
        ...placeShapes(place, this.about.surface),
      );
      this.cells.set(place.name, cell);
      rows.get(place.row).append(cell);
    }
    const grid = svg("g", { class: "places", role: "rowgroup" });
    grid.append(...[...rows.keys()].sort((a, b) => a - b).map((row) => rows.get(row)));
    return grid;
  }

  listen() {
    const placeOf = (event) => event.target.closest?.(".place")?.dataset.name;
    this.picture.addEventListener("pointerdown", (event) => (this.isTouched = event.pointerType === "touch"));
    new Drag(this);
    this.picture.addEventListener("click", (event) => placeOf(event) && (this.isMeant(placeOf(event)) ? this.press(placeOf(event)) : null));
    this.picture.addEventListener("pointerover", (event) => this.over(placeOf(event) || null));
    this.picture.addEventListener("pointerleave", () => this.over(null));
    this.picture.addEventListener("focusin", (event) => {
      const name = placeOf(event);
      if (name) this.setCursor(name), this.over(name);
    });
    this.picture.addEventListener("keydown", (event) => this.key(event));
  }

  // -- a position ---------------------------------------------------------------------------------------------------
  show(now, { interactive = true, dead = [] } = {}) {
    if (!this.about) return;
    const isNew = this.now !== now || this.interactive !== interactive;
    if (this.now !== now) this.selected = this.aim = null;
    this.now = now;
    this.interactive = interactive;
    if (this.about.surface === "text") return this.showText();
    this.dead = new Set(dead);
    this.pieces = new Map(now.pieces.map((piece) => [piece.at, piece]));
    this.byPlace = new Map();
    for (const move of now.moves) {
      const places = this.about.input === "from-to" ? move.at.slice(0, 1) : move.area || move.at;
      for (const name of places) this.byPlace.set(name, [...(this.byPlace.get(name) || []), move]);
    }
    // Where just one piece can move, nobody has to say which.
    if (isNew && interactive && this.about.input === "from-to" && this.byPlace.size === 1) [this.selected] = this.byPlace.keys();
    this.showPieces(now.pieces);
    this.layers.marks.replaceChildren(
      ...now.marks.map((mark) => {
        const { x, y } = this.places.get(mark.at);
        return svg("g", {}, svg("circle", { class: "mark-ground", cx: x, cy: y, r: 0.28 }),
          svg("text", { class: "mark", x, y: y + 0.12 }, mark.text));
      }),
    );
    this.drawLast();
    this.drawCursor();
    this.name();
  }

  /** What stays as it is from one position to the next is not drawn anew. */
  showPieces(pieces) {
    const wanted = new Map(pieces.map((piece) => [`${JSON.stringify(piece)}${this.dead.has(piece.at)}`, piece]));
    for (const [key, { node }] of this.drawn) {
      if (wanted.has(key)) continue;
      node.remove();
      this.drawn.delete(key);
    }
    for (const [key, piece] of wanted) {
      if (this.drawn.has(key)) continue;
      const node = this.piece(piece);
      this.drawn.set(key, { node, at: piece.at });
      this.layers.pieces.append(node);
    }
    this.shown = new Map([...this.drawn.values()].map(({ node, at }) => [at, node]));
  }

  showText() {
    this.text.textContent = this.now.text;
    this.buttons.replaceChildren(
      ...this.now.moves.map((move) =>
        el("button", { type: "button", disabled: !this.interactive, onclick: () => this.play(move.text) }, move.text)),
    );
  }

  piece(piece) {
    const place = this.places.get(piece.at);
    const colour = piece.colour || this.about.players[piece.player].colour;
    const group = svg("g", {
      class: `piece ${piece.shape} colour-${colour}${piece.faded ? " faded" : ""}${this.dead.has(piece.at) ? " dead" : ""}`,
      transform: `translate(${place.x} ${place.y})`,
    });
    const sign = piece.sign && piece.shape !== "glyph" ? svg("text", { class: "sign", y: 0.15 }, piece.sign) : null;
    group.append(svg("g", { class: "upright" }, ...pieceShapes(piece, place, colour), sign));
    return group;
  }

  drawLast() {
    const last = this.now.last;
    const drawn = [];
    if (last?.at.length && !this.about.puzzle) {
      const spots = last.at.map((name) => this.places.get(name));
      const end = spots[spots.length - 1];
      if (this.about.input === "from-to") drawn.push(arrow(spots[0], end, "last-arrow", 0.1));
      const piece = this.pieces.get(end.name);
      if (end.shape === "across" || end.shape === "down") drawn.push(edge(end, "last-edge"));
      else if (piece?.sign) drawn.push(svg("circle", { class: "last-ring", cx: end.x, cy: end.y, r: 0.455 }));
      else drawn.push(svg("circle", { class: "last-dot", cx: end.x, cy: end.y, r: 0.14 }));
    }
    drawn.push(...this.ending());
    this.layers.last.replaceChildren(...drawn);
  }

  /** At the end: the row or chain that has won, and whose the empty places are. */
  ending() {
    const at = (name) => this.places.get(name);
    const rings = (this.now.won || []).map((name) => svg("circle", { class: "won-ring", cx: at(name).x, cy: at(name).y, r: 0.46 }));
    const owned = (this.now.territory || []).map(({ at: name, player }) =>
      svg("rect", { class: `territory colour-${this.about.players[player].colour}`, x: at(name).x - 0.14, y: at(name).y - 0.14, width: 0.28, height: 0.28 }));
    return [...owned, ...rings];
  }

  /** What screen readers say of each place, and which ones can be clicked. */
  name() {
    const first = this.cursor && this.cells.has(this.cursor) ? this.cursor : this.middle();
    const last = new Set(this.now.last?.at || []);
    const won = new Set(this.now.won || []);
    const owners = new Map((this.now.territory || []).map(({ at, player }) => [at, T.territoryOf(this.about.players[player].name)]));
    const targets = new Set(this.selected ? this.movesFrom(this.selected).map((move) => move.at[move.at.length - 1]) : []);
    for (const [name, cell] of this.cells) {
      const piece = this.pieces.get(name);
      const legal = this.interactive && this.byPlace.has(name);
      const owner = piece && piece.player !== null ? T.stone(this.about.players[piece.player].name) : null;
      const held = piece ? owner || (piece.sign ? T.tile(piece.sign) : T.drawn) : T.empty;
      const words = [name, held, owners.get(name), won.has(name) && T.partOfWin, last.has(name) && T.lastMove, name === this.selected && T.selected, targets.has(name) && T.target, legal && T.canPlay];
      set(cell, "aria-label", words.filter(Boolean).join(", "));
      cell.classList.toggle("legal", legal);
      cell.classList.toggle("selected", name === this.selected);
      set(cell, "tabindex", name === first ? "0" : "-1");
    }
  }

  /** A finger covers several small places: there the first tap aims, and the second one, on the same place, plays. */
  isMeant(name) {
    const small = this.isTouched && this.unit < LEAST_FOR_FINGER && this.interactive && this.byPlace?.get(name)?.length === 1;
    const meant = !small || this.aim === name || this.about.input === "from-to";
    this.aim = meant ? null : name;
    this.hovered = name;
    this.drawCursor();
    if (!meant) this.refuse?.(name, "aim");
    return meant;
  }

  // -- from a click or a key to a move ------------------------------------------------------------------------------
  press(name) {
    if (this.click?.(name)) return;
    if (!this.interactive) return this.refuse?.(name, "closed");
    if (this.selected) {
      const found = this.movesFrom(this.selected).filter((move) => move.at[move.at.length - 1] === name);
      const again = this.selected === name;
      if (found.length === 1) {
        this.select(null);
        return this.play(found[0].text);
      }
      if (!again && !this.byPlace.has(name)) this.refuse?.(name, "unreachable");
      this.select(again || !this.byPlace.has(name) ? null : name);
      return;
    }
    const moves = this.byPlace.get(name) || [];
    if (!moves.length) this.refuse?.(name, "illegal");
    if (this.about.input === "from-to") return this.select(moves.length ? name : null);
    if (moves.length === 1) this.play(moves[0].text);
    else if (moves.length > 1) this.choose(moves);
  }

  movesFrom(name) {
    return this.now.moves.filter((move) => move.at[0] === name);
  }

  select(name) {
    this.selected = name;
    this.drawCursor();
    this.name();
  }

  choose(moves) {
    const close = () => panel.remove();
    const buttons = moves.map((move) =>
      el("button", { type: "button", onclick: () => (close(), this.play(move.text)) }, move.text));
    const panel = el("div", { class: "chooser", role: "dialog", "aria-label": T.choose },
      el("span", {}, T.choose), ...buttons, el("button", { type: "button", class: "quiet", onclick: close }, T.cancel));
    this.root.querySelector(".chooser")?.remove();
    this.root.append(panel);
    buttons[0].focus();
  }

  over(name) {
    if (name === this.hovered) return;
    this.hovered = name;
    this.drawCursor();
    const moves = name && this.now ? this.byPlace?.get(name) || [] : [];
    this.hover?.(moves.length === 1 || this.about.input === "from-to" ? moves[0]?.text || null : null, name);
  }

  /** A pale piece where a move would put one, the group that it would take, or where the selected piece can go. */
  drawCursor() {
    const drawn = [];
    const moves = this.interactive && this.hovered ? this.byPlace?.get(this.hovered) || [] : [];
    if (this.selected) {
      const { x, y } = this.places.get(this.selected);
      drawn.push(svg("circle", { class: "chosen", cx: x, cy: y, r: 0.46 }));
      for (const move of this.movesFrom(this.selected)) {
        const there = this.places.get(move.at[move.at.length - 1]);
        const taken = this.pieces.has(there.name);
        drawn.push(svg("circle", { class: taken ? "target taken" : "target", cx: there.x, cy: there.y, r: taken ? 0.46 : 0.16 }));
      }
    } else if (moves.length === 1 && this.about.input !== "from-to") {
      const spots = moves[0].at.map((name) => this.places.get(name));
      const player = this.now.to_play ?? 0;
      if (spots[0].shape === "across" || spots[0].shape === "down") drawn.push(edge(spots[0], "ghost-edge"));
      else if (this.about.puzzle) drawn.push(...spots.map((spot) => svg("rect", { class: "ghost-tile", x: spot.x - 0.48, y: spot.y - 0.48, width: 0.96, height: 0.96, rx: 0.14 })));
      else drawn.push(svg("circle", { class: `ghost colour-${this.about.players[player].colour}`, cx: spots[0].x, cy: spots[0].y, r: 0.42 }));
    }
    if (this.aim && this.places.has(this.aim)) drawn.push(...this.crosshair(this.places.get(this.aim)));
    this.layers.cursor?.replaceChildren(...drawn);
  }

  /** Lines through a place, across the whole board: what a finger hides can be seen at their ends. */
  crosshair({ x, y }) {
    const [left, top, width, height] = this.about.view;
    const line = (x1, y1, x2, y2) => svg("line", { class: "crosshair", x1, y1, x2, y2 });
    return [line(left, y, left + width, y), line(x, top, x, top + height)];
  }

  // -- the keyboard -------------------------------------------------------------------------------------------------
  key(event) {
    const name = event.target.closest?.(".place")?.dataset.name;
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = document.documentElement.dataset.turned === "on" ? -1 : 1; // arrows follow what is seen
    if (ARROWS[event.key]) this.focus(this.neighbour(name, ARROWS[event.key].map((step) => turn * step)));
    else if (event.key === "Enter" || event.key === " ") this.press(name);
    else if (event.key === "Escape" && this.selected) this.select(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The nearest place in that direction; sideways distance counts double. */
  neighbour(name, [dx, dy]) {
    const here = this.places.get(name);
    let best = name, least = Infinity;
    for (const there of this.places.values()) {
      const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
      const aside = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
      if (there.shape === "box" || along < 0.2 || aside > along * 1.2 + 0.01) continue;
      if (along + 2 * aside < least) [best, least] = [there.name, along + 2 * aside];
    }
    return best;
  }

  middle() {
    return (this.centre ??= this.findMiddle());
  }

  findMiddle() {
    const places = [...this.places.values()].filter((place) => place.shape !== "box");
    const [left, top, width, height] = this.about.view;
    const away = (place) => Math.hypot(place.x - left - width / 2, place.y - top - height / 2);
    return places.sort((a, b) => away(a) - away(b))[0]?.name;
  }

  setCursor(name) {
    if (this.cursor && this.cells.has(this.cursor)) this.cells.get(this.cursor).setAttribute("tabindex", "-1");
    this.cursor = name;
    this.cells.get(name)?.setAttribute("tabindex", "0");
  }

  focus(name = this.cursor || this.middle()) {
    if (this.about?.surface === "text") this.buttons.querySelector("button")?.focus();
    else this.cells.get(name)?.focus();
  }

  layer(name) {
    return this.layers[name];
  }
}

/** Sets what differs: to set an attribute costs, even to what it is. */
function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

// -- shapes ---------------------------------------------------------------------------------------------------------
function placeShapes(place, surface) {
  if (place.shape === "hex") return [svg("polygon", { class: "hit", points: (place.outline || HEXAGON).map((spot) => spot.join(",")).join(" ") })];
  if (place.shape === "point") return [svg("rect", { class: "hit", x: -0.5, y: -0.5, width: 1, height: 1, rx: 0.5 })];
  if (place.shape === "across" || place.shape === "down") {
    const [x, y] = place.shape === "across" ? [0.5, 0] : [0, 0.5];
    const reach = place.shape === "across" ? [[-0.5, 0], [0, -0.42], [0.5, 0], [0, 0.42]] : [[0, -0.5], [-0.42, 0], [0, 0.5], [0.42, 0]];
    return [
      svg("polygon", { class: "hit", points: reach.map((spot) => spot.join(",")).join(" ") }),
      svg("line", { class: "dash", x1: -x, y1: -y, x2: x, y2: y }),
    ];
  }
  const shapes = [svg("rect", { class: "hit", x: -0.5, y: -0.5, width: 1, height: 1 })];
  if (surface === "rack") shapes.push(svg("circle", { class: "hole", r: 0.42 }));
  return shapes;
}

function pieceShapes(piece, place, colour) {
  if (piece.shape === "stone" || piece.shape === "disc") {
    const r = piece.shape === "stone" ? 0.475 : 0.41;
    return [
      svg("circle", { class: "shadow", cx: 0.025, cy: 0.05, r }),
      svg("circle", { class: "body", r, fill: `url(#shine-${colour})` }),
    ];
  }
  if (piece.shape === "tile") {
    const side = place.shape === "box" ? 0.86 : 0.92;
    return [svg("rect", { class: "body", x: -side / 2, y: -side / 2, width: side, height: side, rx: 0.14, fill: `url(#shine-${colour})` })];
  }
  if (piece.shape === "line") return [edge({ x: 0, y: 0, shape: place.shape }, "body")];
  if (piece.sign === "x") return [svg("path", { class: "stroke", d: "M-.27-.27.27.27M-.27.27.27-.27" })];
  return [svg("circle", { class: "stroke", r: 0.29 })];
}

export function edge(place, name) {
  const [dx, dy] = place.shape === "across" ? [0.5, 0] : [0, 0.5];
  return svg("line", { class: name, x1: place.x - dx, y1: place.y - dy, x2: place.x + dx, y2: place.y + dy });
}

/** An arrow that ends at the middle of its goal. */
export function arrow(here, there, name, width) {
  const length = Math.hypot(there.x - here.x, there.y - here.y) || 1;
  const [ux, uy] = [(there.x - here.x) / length, (there.y - here.y) / length];
  const head = Math.max(0.2, width * 1.8);
  const [ex, ey] = [there.x - ux * head, there.y - uy * head];
  const side = head * 0.75;
  return svg("g", { class: name },
    svg("line", { x1: here.x, y1: here.y, x2: ex, y2: ey, "stroke-width": width }),
    svg("polygon", { points: `${there.x},${there.y} ${ex - uy * side},${ey + ux * side} ${ex + uy * side},${ey - ux * side}` }));
}

const SHINES = ["black", "white", "red", "yellow", "blue", "orange", "green", "purple", "pink", "grey", "brown"];

function gradients() {
  const stops = (name) => [0, 1].map((offset) => svg("stop", { offset, class: `stop-${name}-${offset}` }));
  const shines = SHINES.map((name) =>
    svg("radialGradient", { id: `shine-${name}`, cx: 0.36, cy: 0.3, r: 0.75 }, ...stops(name)));
  const grain = svg("linearGradient", { id: "grain", x1: 0, y1: 0, x2: 0.5, y2: 0.02, spreadMethod: "reflect", gradientUnits: "objectBoundingBox" },
    ...[0, 0.13, 0.22, 0.41, 0.55, 0.68, 0.83, 1].map((offset, index) => svg("stop", { offset, class: `grain-${index % 2}` })));
  return svg("defs", {}, ...shines, grain);
}
