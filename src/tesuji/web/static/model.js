// What the page knows: the game, the position that is shown, the game tree, the latest analyses. Whoever shows a part of it
// listens for the name of that part. What was computed for another position is dropped here.

export class Model extends EventTarget {
  constructor() {
    super();
    this.hello = null;
    this.game = null;
    this.state = null;
    this.nodes = new Map();
    this.analysis = [null, null];
    this.network = null; // what the network says of the position, once it was asked
    this.progress = null;
    this.compiles = false; // the search, before anything else can be computed
    this.mistakes = null;
    this.walk = null; // a certificate's position in place of the game's
    this.cursor = null; // the node that the person has gone to, while the server has not yet followed
    this.drawings = new Map(); // of nodes that were shown, or may be shown next; without their moves
    this.override = null; // another drawing in place of the position: the end of a playout, a position that is set up
  }

  on(names, action) {
    for (const name of names.split(" ")) this.addEventListener(name, (event) => action(event.detail));
  }

  tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  receive(name, data) {
    if (name === "hello") this.takeHello(data);
    else if (name === "game") this.takeGame(data);
    else if (name === "state") this.takeState(data);
    else if (name === "analysis") {
      if (!this.state || data.generation !== this.state.generation) return;
      this.analysis[data.slot || 0] = data;
      if (data.task !== "compare") this.analysis[1] = null; // another search has begun: nothing to compare with any more
    } else if (name === "progress") {
      this.progress = data.final ? null : data;
      if (data.task === "compile") this.compiles = !data.final;
      if (data.mistakes) this.mistakes = data.mistakes;
    } else if (name === "engine-died") this.compiles = false;
    this.tell(name, data);
  }

  /** A connection begins. If it is not the first, the game that follows may be the one that is here. */
  takeHello(hello) {
    this.compiles = false; // or it is told
    this.hello = hello;
    this.isResuming = this.state !== null;
  }

  takeGame(game) {
    if (this.isResuming && game.name === this.game.name) return; // the state will tell whether anything is new
    const began = this.game !== null; // the first one may have been here before the page was loaded
    this.game = game;
    this.forget();
    if (began) this.tell("began");
  }

  forget() {
    this.nodes = new Map();
    this.analysis = [null, null];
    this.network = null;
    this.mistakes = null;
    this.cursor = null;
    this.drawings = new Map();
    this.override = null;
    this.walk = null;
  }

  /** Goes to a node at once; who listens for "cursor" has the server follow. */
  goTo(node) {
    this.cursor = node;
    this.override = null;
    this.tell("cursor", node);
  }

  takeState(state) {
    if (this.isResuming && (state.generation !== this.state.generation || state.link !== this.state.link)) this.forget();
    this.isResuming = false;
    const moved = !this.state || state.generation !== this.state.generation;
    if (state.tree.full) this.nodes = new Map();
    for (const node of state.tree.nodes) this.nodes.set(node.id, node);
    if (moved) {
      this.analysis = [null, null];
      this.network = null;
      this.override = null;
    }
    if (!state.certificate) this.walk = null;
    if (state.node === this.cursor || !this.nodes.has(this.cursor)) this.cursor = null;
    this.drawings.set(state.node, { ...state.position, moves: [] });
    this.state = state;
  }

  /** The drawing on the board: the position's, unless something else is shown in its place. */
  get drawing() {
    const ahead = this.isAhead && this.drawings.get(this.cursor);
    return this.override || this.walk?.position || ahead || this.state?.position || null;
  }

  /** Whether the person has gone on to a node whose position the server has not sent yet. */
  get isAhead() {
    return this.cursor !== null;
  }

  get node() {
    return this.nodes.get(this.cursor ?? this.state?.node);
  }

  /** From the root through the shown node, and on along its first children. */
  line() {
    const found = [];
    for (let node = this.node; node; node = this.nodes.get(node.parent)) found.unshift(node);
    for (let node = this.nodes.get(this.node?.children[0]); node; node = this.nodes.get(node.children[0])) found.push(node);
    return found;
  }
}
