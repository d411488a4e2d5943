// Text with colours, as a terminal shows it, into a picture that any browser shows.

const COLUMN_PX = 8.4;
const ROW_PX = 19;
const PAD_PX = 14;
const BAR_PX = 30;
const COLOURS = {
  30: '#484f58',
  31: '#ff7b72',
  32: '#3fb950',
  33: '#d29922',
  34: '#58a6ff',
  35: '#bc8cff',
  36: '#39c5cf',
  37: '#b1bac4',
  90: '#8b949e',
};
// oxlint-disable-next-line no-control-regex
const SGR = /\u001b\[([0-9;]*)m/g;
// oxlint-disable-next-line no-control-regex
const OTHER_CODES = /\u001b(?:\[[0-9;?<>=]*[A-Za-ln-z]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function applied(style, codes) {
  let next = style;
  for (const code of codes === '' ? ['0'] : codes.split(';')) {
    const n = Number(code);
    if (n === 0) next = {};
    else if (n === 1) next = { ...next, bold: true };
    else if (n === 2) next = { ...next, dim: true };
    else if (n === 7) next = { ...next, inverse: true };
    else if (n === 22) next = { ...next, bold: false, dim: false };
    else if (n === 27) next = { ...next, inverse: false };
    else if (n === 39) next = { ...next, colour: undefined };
    else if (COLOURS[n] !== undefined) next = { ...next, colour: COLOURS[n] };
  }
  return next;
}

/** The runs of one line, each with one style; styles go over into the next line as in a terminal. */
function runsOf(line, style) {
  const runs = [];
  let now = style;
  let at = 0;
  for (const match of line.matchAll(SGR)) {
    if (match.index > at) runs.push({ text: line.slice(at, match.index), style: now });
    now = applied(now, match[1] ?? '');
    at = match.index + match[0].length;
  }
  if (at < line.length) runs.push({ text: line.slice(at), style: now });
  return { runs, style: now };
}

function drawn({ text, style }, column, y) {
  const x = PAD_PX + column * COLUMN_PX;
  const width = text.length * COLUMN_PX;
  const fill = style.inverse ? '#0d1117' : (style.colour ?? (style.dim ? '#8b949e' : '#e6edf3'));
  const weight = style.bold ? ' font-weight="bold"' : '';
  const back = style.inverse
    ? `<rect x="${x.toFixed(1)}" y="${y - 14}" width="${width.toFixed(1)}" height="${ROW_PX}" fill="${style.colour ?? '#e6edf3'}"/>`
    : '';
  // A browser may drop blanks, at either end of a text or of several together: each word group is put where it belongs.
  const words = [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: group, index }) => {
    const from = (x + index * COLUMN_PX).toFixed(1);
    const length = (group.length * COLUMN_PX).toFixed(1);
    return `<text x="${from}" y="${y}" fill="${fill}"${weight} textLength="${length}">${escaped(group)}</text>`;
  });
  return back + words.join('');
}

/** One picture of a terminal; `title` is in its bar and for screen readers. */
export function terminalSvg(text, { title, columns }) {
  const lines = text.replaceAll(OTHER_CODES, '').replaceAll('\r', '').replace(/\n+$/, '').split('\n');
  const width = Math.ceil(columns * COLUMN_PX + 2 * PAD_PX);
  const height = Math.ceil(lines.length * ROW_PX + 2 * PAD_PX + BAR_PX);
  const rows = [];
  let style = {};
  for (const [n, line] of lines.entries()) {
    const made = runsOf(line, style);
    style = made.style;
    let column = 0;
    for (const run of made.runs) {
      rows.push(drawn(run, column, BAR_PX + PAD_PX + 14 + n * ROW_PX));
      column += run.text.length;
    }
  }
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, n) => `<circle cx="${18 + n * 18}" cy="15" r="5.5" fill="${fill}"/>`,
  );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...dots,
    `<text x="${width / 2}" y="20" fill="#8b949e" font-family="sans-serif" font-size="13" text-anchor="middle">${escaped(title)}</text>`,
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" style="white-space: pre">`,
    ...rows.filter((row) => row !== ''),
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}
