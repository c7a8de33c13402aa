// Drawing the pointer from one place of the board to another: a piece that follows it, or a rectangle for whoever wants one.

const LEAST = 6; // pixels before it is no click any more

export class Drag {
  constructor(board) {
    this.board = board;
    this.from = null;
    const { picture } = board;
    picture.addEventListener("pointerdown", (event) => this.begin(event));
    picture.addEventListener("pointermove", (event) => this.move(event));
    picture.addEventListener("pointerup", (event) => this.end(event));
    picture.addEventListener("pointercancel", () => this.drop());
    picture.addEventListener("click", (event) => this.wasDrawn && (event.stopImmediatePropagation(), (this.wasDrawn = false)), { capture: true });
  }

  begin(event) {
    this.wasDrawn = false;
    const name = event.target.closest?.(".place")?.dataset.name;
    if (!name || event.button !== 0) return;
    Object.assign(this, { from: name, x: event.clientX, y: event.clientY, isDrawn: false });
  }

  move(event) {
    if (this.from === null) return;
    const { board } = this;
    if (!this.isDrawn && Math.hypot(event.clientX - this.x, event.clientY - this.y) < LEAST) return;
    if (!this.isDrawn) {
      this.isDrawn = true;
      if (board.about.input === "from-to" && board.interactive && board.byPlace.has(this.from)) board.select(this.from);
    }
    const piece = board.selected === this.from ? board.shown.get(this.from) : null;
    if (!piece) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.picture.getScreenCTM().inverse());
    piece.setAttribute("transform", `translate(${x} ${y})`);
    piece.parentNode.append(piece); // above the others
  }

  end(event) {
    const { board, from, isDrawn } = this;
    if (from === null) return;
    this.from = null;
    if (!isDrawn) return;
    this.wasDrawn = true;
    // A finger's events go to where it began, so the place is looked up.
    const to = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".place")?.dataset.name;
    const isPiece = board.selected === from;
    this.putBack(from);
    if (to === undefined || to === from) return isPiece ? board.select(null) : null;
    if (board.drag?.(from, to)) return null;
    return isPiece ? board.press(to) : null;
  }

  drop() {
    if (this.from !== null && this.isDrawn) this.putBack(this.from);
    this.from = null;
  }

  putBack(name) {
    const place = this.board.places.get(name);
    this.board.shown?.get(name)?.setAttribute("transform", `translate(${place.x} ${place.y})`);
  }
}
