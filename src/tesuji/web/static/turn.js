// The plane of a board of hexagons, turned so that a rhombus of cells stands on its side: a diamond.

const HEX = 1 / Math.sqrt(3);
export const HEXAGON = [[0, -HEX], [0.5, -HEX / 2], [0.5, HEX / 2], [0, HEX], [-0.5, HEX / 2], [-0.5, -HEX / 2]];
const [COS, SIN] = [Math.cos(-Math.PI / 6), Math.sin(-Math.PI / 6)];
const MARGIN = 0.25;

const turned = ([x, y]) => [x * COS - y * SIN, x * SIN + y * COS];
const turnedAt = (one) => {
  const [x, y] = turned([one.x, one.y]);
  return { ...one, x, y };
};

/** The description of a board, turned by 30 degrees against the clock. */
export function asDiamond(about) {
  const outline = HEXAGON.map(turned);
  const places = about.places.map((place) => ({ ...turnedAt(place), outline: place.shape === "hex" ? outline : undefined }));
  const labels = about.labels.map(turnedAt);
  const borders = about.borders.map((side) => ({ ...side, outline: side.outline.map(turned) }));
  const line = ([x1, y1, x2, y2]) => [...turned([x1, y1]), ...turned([x2, y2])];
  const spots = [...places.flatMap(({ x, y }) => [[x - 0.6, y - 0.6], [x + 0.6, y + 0.6]]), ...labels.map(({ x, y }) => [x, y]), ...borders.flatMap((side) => side.outline)];
  const [xs, ys] = [spots.map(([x]) => x), spots.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs) - MARGIN, Math.min(...ys) - MARGIN];
  const view = [left, top, Math.max(...xs) + MARGIN - left, Math.max(...ys) + MARGIN - top];
  return { ...about, places, labels, borders, view, lines: about.lines.map(line), faint_lines: about.faint_lines.map(line), dots: about.dots.map(turned) };
}
