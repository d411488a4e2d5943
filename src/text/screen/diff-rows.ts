import { cleanLine, cutChars } from './clean.ts';

/** Where a row of a diff stands in a file. */
export interface DiffPlace {
  readonly path: string;
  /** `old`: the line is gone now. */
  readonly side: 'old' | 'new';
  readonly line: number;
  readonly code: string;
}

export interface DiffRow {
  readonly text: string;
  readonly kind: 'file' | 'hunk' | 'added' | 'removed' | 'same' | 'other';
  /** Null: nothing that could be spoken about. */
  readonly place: DiffPlace | null;
}

const ROW_CHARS_MAX = 1000;
const NUMBER_WIDTH = 5;

/** A diff as git prints it, row by row, with the number each line has before and after. */
export function diffRows(patch: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let names = { old: '', new: '' };
  let at: { old: number; new: number } | null = null;
  let left = { old: 0, new: 0 };
  const other = (text: string, kind: DiffRow['kind'] = 'other'): void =>
    void rows.push({ text: shown(text), kind, place: null });

  for (const line of patch.split('\n')) {
    const isInside: boolean = at !== null && (left.old > 0 || left.new > 0);
    const hunk: RegExpExecArray | null = isInside ? null : /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      at = { old: Number(hunk[1]), new: Number(hunk[3]) };
      left = { old: Number(hunk[2] ?? 1), new: Number(hunk[4] ?? 1) };
      other(line, 'hunk');
    } else if (at !== null && isInside && /^[ +\\-]|^$/.test(line)) {
      const sign = line === '' ? ' ' : line.charAt(0);
      if (sign === '\\') {
        other(line);
        continue;
      }
      const side = sign === '-' ? 'old' : 'new';
      const code = line.slice(1);
      const numbers = [sign === '+' ? '' : String(at.old), sign === '-' ? '' : String(at.new)];
      rows.push({
        text: `${numbers.map((one) => one.padStart(NUMBER_WIDTH)).join('')} ${sign} ${shown(code)}`,
        kind: sign === '+' ? 'added' : sign === '-' ? 'removed' : 'same',
        place: { path: side === 'old' ? names.old : names.new, side, line: at[side], code },
      });
      if (sign !== '+') [at.old, left.old] = [at.old + 1, left.old - 1];
      if (sign !== '-') [at.new, left.new] = [at.new + 1, left.new - 1];
    } else if (line.startsWith('diff --git ')) {
      at = null;
      names = { old: '', new: '' };
      other(line.slice('diff --git '.length), 'file');
    } else if (line.startsWith('--- ')) names.old = nameOf(line);
    else if (line.startsWith('+++ ')) {
      names.new = nameOf(line);
      const [named, file] = [
        rows.findLastIndex(({ kind }) => kind === 'file'),
        names.new === '' ? names.old : names.new,
      ];
      const row = rows[named];
      if (row !== undefined) rows[named] = { ...row, text: shown(file) };
    } else if (line !== '' && !line.startsWith('index ')) other(line);
  }
  return rows;
}

/** As in `--- a/src/a.ts`; git puts names with strange bytes into quotes, and `/dev/null` is no name. */
const nameOf = (line: string): string => /^(?:---|\+\+\+) "?[ab]\/(.*?)"?\t?$/.exec(line)?.[1] ?? '';

/** With its blanks at the beginning, and tabs as wide as most show them. */
function shown(text: string): string {
  const begin = /^[ \t]*/.exec(text)?.[0] ?? '';
  const rest = cleanLine(cutChars(text.slice(begin.length), ROW_CHARS_MAX).replaceAll('\t', '  '));
  return `${begin.replaceAll('\t', '    ').slice(0, ROW_CHARS_MAX)}${rest}`;
}
