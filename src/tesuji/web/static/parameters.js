// The parameters of a player as a form, made from their declarations. They are grouped by the part of the player that
// they belong to, and can be searched. What differs from the player's own values is marked, and each can be reset.

import { el, show } from "./dom.js";
import { field, select } from "./fields.js";
import { T } from "./strings.js";

const PARTS = ["selection", "policy", "search", "answer"];

export class ParameterForm {
  constructor(send) {
    this.send = send;
    this.element = el("div", { class: "parameters" });
    this.chosen = {}; // only what differs from the player's own values
  }

  /** Lists the parameters of a player; asked for anew when one brings others with it. */
  async offer(player, chosen) {
    this.player = player;
    this.chosen = { ...chosen };
    const mine = this.chosen;
    const { parameters } = await this.send("parameters", { player, parameters: mine });
    if (this.chosen !== mine) return; // another player, or other values, were asked for meanwhile
    const active = this.element.contains(document.activeElement) ? document.activeElement : null;
    if (active?.matches("input[type=number], input[type=text]")) active.dispatchEvent(new Event("change")); // what is being typed
    if (this.chosen !== mine) return;
    const reset = el("button", { type: "button", class: "quiet" }, T.reset);
    reset.addEventListener("click", () => this.offer(this.player, {}));
    const groups = PARTS.map((part) => this.group(part, parameters.filter((one) => (one.part ?? "search") === part)));
    this.element.replaceChildren(this.search(), ...groups.filter(Boolean), reset);
    this.filter();
    if (active) (this.element.querySelector(`[data-name="${CSS.escape(active.dataset.name ?? "")}"]`) ?? reset).focus();
  }

  /** What is typed here hides all parameters whose name and meaning lack it. */
  search() {
    const before = this.box?.value ?? "";
    this.box = el("input", { type: "search", value: before, placeholder: T.findParameter, "aria-label": T.findParameter, "data-name": "?search" });
    this.box.addEventListener("input", () => this.filter());
    return this.box;
  }

  filter() {
    const wanted = this.box.value.trim().toLowerCase();
    for (const group of this.element.querySelectorAll(".group")) {
      const rows = [...group.querySelectorAll(".parameter")];
      for (const row of rows) show(row, row.textContent.toLowerCase().includes(wanted));
      show(group, rows.some((row) => !row.hidden));
    }
  }

  group(part, parameters) {
    if (!parameters.length) return null;
    return el("section", { class: "group", "aria-label": T.parts[part] }, el("h3", {}, T.parts[part]), ...parameters.map((one) => this.row(one)));
  }

  row(one) {
    const usual = one.usual === undefined ? one.value : one.usual;
    const input = parameterInput(one, this.chosen[one.name] ?? usual);
    input.dataset.name = one.name;
    const changed = () => {
      const value = parameterValue(one, input, usual);
      if (String(value) === String(usual)) delete this.chosen[one.name];
      else this.chosen[one.name] = value;
      row.classList.toggle("changed", one.name in this.chosen);
      if (one.brings) this.offer(this.player, this.chosen);
    };
    input.addEventListener("change", changed);
    const back = el("button", { type: "button", class: "quiet", "aria-label": T.resetOne(one.name), title: T.resetOne(one.name) }, "↺");
    back.addEventListener("click", () => {
      if (input.type === "checkbox") input.checked = Boolean(usual);
      else input.value = usual ?? "";
      changed();
    });
    const row = el("div", { class: `parameter${one.name in this.chosen ? " changed" : ""}` }, field(one.name, input, T.parameterHelp(one)), back);
    return row;
  }
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
