// Tabs as ARIA describes them: arrow keys go from one to the next, and each names its panel.

import { byId } from "./dom.js";

export class Tabs {
  /** `changed` is called when another panel comes to be shown. */
  constructor(list, changed) {
    this.changed = changed;
    this.tabs = [...list.querySelectorAll("[role=tab]")];
    for (const tab of this.tabs) tab.addEventListener("click", () => this.select(tab));
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = this.tabs[(this.tabs.indexOf(document.activeElement) + step + this.tabs.length) % this.tabs.length];
      this.select(next);
      next.focus();
      event.preventDefault();
    });
    this.select(this.tabs[0]);
  }

  open(name) {
    const tab = byId(`tab-${name}`);
    this.select(tab);
    tab.focus();
  }

  select(chosen) {
    if (this.chosen && this.chosen !== chosen) this.changed();
    this.chosen = chosen;
    for (const tab of this.tabs) {
      const on = tab === chosen;
      tab.setAttribute("aria-selected", String(on));
      tab.setAttribute("tabindex", on ? "0" : "-1");
      byId(tab.getAttribute("aria-controls")).hidden = !on;
    }
  }
}
