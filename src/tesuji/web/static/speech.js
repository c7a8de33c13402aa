// What is said aloud by screen readers, and shown for a moment: one polite region for what happens, one for errors. And the sound of
// a move, off unless asked for.

import { byId, el } from "./dom.js";

export class Speech {
  constructor(prefs) {
    this.prefs = prefs;
    this.timer = null;
  }

  /** For everybody: a short note at the edge of the page, which screen readers say too. */
  note(text, kind = "note", action = null) {
    if (!text) return;
    const box = byId(kind === "error" ? "alert" : "toast");
    const close = el("button", { type: "button", class: "quiet", "aria-label": "×", onclick: () => box.replaceChildren() }, "×");
    box.replaceChildren(el("p", {}, text), action || "", close);
    clearTimeout(this.timer);
    if (kind !== "error") this.timer = setTimeout(() => box.replaceChildren(), action ? 12_000 : 5_000);
  }

  /** For screen readers: what happened on the board. */
  say(text) {
    byId("spoken").textContent = text;
  }

  /** A short wooden knock. */
  knock() {
    if (!this.prefs.get("sound")) return;
    this.audio ??= new AudioContext();
    const now = this.audio.currentTime;
    const tone = this.audio.createOscillator();
    const volume = this.audio.createGain();
    tone.type = "triangle";
    tone.frequency.setValueAtTime(420, now);
    tone.frequency.exponentialRampToValueAtTime(120, now + 0.06);
    volume.gain.setValueAtTime(0.25, now);
    volume.gain.exponentialRampToValueAtTime(0.001, now + 0.12);
    tone.connect(volume).connect(this.audio.destination);
    tone.start(now);
    tone.stop(now + 0.13);
  }
}
