import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import { errnoOf } from '../os/system-failure.ts';
import { runFolder } from '../git/run/state-places.ts';
import { readProgram } from '../agents/run/agent-file.ts';
import { nameOf } from './scene.ts';
import type { Scene } from './scene.ts';

/** Longer than it takes to make a file and write to it at once. */
const ONCE_MS = 20;
/** Less than that stands in every text. */
const SPELLED_CHARS_MIN = 3;

/** Whether a file that was not there before was made and written at one stroke while the agent lived: nobody else was at it. */
export function isWrittenOnce({ fromMs, toMs }: Pick<Scene, 'fromMs' | 'toMs'>, file: string): boolean {
  // Not every file system knows when a file was made; then nothing is certain.
  const { birthtimeMs = 0, mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return birthtimeMs >= fromMs && mtimeMs <= toMs && mtimeMs - birthtimeMs <= ONCE_MS;
}

/** Whether these are bytes that git has: what it wrote is among them, what the user has not committed or stashed is not. */
export async function isKnownToGit({ place, before }: Scene, path: string): Promise<boolean> {
  const bytes = bytesAt(join(place.repo.root, nameOf(path)));
  if (bytes === null || before.headCommit === null) return false;
  const id = blobId(bytes, before.headCommit);
  return (await place.view.run(['cat-file', '-e', id], { ok: [0, 1, 128] })).code === 0;
}

/** What git calls these bytes, in a repository that has ids like this one. */
export function blobId(bytes: Buffer, like: Sha): string {
  const hash = createHash(like.length === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Whether a file holds what is staged of it, or nothing of that, and else only what the agent's own text spells out. */
export async function isSpelledOut({ place, iteration }: Scene, path: string): Promise<boolean> {
  const now = bytesAt(join(place.repo.root, nameOf(path)))?.toString('latin1');
  const env = { GIT_INDEX_FILE: join(place.repo.commonDir, 'index') };
  const { code, stdout } = await place.view.bytes(['cat-file', 'blob', `:0:${nameOf(path)}`], { env, ok: [0, 128] });
  if (now === undefined || code !== 0) return false;
  const was = stdout.toString('latin1');
  const text = Buffer.from(readProgram(runFolder(place.repo, iteration.loop, iteration.n))).toString('latin1');
  const more = (now.startsWith(was) ? now.slice(was.length) : now).replace(/\n$/, '');
  return more === '' || spells(text, more) || more.split('\n').every((line) => spells(text, line));
}

/** As words of its own, not as a part of others. */
function spells(text: string, words: string): boolean {
  if (words.trim().length < SPELLED_CHARS_MIN) return false;
  const isWithin = (left: string, right: string): boolean => /^\w\w$/.test(`${left}${right}`);
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    if (!isWithin(text.charAt(at - 1), words.charAt(0)) && !isWithin(words.slice(-1), text.charAt(end))) return true;
  }
  return false;
}

export function bytesAt(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}
