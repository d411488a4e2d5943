import { closeSync, constants, existsSync, fstatSync, openSync, readSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readAgentFile } from './run/agent-file.ts';
import type { AgentFile } from './run/agent-file.ts';
import type { Repository } from '../git/run/repository.ts';
import { errnoOf } from '../os/system-failure.ts';
import { runFolder } from '../git/run/state-places.ts';
import { cleanLine } from '../../text/screen/clean.ts';

/** One iteration as its run folder tells it. */
export interface IterationSight {
  readonly n: number;
  readonly folder: string;
  readonly agent: AgentFile;
}

/** Every iteration of a loop that was started, in order; run folders outlive worktrees. */
export function startedIterations(repo: Repository, loop: string): readonly IterationSight[] {
  const numbers = namesIn(dirname(runFolder(repo, loop, 1)))
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .filter((n) => hasBegun(runFolder(repo, loop, n)));
  return numbers
    .sort((a, b) => a - b)
    .map((n) => ({ n, folder: runFolder(repo, loop, n), agent: readAgentFile(runFolder(repo, loop, n)) }));
}

/** A folder that is only being prepared does not say yet whose words it will hold. */
const hasBegun = (folder: string): boolean =>
  ['agent.json', 'stdout.log'].some((name) => existsSync(join(folder, name)));

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

const CHUNK_BYTES = 64 * 1024;

interface Following {
  /** What is new, a chunk at a time; null: nothing more for now. The bytes are only good until the next call. */
  next(): Buffer | null;
}

/** Reads a file that may still grow, or not be there yet, in chunks of bounded size; of what is there already only the end. */
export function followFile(file: string, endBytes = Number.POSITIVE_INFINITY): Following {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let position: number | null = null;
  return {
    next() {
      const fd = openIfThere(file);
      if (fd === null) return null;
      try {
        const stat = fstatSync(fd);
        if (!stat.isFile()) return null;
        // A log that was cut in the middle became shorter: go on where it ends now.
        position ??= Math.max(0, stat.size - endBytes);
        if (stat.size < position) position = stat.size;
        const count = readSync(fd, buffer, 0, CHUNK_BYTES, position);
        position += count;
        return count === 0 ? null : buffer.subarray(0, count);
      } finally {
        closeSync(fd);
      }
    },
  };
}

function openIfThere(file: string): number | null {
  try {
    // Without blocking, so that a pipe in place of the file cannot hold us up.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

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
