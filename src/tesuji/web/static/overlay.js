// What a search knows, drawn on the board: circles by visits and value, arrows for moves from one place to another, lines of play,
// ownership. Nothing is drawn for a move with fewer than ten visits, unless its outcome is proven.

import { svg } from "./dom.js";
import { arrow } from "./board.js";
import { T, percent, shortCount } from "./strings.js";

export const LEAST_VISITS = 10;
export const LEAST_PRIOR = 0.005; // of a network's moves
const MOST_ARROWS = 6;
const FAINT = Math.sqrt(0.005); // moves with fewer of the best one's visits are tried now and then, and say little
const MOST_COMPARED = 12; // moves of each player
const LOSSES = [0.02, 0.05, 0.15]; // the steps of colours and signs, after the best move itself
const SHARES = [0.5, 0.2, 0.05]; // the same steps for a network's moves: of the best one's probability
const SIGNS = ["best", "good", "fair", "weak", "bad"];

/** How much worse than the move that the search would play another one is: a step from 1 to 4, and 0 for that move itself. */
export function lossStep(move, analysis) {
  if (move.move === analysis.best) return 0;
  const loss = bestChance(analysis) - move.chance;
  const step = LOSSES.findIndex((limit) => loss <= limit);
  return 1 + (step < 0 ? LOSSES.length : step);
}

/** The same for what a network says: how likely a move is beside the likeliest. */
function priorStep(move, said) {
  if (move.move === said.best) return 0;
  const step = SHARES.findIndex((share) => move.prior >= share * said.moves[0].prior);
  return 1 + (step < 0 ? SHARES.length : step);
}

export const lossSign = (move, analysis) => T.signs[SIGNS[lossStep(move, analysis)]];

/** The chance with the move that the search would play. Another one may look better as long as it has few visits. */
export function bestChance(analysis) {
  return analysis.moves.find((move) => move.move === analysis.best)?.chance ?? analysis.chance;
}

export function isProven(move) {
  return move.outcome && move.outcome !== "unknown";
}

export const isShown = (move) => move.chance !== null && (move.visits >= LEAST_VISITS || isProven(move));

/** The text of a move: the sign of a proven outcome, else an estimate. */
export function valueText(move, best, kind) {
  if (isProven(move)) return T.outcomeSigns[move.outcome];
  if (kind === "loss") return signedLoss(100 * (move.chance - best));
  return percent(move.chance, 0).replace("%", "");
}

function signedLoss(difference) {
  const text = Math.abs(difference).toFixed(1);
  return text === "0.0" ? "0" : difference > 0 ? `+${text}` : `−${text}`;
}

export class Overlay {
  constructor(board) {
    this.board = board;
    this.kind = "value";
  }

  clear() {
    this.board.layer("overlay")?.replaceChildren();
  }

  /** `second`: another player's analysis of the same position, to compare the two. What a network says is drawn as an analysis is. */
  draw(analysis, second = null) {
    const layer = this.board.layer("overlay");
    if (!layer) return;
    const drawn = !analysis || this.kind === "none" ? [] : second ? this.both(analysis, second) : this.one(analysis);
    layer.replaceChildren(...(analysis?.task === "hint" ? this.withHint(analysis, drawn) : drawn));
  }

  /** A hint always shows its move, also where the overlay is about numbers that there are not. */
  withHint(analysis, drawn) {
    if (drawn.some((element) => element.dataset.move === analysis.best)) return drawn;
    const { kind } = this;
    this.kind = "value";
    const found = this.moves(analysis);
    this.kind = kind;
    return found;
  }

  one(analysis) {
    return this.kind === "ownership" ? this.ownership(analysis) : this.moves(analysis);
  }

