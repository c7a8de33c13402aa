// The clocks of a game. The server keeps them; the page counts on from what it was told last.

import { T } from "./strings.js";

const TICK = 100; // ms
const SHORT = 10; // seconds left at which it is said, and tenths are shown

export class GameTimes {
  constructor(model, speech) {
    Object.assign(this, { model, speech });
    this.warned = null;
    model.on("state", () => (this.since = performance.now()));
    setInterval(() => this.tick(), TICK);
  }

  /** What is left to a player by now: of main time or of a period, and of which period. */
  left(side) {
    const { clock } = this.model.state;
    const { main, left, periods } = clock.sides[side];
    const spent = clock.running === side ? (performance.now() - this.since) / 1000 : 0;
    if (main > 0 && spent < main) return { seconds: main - spent, periods, inMain: true };
    if (!periods) return { seconds: Math.max(0, left - spent), periods, inMain: true };
    let rest = main > 0 ? clock.period - (spent - main) : left - spent;
    let count = periods;
    while (rest < 0 && count > 1) [rest, count] = [rest + clock.period, count - 1];
    return { seconds: Math.max(0, rest), periods: count, inMain: false };
  }

  text(side) {
    const { seconds, periods, inMain } = this.left(side);
    const { stones } = this.model.state.clock.sides[side];
    return [timeText(seconds), inMain ? "" : T.periods(periods, stones)].filter(Boolean).join(" ");
  }

  tick() {
    const { clock } = this.model.state || {};
    if (!clock || this.model.walk) return;
    for (const element of document.querySelectorAll(".player .time")) {
      const side = Number(element.dataset.side);
      const { seconds } = this.left(side);
      const runs = clock.running === side;
      const text = this.text(side);
      if (element.textContent !== text) element.textContent = text;
      element.classList.toggle("runs", runs);
      element.classList.toggle("short", runs && seconds < SHORT);
      if (runs && seconds < SHORT && this.warned !== this.model.state.generation) {
        this.warned = this.model.state.generation;
        if (this.model.state.turn === "person") this.speech.say(T.timeShort(SHORT));
      }
    }
  }
}

/** 1:02:03, 4:05, and below ten seconds 9.3. */
export function timeText(seconds) {
  if (seconds < SHORT) return seconds.toFixed(1);
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
