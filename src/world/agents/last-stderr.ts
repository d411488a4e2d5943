import { join } from 'node:path';
import { cleanLine } from '../../text/screen/clean.ts';
import type { Repository } from '../git/run/repository.ts';
import { followFile, startedIterations } from './transcript.ts';

const LINES_MAX = 5;
const CHARS_MAX = 300;

/** The last lines that the agent of a loop's last iteration wrote to its standard error, fit for a terminal. */
export function lastStderr(repo: Repository, loop: string): readonly string[] {
  const last = startedIterations(repo, loop).at(-1);
  if (last === undefined) return [];
  const from = followFile(join(last.folder, 'stderr.log'));
  let tail = '';
  for (let bytes = from.next(); bytes !== null; bytes = from.next())
    tail = (tail + bytes.toString('utf8')).slice(-LINES_MAX * CHARS_MAX * 2);
  const lines = tail.split(/\r?\n/).map((line) => cleanLine(line).trimEnd());
  return lines
    .filter((line) => line !== '')
    .slice(-LINES_MAX)
    .map((line) => (line.length > CHARS_MAX ? `${line.slice(0, CHARS_MAX)}…` : line));
}
