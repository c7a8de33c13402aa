// Puts the parts together: one model, one connection, one board, and the panels that show and change them.

import { AnalysisPanel } from "./analysis.js";
import { Board } from "./board.js";
import { Dialogs } from "./dialogs.js";
import { byId, show } from "./dom.js";
import { EarlierGames } from "./earlier.js";
import { Explorer } from "./explorer.js";
import { Files } from "./files.js";
import { Guide, guideOf } from "./guide.js";
import { listen, shortcutTable } from "./keys.js";
import { Model } from "./model.js";
import { Connection, CommandError } from "./net.js";
import { PlayPanel } from "./play.js";
import { Marks } from "./marks.js";
import { Preferences } from "./prefs.js";
import { ProofPanel } from "./proof.js";
import { RecordPanel } from "./record.js";
import { Region } from "./region.js";
import { Settings } from "./settings.js";
import { SetUp } from "./setup.js";
import { Speech } from "./speech.js";
import { T } from "./strings.js";
import { setText } from "./table.js";
import { Tabs } from "./tabs.js";
import { Teaching } from "./teaching.js";

for (const element of document.querySelectorAll("[data-t]")) element.textContent = text(element.dataset.t);
for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", text(element.dataset.label));
for (const element of document.querySelectorAll("[data-hint]")) element.setAttribute("placeholder", text(element.dataset.hint));

function text(path) {
  return path.split(".").reduce((found, key) => found[key], T);
}

const prefs = new Preferences();
const model = new Model();
const speech = new Speech(prefs);
const dialogs = new Dialogs();
const connection = new Connection((name, data) => receive(name, data));

const quietly = (name, fields) => connection.command(name, fields);
let record = null, earlier = null;

/** Sends a command; what goes wrong is said in a sentence, and stops whoever asked. */
async function send(name, fields = {}) {
  try {
    await earlier?.before(name);
    if (name !== "goto") await record?.following; // what is asked for is meant for the position that is shown
    const said = byId("alert").firstChild;
    const answer = await connection.command(name, fields);
    if (byId("alert").firstChild === said) byId("alert").replaceChildren(); // what was said meanwhile has not been read yet
    return answer;
  } catch (error) {
    if (error instanceof CommandError) speech.note(error.message, "error");
    throw error;
  }
}
// The sentence has been said: a rejected command needs no second report.
addEventListener("unhandledrejection", (event) => event.reason instanceof CommandError && event.preventDefault());

const board = new Board(byId("board"), {
  play: (move) => play.play(move),
  click: (name) => clicked(name),
  refuse: (name, why) => play.refuse(name, why, board),
  drag: (from, to) => region.drag(from, to),
  hover: (move) => !model.walk && !model.override && analysis.lookAt(move),
});
prefs.changed = (name) => {
  if (name !== "diamond" || !model.game) return;
  board.describe(model.game.board, { diamond: prefs.get("diamond") });
  model.tell("drawing");
};
const settings = new Settings({ model, send, say: (words) => speech.note(words), dialogs, prefs, shortcutTable, guideOf });
new Guide(model);
const analysis = new AnalysisPanel({ model, board, send, parameters: { ask: (choice) => settings.parameters(choice) }, prefs });
const choice = () => analysis.choice;
const proof = new ProofPanel({ model, send, choice, openFile: () => files.choose() });
const play = new PlayPanel({ model, send, speech, dialogs, walker: proof });
record = new RecordPanel({ model, send, quietly, speech, choice, walker: proof });
const files = new Files({ model, send, say: (words, kind) => speech.note(words, kind), dialogs, kept: () => earlier.text });
earlier = new EarlierGames({ model, quietly, open: (text, name) => files.openSgf({ text }, name), dialogs });
const setUp = new SetUp({ model, send, showDrawing });
const explorer = new Explorer({ model, send, showDrawing, overlay: analysis.overlay, choice });
const tabs = new Tabs(byId("tabs"), () => analysis.look(null)); // a line on the board belongs to the panel that drew it

function clicked(name) {
  if (setUp.click(name, board) || region.click(name) || marks.click(name)) return true;
  if (play.dead) {
    play.toggleDead(name, board);
    showBoard();
    return true;
  }
  return Boolean(model.override);
}

/** Shows another drawing in place of the position; null shows the position again. */
function showDrawing(drawing) {
  model.override = drawing;
  model.tell("drawing");
}

function showBoard() {
  if (!model.state || !model.game) return;
  const { state } = model;
  const person = state.turn !== "computer" || state.paused;
  const interactive = model.walk ? model.walk.phase === "yours" : !model.override && !model.isAhead && person && !state.result;
  board.show(model.drawing, { interactive, dead: play.dead || [] });
  Object.assign(document.body.dataset, { turn: interactive ? "yours" : "theirs", ply: state.ply });
}

