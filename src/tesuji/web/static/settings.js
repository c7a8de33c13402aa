// What can be chosen: the game and who plays it, the players' parameters, and the page's own settings.

import { el } from "./dom.js";
import { field, select } from "./fields.js";
import { ParameterForm } from "./parameters.js";
import { T } from "./strings.js";

const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

// -- who plays ------------------------------------------------------------------------------------------------------
class SideForm {
  /** `last`: what the computer was when it was chosen last; a person who becomes the computer begins with that. */
  constructor(name, given, players, send, last) {
    const side = given.kind === "person" && last?.kind === "computer" ? { ...last, kind: "person" } : given;
    this.kind = select([["person", T.sidePerson], ["computer", T.sideComputer]], side.kind);
    this.level = select(LEVELS.map((level) => [level, T.level(level)]), side.level || 10);
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
  constructor({ model, send, dialogs, prefs, shortcutTable }) {
    Object.assign(this, { model, send, dialogs, prefs, shortcutTable });
  }

  /** The game, its options and the two sides; a puzzle has one player and nothing to choose. */
  async newGame() {
    const { games } = await this.send("games");
    const now = this.model.game;
    const kind = select(games.map((game) => [game.name, T.gameNames[game.name] || game.summary]), now.family);
    if (kind.selectedIndex < 0) kind.value = now.name; // a game of the user's own
    if (kind.selectedIndex < 0) kind.selectedIndex = 0;
    const options = el("div", { class: "options" });
    const summary = el("p", { class: "note" });
    const handicap = el("input", { type: "number", min: 0, max: 9, step: 1, value: 0 });
    let inputs = [];
    const offer = () => {
      const game = games.find((one) => one.name === kind.value);
      summary.textContent = game.summary;
      inputs = (game.options || []).map((option) => [option, optionInput(option)]);
      const hasKomi = inputs.some(([option]) => option.name === "komi");
      if (!hasKomi) handicap.value = 0;
      options.replaceChildren(...inputs.map(([option, input]) => field(option.label, input)),
        hasKomi ? field(T.handicap, handicap) : "");
    };
    kind.addEventListener("change", offer);
    offer();
    const sides = el("div", { class: "sides" });
    let forms = [];
    let listed = kind.value; // the game whose players the forms list
    const offerSides = (names, given, players, name) => {
      forms = this.sideForms(names ?? now.player_names, given, players, name);
      sides.replaceChildren(...forms.map((form) => form.element));
    };
    const { players, player_names: names } = await this.send("players");
    const chosen = [...(this.model.state.last_sides || this.model.state.sides)];
    offerSides(names, chosen, players);
    /** Another game has other players, so only who plays, levels and times stay: as they are when the answer comes. */
    const changeGame = async () => {
      const wanted = kind.value;
      const name = games.find((one) => one.name === wanted).example;
      for (const [number, form] of forms.entries()) chosen[number] = form.kept; // a puzzle has no form for the second
      offerSides(T.comparePlayers, chosen, [{ default: true, name: T.unknownYet }], name); // nothing of the game before
      const { players, player_names: names } = await this.send("players", { game: name });
      if (kind.value !== wanted) return;
      for (const [number, form] of forms.entries()) chosen[number] = form.kept;
      offerSides(names, chosen, players, name);
      listed = wanted;
    };
    kind.addEventListener("change", () => changeGame().catch(() => {}));
    if (!(await this.dialogs.ask(T.newGame, [field(T.game, kind), summary, options, sides], T.startGame))) return;
    const game = games.find((one) => one.name === kind.value);
    const values = Object.fromEntries(inputs.map(([option, input]) => [option.name, input.type === "checkbox" ? (input.checked ? "on" : "off") : input.value]));
    const name = game.pattern ? game.pattern.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "") : game.example;
    const stones = Number(handicap.value);
    const sent = forms.map((form) => (listed === kind.value ? form.value : form.kept)); // `kept` names no player of another game
    if (sent.length < 2) sent.push({ kind: "person" });
    await this.send("new", { game: name, sides: sent, ...(stones > 1 ? { handicap: stones } : {}) });
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
    return this.dialogs.show(T.help, this.shortcutTable(), el("h3", {}, T.settings), field(T.theme, theme), box("letterKeys", T.letterKeys), box("sound", T.sound), box("coordinates", T.coordinates));
  }
}

function optionInput(option) {
  if (option.kind === "choice") return select(option.values.map((value, index) => [value, option.labels[index]]), option.default);
  if (option.kind === "flag") {
    const input = el("input", { type: "checkbox" });
    input.checked = option.default === true || option.default === "on";
    return input;
  }
  const number = option.kind === "number" || option.kind === "integer";
  return el("input", { type: number ? "number" : "text", min: option.low, max: option.high, step: option.step ?? (option.kind === "integer" ? 1 : "any"), value: option.default ?? "" });
}
