// The parts of the dialog for a new game: a card for each game, its size and other options, and who plays at which level.

import { el, show } from "./dom.js";
import { field, select } from "./fields.js";
import { pictureOf } from "./picture.js";
import { LEVELS, T } from "./strings.js";

/** A card with a picture for each game, one of them chosen. */
export class Cards {
  /** `names`: what the game of now may be called; without any of them the first one is chosen. */
  constructor(games, names) {
    this.games = games;
    const first = games.find((game) => names.includes(game.name)) ?? games[0];
    this.inputs = games.map((game) => {
      const input = el("input", { type: "radio", name: "game", value: game.name, autofocus: game === first });
      input.checked = game === first;
      return input;
    });
    this.element = el("fieldset", { class: "cards" }, el("legend", {}, T.game),
      ...games.map((game, number) => el("label", { class: "card" }, this.inputs[number], game.picture ? pictureOf(game.picture.board, game.picture.position) : "",
        el("strong", {}, game.title), el("small", {}, game.goal || game.summary))));
  }

  get value() {
    return this.inputs.find((input) => input.checked).value;
  }

  /** Brings the chosen card into sight, and moves nothing else. */
  reveal() {
    const card = this.inputs.find((input) => input.checked).parentElement;
    this.element.scrollTop = card.offsetTop - this.element.offsetTop - 40;
  }

  get game() {
    return this.games.find((game) => game.name === this.value);
  }
}

/** The options of a game: its size, and all others apart. */
export class GameOptions {
  constructor() {
    this.size = el("div", { class: "options" });
    this.others = el("div", { class: "options" });
  }

  offer(game) {
    this.inputs = new Map((game.options || []).map((option) => [option.name, new OptionInput(option)]));
    const stones = el("input", { type: "number", min: 0, max: 9, step: 1, value: 0 });
    this.stones = this.inputs.has("komi") ? stones : null; // a game with komi has a handicap, too
    const all = [...this.inputs.values()];
    this.size.replaceChildren(...all.filter(({ option }) => option.name === "size").map((one) => one.element));
    this.others.replaceChildren(...all.filter(({ option }) => option.name !== "size").map((one) => one.element), this.stones ? field(T.handicap, stones) : "");
  }

  get handicap() {
    return Number(this.stones?.value ?? 0);
  }

  /** The game string with what was chosen. */
  name(game) {
    return game.pattern ? game.pattern.replace(/\{(\w+)\}/g, (_, key) => this.inputs.get(key)?.value ?? "") : game.example;
  }
}

const OTHER = "\u0000"; // the value of "Other ...", which no option has

class OptionInput {
  constructor(option) {
    this.option = option;
    this.input = optionInput(option);
    if (!option.open) {
      this.element = field(option.label, this.input);
      return;
    }
    this.input.append(el("option", { value: OTHER }, T.otherSize));
    this.free = el("input", { type: "text", maxlength: 10, value: option.default, "aria-label": T.otherSize });
    this.free.hidden = true;
    this.input.addEventListener("change", () => (show(this.free, this.input.value === OTHER), this.input.value === OTHER && this.free.focus()));
    this.element = el("div", {}, field(option.label, this.input), this.free);
  }

  get value() {
    if (this.free && this.input.value === OTHER) return this.free.value.trim();
    return this.input.type === "checkbox" ? (this.input.checked ? "on" : "off") : this.input.value;
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

/** The clock of both players: one of some, or any, as the server reads it. */
export class ClockInput {
  constructor() {
    this.list = select([...Object.entries(T.clocks), [OTHER, T.otherSize]], "");
    this.free = el("input", { type: "text", maxlength: 40, value: "300+2", "aria-label": T.clock });
    this.help = el("small", {}, T.clockHelp);
    const follow = () => [this.free, this.help].forEach((part) => show(part, this.list.value === OTHER));
    this.list.addEventListener("change", follow);
    follow();
    this.element = el("div", { class: "clock-input" }, field(T.clock, this.list), this.free, this.help);
  }

  get value() {
    return this.list.value === OTHER ? this.free.value.trim() : this.list.value;
  }
}

const KINDS = { first: ["person", "computer"], second: ["computer", "person"], people: ["person", "person"], computers: ["computer", "computer"] };

/** What a person plays, and the level of the computer: the two things that are chosen most. The forms of the sides say it, too. */
export class WhoPlays {
  constructor() {
    this.forms = [];
    this.colour = el("select");
    this.level = select(LEVELS.map((level) => [level, T.levelName(level)]), 10);
    this.colour.addEventListener("change", () => this.tell());
    this.level.addEventListener("change", () => this.tell());
    this.levelField = field(T.strength, this.level);
    this.element = el("div", { class: "who-plays" }, field(T.youPlay, this.colour), this.levelField);
  }

  /** Shows what the forms say, and from now on what is changed there. */
  follow(forms, names) {
    this.forms = forms;
    const kept = this.colour.value === "random" && this.isAgainstComputer;
    const values = [["first", names[0]], ["second", names[1]], ["random", T.randomSide], ["people", T.twoPeople], ["computers", T.twoComputers]];
    this.colour.replaceChildren(...values.map(([value, text]) => el("option", { value }, text)));
    for (const form of forms) for (const input of [form.kind, form.level]) input.addEventListener("change", () => this.look());
    show(this.element, forms.length > 1);
    this.look();
    if (kept) this.colour.value = "random";
  }

  get isAgainstComputer() {
    return this.forms.length === 2 && this.forms[0].kind.value !== this.forms[1].kind.value;
  }

  look() {
    if (this.forms.length < 2) return;
    const kinds = this.forms.map((form) => form.kind.value).join();
    const found = Object.keys(KINDS).find((name) => KINDS[name].join() === kinds);
    if (!(this.colour.value === "random" && this.isAgainstComputer)) this.colour.value = found;
    const computer = this.forms.find((form) => form.kind.value === "computer");
    if (computer) this.level.value = computer.level.value;
    show(this.levelField, Boolean(computer));
  }

  tell() {
    const kinds = KINDS[this.colour.value] ?? KINDS.first;
    for (const [number, form] of this.forms.entries()) {
      form.kind.value = kinds[number];
      form.level.value = this.level.value;
      form.follow();
    }
    this.look();
  }

  /** The sides, exchanged half of the time where chance decides. */
  mixed(sides) {
    return this.colour.value === "random" && sides.length > 1 && Math.random() < 0.5 ? sides.reverse() : sides;
  }
}
