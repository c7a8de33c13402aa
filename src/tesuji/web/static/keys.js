// One table of shortcuts: it is what the keys do and what the overlay behind "?" says. No key destroys anything: what a key
// changes, another key brings back.

import { el } from "./dom.js";
import { T } from "./strings.js";

// key, what it does, the action's name. "ctrl+" stands for Ctrl, and for Cmd on a Mac.
export const SHORTCUTS = [
  ["?", "show these shortcuts", "help"],
  ["b", "to the board; then arrows and Enter", "board"],
  ["m", "type a move", "type"],
  ["ctrl+z", "undo", "undo"],
  ["ctrl+y", "redo", "redo"],
  ["ctrl+shift+z", "redo", "redo"],
  ["ArrowLeft", "one move back", "previous"],
  ["ArrowRight", "one move on", "next"],
  ["ArrowUp", "the variation above", "up"],
  ["ArrowDown", "the variation below", "down"],
  ["Home", "to the start of the game", "first"],
  ["End", "to the end of the line", "last"],
  ["h", "a hint", "hint"],
  ["a", "analysis on and off", "analyse"],
  ["o", "the next overlay", "overlay"],
  ["l", "the line of the next move of the analysis", "line"],
  ["i", "one simulation", "step"],
  ["p", "pause the computer, or let it go on", "pause"],
  ["1", "game", "tab-game"],
  ["2", "analysis", "tab-analysis"],
  ["3", "search", "tab-search"],
  ["4", "proof", "tab-proof"],
  ["g", "new game; the one before is kept under File", "new"],
  ["c", "comment", "comment"],
  ["s", "save as SGF", "save"],
  ["f", "open a file", "open"],
  ["d", "light or dark", "theme"],
  ["w", "say whose turn it is and what happened last", "say"],
  ["Escape", "stop what runs; close what is open", "stop"],
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
    actions[found[2]]();
  });
}

export function shortcutTable() {
  const rows = SHORTCUTS.map(([key, text]) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, keyName(key))), el("td", {}, text)));
  return el("table", { class: "shortcuts", "aria-label": T.help }, el("tbody", {}, ...rows));
}
