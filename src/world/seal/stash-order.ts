import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readRefFile } from '../git/refs/ref-files.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { isDuring, mayHaveWorked } from '../git/trace/git-trace.ts';
import { parseReflog } from '../git/trace/reflog.ts';
import { replace, underLock } from './restore-checkout.ts';
import { writtenMs } from './scene.ts';
import type { LoopId } from '../../core/model/ids.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import type { ReflogEntry } from '../git/trace/reflog.ts';
import type { Scene } from './scene.ts';

const TAKES = new Set(['pop', 'drop', 'clear']);
const LEAVES_ALONE = new Set(['list', 'show', 'apply', 'create', 'branch']);

export const verbOf = ({ args }: GitCommand): string =>
  args[0] === undefined || args[0].startsWith('-') ? 'push' : args[0];
export const takes = (command: GitCommand): boolean => TAKES.has(verbOf(command));
export const pushes = (command: GitCommand): boolean => !takes(command) && !LEAVES_ALONE.has(verbOf(command));

/** It put an entry there: a push that found nothing to save starts no other command. */
export const hasPut = (command: GitCommand): boolean =>
  command.code === 0 && pushes(command) && (command.hasChildren || verbOf(command) === 'store');

/** A `git stash` of an agent. */
export interface StashStep {
  readonly loop: LoopId;
  readonly command: GitCommand;
}

interface Taking {
  readonly by: LoopId;
  readonly from: LoopId;
}

/**
 * Which agent got another one's entry: all worktrees share one stack, so whoever puts something there and takes it back gets what
 * somebody else put there in between. Told by the order of their commands alone, and only if that adds up to how high the stack
 * is in the end: else a person had a hand in it. What was done at the same moment is nobody's.
 */
export function findTakings(steps: readonly StashStep[], heightBefore: number, heightAfter: number): readonly Taking[] {
  const ordered = steps
    .filter(({ command }) => command.code === 0 && (hasPut(command) || takes(command) || verbOf(command) === 'apply'))
    .toSorted((one, other) => one.command.fromMs - other.command.fromMs);
  const stack: (LoopId | null)[] = Array<null>(heightBefore).fill(null);
  const taken: Taking[] = [];
  for (const step of ordered) {
    const { loop: by, command } = step;
    const isClear = !ordered.some((other) => other.loop !== by && overlap(other.command, command));
    if (!isClear) stack.fill(null);
    if (hasPut(command)) {
      stack.push(isClear ? by : null);
      continue;
    }
    const at = stack.length - 1 - indexIn(command);
    const [from, count] = verbOf(command) === 'clear' ? [0, stack.length] : [at, at < 0 ? 0 : 1];
    const got = verbOf(command) === 'apply' ? stack.slice(at, at + count) : stack.splice(from, count);
    for (const owner of got) if (owner !== null && owner !== by) taken.push({ by, from: owner });
  }
  return stack.length === heightAfter ? taken : [];
}

const overlap = (one: GitCommand, other: GitCommand): boolean => one.fromMs <= other.toMs && other.fromMs <= one.toMs;

/** `stash@{2}`, or only `2`; the last one put there if none is named. */
const indexIn = ({ args }: GitCommand): number =>
  Number(args.map((arg) => /^(?:.*stash@\{)?(\d+)\}?$/.exec(arg)?.[1]).find((index) => index !== undefined) ?? 0);

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
