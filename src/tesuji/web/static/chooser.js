// A player to search with: a list of names, and the player's parameters behind a button.

import { el } from "./dom.js";
import { setText } from "./table.js";
import { T } from "./strings.js";

export class PlayerChooser {
  /** `ask(choice)` resolves to another choice, or to null; `changed` is called when the person has chosen. */
  constructor(list, button, ask, changed = () => {}) {
    Object.assign(this, { list, button, changed });
    this.take({ player: null, parameters: {} });
    list.addEventListener("change", () => this.choose({ player: list.value || null, parameters: {} }));
    button.addEventListener("click", async () => {
      const before = this.choice;
      const chosen = await ask(before);
      if (chosen && this.choice === before) this.choose(chosen); // unless another game has brought other players meanwhile
    });
  }

  /** Lists players, and takes one of them. The usual one has no name: it is whatever the server takes then. */
  offer(players, choice) {
    this.list.replaceChildren(...players.map((player) =>
      el("option", { value: player.analyses ? "" : player.name, title: player.summary }, player.analyses ? T.defaultPlayer(player.name) : player.name)));
    this.take(choice);
    if (this.list.selectedIndex < 0 && players.length) {
      this.list.selectedIndex = 0;
      this.take({ player: this.list.value || null, parameters: {} });
    }
  }

  take(choice) {
    this.choice = choice;
    this.list.value = choice.player || "";
    setText(this.button, T.parametersOf(Object.keys(choice.parameters).length));
  }

  choose(choice) {
    this.take(choice);
    this.changed();
  }
}
