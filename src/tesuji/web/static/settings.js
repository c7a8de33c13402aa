// What can be chosen: the game and who plays it, the players' parameters, and the page's own settings.

import { el } from "./dom.js";
import { field, select } from "./fields.js";
import { Cards, ClockInput, GameOptions, WhoPlays } from "./newgame.js";
import { ParameterForm } from "./parameters.js";
import { LEVELS, T } from "./strings.js";

// -- who plays ------------------------------------------------------------------------------------------------------
class SideForm {
  /** `last`: what the computer was when it was chosen last; a person who becomes the computer begins with that. */
  constructor(name, given, players, send, last) {
    const side = given.kind === "person" && last?.kind === "computer" ? { ...last, kind: "person" } : given;
    this.kind = select([["person", T.sidePerson], ["computer", T.sideComputer]], side.kind);
    this.level = select(LEVELS.map((level) => [level, T.levelName(level)]), side.level || 10);
    this.player = select(players.map((one) => [one.default ? "" : one.name, one.default ? T.defaultPlayer(one.name) : one.name]), side.player || "");
    this.seconds = el("input", { type: "number", min: 0.05, max: 600, step: "any", value: side.seconds ?? (side.playouts ? "" : 1), placeholder: T.noLimit });
    this.playouts = el("input", { type: "number", min: 1, max: 1e12, step: 1, value: side.playouts ?? "", placeholder: T.noLimit });
    this.form = new ParameterForm(send);
    this.form.chosen = { ...side.parameters };
    this.more = el("details", { class: "more" }, el("summary", {}, T.parameters), this.form.element);
    const computer = el("div", { class: "computer" },
      field(T.strength, this.level), field(T.player, this.player), field(T.seconds, this.seconds), field(T.playoutLimit, this.playouts), this.more);
    const follow = () => (computer.hidden = this.kind.value !== "computer");
    this.kind.addEventListener("change", follow);
    this.follow = follow;
    this.player.addEventListener("change", () => this.changePlayer());
    this.more.addEventListener("toggle", () => this.more.open && this.form.offer(this.player.value || null, this.form.chosen));
    follow();
    this.element = el("fieldset", {}, el("legend", {}, name), field(T.whoPlays, this.kind), computer);
  }

  /** Another player has other parameters. */
  changePlayer() {
    this.form.chosen = {};
    if (this.more.open) this.form.offer(this.player.value || null, {});
  }

  /** What another game keeps of it: even of a person, the level and times that are chosen but hidden. */
  get kept() {
    return { ...this.computer, kind: this.kind.value, player: null, parameters: {} };
  }

  get value() {
    return this.kind.value === "person" ? { kind: "person" } : this.computer;
  }

  get computer() {
    const playouts = Math.round(Number(this.playouts.value)) || null;
    const seconds = Number(this.seconds.value) || (playouts ? null : 1);
    return { kind: "computer", level: Number(this.level.value), player: this.player.value || null, parameters: this.form.chosen, seconds, playouts };
  }
}

export class Settings {
  constructor({ model, send, say, dialogs, prefs, shortcutTable, guideOf }) {
    Object.assign(this, { model, send, say, dialogs, prefs, shortcutTable, guideOf });
  }

