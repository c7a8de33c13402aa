// A picture of the board as a file. The same strokes are written as SVG or painted on a canvas for PNG, with colours of
// their own: a file needs nothing of the page.

import { svg } from "./dom.js";
import { HEXAGON } from "./turn.js";

const COLOURS = {
  black: "#22252b", white: "#fdfdfb", red: "#c8443b", yellow: "#f0c23b", blue: "#3a7bc8", orange: "#e08a2e",
  green: "#4aa36c", purple: "#8d63c0", pink: "#e58bb4", grey: "#9aa0a6", brown: "#96694a",
};
const SURFACES = {
  plain: ["#eef1f4", "#c3cad2"], wood: ["#e3b56b", "#6b4a1c"], rack: ["#2b62b0", "#1b4480"],
  hex: ["#f3ead6", "#a8997a"], chequered: ["#ecdcb9", "#b99b6b"], paper: ["#fbfaf5", "#8a8f96"],
};

/** The strokes of a picture: each is one shape with its colours, in units of the board. */
export function strokes(about, now) {
  const [face, line] = SURFACES[about.surface];
  const places = new Map(about.places.map((place) => [place.name, place]));
  const drawn = [];
  const add = (kind, shape, fill, stroke = null, width = 0.03) => drawn.push({ kind, ...shape, fill, stroke, width });
  if (about.ground) add("polygon", { points: box(...about.ground) }, face, line);
  for (const side of about.borders) add("polygon", { points: side.outline }, COLOURS[about.players[side.player].colour], line);
  for (const { x, y, shape, row, column } of about.places) {
    if (shape === "hex") add("polygon", { points: HEXAGON.map(([dx, dy]) => [x + dx, y + dy]) }, face, line);
    else if (shape === "cell" && about.surface === "rack") add("circle", { x, y, r: 0.41 }, "#e9eef6");
    else if (shape === "cell") add("polygon", { points: box(x - 0.5, y - 0.5, 1, 1) }, about.surface === "chequered" && (row + column) % 2 ? "#d9c294" : face, line, 0.02);
    else if (shape === "across") add("polygon", { points: [[x - 0.5, y], [x + 0.5, y]] }, null, "#d5d8dc", 0.02);
    else if (shape === "down") add("polygon", { points: [[x, y - 0.5], [x, y + 0.5]] }, null, "#d5d8dc", 0.02);
  }
  for (const [x1, y1, x2, y2] of [...about.lines, ...about.faint_lines]) add("polygon", { points: [[x1, y1], [x2, y2]] }, null, line);
  for (const [x, y] of about.dots) add("circle", { x, y, r: 0.09 }, line);
  for (const label of about.labels) add("text", { x: label.x, y: label.y, text: label.text, size: 0.34 }, "#7d838a");
  for (const piece of now.pieces) {
    const place = places.get(piece.at);
    const { x, y } = place;
    const colour = COLOURS[piece.colour || about.players[piece.player].colour];
    if (piece.shape === "stone" || piece.shape === "disc") add("circle", { x, y, r: piece.shape === "stone" ? 0.47 : 0.41 }, colour, "#00000080");
    else if (piece.shape === "tile") add("polygon", { points: box(x - 0.45, y - 0.45, 0.9, 0.9) }, colour);
    else if (piece.shape === "line") add("polygon", { points: place.shape === "across" ? [[x - 0.5, y], [x + 0.5, y]] : [[x, y - 0.5], [x, y + 0.5]] }, null, colour, 0.12);
    else if (piece.sign === "x") {
      add("polygon", { points: [[x - 0.28, y - 0.28], [x + 0.28, y + 0.28]] }, null, colour, 0.14);
      add("polygon", { points: [[x - 0.28, y + 0.28], [x + 0.28, y - 0.28]] }, null, colour, 0.14);
    } else add("circle", { x, y, r: 0.3 }, null, colour, 0.13);
    if (piece.sign && piece.shape !== "glyph") add("text", { x, y, text: piece.sign, size: 0.42 }, colour === COLOURS.yellow || colour === COLOURS.white ? "#222" : "#fff");
  }
  for (const { at: name, player } of now.territory || []) add("polygon", { points: box(places.get(name).x - 0.14, places.get(name).y - 0.14, 0.28, 0.28) }, COLOURS[about.players[player].colour]);
  for (const name of now.won || []) add("circle", { ...at(places, name), r: 0.46 }, null, "#1f9d6b", 0.1);
  for (const mark of now.marks) add("text", { ...at(places, mark.at), text: mark.text, size: 0.34 }, "#3d2c10");
  const last = now.last?.at.length && !about.puzzle ? places.get(now.last.at[now.last.at.length - 1]) : null;
  if (last) add("circle", { x: last.x, y: last.y, r: 0.16 }, null, "#d0342c", 0.07);
  return drawn;
}

