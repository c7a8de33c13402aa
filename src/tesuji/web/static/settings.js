// What can be chosen: the game and who plays it, the players' parameters (from their declarations), and the page's own settings.

import { el } from "./dom.js";
import { T } from "./strings.js";

const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
let numbers = 0;

/** A label and the field that it belongs to. */
export function field(label, input, help = "") {
  const id = `field-${++numbers}`;
  input.id = id;
  const note = help ? el("small", { id: `${id}-help` }, help) : "";
  if (help) input.setAttribute("aria-describedby", `${id}-help`);
  return el("div", { class: "field" }, el("label", { for: id }, label), input, note);
}

export const select = (values, chosen, attributes = {}) => {
  const list = el("select", attributes, ...values.map(([value, text]) => el("option", { value }, text)));
  list.value = chosen;
  return list;
};

// -- who plays ------------------------------------------------------------------------------------------------------
class SideForm {
  constructor(name, side, players) {
    this.kind = select([["person", T.sidePerson], ["computer", T.sideComputer]], side.kind);
    this.level = select(LEVELS.map((level) => [level, T.level(level)]), side.level || 10);
    this.player = select(players.map((one) => [one.default ? "" : one.name, one.default ? T.defaultPlayer(one.name) : one.name]), side.player || "");
    this.seconds = el("input", { type: "number", min: 0.05, max: 600, step: "any", value: side.seconds ?? 1 });
    this.parameters = side.parameters || {};
    const computer = el("div", { class: "computer" },
      field(T.strength, this.level), field(T.player, this.player), field(T.seconds, this.seconds));
    const follow = () => (computer.hidden = this.kind.value !== "computer");
    this.kind.addEventListener("change", follow);
    this.player.addEventListener("change", () => (this.parameters = {}));
    follow();
    this.element = el("fieldset", {}, el("legend", {}, name), field(T.whoPlays, this.kind), computer);
  }

  forgetPlayer() {
    this.player.value = "";
    this.player.closest(".field").hidden = true;
    this.parameters = {};
  }

  get value() {
    if (this.kind.value === "person") return { kind: "person" };
    return { kind: "computer", level: Number(this.level.value), player: this.player.value || null, parameters: this.parameters, seconds: Number(this.seconds.value) || 1 };
  }
}

export class Settings {
  constructor({ model, send, dialogs, prefs, shortcutTable }) {
    Object.assign(this, { model, send, dialogs, prefs, shortcutTable });
  }

  async players(game) {
    return (await this.send("players", game ? { game } : {})).players;
  }

  /** The game, its options and the two sides; a puzzle has one player and nothing to choose. */
  async newGame() {
    const { games } = await this.send("games");
    const now = this.model.game;
    const kind = select(games.map((game) => [game.name, game.title || T.gameNames[game.name] || game.summary]), now.family);
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
      options.replaceChildren(...inputs.map(([option, input]) => field(option.label || option.name, input, option.help || "")),
        hasKomi ? field(T.handicap, handicap) : "");
    };
    kind.addEventListener("change", offer);
    offer();
    const sides = el("div", { class: "sides" });
    const forms = this.sideForms(now.player_names, this.model.state.sides, await this.players());
    sides.append(...forms.map((form) => form.element));
    // Another game has other players, so only levels and times stay.
    kind.addEventListener("change", () => forms.forEach((form) => form.forgetPlayer()));
    if (!(await this.dialogs.ask(T.newGame, [field(T.game, kind), summary, options, sides], T.startGame))) return;
    const game = games.find((one) => one.name === kind.value);
    const values = Object.fromEntries(inputs.map(([option, input]) => [option.name, input.type === "checkbox" ? (input.checked ? "on" : "off") : input.value]));
    const name = game.pattern ? game.pattern.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "") : game.example;
    const stones = Number(handicap.value);
    await this.send("new", { game: name, sides: forms.map((form) => form.value), ...(stones > 1 ? { handicap: stones } : {}) });
  }

  sideForms(names, sides, players) {
    return [0, 1].map((number) => new SideForm(names[number], sides[number] || { kind: "person" }, players));
  }

  async sides() {
    const forms = this.sideForms(this.model.game.player_names, this.model.state.sides, await this.players());
    const agreed = await this.dialogs.ask(T.sides, [el("div", { class: "sides" }, ...forms.map((form) => form.element))], T.apply);
    if (agreed) await this.send("sides", { sides: forms.map((form) => form.value) });
  }

  // -- parameters ----------------------------------------------------------------------------------------------------
  /** Asks for the parameters of a player; resolves to a player choice, or null if nothing is to change. */
  async parameters({ player, parameters }) {
    const content = el("div", { class: "parameters" });
    let chosen = { ...parameters };
    const offer = async () => {
      const { parameters: declared } = await this.send("parameters", { player, parameters: chosen });
      const rows = declared.map((one) => {
        const usual = one.usual === undefined ? one.value : one.usual;
        const input = parameterInput(one, chosen[one.name] ?? usual);
        const changed = () => {
          const value = parameterValue(one, input, usual);
          if (String(value) === String(usual)) delete chosen[one.name];
          else chosen[one.name] = value;
          row.classList.toggle("changed", one.name in chosen);
          if (one.brings) offer();
        };
        input.addEventListener("change", changed);
        const back = el("button", { type: "button", class: "quiet", "aria-label": T.resetOne(one.name), title: T.resetOne(one.name) }, "↺");
        back.addEventListener("click", () => {
          if (input.type === "checkbox") input.checked = Boolean(usual);
          else input.value = usual ?? "";
          changed();
        });
        const row = el("div", { class: `parameter${one.name in chosen ? " changed" : ""}` }, field(one.name, input, T.parameterHelp(one)), back);
        return row;
      });
      const reset = el("button", { type: "button", class: "quiet" }, T.reset);
      reset.addEventListener("click", () => ((chosen = {}), offer()));
      content.replaceChildren(...rows, reset);
    };
    await offer();
    return (await this.dialogs.ask(T.parameters, [content], T.apply)) ? { player, parameters: chosen } : null;
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
  if (option.kind === "choice") return select(option.values.map((value, index) => [value, option.labels?.[index] ?? value]), option.default);
  if (option.kind === "flag") {
    const input = el("input", { type: "checkbox" });
    input.checked = option.default === true || option.default === "on";
    return input;
  }
  const number = option.kind === "number" || option.kind === "integer";
  return el("input", { type: number ? "number" : "text", min: option.low, max: option.high, step: option.step ?? (option.kind === "integer" ? 1 : "any"), value: option.default ?? "" });
}

function parameterInput(one, value) {
  if (one.kind === "choice") return select(one.choices.map((choice) => [choice, choice]), value);
  if (one.kind === "flag") {
    const input = el("input", { type: "checkbox" });
    input.checked = value === true || value === "on";
    return input;
  }
  const number = one.kind === "number" || one.kind === "integer";
  return el("input", { type: number ? "number" : "text", min: one.low, max: one.high, step: one.kind === "integer" ? 1 : "any", value: value ?? "" });
}

function parameterValue(one, input, usual) {
  if (one.kind === "flag") return input.checked;
  if (one.kind === "integer" || one.kind === "number") return input.value === "" ? usual : Number(input.value);
  return input.value;
}