  // -- two players ---------------------------------------------------------------------------------------------------
  /** Each move that one of them shows as a disc of two halves: the first player's number at the left, the second's at the right. */
  both(...analyses) {
    const spots = new Map(this.board.now.moves.map((move) => [move.text, move.at]));
    const found = new Map();
    for (const [side, analysis] of analyses.entries()) {
      for (const move of analysis.moves.filter((one) => isShown(one) && spots.get(one.move)?.length).slice(0, MOST_COMPARED)) {
        if (!found.has(move.move)) found.set(move.move, [null, null]);
        found.get(move.move)[side] = move;
      }
    }
    const ways = analyses.map((analysis) => (this.board.about.input === "from-to" ? this.bestWay(analysis, spots) : null));
    const discs = [...found].reverse().map(([text, pair]) => {
      const at = spots.get(text);
      const { x, y, shape } = this.board.places.get(at[at.length - 1]);
      const r = shape === "across" || shape === "down" ? 0.27 : 0.45;
      return svg("g", { class: "compared", "data-move": text, transform: `translate(${x} ${y}) scale(${r})` },
        svg("g", { class: "upright" }, ...pair.map((move, side) => move && this.half(move, side, analyses[side]))));
    });
    return [...ways.filter(Boolean), ...discs];
  }

  bestWay(analysis, spots) {
    const move = analysis.moves.find((one) => one.move === analysis.best && spots.get(one.move)?.length > 1);
    return move ? this.wayOf(move, spots.get(move.move).map((name) => this.board.places.get(name)), 0.5, analysis) : null;
  }

  half(move, side, analysis) {
    const text = valueText(move, bestChance(analysis), this.kind);
    return svg("g", { class: this.classes(move, analysis) },
      svg("path", { d: side === 0 ? "M0,-1A1,1 0 0 0 0,1Z" : "M0,-1A1,1 0 0 1 0,1Z" }),
      svg("text", { class: text.length > 2 ? "value long" : "value", x: side === 0 ? -0.46 : 0.46, y: 0.22 }, text));
  }

  // -- one player ----------------------------------------------------------------------------------------------------

  /** Each shown move, the least important first, so that the best is on top. */
  moves(analysis) {
    const spots = new Map(this.board.now.moves.map((move) => [move.text, move.at]));
    const pairs = this.board.about.input === "from-to";
    const isHint = (move) => analysis.task === "hint" && analysis.final && move.move === analysis.best; // whatever its visits
    let shown = analysis.moves.filter((move) => (this.shows(move) || isHint(move)) && spots.get(move.move)?.length && this.number(move) !== null);
    if (pairs) shown = shown.slice(0, MOST_ARROWS);
    const most = Math.max(1, ...shown.map((move) => this.size(move)));
    const best = bestChance(analysis);
    const drawn = shown.reverse().map((move) => {
      const places = spots.get(move.move).map((name) => this.board.places.get(name));
      const share = Math.sqrt(this.size(move) / most);
      const label = this.circleOf(move, pairs ? places[places.length - 1] : places[0], pairs ? 0 : share, best, analysis);
      return { way: pairs && this.wayOf(move, places, share, analysis), label };
    });
    return [...drawn.map(({ way }) => way).filter(Boolean), ...drawn.map(({ label }) => label)]; // no arrow hides a number
  }

  shows(move) {
    return this.kind === "network" ? move.prior >= LEAST_PRIOR : isShown(move);
  }

  /** The number that this overlay is about; null where the player has none. */
  number(move) {
    if (this.kind === "prior" || this.kind === "network") return move.prior ?? null;
    if (this.kind === "rave") return move.rave_chance ?? null;
    return move.chance;
  }

  size(move) {
    return this.kind === "prior" || this.kind === "network" ? move.prior : move.visits;
  }

  texts(move, best) {
    if (this.kind === "prior") return [move.prior < 1 ? move.prior.toPrecision(2).replace(/^0/, "") : shortCount(move.prior), ""];
    if (this.kind === "network") return [percent(move.prior, 0).replace("%", ""), ""];
    if (this.kind === "rave") return [percent(move.rave_chance, 0).replace("%", ""), shortCount(move.visits)];
    return [valueText(move, best, this.kind), isProven(move) ? T.outcomes[move.outcome] : shortCount(move.visits)];
  }

  classes(move, analysis) {
    const proven = isProven(move) ? ` proven ${move.outcome}` : "";
    const first = move.move === analysis.best ? " best" : "";
    const step = this.kind === "network" ? priorStep(move, analysis) : lossStep(move, analysis);
    return `heat heat-${step}${proven}${first}`;
  }

