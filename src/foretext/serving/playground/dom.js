// Elements by name, attributes and children. Text is always text: nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";

/** h("button", {type: "button", onclick: run}, "Run"); null and false children are left out. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for elements of a picture. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== false));
  return element;
}

/** A width in percent: set by script, because the page allows no style in its attributes. */
export function wide(element, share) {
  element.style.width = `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;
  return element;
}
