// Small helpers to make elements. Texts are always set as text, never as HTML, so nothing in a file or a game can be markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

export const svg = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

export const byId = (id) => document.getElementById(id);

export function show(element, visible) {
  element.hidden = !visible;
}

/** Gives a file to the person: the browser's own download. */
export function download(name, data, type) {
  const address = URL.createObjectURL(new Blob([data], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** At most one call a frame, always with the latest arguments. */
export function eachFrame(action) {
  let latest = null;
  return (...values) => {
    const waiting = latest !== null;
    latest = values;
    if (!waiting) {
      requestAnimationFrame(() => {
        const given = latest;
        latest = null;
        action(...given);
      });
    }
  };
}
