// The value over the game: the first player's chance at each position of the line that is shown, with gaps where nothing is known.

import { eachFrame, el, svg } from "./dom.js";
import { T, percent } from "./strings.js";

const WIDTH = 600, HEIGHT = 120, MARGIN = 8;

/** The first player's chance at a node; null where nothing is known. */
export function firstChance(node) {
  const found = node.analysis;
  if (!found || found.chance === null || found.chance === undefined) return null;
  return found.mover === 1 ? 1 - found.chance : found.chance;
}

export class Graph {
  constructor(root, model, jump) {
    Object.assign(this, { root, model, jump });
    this.picture = svg("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
    this.top = el("span", { class: "graph-end" });
    this.bottom = el("span", { class: "graph-end low" });
    this.none = el("p", { class: "note graph-none" }, T.graphEmpty);
    this.root.append(this.picture, this.top, this.bottom, this.none);
    this.picture.addEventListener("click", (event) => this.click(event));
    const draw = eachFrame(() => this.draw());
    model.on("state game cursor", draw);
    model.on("analysis", (data) => data.task !== "compare" && draw());
  }

  x(index) {
    return MARGIN + ((WIDTH - 2 * MARGIN) * index) / Math.max(1, this.line.length - 1);
  }

  y(chance) {
    return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * chance;
  }

  draw() {
    const { model } = this;
    if (!model.state || !model.game) return;
    this.line = model.line();
    const live = model.analysis[0];
    const chances = this.line.map((node) => {
      if (live && node.id === model.state.node && live.chance !== null) return live.mover === 1 ? 1 - live.chance : live.chance;
      return firstChance(node);
    });
    const known = chances.filter((chance) => chance !== null).length;
    const name = model.game.player_names[0];
    this.picture.setAttribute("aria-label", known ? T.graphLabel(name, known, chances.length) : T.graphEmpty);
    const here = this.line.indexOf(model.node);
    const middle = this.y(0.5);
    const parts = [
      svg("rect", { class: "graph-ground", x: 0, y: 0, width: WIDTH, height: HEIGHT, rx: 6 }),
      svg("line", { class: "graph-middle", x1: 0, x2: WIDTH, y1: middle, y2: middle }),
    ];
    for (const run of runs(chances)) {
      const spots = run.map(([index, chance]) => `${this.x(index).toFixed(1)},${this.y(chance).toFixed(1)}`);
      const [first, last] = [this.x(run[0][0]), this.x(run[run.length - 1][0])];
      parts.push(svg("polygon", { class: "graph-area", points: `${first},${middle} ${spots.join(" ")} ${last},${middle}` }));
      parts.push(svg("polyline", { class: "graph-line", points: spots.join(" ") }));
      if (run.length === 1) parts.push(svg("circle", { class: "graph-dot", cx: first, cy: this.y(run[0][1]), r: 3 }));
    }
    for (const mistake of model.mistakes || []) {
      const index = this.line.findIndex((node) => node.id === mistake.node);
      if (index >= 0) parts.push(svg("line", { class: "graph-mistake", x1: this.x(index), x2: this.x(index), y1: HEIGHT - 14, y2: HEIGHT }));
    }
    if (here >= 0) {
      parts.push(svg("line", { class: "graph-here", x1: this.x(here), x2: this.x(here), y1: 0, y2: HEIGHT }));
      if (chances[here] !== null) parts.push(svg("circle", { class: "graph-point", cx: this.x(here), cy: this.y(chances[here]), r: 4.5 }, svg("title", {}, percent(chances[here]))));
    }
    this.picture.replaceChildren(...parts);
    this.root.classList.toggle("empty", known === 0);
    const { player_names: names, players } = model.game;
    this.top.textContent = players === 1 ? T.best : names[0];
    this.bottom.textContent = players === 1 ? T.worst : names[1];
  }

  click(event) {
    const box = this.picture.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width) * WIDTH;
    const index = Math.round(((share - MARGIN) / (WIDTH - 2 * MARGIN)) * Math.max(1, this.line.length - 1));
    this.jump(this.line[Math.max(0, Math.min(this.line.length - 1, index))].id);
  }
}

/** The stretches of positions whose value is known: lists of [index, chance]. */
export function runs(chances) {
  const found = [];
  let run = [];
  for (const [index, chance] of [...chances.entries(), [chances.length, null]]) {
    if (chance !== null) run.push([index, chance]);
    else if (run.length) {
      found.push(run);
      run = [];
    }
  }
  return found;
}
