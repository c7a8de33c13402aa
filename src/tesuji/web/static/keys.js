// One table of shortcuts: it is what the keys do and what the overlay behind "?" says. No key destroys anything: what a key
// changes, another key brings back.

import { el } from "./dom.js";
import { T } from "./strings.js";

// key, the action's name, by which T.shortcuts says what it does. "ctrl+" stands for Ctrl, and for Cmd on a Mac.
export const SHORTCUTS = [
  ["?", "help"],
  ["b", "board"],
  ["m", "type"],
  ["ctrl+z", "undo"],
  ["ctrl+y", "redo"],
  ["ctrl+shift+z", "redo"],
  ["ArrowLeft", "previous"],
  ["ArrowRight", "next"],
  ["ArrowUp", "up"],
  ["ArrowDown", "down"],
  ["Home", "first"],
  ["End", "last"],
  ["h", "hint"],
  ["a", "analyse"],
  ["o", "overlay"],
  ["l", "line"],
  ["i", "step"],
  ["p", "pause"],
  ["1", "tab-game"],
  ["2", "tab-analysis"],
  ["3", "tab-search"],
  ["4", "tab-proof"],
  ["g", "new"],
  ["c", "comment"],
  ["s", "save"],
  ["f", "open"],
  ["d", "theme"],
  ["w", "say"],
  ["Escape", "stop"],
];

const KEY_NAMES = { ctrl: "Ctrl", shift: "Shift", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

export function keyName(key) {
  return key.split("+").map((part) => KEY_NAMES[part] || part).join(" ");
}

/** Calls `actions[name]()` for a shortcut, unless the key is for the element that has the focus. */
export function listen(actions, isOn) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey) return;
    const control = event.ctrlKey || event.metaKey;
    const key = `${control ? "ctrl+" : ""}${control && event.shiftKey ? "shift+" : ""}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
    const found = SHORTCUTS.find((shortcut) => shortcut[0] === key);
    if (!found) return;
    if (document.querySelector("dialog[open]")) return;
    const target = event.target;
    const writes = target.matches?.("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
    if (writes && !(key === "Escape")) return;
    if (!control && key.length === 1 && !isOn()) return;
    if (key.startsWith("Arrow") && target.closest?.("[role=tablist], [role=grid], .scroll")) return;
    event.preventDefault();
    actions[found[1]]();
  });
}

export function shortcutTable() {
  const rows = SHORTCUTS.map(([key, action]) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, keyName(key))), el("td", {}, T.shortcuts[action])));
  return el("table", { class: "shortcuts", "aria-label": T.help }, el("tbody", {}, ...rows));
}
