// What somebody needs who sees a game for the first time: its goal, its rules and a picture of a game that is won.

import { byId, el, show } from "./dom.js";
import { pictureOf } from "./picture.js";
import { T } from "./strings.js";

/** The words and the picture; none of a game of the user's own that has no words. */
export function guideOf(game) {
  const { goal, how_to_play: rules, click, example } = game.guide;
  const words = [goal && el("p", {}, el("strong", {}, goal)), rules && el("p", {}, rules), el("p", {}, click)];
  return el("div", { class: "guide" },
    example && goal ? el("figure", {}, pictureOf(example.board, example.position), el("figcaption", {}, captionOf(example))) : "",
    ...words.filter(Boolean));
}

const captionOf = ({ board, position }) => (board.puzzle ? T.exampleStart : T.exampleEnd(position.result));

/** The rules beside the board: open at the start of a game, and until the person closes them. */
export class Guide {
  constructor(model) {
    const box = byId("guide");
    model.on("game", (game) => {
      byId("guide-title").textContent = T.rulesOf(game.title);
      byId("guide-text").replaceChildren(guideOf(game));
      show(box, true);
      this.ply = null;
    });
    model.on("state", ({ ply }) => {
      if (this.ply === null) box.open = ply === 0 && Boolean(model.game.guide.goal);
      else if (ply > 0 && this.ply === 0) box.open = false;
      this.ply = ply;
    });
  }
}
