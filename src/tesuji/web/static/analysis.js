// The panel of the analysis: on and off, by whom, which overlay, the table of moves, and two players side by side.

import { PlayerChooser } from "./chooser.js";
import { byId, el, show } from "./dom.js";
import { LEAST_PRIOR, Overlay } from "./overlay.js";
import { MoveTable, setText } from "./table.js";
import { T, longCount, outcomeNumber, percent, scoreText } from "./strings.js";

export class AnalysisPanel {
  constructor({ model, board, send, parameters, prefs }) {
    Object.assign(this, { model, board, send, prefs });
    this.overlay = new Overlay(board);
    board.resized = () => this.update();
    const ask = (choice) => parameters.ask(choice);
    this.chooser = new PlayerChooser(byId("analysis-player"), byId("analysis-parameters"), ask, () => this.model.state.analysis_on && this.analyse(true));
    this.compared = [0, 1].map((slot) => new PlayerChooser(byId(`compare-${slot}`), byId(`compare-parameters-${slot}`), ask));
    this.looked = null;
    const look = (move) => this.look(move);
    const play = (text) => send("move", { move: text });
    this.tables = [0, 1].map((slot) => new MoveTable(byId(`moves-${slot}`), { look, play }));
    this.controls();
    model.on("analysis", () => this.update());
    model.on("progress", ({ task }) => task === "compile" && this.update());
    model.on("game", () => this.offerOverlays());
    model.on("state", () => this.askNetwork().catch(() => {}));
    model.on("state game drawing", () => this.update());
  }

  controls() {
    byId("analyse").addEventListener("click", () => this.toggle());
    const kinds = byId("overlay-kind");
    kinds.addEventListener("change", () => this.setOverlay(kinds.value));
    const palettes = byId("palette");
    palettes.append(...Object.entries(T.palettes).map(([value, text]) => el("option", { value }, text)));
    palettes.value = this.prefs.get("palette");
    palettes.addEventListener("change", () => this.prefs.set("palette", palettes.value));
    this.offerOverlays();
    byId("compare-unit").append(...Object.entries(T.compareUnits).map(([value, text]) => el("option", { value }, text)));
    byId("compare-unit").addEventListener("change", () => (byId("compare-amount").value = byId("compare-unit").value === "playouts" ? 1000 : 10));
    byId("compare-run").addEventListener("click", () => this.compare());
  }

  get choice() {
    return this.chooser.choice;
  }

  /** The players that can analyse this game, in the three lists that choose one. An analysis that goes on keeps its player. */
  async offerPlayers() {
    const { name } = this.model.game;
    if (name === this.offered) return; // after a lost connection: what was chosen stays
    const { players } = await this.send("players", { game: name });
    if (this.model.game.name !== name) return;
    this.offered = name;
    const able = players.filter((player) => !player.alphabeta);
    const usual = { player: null, parameters: {} };
    const { player, parameters } = this.model.state?.analysis_on || usual;
    this.chooser.offer(able, { player, parameters });
    this.compared[0].offer(able, usual);
    this.compared[1].offer(able, { player: able.find((one) => !one.analyses)?.name ?? null, parameters: {} });
  }

  /** The overlays of this game. One that was chosen before and is not among them comes back with the next game that has it. */
  offerOverlays() {
    const has = { ownership: Boolean(this.model.game?.ownership), network: Boolean(this.model.game?.network) };
    const chosen = this.prefs.get("overlay");
    this.kinds = Object.keys(T.overlays).filter((kind) => has[kind] ?? true);
    byId("overlay-kind").replaceChildren(...this.kinds.map((value) => el("option", { value }, T.overlays[value])));
    this.use(this.kinds.includes(chosen) ? chosen : "value");
  }

  use(kind) {
    this.overlay.kind = kind;
    byId("overlay-kind").value = kind;
    const signs = kind === "network" ? T.networkSigns : T.signs;
    byId("legend").replaceChildren(...Object.values(signs).map(([sign, text], step) =>
      el("li", { class: `heat-${step}` }, el("span", { class: "swatch" }, sign), ` ${text}`)));
  }

  /** What the network says of the position is asked for only while it is shown. An answer for another position is dropped. */
  async askNetwork() {
    const { model } = this;
    const { generation, to_move: mover } = model.state;
    if (this.overlay.kind !== "network" || mover === null || model.network || this.asking === generation) return;
    this.asking = generation;
    try {
      const said = await this.send("network");
      if (said.generation !== model.state.generation || !said.moves.length) return;
      model.network = said;
      this.update();
    } finally {
      if (this.asking === generation) this.asking = null;
    }
  }

  /** Ownership takes playouts of its own, so it is asked for only while it is shown. */
  analyse(on) {
    const places = this.region?.places || [];
    return this.send("analyse", { on, ...this.choice, ...(places.length ? { region: places } : {}), ...(this.overlay.kind === "ownership" ? { ownership: true } : {}) });
  }

  toggle() {
    return this.analyse(!this.model.state.analysis_on);
  }

  /** Both players get the same, seconds or playouts, and it is said what. */
  compare() {
    const unit = byId("compare-unit").value;
    const amount = Math.max(unit === "playouts" ? 1 : 0.1, Number(byId("compare-amount").value) || 10);
    const given = unit === "playouts" ? Math.round(amount) : amount;
    this.given = T.compareGiven[unit](longCount(given), given);
    return this.send("compare", { players: this.compared.map((chooser) => chooser.choice), [unit]: given });
  }

