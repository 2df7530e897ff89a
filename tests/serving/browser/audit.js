// What a person with a keyboard, a screen reader, weak eyes or a telephone would trip over (WCAG 2.2,
// AA), as sentences. Only what is shown is looked at.
const faults = [];
const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary, "
  + "[role=button], [role=tab], [role=option], [role=switch], [tabindex]:not([tabindex='-1'])";
const SMALLEST = 24; // pixels of a target: 2.5.8

const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const all = (selector, root = document) => [...root.querySelectorAll(selector)].filter(isShown);
const words = (text) => (text || "").replace(/\s+/g, " ").trim();

function path(element) {
  const name = element.localName + (element.id ? `#${element.id}` : "");
  const classes = [...element.classList].map((each) => `.${each}`).join("");
  const text = words(element.textContent).slice(0, 30);
  return `<${name}${classes}>${text ? ` "${text}"` : ""}`;
}

function nameOf(element) {
  const by = element.getAttribute("aria-labelledby");
  if (by) return words(by.split(/\s+/).map((id) => document.getElementById(id)?.textContent).join(" "));
  if (element.getAttribute("aria-label")) return words(element.getAttribute("aria-label"));
  if (element.labels?.length) return words([...element.labels].map((label) => label.textContent).join(" "));
  if (element.localName === "img") return words(element.alt);
  const title = element.querySelector?.(":scope > title");
  if (element.localName === "svg") return words(title?.textContent);
  const spoken = [...element.querySelectorAll("img[alt], [aria-label]")];
  const inside = spoken.map((each) => each.alt || each.getAttribute("aria-label")).join(" ");
  const isField = ["input", "select", "textarea"].includes(element.localName);
  return words((isField ? "" : element.textContent) + inside) || words(element.title);
}

// Names: 4.1.2, 1.1.1, 1.3.1
for (const control of all(CONTROLS)) {
  if (!nameOf(control)) faults.push(`${path(control)} has no name`);
}
for (const picture of all("img, svg, canvas, [role=img]")) {
  const isHidden = picture.closest("[aria-hidden=true]") || picture.getAttribute("alt") === "";
  const outer = picture.parentElement?.closest("[role=img]");
  if (!isHidden && !outer && !nameOf(picture)) faults.push(`${path(picture)} has no label`);
}
for (const table of all("table")) {
  if (!table.caption && !nameOf(table.cloneNode())) faults.push(`${path(table)} has no caption`);
  if (!table.querySelector("th[scope]")) faults.push(`${path(table)} has no header with a scope`);
}

// Structure: 2.4.2, 3.1.1, 1.3.1, 2.4.3
if (!document.documentElement.lang) faults.push("html has no lang");
if (!words(document.title)) faults.push("the page has no title");
if (all("main").length !== 1) faults.push(`the page has ${all("main").length} main parts`);
let level = 0;
const headings = all("h1, h2, h3, h4, h5, h6");
if (all("h1").length !== 1) faults.push(`the page has ${all("h1").length} h1`);
for (const heading of headings) {
  const next = Number(heading.localName[1]);
  if (next > level + 1) faults.push(`${path(heading)} follows h${level}`);
  if (!words(heading.textContent)) faults.push(`${path(heading)} is empty`);
  level = next;
}
for (const element of document.querySelectorAll("[tabindex]")) {
  if (element.tabIndex > 0) faults.push(`${path(element)} has a positive tabindex`);
}
const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
for (const id of new Set(ids.filter((each, place) => ids.indexOf(each) !== place))) {
  faults.push(`two elements have the id ${id}`);
}
for (const relation of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
  for (const element of document.querySelectorAll(`[${relation}]`)) {
    for (const id of element.getAttribute(relation).split(/\s+/)) {
      if (!document.getElementById(id)) faults.push(`${path(element)} names ${id}, which is nowhere`);
    }
  }
}
for (const element of document.querySelectorAll("[aria-hidden=true] :is(button, a[href], input, select)")) {
  if (isShown(element)) faults.push(`${path(element)} takes the focus and is hidden from screen readers`);
}

