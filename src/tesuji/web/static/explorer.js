// The tree of the last search, node by node: what each child holds, and the terms of the formula that chose among them. And one
// simulation at a time: its path, its playout, what it changed.

import { byId, el, show } from "./dom.js";
import { isProven } from "./overlay.js";
import { T, longCount, outcomeNumber, percent } from "./strings.js";

export class Explorer {
  constructor({ model, send, showDrawing, overlay, choice }) {
    Object.assign(this, { model, send, showDrawing, overlay, choice });
    this.moves = [];
    this.generation = null;
    this.calls = 0; // of answers that overtake each other, the last one asked for is shown
    byId("explore").addEventListener("click", () => this.open([]));
    byId("step").addEventListener("click", () => this.step());
    model.on("state game", () => {
      if (model.state?.generation !== this.generation) this.clear();
    });
  }

  clear() {
    this.generation = null;
    this.moves = [];
    byId("explorer").replaceChildren();
    byId("step-result").replaceChildren();
  }

  async open(moves) {
    const found = await this.ask("tree", { moves });
    if (!found) return;
    this.moves = moves;
    this.draw(found);
    this.showLine(moves);
  }

  /** The answer, unless another position or another answer has come to be shown meanwhile. */
  async ask(command, fields) {
    const call = (this.calls += 1);
    const found = await this.send(command, fields);
    if (call !== this.calls || found.generation !== this.model.state.generation) return null;
    this.generation = found.generation;
    return found;
  }

  /** A line on the board belongs to this panel. */
  showLine(moves) {
    if (!byId("panel-search").hidden) this.overlay.line(moves, this.model.state.to_move ?? 0);
  }

  draw(found) {
    const crumbs = [T.root, ...this.moves].map((text, depth) =>
      el("li", {}, el("button", { type: "button", class: "link", "aria-current": depth === this.moves.length ? "true" : null, onclick: () => this.open(this.moves.slice(0, depth)) }, text)));
    const terms = [...new Set(found.children.flatMap((child) => (child.terms || []).map((term) => term.name)))];
    const node = found.node;
    byId("explorer").replaceChildren(
      el("nav", { class: "crumbs", "aria-label": T.explorer }, el("ol", {}, ...crumbs)),
      el("p", { class: "facts" }, [`${T.columns.visits} ${longCount(node.visits)}`, node.visits ? valueOf(node) : "", T.interval(outcomeNumber(node.lower), outcomeNumber(node.upper))].filter(Boolean).join(" · ")),
      el("p", { class: "note" }, this.pointOfView(node)),
      found.formula && el("p", { class: "formula" }, el("code", {}, found.formula), found.about && el("small", {}, ` ${found.about}`)),
      found.children.length ? this.table(found, terms) : el("p", { class: "note" }, T.few),
    );
  }

  /** Whose chances the values are: of who chooses here. Bounds are outcomes, which are the first player's everywhere. */
  pointOfView(node) {
    const { player_names: names, players } = this.model.game;
    return players === 1 ? T.viewOfPuzzle : T.viewOf(node.to_move === null ? names[0] : names[node.to_move], names[0]);
  }

  table(found, terms) {
    const has = (name) => found.children.some((child) => child[name] !== null && child[name] !== undefined && child[name] !== 0);
    const heads = [T.columns.move, T.columns.visits, T.columns.value, T.worth, T.columns.bounds];
    if (has("prior")) heads.push(T.columns.prior);
    if (has("rave_chance")) heads.push(T.columns.rave);
    heads.push(...terms);
    const rows = found.children.slice(0, 60).map((child) => {
      const numbers = new Map((child.terms || []).map((term) => [term.name, term.value]));
      const marks = [child.proven && T.proven, child.pruned && T.pruned, child.cut && T.cut, child.chosen && T.chosen].filter(Boolean);
      const cells = [
        longCount(child.visits),
        isProven(child) ? `${T.outcomeSigns[child.outcome]} ${T.outcomes[child.outcome]}` : child.visits ? valueOf(child) : T.few,
        child.worth === null ? "" : number(child.worth),
        T.interval(outcomeNumber(child.lower), outcomeNumber(child.upper)),
      ];
      if (has("prior")) cells.push(child.prior === null ? "" : Number(child.prior).toPrecision(3));
      if (has("rave_chance")) cells.push(child.rave === null ? "" : percent(child.rave_chance));
      cells.push(...terms.map((name) => (numbers.has(name) ? number(numbers.get(name)) : "")));
      const open = child.children
        ? el("button", { type: "button", class: "link", onclick: () => this.open([...this.moves, child.move]) }, child.move)
        : el("span", {}, child.move);
      return el("tr", { class: [child.pruned && "pruned", child.cut && "cut", child.chosen && "chosen"].filter(Boolean).join(" ") },
        el("th", { scope: "row" }, open, ...marks.map((mark) => el("span", { class: "badge" }, mark))), ...cells.map((text) => el("td", {}, text)));
    });
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": T.explorer },
      el("table", { class: "explorer" }, el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)))), el("tbody", {}, ...rows)));
  }

  async step() {
    const found = await this.ask("step", this.choice());
    if (!found) return;
    const change = (part) => {
      const value = (side) => (side && side.value !== null && side.value !== undefined ? Number(side.value).toFixed(3) : T.few);
      return el("tr", {},
        el("th", { scope: "row" }, part.move ?? T.root),
        el("td", {}, T.visitsChange(longCount(part.before?.visits ?? 0), longCount(part.after?.visits ?? 0))),
        el("td", {}, T.visitsChange(value(part.before), value(part.after))),
        el("td", {}, T.interval(outcomeNumber(part.after?.lower), outcomeNumber(part.after?.upper))));
    };
    const back = el("button", { type: "button" }, T.showEnd);
    back.addEventListener("click", () => {
      const shown = this.model.override === found.end;
      this.showDrawing(shown ? null : found.end);
      back.textContent = shown ? T.showEnd : T.showNow;
    });
    const line = found.line || found.path.map((part) => part.move).filter(Boolean);
    byId("step-result").replaceChildren(
      el("p", {}, found.text),
      el("p", {}, el("strong", {}, `${T.stepPath}: `), line.join(" ") || T.noPath),
      found.playout?.length ? el("p", { class: "wrap" }, el("strong", {}, `${T.stepPlayout}: `), found.playout.join(" ")) : "",
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": T.stepBackup }, el("table", { class: "explorer" },
        el("thead", {}, el("tr", {}, ...[T.columns.move, T.columns.visits, T.valueOf(this.model.game.player_names[0]), T.columns.bounds].map((text) => el("th", { scope: "col" }, text)))),
        el("tbody", {}, ...found.path.map(change)))),
      found.end ? back : "",
    );
    this.showLine(line);
    show(byId("step-result"), true);
  }
}

/** The mover's chance where it is known, else the first player's value. */
const valueOf = (node) => (node.chance === null || node.chance === undefined ? number(node.value ?? null) : percent(node.chance));

const number = (value) => (value === null ? "" : Math.abs(value) >= 1e6 ? "∞" : Number(value).toFixed(3));
