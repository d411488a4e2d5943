const NAME_CHARS_MAX = 40;

/** A name tmux takes as it is: no colon and no dot, which it reads as places, and nothing it expands. */
export function tmuxName(text: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, NAME_CHARS_MAX);
  return name === '' ? 'ralph' : name;
}

/** A free name: the wished one, else with the first free number. */
export function freeName(wished: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wished)) return wished;
  for (let n = 2; ; n += 1) if (!taken.has(`${wished}-${n}`)) return `${wished}-${n}`;
}

/** A folder as an argument of tmux: it expands # and takes a semicolon at the end of any word for the next command. */
export function tmuxFolder(path: string): string {
  return path.replaceAll('#', '##').replace(/;$/, '\\;');
}

/** What a terminal that knows OSC 52 puts on the clipboard by itself. */
export const clipboardSequence = (base64: string): string => `\u001b]52;c;${base64}\u0007`;
