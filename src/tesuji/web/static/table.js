// The moves of a search as a table, best first. Each row can have the keyboard, and then its line is shown on the board.

import { el } from "./dom.js";
import { isProven, isShown, lossSign, lossStep } from "./overlay.js";
import { T, longCount, outcomeText, percent } from "./strings.js";

const MOST_ROWS = 24;

export class MoveTable {
  /** `look(move)` is called with the entry that is pointed at, or null; `play(text)` when a row is chosen. */
  constructor(root, { look, play }) {
    Object.assign(this, { root, look, play });
    this.body = el("tbody");
    this.head = el("thead");
    this.table = el("table", { class: "moves", "aria-label": T.table }, this.head, this.body);
    root.append(this.table);
    this.rows = new Map();
    this.body.addEventListener("pointerover", (event) => this.look(this.entryOf(event)));
    this.body.addEventListener("pointerleave", () => this.look(null));
    this.body.addEventListener("focusin", (event) => this.look(this.entryOf(event)));
    this.body.addEventListener("focusout", () => this.look(null));
    this.body.addEventListener("click", (event) => event.target.closest("button") && this.play(this.entryOf(event).move));
    this.body.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const buttons = [...this.body.querySelectorAll("button")];
      buttons[buttons.indexOf(document.activeElement) + step]?.focus();
      event.preventDefault();
      event.stopPropagation();
    });
  }

  entryOf(event) {
    const row = event.target.closest("tr");
    return row ? this.analysis.moves[Number(row.dataset.index)] || null : null;
  }

  clear() {
    this.table.hidden = true;
  }

  /** Rows are kept and refilled: ten updates a second must not take the focus away. */
  update(analysis) {
    this.analysis = analysis;
    this.table.hidden = false;
    const columns = ["sign", "move", "visits", "value"];
    const entries = analysis.moves.slice(0, MOST_ROWS);
    if (entries.some((move) => narrows(move, analysis))) columns.push("bounds");
    if (entries.some((move) => move.prior !== null && move.prior !== undefined && move.prior !== 0)) columns.push("prior");
    if (entries.some((move) => move.rave_chance !== null && move.rave_chance !== undefined)) columns.push("rave");
    columns.push("line");
    if (columns.join() !== this.columns) {
      this.columns = columns.join();
      this.head.replaceChildren(el("tr", {}, ...columns.map((name) =>
        name === "sign" ? el("td", { class: "col-sign" }) : el("th", { scope: "col", class: `col-${name}` }, T.columns[name]))));
      this.body.replaceChildren();
    }
    while (this.body.rows.length > entries.length) this.body.lastChild.remove();
    for (const [index, move] of entries.entries()) this.fill(this.row(index, columns), move, columns);
  }

  row(index, columns) {
    if (this.body.rows[index]) return this.body.rows[index];
    const cells = columns.map((name) => el("td", { class: `col-${name}` }, name === "move" ? el("button", { type: "button" }) : ""));
    const row = el("tr", { "data-index": index }, ...cells);
    this.body.append(row);
    return row;
  }

  fill(row, move, columns) {
    const known = isShown(move);
    row.className = known ? `heat-${lossStep(move, this.analysis)}${isProven(move) ? ` proven ${move.outcome}` : ""}` : "few";
    for (const [place, name] of columns.entries()) {
      const cell = row.cells[place];
      if (name === "move") setText(cell.firstChild, T.moveNames[move.move] || move.move);
      else setText(cell, this.text(name, move, known));
      if (name === "sign") cell.title = known ? lossSign(move, this.analysis)[1] : "";
    }
  }

  text(name, move, known) {
    if (name === "sign") return known ? lossSign(move, this.analysis)[0] : "";
    if (name === "visits") return longCount(move.visits);
    if (name === "value") return isProven(move) ? `${T.outcomeSigns[move.outcome]} ${T.outcomes[move.outcome]}` : known ? percent(move.chance) : T.few;
    if (name === "bounds") return narrows(move, this.analysis) ? T.interval(outcomeText(move.lower, this.analysis.game), outcomeText(move.upper, this.analysis.game)) : "";
    if (name === "prior") return move.prior ? Number(move.prior).toPrecision(2) : "";
    if (name === "rave") return percent(move.rave_chance, 0);
    return (move.pv || []).slice(1, 9).join(" ");
  }
}

/** Whether the bounds of a move say more than the range of the game's outcomes. */
function narrows(move, analysis) {
  const [low, high] = analysis.range || [-Infinity, Infinity];
  return move.lower > low || move.upper < high;
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