  setOverlay(kind) {
    const asks = (kind === "ownership") !== (this.overlay.kind === "ownership");
    this.use(kind);
    if (asks && this.model.state?.analysis_on) this.analyse(true);
    this.prefs.set("overlay", kind);
    if (this.model.state) this.askNetwork().catch(() => {});
    this.update();
  }

  nextOverlay() {
    this.setOverlay(this.kinds[(this.kinds.indexOf(this.overlay.kind) + 1) % this.kinds.length]);
    return T.overlays[this.overlay.kind];
  }

  /** Shows the line of a move, or of none. */
  look(move, from = null) {
    this.looked = move;
    this.overlay.line(move ? move.pv : [], this.model.state?.to_move ?? 0);
    if (move && from === "keys") return `${T.pv}: ${move.pv.join(" ")}`;
    return "";
  }

  /** The line of the move under the pointer, if the search has one. */
  lookAt(text) {
    const entry = text && this.model.analysis[0]?.moves.find((move) => move.move === text && move.visits > 0);
    if (entry || this.looked) this.look(entry || null);
  }

  /** The next move's line, for the keyboard. */
  nextLine() {
    const moves = (this.model.analysis[0]?.moves || []).filter((move) => move.pv?.length);
    if (!moves.length) return this.waiting;
    const index = this.looked ? moves.findIndex((move) => move.move === this.looked.move) + 1 : 0;
    return this.look(index < moves.length ? moves[index] : null, "keys");
  }

  /** Why there is no analysis. */
  get waiting() {
    if (!this.model.state?.analysis_on) return T.nothingYet;
    return this.model.compiles ? T.analysisComes : T.analysisBegins;
  }

  update() {
    const { model } = this;
    if (!model.state || !model.game) return;
    const on = Boolean(model.state.analysis_on);
    byId("analyse").setAttribute("aria-pressed", String(on));
    setText(byId("analyse"), on ? T.stop : T.analyse);
    const [first, second] = model.analysis;
    const hidden = Boolean(model.override || model.walk || model.isAhead);
    if (!model.analysis[0] && this.looked) this.look(null);
    show(byId("moves-1"), Boolean(second));
    show(byId("summary-1"), Boolean(second));
    show(byId("analysis-none"), !first);
    setText(byId("analysis-none"), this.waiting);
    for (const slot of [0, 1]) this.slot(slot);
    const visible = first && (first.task !== "move" || on || this.prefs.get("watch")) && !hidden;
    const network = this.overlay.kind === "network";
    if (this.board.about && this.board.now) {
      if (network) this.overlay.draw(hidden ? null : model.network);
      else this.overlay.draw(visible ? first : null, visible ? second : null);
    }
    setText(byId("network-summary"), model.network ? networkSummary(model.network, model) : "");
    for (const id of ["network-summary", "network-note"]) show(byId(id), network && Boolean(model.network));
    show(byId("compare-note"), Boolean(first && second));
    setText(byId("compare-note"), [this.given, T.compareNote].filter(Boolean).join(" "));
    const missing = first && ((this.overlay.kind === "ownership" && !first.ownership) || (this.overlay.kind === "rave" && !first.moves.some((m) => m.rave_chance != null)));
    show(byId("overlay-note"), Boolean(missing));
    setText(byId("overlay-note"), this.overlay.kind === "ownership" && on && !first?.final ? T.overlayComes : T.noOverlay);
  }

  slot(slot) {
    const analysis = this.model.analysis[slot];
    if (!analysis) return this.tables[slot].clear(), setText(byId(`summary-${slot}`), "");
    analysis.range = this.model.game.outcomes;
    analysis.game = this.model.game;
    this.tables[slot].update(analysis);
    const half = this.model.analysis[1] ? `${T.halves[slot]} ` : "";
    setText(byId(`summary-${slot}`), half + summary(analysis, this.model.game));
  }
}

/** Whose network, the result and the score that it expects, and likely moves that have no place on the board. */
function networkSummary(said, { game, state }) {
  const who = game.players === 1 ? "" : game.player_names[said.mover];
  const draws = said.draw >= 0.0005; // to a tenth of a percent; without any, the chance says it all
  const results = draws ? T.networkResults(percent(said.win), percent(said.draw), percent(said.loss)) : "";
  const score = said.score === null ? "" : scoreOf(said.mover === 1 ? -said.score : said.score, game);
  const beside = new Set(state.position.moves.filter((move) => !move.at.length).map((move) => move.text));
  const others = said.moves.filter((move) => beside.has(move.move) && move.prior >= LEAST_PRIOR)
    .map((move) => `${T.moveNames[move.move] || move.move} ${percent(move.prior)}`);
  return [T.networkSays(said.network), T.networkValue(who, percent(said.chance)), results, score, ...others].filter(Boolean).join(" · ");
}

/** A puzzle has one player, whose score is a number. */
function scoreOf(value, game) {
  return game.players === 1 ? outcomeNumber(Math.round(value * 10) / 10) : scoreText(value, game.player_names);
}

export function summary(analysis, game) {
  const proven = analysis.proven || (analysis.outcome && analysis.outcome !== "unknown");
  const name = game.players === 1 ? "" : game.player_names[analysis.mover];
  const value = proven && analysis.proof ? T.provenAs(analysis.proof) : `${name} ${percent(analysis.chance)}`.trim();
  const score = analysis.score != null && !proven ? scoreOf(analysis.score, game) : "";
  const parts = [analysis.player, value, score, T.playouts(longCount(analysis.playouts)), analysis.speed ? T.speed(longCount(analysis.speed)) : "", analysis.full ? T.full : ""];
  return parts.filter(Boolean).join(" · ");
}
