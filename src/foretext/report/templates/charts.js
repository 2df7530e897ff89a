"use strict";

// Draws every chart of the page in the colours of its scheme, and again when the scheme changes.

function theme() {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const font = style.fontFamily;
  const text = { labelFont: font, titleFont: font, labelColor: color("--soft"), titleColor: color("--soft") };
  return {
    background: "transparent",
    font: font,
    view: { stroke: null },
    mark: { color: color("--series-1") },
    rule: { color: color("--soft") },
    tick: { color: color("--ink") },
    range: {
      category: [1, 2, 3, 4, 5, 6, 7, 8].map((number) => color(`--series-${number}`)),
      heatmap: [color("--paper"), color("--series-1")],
      ordinal: [color("--ink"), color("--card")],
    },
    axis: {
      ...text,
      domainColor: color("--line"),
      gridColor: color("--line"),
      tickColor: color("--line"),
      labelFontSize: 12,
      titleFontSize: 12,
      titleFontWeight: "normal",
      titlePadding: 10,
    },
    axisX: {
      labelFlush: false,
      labelOverlap: "greedy",
      labelSeparation: 8,
      tickCount: { expr: "ceil(width / 80)" },
    },
    axisY: { domain: false, ticks: false },
    legend: { ...text, labelFontSize: 13, symbolType: "stroke", symbolStrokeWidth: 3 },
    text: { font: font, fill: color("--ink") },
  };
}

function draw() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  for (const place of document.querySelectorAll("[data-chart]")) {
    const specification = JSON.parse(document.getElementById(place.dataset.chart).textContent);
    vegaEmbed(place, specification, {
      mode: "vega-lite",
      actions: false,
      config: theme(),
      renderer: "svg",
      tooltip: { theme: dark ? "dark" : "light" },
    }).catch((error) => {
      place.textContent = `${place.dataset.failure} ${error.message}`;
    });
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();