  circleOf(move, { name, x, y, shape }, share, best, analysis) {
    const flat = shape === "across" || shape === "down";
    const faint = !flat && share > 0 && share < FAINT && !isProven(move);
    const cramped = this.board.isCramped;
    const [least, more] = flat ? [0.19, 0.08] : faint ? [cramped || this.board.pieces.has(name) ? 0.32 : 0.22, 0.1] : cramped ? [0.38, 0.09] : [0.31, 0.13];
    const r = least + more * share;
    const [first, visits] = this.texts(move, best);
    const second = flat || faint || cramped ? "" : visits; // no room for two lines
    const scale = flat ? 0.68 : faint ? (cramped ? 1.2 : 0.75) : cramped ? 1.45 : 1;
    const low = faint ? ` faint${this.board.pieces.has(name) ? " covers" : ""}` : "";
    return svg("g", { class: this.classes(move, analysis) + low, "data-move": move.move, transform: `translate(${x} ${y})` },
      svg("g", { class: "upright" },
        svg("circle", { r }),
        isProven(move) && svg("circle", { class: "ring", r: r + 0.04 }),
        svg("text", { class: first.length > 4 ? "value long" : "value", y: (second ? 0.03 : 0.1) * scale, transform: `scale(${scale})` }, first),
        second && svg("text", { class: "visits", y: 0.24, transform: `scale(${scale})` }, second)));
  }

  wayOf(move, [here, there], share, analysis) {
    return svg("g", { class: this.classes(move, analysis) }, arrow(here, there, "way", 0.06 + 0.12 * share));
  }

  ownership(analysis) {
    if (!analysis.ownership) return [];
    return Object.entries(analysis.ownership).map(([name, value]) => {
      const place = this.board.places.get(name);
      const side = 0.55 * Math.sqrt(Math.abs(value));
      const colour = this.board.about.players[value > 0 ? 0 : 1].colour;
      return place && Math.abs(value) > 0.1
        ? svg("rect", { class: `owner colour-${colour}`, x: place.x - side / 2, y: place.y - side / 2, width: side, height: side, rx: 0.05 })
        : null;
    }).filter(Boolean);
  }

  // -- a line of play ------------------------------------------------------------------------------------------------
  /** The moves of a line with their numbers, as far as their places can be told. */
  line(texts, firstMover, limit = 12) {
    const layer = this.board.layer("line");
    if (!layer) return;
    const drawn = [];
    const taken = new Set([...(this.board.pieces?.keys() || [])]);
    let mover = firstMover;
    for (const [index, text] of (texts || []).slice(0, limit).entries()) {
      const places = this.placesOf(text, taken);
      const own = this.board.about.players[mover]?.colour || this.board.about.players[0].colour;
      const colour = places[0]?.shape === "across" || places[0]?.shape === "down" ? "grey" : own; // who closes a box moves again
      if (places.length) {
        const end = places[places.length - 1];
        if (places.length > 1 && this.board.about.input === "from-to") drawn.push(arrow(places[0], end, "line-arrow", 0.07));
        taken.add(end.name);
        drawn.push(svg("g", { class: `line-move colour-${colour}`, transform: `translate(${end.x} ${end.y})` },
          svg("circle", { r: 0.4, fill: `url(#shine-${colour})` }), svg("text", { class: "sign", y: 0.15 }, String(index + 1))));
      }
      if (this.board.about.players.length > 1) mover = 1 - mover;
    }
    layer.replaceChildren(...drawn);
    this.board.root.classList.toggle("shows-line", drawn.length > 0);
  }

  /** Where a move of a line happens: as a legal move says, else at the places that its text names. A move whose place is taken by
      then goes to the next free place of its area: so a second disc in a column comes to lie on the first. */
  placesOf(text, taken) {
    const move = this.board.now.moves.find((one) => one.text === text);
    if (move && !taken.has(move.at[move.at.length - 1])) return move.at.map((name) => this.board.places.get(name));
    if (move?.area) {
      const from = move.area.indexOf(move.at[0]);
      const free = move.area.slice(from).find((name) => !taken.has(name));
      return free ? [this.board.places.get(free)] : [];
    }
    if (this.board.places.has(text)) return [this.board.places.get(text)];
    return text.split(/[^A-Za-z0-9]|x/).map((part) => this.board.places.get(part)).filter(Boolean);
  }
}