let greeted = false;
let lostGame = null; // the link of the game that was here, where the server that has come back does not know it
const handlers = {
  connection: ({ state }) => connected(state),
  hello: ({ is_new: isNew }) => (lostGame = isNew && model.state ? model.state.link : null),
  game: (game) => {
    board.describe(game.board, { diamond: prefs.get("diamond") });
    document.title = `${game.title} · ${T.app}`;
    byId("game-title").textContent = game.title;
    byId("game-name").textContent = game.name.split("/").pop(); // a game of the user's own is named by its path
    byId("game-name").title = game.name;
    analysis.offerPlayers().catch(() => {});
  },
  state: ({ link }) => {
    const lost = lostGame;
    lostGame = null;
    if (lost && lost !== link) send("open-link", { fragment: lost }).then(() => speech.note(T.restored)).catch(() => {});
    if (!greeted) {
      greeted = true;
      document.body.classList.add("ready");
      files.openLink().catch(() => {});
    }
  },
  analysis: ({ task, final, best }) => task === "hint" && final && best && speech.note(T.hintIs(T.moveNames[best] || best)),
  error: ({ text: words }) => speech.note(words, "error"),
  "engine-died": ({ text: words }) => speech.note(words, "error"),
  progress: (data) => data.task === "compile" && showCompiling(data),
  bye: () => {
    hasEnded = true;
    banner(T.gone);
  },
};

function receive(name, data) {
  model.receive(name, data);
  handlers[name]?.(data);
}
// The board is drawn first, then what lies on it.
model.on("state drawing walk cursor", showBoard);
model.on("state drawing walk cursor", () => analysis.update());
const marks = new Marks({ model, board, send });
const region = new Region({ model, board, say: (words) => speech.note(words), changed: () => analysis.analyse(true) });
analysis.region = region;
new Teaching({ model, send, speech, line: (move, mover) => analysis.overlay.line(move ? [move] : [], mover) });

/** How long the compiler is still at work, in the row below the board that is kept for it. */
function showCompiling({ done, of, final }) {
  const bar = byId("activity-bar");
  show(bar, !final);
  [bar.max, bar.value] = [of || 1, Math.min(done, of)];
  const plays = model.state?.sides.some((side) => side.kind === "computer");
  setText(byId("activity-text"), final ? "" : T.compiling(Math.ceil(of - done), plays));
}

function banner(words) {
  byId("banner").textContent = words;
  show(byId("banner"), Boolean(words));
}

let wasLost = false;
let hasEnded = false;
function connected(state) {
  if (state === "open") {
    banner("");
    if (wasLost) speech.note(T.back);
    wasLost = hasEnded = false;
    return;
  }
  if (state === "lost" || state === "refused") wasLost = true;
  if (state !== "lost" || !hasEnded) banner({ lost: T.lost, refused: T.started, full: T.crowded, over: T.replaced }[state]);
}

byId("new-game").addEventListener("click", () => settings.newGame());
byId("sides").addEventListener("click", () => settings.sides());
byId("review").addEventListener("click", () => {
  tabs.open("game");
  if (model.state.running?.task !== "analyse-game") byId("analyse-game").click();
});
byId("help").addEventListener("click", () => settings.help());
byId("theme").addEventListener("click", () => prefs.nextTheme());

listen(
  {
    help: () => settings.help(),
    board: () => board.focus(),
    type: () => byId("move-text").focus(),
    undo: () => play.quietly("undo"),
    redo: () => play.quietly("redo"),
    previous: () => record.step("previous"),
    next: () => record.step("next"),
    up: () => record.step("up"),
    down: () => record.step("down"),
    first: () => record.step("first"),
    last: () => record.step("last"),
    hint: () => byId("hint").disabled || play.quietly("hint"),
    analyse: () => analysis.toggle(),
    overlay: () => speech.note(`${T.overlay}: ${analysis.nextOverlay()}`),
    line: () => speech.say(analysis.nextLine()),
    step: () => (tabs.open("search"), explorer.step()),
    pause: () => play.pause(),
    "tab-game": () => tabs.open("game"),
    "tab-analysis": () => tabs.open("analysis"),
    "tab-search": () => tabs.open("search"),
    "tab-proof": () => tabs.open("proof"),
    new: () => settings.newGame(),
    comment: () => (tabs.open("game"), byId("comment").focus()),
    save: () => byId("save-sgf").disabled || files.saveSgf(),
    open: () => files.choose(),
    theme: () => prefs.nextTheme(),
    say: () => speech.say([byId("message").textContent, document.querySelector(".player.active")?.textContent].filter(Boolean).join(". ")),
    stop: () => (document.activeElement?.blur?.(), model.state?.running && model.state.running.task !== "move" && send("stop")),
  },
  () => prefs.get("letterKeys"),
);

banner(T.connecting);
connection.open();
