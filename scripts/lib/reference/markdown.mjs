const GENERATED = '<!-- Made by `npm run docs`; edit the source named below, not this page. -->';

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A Markdown table. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const code = (text) => `\`${text}\``;

/** A page of the reference: says where it comes from, ends with one newline. */
export function page({ title, source, intro, blocks }) {
  return `${[GENERATED, `# ${title}`, `Source: [\`${source}\`](../../${source})`, intro, ...blocks].join('\n\n').trimEnd()}\n`;
}
