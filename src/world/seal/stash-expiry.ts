import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readRefFile } from '../git/refs/ref-files.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { isDuring, mayHaveWorked } from '../git/trace/git-trace.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import { parseReflog } from '../git/trace/reflog.ts';
import type { ReflogEntry } from '../git/trace/reflog.ts';
import { replace, underLock } from './restore-files.ts';
import { writtenMs } from './scene.ts';
import type { Scene } from './scene.ts';

const STASH = 'refs/stash';
const logOf = (commonDir: string): string => join(commonDir, 'logs', STASH);

/** It writes the whole reflog of the stash again, `git gc` by itself too, be there less in it or not. */
export const rewrites = (command: GitCommand): boolean =>
  command.name === 'reflog' && mayHaveWorked(command) && isToldTo(command.args);

function isToldTo([verb = '', ...args]: readonly string[]): boolean {
  if (args.some((arg) => arg === '-n' || arg === '--dry-run')) return false;
  return ['expire', 'delete', 'drop'].includes(verb) && args.some((arg) => arg === '--all' || arg.includes('stash'));
}

/** By default git never lets entries of the stash expire, and so `git gc` does not either. */
const isForced = ({ args: [verb, ...args] }: GitCommand): boolean =>
  verb !== 'expire' || args.some((arg) => arg.startsWith('--expire'));

/** Whether the agent let entries of the stash expire: who drops one leaves a reflog in which each entry follows upon another. */
export function hasExpired({ trace, before, after, place }: Scene): boolean {
  const commands = trace.filter((one) => rewrites(one) && isForced(one));
  if (commands.length === 0) return false;
  const known = new Set(gapsIn(before.stash));
  const isEmptied = before.stash !== '' && after.stash === '' && after.refs[STASH] !== undefined;
  if (isEmptied || gapsIn(after.stash).some((gap) => !known.has(gap))) return true;
  const atMs = writtenMs(logOf(place.repo.commonDir));
  return atMs === null || commands.some((one) => isDuring(one, atMs));
}

function gapsIn(text: string): readonly string[] {
  const entries = parseReflog(text);
  return entries.flatMap(({ from, to }, at) => {
    const isUpon = at === 0 ? /^0+$/.test(from) : entries[at - 1]?.to === from;
    return isUpon ? [] : [`${from} ${to}`];
  });
}

/**
 * The stash with all that was in it and what was put upon that since. Null: not certain to be that, for somebody dropped or
 * cleared something, or its words are no text.
 */
export function wholeStash(commonDir: string, before: string): string | null {
  const text = textIfThere(logOf(commonDir));
  const [was, now] = [parseReflog(before), parseReflog(text)];
  const known = new Set(was.map(({ line }) => line));
  const added = now.slice(now.filter(({ line }) => known.has(line)).length);
  const top = was.at(-1)?.to;
  const isUpon = added.every(({ line, from }, at) => !known.has(line) && from === (added[at - 1]?.to ?? top));
  const isTop = readRefFile(commonDir, STASH) === (added.at(-1)?.to ?? top);
  const isText = linesOf(was) === before && linesOf(now) === text && !`${before}${text}`.includes('\uFFFD');
  return isUpon && isTop && isText ? `${before}${linesOf(added)}` : null;
}

const linesOf = (entries: readonly ReflogEntry[]): string => entries.map(({ line }) => `${line}\n`).join('');

/** Under git's own lock on the ref. True also if it is whole by now. */
export function makeStashWhole(commonDir: string, before: string): boolean {
  return underLock(join(commonDir, STASH), () => {
    const [log, whole] = [logOf(commonDir), wholeStash(commonDir, before)];
    const mode = statSync(log, { throwIfNoEntry: false })?.mode;
    if (whole === null || mode === undefined) return false;
    if (whole !== textIfThere(log)) replace(log, Buffer.from(whole), mode);
    return true;
  });
}
