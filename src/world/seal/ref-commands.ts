import type { GitCommand } from './git-trace.ts';

/** They move the branch that HEAD stands on. */
const MOVES_HEAD = new Set(
  'commit merge reset rebase cherry-pick revert am pull checkout switch update-ref bisect filter-branch fast-import'.split(
    ' ',
  ),
);
/** They move refs that they are given by name. */
const MOVES_NAMED = new Set(
  'update-ref branch checkout switch fetch pull push tag symbolic-ref rebase worktree replace filter-branch receive-pack'.split(
    ' ',
  ),
);
/** These may move refs that their words do not tell. */
const HIDDEN = new Set(['--stdin', '--mirror', '--all', '--update-refs']);

export const movesHead = ({ name }: GitCommand): boolean => MOVES_HEAD.has(name);

/** Whether a command was told to move this ref. */
export function names(command: GitCommand, ref: string): boolean {
  if (ref === 'refs/stash') return command.name === 'stash';
  if (!MOVES_NAMED.has(command.name)) return false;
  const forms = [ref, ref.replace(/^refs\//, ''), ref.replace(/^refs\/(?:heads|tags|replace)\//, '')];
  return command.args.some((arg) => forms.some((form) => arg === form || arg.endsWith(`:${form}`)));
}

/** It may have moved any ref: only the time tells. */
export const hidesRefs = (command: GitCommand): boolean =>
  command.name === 'receive-pack' ||
  command.name === 'fast-import' ||
  (MOVES_NAMED.has(command.name) && command.args.some((arg) => HIDDEN.has(arg) || arg.includes('*:')));

/** Whether a command that names a ref was told to remove it. */
export function deletes({ name, args }: GitCommand): boolean {
  const has = (...flags: readonly string[]): boolean =>
    args.some(
      (arg) =>
        flags.includes(arg) ||
        (/^-[a-zA-Z]{2,}$/.test(arg) && flags.some((f) => /^-\w$/.test(f) && arg.includes(f.slice(1)))),
    );
  if (name === 'branch') return has('-d', '-D', '-m', '-M', '--delete', '--move');
  if (name === 'update-ref') return has('-d');
  if (name === 'tag' || name === 'replace' || name === 'symbolic-ref') return has('-d', '--delete');
  return name === 'push' && (has('-d', '--delete') || args.some((arg) => arg.startsWith(':')));
}
