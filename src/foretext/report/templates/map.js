"use strict";

// The map of words can be searched, zoomed by the wheel, moved and, by a double click, reset.
// Without this script it is a picture with the names that have room.

for (const map of document.querySelectorAll(".map")) {
  const plot = map.querySelector("svg.clip");
  const whole = { left: 0, top: 0, size: 1 }; // the part of the map that is shown
  let shown = { ...whole };
  let held = null;
  const named = [...plot.querySelectorAll("svg.name")];
  const words = [...plot.querySelectorAll("svg.word")].map((point, index) => ({
    point,
    text: named[index],
    x: parseFloat(point.getAttribute("x")) / 100,
    y: parseFloat(point.getAttribute("y")) / 100,
    level: Number(named[index].dataset.level),
    name: named[index].textContent.toLowerCase(),
  }));
  const find = map.querySelector(".find");
  const input = find.querySelector("input");
  find.hidden = false;

  function draw() {
    const start = input.value.toLowerCase();
    const roomy = 1 / shown.size;
    for (const { point, text, x, y, level, name } of words) {
      const isFound = start !== "" && name.startsWith(start);
      for (const part of [point, text]) {
        part.setAttribute("x", `${(100 * (x - shown.left)) / shown.size}%`);
        part.setAttribute("y", `${(100 * (y - shown.top)) / shown.size}%`);
        part.classList.toggle("found", isFound);
        part.classList.toggle("other", start !== "" && !isFound);
      }
      text.classList.toggle("far", !isFound && (start !== "" || level > roomy));
    }
  }

  function position(event) {
    const box = plot.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  plot.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [x, y] = position(event);
    const size = Math.min(Math.max(shown.size * 1.0015 ** event.deltaY, 0.02), 4);
    shown = { left: shown.left + x * (shown.size - size), top: shown.top + y * (shown.size - size), size };
    draw();
  }, { passive: false });
  plot.addEventListener("pointerdown", (event) => {
    held = position(event);
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y] = position(event);
    shown = { ...shown, left: shown.left + (held[0] - x) * shown.size, top: shown.top + (held[1] - y) * shown.size };
    held = [x, y];
    draw();
  });
  for (const ending of ["pointerup", "pointercancel"]) plot.addEventListener(ending, () => { held = null; });
  plot.addEventListener("dblclick", () => {
    shown = { ...whole };
    draw();
  });
  input.addEventListener("input", draw);
}
