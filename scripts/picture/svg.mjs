// A screen as an SVG that is read in the light and in the dark.

const [WIDE, HIGH, EDGE] = [8.4, 19, 16];

const STYLE = `
  .window { fill: #ffffff; stroke: #d0d7de; }
  text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre; }
  .bold { font-weight: 600; }
  .dim { fill: #59636e; }
  .cursor { fill: #1f2328; }
  .inverse { fill: #ffffff; }
  .red { fill: #c4122f; }
  .green { fill: #116329; }
  .yellow { fill: #8a5a00; }
  .blue { fill: #0550ae; }
  .magenta { fill: #8250df; }
  .cyan { fill: #1b6e7a; }
  @media (prefers-color-scheme: dark) {
    .window { fill: #0d1117; stroke: #3d444d; }
    text { fill: #f0f6fc; }
    .dim { fill: #9198a1; }
    .cursor { fill: #f0f6fc; }
    .inverse { fill: #0d1117; }
    .red { fill: #ff7b72; }
    .green { fill: #56d364; }
    .yellow { fill: #e3b341; }
    .blue { fill: #79c0ff; }
    .magenta { fill: #d2a8ff; }
    .cyan { fill: #76d9e6; }
  }
`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const classesOf = ({ bold, dim, inverse, colour }) =>
  [bold && 'bold', dim && 'dim', inverse ? 'inverse' : colour].filter(Boolean).join(' ');

/** Cells of one look that stand together: where they begin, and their text. */
const runsOf = (cells) => {
  const runs = [];
  for (const [at, { text, look }] of cells.entries()) {
    const classes = classesOf(look);
    const last = runs.at(-1);
    if (last?.classes === classes) last.text += text;
    else runs.push({ at, classes, text });
  }
  return runs.flatMap(({ at, classes, text }) => {
    const begin = text.length - text.trimStart().length;
    return text.trim() === '' ? [] : [{ at: at + begin, classes, text: text.trim() }];
  });
};

// Each run has its place and its length, so that columns stand below each other in any font.
const runOf = ({ at, classes, text }) => {
  const length = [...text].length;
  const fit = `x="${(EDGE + at * WIDE).toFixed(1)}" textLength="${(length * WIDE).toFixed(1)}"`;
  return `<tspan ${fit}${classes === '' ? '' : ` class="${classes}"`}>${escaped(text)}</tspan>`;
};

/** What stands behind cells in inverse: one bar from the first to the last of a line. */
const barOf = (cells, row) => {
  const [first, last] = [
    cells.findIndex(({ look }) => look.inverse),
    cells.findLastIndex(({ look }) => look.inverse),
  ];
  if (first < 0) return '';
  const [x, width] = [EDGE + first * WIDE, (last - first + 1) * WIDE];
  return `<rect class="cursor" x="${x.toFixed(1)}" y="${EDGE + row * HIGH}" width="${width.toFixed(1)}" height="${HIGH}"/>\n`;
};

export const svgOf = (lines, title) => {
  const [width, height] = [lines[0].length * WIDE + 2 * EDGE, lines.length * HIGH + 2 * EDGE];
  const rows = lines.flatMap((cells, row) => {
    const runs = runsOf(cells).map(runOf).join('');
    return runs === '' ? [] : [`${barOf(cells, row)}<text y="${EDGE + row * HIGH + 14}">${runs}</text>`];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(1)} ${height}" width="${width.toFixed(1)}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<rect class="window" x="0.5" y="0.5" width="${(width - 1).toFixed(1)}" height="${height - 1}" rx="8"/>
${rows.join('\n')}
</svg>
`;
};
