// The game tree: a column a move, a row a variation. Only what is in sight is drawn, so thousands of nodes stay fluent.

import { eachFrame, svg } from "./dom.js";
import { T } from "./strings.js";

const STEP = 28, RADIUS = 9.5, MARGIN = 18;

/** A column and a row for every node: the first child goes on in its parent's row, each further one begins the next free row. */
export function layout(nodes, root) {
  const spots = new Map();
  const reach = []; // how far each row is occupied to the right, from which column on
  const free = (row, from) => reach[row] === undefined || reach[row] > from;
  const waiting = [[root, 0, 0]];
  let columns = 0;
  // Last lines first would need two passes; instead each line is laid out whole, and its branches wait on a stack.
  while (waiting.length) {
    let [id, column, wanted] = waiting.pop();
    const line = [];
    for (let node = nodes.get(id); node; node = nodes.get(node.children[0])) line.push(node);
    let row = wanted;
    while (!free(row, column + line.length)) row += 1;
    reach[row] = Math.max(0, column - 1);
    for (const [index, node] of line.entries()) spots.set(node.id, [column + index, row]);
    columns = Math.max(columns, column + line.length);
    for (const [index, node] of line.entries()) {
      for (const child of node.children.slice(1).reverse()) waiting.push([child, column + index + 1, row + 1]);
    }
    // Branches near the end of the line come off the stack first and take the rows next to it.
  }
  return { spots, columns, rows: reach.length };
}

export class Tree {
  constructor(root, model, jump) {
    Object.assign(this, { root, model, jump });
    this.picture = svg("svg", { class: "tree", role: "img", "aria-label": T.treeLabel });
    root.append(this.picture);
    root.setAttribute("tabindex", "0");
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", T.treeLabel);
    this.draw = eachFrame(() => this.drawInSight());
    root.addEventListener("scroll", this.draw, { passive: true });
    new ResizeObserver(this.draw).observe(root);
    this.picture.addEventListener("click", (event) => {
      const id = event.target.closest("[data-node]")?.dataset.node;
      if (id !== undefined) this.jump(Number(id));
    });
    const update = eachFrame(() => this.update());
    model.on("state game cursor", update);
  }

  update() {
    const { model } = this;
    if (!model.state || !model.nodes.size) return;
    const shape = [...model.nodes.values()].map((node) => `${node.id}:${node.children}`).join(" ");
    if (shape !== this.shape) {
      this.shape = shape;
      this.laid = layout(model.nodes, model.state.tree.root ?? 0);
      this.picture.setAttribute("width", this.laid.columns * STEP + 2 * MARGIN);
      this.picture.setAttribute("height", this.laid.rows * STEP + MARGIN);
    }
    this.bringIntoSight();
    this.drawInSight();
  }

  at(id) {
    const [column, row] = this.laid.spots.get(id);
    return [column * STEP + MARGIN, row * STEP + MARGIN];
  }

  bringIntoSight() {
    const { node } = this.model;
    if (!node || !this.laid.spots.has(node.id)) return;
    const [x, y] = this.at(node.id);
    const { root } = this;
    if (x < root.scrollLeft + STEP || x > root.scrollLeft + root.clientWidth - 2 * STEP) root.scrollLeft = x - root.clientWidth / 2;
    if (y < root.scrollTop + STEP || y > root.scrollTop + root.clientHeight - STEP) root.scrollTop = y - root.clientHeight / 2;
  }

  drawInSight() {
    if (!this.laid) return;
    const { root, model } = this;
    const [left, top] = [root.scrollLeft - STEP, root.scrollTop - STEP];
    const [right, bottom] = [left + root.clientWidth + 2 * STEP, top + root.clientHeight + 2 * STEP];
    const onLine = new Set(model.line().map((node) => node.id));
    const lines = [], dots = [];
    for (const node of model.nodes.values()) {
      if (!this.laid.spots.has(node.id)) continue;
      const [x, y] = this.at(node.id);
      const parent = this.laid.spots.has(node.parent) ? this.at(node.parent) : null;
      const passes = parent && parent[0] <= right && x >= left && parent[1] <= bottom && y >= top;
      if (passes) {
        const d = y === parent[1] ? `M${parent}H${x}` : `M${parent}V${Math.max(parent[1], y - STEP / 2)}L${parent[0] + STEP / 2},${y}H${x}`;
        lines.push(svg("path", { class: onLine.has(node.id) ? "branch on" : "branch", d }));
      }
      if (x < left || x > right || y < top || y > bottom) continue;
      dots.push(this.dot(node, x, y));
    }
    this.picture.replaceChildren(...lines, ...dots);
  }

  dot(node, x, y) {
    const here = node.id === this.model.node?.id;
    const colour = node.mover === null ? "none" : this.model.game.board.players[node.mover]?.colour || "grey";
    const loss = node.analysis?.loss;
    const label = node.move === null ? T.root : `${node.ply}. ${node.move}${node.comment ? `: ${node.comment}` : ""}`;
    return svg("g", { class: `node${here ? " here" : ""}${node.comment ? " commented" : ""}`, "data-node": node.id, transform: `translate(${x} ${y})` },
      svg("title", {}, label),
      here && svg("circle", { class: "halo", r: RADIUS + 3.5 }),
      svg("circle", { class: `node-dot colour-${colour}`, r: node.move === null ? 5 : RADIUS }),
      node.move !== null && svg("text", { class: `node-number colour-${colour}`, y: 3.2 }, String(node.ply)),
      loss > 0.05 && svg("circle", { class: loss > 0.15 ? "node-loss bad" : "node-loss", cx: 8, cy: -8, r: 4 }),
      node.comment && svg("circle", { class: "node-comment", cx: -8, cy: -8, r: 3 }));
  }
}

/** The node that a key leads to: along the line, or to the variation above or below; null where there is none. */
export function nodeBeside(model, key) {
  const node = model.node;
  if (!node) return null;
  const siblings = node.parent === null ? [] : model.nodes.get(node.parent).children;
  const place = siblings.indexOf(node.id);
  const ends = () => model.line();
  if (key === "previous") return node.parent;
  if (key === "next") return node.children[0] ?? null;
  if (key === "up") return siblings[place - 1] ?? null;
  if (key === "down") return siblings[place + 1] ?? null;
  if (key === "first") return ends()[0].id;
  return ends()[ends().length - 1].id;
}