const box = (x, y, width, height) => [[x, y], [x + width, y], [x + width, y + height], [x, y + height]];
const at = (places, name) => ({ x: places.get(name).x, y: places.get(name).y });
const escaped = (text) => String(text).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const short = (value) => Number(value.toFixed(3));

export function svgText(about, now) {
  const [left, top, width, height] = about.view;
  const paint = ({ fill, stroke, width: thick }) => `fill="${fill || "none"}"${stroke ? ` stroke="${stroke}" stroke-width="${thick}"` : ""}`;
  const parts = strokes(about, now).map((one) => {
    if (one.kind === "circle") return `<circle cx="${short(one.x)}" cy="${short(one.y)}" r="${one.r}" ${paint(one)}/>`;
    if (one.kind === "text") return `<text x="${short(one.x)}" y="${short(one.y + one.size * 0.36)}" font-size="${one.size}" text-anchor="middle" fill="${one.fill}">${escaped(one.text)}</text>`;
    return `<polygon points="${one.points.map((spot) => spot.map(short).join(",")).join(" ")}" ${paint(one)}/>`;
  });
  const size = `width="${Math.round(width * 40)}" height="${Math.round(height * 40)}"`;
  return `<svg data-tesuji="board" xmlns="http://www.w3.org/2000/svg" viewBox="${about.view.join(" ")}" ${size} font-family="system-ui, sans-serif"><title>${escaped(about.title)}</title>${parts.join("")}</svg>\n`;
}

/** The same as an element of the page. */
export function pictureOf(about, now) {
  const shapes = strokes({ ...about, labels: [] }, now).map(({ kind, fill, stroke, width, ...one }) => {
    const paint = { fill: fill || "none", stroke, "stroke-width": stroke ? width : null };
    if (kind === "circle") return svg("circle", { cx: one.x, cy: one.y, r: one.r, ...paint });
    if (kind === "text") return svg("text", { x: one.x, y: one.y + one.size * 0.36, "font-size": one.size, "text-anchor": "middle", fill }, one.text);
    return svg("polygon", { points: one.points.map((spot) => spot.join(",")).join(" "), ...paint });
  });
  return svg("svg", { class: "small-board", viewBox: framed(about).join(" "), role: "img", "aria-label": `${about.title}: ${now.result || about.title}` }, ...shapes);
}

/** The part of the picture that has no labels. */
function framed(about) {
  const spots = [...about.places.map(({ x, y }) => [x, y]), ...about.borders.flatMap((side) => side.outline)];
  const [xs, ys] = [spots.map(([x]) => x), spots.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs) - 0.7, Math.min(...ys) - 0.7];
  return [left, top, Math.max(...xs) + 0.7 - left, Math.max(...ys) + 0.7 - top].map(short);
}

export function pngBlob(about, now, scale = 64) {
  const [left, top, width, height] = about.view;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  const paint = canvas.getContext("2d");
  paint.fillStyle = "#ffffff";
  paint.fillRect(0, 0, canvas.width, canvas.height);
  paint.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
  for (const one of strokes(about, now)) {
    paint.beginPath();
    if (one.kind === "circle") paint.arc(one.x, one.y, one.r, 0, 2 * Math.PI);
    else if (one.kind === "polygon") {
      one.points.forEach(([x, y], index) => (index ? paint.lineTo(x, y) : paint.moveTo(x, y)));
      paint.closePath();
    } else {
      paint.font = `${one.size}px system-ui, sans-serif`;
      paint.textAlign = "center";
      paint.fillStyle = one.fill;
      paint.fillText(one.text, one.x, one.y + one.size * 0.36);
      continue;
    }
    if (one.fill) (paint.fillStyle = one.fill), paint.fill();
    if (one.stroke) (paint.strokeStyle = one.stroke), (paint.lineWidth = one.width), paint.stroke();
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