// Sizes: 1.4.10, 2.5.8, 1.4.4
const page = document.documentElement;
if (page.scrollWidth > window.innerWidth) {
  const edge = window.innerWidth + 1;
  const wide = all("body *").find((element) => element.getBoundingClientRect().right > edge);
  faults.push(`the page is ${page.scrollWidth} pixels wide; ${wide ? path(wide) : "something"} is wider`);
}
for (const control of all(CONTROLS)) {
  const boxes = [control, ...(control.labels ?? [])].map((each) => each.getBoundingClientRect());
  const [width, height] = ["width", "height"].map((side) => Math.max(...boxes.map((box) => box[side])));
  const inText = getComputedStyle(control).display === "inline" && control.closest("p, li, td, .text");
  if (!inText && (width < SMALLEST || height < SMALLEST)) {
    faults.push(`${path(control)} is ${Math.round(width)} x ${Math.round(height)} pixels`);
  }
}
for (const field of all("input, select, textarea")) {
  const size = parseFloat(getComputedStyle(field).fontSize);
  if (window.innerWidth < 500 && size < 16 && !["checkbox", "radio", "range", "file"].includes(field.type)) {
    faults.push(`${path(field)} has letters of ${size} pixels, so a telephone zooms in`);
  }
}

// Contrast: 1.4.3. A color of CSS becomes numbers by painting it.
const brush = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
  .getContext("2d", { willReadFrequently: true });
function parsed(color) {
  brush.clearRect(0, 0, 1, 1);
  brush.fillStyle = color;
  brush.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}
const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
function ancestors(element) {
  const found = [];
  for (let each = element; each; each = each.parentElement) found.push(each);
  return found;
}
function background(element) {
  const canvas = parsed(getComputedStyle(page).colorScheme.includes("dark") ? "Canvas" : "white");
  const layers = ancestors(element).map((each) => parsed(getComputedStyle(each).backgroundColor));
  return layers.reverse().reduce((below, layer) => over(layer, below), canvas);
}
function luminance(color) {
  const [red, green, blue] = color.map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
const rounded = (number) => Math.floor(number * 100) / 100;

function checkText(element, color, what) {
  const style = getComputedStyle(element);
  const size = parseFloat(style.fontSize);
  const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
  const below = background(element);
  const paint = parsed(color);
  paint[3] *= ancestors(element).reduce((share, each) => share * Number(getComputedStyle(each).opacity), 1);
  const found = contrast(over(paint, below), below);
  if (found < least) faults.push(`${what} of ${path(element)} has a contrast of ${rounded(found)}`);
}
const isOff = (element) => element.closest(":disabled, [aria-disabled=true]");
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  const isText = words(texts.currentNode.data) && !["SCRIPT", "STYLE", "OPTION"].includes(element.tagName);
  if (!isText || !isShown(element) || isOff(element)) continue;
  const isDrawn = element.closest("svg") && element.namespaceURI.endsWith("svg");
  if (isDrawn && element.closest("title, desc")) continue;
  checkText(element, isDrawn ? getComputedStyle(element).fill : getComputedStyle(element).color, "the text");
}
for (const field of all("input, textarea, select")) {
  if (isOff(field)) continue;
  checkText(field, getComputedStyle(field).color, "the text");
  if (field.placeholder) checkText(field, getComputedStyle(field, "::placeholder").color, "the placeholder");
  // What shows where a field is: 1.4.11
  if (["checkbox", "radio", "range", "file"].includes(field.type)) continue;
  const outside = background(field.parentElement);
  const edges = [over(parsed(getComputedStyle(field).borderBottomColor), outside), background(field)];
  const best = Math.max(...edges.map((edge) => contrast(edge, outside)));
  if (best < 3) faults.push(`the edge of ${path(field)} has a contrast of ${rounded(best)}`);
}
return [...new Set(faults)];
