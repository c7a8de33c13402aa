// Proofs: solving with its progress, the bounds as an interval, certificates to save, to open and to walk through.

import { byId, download, el, show } from "./dom.js";
import { svg } from "./dom.js";
import { T, longCount, outcomeNumber } from "./strings.js";

export class ProofPanel {
  constructor({ model, send, choice, openFile }) {
    Object.assign(this, { model, send, choice });
    byId("solve").addEventListener("click", () => (this.isSolving ? send("stop") : send("solve", choice())));
    byId("certificate-save").addEventListener("click", () => this.save());
    byId("certificate-open").addEventListener("click", openFile);
    byId("certificate-walk").addEventListener("click", () => this.walk([]));
    byId("certificate-back").addEventListener("click", () => this.back());
    byId("walk-leave").addEventListener("click", () => this.leave());
    byId("certificate-close").addEventListener("click", () => this.close());
    this.calls = 0;
    this.own = []; // the moves of the walk, as far as the person made them: each entry is the line up to there
    model.on("state game analysis progress walk", () => this.update());
  }

  get isSolving() {
    return this.model.state?.running?.task === "solve";
  }

  update() {
    const { state, game, analysis, progress } = this.model;
    if (!state || !game) return;
    byId("solve").textContent = this.isSolving ? T.stop : T.solve;
    const live = analysis[0];
    const found = state.proof;
    const bounds = found || live;
    byId("proof-interval").replaceChildren(...(bounds && bounds.lower !== undefined ? [interval(game, bounds.lower, bounds.upper)] : []));
    let text = "";
    if (this.isSolving) text = progress?.task === "solve" ? progress.text : `${T.solving} ${live?.task === "solve" ? T.playouts(longCount(live.playouts)) : ""}`;
    else if (found) text = found.proven ? T.provenAs(found.text) : found.certificate ? T.partlyProven(found.text) : T.notProven;
    else if (live?.proven) text = T.provenAs(live.proof || T.outcomes[live.outcome]);
    byId("proof-text").textContent = text;
    byId("proof-text").classList.toggle("proven", Boolean(found?.proven || live?.proven));
    show(byId("certificate-save"), Boolean(found?.certificate));
    const opened = state.certificate;
    show(byId("certificate"), Boolean(opened));
    if (opened) byId("certificate-text").textContent = T.certificateOf(opened);
    const walk = this.model.walk;
    show(byId("walk-bar"), Boolean(walk));
    byId("certificate-back").disabled = !this.own.length;
    byId("certificate-walk").textContent = walk ? T.walkStart : T.walk;
    if (!walk) byId("walk").replaceChildren();
  }

  async save() {
    const { name, base64 } = await this.send("certificate");
    download(name, bytesOf(base64), "application/octet-stream");
  }

  /** Goes to the position after these moves of the walk; the certificate's answers are added by the server. */
  async walk(lines) {
    const moves = lines.length ? lines[lines.length - 1] : [];
    const call = (this.calls += 1);
    const found = await this.send("certificate-walk", { moves });
    if (call !== this.calls || !this.model.state.certificate) return; // another step, or the end of the walk, came first
    this.own = lines;
    found.side = this.model.state.certificate.loser ?? 1; // the person's, whose moves are answered
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
  const whole = svg("svg", { class: "interval", viewBox: "0 0 300 34", role: "img", "aria-label": T.bounds(outcomeNumber(lower), outcomeNumber(upper)) });
  whole.append(
    svg("line", { class: "scale", x1: 4, x2: 296, y1: 10, y2: 10 }),
    svg("line", { class: lower === upper ? "range proven" : "range", x1: at(lower) - 0.01, x2: at(upper) + 0.01, y1: 10, y2: 10 }),
    svg("text", { x: 4, y: 30, class: "left" }, outcomeNumber(low)),
    svg("text", { x: 296, y: 30, class: "right" }, outcomeNumber(high)),
  );
  if (lower > low || upper < high) {
    const place = Math.min(260, Math.max(40, (at(lower) + at(upper)) / 2));
    whole.append(svg("text", { x: place, y: 30, class: "middle" }, T.interval(outcomeNumber(lower), outcomeNumber(upper))));
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
