import type { GitCommand } from './git-trace.ts';

/** They move the branch that HEAD stands on. */
const MOVES_HEAD = new Set(
  'commit merge reset rebase cherry-pick revert am pull checkout switch update-ref bisect'.split(' '),
);
/** Within this time nobody else is likely to have done the same. */
const SHORT_MS = 1000;

export const movesHead = ({ name }: GitCommand): boolean => MOVES_HEAD.has(name);

/** Whether a command was told to move or remove this ref, not merely to look at it. */
export function names(command: GitCommand, ref: string): boolean {
  const { name, args } = command;
  if (ref === 'refs/stash') return name === 'stash';
  const short = ref.replace(/^refs\/(?:heads|tags|replace)\//, '');
  const forms = [ref, ref.replace(/^refs\//, ''), short];
  const isNamed = args.some((arg) => forms.includes(arg));
  switch (name) {
    case 'update-ref':
    case 'symbolic-ref':
      return args.includes(ref);
    case 'branch':
      return isNamed && ref.startsWith('refs/heads/') && hasFlag(args, 'fdDmMC', '--force', '--delete', '--move');
    case 'tag':
      return isNamed && ref.startsWith('refs/tags/');
    case 'replace':
      return isNamed && ref.startsWith('refs/replace/');
    case 'checkout':
    case 'switch':
    case 'worktree':
      return args.some((arg, at) => forms.includes(arg) && /^-[BC]$|^--force-create$/.test(args[at - 1] ?? ''));
    case 'push':
      return isLocal(args) && (isNamed || isWrittenTo(args, forms));
    case 'fetch':
    case 'pull':
      return isWrittenTo(args, forms);
    default:
      return false;
  }
}

/** `-D`, also among others as in `-fD`. */
const hasFlag = (args: readonly string[], letters: string, ...words: readonly string[]): boolean =>
  args.some(
    (arg) => words.includes(arg) || (/^-[a-zA-Z]+$/.test(arg) && letters.split('').some((one) => arg.includes(one))),
  );

const isWrittenTo = (args: readonly string[], forms: readonly string[]): boolean =>
  args.some((arg) => forms.some((form) => arg.endsWith(`:${form}`)));

/** A push to another repository moves nothing here. */
const isLocal = (args: readonly string[]): boolean => args.some((arg) => /^(?:\.{1,2}(?:\/|$)|\/|file:)/.test(arg));

/** It may have moved any ref, by words nobody wrote down: only the time tells, and only if it was short. */
export function hidesRefs({ name, args, fromMs, toMs }: GitCommand): boolean {
  if (toMs - fromMs > SHORT_MS) return false;
  if (name === 'update-ref') return args.includes('--stdin');
  if (name === 'rebase') return args.includes('--update-refs');
  if (name === 'push') return isLocal(args) && args.some((arg) => arg === '--mirror' || arg === '--all');
  return name === 'fast-import' || (name === 'fetch' && args.some((arg) => /:refs\/(?:heads\/)?\*/.test(arg)));
}

/** Whether a command has made this ref: git refuses where there is one, unless it is forced. */
export function makes({ name, args, code }: GitCommand, ref: string): boolean {
  const forms = [ref, ref.replace(/^refs\//, ''), ref.replace(/^refs\/(?:heads|tags)\//, '')];
  const isNamed = (arg: string | undefined): boolean => arg !== undefined && forms.includes(arg);
  const words = args.filter((arg, at) => !arg.startsWith('-') && !/^-[a-zA-Z]*[mFu]$/.test(args[at - 1] ?? ''));
  if (code !== 0) return false;
  switch (name) {
    case 'branch':
      if (!ref.startsWith('refs/heads/')) return false;
      return isNamed(hasFlag(args, 'mMcC', '--move', '--copy') ? args.at(-1) : words[0]);
    case 'tag':
      return ref.startsWith('refs/tags/') && isNamed(words[0]);
    case 'checkout':
    case 'switch':
    case 'worktree':
      return args.some(
        (arg, at) => isNamed(arg) && /^-[a-zA-Z]*[bBcC]$|^--(?:force-)?create$|^--orphan$/.test(args[at - 1] ?? ''),
      );
    case 'update-ref':
      return args.includes(ref);
    case 'fetch':
    case 'push':
      return isWrittenTo(args, forms) && (name === 'fetch' || isLocal(args));
    default:
      return false;
  }
}

/** Whether a command that names a ref was told to remove it. */
export function deletes({ name, args }: GitCommand): boolean {
  if (name === 'branch') return hasFlag(args, 'dDmM', '--delete', '--move');
  if (name === 'update-ref') return hasFlag(args, 'd');
  if (name === 'tag' || name === 'replace' || name === 'symbolic-ref') return hasFlag(args, 'd', '--delete');
  return name === 'push' && (hasFlag(args, 'd', '--delete') || args.some((arg) => arg.startsWith(':')));
}

/**
 * A commit that was refused has moved nothing (one that died, with 128, may have done so before: then it has its words), and no
 * other command calls what it does a commit unless it is told to.
 */
export function isNever(command: GitCommand, message: string | undefined): boolean {
  const { name, args, code } = command;
  if (name === 'commit' && code === 128) return hasOtherWords(command, message);
  if (name === 'commit') return code !== 0 && code !== null;
  return (
    message?.startsWith('commit') === true && !(name === 'update-ref' && args.some((arg) => arg.includes('commit')))
  );
}

/** It was told with which words to commit, and these are others. A hook may have added some. */
export function hasOtherWords({ name, args }: GitCommand, message: string | undefined): boolean {
  const at = args.findIndex((arg) => /^(?:-[a-zA-Z]*m|--message)$/.test(arg));
  const [subject = ''] = (at === -1 ? '' : (args[at + 1] ?? '')).trim().split('\n');
  return name === 'commit' && message?.includes(subject.trim()) === false;
}

/**
 * Whether a move can be this command's by what the reflog calls it. While a long one ran (a pull, a commit whose hook tests
 * everything) the user may well have moved the same branch.
 */
export function fits(command: GitCommand, message: string | undefined): boolean {
  const { name, fromMs, toMs } = command;
  if (isNever(command, message)) return false;
  if (toMs - fromMs <= SHORT_MS || message === undefined || name === 'update-ref') return true;
  return message.startsWith(name) || message.includes(`(${name})`);
}
