// What the person prefers, kept by the browser: never sent to the server.

const KEY = "tesuji-preferences";
const USUAL = { theme: "auto", palette: "usual", overlay: "value", sound: false, letterKeys: true, coordinates: true, watch: false };

export class Preferences {
  constructor(storage = localStorage) {
    this.storage = storage;
    try {
      this.values = { ...USUAL, ...JSON.parse(storage.getItem(KEY) || "{}") };
    } catch {
      this.values = { ...USUAL };
    }
    this.use();
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
    this.storage.setItem(KEY, JSON.stringify(this.values));
    this.use();
  }

  use() {
    const { dataset } = document.documentElement;
    Object.assign(dataset, { theme: this.values.theme, palette: this.values.palette, coordinates: this.values.coordinates ? "on" : "off" });
  }

  nextTheme() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = this.values.theme === "auto" ? (dark ? "dark" : "light") : this.values.theme;
    this.set("theme", now === "dark" ? "light" : "dark");
  }
}
