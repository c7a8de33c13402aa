// Fields of forms, each with its label.

import { el } from "./dom.js";

let numbers = 0;

/** A label and the field that it belongs to. */
export function field(label, input, help = "") {
  const id = `field-${++numbers}`;
  input.id = id;
  const note = help ? el("small", { id: `${id}-help` }, help) : "";
  if (help) input.setAttribute("aria-describedby", `${id}-help`);
  return el("div", { class: "field" }, el("label", { for: id }, label), input, note);
}

export const select = (values, chosen, attributes = {}) => {
  const list = el("select", attributes, ...values.map(([value, text]) => el("option", { value }, text)));
  list.value = chosen;
  return list;
};
