// Game records, certificates, pictures and links, in and out: by buttons, or dropped on the page.

import { byId, download, el } from "./dom.js";
import { field } from "./fields.js";
import { pngBlob, svgText } from "./picture.js";
import { base64Of } from "./proof.js";
import { T } from "./strings.js";

function isRecord(bytes, name) {
  const begin = String.fromCharCode(...bytes.subarray(0, 4000));
  return /\.sgfs?(\.gz)?$/i.test(name) || begin.startsWith("\x1f\x8b") || /^(ï»¿)?\s*\(?\s*\(\s*;/.test(begin);
}

export class Files {
  constructor({ model, send, say, dialogs, kept }) {
    Object.assign(this, { model, send, say, dialogs, kept });
    const input = byId("file-input");
    input.addEventListener("change", () => input.files[0] && this.open(input.files[0]).finally(() => (input.value = "")));
    byId("file-menu").addEventListener("click", () => byId("file-menu").hidePopover()); // something was chosen
    byId("open-file").addEventListener("click", () => this.choose());
    byId("save-sgf").addEventListener("click", () => this.saveSgf());
    byId("game-info").addEventListener("click", () => this.info());
    byId("save-svg").addEventListener("click", () => this.savePicture("svg"));
    byId("save-png").addEventListener("click", () => this.savePicture("png"));
    byId("copy-link").addEventListener("click", () => this.copyLink());
    this.listenForDrops();
    addEventListener("hashchange", () => this.openLink());
    model.on("state", () => {
      byId("save-sgf").disabled = !model.game?.sgf;
      byId("save-svg").disabled = byId("save-png").disabled = model.game?.board.surface === "text"; // there is no picture
    });
  }

  choose() {
    byId("file-input").click();
  }

  listenForDrops() {
    const note = byId("drop");
    const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragover", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      note.hidden = false;
    });
    addEventListener("dragleave", (event) => event.relatedTarget === null && (note.hidden = true));
    addEventListener("drop", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      note.hidden = true;
      this.open(event.dataTransfer.files[0]);
    });
  }

  /** A game record is known by its name or its beginning; anything else is taken for a certificate, which the server checks. */
  async open(file) {
    const most = (this.model.hello?.limits.body || 2 << 20) * 0.7;
    if (file.size > most) return this.say(T.tooLarge(Math.floor(most / (1 << 20))), "error");
    const bytes = new Uint8Array(await file.arrayBuffer());
    const base64 = base64Of(bytes); // the server knows about character sets, and unpacks
    if (isRecord(bytes, file.name)) await this.openSgf({ base64 }, file.name);
    else {
      await this.send("certificate-open", { base64, name: file.name });
      this.say(T.opened(file.name));
      byId("tab-proof").click();
    }
  }

  async openSgf(file, name) {
    const answer = await this.send("sgf-open", { ...file, name });
    this.say([T.opened(name), ...(answer.notes || [])].join(" "));
    if (answer.games > 1) {
      const number = await this.dialogs.number(T.whichGame(answer.games), 1, answer.games);
      if (number > 1) await this.send("sgf-open", { ...file, name, number });
    }
  }

  async saveSgf() {
    const kept = this.kept(); // the browser's copy, if the server is gone
    const { name, text } = await this.send("sgf-save").catch((error) => {
      if (kept === null) throw error;
      return { name: "game.sgf", text: kept };
    });
    download(name, text, "application/x-go-sgf");
  }

  /** Who played, where and when: what a file says of the game. */
  async info() {
    const { game, state } = this.model;
    const people = game.players > 1 ? { black: game.player_names[0], white: game.player_names[1] } : {};
    const inputs = Object.keys(T.infoNames).map((name) => [name, el("input", { maxlength: 200, value: state.info?.[name] || "" })]);
    const fields = inputs.map(([name, input]) => field(people[name] || T.infoNames[name], input));
    if (!(await this.dialogs.ask(T.gameInfo, fields, T.apply))) return;
    await this.send("info", { values: Object.fromEntries(inputs.map(([name, input]) => [name, input.value])) });
  }

  async savePicture(kind) {
    const { game } = this.model;
    const name = `${game.name.replace(/[^A-Za-z0-9.-]+/g, "-")}.${kind}`;
    if (kind === "svg") download(name, svgText(game.board, this.model.drawing), "image/svg+xml");
    else download(name, await pngBlob(game.board, this.model.drawing), "image/png");
  }

  async copyLink() {
    const address = `${location.origin}/${this.model.state.link}`;
    try {
      await navigator.clipboard.writeText(address);
      this.say(T.copied);
    } catch {
      this.dialogs.show(T.copyLink, el("p", {}, T.linkIs), el("textarea", { readonly: true, rows: 4, "aria-label": T.copyLink, value: address }));
    }
  }

  /** A link that the page was opened with. */
  async openLink() {
    if (!/[#&]game=/.test(location.hash)) return;
    const fragment = location.hash;
    history.replaceState(null, "", location.pathname);
    await this.send("open-link", { fragment });
  }
}
