// Dialogs: one element, filled with what is asked. Escape and "Cancel" change nothing.

import { byId, el } from "./dom.js";
import { T } from "./strings.js";

export class Dialogs {
  constructor() {
    this.dialog = byId("dialog");
    this.answer = null;
    this.dialog.addEventListener("close", () => {
      const answer = this.answer;
      this.answer = null;
      answer?.(this.dialog.returnValue === "ok");
    });
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close("cancel"));
  }

  /** Asks, under a title that may be the name of a menu's entry with its dots, and resolves to whether the person agreed.
   *  `ok` null: nothing to agree to, only to close.
   *  While another dialog is open nothing is asked: a slow answer must not take away what is being filled in. */
  async ask(title, content, ok, { cancel = T.cancel, danger = false, wide = false } = {}) {
    if (this.dialog.open) return false;
    const form = el("form", { method: "dialog" },
      el("h2", { id: "dialog-title", tabindex: ok === null ? -1 : null, autofocus: ok === null }, title.replace(/ \.\.\.$/, "")), // else the first field has the focus
      el("div", { class: "dialog-body" }, ...content),
      el("div", { class: "dialog-buttons" },
        ok ? el("button", { value: "cancel", class: "quiet" }, cancel) : "",
        el("button", { value: "ok", class: danger ? "danger" : "primary" }, ok || T.close)));
    // Enter in a field means the agreement, not the first button.
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.matches("input")) {
        event.preventDefault();
        this.dialog.close("ok");
      }
    });
    this.dialog.classList.toggle("wide", wide);
    this.dialog.replaceChildren(form);
    this.dialog.returnValue = "";
    this.dialog.showModal();
    return new Promise((resolve) => (this.answer = resolve));
  }

  show(title, ...content) {
    return this.ask(title, content, null);
  }

  async number(title, low, high) {
    const input = el("input", { type: "number", min: low, max: high, value: low, "aria-label": title });
    const agreed = await this.ask(title, [input], T.apply);
    return agreed ? Math.min(high, Math.max(low, Number(input.value) || low)) : null;
  }
}
