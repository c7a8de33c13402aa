// Teaching: a move that loses much is pointed out at once, and can be taken back before the computer answers.

import { byId, show } from "./dom.js";
import { setText } from "./table.js";
import { T, percent } from "./strings.js";

export class Teaching {
  /** `line(move, mover)` shows a move on the board, or none. */
  constructor({ model, send, speech, line }) {
    Object.assign(this, { model, send, speech, line });
    this.shown = null;
    byId("teach").addEventListener("change", () => this.set());
    byId("teach-loss").addEventListener("change", () => this.set());
    byId("mistake-back").addEventListener("click", () => send("goto", { node: model.nodes.get(model.state.mistake.node).parent }));
    byId("mistake-ok").addEventListener("click", () => send("mistake-ok"));
    model.on("state", (state) => this.update(state));
  }

  set() {
    const loss = Math.min(99, Math.max(1, Number(byId("teach-loss").value) || 10));
    return this.send("teach", { loss: byId("teach").checked ? loss / 100 : null });
  }

  update({ teaching, mistake }) {
    byId("teach").checked = Boolean(teaching);
    byId("teach").disabled = this.model.game.players === 1;
    if (teaching && document.activeElement !== byId("teach-loss")) byId("teach-loss").value = Math.round(100 * teaching);
    show(byId("mistake"), Boolean(mistake) && !this.model.walk);
    const name = mistake ? `${mistake.node} ${this.model.state.generation}` : null;
    if (name === this.shown) return;
    if (this.shown) this.line(null);
    this.shown = name;
    if (!mistake) return;
    const text = T.mistakeIs(mistake.move, mistake.best, percent(mistake.before, 0), percent(mistake.after, 0));
    setText(byId("mistake-text"), text);
    setText(byId("mistake-ok"), this.model.state.turn === "paused" ? T.keepMove : T.close);
    this.speech.say(text);
    this.line(mistake.best, mistake.mover);
  }
}
