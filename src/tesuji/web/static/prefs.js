// What the person prefers, kept by the browser: never sent to the server.

const KEY = "tesuji-preferences";
const USUAL = { theme: "auto", palette: "usual", overlay: "value", sound: false, letterKeys: true, coordinates: true, turned: false, diamond: false, watch: false };

export class Preferences {
  constructor(storage = localStorage) {
    this.storage = storage;
    this.system = matchMedia("(prefers-color-scheme: dark)");
    this.system.addEventListener("change", () => this.use());
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
    this.changed?.(name);
  }

  use() {
    const { dataset } = document.documentElement;
    Object.assign(dataset, { theme: this.theme, palette: this.values.palette, coordinates: this.values.coordinates ? "on" : "off", turned: this.values.turned ? "on" : "off" });
  }

  /** Light or dark: what was chosen, else what the system has. */
  get theme() {
    return this.values.theme === "auto" ? (this.system.matches ? "dark" : "light") : this.values.theme;
  }

  nextTheme() {
    this.set("theme", this.theme === "dark" ? "light" : "dark");
  }
}