  /** The game by its picture, its size, who plays and how strong; all else under "More". A puzzle has one player. */
  async newGame() {
    const { games } = await this.send("games");
    const now = this.model.game;
    const { players, player_names: names } = await this.send("players");
    const cards = new Cards(games, [now.family, now.name]);
    const options = new GameOptions();
    const sides = el("div", { class: "sides" });
    const who = new WhoPlays();
    const chosen = [...(this.model.state.last_sides || this.model.state.sides)];
    let forms = [];
    let listed = cards.value; // the game whose players the forms list
    const offerSides = (names, players, name) => {
      forms = this.sideForms(names, chosen, players, name);
      sides.replaceChildren(...forms.map((form) => form.element));
      who.follow(forms, names);
    };
    /** Another game has other players, so only who plays, levels and times stay: as they are when the answer comes. */
    const changeGame = async () => {
      const game = cards.game;
      options.offer(game);
      const keep = () => forms.forEach((form, number) => (chosen[number] = form.kept)); // a puzzle has no form for the second
      keep();
      offerSides(game.player_names, [{ default: true, name: T.unknownYet }], game.example); // nothing of the game before
      const { players, player_names: names } = await this.send("players", { game: game.example });
      if (cards.game !== game) return;
      keep();
      offerSides(names, players, game.example);
      listed = game.name;
    };
    cards.element.addEventListener("change", () => changeGame().catch(() => {}));
    options.offer(cards.game);
    offerSides(names ?? now.player_names, players, null);
    const clock = new ClockInput();
    const more = el("details", { class: "more" }, el("summary", {}, T.more), options.others, clock.element, sides);
    requestAnimationFrame(() => cards.reveal());
    if (!(await this.dialogs.ask(T.newGame, [cards.element, options.size, who.element, more], T.startGame, { wide: true }))) return;
    const sent = who.mixed(forms.map((form) => (listed === cards.value ? form.value : form.kept))); // `kept` names no player of another game
    if (sent.length < 2) sent.push({ kind: "person" });
    const hadMoves = this.model.nodes.size > 1;
    const stones = options.handicap;
    await this.send("new", { game: options.name(cards.game), sides: sent, ...(clock.value ? { clock: clock.value } : {}), ...(stones > 1 ? { handicap: stones } : {}) });
    if (hadMoves) this.say(T.earlierKept);
  }

  /** A form for each player; `game`: the one that the players' parameters are asked for, if it is another than that on the board. */
  sideForms(names, sides, players, game = null) {
    const ask = (command, fields) => this.send(command, game ? { ...fields, game } : fields);
    const last = this.model.state.last_sides || [];
    const computer = last.find((side) => side?.kind === "computer");
    return names.map((name, number) => new SideForm(name, sides[number] || { kind: "person" }, players, ask, last[number]?.kind === "computer" ? last[number] : computer));
  }

  async sides() {
    const { players, player_names: names } = await this.send("players");
    const forms = this.sideForms(names ?? this.model.game.player_names, this.model.state.sides, players);
    const agreed = await this.dialogs.ask(T.sides, [el("div", { class: "sides" }, ...forms.map((form) => form.element))], T.apply);
    if (!agreed) return;
    const chosen = forms.map((form) => form.value);
    await this.send("sides", { sides: chosen.length < 2 ? [...chosen, { kind: "person" }] : chosen });
  }

  /** Asks for the parameters of a player; resolves to a player choice, or null if nothing is to change. */
  async parameters({ player, parameters }) {
    const form = new ParameterForm((command, fields) => this.send(command, { ...fields, to: "analyse" }));
    await form.offer(player, parameters);
    return (await this.dialogs.ask(T.parameters, [form.element], T.apply)) ? { player, parameters: form.chosen } : null;
  }

  // -- the page ------------------------------------------------------------------------------------------------------
  help() {
    const box = (name, text) => {
      const input = el("input", { type: "checkbox" });
      input.checked = this.prefs.get(name);
      input.addEventListener("change", () => this.prefs.set(name, input.checked));
      return el("label", { class: "check" }, input, ` ${text}`);
    };
    const theme = select(Object.entries(T.themes), this.prefs.get("theme"));
    theme.addEventListener("change", () => this.prefs.set("theme", theme.value));
    const { game } = this.model;
    const rules = game ? [el("h3", {}, T.rulesOf(game.title)), this.guideOf(game)] : [];
    const keys = [el("h3", {}, T.keys), this.shortcutTable()];
    return this.dialogs.show(T.help, ...rules, el("h3", {}, T.settings), field(T.theme, theme), box("letterKeys", T.letterKeys), box("sound", T.sound), box("coordinates", T.coordinates), box("turned", T.turned), box("diamond", T.diamond), ...keys);
  }
}
