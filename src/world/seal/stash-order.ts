import type { LoopId } from '../../core/model/ids.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';

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

export interface Taking {
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
