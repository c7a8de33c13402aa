// Playing: whose turn it is, what happened last, how it ended, and the buttons of a game.

import { GameTimes } from "./clock.js";
import { byId, el, show, svg } from "./dom.js";
import { setText } from "./table.js";
import { T, scoreText } from "./strings.js";

export class PlayPanel {
  /** `walker` walks through a certificate: while it does, moves and buttons are the walk's, and the game waits. */
  constructor({ model, send, speech, dialogs, walker }) {
    Object.assign(this, { model, send, speech, dialogs, walker });
    this.dead = null;
    for (const id of ["undo", "redo", "hint"]) byId(id).addEventListener("click", () => this.quietly(id));
    byId("resign").addEventListener("click", () => this.resign());
    byId("stop").addEventListener("click", () => send("stop"));
    byId("why").addEventListener("click", () => show(byId("why-text"), byId("why-text").hidden));
    byId("pause").addEventListener("click", () => this.pause());
    byId("rematch").addEventListener("click", () => this.rematch());
    byId("agree").addEventListener("click", () => send("agree", { dead: [...this.dead] }));
    byId("play-on").addEventListener("click", () => send("play-on"));
    byId("move-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.typed();
    });
    model.on("state walk", () => this.update());
    setInterval(() => this.clock(), 250);
    this.times = new GameTimes(model, speech);
  }

  quietly(name) {
    if (this.model.walk) return name === "undo" ? this.walker.back() : null;
    const can = this.model.state?.can || {};
    if (name in can && !can[name]) return;
    return this.send(name);
  }

  pause() {
    if (this.model.walk) return null;
    return this.send("pause", { paused: !this.model.state.paused });
  }

  async resign() {
    const { state, game } = this.model;
    const people = [0, 1].filter((side) => state.sides[side]?.kind === "person");
    const name = game.player_names[people.length === 1 ? people[0] : state.to_move ?? 0];
    if (await this.dialogs.ask(T.resign, [el("p", {}, T.resignAsk(name))], T.yes, { cancel: T.no, danger: true })) await this.send("resign");
  }

  /** Why a click did nothing. A game that can tell why a move is illegal is asked. */
  async refuse(name, why, board) {
    const { state, game } = this.model;
    if (!state || this.model.override || this.model.isAhead) return;
    const say = (words) => this.speech.note(words);
    if (why === "aim") return say(T.tapAgain(name));
    if (this.model.walk) return say(T.notNow.walk);
    if (state.scoring) return say(T.notNow.scoring);
    if (state.result) return say(T.notNow.over);
    const mover = game.player_names[state.to_move];
    if (state.turn === "computer") return say(T.notNow.computer(mover));
    if (state.paused && state.sides[state.to_move]?.kind === "computer") return say(T.notNow.paused(mover));
    const piece = board.pieces?.get(name);
    if (why === "unreachable") return say(T.notNow.unreachable(board.selected, name));
    if (game.board.input === "from-to") {
      if (!piece) return say(T.notNow.noPiece(mover));
      return say(piece.player === state.to_move ? T.notNow.stuck : T.notNow.otherPiece(mover));
    }
    if (piece) return say(T.notNow.taken);
    if (game.explains) return this.send("move", { move: name }).catch(() => {}); // its refusal says why
    return say(T.notNow.illegal);
  }

  /** The same game again; against the computer with the sides exchanged. */
  rematch() {
    const { state, game } = this.model;
    const sides = this.isExchange ? [state.sides[1], state.sides[0]] : state.sides;
    return this.send("new", { game: game.name, sides, ...(state.clock ? { clock: state.clock.control } : {}) });
  }

  /** Whether a rematch exchanges the sides: where a person plays the computer. */
  get isExchange() {
    const { state, game } = this.model;
    return game.players === 2 && state.sides[0].kind !== state.sides[1].kind;
  }

  /** A typed move stays in its box until it is made; one that is refused is selected, for another to be typed over it. */
  async typed() {
    const box = byId("move-text");
    const text = box.value.trim();
    if (!text) return;
    try {
      await this.play(text);
    } catch (error) {
      if (box.value.trim() === text) box.select();
      throw error;
    }
    if (box.value.trim() === text) box.value = ""; // the next one may be there already
  }

  play(text) {
    return this.model.walk ? this.walker.play(text) : this.send("move", { move: text });
  }

  update() {
    const { state, game } = this.model;
    if (!game || !state) return;
    if (this.model.walk) return this.showWalk();
    this.chips();
    setText(byId("message"), state.result ? this.ending() : state.message || this.lastWords());
    byId("status").classList.toggle("over", Boolean(state.result));
    if (this.said !== state.message && state.ply > 0) this.speech.say(state.message);
    if (this.ply !== undefined && this.ply !== state.ply) this.speech.knock();
    this.said = state.message;
    this.ply = state.ply;
    setText(byId("caption"), state.position.caption || "");
    show(byId("why"), Boolean(state.why?.length));
    if (!state.why) show(byId("why-text"), false);
    setText(byId("why-text"), (state.why || []).join(" "));
    byId("undo").disabled = !state.can.undo;
    byId("redo").disabled = !state.can.redo;
    byId("resign").disabled = !state.can.resign;
    byId("hint").disabled = state.to_move === null || state.turn === "computer";
    this.moveButtons();
    show(byId("end"), Boolean(state.result));
    setText(byId("rematch"), this.isExchange ? T.rematch : T.again);
    this.scoring();
    const computers = state.sides.some((side) => side?.kind === "computer");
    show(byId("pause"), computers && !state.result && (state.paused || state.turn === "computer"));
    setText(byId("pause"), state.paused ? (state.to_move === null ? T.goOn : T.letMove(game.player_names[state.to_move])) : T.pause);
    show(byId("stop"), Boolean(state.running) && !["analyse", "teach"].includes(state.running.task));
    setText(byId("stop"), state.running?.task === "move" ? T.moveNow : T.stop);
    this.clock();
  }

  chips() {
    byId("players").replaceChildren(...this.model.game.board.players.map((player, number) => this.chip(player, number)));
  }

  /** A walk through a certificate in place of the game: its own turn, words and moves. */
  showWalk() {
    const { walk } = this.model;
    this.chips();
    setText(byId("message"), walk.why || walk.claim || "");
    setText(byId("caption"), walk.position.caption || "");
    byId("status").classList.toggle("over", walk.phase !== "yours");
    if (this.said !== walk.why) this.speech.say(walk.why);
    this.said = walk.why;
    byId("undo").disabled = !this.walker.own.length;
    for (const id of ["redo", "hint", "resign"]) byId(id).disabled = true;
    for (const id of ["pause", "stop", "scoring", "end", "why", "why-text"]) show(byId(id), false);
    this.moveButtons();
    this.clock();
  }

  /** How the game has ended; a margin as players write it. */
  ending() {
    const { state, game } = this.model;
    const { text, winner, outcome } = state.result;
    if (winner === null || outcome === null || outcome === undefined || !game.has_scores) return text;
    const [, ...rule] = text.split("; ");
    return [T.wins(game.player_names[winner], scoreText(outcome, game.player_names)), ...rule].join("; ");
  }

  /** What to say where the server has said nothing: after a jump, or at the start. */
  lastWords() {
    const { state, game } = this.model;
    return state.last_move ? T.lastWas(game.player_names[state.last_mover ?? 0], state.last_move) : T.start;
  }

  chip(player, number) {
    const { state, game, walk } = this.model;
    const active = walk ? walk.to_move === number : state.to_move === number && !state.result;
    const won = !walk && state.result && state.result.winner === number;
    const side = state.sides[number];
    const others = state.sides.filter((one) => one?.kind === "person").length;
    const name = side?.kind === "person" && state.info?.[number ? "white" : "black"];
    const who = walk ? (number === walk.side ? T.you : T.walkAnswers) : name || (game.players === 1 || side?.kind === "person" ? (others === 1 || game.players === 1 ? T.you : T.person) : T.computer(side));
    const swatch = svg("svg", { class: "swatch-piece", viewBox: "-0.5 -0.5 1 1", "aria-hidden": "true" },
      svg("circle", { r: 0.45, class: `chip colour-${player.colour}` }),
      /^[a-z0-9]$/i.test(player.sign) ? svg("text", { class: `sign colour-${player.colour}`, y: 0.17 }, player.sign) : "");
    const captured = !walk && state.captures?.some((count) => count > 0) ? T.captures(state.captures[number]) : "";
    const label = game.players === 1 ? T.puzzleTurn : player.name;
    return el("div", { class: `player${active ? " active" : ""}${won ? " won" : ""}` }, swatch,
      el("div", {}, el("strong", {}, label), el("span", { class: "who" }, [who, captured].filter(Boolean).join(" · "))),
      el("span", { class: "turn", "data-side": number }, active ? T.toMove : won ? "★" : ""),
      state.clock && !walk ? el("span", { class: "time", role: "timer", "data-side": number }, this.times.text(number)) : "");
  }

  /** How long the computer has been thinking. */
  clock() {
    const { state, walk } = this.model;
    const turn = document.querySelector(".player.active .turn");
    if (!state || !turn || walk) return;
    if (state.turn !== "computer" || !state.running) {
      this.since = null;
      const what = state.paused && state.sides[state.to_move]?.kind === "computer" ? T.waits : T.toMove;
      const stands = state.clock && state.clock.running === null && state.ply > 0 && !state.scoring && state.running?.task !== "teach";
      turn.classList.toggle("stands", Boolean(stands));
      return setText(turn, stands ? T.clockStopped(what) : what);
    }
    if (state.running.task === "teach") return setText(turn, T.looking);
    if (this.thought !== state.generation) [this.thought, this.since] = [state.generation, performance.now()];
    setText(turn, T.thinking(Math.floor((performance.now() - (this.since ??= performance.now())) / 1000)));
  }

  /** Moves that happen at no place of the board: pass, swap and the like. */
  moveButtons() {
    const { state, game, walk } = this.model;
    const shown = walk ? walk.position : state.position;
    const waits = walk ? walk.phase !== "yours" : state.turn === "computer";
    const moves = game.board.surface === "text" ? [] : shown.moves.filter((move) => !move.at.length);
    byId("special-moves").replaceChildren(...moves.map((move) =>
      el("button", { type: "button", disabled: waits, onclick: () => this.play(move.text) }, T.moveNames[move.text] || move.text)));
  }

  scoring() {
    const { state } = this.model;
    show(byId("scoring"), Boolean(state.scoring));
    const proposed = state.scoring?.dead;
    byId("agree").disabled = !proposed;
    if (!state.scoring || !proposed || this.scored !== state.generation) this.dead = null;
    this.scored = state.generation;
    if (state.scoring && proposed) this.dead ??= new Set(proposed);
    if (!state.scoring) return;
    setText(byId("scoring-text"), [state.scoring.text, T.scoring].filter(Boolean).join(" "));
  }

  /** Marks the stones that hang together with this one as dead, or as alive again. */
  toggleDead(name, board) {
    if (!this.dead || !board.pieces.has(name)) return;
    const owner = board.pieces.get(name).player;
    const dead = !this.dead.has(name);
    const waiting = [name], seen = new Set([name]);
    while (waiting.length) {
      const here = board.places.get(waiting.pop());
      this.dead[dead ? "add" : "delete"](here.name);
      for (const there of board.places.values()) {
        const near = Math.abs(Math.hypot(there.x - here.x, there.y - here.y) - 1) < 0.01;
        if (near && !seen.has(there.name) && board.pieces.get(there.name)?.player === owner) {
          seen.add(there.name);
          waiting.push(there.name);
        }
      }
    }
  }
}
