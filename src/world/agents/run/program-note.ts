import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writePrivately } from '../../os/files.ts';
import { textIfThere } from '../../os/read-if-there.ts';

const NAME = 'program.txt';
/** A script somebody wrote by hand; a client's bundle is longer, and says nothing about this repository. */
const SCRIPT_BYTES_MAX = 64 * 1024;

/** Writes down what the agent is: its command line, and the scripts that it names. It may change them while it runs. */
export function noteProgram(dir: string, command: readonly string[], cwd: string): void {
  const scripts = command.filter((word) => word.includes('/') && !/\s/.test(word)).map((word) => scriptAt(cwd, word));
  writePrivately(join(dir, NAME), [...command, ...scripts].filter((text) => text !== '').join('\n'));
}

function scriptAt(cwd: string, word: string): string {
  try {
    const file = resolve(cwd, word);
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > SCRIPT_BYTES_MAX) return '';
    const text = readFileSync(file, 'utf8');
    return text.includes('\0') ? '' : text;
  } catch {
    return '';
  }
}

export const readProgram = (dir: string): string => textIfThere(join(dir, NAME));
