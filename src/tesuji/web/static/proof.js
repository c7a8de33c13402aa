// Proofs: solving with its progress, the bounds as an interval, certificates to save, to open and to walk through.

import { byId, download, el, show } from "./dom.js";
import { svg } from "./dom.js";
import { T, longCount, outcomeText } from "./strings.js";

export class ProofPanel {
  constructor({ model, send, choice, openFile }) {
    Object.assign(this, { model, send, choice });
    byId("solve").addEventListener("click", () => (this.isSolving ? send("stop") : send("solve", choice())));
    byId("certificate-save").addEventListener("click", () => this.save());
    byId("certificate-open").addEventListener("click", openFile);
    byId("proof-walk").addEventListener("click", () => this.walkProof());
    byId("certificate-back").addEventListener("click", () => this.back());
    byId("walk-leave").addEventListener("click", () => this.leave());
    byId("certificate-close").addEventListener("click", () => this.close());
    this.calls = 0;
    this.side = null; // whom the person plays in the walk; null where only one of the players can lose
    this.own = []; // the moves of the walk, as far as the person made them: each entry is the line up to there
    model.on("state game analysis progress walk", () => this.update());
  }

  get isSolving() {
    return this.model.state?.running?.task === "solve";
  }

  update() {
    const { state, game, analysis } = this.model;
    if (!state || !game) return;
    byId("solve").textContent = this.isSolving ? T.stop : T.solve;
    const live = analysis[0];
    const found = state.proof;
    const bounds = found || live;
    byId("proof-interval").replaceChildren(...(bounds && bounds.lower !== undefined ? [interval(game, bounds.lower, bounds.upper)] : []));
    let text = "";
    if (this.isSolving) text = this.soFar(live);
    else if (found) text = found.proven ? T.provenAs(found.text) : found.certificate ? T.partlyProven(found.text) : T.notProven;
    else if (live?.proven) text = T.provenAs(live.proof || T.outcomes[live.outcome]);
    byId("proof-text").textContent = text;
    byId("proof-text").classList.toggle("proven", Boolean(found?.proven || live?.proven));
    for (const id of ["certificate-save", "proof-walk"]) show(byId(id), Boolean(found?.certificate));
    show(byId("proof-walk"), Boolean(found?.certificate) && !state.setup && !state.certificate);
    const opened = state.certificate;
    show(byId("certificate"), Boolean(opened));
    if (opened) byId("certificate-text").textContent = T.certificateOf(opened);
    const walk = this.model.walk;
    show(byId("walk-bar"), Boolean(walk));
    byId("certificate-back").disabled = !this.own.length;
    if (opened) this.offerWalks(opened, game);
    if (!walk) byId("walk").replaceChildren();
  }

  /** What a search for a proof has done: its playouts, how long it has run, and the bounds so far. */
  soFar(live) {
    if (live?.task !== "solve") return T.solving;
    return T.solvingSoFar(longCount(live.playouts), Math.round(live.seconds), T.bounds(outcomeText(live.lower, this.model.game), outcomeText(live.upper, this.model.game)));
  }

  async save() {
    const { name, base64 } = await this.send("certificate");
    download(name, bytesOf(base64), "application/octet-stream");
  }

  /** A button for each player against whom something is proven: of a draw there are two halves. */
  offerWalks(opened, game) {
    const sides = opened.walkers?.length > 1 ? opened.walkers : [null];
    const key = `${game.name} ${sides} ${Boolean(this.model.walk)}`;
    const box = byId("certificate-walk");
    if (box.dataset.offers === key) return;
    box.dataset.offers = key;
    const name = (side) => (side === null ? (this.model.walk ? T.walkStart : T.walk) : T.walkAs(game.player_names[side]));
    box.replaceChildren(...sides.map((side) => el("button", { type: "button", class: "primary", onclick: () => this.begin(side) }, name(side))));
  }

  begin(side) {
    this.side = side;
    return this.walk([]);
  }

  /** Walks the proof that was just found: it is made into a certificate and checked, and the game stays as it is. */
  async walkProof() {
    const { certificate } = await this.send("proof-open");
    return this.begin(certificate.walkers?.length > 1 ? certificate.walkers[0] : null);
  }

  /** Goes to the position after these moves of the walk; the certificate's answers are added by the server. */
  async walk(lines) {
    const moves = lines.length ? lines[lines.length - 1] : [];
    const call = (this.calls += 1);
    const found = await this.send("certificate-walk", this.side === null ? { moves } : { moves, side: this.side });
    if (call !== this.calls || !this.model.state.certificate) return; // another step, or the end of the walk, came first
    this.own = lines;
    found.side = this.side ?? this.model.state.certificate.loser ?? 1; // the person's, whose moves are answered
    this.reached = found.moves;
    this.model.walk = found;
    const side = this.model.game.player_names[found.to_move ?? 0];
    byId("walk").replaceChildren(
      el("p", {}, el("strong", {}, found.claim || "")),
      el("p", { class: "wrap" }, (found.moves || []).join(" ") || T.root),
      el("p", {}, found.why || ""),
    );
    byId("walk-text").textContent = [T.walking, found.phase === "yours" ? T.walkYours(side) : T.walkEnd].join(" ");
    this.model.tell("walk", found);
  }

  play(text) {
    return this.walk([...this.own, [...this.reached, text]]);
  }

  /** Takes the last move of the person back, and its answer. */
  back() {
    return this.own.length ? this.walk(this.own.slice(0, -1)) : null;
  }

  /** Shows the game again; the certificate stays open. */
  leave() {
    this.calls += 1; // a step that is on its way is not shown any more
    this.own = [];
    this.model.walk = null;
    this.model.tell("walk", null);
  }

  async close() {
    this.leave();
    await this.send("certificate-close");
  }
}

/** The bounds on a scale of all outcomes. */
function interval(game, lower, upper) {
  const [low, high] = game.outcomes;
  const at = (value) => 4 + (292 * (value - low)) / (high - low || 1);
  const whole = svg("svg", { class: "interval", viewBox: "0 0 300 50", role: "img", "aria-label": T.bounds(outcomeText(lower, game), outcomeText(upper, game)) });
  whole.append(
    svg("line", { class: "scale", x1: 4, x2: 296, y1: 10, y2: 10 }),
    svg("line", { class: lower === upper ? "range proven" : "range", x1: at(lower) - 0.01, x2: at(upper) + 0.01, y1: 10, y2: 10 }),
    svg("text", { x: 4, y: 30, class: "left" }, outcomeText(low, game)),
    svg("text", { x: 296, y: 30, class: "right" }, outcomeText(high, game)),
  );
  if (lower > low || upper < high) {
    // On a line of its own, below the words of the ends.
    const place = Math.min(240, Math.max(60, (at(lower) + at(upper)) / 2));
    whole.append(svg("text", { x: place, y: 46, class: "middle" }, T.interval(outcomeText(lower, game), outcomeText(upper, game))));
  }
  return whole;
}

export function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

export function base64Of(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
